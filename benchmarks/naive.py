"""The same work done the obvious way, to compare with: on every event read every table, compile every pattern."""

import json
import sys
from pathlib import Path

import regex


def main() -> None:
    """Print the notes whose path pattern matches the file that the event on standard input names."""
    event = json.load(sys.stdin)
    root = Path(event["cwd"])
    name = Path(event["tool_input"].get("file_path", "")).relative_to(root).as_posix()
    said = []
    for document in sorted((root / "docs" / "gatilhos").rglob("*.md")):
        for row in document.read_text().splitlines():
            cells = [cell.strip() for cell in row.strip("|").split(" | ")]
            if len(cells) < 4 or "path:" not in cells[2]:
                continue
            pattern = cells[2].strip("`").removeprefix("path:").strip().replace("\\|", "|")
            if regex.compile(pattern).search(name):
                said.append(cells[3])
    if said:
        print(json.dumps({"hookSpecificOutput": {"additionalContext": "\n".join(said)}}))


if __name__ == "__main__":
    main()

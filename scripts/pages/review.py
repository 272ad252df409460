"""The pictures of docs/review.md: what `gatilho diff` really prints of one change, as text and as a comment."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from html import escape, unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state |\n"
    "| --- | --- | --- | --- | --- | ---: | --- |\n"
)  # fmt: skip
_RETRY = (
    r"| D-7f3k | debt | `path: ^tests/test_retry\.py$` | The test is **flaky** until it uses the `frozen_clock` "
    r"fixture. | `contains tests/test_retry.py \bfrozen_clock\b` | 1 | owed |"
)
_DEPLOY = (
    r"| D-9c2m | debt | `path: ^scripts/deploy\.sh$` | deploy.sh waits with a fixed sleep. "
    r"| `lacks scripts/deploy.sh sleep 30` | {} | owed |"
)
_LEDGER = (
    "| when (UTC) | id | event | rides | base | session | commit | by | evidence |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
    "| 2026-11-29 10:00:00 | D-9c2m | charged | 2 | 1 | 8f3a21c0 | 0 | agent claude | scripts/deploy.sh |\n"
)
_LINKS = "https://github.com/ana/shop/blob/topic"
_WHEN = "2026-11-29T10:00:00+00:00"
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_DATE": _WHEN,
    "GIT_COMMITTER_DATE": _WHEN, "GIT_AUTHOR_NAME": "Ana", "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana", "GIT_COMMITTER_EMAIL": "ana@example.org", "PYTHONPATH": str(ROOT),
}  # fmt: skip
_LINK = re.compile(r"\[(`[^`]*`)\]\([^)]*\)")
_MARKUP = re.compile(r"</?(?:strong|em|del)>|\*\*|\\(?=[^\w\s])")
_BEGINNING = re.compile(r"^( *)[->] ")
_LINE, _LETTER, _COLUMNS, _MARGIN = 19, 7.8, 104, 18
_STYLE = """
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328;
    white-space: pre }
  .strong { font-weight: 700 } .quote { fill: #59636e } .box { fill: #f6f8fa; stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .quote { fill: #9198a1 } .box { fill: #151b23; stroke: #3d444d }
  }
"""


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _make(root)
        text = _run(root, sys.executable, "-m", "gatilho", "diff", "main..topic")
        comment = _run(
            root, sys.executable, "-m", "gatilho", "diff", "main..topic", "--format", "markdown", "--links", _LINKS
        )
    shown = ["$ gatilho diff main..topic", *text.rstrip().split("\n")]
    return {
        "docs/review-diff.svg": _picture("gatilho diff", [(line, "") for line in shown]),
        "docs/review-comment.svg": _picture("The comment on a pull request", _as_read(comment)),
    }


def _make(root: Path) -> None:
    """Make a repository with a branch that pays one debt and rides another."""
    _run(root, "git", "init", "--quiet", "--initial-branch=main")
    _write(root, "tests/test_retry.py", "def test_retry(): ...\n")
    _write(root, "scripts/deploy.sh", "sleep 30\n")
    _write(root, "docs/gatilhos/backlog.md", _HEADER + _RETRY + "\n" + _DEPLOY.format(1) + "\n")
    _commit(root, "Begin")
    _run(root, "git", "switch", "--quiet", "--create", "topic")
    _write(root, "tests/test_retry.py", "def test_retry(frozen_clock): ...\n")
    _write(root, "scripts/deploy.sh", "sleep 30\necho done\n")
    _write(root, "docs/gatilhos/backlog.md", _HEADER + _RETRY + "\n" + _DEPLOY.format(2) + "\n")
    _write(root, "docs/gatilhos/ledger/2026-11-29-0badcafe.md", _LEDGER)
    _commit(root, "Freeze the clock")


def _write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _commit(root: Path, message: str) -> None:
    _run(root, "git", "add", "--all")
    _run(root, "git", "commit", "--quiet", "--message", message)


def _run(root: Path, *command: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    return subprocess.run(command, cwd=root, env=env, check=True, capture_output=True, encoding="utf-8").stdout


def _as_read(markdown: str) -> list[tuple[str, str]]:
    """Return the lines as GitHub shows them, each with its style; of links the text."""
    found = []
    for line in markdown.rstrip().split("\n"):
        if not line.startswith("<!--"):
            style = "strong" if line.startswith(("#", "**")) else "quote" if line.lstrip().startswith(">") else ""
            linked = _LINK.sub(r"\1", line.removeprefix("### "))
            # A code span keeps its backslashes, other text loses those that escape.
            parts = linked.split("`")
            parts[::2] = [_MARKUP.sub("", part) for part in parts[::2]]
            found.append((_BEGINNING.sub(_mark, unescape("".join(parts))), style))
    return found


def _mark(found: "re.Match[str]") -> str:
    return f"{found[1]}{'| ' if '>' in found[0] else '• '}"


def _picture(title: str, lines: list[tuple[str, str]]) -> str:
    shown = [
        (part, style)
        for line, style in lines
        for part in textwrap.wrap(
            line, _COLUMNS, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 4), drop_whitespace=False,
            break_on_hyphens=False,
        )
        or [""]
    ]  # fmt: skip
    height, width = 2 * _MARGIN + _LINE * len(shown), round(2 * _MARGIN + _LETTER * _COLUMNS)
    texts = [
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE * number + 13}" class="{style}">{escape(text)}</text>'
        for number, (text, style) in enumerate(shown)
        if text.strip()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" xml:space="preserve">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="box" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="8"/>',
            *texts,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    for name, text in pictures().items():
        print(name, len(text))

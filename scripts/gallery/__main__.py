"""The pictures of README and docs: what commands really print on a terminal, and the report in a browser."""

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

import shop
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "pictures"
_COLUMNS = 100
# name, what a person types, and the lines that are shown (None: all)
_COMMANDS = (
    ("list", "gatilho list", None),
    ("why", "gatilho why src/cart.py src/prices.py", None),
    ("diff", "gatilho diff main~8", 26),
    ("health", "gatilho health", 36),
    ("check", "gatilho check", 24),
)
# Background, foreground, then black, red, green, yellow, blue, magenta, cyan and grey.
_LIGHT = ("ffffff", "23262b", "23262b", "a6370f", "0b6b49", "8a6400", "145aa0", "783c8c", "0b6b69", "5b626c")
_DARK = ("15181b", "e7e9eb", "15181b", "ffa07d", "78c896", "e1be64", "78b4f5", "d2a0e6", "6cc7c2", "a3abb4")
_FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {terminal_width} {height}" role="img"
  xml:space="preserve" aria-label="NAME">
<style>
.{unique_id}-matrix {{
  font: {char_height}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  line-height: {line_height}px }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="{terminal_width}" height="{height}" rx="8" fill="GROUND" stroke="#8c959f" stroke-opacity=".4"/>
<g transform="translate(12, 14) scale(.98)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> int:
    """Write all pictures; 1 where no browser is installed for those of the report."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "shop"
        shop.make(root)
        for name, typed, most in _COMMANDS:
            mistakes = shop.write_mistakes(root) if name == "check" else None
            _write(name, f"$ {typed}\n" + _shortened(_on_terminal(root, typed), most))
            if mistakes:
                mistakes.unlink()
        _write("demo", "$ scripts/demo\n" + _demo())
        return _report(root, Path(folder))


def _on_terminal(root: Path, typed: str) -> str:
    """Return what a command prints on a terminal of that width, with its colours."""
    command = [sys.executable, "-m", *typed.split()]
    ours, its = pty.openpty()
    around = {"PYTHONPATH": str(ROOT), "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color", "HOME": str(root.parent)}
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLAUDECODE")}
    process = subprocess.Popen(
        command, cwd=root, env={**env, **around}, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.DEVNULL
    )
    os.close(its)
    said = b""
    try:
        while data := os.read(ours, 1 << 16):
            said += data
    except OSError:  # this is how a terminal ends on Linux
        pass
    os.close(ours)
    process.wait()
    return said.decode().replace("\r\n", "\n")


def _shortened(text: str, most: int | None) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join(lines if most is None or len(lines) <= most else [*lines[:most], "…"])


def _demo() -> str:
    """Return the part of the demonstration in which the question is asked and the debt is paid."""
    env = {**os.environ, "COLUMNS": str(_COLUMNS), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(ROOT / "scripts/story")], env=env, capture_output=True, encoding="utf-8")
    lines = done.stdout.rstrip("\n").split("\n")
    first = next(at for at, line in enumerate(lines) if line.startswith("4. "))
    last = next(at for at, line in enumerate(lines) if at > first and "is paid" in line)
    shown = [line[:_COLUMNS] if "git diff" in line else line for line in lines[first : last + 1]]
    return "…\n" + "\n".join(shown) + "\n…"


def _write(name: str, text: str) -> None:
    shown = Text.from_ansi(text)
    width = max(_COLUMNS, *(line.cell_len for line in shown.split()))
    for scheme, colours in (("light", _LIGHT), ("dark", _DARK)):
        console = Console(
            width=width, record=True, file=open(os.devnull, "w"), force_terminal=True, color_system="truecolor",
            legacy_windows=False,
        )  # fmt: skip
        console.print(shown)
        ground, ink, *others = [tuple(bytes.fromhex(colour)) for colour in colours]
        theme = TerminalTheme(ground, ink, others)  # type: ignore[arg-type]
        form = _FORMAT.replace("GROUND", f"#{colours[0]}").replace("NAME", f"gatilho {name} on a terminal")
        drawn = console.export_svg(title=name, theme=theme, code_format=form, unique_id=f"t-{name}")
        (FOLDER / f"{name}-{scheme}.svg").write_text(drawn, encoding="utf-8", newline="\n")


def _report(root: Path, folder: Path) -> int:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import Browser, find_browser

    if not find_browser():
        print("scripts/pictures: no Chromium is installed, so the report is not taken", file=sys.stderr)
        return 1
    page = folder / "report.html"
    command = [sys.executable, "-m", "gatilho", "report", "-o", str(page)]
    subprocess.run(
        command, cwd=root, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, stdout=subprocess.DEVNULL
    )
    with Browser() as shown:
        for scheme in ("light", "dark"):
            shown.look(1100, 1000, scheme)
            shown.open("about:blank")
            shown.open(page.as_uri())
            shown.picture(FOLDER / f"report-{scheme}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())

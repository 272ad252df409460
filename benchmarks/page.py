"""The pages of the results: `docs/speed.md` with its chart, and the README's few lines, from what a run measured."""

from html import escape
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
README_BEGIN, README_END = "<!-- speed: filled in from a run of benchmarks/ -->", "<!-- end of speed -->"
# What the README shows, and the case that it is.
SHOWN = {
    "no match": "no match",
    "a row speaks, by plain text": "literal hit",
    "a row speaks, by a regular expression": "engine hit",
    "*the same, reading every table each time*": "naive",
}
# The chart's measures, in its own units.
WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 860, 330, 60, 14, 9, 46
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .bar { fill: #2f6f4f; } .naive { fill: #b08d57; } .bare { fill: #6e7781; }
  .bound { stroke: #c0392b; stroke-width: 2; } .grid { stroke: #d0d7de; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .grid { stroke: #30363d; } .bar { fill: #56b083; } }
"""


def write(record: dict[str, Any], root: Path) -> None:
    """Put the results of a run into the pages of the project at root: docs/speed.md, its chart, and the README."""
    cases = record["cases"]
    _fill(root / "docs" / "speed.md", BEGIN, END, f"{_taken(record)}\n\n{_table(cases)}")
    _fill(root / "README.md", README_BEGIN, README_END, _short(cases))
    (root / "docs" / "speed.svg").write_text(chart(cases), encoding="utf-8")


def _fill(page: Path, begin: str, end: str, text: str) -> None:
    """Replace what is between two marks of a page."""
    old = page.read_text(encoding="utf-8")
    before, after = old[: old.index(begin) + len(begin)], old[old.index(end) :]
    page.write_text(f"{before}\n\n{text}\n\n{after}", encoding="utf-8")


def _short(cases: list[dict[str, Any]]) -> str:
    """The few lines of the README: the median ratios by size of the store."""
    by_name = {case["name"]: f"{case['ratio']['median']:.2f} ×" for case in cases}
    sizes = ("100 rows", "10,000 rows", "100,000 rows")
    lines = [f"| what happens | {' | '.join(sizes)} |", "| --- | ---: | ---: | ---: |"]
    for title, case in SHOWN.items():
        lines.append(f"| {title} | {' | '.join(by_name.get(f'{case}, {size}', '') for size in sizes)} |")
    return "\n".join([*lines, "", "[docs/speed.md](docs/speed.md) has all of it, with a chart and how it was taken."])


def _taken(record: dict[str, Any]) -> str:
    return (
        f"Taken on {record['date']} with Python {record['python']}, {record['rounds']} rounds on {record['machine']}."
    )


def _table(cases: list[dict[str, Any]]) -> str:
    lines = ["| case | × bare | min – max | ms | MiB | bound |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for case in cases:
        ratio = case["ratio"]
        spread = f"{ratio['least']:.2f} – {ratio['most']:.2f}"
        median = f"{ratio['median']:.2f} | {spread} | {case['seconds']['median'] * 1000:.1f} | {case['memory']:.0f}"
        lines.append(f"| {case['name']} | {median} | {case['bound']} |")
    return "\n".join(lines)


def chart(cases: list[dict[str, Any]]) -> str:
    """Bars of the median ratios on a logarithmic scale, each bound as a mark, as an SVG document."""
    from math import log10

    scale = (WIDTH - LEFT - RIGHT) / 3  # three decades: 1 to 1,000 times the bare interpreter

    def place(ratio: float) -> float:
        return LEFT + scale * log10(max(ratio, 1.0))

    height = TOP + len(cases) * (BAR + GAP) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>What a hook costs, as multiples of the bare interpreter</title>",
        f"<style>{STYLE}</style>",
        f'<text x="{LEFT}" y="16">multiples of the bare interpreter (logarithmic); red: the bound</text>',
    ]
    for tick in (1, 2, 5, 10, 100, 1000):
        parts.append(
            f'<line class="grid" x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP - 8}" y2="{height - 8}"/>'
        )
        parts.append(f'<text x="{place(tick):.1f}" y="{TOP - 12}" text-anchor="middle">{tick}</text>')
    for number, case in enumerate(cases):
        parts += _bar(case, TOP + number * (BAR + GAP), place)
    return "\n".join([*parts, "</svg>", ""])


def _bar(case: dict[str, Any], top: int, place: Any) -> list[str]:
    ratio, name = case["ratio"]["median"], case["name"]
    kind = "naive" if name.startswith("naive") else "bare" if name.startswith("bare") else "bar"
    end = place(ratio)
    free = max(end, place(case["limit"] or 0)) + 8
    parts = [
        f'<text x="{LEFT - 8}" y="{top + BAR - 3}" text-anchor="end">{escape(name)}</text>',
        f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{max(end - LEFT, 2):.1f}" height="{BAR}"/>',
        f'<text x="{free:.1f}" y="{top + BAR - 3}">{ratio:.2f}</text>',
    ]
    if case["limit"]:
        x = place(case["limit"])
        parts.append(f'<line class="bound" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 2}" y2="{top + BAR + 2}"/>')
    return parts

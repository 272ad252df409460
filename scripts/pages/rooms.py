"""The rooms of the package as a picture: who imports whom, read from the imports themselves."""

import ast
import textwrap
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent.parent / "gatilho"

_WIDTH, _BOX_WIDTH, _BOX_HEIGHT, _GAP, _LAYER = 1000, 196, 70, 14, 104
_TOP = 44
_STYLE = """
  text { font: 12px ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .name { font-weight: 600; font-size: 14px } .small { font-size: 11px; fill: #59636e }
  .box { fill: #f6f8fa; stroke: #d1d9e0 } .people { fill: #fff8c5; stroke: #d4a72c }
  .arrow { stroke: #8c959f; stroke-width: 1.2; fill: none } .tip { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .box { fill: #151b23; stroke: #3d444d }
    .people { fill: #3d2e00; stroke: #9e6a03 } .arrow { stroke: #656c76 } .tip { fill: #656c76 }
  }
"""


def rooms() -> dict[str, set[str]]:
    """Return each room and the rooms that its modules import, inside functions too."""
    names = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
    found: dict[str, set[str]] = {name: set() for name in names}
    for name in names:
        for path in sorted((PACKAGE / name).rglob("*.py")):
            for module in _imported(ast.parse(path.read_bytes())):
                room = module.split(".")[1] if module.startswith("gatilho.") else ""
                if room in found and room != name:
                    found[name].add(room)
    return found


def for_hooks() -> set[str]:
    """Return the rooms that a hook can reach."""
    imports = rooms()
    reached, waiting = {"ladder"}, ["ladder"]
    while waiting:
        new = imports[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def picture() -> str:
    """Return the rooms as SVG: each above those that it imports; arrows that follow from others are left out."""
    imports = rooms()
    hooks = for_hooks()
    layers = _layers(imports)
    height = _TOP + len(layers) * _LAYER
    places = _places(layers)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="t d">',
        '<title id="t">The rooms of the package</title>',
        f'<desc id="d">{escape(_in_words(imports))}</desc>',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
    ]
    parts += [_arrow(places[name], places[other]) for name in imports for other in sorted(_direct(imports, name))]
    parts += [_box(name, places[name], name in hooks) for name in imports]
    parts += [_key(20, "box", "what a hook can load"), _key(200, "people", "only for people")]
    return "\n".join([*parts, "</svg>", ""])


def _imported(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            found += _imported(node)
    return found


def _layers(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the rooms from the top to the bottom, each as low as what it imports allows."""
    depth: dict[str, int] = {}
    for name in TopologicalSorter(imports).static_order():
        depth[name] = 1 + max((depth[other] for other in imports[name]), default=-1)
    return [sorted(name for name in depth if depth[name] == at) for at in sorted(set(depth.values()), reverse=True)]


def _places(layers: list[list[str]]) -> dict[str, tuple[float, float]]:
    places = {}
    for row, layer in enumerate(layers):
        width = len(layer) * _BOX_WIDTH + (len(layer) - 1) * _GAP
        for at, name in enumerate(layer):
            places[name] = ((_WIDTH - width) / 2 + at * (_BOX_WIDTH + _GAP), _TOP + row * _LAYER)
    return places


def _direct(imports: dict[str, set[str]], name: str) -> set[str]:
    """Return what the room imports and reaches by no other way."""
    return {one for one in imports[name] if not any(one in _reached(imports, other) for other in imports[name] - {one})}


def _reached(imports: dict[str, set[str]], name: str) -> set[str]:
    return set(imports[name]).union(*(_reached(imports, other) for other in imports[name]))


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    x, y = start[0] + _BOX_WIDTH / 2, start[1] + _BOX_HEIGHT
    to_x, to_y = end[0] + _BOX_WIDTH / 2, end[1] - 3
    bend = (to_y - y) / 2
    path = f"M{x:.0f} {y:.0f}C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
    return f'<path class="arrow" d="{path}" marker-end="url(#tip)"/>'


def _box(name: str, place: tuple[float, float], for_hook: bool) -> str:
    x, y = place
    lines = textwrap.wrap(_subject(name), 29)[:3]
    texts = [f'<text class="name" x="{x + 10:.0f}" y="{y + 19:.0f}">{name}</text>']
    texts += [
        f'<text class="small" x="{x + 10:.0f}" y="{y + 35 + 13 * at:.0f}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    ]
    kind = "box" if for_hook else "people"
    box = f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
    return box + "".join(texts)


def _key(x: int, kind: str, meaning: str) -> str:
    box = f'<rect class="{kind}" x="{x}" y="14" width="14" height="14" rx="3"/>'
    return f'{box}<text x="{x + 22}" y="26">{meaning}</text>'


def _subject(name: str) -> str:
    """Return what the room says of itself first, without a mere repetition of its name."""
    said = ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_bytes())) or ""
    head, colon, rest = said.split(". ")[0].rstrip(".").replace("`", "").partition(": ")
    return rest if colon and head.casefold().removeprefix("the ") == name else head + colon + rest


def _in_words(imports: dict[str, set[str]]) -> str:
    return " ".join(
        f"{name} imports {', '.join(sorted(others))}." if others else f"{name} imports no room."
        for name, others in sorted(imports.items())
    )

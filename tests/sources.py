"""Python sources as tests read them: each is parsed once in a process, however many look at it."""

import ast
from functools import cache
from pathlib import Path

from builders import CHECKOUT

PACKAGE = CHECKOUT / "gatilho"
SOURCES = sorted(PACKAGE.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))

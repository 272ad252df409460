"""The pieces that commands share: their parser, `--root`, `--json`, and the repository that they work in."""

import argparse
import os

from gatilho import dispatcher
from gatilho.errors import UsageError
from gatilho.store.root import Repository, find_repository


def parser(name: str, summary: str, *examples: str, root: bool = True) -> argparse.ArgumentParser:
    """The parser of one command, with `--root` (unless it has no use for it) and its examples below the help."""
    made = argparse.ArgumentParser(
        prog=f"gatilho {name}",
        description=summary,
        epilog="\n".join(["example:" if len(examples) == 1 else "examples:", *(f"  {line}" for line in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if root:
        made.add_argument("--root", metavar="DIR", default=".", help="where to look for the repository (default: here)")
    return made


def add_json(made: argparse.ArgumentParser) -> None:
    """Offer `--json`, as every command that reads does."""
    made.add_argument("--json", action="store_true", help="print JSON instead of text")


def folder_of(root: str) -> str:
    """The folder that `--root` names, absolute, with `/`; raises UsageError where there is none."""
    path = os.path.abspath(root)
    if not os.path.isdir(path):
        raise UsageError(f"--root {root}: there is no such directory.")
    return path.replace("\\", "/")


def repository_of(root: str, learn: bool = True) -> Repository:
    """The repository around the folder that `--root` names; raises UsageError outside of any.

    learn: its dispatcher may learn where the package is; a clone has the dispatcher and no note of that yet.
    """
    folder = folder_of(root)
    found = find_repository(folder)
    if found is None:
        raise UsageError(f"{folder} is in no git repository. Run `git init` first, or name one with --root DIR.")
    if learn:
        dispatcher.introduce(found)
    return found

"""The pieces that commands share: their parser, `--root`, `--json`, and the repository that they work in."""

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from gatilho import bounded, render
from gatilho.errors import UsageError
from gatilho.git.root import Repository, find_repository
from gatilho.setup import dispatcher, driver, file_changes
from gatilho.setup.file_changes import FileChange


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that is the same on every Python: argparse breaks lines of usage, and writes options, as its version does.

    Prose keeps its lines where the terminal has room for them; examples keep theirs in any case.
    """

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        start = f"usage: {self._prog} "
        parts = (part.replace(" ", "\0") for part in self._usage_parts(actions, groups))  # lines break between parts
        lines = textwrap.wrap(" ".join(parts), self._width - len(start), break_long_words=False, break_on_hyphens=False)
        return start + f"\n{' ' * len(start)}".join(lines).replace("\0", " ") + "\n\n"

    def _usage_parts(self, actions: Any, groups: Any) -> Iterator[str]:
        """Yield each argument, options first, in brackets unless it is needed; those that exclude each other in one."""
        together = {group._group_actions[0]: group._group_actions for group in groups}
        inner = {action for group in together.values() for action in group[1:]}
        for action in sorted(actions, key=lambda action: not action.option_strings):
            if action in together:
                yield f"[{' | '.join(map(self._usage_of, together[action]))}]"
            elif action.required or not action.option_strings:
                yield self._usage_of(action)
            elif action not in inner:
                yield f"[{self._usage_of(action)}]"

    def _usage_of(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return self._format_args(action, self._get_default_metavar_for_positional(action))
        return self._with_value(action.option_strings[0], action)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        return self._with_value(", ".join(action.option_strings), action)

    def _with_value(self, names: str, action: argparse.Action) -> str:
        if action.nargs == 0:
            return names
        return f"{names} {self._format_args(action, self._get_default_metavar_for_optional(action))}"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example") or max(map(len, text.split("\n"))) <= width:
            return super()._fill_text(text, width, indent)
        return textwrap.fill(" ".join(text.split()), width, break_on_hyphens=False)


# Before the words that are typed so far, in the place of a command's arguments.
_COMPLETE = "\0complete"


class _Completed(BaseException):
    """What may be typed next; None for an argument of any text. Not for the handlers of faults."""

    def __init__(self, words: list[str] | None) -> None:
        self.words = words


def complete(main: Callable[[list[str]], int], typed: list[str], current: str) -> list[str] | None:
    """Return the options and choices of a command that may follow the typed words in the place of the current one.

    None where it is an argument that may be anything, as an id.
    """
    try:
        main([_COMPLETE, *typed, current])
    except _Completed as found:
        return found.words
    return []


class _Parser(argparse.ArgumentParser):
    """A parser that suggests the option that was probably meant.

    instead: the options by what is often tried in their place, "" for a text without an option.
    """

    instead: dict[str, str] = {}

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; leave with status 2 for what the command does not know."""
        if args and args[0] == _COMPLETE:
            raise _Completed(self._words_for(*args[-2:]))
        given, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error(self._unknown(rest[0]))
        return given

    def _words_for(self, before: str, current: str) -> list[str] | None:
        option = self._option_string_actions.get(before)
        if option is not None and option.nargs != 0:
            return [str(one) for one in option.choices or ()]
        if current.startswith("-"):
            return [name for name in self._option_string_actions if name.startswith("--")]
        chosen = (one.choices for one in self._actions if not one.option_strings and one.choices)
        return next((list(choices) for choices in chosen), None)

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse hides that the help could not be written

    def _unknown(self, word: str) -> str:
        from gatilho.nearest import nearest

        is_option = word.startswith("-")
        name = word.partition("=")[0] if is_option else ""
        close = self.instead.get(name) or nearest(name, self._option_string_actions)
        meant = f". Did you mean `{close}`?" if close else ""
        return f"{'unknown option' if is_option else 'unexpected argument'} `{word}`{meant}"


def parser(name: str, summary: str, *examples: str) -> argparse.ArgumentParser:
    """Return the parser of one command ("" for `gatilho` alone), with `--root`, and its examples below the help."""
    made = _Parser(
        prog=f"gatilho {name}".rstrip(),
        description=summary,
        epilog="\n".join(["example:" if len(examples) == 1 else "examples:", *(f"  {line}" for line in examples)]),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    made.color = False  # type: ignore[attr-defined]  # 3.14 would colour a help that texts are compared with
    made.add_argument("--root", metavar="DIR", default=".", help="where to look for the repository (default: here)")
    return made


def number_of(what: str, most: int, least: int = 1) -> Callable[[str], int]:
    """Return what reads an argument as a whole number within bounds. what: how an error calls it, as in "days"."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"`{text}` is not a number of {what} from {least} to {most}")
        return int(text)

    return read


def add_dry_run(made: argparse.ArgumentParser) -> None:
    """Add `--dry-run`, and `-v` for the whole text of what it would write."""
    made.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    made.add_argument("-v", "--verbose", action="store_true", help="with --dry-run, print the whole changes as a diff")


def print_plan(planned: list[FileChange], verbose: bool) -> None:
    """Print what a dry run would write: a line for each file, or all of it as a diff."""
    if verbose:
        render.print_diff(file_changes.diff_of_changes(planned))
        return
    for line in file_changes.summary_of_changes(planned):
        render.line(line)


def add_json(made: argparse.ArgumentParser) -> None:
    """Offer `--json`, as every command that reads does."""
    made.add_argument("--json", action="store_true", help="print JSON instead of text")


def missing_extra(extra: str, fault: ModuleNotFoundError) -> UsageError:
    """Return what is said where the packages of an extra are missing; raises the fault where our own code is."""
    if (fault.name or "").partition(".")[0] in ("", "gatilho"):
        raise fault
    return UsageError(
        f"`gatilho {extra}` needs the package {fault.name}. "
        f"Install it with gatilho, for example `pipx install 'gatilho[{extra}]'`."
    )


def refuse_others(path: str, what: str, is_own: Callable[[bytes], bool]) -> None:
    """Raise UsageError where a file cannot be written, or is there and nothing that the command wrote before.

    what: the command's own files, in words. is_own: looks at the first bytes of the one that is there.
    """
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(f"{path}: there is no such directory to write into.")
    if os.path.lexists(path) and not (os.path.isfile(path) and is_own(bounded.head(path, 100))):
        raise UsageError(f"{path} is there and is no {what} of gatilho, so it is not replaced. Name another file.")


def folder_of(root: str) -> str:
    """Return the folder that `--root` names, absolute, with `/`; raises UsageError where there is none."""
    path = os.path.abspath(root)
    if not os.path.isdir(path):
        raise UsageError(f"--root {root}: there is no such directory.")
    return path.replace("\\", "/")


def table_file(given: argparse.Namespace, root: str) -> str:
    """Return the file that `--file` names, from the root on where the command runs beside a nested store that has it.

    Any other is as it was typed, from the root on or a bare name in the root's store.
    """
    here = os.path.relpath(folder_of(given.root), root).replace("\\", "/")
    below = f"{here}/{given.file}"
    return below if "/" in given.file and os.path.isdir(f"{root}/{os.path.dirname(below)}") else str(given.file)


def repository_of(root: str, learn: bool = True) -> Repository:
    """Return the repository around the folder that `--root` names; raises UsageError outside of any.

    learn: its dispatcher may learn where the package is, and its git how tables are merged; a clone has the dispatcher
    and the attributes, and neither of these yet.
    """
    folder = folder_of(root)
    found = find_repository(folder)
    if found is None and _is_bare(folder):
        raise UsageError(
            f"{folder} is in a bare repository: there is no working tree. Name a clone that has one with --root DIR."
        )
    if found is None:
        raise UsageError(f"{folder} is in no git repository. Run `git init` first, or name one with --root DIR.")
    if learn:
        dispatcher.introduce(found)
        driver.introduce_driver(found)
    return found


def _is_bare(folder: str) -> bool:
    """Return whether a folder is, or lies in, what git keeps of a repository that has no files checked out."""
    while True:
        if os.path.isfile(f"{folder}/HEAD") and os.path.isdir(f"{folder}/objects") and os.path.isdir(f"{folder}/refs"):
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above

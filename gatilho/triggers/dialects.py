"""Globs as other tools write them: what of a glob means nothing here, and how it is spelled so that it works."""

from gatilho.value import Value

_MOST = 8


class Dialect(Value):
    """What is foreign in a glob, in words, and the globs that mean the same here, none where that cannot be said."""

    what: str
    spellings: tuple[str, ...]


def foreign_in(glob: str) -> Dialect | None:
    """Return what of a glob is in another tool's dialect; None for one that is as git writes it."""
    text = glob.strip()
    what = ""
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        what, text = "quotes are characters of the name", text[1:-1]
    parts = _cut_at_commas(text)
    if len(parts) > 1:
        what = what or "a comma separates nothing"
    spellings: list[str] = []
    for part in parts:
        respelled, reason = _one(part.strip())
        what = what or reason
        spellings += respelled
    return Dialect(what, tuple(dict.fromkeys(spellings[:_MOST]))) if what else None


def _one(glob: str) -> tuple[list[str], str]:
    """Return the globs that mean what one glob does elsewhere, and what is foreign in it."""
    what = ""
    if _has_separator(glob):
        what = "`\\` makes the next character literal; between folders is `/`"
        glob = glob.replace("\\\\", "/").replace("\\", "/")
    if glob.startswith("./"):
        what, glob = what or "no path begins with `./`", "/" + glob.lstrip("./") if "/" not in glob[2:] else glob[2:]
    expanded = _expanded(glob)
    if expanded != [glob]:
        what = what or "braces are characters of the name"
    joined = [_with_own_folders(one) for one in expanded]
    if joined != expanded:
        what = what or "`**` beside other characters is no more than `*`"
    return joined, what


def _has_separator(glob: str) -> bool:
    return any(
        char == "\\" and (glob[at + 1 : at + 2].isalnum() or glob[at + 1 : at + 2] in ("_", "*", ".", "\\"))
        and (at == 0 or glob[at - 1].isalnum() or glob[at - 1] in "_*.-")
        for at, char in enumerate(glob)
    )  # fmt: skip


def _cut_at_commas(text: str) -> list[str]:
    """Cut a list at the commas outside of braces and sets, where each part looks like a path."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    looks = all(part.strip() and any(mark in part for mark in "*?/.") for part in parts)
    return parts if len(parts) > 1 and looks else [text]


def _expanded(glob: str) -> list[str]:
    """Return one glob for each alternative of `{a,b}` and `@(a|b)`."""
    done: list[str] = []
    waiting = [glob]
    while waiting and len(done) + len(waiting) <= _MOST * 4:
        text = waiting.pop(0)
        for opening, closing, between in (("{", "}", ","), ("@(", ")", "|"), ("+(", ")", "|"), ("?(", ")", "|")):
            start = text.find(opening)
            end = text.find(closing, start)
            if start >= 0 and end > start and (start == 0 or text[start - 1] != "\\"):
                options = text[start + len(opening) : end].split(between)
                if opening == "{" and len(options) < 2:
                    continue
                options += [""] if opening == "?(" else []
                waiting = [text[:start] + option + text[end + 1 :] for option in options] + waiting
                break
        else:
            done.append(text)
    return done


def _with_own_folders(glob: str) -> str:
    """Give each `**` that is glued to other characters a part of its own."""
    parts = []
    for part in glob.split("/"):
        before, stars, behind = part.partition("**")
        if stars and part.strip("*") and not before:
            parts.append("**/*" + behind.lstrip("*"))
        else:
            parts.append(part)
    return "/".join(parts)

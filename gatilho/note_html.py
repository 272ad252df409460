"""Notes where people read them: one line of Markdown as HTML for a page, and as Markdown for a comment.

A note is written by many hands, so nothing in it acts on its reader: no raw HTML, no picture from elsewhere, no address
but http, https and mailto on a page and none at all in a comment, where no name or number notifies anyone either.
"""

import html
import re

from gatilho.document.entities import decode_entities
from gatilho.document.ticks import in_code_span
from gatilho.plain import clean_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mistune.inline_parser import InlineParser

    Token = dict[str, Any]

# The parser of inline Markdown is quadratic in the worst case; `check` reports notes of more than 400 characters.
_LONGEST = 2000
_SPECIAL = frozenset(r"\`*_{}[]<>()#+-.!|~&$@:^=/'\"")
_APART = "\u200b"
_LINKED_WORD = re.compile(r"\b(w(?=ww\\\.)|g(?=h\\-))", re.IGNORECASE)
_SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>\"'`\\]+", re.IGNORECASE)
_TAGS = {"strong": "strong", "emphasis": "em", "strikethrough": "del"}

_parsers: "list[InlineParser]" = []


def note_to_html(note: str) -> str:
    """Return a note as HTML that is safe in an element of a page; it is one line and has no block in it."""
    return _render(note, html.escape, _code_element, _anchor)


def note_to_comment(note: str) -> str:
    """Return a note as Markdown for a comment on GitHub: emphasis and code are shown, an address is plain code."""
    return _render(note, escape_markdown, code_span, _named_address)


def escape_markdown(text: str) -> str:
    """Return Markdown that shows the text as it is, and in which no name, number or address becomes a link.

    GitHub looks for these after the escapes, so a zero-width blank goes into them.
    """
    escaped = "".join("\\" + letter if letter in _SPECIAL else letter for letter in clean_line(text))
    for sign in ("@", "#", ":"):
        escaped = escaped.replace("\\" + sign, "\\" + sign + _APART)
    return _LINKED_WORD.sub(rf"\1{_APART}", escaped)


def code_span(text: str) -> str:
    """Return a code span in Markdown, in which nothing means anything."""
    text = clean_line(text)
    return in_code_span(text) if text.strip() else "(empty)"


def _render(
    note: str, text: "Callable[[str], str]", code: "Callable[[str], str]", link: "Callable[[str, str], str]"
) -> str:
    """Render a note's inline Markdown. text, code and link make each part; link gets what is shown, and the address."""

    def render(tokens: "list[Token]") -> str:
        return "".join(part(token) for token in tokens)

    def part(token: "Token") -> str:
        kind, children = token["type"], token.get("children")
        if kind in _TAGS and children:
            return f"<{_TAGS[kind]}>{render(children)}</{_TAGS[kind]}>"
        if kind in ("link", "image"):
            return link(render(children or []), _shown(str(token["attrs"]["url"])))
        if kind in ("softbreak", "linebreak"):
            return " "
        raw = str(token.get("raw", ""))
        if kind == "codespan":
            return code(clean_line(raw))
        return text(_shown(raw) if kind == "text" else raw)

    line = clean_line(note)
    if len(line) > _LONGEST:
        return text(line)
    return render(_parse(line))


def _parse(line: str) -> "list[Token]":
    from mistune.core import InlineState

    state = InlineState({"ref_links": {}})
    state.src = line
    return list(_parser().render(state))


def _parser() -> "InlineParser":
    if not _parsers:
        from mistune import create_markdown

        _parsers.append(create_markdown(renderer=None, plugins=["strikethrough"]).inline)
    return _parsers[0]


def _shown(raw: str) -> str:
    """Return text with its entities decoded; what they hid is cleaned as well."""
    return clean_line(decode_entities(raw))


def _code_element(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _anchor(shown: str, address: str) -> str:
    if not _SAFE_ADDRESS.fullmatch(address):
        return f"{shown} ({_code_element(address)})" if shown else _code_element(address)
    target = html.escape(address)
    return f'<a href="{target}" rel="nofollow noopener noreferrer">{shown or target}</a>'


def _named_address(shown: str, address: str) -> str:
    if not shown or shown in (escape_markdown(address), escape_markdown(address.removeprefix("mailto:"))):
        return code_span(address.removeprefix("mailto:"))
    return f"{shown} ({code_span(address)})"

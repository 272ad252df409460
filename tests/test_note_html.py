"""Notes of many hands, as people read them: on a page in a browser, and in a comment on GitHub."""

from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.note_html import note_to_comment, note_to_html

# What a note may become: no other element, and no attribute but those of a link on a page.
SHOWN = {"strong", "em", "del", "code"}


class Elements(HTMLParser):
    """The elements of a page, their attributes, and the text that is shown."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.text_outside_code = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        self.names.append("/" + tag)

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.names.count("code") == self.names.count("/code"):
            self.text_outside_code += data

    @property
    def opened(self) -> set[str]:
        return {name for name in self.names if name[0] != "/"}

    @property
    def addresses(self) -> list[str]:
        return [value or "" for name, value in self.attributes if name == "href"]


def on_page(note: str) -> Elements:
    return Elements(note_to_html(note))


def in_comment(note: str) -> Elements:
    """A note as GitHub's parser shows it in an item of a list, in which raw HTML and bare addresses count."""
    comment = f"- new debt: {note_to_comment(note)}"
    found = Elements(cmarkgfm.github_flavored_markdown_to_html(comment, options=Options.CMARK_OPT_UNSAFE))
    assert [name for name in found.names if name in ("ul", "li", "p")] == ["ul", "li"]
    return found


@pytest.mark.parametrize(
    ("note", "page"),
    [
        ("plain words", "plain words"),
        ("a **bold** and *slanted* ~~gone~~ word", "a <strong>bold</strong> and <em>slanted</em> <del>gone</del> word"),
        ("run `make <x> && y`", "run <code>make &lt;x&gt; &amp;&amp; y</code>"),
        ("1 < 2 & \"3\" &lt; '4'", "1 &lt; 2 &amp; &quot;3&quot; &lt; &#x27;4&#x27;"),
        ("# no heading", "# no heading"),
        ("- no list", "- no list"),
        ("two  \nlines", "two   lines"),
        ("<b onclick=x>raw</b>", "&lt;b onclick=x&gt;raw&lt;/b&gt;"),
        ("![cat](javascript:x)", "cat (<code>javascript:x</code>)"),
        ("", ""),
    ],
)
def test_a_note_on_a_page(note: str, page: str) -> None:
    assert note_to_html(note) == page


def test_a_link_on_a_page_leads_where_it_says() -> None:
    link = '<a href="https://a.example/x?y=1&amp;z" rel="nofollow noopener noreferrer">'
    assert note_to_html("see [the docs](https://a.example/x?y=1&z)") == f"see {link}the docs</a>"
    assert note_to_html("![a picture](https://a.example/x?y=1&z)") == f"{link}a picture</a>"


def test_a_comment_shows_emphasis_code_and_addresses() -> None:
    found = in_comment("**bold** `a|b` [docs](https://a.example/x) <https://b.example>")
    assert found.text.replace("\u200b", "").strip() == (
        "new debt: bold a|b docs (https://a.example/x) https://b.example"
    )
    assert found.opened == {"ul", "li", "strong", "code"}


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html,<script>1</script>)",
    "[x](vbscript:x)",
    '[x](https://a.example/"onmouseover="alert(1))',
    "[x](//evil.example)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    '[x](https://a.example "t\' onload=x")',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "`<script>`",
    "``` `<img src=x>` ```",
    "a `b <img src=x>",
    "</code></li></ul><h1>x",
    "--> <!-- gatilho diff -->",
    "x\r\n\r\n# heading\n- item\n| a |\n|---|",
    "x\u2028y\u202e<z>\x1b[31m",
    "&#x202e;&#10;&#10;# x",
    "@team @org/team fixes #12 GH-7 org/repo#3 :tada: $m$ www.evil.example a@b.example https://evil.example",
    "**@team** *#12* ~~@me~~ [@team](https://a.example) [#12](#12)",
    "\\@team \\<b> \\`c",
    "[@x](mailto:a@b.example) <a@b.example>",
    "::error::x ::set-output name=a::b ${{ secrets.TOKEN }}",
    "/merge /close",
    "[a]: https://evil.example [a] [^1] ![^1]",
    "[[[[" * 50,
    "*_" * 200,
    "`" * 199 + "x",
    "![" * 100 + "](x)" * 100,
    "x" * 5000 + "<b> @team",
]


@pytest.mark.parametrize("note", HOSTILE)
def test_a_hostile_note_does_nothing(note: str) -> None:
    page, comment = on_page(note), in_comment(note)
    assert page.opened <= {*SHOWN, "a"}
    assert {name for name, _ in page.attributes} <= {"href", "rel"}
    assert all(address.startswith(("https://", "http://", "mailto:")) for address in page.addresses)
    assert comment.opened <= {*SHOWN, "ul", "li"}
    assert comment.attributes == []
    for text in (note_to_html(note), note_to_comment(note)):
        assert text.splitlines() in ([text], [])
        assert not set(text) & set("\u202e\x1b\r\n\t")
    assert not any(sign in comment.text_outside_code for sign in ("@t", "@o", "@m", "#1", "#3", "GH-7", "www."))


def test_a_note_ends_no_element_that_it_did_not_open() -> None:
    for note in HOSTILE:
        names = on_page(note).names
        depth: list[str] = []
        for name in names:
            if name[0] != "/":
                depth.append(name)
            else:
                assert depth.pop() == name[1:]
        assert depth == []


pieces = st.sampled_from(
    ["*", "**", "_", "~~", "`", "``", "[", "](", ")", "![", "<", ">", "<b>", "</li>", "<!--", "-->", "\\", "@team", "#1",
     "javascript:", "https://a.example", "&lt;", "&#60;", "&#64;", " ", "\n", "\t", "x", "'", '"', "|", "-", ":", "www.a.example"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(pieces, max_size=14).map("".join))
def test_no_note_of_any_pieces_acts(note: str) -> None:
    page, comment = on_page(note), in_comment(note)
    assert page.opened <= {*SHOWN, "a"}
    assert all(address.startswith(("https://", "mailto:")) for address in page.addresses)
    assert comment.opened <= {*SHOWN, "ul", "li"}
    assert comment.attributes == []
    assert "@team" not in comment.text_outside_code
    assert "#1" not in comment.text_outside_code

"""Needles are promises: every one is held against the engine itself."""

import random

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.triggers.literals import analyse, holds, lower_ascii


def check_promises(pattern: str, compiled: "regex.Pattern[str]", text: str) -> bool:
    """Assert what `analyse` promises about this search; say whether the engine found the pattern."""
    analysis = analyse(pattern)
    try:
        found = compiled.search(text, timeout=0.05) is not None
    except (TimeoutError, MemoryError):
        # A group that calls itself for ever: the engine says nothing that a promise could be held against.
        return False
    seen = lower_ascii(text) if analysis.folded else text
    if found:
        missing = [piece for piece in analysis.pieces if piece not in seen]
        assert not missing, f"{pattern!r} matches {text!r} without {missing}"
        assert analysis.needle in seen
    if analysis.plain:
        assert holds(analysis.plain, analysis.needle, seen) == found, f"{pattern!r} is not plain on {text!r}"
    return found


@pytest.mark.parametrize(
    ("pattern", "needle", "plain"),
    [
        pytest.param(r"^src/pkg_12/mod_3\.py$", "src/pkg_12/mod_3.py", "is", id="anchored on both sides"),
        pytest.param(r"^src/", "src/", "starts", id="anchored at the start"),
        pytest.param(r"\.py$", ".py", "ends", id="anchored at the end"),
        pytest.param(r"alembic", "alembic", "has", id="not anchored"),
        pytest.param(r"^src\/a\-b\ c$", "src/a-b c", "is", id="needless escapes of punctuation"),
        pytest.param(r"a#b", "a#b", "has", id="a hash outside verbose mode"),
        pytest.param(r"a]b}", "a]b}", "has", id="closing brackets that close nothing"),
        pytest.param(r"cost\$", "cost$", "has", id="an escaped dollar is no anchor"),
        pytest.param(r"\^a", "^a", "has", id="an escaped caret is no anchor"),
        pytest.param(r"(?i)^README\.md$", "readme.md", "is", id="folded letters without variants beyond ASCII"),
        pytest.param(r"código/", "código/", "has", id="letters beyond ASCII"),
        pytest.param(r"src\\a", "src\\a", "", id="a literal backslash"),
        pytest.param(r"(?i)^makefile$", "ma", "", id="folded k, i and s may be other letters"),
        pytest.param(r"\balembic\b", "alembic", "", id="word boundaries"),
        pytest.param(r"(^|/)\.env$", ".env", "", id="a group of anchors"),
        pytest.param(r"^src/.*\.py$", "src/", "", id="the longest of two"),
        pytest.param(r"x{2,}yz", "xxyz", "", id="an open counted repeat"),
        pytest.param(r"ab{2}c", "abbc", "", id="an exact counted repeat"),
        pytest.param(r"ab?cd", "cd", "", id="an optional letter"),
        pytest.param(r"ab{,3}cd", "cd", "", id="a counted repeat from nothing"),
        pytest.param(r"(?:foo|bar)/x\.py", "/x.py", "", id="what stands behind an alternation"),
        pytest.param(r"a/x\.py|b/x\.py", "/x.py", "", id="what all alternatives end with"),
        pytest.param(r"a|b", "", "", id="alternatives with nothing in common"),
        pytest.param(r"[.]py", ".py", "", id="a set of one character"),
        pytest.param(r"\x41\u0042\U00000043", "ABC", "", id="characters by number"),
        pytest.param(r"docs/(?i)readme", "docs/readme", "", id="flags in the middle"),
        pytest.param(r"ab(?i)*cd", "cd", "", id="a quantifier behind flags repeats what stands before them"),
        pytest.param(r"ab(?#why)*cd", "cd", "", id="a quantifier behind a comment does too"),
        pytest.param(r"foo(?=bar)baz", "foobaz", "", id="a look-ahead takes no room"),
        pytest.param(r"a{b", "a{b", "", id="a brace that opens no quantifier"),
        pytest.param(r"ab\Z", "ab", "", id="the very end is left to the engine"),
        pytest.param(r"(?m)^ab$", "ab", "", id="anchors of lines are left to the engine"),
    ],
)
def test_needle(pattern: str, needle: str, plain: str) -> None:
    analysis = analyse(pattern)
    assert (analysis.needle, analysis.plain) == (needle, plain)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("", id="nothing at all"),
        pytest.param("^$", id="anchors only"),
        pytest.param(r"(?x) a b", id="verbose mode"),
        pytest.param(r"a b(?x: c )", id="verbose mode in a group"),
        pytest.param(r"(?V1)abc", id="the newer version"),
        pytest.param(r"(?if)strasse", id="full case folding"),
        pytest.param(r"(?:abc){e<=1}", id="a fuzzy group"),
        pytest.param(r"abc{1i+1d<2}", id="a fuzzy cost"),
        pytest.param(r"(?e)abc", id="a flag of fuzzy search"),
        pytest.param(r"(a)?(?(1)bc|bd)", id="a conditional"),
        pytest.param(r"(?|(?i)a|b)cd", id="a branch reset"),
        pytest.param(r"ab(*SKIP)cd", id="a verb"),
        pytest.param(r"\L<names>abc", id="a named list"),
        pytest.param(r"abc(", id="an open group"),
        pytest.param(r"abc)", id="a group too many"),
        pytest.param(r"abc[", id="an open set"),
        pytest.param(r"*.py", id="nothing to repeat"),
        pytest.param("abc\\", id="a backslash at the end"),
        pytest.param(r"\ybc", id="an unknown escape"),
        pytest.param("(" * 500 + "a" + ")" * 500, id="groups too deep"),
    ],
)
def test_no_promise(pattern: str) -> None:
    analysis = analyse(pattern)
    assert (analysis.needle, analysis.plain, analysis.pieces) == ("", "", ())


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        pytest.param("(?:" * 30 + "a.b" + ")+" * 30, ("a", "b"), id="nested repeats"),
        pytest.param("(?:" * 30 + "ab" + "){9}" * 30, ("abab",), id="nested counts"),
        pytest.param("(?:a.b)?" * 400, (), id="many groups"),
        pytest.param("a" * 4_001 + ".", (), id="a pattern that is too long to read"),
    ],
)
def test_promises_stay_small(pattern: str, pieces: tuple[str, ...]) -> None:
    found = analyse(pattern).pieces
    assert tuple(piece[:4] for piece in found) == pieces
    assert sum(map(len, found)) < 5_000


def test_pieces_are_all_that_is_required() -> None:
    assert analyse(r"^src/.*test_\w+\.py$").pieces == ("src/", "test_", ".py")


@pytest.mark.parametrize(
    "anchored", ["^ab$", "ab$", "^ab", "ab", "(?i)ab$", r"ab\Z", r"ab\z", r"\Aab", "(?m)^ab$", "(?m)ab$"]
)
def test_plain_anchors_agree_with_the_engine(anchored: str) -> None:
    compiled = regex.compile(anchored)
    texts = ["", "ab", "ab\n", "ab\n\n", "\nab", "xab", "abx", "AB\n", "x\nab\ny", "ab\r\n", "ab\u2028", "\n"]
    found = [check_promises(anchored, compiled, text) for text in texts]
    assert any(found)
    assert not all(found)


def test_letters_with_case_variants_beyond_ascii() -> None:
    beyond = "".join(chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000)
    cased = [chr(code) for code in range(0x80) if regex.search(f"(?i){regex.escape(chr(code))}", beyond)]
    assert cased == list("IKSiks")
    # The other direction: what stands beyond ASCII in a folded pattern is never promised.
    assert analyse("(?i)Éa").pieces == ("a",)


@pytest.mark.parametrize("pattern", ["abc(?i)*d", "abc(?#why)*d", "abc(?i)(?#why){0}d"])
def test_quantifier_behind_flags_repeats_one_letter(pattern: str) -> None:
    assert check_promises(pattern, regex.compile(pattern), "abd")
    assert analyse(pattern).pieces == ("ab", "d")


def test_only_ascii_is_lowered() -> None:
    assert lower_ascii("AZ\u212aÉİ") == "az\u212aÉİ"
    assert lower_ascii("README.md") == "readme.md"


# Characters that the engine folds together with i, k and s, among plain ones.
LETTERS = "abkisIKS1/.é\u212aſıİ\n ß"
ESCAPES = [
    r"\.", r"\/", r"\b", r"\B", r"\A", r"\Z", r"\K", r"\G", r"\m", r"\d", r"\w", r"\S", r"\h", r"\R", r"\X", r"\t", r"\n", r"\x61", r"\u0062",
    r"\U0000006b", r"\N{LATIN SMALL LETTER A}", r"\N", r"\141", r"\07", r"\0611", r"\12", r"\1", r"\g<1>", r"\p{L}", r"\p{^Lu}",
    r"\pL", r"\pa", r"\P{Script=Latin}", r"\p{a", r"\-", r"\é", r"\\", r"\$", r"\^",
]  # fmt: skip
SETS = [
    "[ab]", "[^a]", "[.]", "[a-k]", "[]a]", "[^]]", r"[\]a]", "[[:alpha:]]", "[[:^digit:]a]", "[a[:]", "[[a]", "[a&&b]", "[a--b]", "[a-]",
    r"[\w-]", "[(]", "[{]", "[|]", "[k]", r"[\x5d]",
]  # fmt: skip
QUANTIFIERS = [
    "?",
    "*",
    "+",
    "??",
    "*?",
    "+?",
    "?+",
    "*+",
    "++",
    "{0}",
    "{2}",
    "{,2}",
    "{1,}",
    "{1,2}",
    "{2,3}?",
    "{1}",
    "{,}",
    "{2}+",
]
OPENINGS = [
    "(", "(?:", "(?>", "(?P<n>", "(?<m>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?-i:", "(?s:", "(?x:", "(?|", "(?(1)", "(?(?=a)", "(?im-s:",
]  # fmt: skip
ODDITIES = [
    "(?i)", "(?-i)", "(?m)", "(?s)", "(?x)", "(?f)", "(?V1)", "(?r)", "(?a)", "(?w)", "(?#c)", "(?#c\\)d)", "(?R)", "(?1)", "(?&n)",
    "(?P>n)", "(?P=n)", "{e<=1}", "{i}", "{1<=e<=2}", "{", "}", "{}", "{a}", "{,", "{2", "#", "|", ")", "^", "$", ".", "]", "(*SKIP)",
    "(*FAIL)", "(*PRUNE)", "\\",
]  # fmt: skip
TOKENS = [*LETTERS, *ESCAPES, *SETS, *QUANTIFIERS, *OPENINGS, *ODDITIES]


def compile_quietly(pattern: str) -> "regex.Pattern[str] | None":
    try:
        return regex.compile(pattern)
    except (regex.error, TypeError, ValueError, KeyError, IndexError, AttributeError):
        # The engine's own parser fails in several ways on such patterns; none of them matches anything.
        return None


class Maker:
    """Makes patterns together with texts that they were made to match."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def case(self) -> tuple[str, list[str]]:
        """A pattern and four texts near to what it matches."""
        pattern, text = self.branches(2)
        if self.random.random() < 0.3:
            pattern = self.random.choice(["(?i)", "^", "(?m)^", r"\A", "(?x)", "(?i)^"]) + pattern
        if self.random.random() < 0.3:
            pattern += self.random.choice(["$", r"\Z", r"\z", r"\b"])
        return pattern, [self.disturb(text) for _ in range(4)]

    def disturb(self, text: str) -> str:
        luck = self.random.random()
        if luck < 0.3:
            text = text.swapcase()
        elif luck < 0.4:
            text = text.replace("i", "İ").replace("k", "\u212a").replace("s", "ſ").replace("I", "ı")
        elif luck < 0.5 and text:
            cut = self.random.randrange(len(text))
            text = text[:cut] + text[cut + 1 :]
        if self.random.random() < 0.4:
            text += self.random.choice(["\n", "a", "\n\n", "x\n"])
        return text if self.random.random() < 0.6 else self.random.choice(LETTERS) + text

    def branches(self, depth: int) -> tuple[str, str]:
        made = [self.sequence(depth) for _ in range(self.random.choice([1, 1, 1, 2, 3]))]
        return "|".join(pattern for pattern, _ in made), self.random.choice(made)[1]

    def sequence(self, depth: int) -> tuple[str, str]:
        made = [self.repeated(depth) for _ in range(self.random.randrange(1, 5))]
        return "".join(pattern for pattern, _ in made), "".join(text for _, text in made)

    def repeated(self, depth: int) -> tuple[str, str]:
        pattern, text = self.element(depth)
        if self.random.random() < 0.7:
            return pattern, text
        gap = self.random.choice(["", "", "", "(?i)", "(?#c)"])
        return pattern + gap + self.random.choice(QUANTIFIERS), text * self.random.choice([0, 1, 1, 2, 3])

    def element(self, depth: int) -> tuple[str, str]:
        luck = self.random.random()
        if luck < 0.6 or not depth:
            letters = "".join(self.random.choice("abkis/1") for _ in range(self.random.randrange(1, 4)))
            return letters, letters
        if luck < 0.7:
            return self.random.choice(
                [(".", "x"), ("[ab]", "b"), ("[.]", "."), (r"\d", "1"), (r"\w", "a"), (r"\.", "."), (r"\x61", "a")]
            )
        if luck < 0.75:
            return self.random.choice(
                [(r"\b", ""), ("^", ""), ("$", ""), ("(?i)", ""), ("(?-i)", ""), (r"\p{L}", "é"), (r"\141", "a")]
            )
        pattern, text = self.branches(depth - 1)
        opening = self.random.choice(OPENINGS)
        return f"{opening}{pattern})", "" if "=" in opening or "!" in opening else text


def test_promises_hold_on_patterns_with_texts_made_for_them() -> None:
    maker = Maker(seed=20261129)
    pairs = matches = promised = plain = 0
    while pairs < 6_000:
        pattern, texts = maker.case()
        compiled = compile_quietly(pattern)
        if compiled is None:
            continue
        found = sum(check_promises(pattern, compiled, text) for text in texts)
        pairs += len(texts)
        matches += found
        promised += found if analyse(pattern).needle else 0
        plain += len(texts) if analyse(pattern).plain else 0
    assert matches > 1_500
    assert promised > 600
    assert plain > 150


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(TOKENS), max_size=8),
    st.lists(st.sampled_from([*LETTERS, "ab", "{", "}", "#"]), max_size=8),
)
def test_promises_hold_on_any_soup_of_syntax(tokens: list[str], text: list[str]) -> None:
    pattern = "".join(tokens)
    compiled = compile_quietly(pattern)
    if compiled is None:
        analyse(pattern)
        return
    literal = "".join(token for token in tokens if len(token) == 1)
    for candidate in ("".join(text), literal, literal + "\n", literal.swapcase(), "".join(text) + literal):
        check_promises(pattern, compiled, candidate)


def test_promises_hold_on_many_soups_of_syntax() -> None:
    dice = random.Random(4)
    matches = 0
    for _ in range(1_500):
        tokens = [dice.choice(TOKENS) for _ in range(dice.randrange(1, 7))]
        pattern = "".join(tokens)
        compiled = compile_quietly(pattern)
        if compiled is None:
            analyse(pattern)
            continue
        literal = "".join(token for token in tokens if len(token) == 1)
        for text in (literal, literal.swapcase() + "\n", "".join(dice.choice(LETTERS) for _ in range(6))):
            matches += check_promises(pattern, compiled, text)
    assert matches > 180

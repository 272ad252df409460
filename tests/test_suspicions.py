"""What `check` suspects, on patterns that are wrong and on ordinary ones that are not."""

import pytest

from gatilho.triggers import suspicions

ORDINARY = [
    r"^src/.*\.py$", r"^(?:api|web)/schema/[^/]+\.py$", r"(^|/)\.env$", r"\balembic\b", r".*/.*/.*\.py$", r"^(?:.+/)?[^/]*\.py(?:/|$)",
    r"(?i)readme", r"^(src|tests)/(\w+/)*\w+\.py$", r"\bgit\s+(?:-\S+\s+)*push\b", r"^(?:[a-z0-9_-]+/)*[a-z0-9_-]+\.(?:js|tsx?)$",
    r"(?<!tests/.*)conftest\.py$", r"^\p{Lu}", r"[^;|&]*\brm\b.*-rf?\s+/", r"(.*)(.*)(.*)x$", r"^\s*(?:sudo\s+)?(?:npm|yarn)\s+(\w+:?)+$",
    r"^(?:[^/]+/)*migrations/\d+_\w+\.sql$", r"a{2,3}", r"tests?/test_.*\.py", r"^src(/.*)?$", r"\w*.py", r"[/*]x", r"/\*", r"\{a,b\}",
    r"{{ name }}", r"x{,3}", r"^src[/\\]a\.py$", r"a(/|\\)b", "",
]  # fmt: skip


@pytest.mark.parametrize("pattern", ORDINARY)
def test_ordinary_pattern_is_not_suspected(pattern: str) -> None:
    assert suspicions.looks_like_glob(pattern) == ""
    assert suspicions.seems_catastrophic(pattern) == ""
    assert not suspicions.backslash_separator(pattern)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("docs/*.md", "`/*` means any number of slashes"),
        ("src/*", "`/*` means any number of slashes"),
        ("src/**/*.py", "`/*` means any number of slashes"),
        ("*.py", "it begins with `*`"),
        ("^*.md$", "it begins with `*`"),
        ("test*.py", "`t*.` means any number of `t` and one more character"),
        ("src/{api,web}.py", "`{api,web}` stands for these very characters"),
    ],
)
def test_looks_like_glob(pattern: str, says: str) -> None:
    assert suspicions.looks_like_glob(pattern) == says


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"^(\w|\w\w|/)+\.py$", id="alternatives that overlap"),
        pytest.param(r"(?:a|a)+$", id="alternatives that are equal"),
        pytest.param(r"(ab|abab)+!$", id="words that overlap"),
        pytest.param(r"^src/(?:[a-z]|[a-m]|[n-z])+/x$", id="sets that overlap, behind a needle"),
    ],
)
def test_seems_catastrophic(pattern: str) -> None:
    assert "takes more than 20 ms on" in suspicions.seems_catastrophic(pattern)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a*)*b$", "a(", ""])
def test_what_the_engine_can_bear_is_not_catastrophic(pattern: str) -> None:
    assert suspicions.seems_catastrophic(pattern) == ""


@pytest.mark.parametrize("pattern", [r"^src\\a\.py$", r"src\\", r"(?i)^SRC\\.*x"])
def test_backslash_separator(pattern: str) -> None:
    assert suspicions.backslash_separator(pattern)

"""Globs against git itself, which wrote the rules that they follow."""

import random
import subprocess
from pathlib import Path

import pytest
import regex

from gatilho.errors import DocumentError
from gatilho.triggers.globs import _translated, glob_to_regex
from gatilho.triggers.literals import analyse
from gatilho.triggers.plain_globs import parts_of
from gatilho.triggers.plain_globs import plain_to_regex as plain_to_regex
from gatilho.triggers.plain_globs import takes as plain_takes


def takes(glob: str, path: str) -> bool:
    return regex.search(glob_to_regex(glob), path) is not None


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        pytest.param("*.py", "src/deep/a.py", id="no slash: at any depth"),
        pytest.param("docs/", "docs/a.md", id="a directory: all below it"),
        pytest.param("docs/", "site/docs/b/a.md", id="a directory at any depth"),
        pytest.param("docs", "docs/b/a.md", id="a name that is a directory"),
        pytest.param("/docs", "docs/a.md", id="anchored at the root"),
        pytest.param("src/*.py", "src/a.py", id="one part"),
        pytest.param("src/**/*.py", "src/a.py", id="two stars for no directory"),
        pytest.param("src/**/*.py", "src/b/c/a.py", id="two stars for several"),
        pytest.param("**/migrations/*.sql", "app/migrations/1.sql", id="two stars in front"),
        pytest.param("src/**", "src/b/a.py", id="two stars behind"),
        pytest.param("*", ".github/w.yml", id="a dot in front is no obstacle"),
        pytest.param("código/*.py", "código/é.py", id="letters beyond ASCII"),
        pytest.param("?.py", "é.py", id="one character, not one byte"),
        pytest.param("[[:upper:]]*.md", "README.md", id="a class"),
        pytest.param("[!a].py", "b.py", id="a negated set"),
        pytest.param(r"\!x", "!x", id="an escaped exclamation mark"),
        pytest.param(r"\#x", "#x", id="an escaped hash"),
        pytest.param("it's (1).py", "it's (1).py", id="characters that a regex would read"),
        pytest.param("b/**/*.py", "b/x\ny/a.py", id="a newline in a directory's name"),
        pytest.param("a\ue000[bc]", "a\ue000b", id="a character of private use beside a set"),
    ],
)
def test_takes(glob: str, path: str) -> None:
    assert takes(glob, path)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        pytest.param("docs/", "docs", id="a directory is no file"),
        pytest.param("/docs", "site/docs/a.md", id="anchored at the root"),
        pytest.param("docs/*.md", "docs/b/a.md", id="a star stops at a slash"),
        pytest.param("docs/*.md", "docs/zmd", id="a dot is a dot"),
        pytest.param("src/*.py", "lib/src/a.py", id="an inner slash anchors"),
        pytest.param("a[!b]c", "a/c", id="a negated set stops at a slash"),
        pytest.param("*.py", "a.pyc", id="the end is the end"),
        pytest.param("*.py", "a.py\n", id="a final newline belongs to the name"),
        pytest.param("*.PY", "a.py", id="case matters"),
    ],
)
def test_leaves(glob: str, path: str) -> None:
    assert not takes(glob, path)


@pytest.mark.parametrize(
    ("glob", "says"),
    [
        pytest.param("", "is empty", id="nothing"),
        pytest.param("  ", "is empty", id="blanks"),
        pytest.param("!src/a.py", r"cannot take paths out again; write `\!`", id="a negation"),
        pytest.param("# src", "is a comment", id="a comment"),
        pytest.param("/", "cannot match any path", id="a lone slash"),
        pytest.param("src/[ab", "has an open `[`", id="an open set"),
        pytest.param("src[/]a", "has a slash in a set", id="a slash in a set"),
        pytest.param("[[:letter:]]", "names no known class", id="an unknown class"),
        pytest.param("src\\", "cannot match any path", id="a backslash at the end"),
        pytest.param("a\nb", "more than one line", id="two lines"),
    ],
)
def test_refused(glob: str, says: str) -> None:
    with pytest.raises(DocumentError) as caught:
        glob_to_regex(glob)
    assert says in str(caught.value)
    assert f"`{glob}`" in str(caught.value)


@pytest.mark.parametrize(
    ("glob", "needle"), [("docs/guide/", "docs/guide/"), ("*.sql", ".sql"), ("src/**/gen_*.py", "/gen_")]
)
def test_needles_see_through_the_translation(glob: str, needle: str) -> None:
    assert analyse(glob_to_regex(glob)).needle == needle


NAMES = ["a", "b", "ab", "src", "x.py", ".a", "A", "a b", "!a", "#a", "a]", "a-b", "a^", "a\\b", "a*", "[a]", "0"]
GLOB_PARTS = [
    "a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "[^a]", "src", "x", ".py", "*.py", "/", "/", "/", r"\a", r"\!", "[a-b]", "[]a]", "[!]a]",
    "-", ".", "A", "[[:alpha:]]", "[[:digit:]b]", r"[a\]]", r"[\a]", "[a-]", r"\*", "***", " ", "[!-a]", "!", "#", "[a^]", "[a!]", "[b-a]",
    "\\\\", "[[]", "[a&&b]", "[.-0]", "[a--b]", "[a||b]",
]  # fmt: skip


@pytest.fixture(scope="module")
def ignoring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignoring")
    run_git(root, b"", "init", "-q")
    return root


def run_git(root: Path, stdin: bytes, *arguments: str) -> bytes:
    result = subprocess.run(["git", *arguments], cwd=root, input=stdin, capture_output=True, check=False)
    assert result.returncode in (0, 1), result.stderr
    return result.stdout


def ask_git(root: Path, glob: str, paths: list[str]) -> set[str]:
    """The paths that git ignores by this one line."""
    (root / ".gitignore").write_text(f"{glob}\n", encoding="utf-8", newline="")
    output = run_git(
        root, b"".join(path.encode() + b"\0" for path in paths), "check-ignore", "--no-index", "--stdin", "-z"
    )
    return {path.decode() for path in output.split(b"\0") if path}


def test_generated_globs_agree_with_git(ignoring: Path) -> None:
    dice = random.Random(9)
    paths = sorted({"/".join(dice.choices(NAMES, k=dice.randrange(1, 5))) for _ in range(300)})
    compared = 0
    while compared < 250:
        glob = "".join(dice.choices(GLOB_PARTS, k=dice.randrange(1, 6)))
        # Trailing blanks are cut off a cell before they get here.
        if glob[0] in "!#" or glob != glob.strip() or glob == "/":
            continue
        pattern = regex.compile(glob_to_regex(glob))
        assert {path for path in paths if pattern.search(path)} == ask_git(ignoring, glob, paths), glob
        compared += 1


PLAIN_PIECES = ["*", "**", "?", "/", "a", "b", ".py", "src", "é", "{x}", "+", "(", "***", "a*b", "-", "~", "#", " "]


def test_a_plain_glob_is_what_pathspec_makes_of_it() -> None:
    chance = random.Random(11)
    globs = {"".join(chance.choices(PLAIN_PIECES, k=chance.randrange(1, 8))) for _ in range(6000)}
    globs |= {"**", "**/", "/**", "*", "*/", "/*", "/*/", "**/*", "**/*/", "a/**", "a/**/", "/a", "a/", "**/**"}
    plain = 0
    for glob in globs:
        parts = parts_of(glob)
        if parts is not None:
            plain += 1
            assert "(?s)" + plain_to_regex(parts) == _translated(glob), glob
    assert plain > 2000


def test_a_plain_glob_is_decided_as_the_engine_decides_it() -> None:
    chance = random.Random(12)
    names = ["a", "b", "src", "a.py", "é", "ab", "axb", "{x}", "x\ny", "-", ".py", "a#"]
    globs = {"".join(chance.choices(PLAIN_PIECES, k=chance.randrange(1, 8))) for _ in range(1500)}
    checked = matched = 0
    for glob in globs | {"src/**/*.py", "**/a/**/b", "*.py", "src/", "a/**/**/b/*", "**", "*/"}:
        parts = parts_of(glob)
        if parts is None:
            continue
        compiled = regex.compile(_translated(glob))
        for _ in range(40):
            path = "/".join(chance.choices(names, k=chance.randrange(1, 6)))
            wanted = compiled.search(path) is not None
            assert plain_takes(parts, path) == wanted, (glob, path)
            checked, matched = checked + 1, matched + wanted
    assert checked > 10_000
    assert matched > 1_000


def test_many_stars_take_no_time() -> None:
    parts = parts_of("**/".join(["a*a*a*/"] * 30) + "b")
    assert parts is not None
    assert not plain_takes(parts, "/".join(["a" * 60] * 60))

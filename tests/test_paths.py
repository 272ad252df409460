"""Paths of touches: absolute by their text, and the names by which a repository sees them."""

import os
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.triggers.paths import absolute, names_in

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links and odd names need POSIX")
COMPOSED = normalize("NFC", "código/né.py")
DECOMPOSED = normalize("NFD", "código/né.py")


@pytest.mark.parametrize(
    ("text", "cwd", "expected"),
    [
        pytest.param("/w/repo/src/a.py", "/x", "/w/repo/src/a.py", id="absolute"),
        pytest.param("src/a.py", "/w/repo", "/w/repo/src/a.py", id="relative"),
        pytest.param("../a.py", "/w/repo/src/deep", "/w/repo/src/a.py", id="parent"),
        pytest.param("./a.py", "/w/repo/", "/w/repo/a.py", id="dot and a trailing slash"),
        pytest.param("/w/./repo//src/../a.py", "", "/w/repo/a.py", id="dots and doubled slashes"),
        pytest.param("/w/repo/", "", "/w/repo", id="trailing slash"),
        pytest.param("../../../..", "/w/repo", "/", id="above the root"),
        pytest.param("/", "", "/", id="root of the disk"),
        pytest.param("//w", "", "/w", id="two slashes in front"),
        pytest.param(".", "/w/repo", "/w/repo", id="the folder itself"),
        pytest.param("/w/.env", "", "/w/.env", id="name with a dot in front"),
        pytest.param("..a", "/w", "/w/..a", id="name with two dots in front"),
        pytest.param("~/a.py", "/w", "/w/~/a.py", id="tilde is a name"),
        pytest.param("a\n b'\"$(x).py", "/w", "/w/a\n b'\"$(x).py", id="any letter"),
        pytest.param("\ud83d.py", "/w", "/w/\ud83d.py", id="half a surrogate pair"),
        pytest.param("src\\a.py", "/w", "/w/src/a.py", id="backslash as a separator"),
        pytest.param("/w\\src\\a.py", "", "/w/src/a.py", id="mixed separators"),
        pytest.param("C:\\temp\\new\\a.py", "/w/repo", "C:/temp/new/a.py", id="drive letter"),
        pytest.param("c:/Work/../a.py", "/w/repo", "C:/a.py", id="small drive letter"),
        pytest.param("src\\a.py", "c:\\work\\repo", "C:/work/repo/src/a.py", id="relative to a drive"),
        pytest.param("\\work\\a.py", "D:\\x", "D:/work/a.py", id="root of the drive one is on"),
        pytest.param("/c/work/a.py", "C:\\work", "C:/work/a.py", id="drive as the shells of Windows spell it"),
        pytest.param("/c/work/a.py", "/w", "/c/work/a.py", id="folder of one letter"),
        pytest.param("\\\\?\\C:\\work\\a.py", "", "C:/work/a.py", id="long form of Windows"),
        pytest.param("file:///w/a%20b/%C3%A9.py", "/x", "/w/a b/é.py", id="address"),
        pytest.param("file://localhost/w/50%.py", "/x", "/w/50%.py", id="address with a machine, and a percent sign"),
        pytest.param("file:///c%3A/work/a.py", "/x", "C:/work/a.py", id="address with a drive letter"),
        pytest.param("src/a.py", "file:///w/repo", None, id="relative to an address"),
        pytest.param("a:b", "/w", "/w/a:b", id="colon in a name"),
        pytest.param("", "/w", None, id="empty"),
        pytest.param("a\0b", "/w", None, id="NUL"),
        pytest.param("a/" * 2049, "/w", None, id="longer than any path"),
        pytest.param("a.py", "", None, id="relative to nothing"),
        pytest.param("a.py", "w/repo", None, id="relative to a relative folder"),
    ],
)
def test_absolute(text: str, cwd: str, expected: str | None) -> None:
    assert absolute(text, cwd) == expected


@posix_only
def test_a_file_that_has_a_backslash_in_its_name_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "a\\b.py").touch()
    assert absolute("a\\b.py", str(tmp_path)) == f"{tmp_path}/a\\b.py"
    assert absolute("c\\b.py", str(tmp_path)) == f"{tmp_path}/c/b.py"


@settings(max_examples=200)
@given(st.text(alphabet="ab./\\:~é\0\ud83d\n", max_size=30), st.sampled_from(["/w/repo", "C:\\w", "", "/", "x"]))
def test_absolute_is_tidy_whatever_the_text(text: str, cwd: str) -> None:
    path = absolute(text, cwd)
    if path is not None:
        assert path.startswith(("/", "A:/", "B:/", "C:/"))
        assert not {"", ".", ".."} & set(path.rstrip("/").split("/")[1:])
        assert absolute(path, cwd) == path or "\\" in path or cwd.startswith("C:")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/w/repo/src/a.py", ("src/a.py",), id="inside"),
        pytest.param("/w/repo", (), id="the root itself"),
        pytest.param("/w/repo-old/src/a.py", (), id="sibling with the same beginning"),
        pytest.param("/w/repo2/a.py", (), id="sibling with a longer name"),
        pytest.param("/w/a.py", (), id="above"),
        pytest.param("/", (), id="root of the disk"),
        pytest.param("C:/w/repo/a.py", (), id="on a drive"),
        pytest.param("/w/repo/\ud83d.py", ("\ud83d.py",), id="half a surrogate pair"),
        pytest.param("/w/repo/a\n|b.py", ("a\n|b.py",), id="any letter"),
        pytest.param("/w/repo/" + DECOMPOSED, (COMPOSED,), id="letters with marks of their own"),
    ],
)
def test_names_where_nothing_exists(path: str, expected: tuple[str, ...]) -> None:
    assert names_in(path, "/w/repo") == expected
    assert names_in(path, "/w/repo/") == expected


def test_drive_letters_are_of_one_case() -> None:
    assert names_in("C:/work/repo/src/a.py", "c:\\work\\repo") == ("src/a.py",)
    assert names_in("D:/work/repo/src/a.py", "c:\\work\\repo") == ()


def test_root_and_path_may_compose_their_letters_differently(tmp_path: Path) -> None:
    for root, path in ((COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)):
        assert names_in(f"{tmp_path}/{path}/{path}", f"{tmp_path}/{root}") == (COMPOSED,)


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "repo/src").mkdir(parents=True)
    (tmp_path / "repo/src/a.py").touch()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/o.py").touch()
    return os.path.realpath(tmp_path / "repo")


@posix_only
@pytest.mark.parametrize(
    ("link", "target", "name", "expected"),
    [
        pytest.param("link.py", "src/a.py", "link.py", ("link.py", "src/a.py"), id="linked file"),
        pytest.param("linked", "src", "linked/a.py", ("linked/a.py", "src/a.py"), id="linked folder"),
        pytest.param(
            "linked", "src", "linked/new.py", ("linked/new.py", "src/new.py"), id="new file in a linked folder"
        ),
        pytest.param("src/up", "..", "src/up/src/a.py", ("src/up/src/a.py", "src/a.py"), id="link to a parent"),
        pytest.param(
            "link.py", "src/gone.py", "link.py", ("link.py", "src/gone.py"), id="link to a file that is not there"
        ),
        pytest.param("far.py", "../out/o.py", "far.py", ("far.py",), id="link that leaves the repository"),
        pytest.param("far", "../out", "far/o.py", ("far/o.py",), id="folder that leaves the repository"),
        pytest.param("top", ".", "top/src/a.py", ("top/src/a.py", "src/a.py"), id="link to the root"),
        pytest.param("loop", "loop", "loop/a.py", ("loop/a.py",), id="link to itself"),
        pytest.param("one", "src/../one", "one", ("one",), id="link that goes in circles"),
        pytest.param("né", "src", normalize("NFD", "né") + "/a.py", ("né/a.py", "src/a.py"), id="name in another form"),
    ],
)
def test_names_through_links(root: str, link: str, target: str, name: str, expected: tuple[str, ...]) -> None:
    os.symlink(target, f"{root}/{link}")
    assert names_in(f"{root}/{name}", root) == expected


@posix_only
def test_an_absolute_link_and_a_chain_of_links(root: str) -> None:
    os.symlink(f"{root}/src", f"{root}/one")
    os.symlink("one", f"{root}/two")
    assert names_in(f"{root}/two/a.py", root) == ("two/a.py", "src/a.py")


@posix_only
def test_a_root_that_is_reached_through_a_link(root: str, tmp_path: Path) -> None:
    os.symlink(root, tmp_path / "door")
    os.symlink("src", f"{root}/linked")
    door = f"{tmp_path}/door"
    assert names_in(f"{door}/src/a.py", root) == ("src/a.py",)
    assert names_in(f"{root}/src/a.py", door) == ("src/a.py",)
    assert names_in(f"{door}/src/a.py", door) == ("src/a.py",)
    assert names_in(f"{door}/linked/a.py", root) == ("linked/a.py", "src/a.py")
    assert names_in(f"{root}/linked/a.py", door) == ("linked/a.py", "src/a.py")
    assert names_in(f"{door}/new/b.py", root) == ("new/b.py",)
    assert names_in(door, root) == ()


@posix_only
def test_a_link_from_elsewhere_into_the_repository(root: str, tmp_path: Path) -> None:
    os.symlink(f"{root}/src/a.py", tmp_path / "out/into.py")
    assert names_in(f"{tmp_path}/out/into.py", root) == ("src/a.py",)
    assert names_in(f"{tmp_path}/out/o.py", root) == ()


@posix_only
def test_a_hundred_links_in_a_row_end(root: str) -> None:
    for number in range(100):
        os.symlink(f"l{number + 1}", f"{root}/l{number}")
    assert names_in(f"{root}/l0/a.py", root) == ("l0/a.py",)


@posix_only
def test_a_path_below_a_file_or_of_endless_length_is_a_name(root: str) -> None:
    assert names_in(f"{root}/src/a.py/b", root) == ("src/a.py/b",)
    assert names_in(f"{root}/{'x' * 5000}", root) == ("x" * 5000,)

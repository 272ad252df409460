"""Files with conflict markers, as git writes them, taken apart."""

import subprocess

import pytest
from builders import Repo

from gatilho.errors import DocumentError
from gatilho.merge import markers
from gatilho.merge.text import Style, merge_text

MERGE = b"top\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\nend\n"
DIFF3 = b"top\n<<<<<<< HEAD\na\n||||||| 1234567\no\n=======\nb\n>>>>>>> topic\nend\n"


def test_merge_style_does_not_tell_the_base() -> None:
    sides = markers.split_sides(MERGE)
    assert (sides.ours, sides.theirs) == (b"top\na\nend\n", b"top\nb\nend\n")
    assert not sides.knows_base
    assert sides.base.startswith(b"top\n")
    assert sides.base not in (sides.ours, sides.theirs)
    assert sides.hunks[0].labels == ("HEAD", "base", "topic")
    assert sides.hunks[0].line == 2


def test_diff3_style_tells_the_base() -> None:
    sides = markers.split_sides(DIFF3)
    assert (sides.ours, sides.base, sides.theirs) == (b"top\na\nend\n", b"top\no\nend\n", b"top\nb\nend\n")
    assert sides.knows_base
    assert sides.hunks[0].labels == ("HEAD", "1234567", "topic")


def test_several_conflicts_and_empty_sides() -> None:
    data = DIFF3 + b"<<<<<<< HEAD\n||||||| o\nx\n=======\ny\n>>>>>>> topic\n" + MERGE
    sides = markers.split_sides(data)
    assert [hunk.line for hunk in sides.hunks] == [2, 10, 17]
    assert sides.hunks[1].ours == b""
    assert sides.ours == b"top\na\nend\n" + b"top\na\nend\n"
    assert markers.without_conflicts(data) == b"top\nend\ntop\nend\n"


@pytest.mark.parametrize("data", [MERGE, DIFF3])
def test_windows_line_endings(data: bytes) -> None:
    crlf = markers.split_sides(data.replace(b"\n", b"\r\n"))
    plain = markers.split_sides(data)
    assert (crlf.ours, crlf.theirs) == (plain.ours.replace(b"\n", b"\r\n"), plain.theirs.replace(b"\n", b"\r\n"))
    assert crlf.base.count(b"\n") == crlf.base.count(b"\r\n")


def test_a_base_that_is_a_conflict_itself_is_not_known() -> None:
    data = (
        b"<<<<<<< HEAD\na\n||||||| merged common ancestors\n<<<<<<<<< Temporary merge branch 1\np\n||||||||| o\nq\n"
        b"=========\nr\n>>>>>>>>> Temporary merge branch 2\n=======\nb\n>>>>>>> topic\n"
    )
    sides = markers.split_sides(data)
    assert (sides.ours, sides.theirs, sides.hunks[0].base) == (b"a\n", b"b\n", None)
    assert len(sides.hunks) == 1


def test_a_conflict_within_a_side_stays_in_it() -> None:
    inner = b"<<<<<<< old\np\n=======\nq\n>>>>>>> older\n"
    sides = markers.split_sides(b"<<<<<<< HEAD\n" + inner + b"=======\nb\n>>>>>>> topic\n")
    assert (sides.ours, sides.theirs) == (inner, b"b\n")
    assert markers.has_markers(sides.ours)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a heading\n=======\n", id="a heading"),
        pytest.param(b"    <<<<<<< indented\n", id="indented"),
        pytest.param(b"<<<<<<<x\n", id="no blank behind it"),
        pytest.param(b"<<<<<< six\n", id="too short"),
        pytest.param(b"======= text\n", id="equal signs with text"),
    ],
)
def test_what_is_no_marker_is_text(data: bytes) -> None:
    sides = markers.split_sides(data)
    assert not markers.has_markers(data)
    assert (sides.ours, sides.theirs, sides.base, sides.hunks) == (data, data, data, [])


def test_equal_signs_in_the_last_section_are_text() -> None:
    sides = markers.split_sides(b"<<<<<<< HEAD\na\n=======\nTitle\n=======\n>>>>>>> topic\n")
    assert sides.theirs == b"Title\n=======\n"


@pytest.mark.parametrize(
    "data", [b"x\n<<<<<<< HEAD\na\n", b"x\n<<<<<<< HEAD\na\n=======\nb\n", b"x\n<<<<<<< a\n>>>>>>> b\n"]
)
def test_a_conflict_without_an_end_is_said(data: bytes) -> None:
    with pytest.raises(DocumentError, match="begins in line 2 has no end"):
        markers.split_sides(data)
    assert markers.has_markers(data)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
@pytest.mark.parametrize("size", [7, 9])
def test_what_git_writes_is_read_back(style: str, size: int) -> None:
    base = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    ours, theirs = base.replace(b"2", b"two").replace(b"9", b"nine"), base.replace(b"2", b"zwei").replace(b"9", b"neun")
    data, conflicts = merge_text(base, ours, theirs, Style(style, size))
    sides = markers.split_sides(data)
    assert conflicts == len(sides.hunks) == 2
    assert (sides.ours, sides.theirs) == (ours, theirs)
    if style != "merge":
        assert sides.base == base


def test_an_index_entry_of_a_real_merge(repo: Repo) -> None:
    for name, text in (("main", "ours\n"), ("topic", "theirs\n")):
        if name == "topic":
            repo.git("switch", "--quiet", "--create", "topic", "HEAD~1")
        repo.write("a.md", text)
        repo.commit(name)
    done = subprocess.run(["git", "merge", "main"], cwd=repo.root, capture_output=True)
    assert done.returncode == 1
    sides = markers.split_sides(repo.read_bytes("a.md"))
    assert (sides.ours, sides.theirs) == (b"theirs\n", b"ours\n")
    assert sides.hunks[0].labels == ("HEAD", "base", "main")

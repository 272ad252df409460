"""What a write will leave: whole files, edits and patches as the hosts hand them over, on real directories."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.conditions.envelope import apply_hunks, read_patch
from gatilho.conditions.file_conditions import Tree, evaluate_all
from gatilho.conditions.outcome import overlay_of
from gatilho.document.condition_grammar import parse_conditions
from gatilho.triggers.patterns import Budget

BEFORE = b"one\ntwo\nthree\ntwo and a half\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "repo"
    directory.mkdir()
    (directory / "a.py").write_bytes(BEFORE)
    return directory


def outcome(root: Path, tool: str, tool_input: object, cwd: Path | None = None) -> dict[str, bytes | None] | None:
    return overlay_of(tool, tool_input, str(cwd or root), str(root))


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


ONE_EDIT = {"old_string": "one\n", "new_string": "1\n"}
AFTER_ONE_EDIT = BEFORE.replace(b"one\n", b"1\n")

SHOWN = [
    pytest.param("Write", {"file_path": "a.py", "content": "new"}, b"new", id="a whole file"),
    pytest.param("Write", {"path": "a.py", "file_text": "new"}, b"new", id="a whole file with other argument names"),
    pytest.param("write_file", {"file_path": "./a.py", "content": "é"}, "é".encode(), id="a relative path with a dot"),
    pytest.param("create", {"path": "a.py", "file_text": ""}, b"", id="an empty file"),
    pytest.param("mcp__files__write_file", {"path": "a.py", "content": "new"}, b"new", id="a server's tool"),
    pytest.param("Edit", {"file_path": "a.py", **ONE_EDIT}, AFTER_ONE_EDIT, id="an edit"),
    pytest.param("replace", {"file_path": "a.py", "instruction": "x", **ONE_EDIT}, AFTER_ONE_EDIT, id="a replace"),
    pytest.param("edit", {"path": "a.py", "old_str": "one\n", "new_str": "1\n"}, AFTER_ONE_EDIT, id="old_str, new_str"),
    pytest.param(
        "replace_string_in_file", {"filePath": "a.py", "oldString": "one\n", "newString": "1\n"}, AFTER_ONE_EDIT,
        id="an edit with capitals in its names",
    ),
    pytest.param(
        "str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "one", "new_str": "1"},
        AFTER_ONE_EDIT, id="an editor's command",
    ),
    pytest.param(
        "Edit", {"file_path": "a.py", "old_string": "two", "new_string": "2", "replace_all": True},
        b"one\n2\nthree\n2 and a half\n", id="all places",
    ),
    pytest.param(
        "replace", {"file_path": "a.py", "old_string": "two", "new_string": "2", "allow_multiple": True},
        b"one\n2\nthree\n2 and a half\n", id="all places by another name",
    ),
    pytest.param("Edit", {"file_path": "a.py", "old_string": "one\n", "new_string": ""}, BEFORE[4:], id="a deletion"),
    pytest.param(
        "MultiEdit",
        {"file_path": "a.py", "edits": [ONE_EDIT, {"old_string": "1\ntwo\n", "new_string": "1 2\n"}]},
        b"1 2\nthree\ntwo and a half\n", id="edits see the ones before them",
    ),
    pytest.param("apply_patch", {"command": patch("*** Add File: a.py", "+x", "+", "+y")}, b"x\n\ny\n", id="an added file"),
    pytest.param(
        "apply_patch", {"command": patch("*** Update File: a.py", "@@", " one", "-two", "+2", " three")},
        b"one\n2\nthree\ntwo and a half\n", id="a patch",
    ),
    pytest.param(
        "apply_patch", patch("*** Update File: a.py", "@@", "-one", "+1"), AFTER_ONE_EDIT, id="a patch as a bare string"
    ),
    pytest.param("Edit", patch("*** Update File: a.py", "-one", "+1"), AFTER_ONE_EDIT, id="a patch under another name"),
    pytest.param(
        "apply_patch", {"input": patch("*** Update File: a.py", "@@", "-one", "+1")}, AFTER_ONE_EDIT, id="a patch as input"
    ),
    pytest.param(
        "Bash", {"command": "apply_patch <<'EOF'\n" + patch("*** Update File: a.py", "-one", "+1") + "EOF"},
        AFTER_ONE_EDIT, id="a patch in a here-document",
    ),
    pytest.param(
        "Bash", {"command": "apply_patch <<EOF\n" + patch("*** Update File: a.py", "-one", "+1") + "EOF\n"},
        AFTER_ONE_EDIT, id="a here-document without quotes",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "tool_input", "left"), SHOWN)
def test_a_call_that_shows_what_it_leaves(root: Path, tool: str, tool_input: object, left: bytes) -> None:
    assert outcome(root, tool, tool_input) == {"a.py": left}
    assert (root / "a.py").read_bytes() == BEFORE


NOT_SHOWN = [
    pytest.param("Read", {"file_path": "a.py"}, id="a read"),
    pytest.param("Bash", {"command": "sed -i s/one/1/ a.py"}, id="a shell command"),
    pytest.param("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "x"}, id="a notebook"),
    pytest.param("Write", {"content": "x"}, id="no path"),
    pytest.param("Write", {"file_path": "a.py"}, id="no content"),
    pytest.param("Write", {"file_path": "a.py", "content": 5}, id="content that is no text"),
    pytest.param("Write", {"file_path": "a\0.py", "content": "x"}, id="a path that cannot be"),
    pytest.param("Edit", {"file_path": "a\ud800.py", **ONE_EDIT}, id="half a character in a path"),
    pytest.param("Write", "x", id="a bare string that is no patch"),
    pytest.param("Write", None, id="nothing"),
    pytest.param("write_file", {"path": "a.py", "content": "x", "mode": "append"}, id="an appending write"),
    pytest.param("Edit", {"file_path": "a.py", "old_string": "four", "new_string": "4"}, id="text that is not there"),
    pytest.param("Edit", {"file_path": "a.py", "old_string": "two", "new_string": "2"}, id="text that is there twice"),
    pytest.param("Edit", {"file_path": "a.py", "old_string": "one", "new_string": "one"}, id="no change"),
    pytest.param("Edit", {"file_path": "a.py", "old_string": "", "new_string": "x"}, id="nothing to replace"),
    pytest.param("Edit", {"file_path": "b.py", **ONE_EDIT}, id="an edit of a file that is not there"),
    pytest.param("MultiEdit", {"file_path": "a.py", "edits": []}, id="no edits"),
    pytest.param("MultiEdit", {"file_path": "a.py", "edits": [ONE_EDIT, ONE_EDIT]}, id="an edit that does not fit"),
    pytest.param("MultiEdit", {"file_path": "a.py", "edits": ["x"]}, id="an edit that is none"),
    pytest.param("apply_patch", {"command": "x"}, id="no envelope"),
    pytest.param("apply_patch", "*** Begin Patch\n*** Add File: x\n+x\n", id="an envelope without an end"),
    pytest.param("apply_patch", patch(), id="an empty envelope"),
    pytest.param("apply_patch", patch("*** Update File: a.py"), id="an update that changes nothing"),
    pytest.param("apply_patch", patch("*** Add File: b.py", "x"), id="an added line without a plus"),
    pytest.param("apply_patch", patch("*** Update File: a.py", "@@", "-four", "+4"), id="a line that is not there"),
    pytest.param("apply_patch", patch("*** Update File: b.py", "@@", "-one", "+1"), id="a file that is not there"),
    pytest.param("apply_patch", patch("*** Update File: a.py", "@@ four", "-one", "+1"), id="an unknown anchor"),
    pytest.param("apply_patch", patch("*** Update File: a.py", "@@ two", "-one", "+1"), id="a line before its anchor"),
    pytest.param("apply_patch", patch("*** Delete File: b.py"), id="a removal of nothing"),
    pytest.param(
        "Bash", {"command": "apply_patch <<EOF\n" + patch("*** Add File: b", "+$HOME") + "EOF"}, id="a text to expand"
    ),
    pytest.param(
        "Bash",
        {"command": "apply_patch <<'EOF'\n" + patch("*** Add File: b", "+x") + "EOF\nrm a.py"},
        id="a second command",
    ),
]


@pytest.mark.parametrize(("tool", "tool_input"), NOT_SHOWN)
def test_a_call_that_does_not_show_it_or_would_fail(root: Path, tool: str, tool_input: object) -> None:
    assert outcome(root, tool, tool_input) is None


class TestLineEndings:
    """The bytes of a file are kept, and a CRLF file stays one."""

    def test_a_crlf_file_edited_with_plain_endings(self, root: Path) -> None:
        (root / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
        edit = {"file_path": "a.py", "old_string": "one\ntwo\n", "new_string": "1\n2\n"}
        assert outcome(root, "Edit", edit) == {"a.py": b"1\r\n2\r\nthree\r\n"}

    def test_a_crlf_file_edited_as_it_is(self, root: Path) -> None:
        (root / "a.py").write_bytes(b"one\r\ntwo\r\nthree\n")
        edit = {"file_path": "a.py", "old_string": "one\r\ntwo", "new_string": "1\n2"}
        assert outcome(root, "Edit", edit) == {"a.py": b"1\n2\r\nthree\n"}

    def test_a_patched_crlf_file(self, root: Path) -> None:
        (root / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
        text = patch("*** Update File: a.py", "@@", " one", "-two", "+2", " three")
        assert outcome(root, "apply_patch", text) == {"a.py": b"one\r\n2\r\nthree\r\n"}

    def test_bytes_that_are_no_text(self, root: Path) -> None:
        (root / "a.py").write_bytes(b"\xef\xbb\xbfcaf\xe9\none\n\x0c\n")
        assert outcome(root, "Edit", {"file_path": "a.py", **ONE_EDIT}) == {"a.py": b"\xef\xbb\xbfcaf\xe9\n1\n\x0c\n"}
        text = patch("*** Update File: a.py", "@@", "-one", "+1")
        assert outcome(root, "apply_patch", text) == {"a.py": b"\xef\xbb\xbfcaf\xe9\n1\n\x0c\n"}


class TestHunks:
    """Where the hunks of a patch apply."""

    @pytest.mark.parametrize(
        ("data", "lines", "left"),
        [
            pytest.param(b"a\nb\n", ["@@", "+c"], b"a\nb\nc\n", id="lines without a place go to the end"),
            pytest.param(b"a\nb\n", ["@@ a", "+c"], b"a\nc\nb\n", id="lines behind their anchor"),
            pytest.param(
                b"class A:\n    x = 1\nclass B:\n    x = 1\n", ["@@ class B:", "-    x = 1", "+    x = 2"],
                b"class A:\n    x = 1\nclass B:\n    x = 2\n", id="the first place behind an anchor",
            ),
            pytest.param(
                b"class A:\n  def f:\n    x\nclass B:\n  def f:\n    x\n", ["@@ class B:", "@@ def f:", "-    x", "+    y"],
                b"class A:\n  def f:\n    x\nclass B:\n  def f:\n    y\n", id="an anchor behind an anchor",
            ),
            pytest.param(b"x\ny\nx\n", ["@@", "-x", "+z"], None, id="two places and no anchor"),
            pytest.param(
                b"x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], b"x\ny\nz\n", id="the place at the end of the file"
            ),
            pytest.param(b"x\ny\n", ["@@", "-x", "+z", "*** End of File"], None, id="a place that is not the end"),
            pytest.param(
                b"x\ny\nx\n", ["@@", " y", "-x", "+z"], b"x\ny\nz\n", id="a context that leaves one place"
            ),
            pytest.param(
                b"a\nx\nb\nx\n", ["@@", " a", "-x", "+1", "@@", "-x", "+2"], b"a\n1\nb\n2\n", id="hunks in their order"
            ),
            pytest.param(b"b\na\n", ["@@", "-a", "+1", "@@", "-b", "+2"], None, id="hunks out of order"),
            pytest.param(b"a  \nb\n", ["@@", "-a", "+c"], b"c\nb\n", id="trailing blanks do not count"),
            pytest.param(b"a\n\nb\n", ["@@", " a", "", "-b", "+c"], b"a\n\nc\n", id="an empty line of context"),
            pytest.param(b"a\nb", ["@@", "-b", "+c"], b"a\nc\n", id="a file without a final newline gets one"),
            pytest.param(b"a\n", ["@@", "-a"], b"", id="the last line goes"),
            pytest.param(b"", ["@@", "+a"], b"a\n", id="an empty file"),
        ],
    )  # fmt: skip
    def test_a_hunk_applies_where_there_is_no_doubt(self, data: bytes, lines: list[str], left: bytes | None) -> None:
        changes = read_patch(patch("*** Update File: f", *lines))
        assert changes is not None
        assert apply_hunks(data, changes[0].hunks) == left

    @settings(max_examples=150)
    @given(st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=12), st.data())
    def test_a_hunk_with_the_whole_file_as_context_is_exact(self, lines: list[str], data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(lines)))
        body = [f" {line}" for line in lines]
        body.insert(at, "+new")
        changes = read_patch(patch("*** Update File: f", "@@", *body))
        assert changes is not None
        expected = [*lines[:at], "new", *lines[at:]]
        before = "".join(f"{line}\n" for line in lines).encode()
        assert apply_hunks(before, changes[0].hunks) == "".join(f"{line}\n" for line in expected).encode()


class TestPlaces:
    """Which file of which repository a call is about."""

    def test_an_absolute_path_and_a_working_directory_below(self, root: Path) -> None:
        (root / "src").mkdir()
        call = {"file_path": str(root / "a.py"), "content": "x"}
        assert outcome(root, "Write", call, cwd=root / "src") == {"a.py": b"x"}
        assert outcome(root, "Write", {"file_path": "../b.py", "content": "x"}, cwd=root / "src") == {"b.py": b"x"}

    def test_a_new_file_in_a_new_directory(self, root: Path) -> None:
        assert outcome(root, "Write", {"file_path": "new/deep/b.py", "content": "x"}) == {"new/deep/b.py": b"x"}
        edit = {"file_path": "new/b.py", "old_string": "", "new_string": "x"}
        assert outcome(root, "Edit", edit) == {"new/b.py": b"x"}

    def test_a_write_through_a_link(self, root: Path) -> None:
        (root / "link.py").symlink_to("a.py")
        (root / "later.py").symlink_to("made.py")
        assert outcome(root, "Edit", {"file_path": "link.py", **ONE_EDIT}) == {"a.py": AFTER_ONE_EDIT}
        assert outcome(root, "Write", {"file_path": "later.py", "content": "x"}) == {"made.py": b"x"}

    def test_a_removed_link_leaves_its_target(self, root: Path) -> None:
        (root / "link.py").symlink_to("a.py")
        assert outcome(root, "apply_patch", patch("*** Delete File: link.py")) == {"link.py": None}

    def test_a_working_directory_behind_a_link(self, root: Path) -> None:
        alias = root.parent / "alias"
        alias.symlink_to(root)
        assert outcome(root, "Write", {"file_path": "a.py", "content": "x"}, cwd=alias) == {"a.py": b"x"}
        assert outcome(alias, "Write", {"file_path": str(root / "a.py"), "content": "x"}) == {"a.py": b"x"}

    def test_a_table_of_the_store_is_shown(self, root: Path) -> None:
        (root / "docs/gatilhos").mkdir(parents=True)
        (root / "docs/gatilhos/a.md").write_bytes(BEFORE)
        edit = {"file_path": "docs/gatilhos/a.md", **ONE_EDIT}
        assert outcome(root, "Edit", edit) == {"docs/gatilhos/a.md": AFTER_ONE_EDIT}
        assert Tree(str(root), outcome(root, "Edit", edit)).locate("docs/gatilhos/a.md").is_hidden

    def test_files_of_other_repositories_and_of_git_are_left_out(self, root: Path) -> None:
        (root.parent / "other.py").write_bytes(BEFORE)
        assert outcome(root, "Write", {"file_path": "../other.py", "content": "x"}) == {}
        assert outcome(root, "Edit", {"file_path": "../other.py", **ONE_EDIT}) == {}
        assert outcome(root, "Write", {"file_path": ".git/config", "content": "x"}) == {}
        text = patch("*** Update File: ../other.py", "-one", "+1", "*** Update File: a.py", "-one", "+1")
        assert outcome(root, "apply_patch", text) == {"a.py": AFTER_ONE_EDIT}

    def test_a_directory_cannot_be_written(self, root: Path) -> None:
        (root / "src").mkdir()
        assert outcome(root, "Write", {"file_path": "src", "content": "x"}) is None
        assert outcome(root, "Edit", {"file_path": "src", **ONE_EDIT}) is None

    def test_several_files_of_one_patch(self, root: Path) -> None:
        (root / "old.py").write_bytes(b"x\n")
        text = patch(
            "*** Add File: new.md", "+Hello.",
            "*** Update File: a.py", "*** Move to: src/b.py", "@@", "-one", "+1",
            "*** Delete File: old.py",
        )  # fmt: skip
        left = {"new.md": b"Hello.\n", "a.py": None, "src/b.py": AFTER_ONE_EDIT, "old.py": None}
        assert outcome(root, "apply_patch", {"command": text}) == left

    def test_a_move_alone(self, root: Path) -> None:
        text = patch("*** Update File: a.py", "*** Move to: b.py")
        assert outcome(root, "apply_patch", text) == {"a.py": None, "b.py": BEFORE}

    def test_a_removal(self, root: Path) -> None:
        assert outcome(root, "Delete", {"file_path": "a.py"}) == {"a.py": None}
        assert outcome(root, "Delete", {"file_path": "b.py"}) is None

    def test_edits_of_several_files(self, root: Path) -> None:
        (root / "b.py").write_bytes(BEFORE)
        edits = [{"filePath": name, "oldString": "one", "newString": "1"} for name in ("a.py", "b.py")]
        call = {"explanation": "x", "replacements": edits}
        left = {"a.py": AFTER_ONE_EDIT, "b.py": AFTER_ONE_EDIT}
        assert outcome(root, "multi_replace_string_in_file", call) == left

    def test_an_edit_that_grows_without_bound(self, root: Path) -> None:
        (root / "a.py").write_bytes(b"x" * 100_000)
        edit = {"file_path": "a.py", "old_string": "x", "new_string": "y" * 100_000, "replace_all": True}
        assert outcome(root, "Edit", edit) is None


_NAMES = st.sampled_from(
    ["file_path", "path", "content", "old_string", "new_string", "edits", "command", "replace_all"]
)
_LINES = st.sampled_from(
    ["*** Begin Patch", "*** Update File: a.py", "*** Add File: b", "*** Move to: c", "*** Delete File: a.py", "@@", "@@ one",
     " one", "-two", "+x", "", "*** End of File", "*** End Patch", "a.py", ".", "..", "/", "\ud800", "one\n", "two"]
)  # fmt: skip
_TEXTS = st.one_of(_LINES, st.lists(_LINES, max_size=8).map("\n".join))
_INPUTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=6)),
    max_leaves=12,
)


@settings(max_examples=200)
@given(st.sampled_from(["Write", "Edit", "MultiEdit", "apply_patch", "Bash", "Delete", "x"]), _INPUTS)
def test_no_input_is_a_fault(tmp_path_factory: pytest.TempPathFactory, tool: str, tool_input: object) -> None:
    directory = tmp_path_factory.getbasetemp() / "any-input"
    directory.mkdir(exist_ok=True)
    (directory / "a.py").write_bytes(BEFORE)
    left = overlay_of(tool, tool_input, str(directory), str(directory))
    assert left is None or all(isinstance(data, bytes | None) for data in left.values())
    assert (directory / "a.py").read_bytes() == BEFORE


def test_an_edit_that_pays_is_known_before_it_happens(root: Path) -> None:
    (root / "test_retry.py").write_bytes(b"def test_retry():\n    sleep(30)\n")
    conditions, _ = parse_conditions([r"contains test_retry.py \bfrozen_clock\b", "lacks test_retry.py sleep\\("])
    edit = {"file_path": "test_retry.py", "old_string": "    sleep(30)", "new_string": "    frozen_clock.tick(30)"}
    overlay = outcome(root, "Edit", edit)
    assert evaluate_all(conditions, Tree(str(root), overlay), Budget(5.0)).evidence == "test_retry.py:2, test_retry.py"
    assert not evaluate_all(conditions, Tree(str(root)), Budget(5.0)).holds

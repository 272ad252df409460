"""Which file a touch names, and in which repository: spellings, links, letters, working trees."""

import os
import re
import unicodedata
from pathlib import Path

import pytest
from builders import BACKLOG, Answer, Repo, row, run_cli, run_hook
from claude_session import Session

from gatilho import outside

NOTE = "a.py is being split"
A = row("D-1", r"path: ^src/a\.py$", NOTE)


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """A repository with one debt on one file."""
    repo.write("src/a.py", "x\n")
    repo.table(A)
    return repo


def edit(repo: Repo, path: str, *, session: str = "s1", cwd: str = "", tool: str = "Edit") -> Answer:
    """After an edit of a path as the host spells it; then the turn closes."""
    client = Session(repo, session, cwd=cwd)
    answer = run_hook(client.post(tool, file_path=path, old_string="x", new_string="y"))
    run_hook(client.stop())
    return answer


def ids(answer: Answer) -> list[str]:
    """The rows that spoke, sorted."""
    return sorted(re.findall(r"\[(\S+); debt", answer.context))


@pytest.mark.parametrize(
    "spelled",
    ["{root}/src/a.py", "src/a.py", "./src//a.py", "src/../src/./a.py", "{root}/../repo/src/a.py", "src\\a.py"],
)
def test_spellings_of_one_file(repo: Repo, spelled: str) -> None:
    assert ids(edit(repo, spelled.format(root=repo.root))) == ["D-1"]
    assert repo.rides("D-1") == 1


@pytest.mark.parametrize(
    "spelled",
    ["SRC/a.py", "src/A.py", "src/a.pyc", "lib/src/a.py", "src", ".", "..", "/", "~/src/a.py", "/dev/null", "C:\\src\\a.py"],
)  # fmt: skip
def test_other_files_are_other_files(repo: Repo, spelled: str) -> None:
    assert edit(repo, spelled).answer is None
    assert repo.changed() == []


def test_a_sibling_whose_name_begins_alike_is_outside(repo: Repo, tmp_path: Path) -> None:
    repo.table(A, row("D-2", r"path: a\.py$"))
    (tmp_path / "repo-old/src").mkdir(parents=True)
    (tmp_path / "repo-old/src/a.py").touch()
    assert edit(repo, str(tmp_path / "repo-old/src/a.py")).answer is None
    assert edit(repo, f"{tmp_path}/repo2/../repo-old/src/a.py").answer is None
    assert repo.changed() == []


class TestLinks:
    def test_a_link_speaks_by_its_own_name_and_by_its_targets(self, repo: Repo) -> None:
        repo.table(A, row("D-2", "path: ^linked/"))
        os.symlink("src/a.py", repo.root / "link.py")
        os.symlink("src", repo.root / "linked")
        assert ids(edit(repo, repo.path("link.py"))) == ["D-1"]
        assert ids(edit(repo, repo.path("linked/a.py"), session="s2")) == ["D-1", "D-2"]
        assert (repo.rides("D-1"), repo.rides("D-2")) == (2, 1)

    def test_a_link_elsewhere_that_leads_into_the_repository(self, repo: Repo, tmp_path: Path) -> None:
        os.symlink(repo.root, tmp_path / "alias")
        os.symlink(repo.root / "src/a.py", tmp_path / "file.py")
        assert ids(edit(repo, f"{tmp_path}/alias/src/a.py", cwd=f"{tmp_path}/alias")) == ["D-1"]
        assert ids(edit(repo, f"{tmp_path}/file.py", session="s2")) == ["D-1"]
        assert repo.rides("D-1") == 2

    def test_links_that_go_in_circles(self, repo: Repo) -> None:
        os.symlink("b", repo.root / "a")
        os.symlink("a", repo.root / "b")
        assert edit(repo, repo.path("a/x.py")).answer is None


@pytest.mark.parametrize(("typed", "sent"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFC", "NFC")])
@pytest.mark.parametrize("pattern", [r"path: ^código/a\.py$", "path: ^c.digo/", "glob: código/**"])
def test_letters_composed_or_not(tmp_path: Path, typed: str, sent: str, pattern: str) -> None:
    repo = Repo(tmp_path / "reposto-né")
    repo.write("código/a.py", "x\n")
    repo.table(row("D-1", unicodedata.normalize(typed, pattern)))
    root = unicodedata.normalize(sent, str(repo.root))
    assert ids(edit(repo, unicodedata.normalize(sent, f"{root}/código/a.py"), cwd=root)) == ["D-1"]
    assert repo.rides("D-1") == 1


@pytest.mark.parametrize(
    "name",
    [
        "it's \"q\" [x] $(touch pwned) `touch pwned`;touch pwned", "two\nlines", "-rf", "*", "a|b", "tab\tand bell\x07",
        "😀 \u202e x", " blanks ", "%s {0} \\n", "#hash", "~~struck~~",
    ],
)  # fmt: skip
def test_awkward_names(repo: Repo, name: str) -> None:
    repo.write(f"odd/{name}", "x\n")
    repo.table(row("D-1", "path: ^odd/"))
    lines = repo.read(BACKLOG).count("\n")
    answer = edit(repo, repo.path(f"odd/{name}"))
    assert ids(answer) == ["D-1"]
    assert answer.context.count("\n") == 1
    assert answer.context.replace("\n", "").isprintable()
    assert (repo.rides("D-1"), repo.read(BACKLOG).count("\n")) == (1, lines)
    assert len(repo.ledger()) == 1
    assert not (repo.root / "pwned").exists()


@pytest.mark.parametrize(
    ("trigger", "name"),
    [
        (r"path: ^\.github/", ".github/w.yml"), (r"path: (^|/)\.env$", "sub/.env"), (r"path: (^|/)\.env$", "./.env"),
        ("glob: .github/", ".github/deep/w.yml"), ("glob: *.py", "deep/er/x.py"), ("glob: /x.py", "x.py"),
        ("glob: src/**/x.py", "src/x.py"), ("path: ^new/deep/", "new/deep/er/x.py"),
    ],
)  # fmt: skip
def test_names_that_begin_with_a_dot_and_files_that_do_not_exist_yet(repo: Repo, trigger: str, name: str) -> None:
    repo.table(row("D-1", trigger))
    assert ids(edit(repo, f"{repo.root}/{name}")) == ["D-1"]


@pytest.mark.parametrize(
    ("tool", "expected", "rides"),
    [("Read", ["D-2", "D-3"], [0, 0, 0]), ("Edit", ["D-1", "D-3"], [1, 0, 1]), ("Write", ["D-1", "D-3"], [1, 0, 1])],
)
def test_reading_warns_and_only_writing_is_charged(
    repo: Repo, tool: str, expected: list[str], rides: list[int]
) -> None:
    repo.table(row("D-1", "write: ^src/"), row("D-2", "read: ^src/"), row("D-3", "path: ^src/"))
    assert ids(edit(repo, repo.path("src/a.py"), tool=tool)) == expected
    assert [repo.rides(name) for name in ("D-1", "D-2", "D-3")] == rides


class TestWorkingTrees:
    def test_the_tree_that_holds_the_file_is_the_one_that_is_charged(self, repo: Repo, tmp_path: Path) -> None:
        repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
        tree = repo.git("-C", str(tmp_path / "tree"), "rev-parse", "--show-toplevel").strip()
        assert ids(edit(repo, f"{tree}/src/a.py")) == ["D-1"]
        assert repo.rides("D-1") == 0
        assert "| 1 | owed |" in (tmp_path / "tree" / BACKLOG).read_text()
        edit(repo, "src/a.py", session="s2", cwd=tree)
        assert repo.rides("D-1") == 0
        assert "| 2 | owed |" in (tmp_path / "tree" / BACKLOG).read_text()

    def test_a_submodule_speaks_for_its_own_files(self, repo: Repo, tmp_path: Path) -> None:
        inner = Repo(tmp_path / "inner")
        inner.table(row("D-7", r"path: ^x\.py$"))
        repo.git("submodule", "--quiet", "add", str(inner.root), "inner")
        repo.commit()
        assert ids(edit(repo, repo.path("inner/x.py"))) == ["D-7"]
        assert "| 1 | owed |" in (repo.root / "inner" / BACKLOG).read_text()

    def test_a_git_directory_elsewhere(self, repo: Repo, tmp_path: Path) -> None:
        repo.git("init", "--quiet", "--separate-git-dir", str(tmp_path / "git"))
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1"]
        assert repo.rides("D-1") == 1

    def test_a_folder_that_is_no_repository_is_told_of_once_at_the_start(self, repo: Repo, tmp_path: Path) -> None:
        plain = tmp_path / "plain"
        (plain / "docs/gatilhos").mkdir(parents=True)
        session = Session(repo, cwd=str(plain))
        assert "is not a git repository" in run_hook(session.session_start()).person
        assert run_hook(session.post("Edit", file_path=str(plain / "a.py"))) == (0, None, "")

    def test_tables_outside_the_sparse_checkout_are_not_made_anew(self, repo: Repo) -> None:
        repo.git("sparse-checkout", "set", "src")
        assert edit(repo, repo.path("src/a.py")).answer is None
        assert not (repo.root / "docs").exists()
        assert repo.changed() == []


class TestOtherStores:
    def test_a_store_that_only_pyproject_names(self, repo: Repo, tmp_path: Path) -> None:
        user = Repo(tmp_path / "user")
        user.write("pyproject.toml", f'[tool.gatilho]\nstores = ["{repo.root}"]\n')
        user.commit()
        outside.allow(str(user.root), f"{repo.root}/docs/gatilhos")
        assert ids(edit(user, user.path("src/a.py"))) == ["D-1"]
        assert repo.rides("D-1") == 1

    def test_a_repository_without_tables_gets_no_state(self, tmp_path: Path) -> None:
        bare = Repo(tmp_path / "bare")
        session = Session(bare)
        for event in (session.session_start(), session.post("Edit", file_path=bare.path("a.py")), session.stop()):
            assert run_hook(event) == (0, None, "")
        assert not (bare.root / ".git/gatilho").exists()


class TestNamesOfTables:
    @pytest.mark.parametrize("name", ["sub/more.md", "é 😀.md", "a b.md", "-x.md", "a'b$(x).md", ".hidden.md"])
    def test_every_markdown_file_below_the_folder(self, repo: Repo, name: str) -> None:
        file = f"docs/gatilhos/{name}"
        repo.table(row("D-7", "path: ^src/"), file=file)
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1", "D-7"]
        assert repo.rides("D-7", file) == 1

    @pytest.mark.parametrize("name", ["README.md", "readme.md", "notes.txt", "ledger/x.md"])
    def test_other_files_are_none(self, repo: Repo, name: str) -> None:
        repo.table(row("D-7", "path: ^src/"), file=f"docs/gatilhos/{name}")
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1"]

    def test_a_name_that_is_no_utf_8(self, repo: Repo) -> None:
        name = os.fsdecode(b"docs/gatilhos/caf\xe9.md")
        try:
            repo.write(name, repo.read(BACKLOG).replace("D-1", "D-7"))
        except OSError:
            pytest.skip("the file system takes no such name")
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1", "D-7"]
        assert repo.rides("D-7", name) == 1
        assert ids(edit(repo, repo.path("src/a.py"), session="s2")) == ["D-1", "D-7"]

    @pytest.mark.parametrize("kind", ["device", "pipe", "folder", "nothing", "itself"])
    def test_what_is_no_file_costs_no_other_table_its_rows(self, repo: Repo, kind: str) -> None:
        path = repo.root / "docs/gatilhos/odd.md"
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            os.symlink({"device": "/dev/zero", "nothing": "nowhere.md", "itself": "odd.md"}[kind], path)
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1"]
        assert repo.rides("D-1") == 1

    def test_a_folder_among_the_ledger_files(self, repo: Repo) -> None:
        (repo.root / "docs/gatilhos/ledger/2026-01-01-00000000.md").mkdir(parents=True)
        assert ids(edit(repo, repo.path("src/a.py"))) == ["D-1"]
        assert repo.rides("D-1") == 1

    def test_a_repository_whose_folder_has_a_line_ending_in_its_name(self, tmp_path: Path) -> None:
        odd = Repo(tmp_path / "new\nline")
        odd.table(A)
        for session in ("s1", "s2"):
            assert ids(edit(odd, odd.path("src/a.py"), session=session)) == ["D-1"]
        assert run_cli("list", cwd=odd.root).status == 0
        assert odd.rides("D-1") == 2

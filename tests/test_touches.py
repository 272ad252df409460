"""The touches of a shell command in real folders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.git.around import Surroundings
from gatilho.shell.plain_command import plain_words
from gatilho.shell.wildcards import Search, matches
from gatilho.triggers.touches import touches_of_command

DIFF = "--- a/src/a.py\n+++ b/src/a.py\t2026-01-01\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new/n.py\n@@ -0,0 +1 @@\n+x\n"


SRC = {"src/a.py", "src/b.py", "src/deep/c.py", "src/gone.py"}
ALL = {"", *SRC, "lib/q.py", "main/x", "odd/a1.py", "odd/a[1].py", "fix.patch"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which one tracked file is gone and one file is not tracked."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    for name in (
        "src/a.py",
        "src/b.py",
        "src/.hidden.py",
        "src/deep/c.py",
        "lib/q.py",
        "odd/a[1].py",
        "odd/a1.py",
        "main/x",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n")
    (tmp_path / "fix.patch").write_text(DIFF)
    (tmp_path / "src/gone.py").write_text("x\n")
    (tmp_path / ".git/info").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / ".git/info/exclude").write_text(".hidden.py\n")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "src/gone.py").unlink()
    return tmp_path


def touched(command: str, folder: Path, kind: str = "write") -> set[str]:
    touches = touches_of_command(command, str(folder), Surroundings()).touches
    return {touch.path.removeprefix(str(folder)).lstrip("/") for touch in touches if touch.kind == kind}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install x", {"package.json", "package-lock.json"}),
        ("cd src && npm i", {"package-lock.json"}),
        ("cd lib && yarn add x && poetry add 'y>2'", {"lib/package.json", "pyproject.toml"}),
        ("pnpm --dir lib add x", {"lib/package.json"}),
        ("bun add x", {"package.json"}),
        ("uv add --dev x; uv lock; uv run pytest; pip install add", {"pyproject.toml", "uv.lock"}),
        (
            "npm install -g x; npm test; npm ci; yarn global add x; npm run add; bun add.ts; npm audit; go mod why",
            set(),
        ),
    ],
)
def test_a_package_manager_may_write_its_manifest(folder: Path, command: str, expected: set[str]) -> None:
    for name in ("package.json", "package-lock.json", "lib/package.json", "pyproject.toml", "uv.lock"):
        (folder / name).write_text("x\n")
    assert touched(command, folder) == expected
    assert not any(touch.certain for touch in touches_of_command(command, str(folder), Surroundings()).touches
                   if touch.kind == "write")  # fmt: skip
    words = plain_words(command)
    assert words is None or expected <= set(words)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("echo x > src/a.py", {"src/a.py"}, id="relative"),
        pytest.param("cd src; rm ../lib/q.py", {"lib/q.py"}, id="parent of a folder"),
        pytest.param("rm src//a.py ./src/../lib/q.py", {"src/a.py", "lib/q.py"}, id="untidy"),
        pytest.param("sed -i s/x/y/ src/*.py", {"src/a.py", "src/b.py"}, id="star, not for hidden files"),
        pytest.param("rm src/.*.py", {"src/.hidden.py"}, id="star for hidden files"),
        pytest.param("cd src && rm ?.py", {"src/a.py", "src/b.py"}, id="question mark in a folder"),
        pytest.param("rm */a.py", {"src/a.py"}, id="star for a folder"),
        pytest.param("rm src/**/*.py", {"src/a.py", "src/b.py", "src/deep/c.py"}, id="two stars"),
        pytest.param("rm src/[!b].py src/[c-z].py", {"src/a.py"}, id="class"),
        pytest.param("rm src/[[:alpha:]].py odd/a[!x[:alpha:][:punct:]].py", {"src/a.py", "src/b.py", "odd/a1.py"}, id="class with a name"),
        pytest.param("rm odd/a[1].py", {"odd/a1.py"}, id="class that looks like a name"),
        pytest.param("rm 'odd/a[1].py'", {"odd/a[1].py"}, id="quoted class"),
        pytest.param("rm odd/'a['*", {"odd/a[1].py"}, id="half quoted"),
        pytest.param("rm src/{a,b}.py", {"src/a.py", "src/b.py"}, id="braces"),
        pytest.param("rm {src,lib}/*.py", {"src/a.py", "src/b.py", "lib/q.py"}, id="braces and a star"),
        pytest.param("rm src/*.nope", set(), id="star that finds nothing"),
        pytest.param("sed -i s/x/y/ 'src/*.py'", {"src/*.py"}, id="quoted star is a name"),
        pytest.param("for f in src/*.py; do mv $f $f.bak; done", {"src/a.py", "src/b.py"}, id="loop over a star"),
        pytest.param('for f in src/?.py; do sed -i s/x/y/ "$f"; done', {"src/a.py", "src/b.py"}, id="quoted loop variable"),
        pytest.param("cp lib/q.py src", {"src", "src/q.py"}, id="copy into a folder"),
        pytest.param("cp lib/q.py src/new.py", {"src/new.py"}, id="copy to a file"),
        pytest.param("mv lib/q.py src", {"lib/q.py", "src", "src/q.py"}, id="move into a folder"),
        pytest.param("cd src && mv a.py ../lib", {"src/a.py", "lib", "lib/a.py"}, id="move from one folder to another"),
        pytest.param("rm -r src/deep", {"src/deep", "src/deep/c.py"}, id="whole folder"),
        pytest.param("git rm -r lib", {"lib", "lib/q.py"}, id="whole folder, by git"),
        pytest.param("git checkout src/a.py", {"src/a.py"}, id="file that git may take for a branch"),
        pytest.param("git checkout feature/x", set(), id="branch that is no file"),
        pytest.param("git checkout -- src", {"src", *SRC}, id="folder that git restores"),
        pytest.param("git restore .", ALL, id="all that git restores"),
        pytest.param("cd src; git checkout HEAD -- .", {"src", *SRC}, id="folder of the call"),
        pytest.param("git checkout src", {"src", *SRC}, id="folder that is no branch"),
        pytest.param("git restore 'src/*.py'", SRC, id="pattern that goes through folders"),
        pytest.param("git restore :/src ':!src/deep'", SRC - {"src/deep/c.py"}, id="root without a folder"),
        pytest.param("cd lib; git checkout -- ':(top,glob)src/*.py'", SRC - {"src/deep/c.py"}, id="glob from the root"),
        pytest.param("git restore ':(glob)**/c.py' ':(icase)LIB'", {"src/deep/c.py", "lib/q.py"}, id="magic"),
        pytest.param("git stash push -m x -- src/deep; git stash", {"src/deep", "src/deep/c.py"}, id="what is set aside"),
        pytest.param("git rm -q 'src/d*'", {"src/deep/c.py"}, id="pattern for a removal"),
        pytest.param("cd \"$(git rev-parse --show-toplevel)\" && rm src/a.py", {"src/a.py"}, id="root that git prints"),
        pytest.param("cd src/deep && cd $(git rev-parse --show-toplevel) && rm src/?.py", {"src/a.py", "src/b.py"}, id="wildcard in the root"),
        pytest.param("cd src/deep && cd $(git rev-parse --show-cdup) && rm src/a.py", {"src/a.py"}, id="way up that git prints"),
        pytest.param("echo x > \"$(git rev-parse --git-dir)/gatilho/package\"", {".git/gatilho/package"}, id="git folder that git prints"),
        pytest.param("rm $CLAUDE_PROJECT_DIR/src/a.py", {"src/a.py"}, id="root in a variable of the host"),
        pytest.param("cp -a odd/. src", {"src", *SRC, "src/a1.py", "src/a[1].py"}, id="contents of a folder over a folder"),
        pytest.param("rsync -a odd/ src/", {"src", *SRC, "src/a1.py", "src/a[1].py"}, id="rsync of contents"),
        pytest.param("cp -r src lib", {"lib", "lib/src", *(f"lib/{name}" for name in ("src/a.py", "src/b.py", "src/.hidden.py", "src/deep", "src/deep/c.py"))}, id="folder into a folder"),
        pytest.param("tar -xf x.tar -C src/deep; unzip x.zip -d lib", {"src/deep", "src/deep/c.py", "lib", "lib/q.py"}, id="unpacked over folders"),
        pytest.param("black src/*.py", {"src/a.py", "src/b.py"}, id="formatted"),
        pytest.param("find src -name '*.py' -exec sed -i s/x/y/ {} +", {"src/a.py", "src/b.py", "src/deep/c.py"}, id="found and edited"),
        pytest.param("git apply fix.patch", {"src/a.py", "new/n.py"}, id="patch file"),
        pytest.param("cd lib && patch -p1 < ../fix.patch", {"lib/src/a.py", "lib/new/n.py"}, id="patch file on a stream"),
        pytest.param("patch -p2 -i fix.patch", {"a.py", "n.py"}, id="patch file with two parts taken off"),
        pytest.param("patch -d lib q.py < fix.patch; touch a.py", {"lib/q.py", "a.py"}, id="patch in a folder, then not there"),
        pytest.param("git apply --directory=lib fix.patch", {"lib/src/a.py", "lib/new/n.py"}, id="patch below a folder"),
        pytest.param("cat fix.patch | patch -p1", {"src/a.py", "new/n.py"}, id="patch file that is printed"),
        pytest.param("cat > p <<'P' && git apply p\n--- a/src/a.py\n+++ b/src/a.py\nP", {"p", "src/a.py"}, id="patch that was just written"),
        pytest.param("git apply missing.patch", set(), id="patch file that is not there"),
        pytest.param("git apply src", set(), id="patch file that is a folder"),
        pytest.param("apply_patch <<'P'\n*** Begin Patch\n*** Update File: src/a.py\n*** Move to: n.py\n*** End Patch\nP", {"src/a.py", "n.py"}, id="envelope"),
        pytest.param("rm ~bob/a $UNSET/b", set(), id="what is never guessed"),
        pytest.param("rm \ud83d*.py", set(), id="half a surrogate pair"),
    ],
)  # fmt: skip
def test_writes(command: str, expected: set[str], folder: Path) -> None:
    assert touched(command, folder) == expected


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/x/y/ ~/src/a.py",
        'cd "$HOME" && rm src/a.py',
        "cd; rm src/a.py",
        "d=~/src; rm $d/a.py",
        "dd if=/dev/null of=~/src/a.py",
        "bash -c 'rm ~/src/a.py'",
    ],
)
def test_the_home_of_the_person_is_known(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert touched(command, folder / "lib") == {str(folder / "src/a.py").lstrip("/")}


LISTED = {"src/a.py", "src/b.py", "src/deep/c.py", "src/.hidden.py"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("find src -name '*.py' -print0 | xargs -0 sed -i s/x/y/", LISTED),
        ("find src -type f | sort | head -3 | xargs -n1 rm", {*LISTED, "src/deep"}),
        ("find . -name '*.py' -newer fix.patch -exec sed -i s/x/y/ {} +", {*LISTED, "lib/q.py", "odd/a1.py", "odd/a[1].py"}),
        ("find src -name a.py -exec sh -c 'sed -i s/x/y/ \"$@\"' _ {} +", {"src/a.py"}),
        ("find src -name 'a*' | while IFS= read -r f; do sed -i s/x/y/ \"$f\"; done", {"src/a.py"}),
        ("while read -r f; do rm \"$f\"; done < <(find src -name 'a*')", {"src/a.py"}),
        ("for f in $(git ls-files 'src/*.py'); do sed -i s/x/y/ $f; done", SRC),
        ("cd src && git ls-files -z -- . | xargs -0 perl -pi -e s/x/y/", SRC),
        ("git ls-files | xargs sed -i s/x/y/", ALL - {""}),
        ("sed -i s/x/y/ `git grep -l x -- lib`", {"lib/q.py"}),
        ("rg -l x lib | xargs -I{} cp fix.patch {}", {"lib", "lib/q.py"}),
        ("grep -rl x lib --include=*.py | parallel sed -i s/x/y/ {}", {"lib", "lib/q.py"}),
        ("fd -e py . lib -x sed -i s/x/y/", {"lib", "lib/q.py"}),
        ("ls lib | xargs -I@ sed -i s/x/y/ lib/@", {"lib/q.py"}),
        ("(cd src; true); { find lib -type f; } | xargs rm", {"lib/q.py"}),
        ("find src -name '*.py' | xargs cat", set()),
        ("python3 -c \"for p in Path('src').rglob('*.py'): p.write_text('')\"", LISTED),
        ("python3 -c \"for f in glob.glob('lib/*.py'): open(f, 'w')\"", {"lib/q.py"}),
        ("python3 -c \"shutil.rmtree('src/deep')\"", {"src/deep", "src/deep/c.py"}),
        ("black src", SRC | {"src"}),
        ("cd src && python3 -m black .", SRC | {"src"}),
        ("uvx ruff format; isort -q $PWD/lib", SRC | {"", "lib", "lib/q.py", "odd/a1.py", "odd/a[1].py"}),
        ("npx prettier --write . 'src/**/*.{ts,js}'; cargo fmt -- --check; go vet ./...", {""}),
        ("codespell -w lib main", {"lib", "lib/q.py", "main", "main/x"}),
    ],
)  # fmt: skip
def test_names_that_a_command_prints_may_be_written(command: str, expected: set[str], folder: Path) -> None:
    assert touched(command, folder) == expected


@pytest.mark.parametrize(
    "command",
    ["sh -s < <(echo 'rm src/a.py')", "bash <(echo 'rm src/a.py')", ". <(echo 'rm src/a.py')", "ex -sc x src/a.py",
     "vim -es -c '%s/x/y/' -c wq src/a.py", "nvim --headless +x src/a.py", "ed -s src/a.py < fix.patch", "xz src/a.py",
     "rename s/a/z/ src/a.py", "rename a z src/a.py", "mmv 'src/(a).py' x", "iconv -f l1 fix.patch -o src/a.py",
     "gcc x.c -osrc/a.py", "openssl enc -in x -out src/a.py", "uniq fix.patch src/a.py", "parallel rm ::: src/a.py",
     "printf 'src/a.py\\n' | while read f; do rm \"$f\"; done", "bash -c 'rm \"$1\"' _ src/a.py",
     "while read -r f; do rm \"$f\"; done <<E\nsrc/a.py\nE", "set -- src/a.py; rm \"$1\"", "trap 'rm src/a.py' EXIT",
     "readarray -t fs <<< src/a.py; rm \"${fs[0]}\"", "cd \"$(dirname src/b.py)\" && rm a.py", "watch 'rm src/a.py'",
     "rm \"$(printf 'src/%s.py' a)\"", "script -qc 'rm src/a.py' /dev/null", "npx prettier@3 --write 'src/**/*'"],
)  # fmt: skip
def test_one_file_is_written(command: str, folder: Path) -> None:
    assert "src/a.py" in touched(command, folder)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        *[(command, {"src/a.py", "src/gone.py"}) for command in (
            "git reset --hard", "git -C src reset --hard HEAD~1", "git checkout -f", "git stash", "git switch -f x",
            "git stash push -m x", "git read-tree -u --reset HEAD", "git checkout-index -fa")],
        ("git stash -u", {"src/a.py", "src/gone.py", "src/.hidden.py"}),
        ("git clean -fdx", {"src/.hidden.py"}),
        *[(command, set()) for command in (
            "git reset", "git clean -n", "git checkout topic", "git stash list", "git stash push --staged")],
    ],
)  # fmt: skip
def test_what_git_discards_are_the_files_that_changed(command: str, expected: set[str], folder: Path) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"], cwd=folder, check=True)
    (folder / "src/a.py").write_text("y\n")
    assert touched(command, folder) == expected


def test_reads_and_commands(folder: Path) -> None:
    effects = touches_of_command("cd lib; cat q.py ../src/*.py | wc", str(folder))
    commands, touches = effects.commands, effects.touches
    assert commands == ("cd lib", "cat q.py ../src/*.py", "wc")
    assert {(touch.kind, touch.path) for touch in touches} == {
        ("read", f"{folder}/lib/q.py"),
        ("read", f"{folder}/src/a.py"),
        ("read", f"{folder}/src/b.py"),
    }


def test_each_path_is_touched_once_for_each_kind(folder: Path) -> None:
    touches = touches_of_command("cat src/a.py src/a.py; rm src/a.py ./src/a.py; echo > src/a.py", str(folder)).touches
    assert [touch.kind for touch in touches] == ["read", "write"]


def test_links_in_circles_end(folder: Path) -> None:
    os.symlink("..", folder / "src/up")
    os.symlink("self", folder / "src/self")
    assert "src/deep/c.py" in touched("rm src/**/*.py", folder)
    assert "src/up" in touched("rm -r src", folder)
    assert "src/up/lib" not in touched("rm -r src", folder)


def test_a_huge_folder_is_read_up_to_its_budget(folder: Path) -> None:
    (folder / "many").mkdir()
    for number in range(300):
        (folder / f"many/{number}.txt").touch()
    search = Search(entries=100)
    assert len(search.expand(f"{folder}/many/*")) == 100
    assert search.expand(f"{folder}/src/*") == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
@pytest.mark.parametrize(
    "pattern", ["*", "*.py", "a*", "?", "[ab]*", "[!a]*", "[a-c]1", ".*", "*[*", "a\\*", "*\\**", "[]a]*", "x[", "**"]
)
def test_wildcards_agree_with_bash(pattern: str, tmp_path: Path) -> None:
    for name in ("a", "b", "a1", "b1", "c1", "a.py", "ab.py", ".h", "a*", "x[", "]z"):
        (tmp_path / name).touch()
    script = f"shopt -s nullglob; LC_ALL=C; for f in {pattern}; do printf '%s\\n' \"$f\"; done"
    bash = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = {name for name in bash.stdout.split("\n") if name not in ("", ".", "..")}
    found = {path.rpartition("/")[2] for path in Search().expand(f"{tmp_path}/{pattern}")} - {tmp_path.name}
    assert found == expected


@settings(max_examples=200)
@given(st.text(alphabet="ab*?[]!-\\.", max_size=12), st.text(alphabet="ab[]-.\\", min_size=1, max_size=12))
def test_matching_never_raises(pattern: str, name: str) -> None:
    assert matches(pattern, name) in (True, False)
    assert matches("*", name) != name.startswith(".")


@settings(max_examples=60)
@given(st.text(alphabet="ab \n'\"$()*?[]{}|;>/\\~=-\ud83d", max_size=60))
def test_touches_of_any_text_are_absolute(text: str) -> None:
    touches = touches_of_command(f"rm {text}", "/nowhere/at/all").touches
    assert all(touch.path.startswith("/") for touch in touches)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("xargs -a names rm", {"src/a.py", "lib/q.py"}),
        ("cat names | sort -u | xargs -I{} rm ./{}", {"src/a.py", "lib/q.py"}),
        ('while read -r f; do rm "$f"; done < names', {"src/a.py", "lib/q.py"}),
        ("rm $(<names)", {"src/a.py", "lib/q.py"}),
        ("git stash pop", {"lib/q.py"}),
        ("git stash apply stash@{0}", {"lib/q.py"}),
        ("git cherry-pick -n HEAD", {"src/a.py"}),
        ("git revert --no-commit HEAD~1..HEAD", {"src/a.py"}),
        ("git checkout -p", {"main/x"}),
        ("git diff | git apply -R", {"main/x"}),
        ("git show HEAD -- src | git apply -R", {"src/a.py"}),
        ("git diff HEAD~1 HEAD | patch -Rp1", {"src/a.py"}),
        ("git cherry-pick HEAD", set()),
        ("git stash show -p; git diff > patch", {"patch"}),
        ("cat names; sort names | uniq", set()),
    ],
)
def test_names_that_a_file_or_a_commit_holds(folder: Path, command: str, expected: set[str]) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=folder, check=True)

    git("commit", "-qm", "all")
    git("checkout", "--", ".")
    (folder / "src/a.py").write_text("y\n")
    git("commit", "-qam", "two")
    (folder / "lib/q.py").write_text("y\n")
    git("stash", "-q")
    (folder / "main/x").write_text("y\n")
    (folder / "names").write_text("src/a.py\nlib/q.py\nsrc/not there.py\n")
    assert touched(command, folder) == expected

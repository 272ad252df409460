"""The reader of shell against bash: what generated commands change in a sandboxed copy, and what the reader said."""

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gatilho.git.around import Surroundings
from gatilho.triggers.touches import touches_of_command

FILES = {
    "src/a.py": "x = 1\ny = 2\n", "src/b.py": "x = 2\n", "src/deep/d.py": "x = 3\n", "lib/c.py": "x = 4\n",
    "lib/e.txt": "x\n", "docs/n.md": "x\n", "odd name.txt": "x\n", "top.txt": "x\n", "new/src/a.py": "other\n",
    "new/src/b.py": "other\n", "new/f.txt": "other\n",
}  # fmt: skip
DIFF = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+patched\n"
ANY = ["src/a.py", "src/b.py", "src/deep/d.py", "lib/c.py", "lib/e.txt", "docs/n.md", "top.txt"]
SOME = ["src/*.py", "src/?.py", "lib/*", "src/{a,b}.py", "*/*.py", "docs/n.m?", "src/[ab].py", "src/**/d.py"]
FOLDERS = ["src", "lib", "docs", "src/deep"]

# A writer by its kind: {f} a file, {g} another, {n} a new name, {w} wildcards, {d} a folder.
WRITERS = {
    "redirect": ["echo hi > {f}", "printf 'a\\nb\\n' >> {f}", "cat {g} >{f}", ": > {n}", "sort < {g} 2>/dev/null >| {f}", "> {f}", "{{ echo a; echo b; }} > {f}", "echo 'a > b' &> {f}"],
    "document": ["cat > {f} <<'E'\nhi > there\nE", "cat <<E >> {f}\n$HOME\nE", "tee {f} <<< hi >/dev/null", "cat <<-E > {f}\n\ttab\n\tE"],
    "tee": ["echo hi | tee {f} >/dev/null", "echo hi | tee -a {f} {n} > /dev/null", "echo hi | cat | tee {f} | wc -l >/dev/null"],
    "in place": ["sed -i s/x/z/ {f}", "sed -i.bak -e s/x/z/ {f}", "sed -E -i 's/(x)/\\1z/' {f} {g}", "sed --in-place s/x/z/ {w}", "perl -pi -e s/x/z/ {f}"],
    "loop": ["for i in {f} {g}; do cp top.txt $i; done", "for i in {f} {g}; do mv $i {d}/${{i##*/}}.new; done", "printf '%s\\n' {f} {g} | while read -r i; do cp docs/n.md \"$i\"; done", "f() {{ cat \"$2\" > \"$1\"; }}; for i in {f} {g}; do f \"$i\" top.txt; done"],
    "copy": ["cp {g} {f}", "cp {g} {n}", "cp {f} {d}", "cp -f {f} {g} {d}/", "cp -t {d} {f}", "install -m 644 {g} {f}"],
    "copied folder": ["cp -a new/. .", "cp -r new/src/. src", "cp -R new/src .", "cp -r {d} copy", "cp -r new/* ."],
    "move": ["mv {f} {n}", "mv {f} {d}", "mv {f} {g}", "mv {d} moved", "mv -t {d} {f}"],
    "remove": ["rm {f}", "rm -f {w}", "rm -rf {d}", "unlink {f}", "rm -r {d} {f}", "find {d} -name '*.py' -delete", "find {d} -type f -delete"],
    "cut": ["truncate -s 0 {f}", "dd if=/dev/null of={f} 2>/dev/null", "truncate -s 3 {f} {n}"],
    "made": ["touch {n}", "touch {d}/{n}.q", "ln -s {f} {n}", "ln -sf {g} {f}", "ln {f} {n}"],
    "sorted": ["sort -o {f} {g}", "sort {g} -o {n}", "awk '{{print}}' {g} > {f}", "tac {g} > {n}"],
    "git": ["git checkout -- {d}", "git checkout -- .", "git restore .", "git restore {f}", "git restore 'src/*.py'", "git checkout HEAD -- {f}", "git rm -qf {f}", "git rm -rqf {d}", "git mv {f} {n}", "git stash push -q -- {d}", "git checkout -- :/", "git restore ':(glob)**/*.py'", "git checkout ."],
    "patch": ["patch -p1 -s <<'E'\n" + DIFF.format("docs/n.md") + "E", "git apply <<'E'\n" + DIFF.format("lib/e.txt") + "E", "patch -s top.txt <<'E'\n" + DIFF.format("top.txt") + "E"],
    "unpacked": ["tar -xf new.tar -C .", "tar xf new.tar -C {d}", "tar -C {d} -xf new.tar"],
    "found": ["find {d} -name '*.py' -exec sed -i s/x/z/ {{}} +", "find {d} -name '*.py' -exec rm {{}} \\;", "printf '%s\\n' {f} {g} | xargs sed -i s/x/z/", "echo {f} {g} | xargs rm -f", "printf '%s\\n' {f} | xargs -I{{}} cp {{}} {{}}.bak"],
}  # fmt: skip
# What is around a writer; {c} is the writer.
AROUND = [
    "{c}", "{c}", "{c}", "true && {c}", "false || {c}", "if true; then {c}\nfi", "( {c}\n)", "{{ {c}\n}}", "cd . && {c}",
    "bash <<'OUTER'\n{c}\nOUTER", "cd src && cd .. && {c}", 'cd "$(git rev-parse --show-toplevel)" && {c}', "cd $PWD\n{c}",
    "for i in 1; do {c}\ndone", "for i in src lib; do (cd $i; touch q); done; {c}", "f() {{ {c}\n}}; f", "A=1; B=$A\n{c}", "pushd src >/dev/null; popd >/dev/null; {c}",
    "cd src; cd - >/dev/null; {c}", "while true; do {c}\nbreak; done", "case x in x) {c}\n;; esac", "! {c}", "time {c}", "{c}\n# rm top.txt",
]  # fmt: skip
# How a path may be spelled.
SPELLINGS = ["{0}", "{0}", "{0}", "./{0}", '"{0}"', "'{0}'", '"$PWD"/{0}', "$(pwd)/{0}", "${{UNSET:-.}}/{0}", "src/../{0}", "~+/{0}", '"$(git rev-parse --show-toplevel)/{0}"']  # fmt: skip
FEW, MANY = 150, 600
# What an archive brings that was not there before is not in the text of the command.
NEW_IS_UNSEEN = ("unpacked",)


def generated(chance: random.Random) -> tuple[str, str]:
    """A command and its kind."""
    kind = chance.choice(list(WRITERS))
    spelled = [chance.choice(SPELLINGS).format(name) for name in chance.sample(ANY, 2)]
    writer = chance.choice(WRITERS[kind]).format(
        f=spelled[0],
        g=spelled[1],
        n=chance.choice(["n.txt", "made.py"]),
        w=chance.choice(SOME),
        d=chance.choice(FOLDERS),
    )
    return kind, chance.choice(AROUND).format(c=writer)


class Sandbox:
    """A small repository in which some tracked files are changed and one is gone, put back after each command."""

    def __init__(self, root: Path) -> None:
        self.root = root / "copy"
        self.git = root / "git"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c",
        }  # fmt: skip
        for name, text in {**FILES, "src/gone.py": "x\n"}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        for command in ("init -q", "add .", "commit -qm all"):
            subprocess.run(["git", *command.split()], cwd=self.root, env=self.env, check=True)
        subprocess.run(["tar", "-cf", "new.tar", "-C", "new", "."], cwd=self.root, check=True)
        (self.root / "src/gone.py").unlink()
        for name in ("src/b.py", "lib/c.py", "src/deep/d.py"):
            (self.root / name).write_text("x changed\n")
        shutil.copytree(self.root / ".git", self.git)
        self.before = self.look()

    def look(self) -> dict[str, tuple[str, bytes]]:
        found: dict[str, tuple[str, bytes]] = {}
        for folder, folders, names in os.walk(self.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in names:
                path = Path(folder, name)
                data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
                found[str(path.relative_to(self.root))] = ("link" if path.is_symlink() else "file", data)
        return found

    def run(self, command: str) -> set[str]:
        """Run a command and return the files that it changed, made or removed; all is put back."""
        subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.env,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=30,
        )
        after = self.look()
        changed = {name for name in {*self.before, *after} if self.before.get(name) != after.get(name)}
        if changed or "git" in command:
            self.put_back("git" in command, after)
        return changed

    def put_back(self, git: bool, after: dict[str, tuple[str, bytes]]) -> None:
        for name in after:
            if after[name] != self.before.get(name):
                (self.root / name).unlink()
        for name, (_, data) in self.before.items():
            if after.get(name) != self.before[name]:
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).write_bytes(data)
        if git:
            shutil.rmtree(self.root / ".git")
            shutil.copytree(self.git, self.root / ".git")


def misses(sandbox: Sandbox, seed: int, number: int) -> list[tuple[str, str, set[str]]]:
    """What the reader did not say, as (kind, command, files)."""
    chance = random.Random(seed)
    found = []
    for _ in range(number):
        kind, command = generated(chance)
        touches = touches_of_command(command, str(sandbox.root), Surroundings()).touches
        said = {touch.path.removeprefix(f"{sandbox.root}/") for touch in touches if touch.kind == "write"}
        missed = sandbox.run(command) - said
        if kind in NEW_IS_UNSEEN:
            missed &= set(sandbox.before)
        if missed:
            found.append((kind, command, missed))
    return found


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
@pytest.mark.parametrize("number", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_what_commands_change_is_what_the_reader_said(number: int, tmp_path: Path) -> None:
    found = misses(Sandbox(tmp_path), 7 if number == FEW else 11, number)
    shown = "\n".join(f"{kind}: {command!r} changed {sorted(files)}" for kind, command, files in found[:15])
    assert not found, f"{Counter(kind for kind, _, _ in found)}\n{shown}"

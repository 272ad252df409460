"""Shell commands through the whole hook: which rows speak, and which of them are charged when the turn closes."""

import subprocess

import pytest
from builders import Repo, row, run_hook
from claude_session import Session, bash, turn

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"
DIFF = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
FILE, PUSH, DROP = "D-1", "D-2", "D-3"


ROWS = (FILE, PUSH, DROP)


def furnished(repo: Repo) -> Repo:
    """The repository with a debt on a file and two on commands."""
    repo.write("src/a.py", "x\n")
    repo.write("src/b.py", "x\n")
    repo.table(
        row(FILE, r"path: ^src/a\.py$", "about the file"),
        row(PUSH, r"cmd: ^git push\b", "about pushing"),
        row(DROP, r"cmd: \bdropdb\b", "about dropping"),
    )
    return repo


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One repository for all commands that are only named: each comes in a session of its own."""
    return furnished(Repo(tmp_path_factory.mktemp("commands") / "repo"))


@pytest.fixture
def repo(repo: Repo) -> Repo:
    return furnished(repo)


def outcome(repo: Repo, command: str) -> tuple[list[str], list[str]]:
    """The rows that spoke after the command, and those that got one ride, and no more, when its turn closed."""
    session = Session(repo)
    before = {name: repo.rides(name) for name in ROWS}
    context = run_hook(session.post("Bash", command=command)).context
    run_hook(session.stop())
    return [n for n in ROWS if f"[{n};" in context], [n for n in ROWS if repo.rides(n) == before[n] + 1]


WRITES = {
    "into a file": "echo x >src/a.py",
    "over a file that must not be clobbered": "echo x>|src/a.py",
    "added to a file": "printf x >> src/a.py",
    "both streams": "make &> src/a.py",
    "a redirection and nothing else": "> src/a.py",
    "a document, redirected before": "cat > src/a.py <<'EOF'\nx\nEOF",
    "a document, redirected behind": "cat <<EOF > src/a.py\nx\nEOF",
    "a document with tabs": "cat <<-'E' >>src/a.py\n\tx\n\tE",
    "a document that is never closed": "cat <<EOF > src/a.py\nx",
    "a shell's own text": "bash -c 'echo x > src/a.py'",
    "a shell that is fed": "bash <<'E'\necho x > src/a.py\nE",
    "a folder gone into": 'sh -c "cd src && sed -i s/x/y/ a.py"',
    "a folder gone into and left": "cd src; cd ..; echo x > src/a.py",
    "a subshell's folder": "(cd src && echo x > a.py)",
    "a variable that was set": 'D=src; echo x > "${D}/a.py"',
    "quoted in parts": "echo x > src/'a'\".py\"",
    "through a tee": "make | sudo tee -a src/a.py >/dev/null",
    "in place": "sed -i.bak s/x/y/ src/a.py",
    "in place, by perl": "perl -pi -e s/x/y/ src/a.py",
    "by wildcard": "sed -i s/x/y/ src/*.py",
    "by braces": "rm src/{a,b}.py",
    "a whole folder": "rm -rf src",
    "copied over": "cp /etc/hosts src/a.py",
    "moved away": "mv src/a.py /tmp/x",
    "by dd": "dd if=/dev/zero of=src/a.py",
    "cut short": "truncate -s 0 src/a.py",
    "from another machine": "scp box:/tmp/a.py src/a.py",
    "restored by git": "git checkout -- src/a.py",
    "restored from a revision": "git restore --source=HEAD~1 src/a.py",
    "moved by git": "git mv src/a.py src/c.py",
    "removed by git": "git rm src/a.py",
    "an envelope": f"apply_patch <<'P'\n{PATCH}\nP",
    "an envelope in a shell": f"bash -lc \"apply_patch <<'P'\n{PATCH}\nP\"",
    "a diff that git applies": f"git apply <<'P'\n{DIFF}P",
    "with letters of all kinds": "echo ñ 😀 > src/a.py",
    "behind a very long word": "echo " + "x" * 100_000 + " > src/a.py",
}


@pytest.mark.parametrize("command", WRITES.values(), ids=WRITES.keys())
def test_a_command_that_writes_the_file(shared: Repo, command: str) -> None:
    assert outcome(shared, command) == ([FILE], [FILE])


def test_names_that_a_command_prints_are_written_only_where_the_files_show_it(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$"), row("D-2", r"path: ^src/b\.py$"))
    for name in ("a", "b"):
        repo.write(f"src/{name}.py", f"{name} = 1\n")
    turn(repo, bash("grep -rl 'b = 1' src | xargs sed -i s/1/2/"))
    assert (repo.rides("D-1"), repo.rides("D-2")) == (0, 1)


READS = {
    "read": "cat src/a.py",
    "compared": "git diff src/a.py",
    "its history": "git log -- src/a.py",
    "fed to a program": "sort < src/a.py",
    "sent to another machine": "scp src/a.py box:/tmp/",
    "edited, but not in place": "sed s/x/y/ src/a.py",
}


@pytest.mark.parametrize("command", READS.values(), ids=READS.keys())
def test_a_command_that_reads_the_file_warns_and_is_not_charged(shared: Repo, command: str) -> None:
    assert outcome(shared, command) == ([FILE], [])


NEITHER = {
    "another descriptor": "echo hi >&2",
    "nowhere": "make 2>&1 >/dev/null",
    "a comparison": '[ 1 \\> 0 ] && echo "a > src/a.py"',
    "a comment": "ls # > src/a.py && git push",
    "a document that feeds no shell": "cat <<'EOF'\ngit push > src/a.py\nEOF",
    "a word in quotes": "git commit -m 'then git push > src/a.py'",
    "a longer word": "git pushx; mygit push",
    "another folder": "cd /tmp && echo x > src/a.py",
    "a variable that leads elsewhere": "D=/tmp/z; echo x > $D/src/a.py",
    "a variable that nobody knows": 'echo x > "$UNSET/src/a.py"',
    "a home that nobody knows": "echo x > ~/src/a.py",
    "a wildcard in quotes": "sed -i s/x/y/ 'src/*.py'",
    "another machine's files": "ssh box 'sed -i s/x/y/ src/a.py'",
    "a container's files": "docker exec c tee src/a.py",
    "a pod's files": "kubectl exec p -- sh -c 'echo x > src/a.py'",
    "an unclosed quote": "echo 'x > src/a.py",
    "brackets without end": "(" * 3000,
    "braces without end": "rm " + "{a,b}" * 40,
    "nothing": " \n",
}


@pytest.mark.parametrize("command", NEITHER.values(), ids=NEITHER.keys())
def test_a_command_that_does_neither(shared: Repo, command: str) -> None:
    assert outcome(shared, command) == ([], [])


PUSHES = {
    "in a chain": "cd /x && git push",
    "behind a semicolon": "make test;git push",
    "behind a pipe": "git status | cat && git push",
    "in a condition": "if ok; then git push; fi",
    "in a loop": "for r in a b; do git push $r; done",
    "in braces": "{ git push; }",
    "negated": "! git push",
    "on a line of its own": "make\ngit push\n",
    "on a line that goes on": "make \\\n&& git push",
    "on lines of Windows": "make\r\ngit push\r\n",
    "behind an assignment": "X=1 git push",
    "behind wrappers": "sudo -u me env X=1 nice -n 5 git push",
    "in the background": "nohup git push &",
    "evaluated": 'eval "git push origin main"',
    "substituted": 'echo "$(git push)"',
    "twice": "git push; git push",
    "the five hundredth": "true; " * 500 + "git push",
}


@pytest.mark.parametrize("command", PUSHES.values(), ids=PUSHES.keys())
def test_each_simple_command_is_matched_and_running_it_is_charged_once(shared: Repo, command: str) -> None:
    assert outcome(shared, command) == ([PUSH], [PUSH])


def test_a_command_for_another_machine_is_a_command_all_the_same(shared: Repo) -> None:
    assert outcome(shared, "ssh box 'dropdb x'") == ([DROP], [DROP])


def test_one_call_may_concern_a_file_and_a_command(shared: Repo) -> None:
    assert outcome(shared, "echo x > src/a.py && git push") == ([FILE, PUSH], [FILE, PUSH])


def test_the_command_itself_is_kept_nowhere(repo: Repo) -> None:
    session = Session(repo)
    run_hook(session.pre("Bash", command="git push https://u:s3cr3tw0rd@h.invalid/x"))
    run_hook(session.post("Bash", command="git push https://u:s3cr3tw0rd@h.invalid/x"))
    run_hook(session.stop())
    assert repo.rides(PUSH) == 1
    found = subprocess.run(["grep", "-rlaF", "s3cr3tw0rd", str(repo.root)], stdout=subprocess.PIPE)
    assert found.stdout == b""


class TestWhatACommandReallyDid:
    """Files whose rows were delivered are compared around a command, whatever its text says."""

    @pytest.fixture
    def session(self, repo: Repo) -> Session:
        session = Session(repo)
        run_hook(session.post("Read", file_path=repo.path("src/a.py")))
        return session

    def test_a_script_that_wrote_the_file(self, repo: Repo, session: Session) -> None:
        run_hook(session.pre("Bash", command="./build"))
        repo.write("src/a.py", "written by a script\n")
        run_hook(session.post("Bash", command="./build"))
        run_hook(session.stop())
        assert repo.rides(FILE) == 1

    def test_a_script_that_wrote_another(self, repo: Repo, session: Session) -> None:
        run_hook(session.pre("Bash", command="./build"))
        repo.write("src/b.py", "written by a script\n")
        run_hook(session.post("Bash", command="./build"))
        run_hook(session.stop())
        assert repo.changed() == ["src/b.py"]

    def test_a_checkout_of_another_branch_is_nobodys_edit(self, repo: Repo, session: Session) -> None:
        repo.git("switch", "--quiet", "--create", "other")
        repo.write("src/a.py", "other\n")
        repo.commit()
        repo.git("switch", "--quiet", "main")
        run_hook(session.pre("Bash", command="git switch other"))
        repo.git("switch", "--quiet", "other")
        run_hook(session.post("Bash", command="git switch other"))
        run_hook(session.stop())
        assert repo.rides(FILE) == 0

    @pytest.mark.parametrize(("wrote", "rides"), [(False, 0), (True, 1)])
    def test_a_command_that_failed_is_believed_only_as_far_as_the_file_shows(
        self, repo: Repo, session: Session, wrote: bool, rides: int
    ) -> None:
        command = "echo y > src/a.py && false"
        run_hook(session.pre("Bash", command=command))
        if wrote:
            repo.write("src/a.py", "y\n")
        run_hook(session.failed("Bash", command=command))
        run_hook(session.stop())
        assert repo.rides(FILE) == rides

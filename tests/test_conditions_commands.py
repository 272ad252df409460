"""Commands of `passes`, run for real: how they end, what they may do, and that nothing of them is left."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from builders import CHECKOUT, Repo
from processes import alive, allow, on_linux, programs_without_bubblewrap, repository_of, wait_until_gone

from gatilho.conditions import allowed, commands, lastrun, sandbox
from gatilho.conditions.commands import NOT_ALLOWED, Commands, Ran
from gatilho.conditions.runnable import why_impossible
from gatilho.config import Conditions
from gatilho.errors import UsageError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="commands are run on POSIX systems only")
LIMIT = 20.0


def _sandbox_here(repo: Repo) -> sandbox.Sandbox:
    return commands.find_sandbox(repository_of(repo))


@pytest.fixture
def bare(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The repository on a machine without bubblewrap."""
    monkeypatch.setenv("PATH", programs_without_bubblewrap(tmp_path / "bin"))
    return repo


@pytest.fixture
def boxed(repo: Repo) -> Repo:
    """The repository on a machine where bubblewrap works."""
    box = _sandbox_here(repo)
    if box.kind == sandbox.NONE:
        pytest.skip(box.reason)
    return repo


@pytest.fixture(params=["without a sandbox", "in a sandbox"])
def anywhere(request: pytest.FixtureRequest) -> Repo:
    """The repository on either machine."""
    return request.getfixturevalue("bare" if request.param == "without a sandbox" else "boxed")  # type: ignore[no-any-return]


def run(repo: Repo, text: str, seconds: float = LIMIT, required: bool = False) -> Ran:
    return commands.run_command(text, repository_of(repo), seconds, required)


ENDINGS = [
    pytest.param("true", True, "exit status 0 after", id="a success"),
    pytest.param("exit 3", False, "exit status 3 after", id="a failure"),
    pytest.param("git --version && test -f README.md", True, "exit status 0", id="at the root of the repository"),
    pytest.param("cat", True, "exit status 0", id="standard input is at its end"),
    pytest.param("read line", False, "exit status 1", id="nothing to read a line from"),
    pytest.param("no-such-program --version", False, "did not find its program", id="a missing program"),
    pytest.param("! no-such-program x 2>/dev/null", False, "did not find `no-such-program`", id="a missing program denied"),
    pytest.param('test -z "$(no-such-program x)"', False, "did not find `no-such-program`", id="one in a substitution"),
    pytest.param("sh -c 'n=no; $n-such-program; exit 0'", True, "exit status 0", id="one that the text does not name"),
    pytest.param("./README.md", False, "could not run its program", id="a file that is no program"),
    pytest.param("kill -SEGV $$", False, "signal 11 ended it", id="a signal"),
    pytest.param("sh -c 'kill -KILL $$'; exit $?", False, "signal 9 ended it", id="a signal of a child"),
    pytest.param("echo '", False, "exit status", id="no shell text"),
]  # fmt: skip


MISSING = [
    pytest.param("! no-rg -q OLD src 2>/dev/null", "no-rg", id="its message is thrown away"),
    pytest.param("no-rg -q OLD src 2>/dev/null || true", "no-rg", id="an alternative"),
    pytest.param("if no-rg -q OLD src 2>/dev/null; then exit 1; fi", "no-rg", id="a branch"),
    pytest.param("! { timeout 5 no-rg -q OLD src; } 2>/dev/null", "no-rg", id="behind a wrapper"),
    pytest.param("exec 2>/dev/null; ! git ls-files | xargs no-rg -q OLD", "no-rg", id="run by xargs"),
    pytest.param("! sh -c 'no-rg -q OLD src' 2>/dev/null", "no-rg", id="in a shell of its own"),
    pytest.param("test -z \"$(no-rg OLD src 2>/dev/null)\"", "no-rg", id="in a substitution"),
    pytest.param("no-rg -q OLD src 2>/dev/null; exit 1", "no-rg", id="what makes it false"),
    pytest.param("! ./no-rg OLD 2>/dev/null", "./no-rg", id="by its path"),
    pytest.param("! ./README.md 2>/dev/null", "./README.md", id="a file that is no program"),
    pytest.param("! timeout 9 python3 -B no-rg.py 2>/dev/null", "no-rg.py", id="a script of an interpreter"),
    pytest.param("! command 'no'-rg -q OLD 2>/dev/null", "no-rg", id="in quotes, and no function"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name"), MISSING)
def test_nothing_is_decided_by_a_program_that_is_missing(boxed: Repo, text: str, name: str) -> None:
    outcome = run(boxed, text).outcome
    assert (outcome.holds, outcome.undecided) == (False, True)
    assert f"the shell did not find `{name}`" in outcome.reason


@pytest.mark.parametrize(
    "text",
    [
        "! command -v no-rg",
        "command -v no-rg >/dev/null && no-rg x || test -f README.md",
        'test ! -x "$(which no-rg 2>/dev/null)" || no-rg x',
        "case x in y) no-rg x ;; *) true ;; esac",
        "no_rg() { test -f README.md; }; no_rg",
        "mkdir bin && printf '#!/bin/sh\\nexit 1' >bin/no-rg && chmod +x bin/no-rg && PATH=$PWD/bin:$PATH && ! no-rg",
        "echo 'exit 1' >made.sh && chmod +x made.sh && ! ./made.sh",
        "! test -x ./no-rg",
        "! sh ./docs/made.sh && ! ~/made.sh && cd ~ && ! ./made.sh",
        "echo 'exit 1' >/tmp/made.sh && ! sh /tmp/made.sh",
        'cd "$(cat where)" && ! sh ./made.sh',
        "cd docs && ! sh ../docs/made.sh; cd .. && test -f README.md",
    ],
)
def test_a_program_that_is_asked_for_or_made_or_never_called_is_no_matter(boxed: Repo, text: str) -> None:
    boxed.write("docs/made.sh", "exit 1\n")
    boxed.write("where", "docs\n")
    script = Path(os.environ["HOME"], "made.sh")
    script.write_text("exit 1\n")
    script.chmod(0o755)
    outcome = run(boxed, text).outcome
    assert outcome.holds, outcome.reason


def test_a_sandbox_that_fails_is_tried_once_more_and_decides_nothing(
    boxed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = _sandbox_here(boxed)
    left = iter([["/opt/gone.socket"], []])
    monkeypatch.setattr(sandbox, "_listening", lambda: next(left, ["/opt/gone.socket"]))
    assert commands.run_command("exit 1", repository_of(boxed), LIMIT, False, box).outcome.reason.startswith("exit")
    outcome = commands.run_command("exit 1", repository_of(boxed), LIMIT, False, box).outcome
    assert outcome.undecided
    assert outcome.reason.startswith("its sandbox could not be set up: bwrap: ")


@pytest.mark.parametrize(("text", "holds", "said"), ENDINGS)
def test_how_it_ends(anywhere: Repo, text: str, holds: bool, said: str) -> None:
    outcome = run(anywhere, text).outcome
    assert outcome.holds is holds
    assert said in (outcome.evidence if holds else outcome.reason)


def test_only_an_exit_status_decides(bare: Repo) -> None:
    assert not run(bare, "exit 1").outcome.undecided
    for text in ("no-such-program", "kill -KILL $$", "echo x >> README.md"):
        assert run(bare, text).outcome.undecided, text


def test_it_is_ended_at_its_time_limit(anywhere: Repo) -> None:
    started = time.monotonic()
    ran = run(anywhere, "echo begun; sleep 600", seconds=1.0)
    assert ran.outcome.reason == "it did not end within 1 s"
    assert ran.output == b"begun\n"
    assert time.monotonic() - started < 120  # not the ten minutes that it asks for; no measure of speed


STUBBORN = [
    pytest.param("sleep {t} & exit 0", 0, id="left in the background"),
    pytest.param("nohup sleep {t} >/dev/null 2>&1 & exit 0", 0, id="nohup"),
    pytest.param("setsid sleep {t} & exit 0", 0, id="a session of its own"),
    pytest.param("setsid sh -c 'sleep {t} & sleep {t}' & sleep 0.3; exit 0", 0, id="grandchildren in another session"),
    pytest.param("env -i setsid sh -c 'sleep {t} & sleep {t}' & sleep 0.3; exit 0", 0, id="without our mark as well"),
    pytest.param("(trap '' TERM HUP INT; while :; do sleep {t}; done) & exit 0", 0, id="one that ignores a polite end"),
    pytest.param("trap '' TERM; sleep {t}; sleep {t}", None, id="ignores a polite end at the time limit"),
    pytest.param("setsid --wait sh -c 'trap \"\" TERM; sleep {t}'", None, id="another session at the time limit"),
]  # fmt: skip


@on_linux
@pytest.mark.parametrize(("text", "status"), STUBBORN)
def test_nothing_is_left_behind(anywhere: Repo, text: str, status: int | None) -> None:
    token = f"3{os.getpid()}.{time.monotonic_ns() % 10**6}"
    ran = run(anywhere, text.format(t=token), seconds=1.5 if status is None else 30)
    assert alive(token) == []
    assert ran.status == status


@on_linux
def test_nothing_is_left_behind_when_the_hook_is_killed(anywhere: Repo, tmp_path: Path) -> None:
    token = f"4{os.getpid()}.{time.monotonic_ns() % 10**6}"
    program = (
        f"import sys; sys.path.insert(0, {str(CHECKOUT)!r})\n"
        "from gatilho.conditions import commands\n"
        "from gatilho.git.root import find_repository\n"
        f"commands.run_command('setsid sleep {token} & sleep {token}', find_repository(sys.argv[1]), 60.0, False)\n"
    )
    hook = subprocess.Popen(
        [sys.executable, "-c", program, str(anywhere.root)], env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    deadline = time.monotonic() + 20
    while not any(line.startswith("sleep") for line in alive(token)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert any(line.startswith("sleep") for line in alive(token))
    hook.send_signal(signal.SIGKILL)
    hook.wait()
    assert wait_until_gone(token) == []


CHANGES = [
    pytest.param("echo more >> README.md", "README.md", id="appends"),
    pytest.param("rm README.md", "README.md", id="removes"),
    pytest.param("rm -rf src", "src/a.py", id="removes a folder"),
    pytest.param("rm -rf src && mkdir src", "src/a.py", id="makes a folder anew"),
    pytest.param("git mv README.md READ.md", "README.md", id="moves"),
    pytest.param("rm README.md && mkdir README.md", "README.md", id="puts a folder in its place"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name"), CHANGES)
def test_a_command_that_changes_a_tracked_file_pays_nothing(anywhere: Repo, text: str, name: str) -> None:
    anywhere.write("src/a.py", "a = 1\n")
    anywhere.commit()
    ran = run(anywhere, text)
    assert ran.status == 0
    assert ran.outcome.reason == f"it changed {name}"


def test_a_staged_file_is_a_change_where_it_stays(bare: Repo) -> None:
    bare.write("new.py", "")
    assert run(bare, "git add -A").outcome.reason == "it changed git's index"


@pytest.mark.parametrize("text", ["touch made.txt", "mkdir -p __pycache__; touch __pycache__/a.pyc", "git status"])
def test_new_files_are_no_change(anywhere: Repo, text: str) -> None:
    assert run(anywhere, text).outcome.holds


def test_a_command_gets_no_secrets(anywhere: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GIT_DIR", "CLAUDECODE", "LD_PRELOAD_HINT"):
        monkeypatch.setenv(name, "shibboleth")
    monkeypatch.setenv("LC_TIME", "C")
    ran = run(anywhere, "env")
    assert ran.outcome.holds
    assert b"shibboleth" not in ran.output
    assert b"LC_TIME=C" in ran.output
    assert b"HOME=" in ran.output


def test_of_the_output_the_end_is_kept(anywhere: Repo) -> None:
    ran = run(anywhere, "head -c 300000 /dev/zero; echo; echo the end >&2")
    assert ran.outcome.holds
    assert ran.output.endswith(b"the end\n")
    assert len(ran.output) <= 16_000


def test_a_command_that_never_stops_writing_is_ended(anywhere: Repo) -> None:
    assert run(anywhere, "yes", seconds=60).outcome.reason == "it wrote more than 50 MB"


class TestSandbox:
    def test_what_it_writes_into_the_tree_is_thrown_away(self, boxed: Repo) -> None:
        if _sandbox_here(boxed).kind == sandbox.READ_ONLY:
            pytest.skip("no overlay can be mounted here")
        ran = run(boxed, "echo text > made.txt && cat made.txt && git add made.txt && git status --short")
        assert ran.outcome.holds, ran.output
        assert ran.output == b"text\nA  made.txt\n"
        assert boxed.changed() == []

    def test_a_temporary_folder_in_the_home_is_no_hindrance(
        self, boxed: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        before = _sandbox_here(boxed)
        (tmp_path / "home/tmp").mkdir(parents=True)
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setattr(commands.tempfile, "tempdir", str(tmp_path / "home/tmp"))
        assert _sandbox_here(boxed).kind == before.kind
        run(boxed, "echo x > ~/made")
        assert os.listdir(tmp_path / "home") == ["tmp"]

    def test_it_writes_nowhere_else(self, boxed: Repo, tmp_path: Path) -> None:
        outside = tmp_path / "outside.txt"
        home = os.environ["HOME"]
        run(boxed, f"echo x > {outside}; echo x > {home}/made.txt; echo x > /etc/made.txt; echo x > /tmp/made.txt")
        assert not outside.exists()
        assert not any(os.path.exists(f"{folder}/made.txt") for folder in (home, "/etc", "/tmp"))

    def test_it_reaches_no_network_and_no_other_process(self, boxed: Repo) -> None:
        ran = run(boxed, "cat /proc/net/dev; ls -d /proc/[0-9]*")
        assert b"lo:" in ran.output
        assert b"eth" not in ran.output
        assert f"/proc/{os.getppid()}\n".encode() not in ran.output

    def test_caches_can_be_written_in_vain(self, boxed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        if _sandbox_here(boxed).kind == sandbox.READ_ONLY:
            pytest.skip("no overlay can be mounted here")
        cache = tmp_path / "cache"
        cache.mkdir()
        (cache / "kept").write_text("warm\n")
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        ran = run(boxed, f"cat {cache}/kept; echo x > {cache}/new && rm {cache}/kept && ls {cache}; mktemp -u")
        assert ran.output.startswith(b"warm\nnew\n/tmp/")
        assert os.listdir(cache) == ["kept"]

    def test_the_repositorys_own_cache_lasts(
        self, boxed: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        home = tmp_path / "home"
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert run(boxed, "mkdir -p ~/.cache/tool && echo kept > ~/.cache/tool/file").outcome.holds
        assert run(boxed, "cat ~/.cache/tool/file").output == b"kept\n"
        assert os.listdir(home / ".cache") == []
        other = Repo(tmp_path / "other")
        assert run(other, "test ! -e ~/.cache/tool").outcome.holds

    def test_no_socket_and_no_fifo_of_the_home_is_reached(
        self, boxed: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        home = tmp_path / "home"
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        os.mkfifo(home / "fifo")
        reader = os.open(home / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(home / "socket"))
            server.listen()
            connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
            ran = run(boxed, f'{sys.executable} -c "{connect}" {home}/socket')
            assert ran.status == 1, ran.output
            run(boxed, "echo secret > ~/fifo & sleep 0.3")
            assert os.read(reader, 10) == b""
        os.close(reader)

    def test_where_no_overlay_can_be_mounted_all_is_read_only_but_the_cache(
        self, boxed: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(sandbox, "_LAYERS", ())
        home = tmp_path / "home"
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("XDG_CACHE_HOME")
        os.mkfifo(home / "fifo")
        reader = os.open(home / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        assert _sandbox_here(boxed).kind == sandbox.READ_ONLY
        ran = run(boxed, "echo x > made.txt; echo x > ~/made; echo x > ~/fifo; echo kept > ~/.cache/kept; exit 1")
        assert ran.outcome.reason.endswith(" s; it wrote to a folder that is read-only in this sandbox")
        assert os.read(reader, 10) == b""
        os.close(reader)
        assert (boxed.changed(), sorted(os.listdir(home))) == ([], [".cache", "fifo"])
        assert run(boxed, "cat ~/.cache/kept").output == b"kept\n"
        assert os.listdir(home / ".cache") == []

    def test_what_waits_in_a_temporary_folder_is_not_reached(self, boxed: Repo) -> None:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.mkfifo(f"{folder}/fifo")
            reader = os.open(f"{folder}/fifo", os.O_RDONLY | os.O_NONBLOCK)
            assert run(boxed, f"test ! -e {folder} && mkdir {folder} && echo x > {folder}/fifo").outcome.holds
            assert os.read(reader, 10) == b""
            os.close(reader)

    def test_a_socket_elsewhere_is_not_reached(self, boxed: Repo) -> None:
        try:
            folder = tempfile.mkdtemp(dir="/var/lib")
        except OSError:
            pytest.skip("only root can make a socket in a folder of the system")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{folder}/socket")
            server.listen()
            connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
            ran = run(boxed, f'{sys.executable} -c "{connect}" {folder}/socket')
        shutil.rmtree(folder)
        assert ran.status == 1, ran.output

    @pytest.mark.parametrize("name", ["kernel/domainname", "vm/swappiness"])
    def test_settings_of_the_kernel_are_out_of_reach_for_root_too(self, boxed: Repo, name: str) -> None:
        path = Path("/proc/sys") / name
        before = path.read_text()
        ran = run(boxed, f"cat {path} && echo '{before.strip() or 1}' > {path}")
        assert ran.status != 0
        assert b"Read-only file system" in ran.output or os.getuid() != 0
        assert path.read_text() == before

    def test_what_asks_the_network_fails_at_once_and_is_told_so(self, boxed: Repo) -> None:
        text = "import urllib.request; urllib.request.urlopen('http://192.0.2.1/')"
        ran = run(boxed, f'{sys.executable} -c "{text}"')
        assert ran.outcome.reason.endswith("; it asked for the network, which the sandbox does not give")
        assert ran.seconds < 10

    def test_a_repository_behind_a_link(self, boxed: Repo, tmp_path: Path) -> None:
        if not os.access("/var/lib", os.W_OK):
            pytest.skip("only root can put a repository outside of the temporary folder and the home")
        real = Path(tempfile.mkdtemp(dir="/var/lib"))
        try:
            Repo(real / "repo")
            (real / "link").symlink_to(real)
            other = Repo.__new__(Repo)
            other.root = real / "link" / "repo"
            assert _sandbox_here(other).is_bubblewrap
            ran = run(other, "echo more >> README.md", required=True)
            assert ran.outcome.reason == "it changed README.md"
            assert "more" not in (real / "repo/README.md").read_text()
        finally:
            shutil.rmtree(real)

    def test_a_committed_bwrap_on_the_path_is_not_run(
        self, bare: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("bwrap", "unshare"):
            path = Path(bare.write(f"bin/{name}", f"#!/bin/sh\ntouch {tmp_path}/ran\n"))
            path.chmod(0o755)
        bare.commit()
        monkeypatch.setenv("PATH", f"{bare.root}/bin:{os.environ['PATH']}")
        assert run(bare, "true").kind == sandbox.NONE
        assert not (tmp_path / "ran").exists()

    def test_unshare_alone_takes_the_network_and_is_no_sandbox(
        self, bare: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = shutil.which("unshare", path="/usr/bin:/bin")
        if program is None:
            pytest.skip("unshare is not installed")
        (tmp_path / "bin/unshare").symlink_to(program)
        monkeypatch.setattr(sandbox, "_SYSTEM", (f"{tmp_path}/bin",))
        box = _sandbox_here(bare)
        if box.kind == sandbox.NONE:
            pytest.skip("unshare makes no namespaces here")
        assert (box.kind, box.reason) == (sandbox.UNSHARED, "bubblewrap (bwrap) is not installed")
        ran = run(bare, "cat /proc/net/dev; id -u")
        assert ran.outcome.holds, ran.output
        assert b"eth" not in ran.output
        assert run(bare, "echo more >> README.md").outcome.reason == "it changed README.md"
        assert not run(bare, "true", required=True).outcome.holds
        allow(bare, "true")
        runs = Commands(repository_of(bare), Conditions(), None)
        runs.look("true")
        assert runs.weakness.startswith("commands of conditions have no network here, but they can write wherever you")

    def test_an_ordinary_user_gets_the_same(self, boxed: Repo, tmp_path: Path) -> None:
        if os.getuid() != 0 or not shutil.which("setpriv"):
            pytest.skip("only root can become another user")
        home = Path(tempfile.mkdtemp(prefix="gatilho-user-", dir="/var/tmp"))
        try:
            shutil.copytree(CHECKOUT / "gatilho", home / "lib/gatilho")
            shutil.copytree(boxed.root, home / "repo")
            program = (
                "import sys; sys.path.insert(0, sys.argv[1] + '/lib')\n"
                "from gatilho.conditions import commands\n"
                "from gatilho.git.root import find_repository\n"
                "ran = commands.run_command(sys.argv[2], find_repository(sys.argv[1] + '/repo'), 20.0, True)\n"
                "print(ran.outcome.reason, ran.output.decode())\n"
            )
            subprocess.run(["chown", "-R", "65534:65534", str(home)], check=True)
            text = "id -u; echo x > made; echo x > ~/made; echo 1 > /proc/sys/vm/swappiness; echo x >> README.md"
            done = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", program,
                 str(home), text],
                env={"PATH": "/usr/bin:/bin", "HOME": str(home)}, cwd=home, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
            if "No module named" in done.stderr or "SyntaxError" in done.stderr:
                pytest.skip("the system's Python cannot run the package")
            assert done.stdout.startswith("it changed README.md 65534\n"), done.stdout + done.stderr
            assert not (home / "made").exists()
            assert not (home / "repo/made").exists()
        finally:
            shutil.rmtree(home)

    def test_it_is_who_it_was_and_has_no_power(self, boxed: Repo) -> None:
        ran = run(boxed, "id -u; cat /proc/self/status")
        lines = ran.output.decode().split("\n")
        assert lines[0] == str(os.getuid())
        assert "CapEff:\t0000000000000000" in lines

    def test_nothing_of_the_overlay_is_left(self, boxed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr(commands.tempfile, "tempdir", str(scratch))
        assert run(boxed, "mkdir d && touch d/e && rm README.md").status == 0
        assert os.listdir(scratch) == []

    def test_what_a_killed_hook_left_is_removed(
        self, boxed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(commands.tempfile, "tempdir", str(tmp_path))
        for name in ("gatilho-run-old", "gatilho-run-new", "others-old"):
            (tmp_path / name / "upper").mkdir(parents=True)
            when = time.time() - (0 if name.endswith("new") else 86400)
            os.utime(tmp_path / name, (when, when))
        assert run(boxed, "true").outcome.holds
        assert sorted(path.name for path in tmp_path.iterdir() if "-" in path.name) == ["gatilho-run-new", "others-old"]

    @pytest.mark.parametrize("name", ["with blanks", "a:b", "a,b", "a\\b", "ação"])
    def test_repositories_with_odd_names(self, boxed: Repo, tmp_path: Path, name: str) -> None:
        other = Repo(tmp_path / name)
        assert run(other, "test -f README.md", required=True).outcome.holds

    def test_a_linked_working_tree(self, boxed: Repo, tmp_path: Path) -> None:
        boxed.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
        other = Repo.__new__(Repo)
        other.root = tmp_path / "tree"
        assert run(other, "git rev-parse --verify HEAD", required=True).outcome.holds
        assert run(other, "rm README.md").outcome.reason == "it changed README.md"

    def test_where_it_has_to_be_and_is_not_nothing_runs(self, bare: Repo, tmp_path: Path) -> None:
        ran = run(bare, f"touch {tmp_path}/ran", required=True)
        assert ran.outcome.reason == "it may run in a sandbox only, and bubblewrap (bwrap) is not installed"
        assert not (tmp_path / "ran").exists()

    def test_one_that_does_not_work_is_none(self, bare: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox, "_SYSTEM", (f"{tmp_path}/bin",))
        broken = tmp_path / "bin" / "bwrap"
        broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        broken.chmod(0o755)
        box = _sandbox_here(bare)
        assert box.kind == sandbox.NONE
        assert box.reason == "bubblewrap does not work here: bwrap: No permissions to create new namespace"
        assert run(bare, "true").outcome.holds


class TestAllowing:
    def test_one_text_in_one_repository(self, repo: Repo, tmp_path: Path) -> None:
        other = Repo(tmp_path / "other")
        allow(repo, "pytest x.py")
        assert allowed.is_allowed(repository_of(repo), "pytest x.py")
        assert not allowed.is_allowed(repository_of(repo), "pytest  x.py")
        assert not allowed.is_allowed(repository_of(other), "pytest x.py")

    def test_all_its_working_trees(self, repo: Repo, tmp_path: Path) -> None:
        allow(repo, "pytest y.py")
        repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
        other = Repo.__new__(Repo)
        other.root = tmp_path / "tree"
        assert allowed.is_allowed(repository_of(other), "pytest y.py")

    def test_it_can_be_taken_back(self, repo: Repo) -> None:
        allow(repo, "true")
        assert allowed.withdraw(repository_of(repo), "true")
        assert not allowed.is_allowed(repository_of(repo), "true")
        assert not allowed.withdraw(repository_of(repo), "true")

    def test_another_repository_at_the_same_place_inherits_nothing(self, repo: Repo, tmp_path: Path) -> None:
        allow(repo, "true")
        repo.root.rename(tmp_path / "old")
        assert not allowed.is_allowed(repository_of(Repo(repo.root)), "true")
        shutil.rmtree(repo.root)
        (tmp_path / "old").rename(repo.root)
        assert allowed.is_allowed(repository_of(repo), "true")

    @pytest.mark.parametrize("way", ["a file", "a link", "a linked tree", "a folder of its own that names it"])
    def test_a_folder_that_names_a_trusted_git_directory_inherits_nothing(
        self, repo: Repo, tmp_path: Path, way: str
    ) -> None:
        allow(repo, "true")
        repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
        stranger = tmp_path / "stranger"
        stranger.mkdir()
        if way == "a link":
            (stranger / ".git").symlink_to(repo.root / ".git")
        elif way == "a folder of its own that names it":
            (stranger / "own").mkdir()
            (stranger / "own/HEAD").write_text("ref: refs/heads/main\n")
            (stranger / "own/commondir").write_text(f"{repo.root}/.git\n")
            (stranger / "own/gitdir").write_text(f"{stranger}/.git\n")
            (stranger / ".git").write_text("gitdir: own\n")
        else:
            named = f"{repo.root}/.git" + ("/worktrees/tree" if way == "a linked tree" else "")
            (stranger / ".git").write_text(f"gitdir: {named}\n")
        other = Repo.__new__(Repo)
        other.root = stranger
        assert allowed.is_allowed(repository_of(repo), "true")
        assert not allowed.is_allowed(repository_of(other), "true")

    def test_a_file_that_was_made_by_hand_permits_nothing(self, repo: Repo) -> None:
        allow(repo, "true")
        folder = Path(os.environ["XDG_STATE_HOME"]) / "gatilho/allowed"
        (newest,) = [path for path in folder.iterdir() if path.stat().st_mtime == max(
            one.stat().st_mtime for one in folder.iterdir())]  # fmt: skip
        data = newest.read_text()
        for spoilt in ("", "{}", data.replace('"true"', '"false"'), data.replace('"seal": "', '"seal": "0')):
            newest.write_text(spoilt)
            assert not allowed.is_allowed(repository_of(repo), "true"), spoilt
        allow(repo, "true")
        assert allowed.is_allowed(repository_of(repo), "true")

    def test_what_lies_in_the_repository_allows_nothing(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        allow(repo, "true")
        state = Path(os.environ["XDG_STATE_HOME"])
        shutil.copytree(state, repo.root / "state")
        monkeypatch.setenv("XDG_STATE_HOME", repo.path("state"))
        assert not allowed.is_allowed(repository_of(repo), "true")
        with pytest.raises(UsageError, match="a commit could bring an allowance"):
            allow(repo, "true")


class TestCommands:
    def test_what_nobody_allowed_is_not_run(self, bare: Repo, tmp_path: Path) -> None:
        runs = Commands(repository_of(bare), Conditions(), None)
        outcome = runs.look(f"touch {tmp_path}/ran")
        assert outcome is not None
        assert (outcome.holds, outcome.undecided, outcome.reason) == (False, True, NOT_ALLOWED)
        assert not (tmp_path / "ran").exists()

    def test_each_is_run_once(self, bare: Repo, tmp_path: Path) -> None:
        text = f"echo run >> {tmp_path}/log; test $(cat {tmp_path}/log | head -c 8 | wc -c) -gt 4"
        allow(bare, text)
        runs = Commands(repository_of(bare), Conditions(), None)
        assert runs.look(text) == runs.look(text)
        assert (tmp_path / "log").read_text() == "run\n"

    def test_the_budget_of_all(self, bare: Repo) -> None:
        allow(bare, "sleep 60", "sleep 61", "true")
        runs = Commands(repository_of(bare), Conditions(timeout=2), 3.5)
        first = runs.look("sleep 60")
        assert first is not None
        assert first.reason == "it did not end within 2 s"
        assert runs.look("sleep 61") is None  # ended by the budget, not by its own limit
        assert runs.look("true") is None
        assert runs.unrun == ["sleep 61", "true"]

    def test_each_has_its_share_of_the_time(self, bare: Repo) -> None:
        allow(bare, "sleep 60", "sleep 61", "true")
        runs = Commands(repository_of(bare), Conditions(timeout=5), 5.0)
        runs.look_at([["sleep 60"], ["sleep 61"], ["true"]])
        assert runs.unrun == ["sleep 60", "sleep 61"]
        assert runs.outcomes["true"].holds
        last = lastrun.last_run_of(repository_of(bare), "sleep 60")
        assert last is not None
        assert last.said == "does not hold (it was stopped after 1 s, its share of the time at a turn's end)"

    def test_what_was_cut_short_has_its_whole_time_the_next_time(self, bare: Repo) -> None:
        allow(bare, "sleep 1.7", "sleep 61")
        for budget in (2.6, 3.5):
            runs = Commands(repository_of(bare), Conditions(timeout=2), budget)
            runs.look_at([["sleep 61"], ["sleep 1.7"]])
            if budget == 2.6:
                assert runs.unrun == ["sleep 61", "sleep 1.7"]
        assert runs.outcomes["sleep 61"].reason == "it did not end within 2 s"

    def test_what_was_not_reached_goes_first(self, bare: Repo, tmp_path: Path) -> None:
        texts = [f"echo {name} >> {tmp_path}/order" for name in "abc"]
        allow(bare, *texts)
        for budget, reached in ((0.0, texts[2:]), (60.0, texts)):
            Commands(repository_of(bare), Conditions(), budget).look_at([[one] for one in reached])
        assert (tmp_path / "order").read_text().split() == ["c", "a", "b"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            pytest.param("echo a\0b", "it contains a NUL character, which no shell takes", id="a NUL"),
            pytest.param("true " + "x" * 140_000, "it is longer than 131,071 bytes, which no shell takes", id="long"),
            pytest.param("echo \ud800", "it could not be started: ", id="a lone surrogate"),
            pytest.param("gatilho settle", "it runs gatilho itself", id="gatilho"),
            pytest.param("cd x && python3 -m gatilho settle D-1", "it runs gatilho itself", id="the module"),
            pytest.param("env -i sh -c 'g=gati; ${g}lho settle'", "it runs gatilho itself", id="a name put together"),
            pytest.param("sh -c 'exec gatilho --root . hook < e'", "it runs gatilho itself", id="a hook"),
            pytest.param("echo '{}' | python3 scripts/gatilho.py", "it runs gatilho itself", id="the dispatcher"),
        ],
    )
    @pytest.mark.parametrize("is_allowed", [True, False])
    def test_what_cannot_be_run_costs_itself_alone(self, bare: Repo, text: str, said: str, is_allowed: bool) -> None:
        if not is_allowed and said.startswith("it could not be started"):
            said = NOT_ALLOWED
        allow(bare, "true", *([text] if is_allowed else []))
        runs = Commands(repository_of(bare), Conditions(), 30.0)
        runs.look_at([[text], ["true"]])
        assert runs.outcomes["true"].holds
        outcome = runs.outcomes[text]
        assert (outcome.holds, outcome.undecided) == (False, True)
        assert outcome.reason.startswith(said)

    @pytest.mark.parametrize(
        "text", ["gatilho check", "ruff check gatilho", "git grep -q x -- gatilho scripts", 'test -n "$(gatilho list)"']
    )
    def test_what_only_names_or_reads_is_run(self, text: str) -> None:
        assert why_impossible(text) == ""

    def test_the_last_run_is_kept_for_people(self, bare: Repo) -> None:
        allow(bare, "echo one; echo two; exit 1")
        Commands(repository_of(bare), Conditions(), None).look("echo one; echo two; exit 1")
        last = lastrun.last_run_of(repository_of(bare), "echo one; echo two; exit 1")
        assert last is not None
        assert last.lines == ("one", "two")
        assert last.said.startswith("does not hold (exit status 1 after ")
        assert bare.changed() == []

    def test_a_missing_sandbox_is_known(self, bare: Repo) -> None:
        allow(bare, "true")
        runs = Commands(repository_of(bare), Conditions(), None)
        runs.look("true")
        assert runs.missing == "bubblewrap (bwrap) is not installed"

"""`gatilho doctor` on real repositories whose set-up was spoilt in one place."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, Repo
from merging import charge, debt

from gatilho.cli import main
from gatilho.commands import doctor
from gatilho.conditions import commands
from gatilho.config import Conditions, Config
from gatilho.git.root import Repository
from gatilho.index.index import open_index
from gatilho.setup import dispatcher, driver
from gatilho.setup.doctor import hooks, interpreter, machine, merges, package, stores
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding

SETTINGS = ".claude/settings.json"
PRIVATE = ".claude/settings.local.json"


def repository(repo: Repo) -> Repository:
    return Repository(str(repo.root), f"{repo.root}/.git", f"{repo.root}/.git")


def texts(findings: list[Finding], *statuses: str) -> str:
    return "\n".join(one.text for one in findings if one.status in statuses)


def look_at_hooks(repo: Repo) -> list[Finding]:
    found, findings = hooks.find_registered(repository(repo))
    return findings + hooks.inspect(repository(repo), found)


@pytest.fixture(autouse=True)
def _plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `python3` that hooks call is the interpreter of the tests, not whatever shim the machine has."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(interpreter, "_RUNS", 1)


@pytest.fixture
def ready(repo: Repo) -> Repo:
    """A repository after `init`, committed."""
    assert main(["init", "--root", str(repo.root)]) == 0
    repo.table(debt("D-1", 1), debt("D-2", 1))
    return repo


def test_after_init_every_part_is_well_and_nothing_is_written(ready: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in ready.root.rglob("*") if path.is_file() and ".git/" not in str(path)}
    capsys.readouterr()
    assert main(["doctor", "--root", str(ready.root), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {one["part"] for one in told["findings"]} == {"hooks", "package", "speed", "tables", "merging", "sandbox"}
    assert told["fixed"] == []
    assert not [one for one in told["findings"] if one["status"] == "wrong"]
    assert {path: path.read_bytes() for path in before} == before


def test_a_repository_without_anything(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--root", str(repo.root)]) == 1
    shown = capsys.readouterr().out
    assert "wrong   hooks    no settings of any host call gatilho here\n" in shown
    assert "                 -> run `gatilho init`\n" in shown
    assert "note    tables   docs/gatilhos is not here\n" in shown
    assert repo.changed() == []


class TestSandbox:
    """What commands of conditions run in, tried as a turn's end tries it."""

    def test_it_says_which_kind_there_is(self, repo: Repo) -> None:
        found = commands.find_sandbox(repository(repo))
        (finding,) = machine.inspect(repository(repo), Config())
        word = {"none": "none: ", "unshare": "none: ", "read-only": "read-only: "}.get(found.kind, "full: ")
        assert finding.text.startswith(word)
        assert finding.status == (OK if word == "full: " else NOTE)

    def test_without_one_that_is_required_something_is_wrong(
        self, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        finding, *_ = machine.inspect(repository(repo), Config(conditions=Conditions(sandbox="required")))
        assert (finding.status, finding.text) == (
            WRONG,
            "none: bubblewrap (bwrap) is not installed: no condition runs a command",
        )
        assert finding.remedy.startswith("install bubblewrap")


class TestHooks:
    """The settings of the host, and the call of what they register."""

    def test_the_registered_command_answers(self, ready: Repo) -> None:
        findings = look_at_hooks(ready)
        assert texts(findings, WRONG, NOTE) == ""
        assert "the command of .claude/settings.json answers" in texts(findings, OK)
        assert not (ready.root / ".git/gatilho/sessions.db").exists()

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            pytest.param('"Stop": [', '"Stopp": [', "does not call gatilho on Stop", id="an event is missing"),
            pytest.param(
                '"Stop": [\n      {',
                '"Stop": [\n      {"matcher": "",',
                'a call of gatilho has `"matcher": ""`',
                id="empty matcher",
            ),
            pytest.param('"timeout": 90', '"timeout": 5', "too short a time limit", id="a short time limit"),
        ],
    )
    def test_settings_that_differ_are_fixed(self, ready: Repo, before: str, after: str, said: str) -> None:
        good = ready.read(SETTINGS)
        assert before in good
        ready.write(SETTINGS, good.replace(before, after))
        wrong = [one for one in look_at_hooks(ready) if one.status == WRONG]
        assert said in wrong[0].text
        for one in wrong:
            assert one.fix is not None
            one.fix()
        assert texts(look_at_hooks(ready), WRONG) == ""

    def test_a_time_limit_that_the_settings_outgrew_is_fixed(self, ready: Repo) -> None:
        ready.write("gatilho.toml", "[conditions]\ntimeout = 100\n")
        wrong = [one for one in look_at_hooks(ready) if one.status == WRONG]
        assert "ends the hook of a turn's end after 90 s" in wrong[0].text
        assert "the hook may need 230 s" in wrong[0].text
        assert wrong[0].fix is not None
        wrong[0].fix()
        assert json.loads(ready.read(SETTINGS))["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 230
        assert texts(look_at_hooks(ready), WRONG) == ""

    def test_a_handler_twice_is_fixed(self, ready: Repo) -> None:
        settings = json.loads(ready.read(SETTINGS))
        settings["hooks"]["Stop"] *= 2
        ready.write(SETTINGS, json.dumps(settings))
        findings = look_at_hooks(ready)
        assert f"{SETTINGS}: it calls gatilho twice on Stop" in texts(findings, WRONG)
        for one in findings:
            if one.fix:
                one.fix()
        assert texts(look_at_hooks(ready), WRONG) == ""

    def test_two_files_that_both_call_are_a_persons_choice(self, ready: Repo) -> None:
        main(["init", "--local", "--root", str(ready.root)])
        wrong = [one for one in look_at_hooks(ready) if one.status == WRONG]
        assert [one.text for one in wrong] == [
            f"{SETTINGS} and {PRIVATE} both call gatilho: each event starts two processes"
        ]
        assert wrong[0].fix is None

    def test_a_dispatcher_that_fails_is_heard(self, ready: Repo) -> None:
        ready.write("scripts/gatilho.py", "raise SystemExit('broken on purpose')\n")
        wrong = texts(look_at_hooks(ready), WRONG)
        assert wrong.startswith(f"the command of {SETTINGS} does not answer (status 0: broken on purpose): python3 ")

    def test_libraries_for_another_python_are_told_in_words(self, ready: Repo, tmp_path: Path) -> None:
        (tmp_path / "other/regex").mkdir(parents=True)
        (tmp_path / "other/regex/__init__.py").write_text("raise ImportError('a circular import, perhaps')")
        (tmp_path / "other/regex/_regex.cpython-399-x86_64-linux-gnu.so").touch()
        note = ready.root / ".git/gatilho/package"
        note.write_text(f"{note.read_text().splitlines()[0]}\n{tmp_path}/other\n")
        wrong = texts(look_at_hooks(ready), WRONG)
        runs = "{}.{}".format(*sys.version_info)
        assert f"gatilho: it is installed for Python 3.99, and the hook runs Python {runs}" in wrong
        assert "`gatilho init --local`" in wrong
        assert "circular" not in wrong

    def test_a_python_that_is_another_one_is_the_remedys_subject(self, ready: Repo, tmp_path: Path) -> None:
        (tmp_path / "bin/python3").unlink()
        (tmp_path / "bin/python3").write_text("#!/bin/sh\necho 3 6\n")
        (tmp_path / "bin/python3").chmod(0o755)
        wrong = [one for one in look_at_hooks(ready) if one.status == WRONG]
        assert "which is 3.6 here" in wrong[0].remedy

    def test_settings_that_are_no_json_are_named(self, ready: Repo) -> None:
        ready.write(SETTINGS, "{,")
        assert f"{SETTINGS}:1:2: this is not JSON" in texts(look_at_hooks(ready), WRONG)

    @pytest.mark.parametrize("file", [PRIVATE, SETTINGS, "own/settings.json"])
    def test_hooks_that_are_switched_off_are_told(
        self, ready: Repo, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", ready.path("own"))
        settings = json.loads(ready.read(file)) if (ready.root / file).exists() else {}
        ready.write(file, json.dumps({**settings, "disableAllHooks": True}))
        assert "keeps Claude Code from calling any hook" in texts(look_at_hooks(ready), WRONG)
        if file != PRIVATE:
            ready.write(PRIVATE, '{"disableAllHooks": false}')
            assert texts(look_at_hooks(ready), WRONG) == ""

    @pytest.mark.parametrize(
        ("host", "file", "setting", "title"),
        [
            ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "Gemini CLI"),
            ("qwen", ".qwen/settings.json", '{"disableAllHooks": true}', "Qwen Code"),
            ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "it"),
        ],
    )
    def test_so_are_those_of_other_hosts(
        self,
        ready: Repo,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        host: str,
        file: str,
        setting: str,
        title: str,
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "person"))
        main(["init", "--root", str(ready.root), "--host", host])
        (tmp_path / "person" / file).parent.mkdir(parents=True)
        (tmp_path / "person" / file).write_text(setting)
        assert f"keeps {title} from calling any hook" in texts(look_at_hooks(ready), WRONG)

    def test_the_off_switch_is_noted(self, ready: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GATILHO", "off")
        findings = look_at_hooks(ready)
        assert texts(findings, NOTE).startswith("GATILHO=off is set here")
        assert texts(findings, WRONG) == ""


class TestInterpreter:
    """What eats the time of a call."""

    @pytest.fixture(autouse=True)
    def _several(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(interpreter, "_RUNS", 3)

    def look(self, repo: Repo) -> list[Finding]:
        return interpreter.inspect(repository(repo), hooks.find_registered(repository(repo))[0])

    def test_a_call_is_measured_against_the_bare_interpreter(self, ready: Repo) -> None:
        first = self.look(ready)[0]
        assert first.text.startswith("a hook that matches no row takes ")
        assert "times the bare interpreter's" in first.text
        assert first.text.endswith(f"({os.environ['PATH'].split(os.pathsep)[0]}/python3)")

    def test_a_shim_is_named(self, ready: Repo, tmp_path: Path) -> None:
        shim = tmp_path / "bin/python3"
        shim.unlink()
        shim.write_text(f'#!/bin/sh\nsleep 0.3\nexec "{os.path.realpath(sys.executable)}" "$@"\n')
        shim.chmod(0o755)
        notes = texts(self.look(ready), NOTE)
        assert f"`python3` is a version manager's shim ({shim}): it adds " in notes

    def test_an_interpreter_that_its_name_finds_at_once_is_no_detour(self, tmp_path: Path) -> None:
        path = f"{tmp_path}/bin/python3"
        assert "shim" not in interpreter._calls("python3", path)
        assert "shim" in interpreter._calls("python3", f"{tmp_path}/elsewhere/python3")

    def test_runs_are_taken_in_turns(self) -> None:
        """A busy while, here the second run of each, moves no median."""
        clock, calls = itertools.count(), []

        def call(name: str) -> Callable[[], object]:
            return lambda: (calls.append(name), [next(clock) for _ in range(99 if calls.count(name) == 2 else 4)])

        assert interpreter._medians({"a": call("a"), "b": call("b")}, lambda: next(clock)) == {"a": 5, "b": 5}
        assert calls[:4] == ["a", "b", "a", "b"]

    def test_a_pth_file_that_runs_code_is_named(self, tmp_path: Path) -> None:
        venv.create(tmp_path / "slow", with_pip=False)
        python = tmp_path / "slow/bin/python3"
        packages = next((tmp_path / "slow").glob("lib/python*/site-packages"))
        (packages / "late.pth").write_text("import time; time.sleep(0.3)\n")
        (packages / "paths.pth").write_text("/some/where\n")
        took = interpreter._medians(interpreter._calls(str(python), str(python)))
        findings = interpreter._causes(f"{python} -I {dispatcher.installed()}", str(python), str(python), took)
        assert f"{packages}/late.pth runs at each start" in texts(findings, NOTE)
        assert "paths.pth" not in texts(findings, NOTE)
        assert any("start the hook with `-I -S`" in one.remedy for one in findings)

    def test_an_interpreter_that_cannot_be_started(self, ready: Repo, tmp_path: Path) -> None:
        (tmp_path / "bin/python3").unlink()
        (tmp_path / "bin/python3").write_text("#!/bin/sh\nexit 9\n")
        (tmp_path / "bin/python3").chmod(0o755)
        assert "`python3` of .claude/settings.json cannot be started" in texts(self.look(ready), NOTE)
        assert "does not answer" in texts(look_at_hooks(ready), WRONG)


class TestPackage:
    """The note in the git directory, and the dispatcher."""

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            pytest.param(None, "is missing: each hook has to search", id="missing"),
            pytest.param("/no/where\n", "names /no/where, where no gatilho is", id="of a place that is gone"),
        ],
    )
    def test_the_note_is_written_again(self, ready: Repo, content: str | None, said: str) -> None:
        note = ready.root / ".git/gatilho/package"
        good = note.read_bytes()
        note.unlink()
        if content:
            note.write_text(content)
        wrong = [one for one in package.inspect(repository(ready), []) if one.status == WRONG]
        assert said in wrong[0].text
        wrong[0].fix()
        assert note.read_bytes() == good

    def test_an_older_dispatcher_is_refreshed(self, ready: Repo) -> None:
        ready.write("scripts/gatilho.py", "# gatilho dispatcher 1: an older text\n")
        found = hooks.find_registered(repository(ready))[0]
        wrong = [one for one in package.inspect(repository(ready), found) if one.status == WRONG]
        assert [one.text for one in wrong] == ["scripts/gatilho.py is an older one"]
        wrong[0].fix()
        assert ready.read_bytes("scripts/gatilho.py") == dispatcher.dispatcher_text()


class TestTables:
    """Tables, index and ledger."""

    def test_an_index_that_lies_is_thrown_away(self, ready: Repo) -> None:
        with open_index(repository(ready)) as index:
            index.connection.execute("UPDATE row SET note = 'something else'")
        wrong = [one for one in stores.inspect(repository(ready)) if one.status == WRONG]
        assert "differs from the files: a bug in gatilho" in wrong[0].text
        wrong[0].fix()
        assert texts(stores.inspect(repository(ready)), WRONG) == ""
        with open_index(repository(ready)) as index:
            assert index.rows()[0].row.note == "a note"

    def test_cells_behind_the_ledger_are_raised(self, ready: Repo) -> None:
        charge(ready, "D-1", "one", rides_in="ledger")
        notes = [one for one in stores.inspect(repository(ready)) if one.status == NOTE]
        assert [one.text for one in notes] == ["cells are below the count of the ledger, which is in force (D-1)"]
        notes[0].fix()
        assert ready.rides("D-1") == 2

    def test_rows_that_cannot_be_read_are_for_check(self, ready: Repo) -> None:
        ready.write(BACKLOG, ready.read(BACKLOG).replace("| 1 | owed |", "| one | owed |", 1))
        assert any(
            one.remedy == "run `gatilho check`" for one in stores.inspect(repository(ready)) if one.status == WRONG
        )


class TestMerging:
    """The merge driver, proven by a real merge."""

    def test_it_goes_through_the_driver(self, ready: Repo) -> None:
        before = ready.git("for-each-ref") + ready.git("config", "--list", "--local")
        findings = merges.inspect(repository(ready))
        assert texts(findings, WRONG, NOTE) == ""
        assert "a real merge in a temporary clone goes through the driver" in texts(findings, OK)
        assert ready.git("for-each-ref") + ready.git("config", "--list", "--local") == before
        assert ready.changed() == []

    def test_private_attributes_do_as_well(self, repo: Repo) -> None:
        main(["init", "--local", "--root", str(repo.root)])
        assert texts(merges.inspect(repository(repo)), WRONG, NOTE) == ""

    def test_a_repository_without_a_commit(self, tmp_path: Path) -> None:
        empty = tmp_path / "empty"
        empty.mkdir()
        subprocess.run(["git", "init", "--quiet", str(empty)], check=True)
        main(["init", "--root", str(empty)])
        assert texts(merges.inspect(Repository(str(empty), f"{empty}/.git", f"{empty}/.git")), WRONG, NOTE) == ""

    def test_a_driver_that_is_not_registered_is(self, ready: Repo) -> None:
        driver.unregister_driver(str(ready.root))
        wrong = [one for one in merges.inspect(repository(ready)) if one.status == WRONG]
        assert wrong[0].text.startswith("no merge driver: ")
        wrong[0].fix()
        assert driver.registered(str(ready.root)) == driver.command()

    def test_another_driver_than_ours_is_named_and_not_run(self, ready: Repo, tmp_path: Path) -> None:
        ready.git("config", driver.KEY, f"touch {tmp_path}/ran")
        wrong = texts(merges.inspect(repository(ready)), WRONG)
        assert "the merge driver registered here is another one: touch" in wrong
        assert not (tmp_path / "ran").exists()

    def test_attributes_that_are_overruled_are_found_out(self, ready: Repo) -> None:
        ready.write(".gitattributes", driver.LINE + b"\n*.md merge=union\n")
        wrong = [one for one in merges.inspect(repository(ready)) if one.status == WRONG]
        assert "is overridden for docs/gatilhos/backlog.md" in wrong[0].text
        assert wrong[0].fix is None

    def test_attributes_that_are_overruled_for_one_table_are_found_out(self, ready: Repo) -> None:
        ready.write("docs/gatilhos/.gitattributes", "rules.md -merge\n")
        wrong = texts(merges.inspect(repository(ready)), WRONG)
        assert "is overridden for docs/gatilhos/rules.md" in wrong

    def test_missing_attributes_are_added(self, ready: Repo) -> None:
        ready.write(".gitattributes", "*.png binary\n")
        wrong = [one for one in merges.inspect(repository(ready)) if one.status == WRONG]
        wrong[0].fix()
        assert ready.read(".gitattributes") == "*.png binary\n" + driver.LINE.decode() + "\n"


def test_fix_mends_all_that_it_can_and_says_so(ready: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    driver.unregister_driver(str(ready.root))
    (ready.root / ".git/gatilho/package").unlink()
    assert main(["doctor", "--root", str(ready.root), "--fix"]) == 0
    fixed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fixed ")]
    assert len(fixed) == 2
    assert texts(list(doctor.examine(repository(ready))), WRONG) == ""


def test_a_fix_that_could_not_be_written_is_not_said_to_be_done(ready: Repo) -> None:
    state = ready.root / ".git/gatilho"
    shutil.rmtree(state)
    state.write_text("in the way")
    (before,) = [one for one in package.inspect(repository(ready), []) if one.status == WRONG]
    assert before.remedy == f"make {state} a folder that you may write"
    assert before.fix is not None
    before.fix()
    assert doctor._gone([before], package.inspect(repository(ready), [])) == []
    assert main(["list", "--root", str(ready.root)]) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_it_found_is_said_at_once_and_its_folders_go_with_it(ready: Repo, tmp_path: Path, number: int) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "gatilho", "doctor", "--root", str(ready.root)],
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
    )
    assert running.stdout is not None
    assert running.stdout.readline().startswith(b"ok      hooks    ")
    assert running.poll() is None
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert list(folder.glob("gatilho-doctor-*")) == []

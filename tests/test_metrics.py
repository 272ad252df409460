"""What is counted of sessions: outcomes of warnings, answered prompts, what came before the first edit; no text."""

import json
from pathlib import Path

from builders import Repo, run_cli, run_hook
from ladder_steps import Play, fall_silent, state_of

from gatilho.memory import metrics
from gatilho.memory.metrics import FirstEdit, RowOutcome, SessionRecord

HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state | kind | holds while |\n"
    "| --- | --- | --- | --- | --- | ---: | --- | --- | --- |\n"
)
PITFALL = "| P-1 | rule | `path: ^src/a\\.py$` | a.py never prints. | | 0 | rule | pitfall | `lacks src/a.py print` |"
DEBT = "| D-1 | debt | `path: ^src/a\\.py$` | a.py has no test. | `exists test_a.py` | 0 | owed | | |"
QUESTION = "| Q-1 | rule | `prompt: deploy` | Deploys go by the queue. | | 0 | rule | | |"


def day_record(number: int, day: str, *outcomes: tuple[str, str, str], heard: str = "R-1") -> SessionRecord:
    made = tuple(RowOutcome("", row_id, about, result, day) for row_id, about, result in outcomes)
    return SessionRecord(f"{number:08x}", "claude", day, (("", heard),), made, "/h/t.jsonl")


def test_a_session_is_read_back_from_its_line() -> None:
    record = day_record(1, "2026-05-04", ("R-1", "warning", "heeded"))
    assert metrics.read_session(metrics.session_line(record).encode()) == record
    edit = FirstEdit("00000001", "2026-05-04", 3, 400)
    assert metrics.read_first_edit(metrics.first_edit_line(edit).encode()) == edit
    for broken in (b"", b"{", b"[]", b"{}", b'{"heard": 1}'):
        assert metrics.read_session(broken) is None
        assert metrics.read_first_edit(broken) is None


def test_figures_of_sessions() -> None:
    asked = ("Q-1", "prompt", "answered")
    records = [
        day_record(1, "2026-05-04", ("P-1", "warning", "ignored"), asked),
        day_record(2, "2026-06-02", ("P-1", "warning", "ignored"), asked),
        day_record(3, "2026-08-01", ("P-1", "warning", "heeded"), asked, heard="P-1"),
        day_record(3, "2026-08-01", ("P-1", "warning", "heeded"), asked, heard="P-1"),
    ]
    found = metrics.behaviour_of(records)
    assert (found.sessions, found.since) == (3, "2026-05-04")
    assert found.fires == ((("", "R-1"), 2), (("", "P-1"), 1))
    assert (found.ignored, found.heeded) == (((("", "P-1"), 2),), ((("", "P-1"), 1),))
    assert (found.answered, found.repeated) == (((("", "Q-1"), 3),), ((("", "Q-1"), 1),))
    assert found.weeks == (("2026-05-04", 0, 1), ("2026-06-01", 0, 1), ("2026-07-27", 1, 0))


def transcript(*parts: dict[str, object]) -> list[bytes]:
    return [json.dumps({"type": "assistant", "message": {"content": [part]}}).encode() for part in parts]


def test_what_comes_before_the_first_edit() -> None:
    read = {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}
    result = {"type": "tool_result", "content": "x" * 100}
    edit = {"type": "tool_use", "name": "Edit", "input": {"file_path": "a"}}
    found = metrics.before_first_edit([b"no json", *transcript(read, result, read, edit, read)])
    assert found is not None
    assert found[0] == 2
    assert 100 <= found[1] < 200
    assert metrics.before_first_edit(transcript(read, result)) is None
    patch = {"type": "custom_tool_call", "name": "exec", "input": "*** Begin Patch"}
    assert metrics.before_first_edit([json.dumps({"payload": patch}).encode()]) == (0, 0)


def figures(repo: Repo, *arguments: str) -> dict[str, float]:
    said = json.loads(run_cli("health", "--json", *arguments, cwd=repo.root).stdout)
    return {one["name"]: one["value"] for section in said["sections"] for one in section["figures"]}


def test_warnings_are_heeded_or_ignored_by_what_the_files_show(repo: Repo) -> None:
    repo.write("src/a.py", "x = 1\n")
    repo.table(PITFALL, DEBT, QUESTION, header=HEADER)
    first = Play(repo)
    first.read("src/a.py")
    first.wrote("src/a.py", "print(1)\n")
    first.stop()
    assert figures(repo, "--behaviour")["ignored"] == 2
    second = Play(repo)
    second.prompt("please deploy the secret thing")
    second.read("src/a.py")
    second.wrote("src/a.py", "x = 2\n")
    second.wrote("test_a.py", "x = 2\n")
    second.stop()
    found = figures(repo, "--behaviour")
    assert (found["heeded"], found["ignored"], found["answered"]) == (2, 2, 1)
    state = state_of(repo)
    assert b"secret thing" not in b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())


def test_a_forgotten_session_stays_in_the_figures(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "x = 1\n")
    repo.table(PITFALL, header=HEADER)
    kept = tmp_path / "t.jsonl"
    read = {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}
    kept.write_bytes(b"\n".join(transcript(read, {"type": "tool_use", "name": "Edit", "input": {}})))
    play = Play(repo)
    run_hook({**play.session.session_start("startup"), "transcript_path": str(kept)})
    play.wrote("src/a.py", "print(1)\n")
    play.stop()
    assert figures(repo, "--behaviour")["first-edit-calls"] == 1
    kept.unlink()
    fall_silent(repo, play.session, 8 * 86400)
    Play(repo).start()
    found = figures(repo, "--behaviour")
    assert (found["ignored"], found["first-edit-sessions"], found["first-edit-calls"]) == (1, 1, 1)

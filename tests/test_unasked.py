"""What a command changed without a question: it is seen after it ran, reported in one line and entered by the agent."""

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_cli, run_hook
from ladder_steps import Play, Session

from gatilho.hosts import catalog
from gatilho.tables import ALWAYS_REGISTERED, REGISTRATIONS

OWED = row("D-1", r"path: ^src/a\.py$", "a note", paid_when=r"contains src/a.py \bDONE\b", rides=3)
SEEN = "changed while a command of the agent ran, without a question"


@pytest.fixture
def play(repo: Repo) -> Play:
    repo.write("src/a.py", "x = 1\n")
    repo.write("gatilho.toml", "ask_after = 3\n")
    repo.write("scripts/gatilho.py", "# not run here\n")
    repo.write(
        "change.py",
        "import pathlib, sys\np = pathlib.Path(sys.argv[1])\n"
        "p.write_text(p.read_text().replace(sys.argv[2], sys.argv[3]))\n",
    )
    repo.table(OWED)
    made = Play(repo, Session(repo, mode="bypassPermissions"))
    made.start()
    return made


def by_script(name: str, old: str, new: str) -> str:
    return f"python3 change.py $(printf %s {name}) '{old}' '{new}'"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("| D-1 |", "| ~~D-1~~ |", "struck"),
        ("| owed |", "| revoked |", "state owed -> revoked"),
        ("| 3 |", "| 0 |", "rides 3 -> 0"),
        ("| debt |", "| rule |", "debt -> rule"),
        (r"^src/a\.py$", "^src/zzz$", "trigger changed"),
        ("contains src/a.py", "lacks src/a.py", "condition changed"),
        (r"^src/a\.py$` | a note | `contains", "^src/zzz$` | a note | `lacks", "trigger changed, condition changed"),
        ("| D-1 |", "| D-2 |", "removed"),
    ],
)
def test_a_row_that_a_script_settled_is_reported_and_entered_by_the_agent(
    play: Play, old: str, new: str, text: str
) -> None:
    before, after = play.bash(by_script(BACKLOG, old, new))
    assert before.decision == ""
    assert after is not None
    assert f"{SEEN}: D-1 ({text}, docs/gatilhos/backlog.md:3)" in after.person
    notes = play.repo.ledger("passed anyway")
    assert [(note["id"], note["by"]) for note in notes] == [("D-1", "agent claude")]
    assert text.split()[0] in notes[0]["evidence"]


def test_a_strike_is_the_agents_in_diff_and_log(play: Play) -> None:
    play.bash(by_script(BACKLOG, "| D-1 |", "| ~~D-1~~ |"))
    assert [line["by"] for line in play.repo.ledger("paid")] == ["agent claude"]
    assert "by the agent" in run_cli("log", "D-1", cwd=play.repo.root).stdout
    assert "by the agent" in run_cli("diff", cwd=play.repo.root).stdout


@pytest.mark.parametrize(("name", "old", "new"), [("gatilho.toml", "3", "99"), ("scripts/gatilho.py", "not", "never")])
def test_configuration_and_registration_are_seen(play: Play, name: str, old: str, new: str) -> None:
    play.repo.write("go.sh", f"python3 change.py {name} {old} {new}\n")
    before, after = play.bash("sh go.sh")
    assert before.decision == ""
    assert after is not None
    assert f"{SEEN}: {name}" in after.person


def test_a_ledger_file_that_is_removed_is_seen(play: Play) -> None:
    play.wrote("src/a.py", "x = 2\n")
    play.stop()
    (ledger,) = (play.repo.root / "docs/gatilhos/ledger").glob("*.md")
    play.repo.write("go.sh", "rm -r docs/*/ledger/2*\n")
    _, after = play.bash("sh go.sh")
    assert after is not None
    assert f"{SEEN}: docs/gatilhos/ledger/{ledger.name}" in after.person


def test_what_may_be_free_is_not_reported(play: Play) -> None:
    play.repo.write("go.sh", f"python3 change.py {BACKLOG} 'a note' 'another note'\n")
    _, after = play.bash("sh go.sh")
    assert after is not None
    assert SEEN not in after.person
    assert play.repo.ledger("passed anyway") == []


def test_what_a_pull_brings_is_gits(play: Play) -> None:
    play.repo.git("checkout", "-q", "-b", "other")
    play.repo.write(BACKLOG, HEADER + OWED.replace("| owed |", "| revoked |") + "\n")
    play.repo.commit()
    play.repo.git("checkout", "-q", "main")
    play.read("README.md")
    _, after = play.bash("git merge -q other")
    assert after is not None
    assert SEEN not in after.person


def test_what_a_command_takes_back_after_git_went_elsewhere_is_its_own(play: Play) -> None:
    play.repo.write(BACKLOG, play.repo.read(BACKLOG).replace("| 3 |", "| 4 |"))
    play.bash("git switch -q -c other")
    after = play.bash(by_script(BACKLOG, "| 4 |", "| 3 |"))[1]
    assert after is not None
    assert f"{SEEN}: D-1 (rides 4 -> 3, docs/gatilhos/backlog.md:3)" in after.person


@pytest.mark.parametrize(
    ("command", "taken_back"),
    [("git merge -q other", False), ("git pull -q --rebase . other", False), ("git merge -q --no-ff other", True)],
    ids=["a pack", "a pack below own commits", "a revert"],
)
def test_ledger_files_that_a_pull_removes_are_gits(play: Play, command: str, taken_back: bool) -> None:
    play.wrote("src/a.py", "x = 2\n")
    play.stop()
    play.repo.commit("A ride")
    play.repo.git("checkout", "-q", "-b", "other")
    if taken_back:
        play.repo.git("revert", "--no-edit", "HEAD")
    else:
        (name,) = play.repo.git("ls-files", "docs/gatilhos/ledger").split()
        play.repo.git("mv", name, "docs/gatilhos/ledger/2026-01-0123456789abcdef.md")
        play.repo.commit("Pack a month")
    play.repo.git("checkout", "-q", "main")
    if "rebase" in command:
        play.repo.write("own.txt", "x\n")
        play.repo.commit("own")
    play.read("README.md")
    _, after = play.bash(command)
    assert after is not None
    assert SEEN not in after.person
    play.stop()
    assert play.repo.ledger("passed anyway") == []


@pytest.mark.parametrize(
    "script",
    [
        "rm docs/*/ledger/2*",
        "git reset -q --hard HEAD~1; git branch -f main; git pull -q . main",
        "git checkout -q main~1; git branch -f main; git branch -f feature; git checkout -q feature",
    ],
)
def test_ledger_files_that_go_while_git_goes_somewhere_are_seen(play: Play, script: str) -> None:
    play.wrote("src/a.py", "x = 2\n")
    play.stop()
    play.repo.commit("A ride")
    play.repo.git("checkout", "-q", "-b", "feature")
    play.repo.write("go.sh", script)
    _, after = play.bash("sh go.sh")
    assert after is not None
    assert SEEN in after.person


def test_what_the_owner_said_yes_to_is_not_reported(repo: Repo) -> None:
    repo.write("src/a.py", "x = 1\n")
    repo.table(OWED)
    play = Play(repo, Session(repo, mode="default"))
    play.start()
    command = "sed -i 's/| owed |/| revoked |/' docs/gatilhos/backlog.md"
    assert run_hook(play.session.pre("Bash", command=command)).decision == "ask"
    repo.write(BACKLOG, HEADER + OWED.replace("| owed |", "| revoked |") + "\n")
    assert SEEN not in run_hook(play.session.post("Bash", command=command)).person


def test_a_condition_that_came_past_the_question_is_not_believed_once_it_is_committed(play: Play) -> None:
    play.repo.write("go.sh", f"python3 change.py {BACKLOG} 'contains src/a.py' 'lacks src/a.py'; git commit -qam x\n")
    play.bash("sh go.sh")
    play.wrote("src/a.py", "x = 3\n")
    play.stop()
    assert play.repo.cell("D-1", "state") == "owed"
    play.wrote("src/a.py", "DONE\n")  # it fails
    play.wrote("src/a.py", "x = 4\n")
    play.stop()
    assert play.repo.cell("D-1", "state") == "paid"


def test_the_files_that_register_hooks_are_all_compared() -> None:
    assert {*ALWAYS_REGISTERED, *REGISTRATIONS} == {"scripts/gatilho.py", *catalog.guarded_files()}

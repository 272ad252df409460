"""A write that pays passes from a shell too, where the text of the command shows what it leaves in the files."""

import pytest
from builders import Repo, row
from ladder_steps import Play, Session

from gatilho.conditions.shell_outcome import overlay_of_command

A = "src/a.py"


@pytest.fixture
def play(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Play:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.root))
    repo.write(A, "x = 1\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "a note", paid_when=rf"contains {A} \bLIMIT\b", rides=3))
    return Play(repo, Session(repo, mode="bypassPermissions"))


PAYS = [
    f"cat > {A} <<'E'\nx = LIMIT\nE\n",
    f"cat <<E >> {A}\nx = LIMIT\nE\n",
    f"echo 'x = LIMIT' > {A}",
    f"echo x = LIMIT >> {A} 2>/dev/null",
    f"printf 'x = %s\\n' LIMIT > {A}",
    f"tee {A} <<'E' >/dev/null\nx = LIMIT\nE\n",
    f"echo LIMIT | tee -a {A}",
    "cd src && echo LIMIT > a.py",
    f"{{ echo a; echo LIMIT; }} > {A}",
    f"(echo LIMIT) > {A}",
    f"(cd src; echo a && echo LIMIT) >> {A}",
    f"{{ echo a; cat <<'E'\nLIMIT\nE\n}} | tee {A}",
    "(cd src && echo LIMIT > a.py)",
    f"cat > \"$PWD/{A}\" <<'E'\nx = LIMIT\nE\n",
    f"echo LIMIT > $(pwd)/{A}",
    "cd src && echo LIMIT > ${PWD}/a.py",
    f'cd src && echo LIMIT > "$(git rev-parse --show-toplevel)/{A}"',
    f'f={A}; echo LIMIT > "$f"',
    f'echo LIMIT > "$CLAUDE_PROJECT_DIR"/{A}',
    f"mkdir -p src && echo LIMIT > {A} && git add {A}",
    f"set -eu\necho LIMIT > {A}\nchmod +x {A} && python3 -m py_compile {A}",
    f"mkdir -p src; echo LIMIT > {A}; git add {A}",
    f"echo LIMIT > n.py && cp n.py {A}",
    f"echo LIMIT | env X=1 dd of={A} status=none",
    f"bash -c 'tee -a {A} <<< LIMIT'",
]
ASKED = [
    f"echo y > {A}",
    f"cat > {A} <<'E'\ny = 2\nE",
    f"echo LIMIT > {A}; echo y > {A}",
    f"echo $LIMIT > {A}",
    f"cat > {A} <<E\n$(echo LIMIT)\nE",
    f"echo LIMIT > {A}; sed -i s/LIMIT/y/ {A}",
    f"false && echo LIMIT > {A}",
    f"set -e; echo y > {A}; false; echo LIMIT > {A}",
    f"echo LIMIT > {A}; python3 -c 'print(1)'",
    f"echo LIMIT > {A}; python3 -m black {A}",
    f"echo y > {A}; test 1 = 2 && echo LIMIT > {A}",
    f"test 1 = 2 && echo LIMIT > {A}; echo y >> {A}",
    f"echo y > {A}; grep -q z {A} && echo ok && echo LIMIT > {A}",
    f"false || echo LIMIT > {A}",
    f"if false; then echo LIMIT > {A}; fi",
    f"sed -i s/x/LIMIT/ {A}",
    f"echo LIMIT > {A}; echo $(echo y > {A})",
    f"{{ echo y; date; }} > {A}",
    f"{{ test 1 = 2 && echo LIMIT; }} > {A}",
    f"{{ echo LIMIT > {A}; echo y; }} > {A}",
    f"(cd src; echo LIMIT > a.py); echo y > {A}",
    f"cd src; {{ cd ..; echo LIMIT; }} > ../{A} && echo y > {A}",
    f'f={A}; f=$(cat x); echo LIMIT > "$f"; echo y > {A}',
    f"tee {A} <<< y",
    f"dd of={A} count=0 <<< LIMIT",
    f"cp README.md {A}",
    f"sh -c 'echo LIMIT > {A}'; sh -c 'echo y > {A}'",
]


@pytest.mark.parametrize("command", PAYS)
def test_a_command_that_pays_passes_and_pays(play: Play, command: str) -> None:
    before, after = play.bash(command)
    assert before.decision == ""
    assert after is not None
    play.stop()
    assert play.repo.cell("D-1", "state") == "paid"


@pytest.mark.parametrize("command", ASKED)
def test_a_command_that_does_not_or_may_not_is_stopped(play: Play, command: str) -> None:
    before, _ = play.bash(command)
    assert before.decision == "deny"


def test_where_the_result_cannot_be_read_the_message_says_what_to_use(play: Play) -> None:
    before, _ = play.bash(f"sed -i s/x/LIMIT/ {A}")
    assert "Use an edit tool for the paying change" in before.reason
    before, _ = play.bash(f"echo y > {A}")
    assert "Use an edit tool" not in before.reason


def test_the_bytes_are_those_that_a_shell_leaves(repo: Repo) -> None:
    import subprocess

    commands = [
        "cat > f <<'E'\n$x `y` \\n\n  z\nE", "printf 'a\\tb %s %%\\n' \"c d\" >> f", "echo -n x > f", "echo  a   'b  c' >> f",
        "cat > f <<-E\n\tone\n\ttwo\n\tE", "echo one | tee f", "printf '%s\\n' 'é' > f", "cat > 'a b' <<E\nx\nE", "true > f",
        "tee f <<< one", "tee -a f <<< 'one two'", "dd of=f status=none <<< one", "cp /dev/stdin f <<< x", "cat f - f <<< x > g",
        "install /dev/stdin f <<'E'\nx\nE", "echo -e 'a\\tb\\nc' > f", "mv f g", "printf -- '%s' x > f", "bash -c 'echo x >> f'",
    ]  # fmt: skip
    for command in commands:
        repo.write("f", "old\n")
        overlay = overlay_of_command(command, str(repo.root), str(repo.root))
        assert overlay, command
        subprocess.run(["bash", "-c", command], cwd=repo.root, check=True, stdout=subprocess.DEVNULL)
        for name, data in overlay.items():
            assert (repo.read_bytes(name) if (repo.root / name).exists() else None) == data, command

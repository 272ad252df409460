"""Packs: rows of another repository at a pinned commit, which warn here and do nothing else."""

import http.server
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row, run_hook
from claude_session import Session

DEBT = row("D-1", "path: ^README\\.md$", "Say how it is installed.", paid_when="contains README.md Install", rides=7)
RUNS = row("D-2", "path: ^README\\.md$", "It builds.", paid_when="passes touch ran", rides=7)


@pytest.fixture
def pack(tmp_path: Path) -> Repo:
    """The repository that others take rows from."""
    made = Repo(tmp_path / "house")
    made.table(DEBT, RUNS)
    return made


def pinned(repo: Repo, rev: str, git: str = "../house") -> None:
    repo.write("gatilho.toml", f'# pinned\n[packs.house]\ngit = "{git}"\nrev = "{rev}"\n')
    repo.table()


@contextmanager
def refusing_server(folder: Path) -> Iterator[str]:
    """Serve https on this machine, with an answer that wants a password; its host and port."""

    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="house"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    key = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(
        [*key, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "cert.pem"], cwd=folder, check=True,
        capture_output=True,
    )  # fmt: skip
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def head(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD").strip()


def test_rows_of_a_pack_warn_and_are_neither_charged_nor_asked_about(
    repo: Repo, pack: Repo, session: Session, run_cli: Callable[..., Output]
) -> None:
    pinned(repo, head(pack))
    said = run_cli("check")
    assert "GT246" in said.stdout
    assert "gatilho packs update --pinned" in said.stdout
    assert run_cli("packs", "update", "--pinned").stdout == f"house  {head(pack)[:10]}  fetched\n"
    assert run_cli("check").status == 0
    assert run_cli("packs").stdout == f"house  {head(pack)[:10]}  2 rows  ../house\n"
    path = repo.path("README.md")
    edit = {"file_path": path, "old_string": "# A project", "new_string": "# Install"}
    assert run_hook(session.pre("Edit", **edit)).decision == ""
    repo.write("README.md", "# Install\n")
    context = run_hook(session.post("Edit", **edit)).context
    assert "Say how it is installed." in context
    assert "It builds." in context
    run_hook(session.stop())
    assert repo.ledger() == []
    assert not (repo.root / "ran").exists()
    assert "belongs to no store that is written here" in run_cli("pay", "D-1", "--why", "x").stderr


def test_a_pin_moves_after_its_rows_are_shown(repo: Repo, pack: Repo, run_cli: Callable[..., Output]) -> None:
    old = head(pack)
    pinned(repo, old)
    pack.table(DEBT.replace("installed", "installed and run"), RUNS)
    shown = run_cli("packs", "update")
    assert shown.status == 3
    assert "Say how it is installed and run." in shown.stdout
    assert old in repo.read("gatilho.toml")
    moved = run_cli("packs", "update", "house", "--yes")
    assert moved.status == 0, moved.stderr
    assert repo.read("gatilho.toml") == f'# pinned\n[packs.house]\ngit = "../house"\nrev = "{head(pack)}"\n'
    assert "installed and run" in run_cli("show", "D-1").stdout
    assert run_cli("packs", "update").stdout == f"house  {head(pack)[:10]}  is the newest\n"
    pack.root.rename(pack.root.parent / "moved")
    (pack.root.parent / "house").mkdir()
    assert run_cli("packs", "update", "--pinned").status == 0  # what is there needs no network


def test_a_row_is_taken_over_with_its_condition(repo: Repo, pack: Repo, run_cli: Callable[..., Output]) -> None:
    pinned(repo, head(pack))
    run_cli("packs", "update", "--pinned")
    done = run_cli("packs", "take", "D-1")
    assert done.status == 0, done.stdout + done.stderr
    assert repo.cell("D-1", "paid when") == "`contains README.md Install`"
    assert (repo.cell("D-1", "rides"), repo.cell("D-1", "state")) == ("0", "owed")
    assert run_cli("packs", "take", "D-9").status == 2
    # The pack's row goes on to bear the id, and neither keeps a command from ours nor is a problem of ours.
    assert "GT202" not in run_cli("check").stdout
    assert run_cli("pay", "D-1", "--why", "x").status == 0


def test_a_row_is_taken_over_without_escapes_and_with_what_the_table_here_holds(
    repo: Repo, pack: Repo, run_cli: Callable[..., Output]
) -> None:
    pack.table(
        "| R-1 | `path: \\.py$` | Ring\x1b]0;x\x07 the \u202ebell. | pitfall | `yes: a.py` | 7 |",
        header="| id | trigger | note | kind | examples | ask after |\n| --- | --- | --- | --- | --- | --- |\n",
    )
    pinned(repo, head(pack))
    run_cli("packs", "update", "--pinned")
    done = run_cli("packs", "take", "R-1")
    assert "so these are left out: examples, kind, ask after." in done.stdout, done.stdout + done.stderr
    assert repo.cell("R-1", "note") == "Ring the bell."
    assert run_cli("packs", "take", "R-1", "--file", "more.md").status == 0
    assert "| pitfall |" in repo.read("docs/gatilhos/more.md")
    assert "`yes: a.py`" in repo.read("docs/gatilhos/more.md")


def test_a_pack_that_is_too_large_is_not_copied(repo: Repo, pack: Repo, run_cli: Callable[..., Output]) -> None:
    pack.write("docs/gatilhos/large.md", b"x" * (65 << 20))
    (pack.root / "docs/gatilhos/link.md").symlink_to("/etc/passwd")
    pinned(repo, pack.commit())
    assert "more than 1,000 tables or 64 MiB; nothing was copied" in run_cli("packs", "update", "--pinned").stderr
    (pack.root / "docs/gatilhos/large.md").unlink()
    pinned(repo, pack.commit())
    assert run_cli("packs", "update", "--pinned").status == 0
    assert [one.name for one in (repo.root / ".git/gatilho/packs/house").rglob("*.md")] == ["backlog.md"]


@pytest.mark.parametrize(
    "git",
    [
        "ext::sh -c 'touch ran'",
        "--upload-pack=touch ran",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-a@host/x",
        "a:b",
        "-a@host:x",
        "a@host:-x",
        "a@host::x",
        "git+ssh://host/x",
        "http://host/x",
        "https://-host/x",
        "https://a b/x",
    ],
)
def test_no_program_runs_for_an_address(repo: Repo, pack: Repo, run_cli: Callable[..., Output], git: str) -> None:
    pinned(repo, head(pack), git)
    done = run_cli("packs", "update")
    assert done.status == 2
    assert "neither a folder here nor the address of a server" in done.stderr
    assert not (repo.root / "ran").exists()


@pytest.mark.parametrize("address", ["git@example.com:house/rules.git", "ssh://git@example.com:22/house/rules.git"])
def test_a_private_pack_comes_by_the_persons_ssh_and_by_no_other(
    repo: Repo, pack: Repo, run_cli: Callable[..., Output], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    def ssh(name: str) -> str:
        """A program that notes how ssh was called and serves the pack."""
        path = repo.root.parent / name
        path.write_text(f'#!/bin/sh\necho "$@" >> "{path}.log"\nexec git-upload-pack "{pack.root}"\n')
        path.chmod(0o755)
        return str(path)

    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    person = repo.root.parent / "person"
    person.write_text(f"[core]\n\tsshCommand = {ssh('own')}\n[safe]\n\tdirectory = *\n")
    persons = {"GIT_CONFIG_GLOBAL": str(person)}
    pinned(repo, head(pack), address)
    repo.git("config", "core.sshCommand", ssh("theirs"))
    repo.git("config", f"url.ext::{ssh('theirs')} .insteadOf", address)
    done = run_cli("packs", "update", "--pinned", env={"GIT_DIR": str(repo.root / ".git"), **persons})
    assert done.status == 0, done.stderr
    objects = repo.root / ".git/gatilho/packs/house.git"
    with (objects / "config").open("a") as config:
        config.write(f"[core]\n\tsshCommand = {ssh('theirs')}\n")
    assert run_cli("packs", "update", env=persons).status == 0
    assert "git@example.com" in (repo.root.parent / "own.log").read_text()
    assert not (repo.root.parent / "theirs.log").exists()
    # A server of git's first protocol hands out the tips of branches alone.
    person.write_text(person.read_text() + "[protocol]\n\tversion = 0\n[ssh]\n\tvariant = ssh\n")
    old = head(pack)
    pack.write("docs/gatilhos/more.md", "More.\n")
    pack.commit()
    shutil.rmtree(objects.parent)
    assert run_cli("packs", "update", "--yes", env=persons).status == 0
    assert sorted(one.name for one in objects.parent.iterdir() if one.is_dir()) == ["house", "house.git"]
    assert {one.name for one in (objects.parent / "house").iterdir()} == {old, head(pack)}
    pinned(repo, "1" * 40, address)
    assert f"no branch or tag of its repository has {'1' * 40}" in run_cli("packs", "update", env=persons).stderr


def test_an_asker_of_passwords_is_the_persons(repo: Repo, run_cli: Callable[..., Output]) -> None:
    """The server answers 401, and git asks the helper of the person's configuration for that very server."""
    asked = repo.root.parent / "asked"
    person = repo.root.parent / "person"
    person.write_text(f"[credential]\n\thelper = \"!f() {{ cat >> '{asked}'; }}; f\"\n[http]\n\tsslVerify = false\n")
    with refusing_server(repo.root.parent) as address:
        pinned(repo, "0" * 40, f"https://{address}/house.git")
        done = run_cli("packs", "update", "--pinned", env={"GIT_CONFIG_GLOBAL": str(person)})
    assert done.status == 1
    assert f"protocol=https\nhost={address}\n" in asked.read_text()


def test_an_agent_fetches_nothing_and_a_half_pin_is_named(
    repo: Repo, pack: Repo, run_cli: Callable[..., Output]
) -> None:
    pinned(repo, head(pack))
    assert run_cli("packs", "update", env={"CLAUDECODE": "1"}).status == 3
    assert not (repo.root / ".git/gatilho/packs").exists()
    repo.write("gatilho.toml", '[packs.house]\ngit = "../house"\nrev = "main"\n')
    assert "must be the full id of a commit" in run_cli("check").stdout
    for command in (("packs",), ("packs", "update")):
        listed = run_cli(*command)
        assert (listed.status, "must be the full id of a commit" in listed.stderr) == (2, True)
    assert BACKLOG in repo.git("ls-files")

"""Notes that are too long, secrets by their kind, rows without an end and past it."""

import json

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_cli
from checking import found, problems_of
from ladder_steps import Play

from gatilho import secret_shapes

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "GitHub token": "gh" + "p_" + "A" * 36,
    "GitLab token": "gl" + "pat-" + "a1B2" * 5,
    "AWS access key": "AK" + "IA" + "B" * 16,
    "AWS secret key": "aws_secret_access_key" + " = " + "aB3/" * 10,
    "Google API key": "AI" + "za" + "b" * 35,
    "Slack token": "xo" + "xb-" + "1234567890-abcdef",
    "Slack webhook": "https://hooks.slack" + ".com/services/T0000/B0000/" + "x" * 20,
    "Discord webhook": "https://discord" + ".com/api/webhooks/1234/" + "y" * 40,
    "Stripe key": "sk" + "_live_" + "4" * 24,
    "Anthropic API key": "sk" + "-ant-" + "api03-" + "a" * 30,
    "OpenAI API key": "sk" + "-proj-" + "b" * 40,
    "Hugging Face token": "h" + "f_" + "c" * 34,
    "npm token": "np" + "m_" + "d" * 36,
    "PyPI token": "py" + "pi-" + "AgEIcHlwaS5vcmc" + "e" * 40,
    "SendGrid API key": "S" + "G." + "f" * 22 + "." + "g" * 43,
    "DigitalOcean token": "do" + "p_v1_" + "0a" * 32,
    "Telegram bot token": "123456789:" + "AA" + "h" * 33,
    "Azure storage key": "Account" + "Key=" + "i" * 86 + "==",
    "JSON web token": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxIn0." + "j" * 20,
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "password in a URL": "u:" + "pw12345",
    "bearer token": "Bearer " + "k" * 24,
    "password": "hunt" + "er22",
    "token or key": "5f4dcc3b" + "5aa765d61d8327deb882cf99",
}
# How what has no shape of its own is written.
WRITTEN = {
    "password in a URL": "https://{}@h.invalid/x",
    "password": "`DB_PASSWORD={}`",
    "token or key": 'token = "{}"',
}


def test_every_shape_has_an_example() -> None:
    assert tuple(SECRETS) == secret_shapes.KINDS


def test_secrets_are_reported_by_their_kinds_and_never_shown(repo: Repo) -> None:
    said = {kind: WRITTEN.get(kind, "{}").format(text) for kind, text in SECRETS.items()}
    rows = [
        row(f"D-{number}", "cmd: deploy", f"deploy with {text} on Fridays") for number, text in enumerate(said.values())
    ]
    repo.table(*rows)
    problems = {problem.row: problem for problem in problems_of(repo) if problem.code == "GT272"}
    assert list(problems) == [f"D-{number}" for number in range(len(SECRETS))]
    for kind, problem in zip(SECRETS, problems.values(), strict=True):
        assert kind in problem.message
        assert problem.severity == "error"
    for command in COMMANDS:
        names = [command.replace("D-1", name) for name in problems] if "D-1" in command else [command]
        shown = "".join(run_cli(*name.split(), cwd=repo.root).stdout for name in names)
        assert [kind for kind, text in SECRETS.items() if text in shown] == []
        assert "*" * 7 in shown or command == "check --format github"


@pytest.mark.parametrize("kind", ["GitHub token", "private key", "OpenAI API key"])
def test_no_hook_says_a_secret(repo: Repo, kind: str) -> None:
    text = SECRETS[kind]
    repo.write("src/a.py", "a\n")
    repo.table(
        row(
            "D-1", r"path: ^src/a\.py$", f"deploys with {text} on Fridays", paid_when="contains src/a.py fixed", rides=3
        )
    )
    repo.commit()
    play = Play(repo)
    said = [play.start(), play.read("src/a.py"), play.before_write("src/a.py"), play.wrote("src/a.py"), play.stop()]
    assert [one for one in said if text in str(one)] == []
    assert sum(f"deploys with {'*' * len(text)} on" in str(one) for one in said) >= 3


COMMANDS = ("check", "check --json", "check --format sarif", "check --format github", "list --json", "show D-1")


@pytest.mark.parametrize(
    "text",
    [
        "https://user:$PASSWORD@example.org/x",
        "https://user:<password>@example.org/x",
        "ssh://git@example.org:22/x",
        "Authorization: Bearer $TOKEN",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "-----BEGIN CERTIFICATE-----",
        "ask-for-a-key and do_not_v1",
        "docs/gatilhos/task-list.md has sk-learn",
        "password=$DB_PASS1 PASSWORD=${DB_PASS1} password=%DB_PASS1% password=<password1> password={{ vault_pw1 }}",
        "the password: see vault 7; the token: ask ops2; password: at least 8 characters, 2 digits",
        "password=example123 password=changeme1 passwd: your-pw-123 password='xxxx1234' token=TEST_TOKEN_12345678",
        "password = os.environ['DB_1'] password=settings.db1.password password = get_password2() pwd=/srv/app1",
        "`lacks src/a.py password=[a-z0-9]{8}` `cmd: --password[= ]\\S+1`  `contains a.py token\\s*=\\s*x1`",
        "password: sha256 passwd: bcrypt12 password hash: argon2id password: D-7f3k password: SEC-1234",
        "token: src/auth2/token_store1.py:15 secret: kubernetes/app1/db-secret2 token = next_token_of_line_2",
        "max_tokens=4096 tokens: 12k per session, key: value1 tokenizer=cl100k_base_v2_of_2023_01 keys: a1b2c3d4e5f6a7b8c9",
        "secrets: read from vault:kv2/app1/password2 --password-file=/run/secrets/db1 secretName: app1-db2-credentials",
    ],
)
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert secret_shapes.find_secrets(text) == []


PASSWORD, TOKEN = SECRETS["password"], SECRETS["token or key"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"PGPASSWORD={PASSWORD} psql", PASSWORD),
        (f"passwd: {PASSWORD}.", PASSWORD + "."),
        (f'{{"Password": "S3cr3t!{PASSWORD}#"}}', f"S3cr3t!{PASSWORD}#"),
        (f"mysql --password {PASSWORD} -u root", PASSWORD),
        (f"Server=db;Pwd={PASSWORD};", PASSWORD),
        (f"'password' => '{PASSWORD}'", PASSWORD),
        (f"curl 'https://h.invalid/x?token={TOKEN}&y=1'", TOKEN),
        (f"client_secret: {TOKEN}", TOKEN),
        (f"API_KEY=`{TOKEN}`", TOKEN),
        ("token: " + SECRETS["GitHub token"], SECRETS["GitHub token"]),
    ],
)
def test_what_is_given_to_a_password_or_a_token_is_a_secret_and_its_name_is_none(text: str, secret: str) -> None:
    assert [text[found.start : found.end] for found in secret_shapes.find_secrets(text)] == [secret]
    assert secret_shapes.masked(text) == text.replace(secret, "*" * len(secret))


def test_a_secret_in_prose_of_a_store_file_and_in_an_ended_row_is_found(repo: Repo) -> None:
    token = SECRETS["GitHub token"]
    ended = row("~~D-1~~", "cmd: deploy", f"deploy with {token}", state="paid")
    repo.write(BACKLOG, f"See {token}.\n\n{HEADER}{ended}\n")
    problems = [(p.place.line, p.row, p.text[p.place.column - 1 :][: p.width]) for p in problems_of(repo)]
    assert problems == [(1, "", "*" * 40), (5, "D-1", "*" * 40)]


def test_a_note_of_more_than_400_characters_is_too_long(repo: Repo) -> None:
    repo.table(row("D-1", "cmd: one", "a" * 400), row("D-2", "cmd: two", "b c" * 133 + "de"))
    assert found(repo) == [("GT271", "warning", "D-2", "e")]


def test_a_state_without_an_end_and_a_row_past_its_own_are_said(repo: Repo) -> None:
    header = "| id | lifecycle | trigger | note | kind | expires |\n| --- | --- | --- | --- | --- | --- |\n"
    repo.table(
        "| R-1 | rule | `cmd: one` | the build is broken | state | |",
        "| R-2 | rule | `cmd: two` | the build is slow | state | 2020-01-31 |",
        "| R-3 | rule | `cmd: three` | the cache is cold | state | 2999-01-31 |",
        "| R-4 | rule | `cmd: four` | a freeze is on | | 2020-02-29 |",
        header=header,
    )
    assert found(repo) == [
        ("GT281", "warning", "R-1", "|"),
        ("GT282", "note", "R-2", "2020-01-31"),
        ("GT282", "note", "R-4", "2020-02-29"),
    ]


def test_json_carries_no_secret_where_a_text_is_nested(repo: Repo) -> None:
    token = SECRETS["npm token"]
    repo.table(row("D-1", f"cmd: {token}", "a note"))
    shown = json.loads(run_cli("show", "D-1", "--json", cwd=repo.root).stdout)["rows"][0]
    assert shown["triggers"] == [{"kind": "cmd", "pattern": "*" * len(token)}]

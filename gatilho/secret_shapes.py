"""Secrets by their shape: tokens, keys and passwords as well-known services write them.

A short list of shapes that are hardly anything else. No measure of randomness: it finds hashes and names, too. What is
assigned to a `password` or a `token` counts with letters and digits, unless it is what examples, code and prose have in
its place. The kind of a secret is named to people, its text never.
"""

from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Between the name of a password and its text, what neither code nor a pattern is made of, and where it ends.
_GIVES = r"(?:[\"']?\s{0,3}(?::?=>?|:)\s{0,3}|(?:(?<=--password)|(?<=--passwd)|(?<=--token)) +)[\"'`]?"
_PLAIN = r"[^\s\"'`|,;&()<>{}\[\]$\\*?^]"
_ENDS = r"(?=[\s\"'`|,;&)]|$)"
# Words of examples; algorithms; places where secrets are kept, and paths; names of rows and tickets; names in code; and
# what has a shape of its own.
_NO_SECRETS = (
    rf"(?i:{_PLAIN}*(?:example|sample|change|placeholder|your|dummy|fake|test|redact|xxx|\.\.\.|passw|://))",
    r"(?i:(?:sha|md)[-_]?\d|argon2|bcrypt|scrypt|pbkdf2|base(?:32|64)|oauth|(?:env|vault|op|ssm|arn|file|keyring)[:/.])",
    rf"[./~%-]|(?:[a-z0-9_.-]+(?:/[a-z0-9_.-]+)+|[\w.-]*/[\w./-]*\.\w{{1,5}}(?::\d+)?){_ENDS}",
    rf"[A-Za-z]{{1,10}}-(?:\d{{1,6}}|[0-9a-z]{{4}}){_ENDS}",
    rf"(?:[a-z]+(?:[_-][a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+){_ENDS}",
    r"gh[a-z]_|github_pat|gl[a-z]+-|[rs]k[-_]|xox|xapp|A[A-Z]{3}[A-Z0-9]{16}|eyJ|npm_|pypi-|hf_|AIza|SG\.|do[opr]_",
)
# The length comes first, so that a long run costs no more than it at each name in it.
_NO_SECRET = rf"(?={_PLAIN}{{6,512}}{_ENDS})" + "".join(f"(?!{shape})" for shape in _NO_SECRETS)
_SHAPES = {
    "GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b",
    "GitLab token": r"\bgl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{20,}",
    "AWS access key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "AWS secret key": r"(?i:aws_?secret_?access_?key)[\"']?\s*[:=]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    "Google API key": r"\bAIza[A-Za-z0-9_-]{35}",
    "Slack token": r"\bxox[abceoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}",
    "Slack webhook": r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{20,}",
    "Discord webhook": r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}",
    "Stripe key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}",
    "Anthropic API key": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "OpenAI API key": r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}",
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "PyPI token": r"\bpypi-[A-Za-z0-9_-]{40,}",
    "SendGrid API key": r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    "DigitalOcean token": r"\bdo[opr]_v1_[a-f0-9]{64}\b",
    "Telegram bot token": r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b",
    "Azure storage key": r"\bAccountKey=[A-Za-z0-9+/]{40,}=*",
    "JSON web token": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    # No password: what examples have in its place, such as a variable, a word in brackets, stars.
    "password in a URL": r"(?<=://)[^\s/:@]+:(?![$<{%*\[]|\.\.\.)[^\s/@`]{3,}(?=@)",
    "bearer token": r"(?i:\bauthorization: *bearer|\bbearer) +(?![$<{])[A-Za-z0-9._~+/-]{20,}=*",
    "password": rf"(?i:password|passwd|passphrase|pwd){_GIVES}{_NO_SECRET}"
    rf"(?P<password>(?={_PLAIN}*\d)(?={_PLAIN}*[A-Za-z]){_PLAIN}{{6,}}){_ENDS}",
    "token or key": r"(?i:token|secret|(?:api|access|auth|private|signing|encryption|master)[_-]?key)"
    rf"{_GIVES}{_NO_SECRET}(?P<token>(?=(?:{_PLAIN}*?\d){{2}})(?={_PLAIN}*[A-Za-z])[A-Za-z0-9._~+/=-]{{16,}}){_ENDS}",
}
_ASSIGNED = ("password", "token")
KINDS = tuple(_SHAPES)
# Without one of these a text holds no secret of these shapes; of a few, in any letter case. They are rare in notes, for
# a hook masks what it says, and `re` with all shapes takes as long as the rest of its answer.
_MARKS = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-",
    "AKIA", "ASIA", "ABIA", "ACCA", "AIza", "xapp-", "hooks.slack.com", "/webhooks/", "k_live_", "k_test_", "whsec_",
    "npm_", "pypi-", "dop_v1_", "doo_v1_", "dor_v1_", ":AA", "AccountKey=", "-----BEGIN",
)  # fmt: skip
_MARKS_OF_WORDS = ("sk-", "hf_", "xox", "SG.", "eyJ")  # at the beginning of a word: `task-list` has none
_MARKS_IN_ANY_CASE = ("aws", "bearer")
_NAMES = ("password", "passwd", "passphrase", "pwd", "token", "secret", "key")
_compiled: "list[re.Pattern[str]]" = []


class Secret(Value):
    """What looks like a secret in a text: its kind, and where it starts and ends."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[Secret]:
    """Return what looks like a secret in a text, in order."""
    if not _may_hold_secret(text):
        return []
    found = _any_shape().finditer(text)
    return [
        # Of what is assigned to a name, the name is no secret.
        Secret(KINDS[int((one.lastgroup or "s0")[1:])], max(one.start(), *map(one.start, _ASSIGNED)), one.end())
        for one in found
    ]


def masked(text: str) -> str:
    """Return the text with a star for each character of what looks like a secret, so that places in it stay."""
    for secret in find_secrets(text):
        text = text[: secret.start] + "*" * (secret.end - secret.start) + text[secret.end :]
    return text


def _may_hold_secret(text: str) -> bool:
    in_any_case = text.lower()
    return (
        any(mark in text for mark in _MARKS)
        or any(mark in in_any_case for mark in _MARKS_IN_ANY_CASE)
        or any(mark in text and _begins_word(text, mark) for mark in _MARKS_OF_WORDS)
        or ("://" in text and "@" in text)
        or any(mark in in_any_case and _is_given(in_any_case, mark) for mark in _NAMES)
    )


def _is_given(text: str, name: str) -> bool:
    """Return whether something may be assigned to a name, or given as the value of an option."""
    rest = (rest.lstrip("\"' \t")[:1] for rest in text.split(name)[1:])
    return f"--{name} " in text or any(mark in (":", "=") for mark in rest)


def _begins_word(text: str, mark: str) -> bool:
    return any(not (before[-1:].isalnum() or before[-1:] == "_") for before in text.split(mark)[:-1])


def _any_shape() -> "re.Pattern[str]":
    """Return one pattern for all shapes; it is compiled where the first text has a mark."""
    if not _compiled:
        import re

        named = (f"(?P<s{number}>{shape})" for number, shape in enumerate(_SHAPES.values()))
        _compiled.append(re.compile("|".join(named)))
    return _compiled[0]

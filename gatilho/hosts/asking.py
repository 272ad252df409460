"""Where the answer "ask" is decided by a person: one table of hosts and permission modes, and its fate elsewhere."""

# What becomes of an "ask".
A_PERSON_DECIDES = "a person decides"
REFUSED = "the host refuses the tool"
APPROVED = "the host, or an older build of it, approves it unseen"
IGNORED = "the host ignores it, and the tool runs"
HANGS = "the host waits until it is killed where there is no terminal, and the event does not show it"
IMPOSSIBLE = "the host has no such answer"
UNSURE = "reports disagree on whether the host stops for it"

# For any mode that a host's line does not list; a host without this key is trusted in the modes that it lists only.
ANY = "*"

# Measured where the host could be run, else from its documentation. What a mode of an unknown name does is unknown.
TABLE: dict[str, dict[str, str]] = {
    "claude": {
        "": A_PERSON_DECIDES,
        "default": A_PERSON_DECIDES,
        "acceptEdits": A_PERSON_DECIDES,
        "plan": A_PERSON_DECIDES,
        "auto": UNSURE,  # since 2.1.211 it stops; before, and in one later report, it does not
        "bypassPermissions": APPROVED,  # 2.1.233 and later stop, 2.1.199 did not
        "dontAsk": REFUSED,
    },
    "codex": {ANY: IGNORED},  # the hook counts as failed, and its context is lost as well
    "gemini": {ANY: HANGS},
    # Cursor sends no mode; what decides is the event.
    "cursor": {"beforeShellExecution": A_PERSON_DECIDES, "beforeMCPExecution": A_PERSON_DECIDES, ANY: IGNORED},
    "copilot": {ANY: A_PERSON_DECIDES},  # with `-p` it refuses
    "copilot-cloud": {ANY: REFUSED},
    "vscode": {ANY: A_PERSON_DECIDES},
    "qwen": {
        "": A_PERSON_DECIDES,
        "default": A_PERSON_DECIDES,
        "plan": A_PERSON_DECIDES,
        "auto_edit": A_PERSON_DECIDES,
        "auto": UNSURE,
        "yolo": UNSURE,
    },
    "opencode": {ANY: IMPOSSIBLE},
    "windsurf": {ANY: IMPOSSIBLE},
    "cline": {ANY: A_PERSON_DECIDES},
    "kiro": {ANY: IMPOSSIBLE},
    "droid": {
        "off": A_PERSON_DECIDES,
        "spec": A_PERSON_DECIDES,
        "auto-low": A_PERSON_DECIDES,
        "auto-medium": A_PERSON_DECIDES,
        "auto-high": UNSURE,
    },
    "amp": {ANY: A_PERSON_DECIDES},
}


def fate(host: str, mode: str) -> str:
    """Return what becomes of an "ask" on that host in that permission mode (for Cursor: at that event)."""
    line = TABLE.get(host, {})
    return line.get(mode) or line.get(ANY) or UNSURE


def person_decides(host: str, mode: str) -> bool:
    """Return whether a person will see the question; where none does, the answer has to be "deny"."""
    return fate(host, mode) == A_PERSON_DECIDES

"""The coding agents that call us: one module each, with its record, found by its name; here is what a record holds.

Every tool call loads this module and the one of its host, so both import at the top what is built in and each other.
"""

from gatilho.hosts.event import (
    AFTER,
    BEFORE,
    COMPACTION,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_CLOSE,
    Event,
    Reply,
)  # fmt: skip
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What a tool does with the files that it names.
READS = "reads"
WRITES = "writes"
RUNS = "runs"
PATCHES = "patches"
IGNORED = "ignore"

# What becomes of an "ask".
A_PERSON_DECIDES = "a person decides"
REFUSED = "the host refuses the tool"
APPROVED = "the host, or an older build of it, approves it unseen"
IGNORES_ASK = "the host ignores it, and the tool runs"
HANGS = "the host waits until it is killed where no terminal is there, and nothing in the event says so"
IMPOSSIBLE = "the host has no such answer"
UNSURE = "reports disagree on whether the host stops for it"

# For any mode that a record does not list; a host without this key is trusted in the modes that it lists only.
ANY = "*"

# How handlers are nested in a settings file; "" where no settings file registers a command.
GROUPS = "event, groups with a matcher, handlers"
FLAT = "event, handlers"
FLAT_BY_SHELL = "event, handlers with a line for each shell"
LISTED = "handlers in one list, each with its event"
MODULE = "a module of JavaScript"
SCRIPTS = "a folder with a script for each event"

PATH_KEYS = ("file_path", "notebook_path", "path", "filePath", "absolute_path", "filename", "target_file")
# Where a command runs, or what its relative paths are relative to, if not in the event's own folder.
FOLDER_KEYS = ("dir_path", "directory", "workdir", "working_directory", "workingDirectory", "cwd")

# What goes beyond JSON, and is kept in a settings file all the same.
COMMENTS = "comments"
LAST_COMMA = "a comma after the last entry"
ORDER_MARK = "a byte order mark"

# Below one of these lies every file that registers hooks in a repository; a test compares it with the records.
SETTINGS_PLACES = (
    ".claude/settings", ".codex/", ".gemini/settings", ".cursor/hooks", ".github/hooks", ".github/copilot",
    ".qwen/settings", ".opencode/plugin", "opencode.json", ".factory/", ".windsurf/hooks", ".cline/hooks",
    ".clinerules/hooks", ".kiro/hooks", ".amp/plugins",
)  # fmt: skip


class Tool(Value):
    """What a tool of a host does, and which of its arguments name files; shell: whose language its commands are in."""

    does: str
    paths: tuple[str, ...] = PATH_KEYS
    shell: str = "sh"


def tool_table(
    reads: str = "", writes: str = "", runs: str = "", patches: str = "", ignored: str = "", **others: Tool
) -> dict[str, Tool]:
    """Return tools by name: those of the usual arguments as names between blanks, the others one by one."""
    found = {}
    listed = ((READS, reads), (WRITES, writes), (RUNS, runs), (PATCHES, patches), (IGNORED, ignored))
    for does, names in listed:
        found.update(dict.fromkeys(names.split(), Tool(does)))
    return {**found, **others}


def event_table(
    start: str = "", prompt: str = "", before: str = "", after: str = "", close: str = "", compaction: str = "",
    end: str = "",
) -> dict[str, str]:  # fmt: skip
    """Return the kinds of events by the host's names for them, which are given between blanks."""
    listed = (
        (SESSION_START, start), (PROMPT, prompt), (BEFORE, before), (AFTER, after), (TURN_CLOSE, close),
        (COMPACTION, compaction), (SESSION_END, end),
    )  # fmt: skip
    return {name: kind for kind, names in listed for name in names.split()}


# The events of Claude Code, which other hosts took over.
SHARED_EVENTS = event_table(
    start="SessionStart", prompt="UserPromptSubmit", before="PreToolUse", after="PostToolUse PostToolUseFailure",
    close="Stop", end="SessionEnd",
)  # fmt: skip


def without(events: "Mapping[str, str]", *left_out: str) -> dict[str, str]:
    """Return a table of events without some of them."""
    return {name: kind for name, kind in events.items() if name not in left_out}


def time_limits(events: "Mapping[str, str]", **others: int) -> dict[str, int]:
    """Return seconds by event, in the order of their registration: 10, and 90 for a turn's close.

    A turn close may spend two time limits of conditions (30 s unless set), and besides them what a busy machine needs;
    the answer of a hook that its host kills is thrown away.
    """
    return {**{name: 90 if kind == TURN_CLOSE else 10 for name, kind in events.items()}, **others}


class Settings(Value):
    """The files of a host that register hooks, and how a handler is written there.

    shared, private: in the repository. user: below the person's home. A name that ends in `/` is a folder of scripts.
    shape: one of the forms above, or "". unit: of its time limits, in seconds. folder: the repository's root, in the
    shared command. guarded: what else in the repository decides whether hooks run.
    unread: what makes the host leave out a file of JSON, as far as that was seen; of the three forms above.
    """

    shared: str = ""
    private: str = ""
    user: str = ""
    shape: str = ""
    unit: float = 1
    folder: str = "."
    guarded: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def guarded_files(self) -> tuple[str, ...]:
        """Return the files in the repository that decide whether hooks run, each once."""
        return tuple(dict.fromkeys(name for name in (self.shared, self.private, *self.guarded) if name))


class Host(Value):
    """One host: what it sends, what it takes for an answer, and how it is set up.

    name: of its module and of `--host`. title: its name for people. read, answer: the event in a payload, and what is
    printed for a reply (an object, or plain text). events: kinds by the host's names. context: the events on which text
    reaches the agent. asks: what becomes of an "ask" by permission mode, or by event. budget: characters of one answer.
    tools: by name. others: the marks before the names of tools that it does not list but that may touch files ("" for
    any name), such as those of MCP servers. limits: seconds for the events that are registered. matches: a matcher
    in its settings is a regular expression of JavaScript, so that tools can be left out. marks: variables that it
    sets in the shells of its agents. project: the variable with the folder in which the session began. step:
    what is left to a person once it is registered with; "" where `init` cannot register with it.
    only_in_root: hooks of a project do not run in a session that began in a subfolder. windows_key: of a handler, for
    the line that `cmd.exe` gets. program: the command that starts it. traces: names in a repository that show that it
    is used there, besides the files that register hooks.

    tells_person: an answer can hold a line for the person. by_status: it stops a tool only for exit status 2 with the
    reason on standard error. failed_context: text reaches the agent beside the result of a failed tool, too. restarts:
    after a compaction the session starts anew, from `compact`. quiet_errors: it shows standard error to the person, so
    nothing is complained of there. version: the one it was measured on, "" for its documents. signs: keys that no other
    host's payload has all of, for a host that `detect` does not know. send: returns what it sends, where that is not
    as Claude Code's, of an event's name, a tool, a folder, a session and the tool's arguments.
    """

    name: str
    title: str
    read: "Callable[[dict[str, object]], Event]"
    answer: "Callable[[Event, Reply], dict[str, object] | str]"
    events: "Mapping[str, str]"
    context: tuple[str, ...] = ()
    asks: "Mapping[str, str]" = {ANY: IMPOSSIBLE}
    budget: int = 2500
    tools: "Mapping[str, Tool]" = {}
    others: tuple[str, ...] = ("mcp__",)
    limits: "Mapping[str, int]" = {}
    matches: bool = False
    settings: Settings = Settings()
    marks: tuple[str, ...] = ()
    project: str = ""
    step: str = ""
    only_in_root: bool = False
    windows_key: str = ""
    program: str = ""
    traces: tuple[str, ...] = ()
    tells_person: bool = True
    by_status: bool = False
    failed_context: bool = False
    restarts: bool = False
    quiet_errors: bool = False
    version: str = ""
    signs: tuple[str, ...] = ()
    send: "Callable[..., dict[str, object]] | None" = None

    def carries_context(self, event: Event) -> bool:
        """Return whether text for the agent reaches it on this event."""
        return event.name in self.context and (self.failed_context or not event.failed)

    def can_ask(self, event: Event) -> bool:
        """Return whether a person will see the question; where not, the answer has to be "deny"."""
        host = self if event.host == self.name else host_named(event.host)
        return host.ask_outcome(event.name, event.mode) == A_PERSON_DECIDES

    def ask_outcome(self, event: str, mode: str) -> str:
        """Return what becomes of an "ask" on that event in that permission mode."""
        return self.asks.get(event) or self.asks.get(mode) or self.asks.get(ANY) or UNSURE

    def event_of(self, kind: str) -> str:
        """Return the first event of that kind, "" where the host has none."""
        return next((name for name, found in self.events.items() if found == kind), "")

    def matcher(self, event: str) -> str:
        """Return the matcher under which an event is registered: all tools, the unknown ones too, but those for which
        a hook has nothing to do, such as before a tool that only reads. "" for any tool.
        """
        kind = self.events.get(event)
        idle = {BEFORE: (IGNORED, READS), AFTER: (IGNORED,)}.get(kind or "", ())
        left_out = [name for name, tool in self.tools.items() if tool.does in idle] if self.matches else []
        return f"^(?!({'|'.join(left_out)})$).*" if left_out else ""

    def tool_that(self, does: str) -> str:
        """Return the first tool that does that, "" where the host has none."""
        return next((name for name, tool in self.tools.items() if tool.does == does), "")


# Hosts that the configuration describes, by name, once their record is made.
DESCRIBED: "dict[str, Host]" = {}


def host_named(name: str) -> Host:
    """Return the record in the module of that name, or the described one, else Claude Code's; no other is imported."""
    host: Host | None = DESCRIBED.get(name)
    if host is None and name.isidentifier():
        try:
            host = getattr(__import__(f"gatilho.hosts.{name}", fromlist=("HOST",)), "HOST", None)
        except ModuleNotFoundError:
            pass
    return host_named("claude") if host is None else host


def is_built_in(name: str) -> bool:
    """Return whether a module here has the record of that name."""
    return name not in DESCRIBED and host_named(name).name == name


def module_answer(event: Event, reply: Reply, host: Host | None = None) -> dict[str, object]:
    """Return what a module in a host acts on: `context` to hand on, `ask` or `deny` with a reason, `person` to show.

    host: the record of the event's host, found by its name unless given.
    """
    out: dict[str, object] = {}
    if reply.context and (host or host_named(event.host)).carries_context(event):
        out["context"] = reply.context
    if reply.decision and event.kind == BEFORE:
        out[reply.decision] = reply.reason
    if reply.person:
        out["person"] = reply.person
    return out


def nested_answer(event: Event, reply: Reply, host: Host | None = None) -> dict[str, object]:
    """Return an answer of Claude Code's shape, which several hosts take. host: as for `module_answer`."""
    out: dict[str, object] = {}
    specific: dict[str, object] = {}
    if reply.context and (host or host_named(event.host)).carries_context(event):
        specific["additionalContext"] = reply.context
    if reply.decision and event.kind == BEFORE:
        specific["permissionDecision"] = reply.decision
        specific["permissionDecisionReason"] = reply.reason
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if reply.person:
        out["systemMessage"] = reply.person
    return out

"""Programs that run another command: what they put in front of it is taken off, here or on another machine."""

from gatilho.shell.arguments import Argument, marked_output
from gatilho.shell.program_options import options_and_operands, values
from gatilho.shell.programs import name_of

# Name: letters and names of the options that take a value, and how many operands are its own.
_WRAPPERS = {
    **dict.fromkeys(
        ("arch", "builtin", "busybox", "chronic", "command", "dumb-init", "nohup", "setsid", "torify", "torsocks",
         "toybox", "unbuffer", "valgrind", "winpty"),
        ("", "", 0),
    ),
    "caffeinate": ("tw", "", 0),
    "chpst": ("uUbenmdoplfcrt/", "", 0),
    "chrt": ("DPT", "sched-deadline sched-period sched-runtime", 1),
    "dbus-run-session": ("", "config-file dbus-daemon", 0),
    "doas": ("uC", "", 0),
    "entr": ("", "", 0),
    "env": ("uC", "unset chdir", 0),
    "exec": ("a", "", 0),
    "faketime": ("p", "", 1),
    "fakeroot": ("lfsib", "lib faked", 0),
    "flock": ("wE", "timeout wait conflict-exit-code", 1),
    "gosu": ("", "", 1),
    "hyperfine": ("wmrpcsnSu", "warmup min-runs max-runs runs prepare cleanup setup shell export-json", 0),
    "ionice": ("cnp", "class classdata pid", 0),
    "ltrace": ("abADeFlnopsuwx", "align config output where", 0),
    "nice": ("n", "adjustment", 0),
    "pkexec": ("", "user", 0),
    "prlimit": ("p", "pid", 0),
    **dict.fromkeys(("proxychains", "proxychains4"), ("f", "", 0)),
    "runuser": ("ugG", "user group supp-group", 0),
    "screen": ("cehpSTtX", "", 0),
    "setpriv": ("", "reuid regid groups inh-caps ambient-caps bounding-set securebits", 0),
    "ssh-agent": ("at", "", 0),
    "sshpass": ("pfdP", "", 0),
    "strace": ("abeEIoOpPsSuUX", "", 0),
    "stdbuf": ("ioe", "input output error", 0),
    "sudo": ("ugCDhprtTRU", "user group chdir host prompt role type close-from chroot other-user", 0),
    "systemd-run": ("pEHM", "property setenv unit host machine slice description uid gid working-directory", 0),
    "taskset": ("", "", 1),
    "time": ("fo", "format output", 0),
    "timeout": ("ks", "kill-after signal", 1),
    "unshare": ("SGR", "setuid setgid root", 0),
    "watch": ("n", "interval", 0),
    "watchexec": ("wefi", "watch exts filter ignore", 0),
    "xvfb-run": ("efnps", "error-file auth-file server-num xauth-protocol server-args", 0),
    "parallel": ("jNCdSn", "jobs max-args colsep delimiter sshlogin results joblog", 0),
    "xargs": ("adEIJLnPs", "arg-file delimiter max-args max-procs replace max-lines max-chars", 0),
    "npx": ("pw", "package workspace", 0),
    "bunx": ("p", "package", 0),
    "uvx": ("p", "from with python", 0),
}  # fmt: skip
# What runs a command after one of these words; letters of the options that take a value, how many operands are its own.
_RUNNER_OPTIONS = "with python extra group project directory package name prefix filter config command token env-file"
_RUNNERS = {
    **dict.fromkeys(
        ("conda", "devbox", "doppler", "dotenv", "hatch", "infisical", "mamba", "micromamba", "op", "pdm", "pipenv",
         "pipx", "pixi", "poetry", "rye"),
        (("run",), "np", 0),
    ),
    **dict.fromkeys(("asdf", "bundle", "rbenv", "pyenv", "nodenv"), (("exec",), "np", 0)),
    **dict.fromkeys(("aws-vault", "chamber", "direnv"), (("exec",), "np", 1)),
    "bun": (("x", "run"), "np", 0),
    "mise": (("exec", "x"), "np", 0),
    "nix": (("develop", "shell", "run"), "", 0),
    "npm": (("exec", "x"), "np", 0),
    "perf": (("stat", "record", "trace"), "eoFp", 0),
    "pnpm": (("exec", "dlx", "run"), "np", 0),
    "tmux": (("new", "new-session", "neww", "new-window", "splitw", "split-window", "run-shell"), "cFlnstxye", 0),
    "uv": (("run", "tool"), "np", 0),
    "yarn": (("exec", "dlx", "run"), "np", 0),
}  # fmt: skip
# They run what a package brings without any verb.
_BARE_RUNNERS = ("yarn", "pnpm", "bun")
_FOLDERS = {"env": ("C", "chdir"), "sudo": ("D", "chdir"), "uv": ("directory",)}

_SSH_OPTIONS = "BbcDEeFIiJLlmOopPQRSWw"
_CONTAINER_OPTIONS = "uewlpvhma"
_CONTAINER_FLAGS = frozenset(
    ("--rm", "--init", "--privileged", "--detach", "--tty", "--interactive", "--read-only", "--quiet", "--no-deps")
)
_CONTAINERS = frozenset(("docker", "podman", "nerdctl", "docker-compose", "finch"))


SSH = ("ssh", "autossh", "mosh")
_PODS = ("kubectl", "oc", "k9s", "minikube")
_MACHINES = ("adb", "multipass", "vagrant", "lxc", "wsl", "heroku")
_REMOTE = _CONTAINERS.union(SSH, _PODS, _MACHINES)


def is_assignment(text: str) -> bool:
    """Return whether a word of env or sudo sets a variable: an identifier and a `=` in front."""
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier() and name.isascii()


def take_off(arguments: list[Argument], at: int) -> tuple[int, Argument | None]:
    """Return one wrapper at `at`: where the command that it runs begins, and the folder that it changes to.

    The same place where there is no wrapper, the end where it runs nothing.
    """
    name = name_of(arguments[at])
    start = at + 1
    if name in _RUNNERS and start < len(arguments) and arguments[start].text in _RUNNERS[name][0]:
        (_, short, own), long = _RUNNERS[name], _RUNNER_OPTIONS
        start += 2 if [one.text for one in arguments[start : start + 2]] == ["tool", "run"] else 1
    elif name in _BARE_RUNNERS and start < len(arguments) and _is_formatter(arguments[start]):
        short, long, own = "", "", 0
    elif name in _WRAPPERS:
        short, long, own = _WRAPPERS[name]
    else:
        return at, None
    behind = _behind_options(arguments, start, short, long)
    options, _ = options_and_operands(arguments[start:behind], short, long)
    # It looks a program up and runs nothing.
    if name == "command" and any(option in ("v", "V") for option, _ in options):
        return len(arguments), None
    behind = min(behind + own, len(arguments))
    if own and behind < len(arguments) and arguments[behind].text == "--":
        behind += 1
    # The text after it is a command line, which `actions` reads as one for the blanks in it.
    if name in ("flock", "nix") and behind < len(arguments) and arguments[behind].text in ("-c", "--command"):
        behind += 1
    # Both take assignments after their options, in front of the command.
    if name in ("env", "sudo"):
        while behind < len(arguments) and (
            is_assignment(arguments[behind].approximate) or arguments[behind].approximate == "-"
        ):
            behind += 1
    folders = [value for option, value in options if value is not None and option in _FOLDERS.get(name, ())]
    return behind, folders[-1] if folders else None


def fed_file(arguments: list[Argument]) -> Argument | None:
    """Return the file from which xargs with these options takes its words."""
    found = values(options_and_operands(arguments[1:], *_WRAPPERS["xargs"][:2])[0], "a", "arg-file")
    return found[-1] if found else None


def fed_to(arguments: list[Argument], at: int, behind: int, fed: list[str]) -> list[list[Argument]]:
    """Return the commands that xargs at `at` runs: one with all words, or one for each in the place of `-I`'s text.

    `parallel` takes words after `:::` as well, and puts each in the place of `{}`.
    """
    given, mark = arguments[behind:], ""
    if name_of(arguments[at]) == "parallel":
        texts = [one.approximate for one in given]
        at_words = texts.index(":::") if ":::" in texts else len(given)
        fed = fed + [marked_output(one) for one in given[at_words + 1 :]]
        given, mark = given[:at_words], "{}" if any("{}" in text for text in texts) else ""
        if not given:  # each of the words is a command line
            return [[Argument(text)] for text in fed]
    else:
        options, _ = options_and_operands(arguments[at + 1 : behind], *_WRAPPERS["xargs"][:2])
        marks = [value.approximate for name, value in options if name in ("I", "replace", "J") and value is not None]
        mark = marks[-1] if marks else "{}" if any(name in ("i", "replace") for name, _ in options) else ""
    if not mark:
        return [given + [Argument(text) for text in fed]]
    return [
        [Argument(one.approximate.replace(mark, text), one.glob) if mark in one.approximate else one for one in given]
        for text in fed
    ]


def _is_formatter(argument: Argument) -> bool:
    from gatilho.shell.formatters import is_formatter

    return is_formatter(name_of(argument))


def _behind_options(arguments: list[Argument], at: int, short: str, long: str) -> int:
    valued = frozenset(long.split())
    while at < len(arguments):
        text = arguments[at].approximate
        if text == "--":
            return at + 1
        if len(text) < 2 or text[0] != "-":
            break
        takes_next = text[2:] in valued if text.startswith("--") else _ends_in_value(text[1:], short)
        at += 2 if takes_next else 1
    return min(at, len(arguments))


def _ends_in_value(letters: str, short: str) -> bool:
    """Return whether the value of the first letter that takes one is the next word."""
    for at, letter in enumerate(letters[:20]):
        if letter in short:
            return at == len(letters) - 1
    return False


def remote_words(name: str, arguments: list[Argument]) -> list[Argument] | None:
    """Return what a program runs on another machine or in a container; None where it runs nothing there.

    arguments: without the program's own name. For ssh the words are one command line, elsewhere they are its words.
    """
    if name not in _REMOTE:
        return None
    if name in SSH:
        return arguments[_behind_options(arguments, 0, _SSH_OPTIONS, "") + 1 :]
    texts = [argument.approximate for argument in arguments[:60]]
    if name in _PODS and "exec" in texts:
        return arguments[texts.index("--") + 1 :] if "--" in texts else arguments[len(arguments) :]
    if name in _MACHINES:
        verb = next((at for at, text in enumerate(texts) if text in ("shell", "exec", "ssh", "run", "--")), None)
        return None if verb is None else arguments[verb + 1 :]
    if name in _CONTAINERS:
        verb = next((at for at, text in enumerate(texts) if text in ("exec", "run")), None)
        return None if verb is None else arguments[_behind_container(arguments, verb + 1) + 1 :]
    return None


def _behind_container(arguments: list[Argument], at: int) -> int:
    while at < len(arguments):
        text = arguments[at].approximate
        if len(text) < 2 or text[0] != "-":
            break
        if text.startswith("--"):
            # Most long options of containers take a value, so the flags are the ones that are listed.
            at += 1 if "=" in text or text in _CONTAINER_FLAGS else 2
        else:
            at += 2 if _ends_in_value(text[1:], _CONTAINER_OPTIONS) else 1
    return at

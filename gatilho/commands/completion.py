"""`gatilho completion` (Setting up): print the script that completes commands, options, ids and codes in a shell."""

import argparse
from importlib import import_module

from gatilho import explanations, render
from gatilho.command_list import list_commands
from gatilho.console import command_options
from gatilho.errors import ExitStatus, GatilhoError
from gatilho.index.index import open_index
from gatilho.setup.registration import registrable

# Each script asks `gatilho completion --words` with the words up to the cursor; the last is the one to complete.
_SCRIPTS = {
    "bash": """\
_gatilho() {
    local word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=($(compgen -W "$(gatilho completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$word"))
}
complete -o default -F _gatilho gatilho
""",
    "zsh": """\
#compdef gatilho
_gatilho() {
    local -a found
    found=(${(f)"$(gatilho completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    compadd -a found || _files
}
compdef _gatilho gatilho
""",
    "fish": """\
function __gatilho_words
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -g __gatilho_found (gatilho completion --words $typed[2..-1] "$current" 2>/dev/null)
    test -n "$__gatilho_found"
end
complete -c gatilho -n __gatilho_words -f -a '$__gatilho_found'
""",
}
# The commands whose argument is a row's id.
_WITH_ID = (
    "show", "log", "pay", "reinstate", "waive", "revoke", "supersede", "set", "rename", "allow", "settle", "promote",
    "backtest",
)  # fmt: skip


def main(argv: list[str]) -> int:
    """Print a shell's script, or the words that may come next."""
    if argv[:1] == ["--words"]:
        *typed, current = argv[1:] or [""]
        for word in _words_after(typed, current):
            render.verbatim(word)
        return ExitStatus.FINE
    parser = command_options.parser(
        "completion",
        "Print the script that completes commands, their options, ids of rows and codes of problems in a shell.",
        "gatilho completion bash >> ~/.bashrc",
        "gatilho completion zsh >> ~/.zshrc    # below the line with compinit",
        "mkdir -p ~/.config/fish/completions && gatilho completion fish > ~/.config/fish/completions/gatilho.fish",
    )
    parser.add_argument("shell", choices=tuple(_SCRIPTS), metavar="SHELL", help=f"one of {', '.join(_SCRIPTS)}")
    given: argparse.Namespace = parser.parse_args(argv)
    print(_SCRIPTS[given.shell], end="")
    return ExitStatus.FINE


def _words_after(typed: list[str], current: str) -> list[str]:
    """Return what may follow these words, nothing where that is a path or free text."""
    names = [name for _, name, _ in list_commands()]
    if not typed or typed == ["help"]:
        return names
    name = typed[0]
    if name == "explain" and not current.startswith("-"):
        return list(explanations.sections())
    if typed[-1] == "--host":
        return list(registrable())
    if name == "hook" or name not in names:
        return []  # a hook reads events, and has no options for people
    command = import_module(f"gatilho.commands.{name.replace('-', '_')}")
    offered = command_options.complete(command.main, typed, current)
    return offered if offered is not None else _ids() if name in _WITH_ID else []


def _ids() -> list[str]:
    """Return the ids of all rows that are one word of letters, digits and hyphens; a shell reads others as more."""
    try:
        with open_index(command_options.repository_of(".")) as index:
            return [one for one in index.all_ids() if one.replace("-", "").replace("_", "").isalnum()]
    except GatilhoError:
        return []

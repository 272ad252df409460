"""`gatilho lsp` (For hosts): serve an editor, over standard input and output, in the Language Server Protocol."""

import os

from gatilho.console import command_options
from gatilho.errors import ExitStatus


def main(argv: list[str]) -> int:
    """Answer the editor until it ends."""
    parser = command_options.parser(
        "lsp",
        "Serve an editor while tables and code are open in it: problems as they are typed, safe fixes, what a row\n"
        "matches and whether its condition holds, completion, and in code the rows that speak about the file.\n"
        "It writes no file and runs no command of a row. Needs `gatilho[lsp]`.",
        "gatilho lsp",
    )
    parser.add_argument("--stdio", action="store_true", help="the only way there is; editors pass it")
    os.chdir(command_options.folder_of(parser.parse_args(argv).root))
    try:
        from gatilho.editor import language_server
    except ModuleNotFoundError as fault:
        raise command_options.missing_extra("lsp", fault) from fault
    language_server.serve()
    return ExitStatus.FINE

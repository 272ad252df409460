"""`gatilho mcp` (For hosts): serve an agent without hooks, over standard input and output, as an MCP server."""

from gatilho.console import command_options
from gatilho.errors import ExitStatus


def main(argv: list[str]) -> int:
    """Answer the agent until it ends."""
    parser = command_options.parser(
        "mcp",
        "Serve an agent that has no hooks: the tools `why` and `due`, and each row in force as a resource. With\n"
        "--write also `add` and `remember`; what an agent may not write is refused, as in its shell.\n"
        "Needs `gatilho[mcp]`.",
        "gatilho mcp",
        "gatilho mcp --write --root ~/project",
    )
    parser.add_argument("--write", action="store_true", help="offer the tools that write rows and count corrections")
    given = parser.parse_args(argv)
    repository = command_options.repository_of(given.root)
    try:
        from gatilho.agents import tool_server
    except ModuleNotFoundError as fault:
        raise command_options.missing_extra("mcp", fault) from fault
    tool_server.serve_agent(repository.root, given.write)
    return ExitStatus.FINE

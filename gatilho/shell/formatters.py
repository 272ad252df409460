"""Formatters and fixers: programs that rewrite the files named to them, and with which options they only look."""

from gatilho.shell.arguments import REWRITTEN, Allowance, Argument, braces
from gatilho.shell.program_options import Found, options_and_operands, reads

_LOOKS = "check diff c list-different"
# Name: subcommands that write ("" for none), options of which one is needed, options with which nothing is written.
_FORMATTERS: dict[str, tuple[str, str, str]] = {
    "2to3": ("", "w write", ""),
    "ast-grep": ("", "U update-all", ""),
    "autoflake": ("", "i in-place", "check check-diff"),
    "autopep8": ("", "i in-place", "diff"),
    "biome": ("format check lint", "write fix apply apply-unsafe", ""),
    "black": ("", "", _LOOKS),
    "buf": ("format", "w write", ""),
    "cargo": ("fmt", "", "check"),
    "clang-format": ("", "i", "n dry-run"),
    "codemod": ("", "", ""),
    "codespell": ("", "w write-changes", ""),
    "comby": ("", "i in-place", ""),
    "csharpier": ("", "", "check"),
    "dart": ("format fix", "", "o output set-exit-if-changed dry-run"),
    "deno": ("fmt", "", "check"),
    "djlint": ("", "reformat", "check"),
    "docformatter": ("", "i in-place", "c check"),
    "dos2unix": ("", "", "n i info"),
    "dprint": ("fmt", "", ""),
    "eslint": ("", "fix", "fix-dry-run"),
    "eslint_d": ("", "fix", "fix-dry-run"),
    "fastmod": ("", "", ""),
    "go": ("fmt fix", "", "n"),
    "gofmt": ("", "w", ""),
    "gofumpt": ("", "w", ""),
    "goimports": ("", "w", ""),
    "golines": ("", "w", ""),
    "google-java-format": ("", "i replace r", "n dry-run"),
    "isort": ("", "", f"{_LOOKS} check-only stdout d"),
    "jscodeshift": ("", "", "d dry"),
    "jupytext": ("", "to sync update set-formats", "test"),
    "ktlint": ("", "F format", ""),
    "latexindent": ("", "w overwrite", ""),
    "lib2to3": ("", "w write", ""),
    "markdownlint": ("", "f fix", ""),
    "markdownlint-cli2": ("", "fix", ""),
    "mdformat": ("", "", "check"),
    "mix": ("format", "", "check-formatted dry-run"),
    "nbstripout": ("", "", "t textconv dry-run"),
    "nixfmt": ("", "", "c check"),
    "nixpkgs-fmt": ("", "", "check"),
    "ocamlformat": ("", "i inplace", "check"),
    "ormolu": ("", "i mode", ""),
    "oxlint": ("", "fix fix-suggestions fix-dangerously", ""),
    "perltidy": ("", "b", ""),
    "php-cs-fixer": ("fix", "", "dry-run"),
    "phpcbf": ("", "", ""),
    "pint": ("", "", "test"),
    "pre-commit": ("run", "files", ""),
    "prettier": ("", "w write", ""),
    "prettierd": ("", "w write", ""),
    "pyupgrade": ("", "", ""),
    "rome": ("format check", "write apply", ""),
    "rubocop": ("", "a A x autocorrect autocorrect-all auto-correct auto-correct-all fix-layout", ""),
    "ruff": ("format", "", "check diff"),
    "rufo": ("", "", "c check"),
    "rustfmt": ("", "", "check emit"),
    "scalafmt": ("", "", "test check list"),
    "sd": ("", "", "p preview"),
    "sg": ("", "U update-all", ""),
    "shfmt": ("", "w write", "d diff l"),
    "sqlfluff": ("fix format", "", ""),
    "standard": ("", "fix", ""),
    "standardrb": ("", "fix fix-unsafely", ""),
    "stylelint": ("", "fix", ""),
    "stylua": ("", "", "c check"),
    "swift-format": ("", "i in-place", ""),
    "swiftformat": ("", "", "lint dryrun"),
    "taplo": ("fmt format", "", "check diff"),
    "terraform": ("fmt", "", "check diff write"),
    "tidy": ("", "m modify", ""),
    "tofu": ("fmt", "", "check diff write"),
    "unimport": ("", "r remove", ""),
    "unix2dos": ("", "", "n i info"),
    "usort": ("format", "", ""),
    "xmlstarlet": ("ed", "L inplace", ""),
    "xo": ("", "fix", ""),
    "yamlfmt": ("", "", "lint dry"),
    "yapf": ("", "i in-place", "d diff"),
    "zig": ("fmt", "", "check"),
}
# Of those that go through a folder which is named to them: how the names end of what they rewrite there; "" for any.
_ENDS = {
    ".py .pyi .ipynb": "2to3 autoflake autopep8 black docformatter isort lib2to3 ruff unimport usort yapf",
    ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json": "eslint eslint_d oxlint standard xo jscodeshift",
    ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json .jsonc .json5 .css .scss .less .html .md .mdx .yaml .yml "
    ".graphql .hbs .astro": "biome deno dprint prettier prettierd rome",
    ".css .scss .less": "stylelint",
    ".md": "markdownlint markdownlint-cli2 mdformat",
    ".go": "go gofmt gofumpt goimports golines",
    ".tf .tfvars": "terraform tofu",
    ".rs": "cargo",
    ".rb .rake": "rubocop rufo standardrb",
    ".sh .bash": "shfmt",
    ".php": "php-cs-fixer phpcbf pint",
    ".kt .kts": "ktlint",
    ".swift": "swift-format swiftformat",
    ".cs": "csharpier",
    ".dart": "dart",
    ".ex .exs": "mix",
    ".lua": "stylua",
    ".nix": "nixfmt nixpkgs-fmt",
    ".proto": "buf",
    ".scala .sbt": "scalafmt",
    ".sql": "sqlfluff",
    ".toml": "taplo",
    ".zig": "zig",
    ".yaml .yml": "yamlfmt",
    ".html": "djlint",
    "": "ast-grep codemod codespell fastmod sg",
}
_ENDS_OF = {name: tuple(ends.split()) for ends, names in _ENDS.items() for name in names.split()}
# They rewrite the folder that they run in where no file is named to them.
_WHOLE = frozenset(("ast-grep", "biome", "cargo", "deno", "dprint", "go", "mix", "ruff", "sg", "terraform", "tofu"))
# Options with a value, by program; of the others a value is taken for one more file.
_VALUED = {
    "black": ("ltC", "line-length target-version config include exclude code workers"),
    "clang-format": ("", "style assume-filename fallback-style"),
    "eslint": ("cfo", "config ext format output-file rule parser plugin ignore-path"),
    "gofmt": ("r", "r"),
    "isort": ("lpot", "profile line-length settings-path"),
    "prettier": ("", "config parser plugin ignore-path print-width tab-width log-level loglevel"),
    "ruff": ("", "config select ignore extend-select line-length target-version fixable output-format cache-dir"),
    "rustfmt": ("", "config config-path edition"),
    "shfmt": ("i", "indent"),
}


def is_formatter(name: str) -> bool:
    """Return whether the program is known to rewrite the files named to it."""
    return name in _FORMATTERS


def files_of_formatter(name: str, arguments: list[Argument]) -> Found:
    """Return what a program does to the files that its arguments (without its own name) name.

    One that is no formatter reads them. The kind is REWRITTEN and how the files end that it rewrites in a folder, or
    "write" for one that takes no folder.
    """
    if name not in _FORMATTERS:
        return reads(arguments)
    commands, needed, looking = (part.split() for part in _FORMATTERS[name])
    if name == "cargo":  # what comes after `--` is for rustfmt
        arguments = [one for one in arguments if one.text != "--"]
    options, operands = options_and_operands(arguments, *_VALUED.get(name, ("", "")))
    given = {option for option, _ in options}
    if name == "ruff" and operands and operands[0].text == "check":
        commands, needed, looking = ["check"], ["fix", "fix-only"], ["diff", "no-fix"]
    if commands and not (operands and operands[0].text in commands):
        return reads(arguments)
    if (needed and not given.intersection(needed)) or given.intersection(looking):
        return reads(arguments)
    operands = operands[len(commands) > 0 :]
    operands = operands[2:] if name in ("sd", "fastmod", "codemod", "comby") else operands
    if not operands and name in _WHOLE:
        operands = [Argument(".")]
    kind = " ".join((REWRITTEN, *_ENDS_OF[name])) if name in _ENDS_OF else "write"
    return [(kind, one) for operand in operands for one in _expanded(operand)]


def _expanded(operand: Argument) -> list[Argument]:
    """Return the patterns of an operand in which wildcards and braces are: they expand them where no shell does."""
    text = operand.approximate.removesuffix("/...")  # as Go has it for all below a folder
    if operand.glob or not {"*", "{"}.intersection(text):
        return [operand if text == operand.approximate else Argument(text)]
    return [Argument(one, True) for one in braces(text, Allowance(10_000))]

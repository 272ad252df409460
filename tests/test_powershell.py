"""Reading PowerShell: what its cmdlets and programs read and write, and what of it `cmd:` triggers see."""

import sys

import pytest
from builders import Repo, row, run_hook
from claude_session import Session
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.shell.command_line import read_command

WRITING = ("write", "tree", "tracked", "rewritten")


def found(text: str, *kinds: str) -> set[str]:
    words = read_command(text, "powershell").words
    return {("*" if "*" in kind else "") + path for kind, path in words if kind.split()[0].rstrip("*") in kinds}


# (what it is, text, what is written)
WRITES = [
    ("named parameter", "Set-Content -Path src/a.py -Value 'y'", {"src/a.py"}),
    ("position", "set-content src\\a.py y", {"src/a.py"}),
    ("abbreviated parameter", "Set-Content -Pat src/a.py -Val x", {"src/a.py"}),
    ("parameter with a colon", "Add-Content -LiteralPath:src/a.py -Value x", {"src/a.py"}),
    ("quotes", "sc '.\\src\\a b.py' x; ac \"src/b.py\" x", {"./src/a b.py", "src/b.py"}),
    ("redirection", "Get-Content b > src/a.py; 'x' >> c.py; make 2> err.txt *> all.txt", {"src/a.py", "c.py", "err.txt", "all.txt"}),
    ("end of a pipe", "Get-Content b | Select-Object -First 1 | Out-File -Encoding utf8 -FilePath src\\a.py", {"src/a.py"}),
    ("tee", "Get-Date | Tee-Object -FilePath a.txt; ls | tee b.txt", {"a.txt", "b.txt"}),
    ("brackets", "(Get-Content src/a.py) -replace 'x','y' | Set-Content src/a.py", {"src/a.py"}),
    ("block", "if (Test-Path x) { Remove-Item src/a.py } else { ni b.py }", {"src/a.py", "b.py"}),
    ("list", "Remove-Item a.py, b.py; Clear-Content -Path c.py, d.py", {"a.py", "b.py", "c.py", "d.py"}),
    ("removal by its aliases", "rm a; del b; ri c; erase d; rd -Recurse e", set("abcde")),
    ("removal as on Unix", "rm -rf src; rm -f a", {"src", "a"}),
    ("new file in a folder", "New-Item -Path src -Name a.py -ItemType File -Force", {"src/a.py"}),
    ("move", "Move-Item -Path a.py -Destination src/b.py", {"a.py", "src/b.py"}),
    ("copy", "Copy-Item a.py src/b.py -Force", {"src/b.py"}),
    ("unpacked", "Expand-Archive x.zip -DestinationPath src -Force", {"src"}),
    ("new name", "Rename-Item -Path src/a.py -NewName b.py", {"src/a.py", "src/b.py"}),
    ("variable", "$f = 'src/a.py'; Set-Content $f 'x'; sc \"$f.bak\" y", {"src/a.py", "src/a.py.bak"}),
    ("folder", "Set-Location src; Set-Content a.py x; cd ..; sc b.py x", {"src/a.py", "src/../b.py"}),
    ("folder that was left", "Push-Location src; sc a x; Pop-Location; sc $PWD/b x", {"src/a", "./b"}),
    ("present folder", "cd src; sc $PWD/a.py x; sc \"$(Get-Location)/b.py\" x", {"src/a.py", "src/b.py"}),
    ("root of the repository", "cd $(git rev-parse --show-toplevel); sc src/a.py x", {"\x03.\x03/src/a.py"}),
    ("root from the host", "sc $env:CLAUDE_PROJECT_DIR/a.py x", {"\x03$CLAUDE_PROJECT_DIR\x03/a.py"}),
    ("method of a class", "[IO.File]::WriteAllText('src/a.py', 'x'); [System.IO.File]::AppendAllLines(\"$PWD\\b.py\", $x)", {"src/a.py", "./b.py"}),
    ("method that moves", "[IO.File]::Move('a.py', 'b.py'); [IO.File]::Copy('c.py', 'd.py'); [IO.Directory]::Delete('e')", {"a.py", "b.py", "d.py", "e"}),
    ("removal of what a pipe brings", "Get-ChildItem src -Recurse | Where-Object { $_.Length -gt 3 } | Remove-Item -Force", {"src"}),
    ("files that a pipe brings", "gci src\\*.py | ri; 'x.py', 'y.py' | Remove-Item; gi z.py | Set-Content -Value q", {"*src/*.py", "x.py", "y.py", "z.py"}),
    ("each file that a pipe brings", "Get-Item src/a.py | ForEach-Object { Set-Content $_.FullName x }", {"src/a.py"}),
    ("loop", "foreach ($f in 'src/a.py','Makefile') { sc $f x; foreach ($g in @('b.py', 'c')) { del $f } }; sc $_ x", {"src/a.py", "Makefile"}),
    ("loop over what is listed", "foreach ($f in gci src -Filter *.py) { Set-Content $f.FullName x }", {"*src/*.py"}),
    ("loop whose variable is that of the pipe", "foreach ($_ in gci src) { sc \"x$_\" y }; sc a.py x", {"a.py"}),
    ("several that a pipe brings", "'a.py', 'b.py' | % { Set-Content $_ x }", {"a.py", "b.py"}),
    ("filter of a list", "gci -Recurse -Include *.py, *.ts | Remove-Item; gci src\\* -Filter a* | ri", {"***/*.py", "***/*.ts", "*src/a*"}),
    ("joined path", "sc (Join-Path src a.py) x; $p = Join-Path -Path 'lib' -ChildPath b.py; sc -Path $p -Value x", {"src/a.py", "lib/b.py"}),
    ("the other shell", "cmd /c \"del src\\a.py & copy x b\"; cmd.exe /C rmdir /s /q lib; cmd /c 'echo x > c'; cmd /c dir", {"src/a.py", "b", "lib", "c"}),
    ("wildcard", "Remove-Item src\\*.py", {"*src/*.py"}),
    ("variable without blanks", "$f='src/a.py'; 'y' > $f; $g=='b.py'", {"src/a.py"}),
    ("the person's home", "sc ~\\a.py x; 'y' > $HOME/b.py; cd ~; ri $env:USERPROFILE\\c.py",
     {f"\x03$HOME\x03/{name}" for name in ("a.py", "b.py", "c.py")}),
    ("text in base64", "pwsh -enc cwBjACAAcwByAGMALwBhAC4AcAB5ACAAeAA=", {"src/a.py"}),
    ("archives", "Expand-Archive x.zip -DestinationPath lib -Force; Compress-Archive src y.zip", {"lib", "y.zip"}),
    ("here-string", "@'\nrm q > z\n'@ | Set-Content src/a.py", {"src/a.py"}),
    ("here-string as an argument", "Set-Content a.py @\"\nrm q\n\"@", {"a.py"}),
    ("line that goes on", "Set-Content `\n  -Path a.py `\n  -Value x", {"a.py"}),
    ("program", "git checkout -- src/a.py; sed -i s/x/y/ b.py; npx prettier --write c.ts", {"src/a.py", "b.py", "c.ts"}),
    ("program that is called", "& 'C:\\git\\git.exe' rm src/a.py; & git mv b c", {"src/a.py", "b", "c"}),
    ("shell in the shell", "bash -c 'rm a'; pwsh -NoProfile -Command \"Remove-Item b\"; iex 'rm c'", set("abc")),
    ("substitution", "Write-Host \"$(Remove-Item a)\"", {"a"}),
    ("folder of a program's own", "command rm a; builtin cd src; exec rm b", {"a", "src/b"}),
    ("download", "Invoke-WebRequest https://h/x -OutFile src/a.py; iwr -Uri https://h/y -OutF b", {"src/a.py", "b"}),
    ("export", "Get-Process | Export-Csv -Path a.csv -NoTypeInformation", {"a.csv"}),
]  # fmt: skip
NOTHING_WRITTEN = {
    "reads": "Get-Content .\\src\\a.py; gc b.py -TotalCount 5; type c; Select-String -Path d.py -Pattern x; dir src",
    "says": "Write-Host 'rm a > b'; echo \"x > y\"; Write-Output z",
    "comments": "# rm a\n<# rm b\n> c #>\nGet-Date",
    "duplicated streams": "make 2>&1 | Out-Null",
    "what it would do": "Remove-Item a.py -WhatIf; Set-Content b.py x -WhatIf",
    "comparison": "if ($a -gt 3) { Get-Date }",
    "unknown variable": 'Set-Content $unset x; Remove-Item "$x/a"',
    "method of a class": "[System.IO.File]::ReadAllText('src/a.py', 'x'); [Math]::Max('src/a.py')",
}


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in WRITES], ids=[case[0] for case in WRITES])
def test_writes(text: str, expected: set[str]) -> None:
    assert found(text, *WRITING) == expected


@pytest.mark.parametrize("text", NOTHING_WRITTEN.values(), ids=NOTHING_WRITTEN.keys())
def test_writes_nothing(text: str) -> None:
    assert found(text, *WRITING, "into") == set()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("Get-Content .\\src\\a.py", "./src/a.py", id="cmdlet"),
        pytest.param("gc -Path src/a.py -Raw", "src/a.py", id="alias"),
        pytest.param("Select-String x src/a.py", "src/a.py", id="second operand"),
        pytest.param("Copy-Item src\\a.py b.py", "src/a.py", id="source of a copy"),
        pytest.param("python src\\a.py", "src/a.py", id="argument of a program"),
        pytest.param(".\\build.ps1 src\\a.py", "src/a.py", id="argument of a script"),
        pytest.param("[IO.File]::ReadAllText('src\\a.py')", "src/a.py", id="text that it cannot follow"),
        pytest.param("$x = [xml](gc src/a.py)", "src/a.py", id="brackets in an assignment"),
    ],
)
def test_reads(text: str, path: str) -> None:
    assert path in found(text, "read")


SAID = {
    "comment": "make # deploy now",
    "long comment": "<# deploy now #> make",
    "message": 'git commit -m "deploy now"',
    "said": "Write-Host 'deploy now'; echo \"deploy now\"",
    "searched": "Select-String -Pattern 'deploy now' a.txt; sls 'deploy now' b.txt",
    "here-string": "Set-Content a.md @'\ndeploy now\n'@",
    "piped text": "'deploy now' | Set-Content a.md",
}
RUN = {
    "chain": "cd x; deploy now",
    "block": "if ($true) { deploy now }",
    "call": "& deploy now",
    "other shell": "pwsh -Command 'deploy now'",
    "evaluated": "Invoke-Expression 'deploy now'",
    "substitution": '"$(deploy now)"',
}


@pytest.mark.parametrize("text", SAID.values(), ids=SAID.keys())
def test_what_is_only_said_is_not_seen(text: str) -> None:
    reading = read_command(text, "powershell")
    assert not [one for one in (reading.line, *reading.commands) if "deploy now" in one]


@pytest.mark.parametrize("text", RUN.values(), ids=RUN.keys())
def test_what_runs_is_seen(text: str) -> None:
    assert any(one.startswith("deploy now") for one in read_command(text, "powershell").commands)


@settings(max_examples=200)
@given(st.text(alphabet="ab1 \t\n\\'\"`$(){}[]<>|&;#=*?@:/.-,\r\0é\u201c\x02\x03\x05\x06", max_size=200))
def test_reading_never_raises(text: str) -> None:
    reading = read_command(text, "powershell")
    assert not any("\0" in path for _, path in reading.words)


@pytest.mark.parametrize(
    "unit", ["(", "$(", '"', "'", "a;", "a ", "$a ", "@'\n", "`", "#a\n", "<#", "{", "a,", ">a ", "iex "]
)
def test_work_grows_with_the_length(unit: str) -> None:
    calls = [_calls(unit * (size // len(unit))) for size in (2_000, 8_000)]
    assert calls[1] < 6 * calls[0] + 500


def _calls(text: str) -> int:
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        read_command(text, "powershell")
    finally:
        sys.setprofile(None)
    return count


def test_the_tool_of_the_host_is_read_as_powershell(repo: Repo) -> None:
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "src/a.py is old.", rides="3"))
    session = Session(repo)
    read = run_hook(session.pre("PowerShell", command="Get-Content .\\src\\a.py"))
    write = run_hook(session.pre("PowerShell", command="Set-Content -Path src/a.py -Value 'y'"))
    assert (read.decision, write.decision) == ("", "ask")

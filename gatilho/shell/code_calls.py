"""The calls that are known in code of Python, Node, Perl, Ruby and PHP: which file each writes, what each runs.

A name with a dot in front counts whatever it is called of (`.unlink`); any other is the whole name of the call.
"""

# Which of the texts that a call is given are the files that it writes.
_FIRST, _BOTH, _SECOND = slice(0, 1), slice(0, 2), slice(1, 2)
_WRITING = (
    (
        _FIRST,
        """.writeFile .writeFileSync .appendFile .appendFileSync .createWriteStream .unlink .unlinkSync .rmSync
        .rmdirSync .rmtree .truncateSync .ftruncate .writeTextFile .writeTextFileSync .removeSync .outputFile
        .outputFileSync .file_put_contents .binwrite .rm_f .rm_rf .utimesSync .chmodSync .extractall
        File.write IO.write File.delete FileUtils.rm FileUtils.touch Bun.write os.remove os.truncate os.chmod os.mkfifo
        os.rmdir fs.rm fs.truncate fs.chmod Deno.remove Deno.truncate remove truncate os.removedirs touch fsp.rm
        fs.promises.rm""",
    ),
    (
        _BOTH,
        """os.rename os.replace os.renames shutil.move rename renameSync fs.rename fsp.rename File.rename FileUtils.mv
        Deno.rename Deno.renameSync move fs.renameSync""",
    ),
    (
        _SECOND,
        """.copyFile .copyFileSync .copyfile .copy2 .cp .cpSync .symlink .symlinkSync .linkSync .copytree
        .unpack_archive
        copy shutil.copy link os.link FileUtils.ln_s""",
    ),
)
WRITTEN = {name: which for which, names in _WRITING for name in names.split()}
OPENS = frozenset(("open", "openSync", "fopen", "sysopen"))
"""They write their file by the mode that they are given."""

PATHS = frozenset(("Path", "PosixPath", "Pathname", "File"))
"""They make a path of a text; METHODS are those of a path that write it."""
METHODS = frozenset(
    """write_text write_bytes unlink touch rename replace rmdir write delete symlink_to hardlink_to chmod
    binwrite""".split()  # noqa: SIM905
)
OF_THE_SAME_PATH = (".resolve", ".absolute", ".expanduser")
"""Methods of a path that give a path to the same file."""

# Names that others have, too (`/x/.exec(text)` searches), and what they have to be called of to run something.
_SHARED = ("exec", "run", "call")
_RUNNERS = ("", "subprocess.", "sp.", "os.", "child_process.", "cp.", "Kernel.")
RUNS = frozenset(
    """.system .popen .check_call .check_output .Popen .spawn .spawnSync .execSync .execFile .execFileSync .shell_exec
    .passthru .getoutput .getstatusoutput .spawnlp .execvp .proc_open""".split()  # noqa: SIM905
) | {runner + name for runner in _RUNNERS for name in _SHARED}
"""They run the command that they are given, as one text or as its words."""

ENTERS = ("os.chdir", "process.chdir")
HERE = frozenset(("process.cwd", "os.getcwd", "Path.cwd", "pathlib.Path.cwd", "Deno.cwd", "Dir.pwd"))
"""They give the folder that the code runs in."""
GIVEN = {"sys.argv": 1, "process.argv": 1, "ARGV": 0}
"""The list of what code is given, with the place of its first item."""
GLOBS = frozenset(("sync", "globSync", "glob", "iglob"))
"""They give the names that a pattern means; some are methods of a folder."""

"""Reading shell command lines: which simple commands they hold, and which files they read and write."""

import shlex
import shutil
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatilho.shell import actions, programs
from gatilho.shell.command_line import read_command
from gatilho.shell.editing import EDITORS
from gatilho.shell.git_calls import PATCHERS
from gatilho.shell.program_calls import PROGRAM_CALLS
from gatilho.shell.shell_calls import SHELL_CALLS
from gatilho.shell.syntax import DEEPEST, cut
from gatilho.shell.transfers import TRANSFERS

WRITING = ("write", "tree", "tracked", "rewritten", "into", "maybe")


def written(text: str) -> set[str]:
    """The paths that a command is sure to write, patterns with a star in front."""
    found = {
        ("*" if "*" in kind else "") + path
        for kind, path in read_command(text).words
        if kind.split()[0].rstrip("*") in ("write", "tree", "tracked", "rewritten")
    }
    return found | set(read_command(text).patches)


def read(text: str) -> set[str]:
    return {path for kind, path in read_command(text).words if kind == "read"}


# (what it is, command, what it writes)
WRITES = [
    ("names for a group", "printf 'a\\nb\\n' | (cd src; xargs rm)", {"src/a", "src/b"}),
    ("names for xargs by a substitution", "xargs -a <(echo a b) rm", {"a", "b"}),
    ("a variable that refers to another", "a=c; declare -n r=a; rm $r", set()),
    ("a script that a shell reads first", "echo 'rm a' > x; BASH_ENV=x bash -c :", {"x", "a"}),
    ("a prompt that runs a command", "PS4='$(rm a)' bash -xc :", {"a"}),
    ("an alias in git's variables", "GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='!rm a' git z", {"a"}),
    ("a patch below a folder", "git apply --directory=src <<'E'\n--- a/a\n+++ b/a\nE", {"src/a"}),
    ("a name that vim writes or edits", "vim -es -c 'w! a' '+e b' c", {"a", "b", "c"}),
    ("code in Lua", "lua -e 'io.open(\"a\", \"w\")'; lua <<'E'\nos.remove('b')\nE", {"a", "b"}),
    (
        "imported by another name",
        'python3 -c \'import os as o\nfrom os import rename as r\no.remove("a"); r("b", "c")\'',
        {"a", "b", "c"},
    ),
    ("archives by Python", 'python3 -c \'shutil.unpack_archive("x.zip", "a"); z.extractall("b")\'', {"a", "b"}),
    ("a fetched file in a folder", "aria2c -d src -o a http://x/y", {"src/a"}),
    ("copy to each of several", "for f in a b; do cp x $f; mv c $f.d; done", {"a", "b", "c", "a.d", "b.d"}),
    (
        "folder that each round enters",
        "for d in s t; do cd $d; rm a; cd -; (cd $d && rm b); done; rm c",
        {"s/a", "s/b", "t/a", "t/b", "c"},
    ),
    ("command lines in the place of words", "parallel ::: 'cp x a' 'mv c d{}'", {"a", "c", "d{}"}),
    ("copy to each of the lines", "printf 'a\\nb\\n' | while read -r f; do cp x $f; done", {"a", "b"}),
    ("names in each line", "while IFS=, read -r a b; do mv $a $b; done <<E\nc,d\ne,f\nE", {"c", "d", "e", "f"}),
    ("function that a loop calls", 'f() { cp $1 "$2"; }; for i in a b; do f $i "$i.c"; done', {"a.c", "b.c"}),
    (
        "name without its folder",
        "for f in s/a s/b; do cp $f $(basename $f .b); mv x $(dirname $f)/c; done",
        {"a", "b", "x", "s/c"},
    ),
    (
        "parts of a variable",
        "x=s/a.b.c; rm ${x%.c} ${x%%.*} ${x#*.} ${x##*/} ${x/b/d} ${x//./-}",
        {"s/a.b", "s/a", "b.c", "a.b.c", "s/a.d.c", "s/a-b-c"},
    ),
    ("printf into a variable", "printf -v x s/%s.py a; rm $x", {"s/a.py"}),
    ("script that was moved", "echo 'rm a' > one; mv one two; cp two three; sh three", {"one", "two", "three", "a"}),
    (
        "command in an option",
        "gdb -batch -ex 'shell rm a'; vim -c '!rm b' +'silent !rm c' d; tar xf e --to-command='rm f'",
        set("abcdf"),
    ),
    (
        "loop in code",
        """python3 -c "for n in ['a', 'b']:\n p = Path(n)\n p.write_text('')"; node -e 'for (const f of ["c"]) fs.rmSync(f)'""",
        set("abc"),
    ),
    (
        "name that code joins",
        """python3 -c "d = 's'; open(os.path.join(d, 'a'), 'w'); open('t/' + 'b', 'w'); (Path('u') / 'v' / 'c').unlink()" """,
        {"s/a", "t/b", "u/v/c"},
    ),
    (
        "function in code, list that it is given",
        """python3 - b <<'E'
def fix(path):
    open(path, "w").write("")
fix("a")
open(sys.argv[1], "w")
edits = {"c": []}
for p, pairs in edits.items():
    Path(p).touch()
E
node -e 'function f(p) { fs.rmSync(path.join(process.cwd(), `d`, p)) }; f("e")'""",
        {"a", "b", "c", "./d/e"},
    ),
    (
        "folder and form in code",
        """python3 -c "n = 'a'; open(f's/{n}', 'w'); r = Path('t'); (r / 'b').unlink()"; python3 -c "os.chdir('u'); open('c', 'w')" """,
        {"s/a", "t/b", "u/c"},
    ),
    ("variable of awk", """awk -v f=a '{ print > f; print >> "b"; print > FILENAME }' c""", set("abc")),
    ("loop over arguments without `in`", 'set -- a b; for f do rm "$f"; done', {"a", "b"}),
    ("numbers in a row", "for i in $(seq 2 3) $(seq 5); do rm $i; done", set("12345")),
    ("folder of a file", 'D="$(cd "$(dirname s/a)" && pwd)"; rm "$D/b"', {"s/b"}),
    ("what Python packs and prints", "zip -r a b; python3 -m json.tool c d; git archive -o e HEAD", set("ade")),
    ("copies that an edit leaves", "perl -pi.x -e s/a/b/ a; sed -i.y s/a/b/ b", {"a", "a.x", "b", "b.y"}),
    ("command under a lock", "flock l -c 'rm a'; flock -n l rm b", {"a", "b"}),
    ("function with an argument", 'f() { sed -i s/x/y/ "$1"; }; f src/a.py', {"src/a.py"}),
    ("program that runs another one", "faketime 2030-01-01 taskset 1 ltrace -o log rm a", {"a"}),
    ("function with all arguments", 'function f { for x; do rm "$x"; done; }; f a b', {"a", "b"}),
    ("function that shifts", 'f() { shift; rm "$@"; }; f a b', {"b"}),
    ("function in a subshell", 'f() ( cd "$1" && rm a ); f src; rm b', {"src/a", "b"}),
    ("function of a program's name", 'sed() { command sed -i "$@"; }; sed s/x/y/ a', {"a"}),
    ("function that calls itself", "f() { f; f; rm a; }; f", {"a"}),
    ("function that moves", 'cd() { builtin cd "$@"; }; cd src; rm a', {"src/a"}),
    ("alias", "alias e='sed -i s/x/y/'\ne src/a.py", {"src/a.py"}),
    ("script that was just written", "printf 'rm a' > go; sh go x", {"go", "a"}),
    (
        "script that was just written, run by its path",
        "cat > go.sh <<'E'\nrm $1\nE\nchmod +x go.sh; ./go.sh a",
        {"go.sh", "a"},
    ),
    ("script that was written by tee", "echo 'rm a' | tee go; . ./go", {"go", "a"}),
    ("script that grows", "echo 'rm a' > go; echo 'rm b' >> go; bash go", {"go", "a", "b"}),
    ("script that was run before it was written", "sh go; echo 'rm a' > go; sh go", {"go", "a"}),
    ("link that is made after a write", "rm t/a; ln -s src t; rm t/a", {"t", "t/a", "src/a"}),
    ("script in Python", 'echo \'open("a", "w")\' > x.py; python3 x.py', {"x.py", "a"}),
    ("names in a file that was just written", "printf 'a\\nb' > l; xargs -a l rm", {"l", "a", "b"}),
    ("names that cat prints", "printf 'a\\n' > l; rm $(cat l)", {"l", "a"}),
    ("text that a variable grows by", "d=src; d+=/a; rm $d", {"src/a"}),
    ("program that is looked up", "$(command -v sed) -i s/x/y/ a", {"a"}),
    ("another name of a folder", "ln -s src t; rm t/a", {"t", "t/a", "src/a"}),
    ("another name of a file", "ln a b; echo > b", {"a", "b"}),
    ("name that a program prints", "realpath src/a | xargs rm", {"src/a"}),
    ("text that is decoded", "echo cm0gc3JjL2EucHk= | base64 -d | sh", {"src/a.py"}),
    ("text that a substitution prints for a shell", 'bash -c "$(printf \'rm a; rm "b c"\')"', {"a", "b c"}),
    ("text that a substitution prints for eval", 'eval "$(echo rm a)"; env - rm b', {"a", "b"}),
    (
        "module without a name",
        """python3 -c '__import__("os").remove("a")'; node -e 'require("node:fs").rm("b")'""",
        {"a", "b"},
    ),
    ("first argument of a text", "bash -c 'rm $0 $1' a b", {"a", "b"}),
    ("alias of git", "git -c alias.x='!rm a' x; git config alias.y 'rm -f'; git y b", {"a", "b"}),
    (
        "command that git runs",
        "git rebase -x 'rm a' main; git bisect run rm b; git submodule foreach 'rm c'",
        {"a", "b", "c"},
    ),
    ("command in a setting of git", "git -c core.editor='rm a #' commit", {"a"}),
    ("command in a variable", "GIT_EDITOR='rm a #' git commit", {"a"}),
    ("file that find prints into", "find . -fprint a", {"a"}),
    ("archive unpacked by Python", "python3 -m tarfile -e x.tar src", {"src"}),
    ("path in a variable of Python", """python3 -c "p = Path('a'); p.write_text(p.read_text())" """, {"a"}),
    ("file by name in Python", """python3 -c "open(file='a', mode='w'); Path('b').open(mode='a')" """, {"a", "b"}),
    (
        "names that Python fills in",
        """python3 -c "d = 'src'; open('%s/a.py' % d, 'w'); open('{}/{}'.format('src', 'b'), 'w'); print('%d' % 3)" """,
        {"src/a.py", "src/b"},
    ),
    ("hexadecimal text that feeds a shell", "echo 726d2061 | xxd -r -p | sh; xxd -l 64 c; xxd -r c d", {"a", "d"}),
    ("variable of Python", """python3 -c "p = 'a'; t = open(p).read(); open(p, 'w').write(t)" """, {"a"}),
    ("sed's command w", "sed -n '/q/w src/a.py' b", {"src/a.py"}),
    ("sed's flag w", "sed 's/x y/z/gw a' b", {"a"}),
    ("awk's redirect", """awk '$1 > "b" {print > "a"}' c""", {"a"}),
    ("awk's command", """awk 'BEGIN { system("rm a") }'""", {"a"}),
    (
        "Python with a literal name",
        """python3 -Ic 'open("a", mode="w"); Path("b").write_text("x"); open("c").read()'""",
        {"a", "b"},
    ),
    (
        "Python that is fed",
        "python3 - <<'E'\nimport os # don't\nos.rename('a', 'b')\nos.system('rm c')\nE",
        {"a", "b", "c"},
    ),
    ("Python that runs a program", """python -c 'subprocess.run(["rm", "a"])'""", {"a"}),
    ("Node with a literal name", """node -e 'require("fs").writeFileSync("a", "x"); fs.readFileSync("b")'""", {"a"}),
    (
        "Perl with a literal name",
        """perl -e 'open(my $f, ">>", "a"); unlink "b"; open(F, ">c"); `rm d`'""",
        {"a", "b", "c", "d"},
    ),
    ("Ruby with a literal name", """ruby -e 'File.write("a", "x"); File.open("b", "w"); File.read("c")'""", {"a", "b"}),
    ("redirect", "echo x > src/a.py", {"src/a.py"}),
    ("redirect without a blank", "echo x>src/a.py", {"src/a.py"}),
    ("appending redirect", "echo x >>src/a.py", {"src/a.py"}),
    ("forced redirect", "echo x>|src/a.py", {"src/a.py"}),
    ("redirect of both streams", "make &>log.txt", {"log.txt"}),
    ("appending redirect of both streams", "make &>> log.txt", {"log.txt"}),
    ("old redirect of both streams", "make >& log.txt", {"log.txt"}),
    ("redirect of a numbered stream", "make 2>err.txt >out.txt", {"err.txt", "out.txt"}),
    ("redirect into a named descriptor", "exec {fd}>out.txt", {"out.txt"}),
    ("read and write redirect", "cmd <> src/a.py", {"src/a.py"}),
    ("redirect in front of the command", "> src/a.py echo x", {"src/a.py"}),
    ("redirect without a command", ": > a; > b", {"a", "b"}),
    ("redirect of a group", "{ echo a; echo b; } > src/a.py", {"src/a.py"}),
    ("redirect of a subshell", "(echo a; echo b) >> src/a.py", {"src/a.py"}),
    ("redirect of a loop", "for i in 1 2; do echo $i; done > src/a.py", {"src/a.py"}),
    ("redirect of an if", "if a; then b; fi > src/a.py", {"src/a.py"}),
    ("number that is an argument", "echo 2 >src/a.py", {"src/a.py"}),
    ("here-document in front of the redirect", "cat <<EOF > src/a.py\nx\nEOF", {"src/a.py"}),
    ("here-document behind the redirect", "cat > src/a.py <<'EOF'\nx\nEOF", {"src/a.py"}),
    ("indented here-document", "cat <<-'E' >>src/a.py\n\tx > no\n\tE\necho > b", {"src/a.py", "b"}),
    ("two here-documents", "cat <<A <<B > o\nx > n\nA\ny > n\nB\necho > p", {"o", "p"}),
    ("here-document whose end is missing", "cat > o <<EOF\nx > n\n", {"o"}),
    ("here-document and a chain", "cat <<'E' > a && rm b\n> n\nE\nrm c", {"a", "b", "c"}),
    ("here-document in a substitution", 'git commit -m "$(cat <<\'E\'\n> n "\nE\n)" && rm c', {"c"}),
    ("quotes of three kinds in one word", "rm 'src'/\"a\"\\.py", {"src/a.py"}),
    ("C quotes", r"rm $'src/\x61.py' $'it\'s'", {"src/a.py", "it's"}),
    ("blank in quotes", 'rm "my file.py" my\\ other.py', {"my file.py", "my other.py"}),
    ("line continuation in a word", "rm src/\\\na.py", {"src/a.py"}),
    ("line continuation in double quotes", 'rm "src/\\\na.py"', {"src/a.py"}),
    ("comment behind a command", "rm a # > b; rm c\nrm d", {"a", "d"}),
    ("hash inside a word", "rm a#b", {"a#b"}),
    ("known variable", 'D=src; echo x > "${D}/a.py"', {"src/a.py"}),
    ("known variable without braces", "D=src && rm $D/a.py", {"src/a.py"}),
    ("exported variable in another shell", "export D=src; bash -c 'rm $D/a.py'", {"src/a.py"}),
    ("variable in front of another shell", "D=src sh -c 'rm $D/a.py'", {"src/a.py"}),
    ("variable made of a variable", "D=src; F=$D/a.py; rm $F", {"src/a.py"}),
    ("variable that is split", 'F="a.py b.py"; rm $F', {"a.py", "b.py"}),
    ("variable that is not split", 'F="a b.py"; rm "$F"', {"a b.py"}),
    ("variable with a default", 'rm ${D:-src}/a.py "${E-lib}/b"; D=x; rm ${D:=src}/c', {"src/a.py", "lib/b", "x/c"}),
    (
        "folder that a command prints",
        "rm $(pwd)/a; cd src; rm `pwd`/b; cd $(pwd)/lib; rm c",
        {"./a", "src/b", "src/lib/c"},
    ),
    ("folder by a tilde", "cd src; rm ~+/a ~-/b $OLDPWD/c", {"src/a", "./b", "./c"}),
    ("tilde behind an equals sign", "dd if=/dev/null of=~+/a; dd of=~bob/b", {"./a"}),
    ("array", 'F=(a.py "b c.py"); rm "${F[@]}"', {"a.py", "b c.py"}),
    ("current folder as a variable", "cd src; rm $PWD/a.py; R=$PWD; cd lib; rm $R/b.py", {"src/a.py", "src/b.py"}),
    ("loop over files", 'for f in a.py b.py; do sed -i s/x/y/ "src/$f"; done', {"src/a.py", "src/b.py"}),
    ("folder in front", "cd src && sed -i s/x/y/ a.py", {"src/a.py"}),
    ("folder of a subshell", "(cd src && rm a.py); rm b.py", {"src/a.py", "b.py"}),
    ("folder of a group", "{ cd src; }; rm a.py", {"src/a.py"}),
    ("folder in a pipe", "cd src | cat; rm a.py", {"a.py"}),
    ("folder of a group in a pipe", "{ cd src; rm a; } | cat; rm b", {"src/a", "b"}),
    ("folder in the background", "cd src && rm a & rm b", {"src/a", "b"}),
    ("folder in a substitution", 'x=$(cd src; rm a); rm "b"', {"src/a", "b"}),
    ("folder in a function", "f() { cd src; rm a; }; rm b", {"src/a", "b"}),
    ("back to the folder before", "cd src; cd -; rm a; cd src; cd lib; cd -; rm b", {"a", "src/b"}),
    ("stack of folders", "pushd src; rm a; popd; rm b", {"src/a", "b"}),
    ("absolute folder", "cd /w/repo && rm a", {"/w/repo/a"}),
    ("absolute word in an unknown folder", 'cd "$X" && rm /w/a b', {"/w/a"}),
    ("folder of git", "git -C src rm a.py", {"src/a.py"}),
    ("folder of env", "env -C src rm a; rm b", {"src/a", "b"}),
    ("two shells deep", "bash -lc \"sh -c 'rm a'\"", {"a"}),
    ("here-document that feeds a shell", "bash <<'E'\necho x > src/a.py\nE", {"src/a.py"}),
    ("here-document piped to a shell", "cat <<'E' | sh\nrm a\nE", {"a"}),
    ("here-document for a shell with arguments", "bash -s -- one <<'E'\nrm a\nE\nsh - <<< 'rm b'", {"a", "b"}),
    ("here-document that is sourced", "source /dev/stdin <<'E'\nrm a\nE", {"a"}),
    ("here-string that feeds a shell", "bash <<< 'rm a'", {"a"}),
    ("echo that feeds a shell", "echo 'rm a' | bash", {"a"}),
    ("shell with options", "bash -euo pipefail -c 'rm a'", {"a"}),
    ("eval", "eval 'rm a'; eval rm b", {"a", "b"}),
    ("eval that moves", "eval 'cd src'; rm a", {"src/a"}),
    ("substitution in a here-document", "cat <<E\n$(rm a)\nE", {"a"}),
    ("substitution in double quotes", 'echo "x $(rm "a b") y"', {"a b"}),
    ("backticks", "echo `rm a`", {"a"}),
    ("process substitution", "tee >(cat > a) < <(rm b) > /dev/null", {"a", "b"}),
    ("if, elif and else", "if rm a; then rm b; elif rm c; then rm d; else rm e; fi", set("abcde")),
    ("loops", "while rm a; do rm b; done; until rm c; do rm d; done; for ((;;)); do rm e; done", set("abcde")),
    ("case", "case $x in (a|b) rm a;; *.py) rm b ;& esac; rm c", set("abc")),
    ("functions", "f() { rm a; }; function g { rm b; }; h() ( rm c )", set("abc")),
    ("negation and time", "! rm a; time rm b; time -p rm c; ! time { rm d; }", set("abcd")),
    ("wrappers", "sudo -u bob env -i X=1 nohup nice -n 5 timeout -k 1 5 stdbuf -oL rm a", {"a"}),
    ("wrapper that is a builtin", "command rm a; builtin cd src; exec rm b", {"a", "src/b"}),
    (
        "wrappers with options",
        "screen -dmS n rm a; systemd-run --user -p x rm b; sshpass -p x fakeroot rm c",
        set("abc"),
    ),
    ("wrappers that take a text", "su - me -c 'rm a'; nix-shell -p x --run 'rm b'; hyperfine -w 3 'rm c'", set("abc")),
    (
        "runners of an environment",
        "op run -- rm a; direnv exec . rm b; aws-vault exec p -- rm c; nix develop -c rm d",
        set("abcd"),
    ),
    (
        "copies from other machines",
        "docker cp box:/x a; aws s3 cp s3://b/x b; adb pull /x c; kubectl cp d pod:/x",
        set("abc"),
    ),
    ("runner of a project", "uv run --with x tee a; poetry run tee b", {"a", "b"}),
    ("xargs that is fed", "echo a b | xargs rm -f", {"a", "b"}),
    ("xargs that is fed by a format", "printf 'a\\nb\\n' | xargs rm; printf '%s\\n' c d | xargs rm", set("abcd")),
    ("xargs that is fed by escapes", "echo -e 'a\\tb' | xargs rm; printf 'c\\0d\\0' | xargs -0 rm", set("abcd")),
    ("xargs with a place for the word", "printf '%s\\n' a b | xargs -I{} cp x {}.py", {"a.py", "b.py"}),
    ("arithmetic in a subscript", "a[1<<X]=3\nrm a\nX", {"a"}),
    ("arithmetic in a subscript with blanks", "declare b a[1 | X]+=3; rm a", {"a"}),
    ("arithmetic in the subscript of an array's value", "b=([1<<X]=3)\nrm a\nX", {"a"}),
    ("a bracket in an argument is none", "echo b[1<<X]=3\nrm a\nX", set()),
    ("a test before the end of a line", "[[ 1 = 2 ]]\nrm a", {"a"}),
    ("arithmetic of old", "echo $[1<<X]\nrm a\nX", {"a"}),
    ("wildcards alone", "rm *; cd src && rm ????", {"**", "*src/????"}),
    ("find that runs a writer", "find src lib -name '*.py' -exec rm {} +", {"*src/**/*.py", "*lib/**/*.py"}),
    ("find that deletes", "find src -delete", {"*src/**/*"}),
    ("program with a folder or a backslash", "/bin/rm a; \\rm b", {"a", "b"}),
    ("tee", "echo x | tee -a src/a.py b", {"src/a.py", "b"}),
    ("sed in place", "sed -i s/x/y/ a", {"a"}),
    ("sed in place with a suffix", "sed -i.bak s/x/y/ a", {"a", "a.bak"}),
    ("sed in place with an empty suffix", "sed -i '' s/x/y/ a; sed -i \"\" -e s/x/y/ b", {"a", "b"}),
    ("sed in place, its last option without a suffix", "sed --in-place=.o --in-place s/x/y/ a", {"a"}),
    ("sed in place by its long name", "sed --in-place s/x/y/ a; sed --in-place=.o -e s/x/y/ b", {"a", "b", "b.o"}),
    ("sed with letters in one word", "sed -Ei s/x/y/ a; sed -ni -e p b; sed -E -i -f s.sed c", {"a", "b", "c"}),
    (
        "perl in place",
        "perl -pi -e s/x/y/ a; perl -i.bak -pe s/x/y/ b; perl -0777 -i -pe s/x/y/ c",
        {"a", "b", "b.bak", "c"},
    ),
    ("ruby in place", "ruby -i -pe 'x' a", {"a"}),
    ("gawk in place", "gawk -i inplace '{print}' a", {"a"}),
    ("cp", "cp a src/b.py", {"src/b.py"}),
    ("cp into a folder", "cp a x/b src/; cp -t lib c", {"src/", "src/a", "src/b", "lib", "lib/c"}),
    ("mv", "mv a src/b.py", {"a", "src/b.py"}),
    ("mv with its target in front", "mv --target-directory=lib a", {"a", "lib", "lib/a"}),
    ("rm, truncate, touch", "rm -f a; truncate -s 0 b; touch -d yesterday c; unlink d", set("abcd")),
    ("dd", "dd if=x of=a bs=1M", {"a"}),
    ("install", "install -m 755 x bin/a; install -d d", {"bin/a", "d"}),
    ("ln", "ln -s x a; ln -sf ../y", {"a", "y"}),
    ("rsync", "rsync -a --exclude .git src/ lib", {"lib"}),
    ("rsync of a folder", "rsync -a src lib/", {"lib/", "lib/src"}),
    ("contents of a folder", "cp -a x/. src; cp -r y/. lib/", {"src", "lib/"}),
    ("folder into a folder", "cp -r x src/", {"src/", "src/x"}),
    ("unpacked", "tar -xzf a.tgz -C src; tar xf a.tar --directory=lib; unzip -qo a.zip -d out", {"src", "lib", "out"}),
    ("packed", "tar -czf out.tgz -C src .; tar cf b.tar lib", {"out.tgz", "b.tar"}),
    (
        "prettier",
        "prettier --write src/a.ts b; npx --yes prettier@3 -w c; yarn prettier --write d",
        {"src/a.ts", *"bcd"},
    ),
    (
        "runners of prettier",
        "pnpm prettier --write a; pnpm exec prettier -w b; bunx prettier -w c; yarn dlx prettier -w d",
        set("abcd"),
    ),
    ("eslint", "eslint --fix a; npx eslint --fix -c e.js b; ./node_modules/.bin/eslint --fix c", set("abc")),
    (
        "ruff",
        "ruff format a; ruff check --fix b; uvx ruff check --fix --select I c; uv tool run ruff format d",
        set("abcd"),
    ),
    (
        "black",
        "black a; python -m black -q b; poetry run black -l 100 c; hatch run lint:black d; pipx run black==24.1 e",
        set("abcde"),
    ),
    ("isort", "isort a; python3 -m isort b; pdm run isort c", set("abc")),
    (
        "gofmt, rustfmt, clang-format, shfmt",
        "gofmt -w a; rustfmt b; clang-format -i c; clang-format --style=file -i d; shfmt -i 2 -w e",
        set("abcde"),
    ),
    (
        "other formatters",
        "yapf -i a; autopep8 --in-place b; biome check --write c; stylelint --fix d; terraform fmt e; sd x y f; pre-commit run --files g",
        set("abcdefg"),
    ),
    ("scp from elsewhere", "scp -P 22 box:/tmp/a.py src/a.py", {"src/a.py"}),
    ("downloads", "curl -sSLo a https://h/x; wget -O b https://h/y; curl -O https://h/z/c", {"a", "b", "c"}),
    (
        "downloads into a folder",
        "wget -P a https://h/x; curl --output-dir b -O https://h/y; curl --output-dir c -o z https://h/q",
        {"a/x", "b/y", "c/z"},
    ),
    ("patch of one file", "patch src/a.py fix.diff", {"src/a.py"}),
    ("patch from a here-document", "patch -p1 <<'P'\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\nP", {"src/a.py"}),
    ("git checkout of paths", "git checkout -- src/a.py b", {"src/a.py", "b"}),
    ("git checkout from a commit", "git checkout HEAD~1 -- a; git checkout HEAD b", {"a", "b"}),
    ("git restore", "git restore --source=HEAD~1 a; git restore -s main -- b; git restore -SW c", {"a", "b", "c"}),
    ("git mv and rm", "git mv a b; git rm -f c; git -c x=y --no-pager rm d", set("abcd")),
    ("git apply", "git apply <<'P'\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\nP", {"src/a.py"}),
    ("envelope in a here-document", "apply_patch <<'P'\n*** Begin Patch\n*** Update File: a\n*** End Patch\nP", {"a"}),
    ("envelope as an argument", "apply_patch '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch'", {"a"}),
    (
        "envelope in another shell",
        "cd s; bash -lc \"apply_patch <<'P'\n*** Begin Patch\n*** Delete File: a\nP\"",
        {"s/a"},
    ),
    ("braces", "rm src/{a,b}.py; touch t{1..3}", {"src/a.py", "src/b.py", "t1", "t2", "t3"}),
    ("a sequence of letters", "rm src/{a..c}.py", {"src/a.py", "src/b.py", "src/c.py"}),
    (
        "a sequence with steps",
        "rm t{1..5..2} t{c..a..2} t{08..10}",
        {"t1", "t3", "t5", "tc", "ta", "t08", "t09", "t10"},
    ),
    ("a sequence below zero", "rm t{-1..1}", {"t-1", "t0", "t1"}),
    ("no sequence", "rm t{1..} t{a..3} t{1..2..x}", {"t{1..}", "t{a..3}", "t{1..2..x}"}),
    ("braces in braces", "rm {a,{b,c}d}", {"a", "bd", "cd"}),
    ("wildcard", "rm src/*.py 'lib/*.py' x\\*y", {"*src/*.py", "lib/*.py", "x*y"}),
    ("wildcard in a quoted folder", "rm 'a*b'/*.py", {"*a\\*b/*.py"}),
    ("wildcard in a folder", "cd 'a*b' && rm *.py", {"*a\\*b/*.py"}),
    ("windows line ends", "rm a\r\nrm b\r\n", {"a", "b"}),
    ("accents and a lone surrogate", "rm é \ud83d.py", {"é", "\ud83d.py"}),
]

# (what it is, command)
NO_WRITES = [
    ("duplicated descriptor", "echo hi >&2; make 2>&1"),
    ("closed descriptor", "cmd 2>&- 3>&1-"),
    ("null device", "cmd &>/dev/null; cmd > /dev/null 2>&1; cmd >/dev/stderr"),
    ("escaped operator", "[ 1 \\> 0 ] && echo done"),
    ("operator in quotes", "echo \"a > src/a.py\" 'b > src/a.py'"),
    ("comparison", "[[ a > b && c < d ]] && (( i > 3 )) && echo $((1 > 2))"),
    ("comment", "# rm a > b"),
    ("here-document that feeds no shell", "cat <<'E'\nrm a > b\nE"),
    ("quoted here-document with a substitution", "cat <<'E'\n$(rm a)\nE"),
    ("here-document beside a script", "bash x.sh <<'E'\nrm a\nE"),
    ("echo without escapes", "echo 'a\\nb' > /dev/null"),
    ("here-string that feeds no shell", "grep x <<< 'rm a > b'"),
    ("unset variable", 'echo x > "$UNSET/src/a.py"; rm $UNSET'),
    (
        "formatters that look",
        "prettier --check a; eslint a; black --check b; ruff check a; ruff format --diff a; isort -c a; gofmt -l a; clang-format a; rustfmt --check a; make fmt",
    ),
    ("what is unpacked elsewhere or listed", "tar -tzf a.tgz -C src; tar xf a.tar"),
    ("unknown variable after read", "F=a; read F; rm $F"),
    ("unset after set", "F=a; unset F; rm $F"),
    ("variable that only one branch sets", "if x; then D=a; else D=b; fi; rm $D/f"),
    ("variable set in a subshell", "(D=src); rm $D/a.py"),
    ("variable set in front of a command", "D=src true; rm $D/a.py"),
    ("variable that another shell does not get", "D=src; bash -c 'rm $D/a.py'"),
    ("variable set if another command fails", "x || D=src; rm $D/a.py"),
    ("positional parameters", 'rm "$1" $@ $*'),
    ("output of a command", "echo x > $(mktemp); rm `ls`"),
    ("home folder of another person", "echo x > ~bob/src/a.py; D=~bob; rm $D/a.py; cd ~bob/x; rm c"),
    ("unknown folder", 'cd "$X" && rm a'),
    ("folder that one of two commands enters", "cd a || cd b; rm c"),
    ("remote command", "ssh box vim src/a.py; ssh -p 22 box 'sed -i s/x/y/ src/a.py'"),
    ("remote command from a here-document", "ssh box <<'E'\nrm a\nE"),
    ("command in a container", "docker exec -it c tee src/a.py; docker run --rm -v $PWD:/r img sh -c 'echo > /r/a'"),
    ("command in a pod", "kubectl exec p -- sh -c 'echo x > src/a.py'"),
    ("copy to elsewhere", "scp src/a.py box:/tmp/; rsync -a src/ box:/x"),
    (
        "commands that only read",
        "cat a; grep x a; sed -n 1p a; sed s/x/y/ a; perl -ne print a; git diff a; git log -- a",
    ),
    ("git commands that name no file", "git push origin main; git stash; git merge x; git commit -m 'rm a'"),
    ("git restore of the index", "git restore --staged a"),
    ("git rm of the index", "git rm --cached a"),
    ("patch that is only looked at", "git apply --check <<'P'\n--- a/a\n+++ b/a\nP\ngit diff | patch --dry-run -p1"),
    ("text that sed puts in", "sed 'c\\\nnew\\\nw a' b"),
    ("asking for a command", "command -v rm a"),
    ("comparison in awk", """awk '{ print ($1 > "x" ? "a" : "b"), (1 > "c") }' a"""),
    ("w in a pattern of sed", r"sed -n 's/.*(w \(.*\)).*/\1/p; /[/]w a/,/w b/p; y/ab/w c/; # w d' e"),
    ("search with a pattern in Node", """node -e 'console.log(/x/.exec("rm a"), re.exec("rm b > c"))'"""),
    (
        "functions that read, of names that others write",
        """python3 - <<'E'
def read(path):
    return open(path).read()
def write(path, text):
    open(path, 'w')
text = Path('a').read_text()
print(text.replace('b', read('c')))
E""",
    ),
    ("loop over names that are read", "python3 -c \"for n in ['a', 'b']: print(open(n).read())\"; rsync -an a/ b"),
    ("comment in code", "python3 - <<'E'\nx = 1  # open('a', 'w')\ncur.execute('select 1 > 2'); [].remove('b')\nE"),
    ("text for another program", "python -c 'print(\"a\", \"w\")'; node -e 'rm a > b'"),
]


@pytest.mark.parametrize(("command", "expected"), [case[1:] for case in WRITES], ids=[case[0] for case in WRITES])
def test_writes(command: str, expected: set[str]) -> None:
    assert written(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "cat names | rev | xargs rm",
        "n=x x=src/a.py; rm ${!n}",
        "find src -name 'a*' -fprintf l '%p\\n' && xargs rm < l",
        "x=SRC/A.PY; rm ${x,,}",
        "socat - EXEC:'rm src/a.py'",
        "Rscript -e 'file.remove(\"src/a.py\")'",
        'python3 -c \'open("src/" + chr(97) + ".py", "w")\'',
        "make",
        "tar -xf b.tar",
    ],
)
def test_what_the_documents_call_unseen_before_the_call(command: str) -> None:
    """The table in `docs/hooks.md` says so: whoever teaches the reader one of these takes it out there."""
    assert "src/a.py" not in written(command)


@pytest.mark.parametrize("command", [case[1] for case in NO_WRITES], ids=[case[0] for case in NO_WRITES])
def test_writes_nothing(command: str) -> None:
    assert written(command) == set()


@pytest.mark.parametrize(
    ("command", "path"),
    [
        pytest.param("cat src/a.py", "src/a.py", id="argument"),
        pytest.param("wc < src/a.py", "src/a.py", id="redirect"),
        pytest.param("tool --file=src/a.py", "src/a.py", id="value of a long option"),
        pytest.param("tool --file src/a.py -v", "src/a.py", id="word behind an option"),
        pytest.param("make FILE=src/a.py", "src/a.py", id="value of a setting"),
        pytest.param("pytest tests/test_a.py::test_x -q", "tests/test_a.py", id="test of a file"),
        pytest.param("git show HEAD:src/a.py", "src/a.py", id="file of a commit"),
        pytest.param("git diff src/a.py", "src/a.py", id="file of a diff"),
        pytest.param("git log -- src/a.py", "src/a.py", id="file of a log"),
        pytest.param("cp src/a.py b", "src/a.py", id="source of a copy"),
        pytest.param("python3 src/a.py x", "src/a.py", id="script"),
        pytest.param("bash src/a.sh", "src/a.sh", id="shell script"),
        pytest.param(". src/a.sh", "src/a.sh", id="sourced script"),
        pytest.param("grep -rn -e x src/a.py", "src/a.py", id="file behind a pattern"),
        pytest.param("for f in src/a.py; do stat ${f%.py}; done", "src/a.py", id="word of a loop"),
        pytest.param("git apply fix.patch", "fix.patch", id="patch file"),
        pytest.param("curl -d @src/a.json https://h", "src/a.json", id="file that is sent"),
        pytest.param("scp src/a.py box:", "src/a.py", id="file that is copied away"),
    ],
)
def test_reads(command: str, path: str) -> None:
    assert path in read(command)
    assert path not in written(command)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        pytest.param('echo "src/a.py"', "src/a.py", id="text that is printed"),
        pytest.param("grep -rn src/a.py docs", "src/a.py", id="pattern"),
        pytest.param("sed -n /x/p b", "/x/p", id="script of sed"),
        pytest.param("git commit -m src/a.py", "src/a.py", id="message"),
        pytest.param("git push origin src/a.py", "src/a.py", id="branch"),
        pytest.param("ssh box cat src/a.py", "src/a.py", id="remote file"),
        pytest.param("curl https://h/src/a.py", "https://h/src/a.py", id="address"),
        pytest.param("python -c 'src/a.py'", "src/a.py", id="program text"),
    ],
)
def test_words_that_name_no_file(command: str, path: str) -> None:
    assert path not in read(command)


@pytest.mark.parametrize(
    "command",
    [
        "cd /x && git push",
        "make test;git push",
        "true || git push",
        "git status | cat && git push",
        "if ok; then git push; fi",
        "{ git push; }",
        "! git push",
        "make\ngit push",
        "make \\\n&& git push",
        "(git push)",
        "git push &",
        "git push 2>&1 | tail -3",
        "git push > log",
        "GIT_TRACE=1 git push",
        "env A=1 git push",
        "sudo -E git push",
        "nohup git push &",
        "timeout 30 git push",
        "xargs git push",
        "time git push",
        "bash -c 'git push'",
        "sh -lc 'cd x && git push'",
        "bash -lc 'cd x; git   push'",
        'eval "git push"',
        'echo "$(git push)"',
        "echo `git push`",
        "diff <(git push) x",
        "bash <<'E'\ngit push\nE",
        "ssh box 'git push'",
        "docker exec -it c git push",
        "find . -name x -exec git push \\;",
        "case $x in a) git push;; esac",
        "f() { git push; }",
        "while git push; do sleep 1; done",
        "git \\\n  push",
        "git  push # now",
        "git\tpush",
        "\\git push",
        '"git" push',
        "G=git; $G push",
        "git push\r\n",
        "[[ a ]] && git push",
        "((i++)); git push",
        "coproc git push",
    ],
)
def test_a_simple_command_is_found_wherever_it_stands(command: str) -> None:
    assert "git push" in read_command(command).commands


@pytest.mark.parametrize(
    "command",
    [
        'echo "git push"',
        "echo 'x; git push'",
        "# git push",
        "make # ; git push",
        "cat <<'E'\ngit push\nE",
        "cat <<E | grep x\ngit push\nE",
        "git commit -m 'then git push'",
        "grep 'a && git push' f",
        "x='git push'",
        "python - <<'E'\ngit push\nE",
        "echo \\; git push",
        "echo $'\\n' git push",
        "case git in (git push) ;; esac",
    ],
)
def test_text_is_no_simple_command(command: str) -> None:
    assert "git push" not in read_command(command).commands


def test_a_command_is_told_as_written_and_bare() -> None:
    commands = read_command("A=1 sudo -u bob  git push 2>&1 | tail").commands
    assert commands == ("A=1 sudo -u bob  git push 2>&1", "sudo -u bob git push", "git push", "tail")


def test_patch_files_are_left_to_those_who_may_read_files() -> None:
    assert read_command("cd src; patch -p1 < ../f.diff; git apply g.diff").patch_files == (
        ("src/../f.diff", "src", 1),
        ("src/g.diff", "src", 1),
    )


def test_words_that_depend_on_the_folder_are_told_apart() -> None:
    assert ("maybe", "main") in read_command("git checkout main").words
    assert ("into", "lib/a.py") in read_command("cp a.py lib").words
    assert ("tree", "src") in read_command("rm -rf src").words


# Each command is run by a real bash that knows no programs and notes what it was asked for.
TRACED = [
    "run1; run2 && run3 || run4 | run5 & wait",
    "run1 a b  c\nrun2 'a b' \"c d\" e\\ f",
    "if run1; then run2; else run3 x; fi",
    "for i in a b; do run1; done; run2",
    "case ab in a*) run1;; *) :;; esac; run2",
    "{ run1; run2; } | run3; (run4; run5)",
    "f() { run1; }; f; run2",
    'run1 "$(run2 x)" `run3`',
    "run1 <<E; run2\nrun9 $(run3)\nE\nrun4",
    "run1 <<'E' | run2\nrun9\nE\nrun3",
    "run1 <<-E\n\trun9\n\tE\nrun2",
    "run1 \\\n  a && run2",
    "run1 # run9\nrun2#a b",
    "! run1; time run2",
    "[[ a < b ]] && run1; (( 1 < 2 )) && run2",
    "run1 <(run2) >/dev/null 2>&1",
    "eval 'run1; run2'; X=1 run3",
    "x=$(run1); y=`run2`; run3 ${#x}",
    "run1 $'a\\'b' ; run2",
    "while run1; false; do run9x; done; run2",
    'run1 "a `run2` $(run3 "$(run4)")"',
    "(run1);(run2)&&run3;run4>/dev/null",
    "run1 a;# run9\nrun2",
    "run1 $((1+(2))) ; ((run9 = 1)); run2",
    "case x in (x) run1 ;; esac; case y in\n y) run2\nesac; run3",
    "run1 \"$(cat <<'E'\nrun9 ' \"\nE\n)\"; run2",
    "x=(run9 run9); run1 ${x[0]}; run2",
    "run1 2>/dev/null 3>&1 <<< run9; run2 a>/dev/null",
]


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
@pytest.mark.parametrize("command", TRACED)
def test_cutting_agrees_with_bash(command: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    trace = tmp_path / "trace"
    handler = f'command_not_found_handle() {{ echo "$1" >> "{trace}"; return 0; }}; PATH=/nowhere\n'
    subprocess.run(
        [shutil.which("bash") or "bash", "--norc", "-c", handler + command],
        cwd=tmp_path, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=20,
    )  # fmt: skip
    asked = {name for name in trace.read_text().split() if name.startswith("run")}
    found = {text.split()[0] for text in read_command(command).commands if text.startswith("run")}
    # A reader cannot know which way a condition goes: it finds at least what bash ran, and never text or comments.
    assert asked <= found
    assert not any(name == "run9" for name in found)


SHELL_TEXT = st.text(alphabet="ab1 \t\n\\'\"`$(){}[]<>|&;#=*?~!:/.-,@\r\0éEOF", max_size=200)
SHELL_WORDS = st.lists(
    st.sampled_from(
        ["if ", "then ", "fi;", "for f in ", "do ", "done ", "case x in ", "esac ", "$(", ")", "((", "))", "${", "}", "{ ", "`",
         "<<E\n", "E\n", "<<-'E' ", "bash -c '", "'", '"', "eval ", "cd a", "D=a;", "$D", "D=$D$D;", "{a,b}", "{1..9}", ">", "f()",
         "sed -i ", "git -C a ", "apply_patch ", "*** Begin Patch\n", "xargs ", "echo a|", "sudo ", "find -exec ", "[[ ", "]] ",
         "docker exec c ", "a=(", "\\\n", "#", ";;", "&", "&&", "|", "\n", "$'", "\\x", "ssh h ", "pushd ", "*"]
    ), max_size=60,
).map("".join)  # fmt: skip


@settings(max_examples=200)
@given(SHELL_TEXT | SHELL_WORDS)
def test_reading_never_raises(text: str) -> None:
    reading = read_command(text)
    assert all(kind.split()[0].rstrip("*") in ("read", *WRITING) for kind, _ in reading.words)
    assert not any("\0" in path for _, path in reading.words)


def test_what_is_loaded_late_is_all_that_its_module_knows() -> None:
    assert (
        PATCHERS.keys(),
        SHELL_CALLS.keys(),
        PROGRAM_CALLS.keys(),
    ) == (actions.BY_GIT, actions.BY_SHELLS, actions.FURTHER)
    assert (EDITORS.keys(), TRANSFERS.keys()) == (programs.EDITING, programs.TRANSFERRING)


CODE_PIECES = [
    *"""+ / % ( ) [ ] { } = , . ; : open( Path( .format( os.path.join( for in of x x.items( def f class sys.argv[1] .glob(
    .write_text( subprocess.run( $f my mode= file= print > ^ ` s/a/b/ w""".split(),  # noqa: SIM905
    '"a"', '"{x}"', '"%s"', "b/c", " ", "\n",
]  # fmt: skip


@settings(max_examples=100)
@given(st.lists(st.sampled_from(CODE_PIECES), max_size=12).map("".join))
@example(') / "a"')
@example('+ "a"')
def test_reading_code_never_raises(code: str) -> None:
    for program in ("python3 -c", "ruby -e", "awk", "sed"):
        read_command(f"{program} {shlex.quote(code)} data.txt")


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["one", "two 2", "three 'a;b'"]), min_size=1, max_size=6), st.data())
def test_chains_are_cut_at_their_operators(parts: list[str], data: st.DataObject) -> None:
    operators = [data.draw(st.sampled_from([";", "&&", "||", "|", "\n", "&", " ; ", " && "])) for _ in parts]
    text = "".join(part + operator for part, operator in zip(parts, operators, strict=True))
    assert set(read_command(text).commands) == set(parts)


HOSTILE = [
    "(", "$(", '"', "'", "a;", "a ", "`", "`a` ", "$a ", "{a,b}", "{a,b} ", "cat <<E\n", "cat <<E\nE\n", "\\", "$'\\a", "${", "env ",
    ">a ", "((", "((a)", "a|", "if a;then ", "case a in b) ", "find -exec ", "docker exec c ", "eval a;", "* ", "é ", "~", "`\\`",
    "cd aaaaaaaa;", "<", "#a\n", "f()", "a=(", "ssh h ", "for a in b;do ", "sudo -u a ", "{", "[a", "<(",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length(unit: str) -> None:
    """Counted in calls of Python functions, which no other process on the machine can change."""
    calls = [_calls(unit * (size // len(unit))) for size in (4_000, 16_000)]
    assert calls[1] < 6 * calls[0] + 500


@pytest.mark.parametrize("unit", ["def f(x ", "function $a($a ", "for x in y ", "a = [", "Path(", "f(1) "])
def test_work_on_code_grows_with_its_length(unit: str) -> None:
    calls = [_calls(f"python3 -c '{unit * (size // len(unit))}'") for size in (4_000, 16_000)]
    assert calls[1] < 6 * calls[0] + 500


def _calls(text: str) -> int:
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        read_command(text)
    finally:
        sys.setprofile(None)
    return count


def test_a_pattern_that_begins_with_a_folder_is_copied_as_it_is_written() -> None:
    assert read_command("cp -r $PWD/x* out/").copies == (("./x*", "out/", False, True),)


def test_doubling_variables_do_not_fill_the_memory() -> None:
    text = "a=xxxxxxxxxx;" + "a=$a$a;" * 200 + "rm $a" + " $a$a$a" * 2_000
    assert all(len(path) <= 4096 for _, path in read_command(text).words)


def test_no_number_of_calls_of_functions_hides_the_next_one() -> None:
    function = 'f() { sed -i s/x/y/ "$1"; }; '
    text = function + "".join(f"f src/{number}.py; " for number in range(700))
    named = {path for kind, path in read_command(text).words if kind in ("write", "maybe")}
    assert named == {f"src/{number}.py" for number in range(700)}
    assert _calls(text) < 90_000
    assert _calls(function + "f a; " * 2_000 + "f b") < 40_000


def test_brackets_deeper_than_anybody_writes_end_the_reading() -> None:
    inside = DEEPEST - 1
    assert "rm a" in read_command("( " * inside + "rm a" + " )" * inside).commands
    assert "rm a" not in read_command("( " * 5_000 + "rm a").commands


def test_events_come_in_the_order_of_execution() -> None:
    names = [(kind, what if isinstance(what, str) else what.words[0].bare()) for kind, what in cut("a $(b) && { c; }")]
    assert names == [
        ("open", "$("), ("simple", "b"), ("end", ""), ("close", "$("), ("printed", "b"), ("simple", "a"), ("end", "&&"),
        ("open", "{"), ("simple", "c"), ("end", ";"), ("close", "{"), ("end", ""),
    ]  # fmt: skip

"""What of a command line `cmd:` triggers see: what a shell runs, and nothing that is only said, searched or noted."""

import pytest

from gatilho.shell.command_line import read_command

# Each says "deploy now" where no shell runs it.
SAID = {
    "comment": "make # deploy now",
    "comment on a line of its own": "# deploy now\nmake",
    "message": 'git commit -m "docs: how to deploy now"',
    "message after other letters": "git commit -am'deploy now'",
    "message by its long name": "git commit --message='deploy now' --trailer 'Note: deploy now'",
    "message of a global option": "git -C x -c a=b commit -m 'deploy now'",
    "message in a variable": 'M="deploy now"; git commit -m "$M"',
    "message from standard input": "git commit -F - <<'E'\ndeploy now\nE",
    "message from a substitution": "git commit -m \"$(cat <<'E'\ndeploy now\nE\n)\"",
    "tag, stash, merge, notes": "git tag -a v1 -m 'deploy now'; git stash push -m 'deploy now'; git merge -m 'deploy now' x;"
    " git notes add -m 'deploy now'",
    "search of a log": "git log --grep='deploy now' -S'deploy now' -G 'deploy now'",
    "search of git": "git grep -n 'deploy now' docs",
    "pull request": "gh pr create --title 'deploy now' --body 'deploy now'; gh pr comment 5 -b 'deploy now'",
    "issue": "gh issue create -t 'deploy now' -b \"$(cat <<'E'\ndeploy now\nE\n)\"",
    "field of an interface": "gh api repos/a/b/issues -f title='deploy now' -f 'body=deploy now'",
    "merge request": "glab mr create --title 'deploy now' --description 'deploy now'",
    "pattern": "grep -rn 'deploy now' docs",
    "pattern by an option": "grep -r -e 'deploy now' --regexp='deploy now' docs",
    "pattern after options with values": "rg -g '*.md' -A 3 'deploy now' docs; ag 'deploy now'",
    "pattern of sed and awk": "sed -n '/deploy now/p' f; awk '/deploy now/ { print }' f",
    "printed": "echo deploy now; printf 'deploy now\\n' > f; echo 'deploy now' | tee f",
    "document that is written": "cat > n.md <<'E'\nuse deploy now\nE",
    "document with substitutions": "cat > n.md <<E\nuse deploy now $(date)\nE",
    "document for another language": "python3 - <<'E'\nprint('deploy now')\nE",
    "document beside a script": "bash x.sh <<'E'\ndeploy now\nE",
    "string that is searched": "grep x <<< 'deploy now'",
    "comparison": "[ \"$x\" = 'deploy now' ] && make; test 'deploy now' = x",
    "said inside another shell": "bash -c 'git commit -m \"deploy now\"'",
    "said on another machine": "ssh host \"git commit -m 'deploy now'\"",
    "said in a shell that is fed": "bash <<'E'\necho deploy now\nE",
    "said behind wrappers": "sudo -u me env A=1 git commit -m 'deploy now'",
    "nothing but a comment": "# deploy now",
    "sent": "curl -sS -d 'deploy now' --data-raw '{\"x\": \"deploy now\"}' -H 'X: deploy now' -F 'a=deploy now' http://x;"
    " wget --post-data='deploy now' x; http POST x text='deploy now'",
    "names that are looked for": "find . -name 'deploy now*' -o -path '*/deploy now/*'; fd 'deploy now'; locate 'deploy now'",
    "programs that are looked up": "which 'deploy now'; command -v 'deploy now'; pgrep -f 'deploy now'",
    "patterns of a choice": "case $x in 'deploy now') ls ;; *) [[ $x == 'deploy now' ]] ;; esac",
    "filter": "jq '.[\"deploy now\"]' f.json; yq '.\"deploy now\"' f.yml",
    "search of a host": "gh search code 'deploy now'",
    "mail": "mail -s 'deploy now' x <<< 'deploy now'",
    "question": "read -p 'deploy now?' x",
    "said in a substitution": "x=$(git commit -m 'deploy now')",
}
# Each runs it.
RUN = {
    "chain": "cd x && deploy now --yes",
    "another machine": 'ssh host "deploy now"',
    "another machine, as words": "ssh host deploy now",
    "another machine, fed": "ssh host bash -s <<'E'\ndeploy now\nE",
    "another machine, piped": "echo 'deploy now' | ssh host",
    "another shell": "bash -c 'deploy now'",
    "container": "docker exec -it c sh -c 'deploy now'",
    "another user": "sudo sh -c 'deploy now'",
    "evaluated": "eval 'deploy now'",
    "printed into a shell": "echo 'deploy now' | bash",
    "document for a shell": "bash <<'E'\ndeploy now\nE",
    "document for a shell with arguments": "bash -s -- one <<'E'\ndeploy now\nE",
    "document through cat": "cat <<'E' | sh\ndeploy now\nE",
    "string for a shell": "bash <<< 'deploy now'",
    "substitution in a message": 'git commit -m "$(deploy now)"',
    "substitution in a document": "cat <<E\n$(deploy now)\nE",
    "pattern's neighbour": "grep x f && deploy now",
    "code of another language": "python3 -c 'import os; os.system(\"deploy now\")'",
    "edit of a file": "sed -i 's/x/deploy now/' f",
    "after a look-up": "command deploy now; command -v x && deploy now",
    "branch of a choice": "case $x in a) deploy now ;; esac",
    "substitution in what is sent": 'curl -d "$(deploy now)" http://x',
    "found and run": "find . -name x -exec deploy now \\;",
    "open quote": "echo 'x' && deploy now 'y",
}


def seen(command: str) -> list[str]:
    reading = read_command(command)
    return [text for text in (reading.line, *reading.commands) if "deploy now" in text]


@pytest.mark.parametrize("command", SAID.values(), ids=SAID.keys())
def test_what_is_only_said_is_not_seen(command: str) -> None:
    assert seen(command) == []


@pytest.mark.parametrize("command", RUN.values(), ids=RUN.keys())
def test_what_runs_is_seen(command: str) -> None:
    assert seen(command) != []


def test_what_is_left_out_leaves_its_option_and_its_quotes() -> None:
    assert read_command('git commit -am"x" --message=y -m z; make # now').line == (
        "git commit -am'' --message='' -m ''; make "
    )
    assert read_command("cat <<'E' > f; make\nx\nE\nls").line == "cat <<'E' > f; make\nE\nls"


def test_the_line_is_as_written_where_all_of_it_runs() -> None:
    for command in ("make -j2 && ./run 'a b' > log", "ssh h 'cd x; make'", 'a=1; b="$a" env c'):
        assert read_command(command).line == command


def test_thousands_of_messages_are_left_out_in_time() -> None:
    text = "echo deploy now\n" * 4_000
    assert seen(text) == []


def test_a_command_that_comes_again_is_left_out_at_each_place() -> None:
    again = 'M="deploy now"; git commit -m "$M"; [[ $x == "deploy now" ]]\n' * 3
    assert seen(again) == []
    assert read_command("rm a; rm a; cd b; rm a; rm a").words == (("write", "a"), ("write", "b/a"))

# gatilho dispatcher 5: hook event on stdin, answer on stdout; GATILHO=off silences it. `gatilho init` keeps it current.
import sys
os, sys.excepthook = __import__("posix" if "posix" in sys.builtin_module_names else "nt"), lambda *_: os._exit(0)
try:
    os.environ.get(b"GATILHO", os.environ.get("GATILHO")) in (b"off", "off") and sys.exit(not [sys.stdin.buffer.read()])
    sys.path[: not sys.flags.safe_path], root = [], __file__.replace("\\", "/").rsplit("/", 2)[0]  # hide no package
    text = lambda p: open(p, encoding="utf-8", errors="surrogateescape").read().strip() if os.access(p, 4) else ""
    link, we = "" if os.access((git := root + "/.git") + "/HEAD", 4) else text(git)[8:], (0, os.stat(root).st_uid)
    git = (root + "/" if link[:1] == "." else "") + (link.rpartition("/worktrees/")[0] or link or git)
    info = lambda f: f"{f}/gatilho-{text(f + '/gatilho/__init__.py').rpartition(' = ')[2][1:-1]}.dist-info/METADATA"
    named = lambda f: os.access(info(f), 4) or '\nname = "gatilho"\n' in text(f + "/pyproject.toml")
    ours = lambda f: f and os.access(f + "/gatilho/hook.py", 4) and os.stat(f).st_uid in we and named(f)
    hit = next((found for found in (text(git + "/gatilho/package").split("\n"), [root]) if ours(found[0])), [])
    sys.path[:0] = hit or __import__("site").main() or []
    main, sys.path = __import__("gatilho.hook").hook.main, sys.path[len(hit) :] + hit  # hide no standard module
    os._exit((main(sys.argv[1:]), sys.stdout and sys.stdout.flush())[0])  # taking it down costs more than a quiet event
except Exception as fault:  # no fault of ours may stop the agent; of one of the machine the next event speaks
    why = '{"systemMessage": "Python %d.%d has no gatilho (needs 3.11 or later): `pipx install gatilho; gatilho init`"}'
    print(end=why % sys.version_info[:2] if b'"SessionStart"' in sys.stdin.buffer.read() else "", flush=True)
    isinstance(fault, OSError) and os.symlink(".", [os.getcwd() + "/.git", git][os.access(git, 0)] + "/gatilho/unread")

"""Atomic writes and the lock, with real files and real processes."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gatilho import bounded, files, half_saved
from gatilho.errors import ConflictError

HOLDER = """
import sys, time
from gatilho import files
with files.Lock(sys.argv[1], 0):
    print("held", flush=True)
    time.sleep(60)
"""


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_replacing_keeps_every_byte_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n no end")
    path.chmod(0o640)
    files.replace_bytes(str(path), path.read_bytes(), b"\xef\xbb\xbfnew\r\n\xff")
    assert path.read_bytes() == b"\xef\xbb\xbfnew\r\n\xff"
    assert path.stat().st_mode & 0o7777 == 0o640
    assert _names(tmp_path) == ["a.md"]


def test_replacing_writes_what_a_link_points_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real/a.md"
    target.write_bytes(b"old")
    link = tmp_path / "link.md"
    link.symlink_to("real/a.md")
    files.replace_bytes(str(link), b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_moved_bytes_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"theirs")
    with pytest.raises(ConflictError, match="changed by another process"):
        files.replace_bytes(str(path), b"ours", b"new")
    assert path.read_bytes() == b"theirs"
    assert _names(tmp_path) == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")
@pytest.mark.parametrize("kind", ["a FIFO", "a link to a device", "a folder"])
def test_only_regular_files_are_read_and_nothing_is_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd.md"
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match=r"odd\.md"):
        bounded.read(str(path))


def test_a_file_marked_read_only_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        files.replace_bytes(str(path), b"old", b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_leaves_the_old_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    program = (
        "import resource, signal, sys\n"
        "from gatilho import bounded, files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n    files.replace_bytes(sys.argv[1], b'old', b'x' * 100000)\n"
        "except OSError as error:\n    print(error.errno)\n"
    )
    assert _run(program, str(path)).strip() == str(errno.EFBIG)
    assert path.read_bytes() == b"old"
    assert _names(tmp_path) == ["a.md"]


def test_creating_never_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    files.create(str(path), b"first")
    with pytest.raises(FileExistsError):
        files.create(str(path), b"second")
    assert path.read_bytes() == b"first"
    assert _names(tmp_path) == ["a.md"]


def test_a_new_file_has_ordinary_rights(tmp_path: Path) -> None:
    files.create(str(tmp_path / "ours"), b"")
    (tmp_path / "theirs").write_bytes(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


def test_what_a_killed_writer_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".gatilho-1-old.tmp", ".gatilho-2-new.tmp", "mine.tmp"):
        (tmp_path / name).write_bytes(b"half")
    long_ago = time.time() - 3600
    os.utime(tmp_path / ".gatilho-1-old.tmp", (long_ago, long_ago))
    os.utime(tmp_path / "mine.tmp", (long_ago, long_ago))
    files.create(str(tmp_path / "a.md"), b"whole")
    assert _names(tmp_path) == [".gatilho-2-new.tmp", "a.md", "mine.tmp"]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(files.__file__).parents[2])}


def _run(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=_environment(), timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _holder(path: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_whose_owner_lives_is_waited_for_and_then_respected(tmp_path: Path) -> None:
    path = tmp_path / "state/lock"
    with _holder(path) as process:
        os.kill(process.pid, signal.SIGSTOP)
        try:
            begin = time.monotonic()
            with pytest.raises(ConflictError, match="held by another"), files.Lock(str(path), 0.2):
                raise AssertionError("two owners")
            assert time.monotonic() - begin >= 0.2
        finally:
            process.kill()


def test_a_lock_dies_with_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with _holder(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        with files.Lock(str(path), 0):
            pass


def test_a_lock_is_free_again_after_its_block_even_one_that_failed(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with pytest.raises(ValueError, match="inside"), files.Lock(path, 0):
        raise ValueError("inside")
    with files.Lock(path, 0), pytest.raises(ConflictError), files.Lock(path, 0):
        pass


def test_a_lock_file_that_was_removed_meanwhile_excludes_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with files.Lock(str(path), 0):
        path.unlink()
        with files.Lock(str(path), 0):
            with pytest.raises(ConflictError), files.Lock(str(path), 0):
                pass
            assert path.exists()


def test_one_of_many_at_a_time(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from gatilho import bounded, files\n"
        "for _ in range(25):\n"
        "    with files.Lock(sys.argv[1] + '.lock', 30):\n"
        "        old = bounded.read(sys.argv[1])\n"
        "        files.replace_bytes(sys.argv[1], old, b'%d' % (int(old) + 1))\n"
    )
    counter = tmp_path / "counter"
    counter.write_bytes(b"0")
    running = [subprocess.Popen([sys.executable, "-c", program, str(counter)], env=_environment()) for _ in range(4)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0, 0]
    assert counter.read_bytes() == b"100"


@pytest.mark.parametrize("first", [b"", b"half of the"])
def test_a_reader_waits_for_what_an_editor_is_writing(
    tmp_path: Path, first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_LONGEST_WAIT", "_WRITTEN_WITHIN", "_SAVED_WITHIN"):
        monkeypatch.setattr(half_saved, name, 60.0)  # a loaded machine needs longer than an editor
    path = tmp_path / "f.md"
    path.write_bytes(first)

    def finish() -> None:
        time.sleep(0.02)
        path.write_bytes(first + b" rest\n")

    editor = threading.Thread(target=finish)
    editor.start()
    assert half_saved.read_saved_bytes(str(path)) == first + b" rest\n"
    editor.join()
    path.unlink()
    editor = threading.Thread(target=finish)
    editor.start()
    assert half_saved.read_saved_bytes(str(path)).endswith(b" rest\n")
    editor.join()
    path.write_bytes(b"one of two\n")
    editor = threading.Thread(target=lambda: (time.sleep(0.02), path.write_bytes(b"one of two\ntwo\n")))
    editor.start()
    assert half_saved.read_saved_bytes(str(path), lines=2) == b"one of two\ntwo\n"
    editor.join()
    path.write_bytes(b"no end")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    started = time.monotonic()
    assert half_saved.read_saved_bytes(str(path)) == b"no end"
    assert time.monotonic() - started < 30

"""Commits and switches of a working tree written as git writes them, without the three processes of each.

Git reads what is written here in the next merge, and refuses what is not as it writes it itself.
"""

import hashlib
import os
import struct
import zlib
from functools import cache
from pathlib import Path

_FILE, _FOLDER = b"100644", b"40000"
_PERSON = b"A Person <person@example.com> 1767614400 +0000"  # as the tests' machine names it
_IS_FILE = 0o100644


class ObjectStore:
    """The objects, index and branches of a repository without submodules, links or ignored files."""

    def __init__(self, root: Path) -> None:
        self.root = f"{root}/"
        self._git = f"{root}/.git/"
        self.files = cache(self._files)
        self.ancestors = cache(self._ancestors)
        self._known: dict[str, bytes] = {}  # what was read or written, without its kind and length

    # Reading.

    def tip(self, branch: str) -> str:
        """The commit of a branch."""
        with open(f"{self._git}refs/heads/{branch}") as stream:
            return stream.read().strip()

    def parents(self, commit: str) -> list[str]:
        """The commits that a commit follows."""
        head = self._read(commit).partition(b"\n\n")[0].decode()
        return [line[7:] for line in head.splitlines() if line.startswith("parent ")]

    def _ancestors(self, commit: str) -> frozenset[str]:
        """A commit and all that it comes from."""
        return frozenset({commit}).union(*map(self.ancestors, self.parents(commit)))

    def merge_bases(self, one: str, other: str) -> list[str]:
        """The best common ancestors of two commits."""
        common = self.ancestors(one) & self.ancestors(other)
        older = {found for commit in common for found in self.ancestors(commit) if found != commit}
        return sorted(common - older)

    def _files(self, commit: str) -> dict[str, str]:
        """The files of a commit: their blobs by name."""
        return self._of_tree(self._read(commit)[5:45].decode(), "")

    def _of_tree(self, tree: str, folder: str) -> dict[str, str]:
        found: dict[str, str] = {}
        content = self._read(tree)
        while content:
            head, _, rest = content.partition(b"\0")
            mode, _, name = head.partition(b" ")
            digest, content = rest[:20].hex(), rest[20:]
            path = folder + name.decode()
            found |= self._of_tree(digest, f"{path}/") if mode == _FOLDER else {path: digest}
        return found

    def read(self, commit: str, name: str) -> str:
        """The text of a file in a commit."""
        return self._read(self.files(commit)[name]).decode()

    def _read(self, digest: str) -> bytes:
        if digest not in self._known:
            with open(f"{self._git}objects/{digest[:2]}/{digest[2:]}", "rb") as stream:
                self._known[digest] = zlib.decompress(stream.read()).partition(b"\0")[2]
        return self._known[digest]

    # Writing.

    def commit(self, branch: str, message: str) -> str:
        """Commit all files as they are, also where nothing changed."""
        files = {name: self._write_blob(name) for name in self._names("")}
        before = self.tip(branch)
        lines = [b"tree " + self._write_tree(files).encode(), b"parent " + before.encode()]
        lines += [b"author " + _PERSON, b"committer " + _PERSON, b"", message.encode(), b""]
        commit = self._write(b"commit", b"\n".join(lines))
        self._write_index(files)
        self._move(branch, before, commit, f"commit: {message}")
        if os.path.exists(self._git + "SQUASH_MSG"):
            os.unlink(self._git + "SQUASH_MSG")
        return commit

    def switch(self, before: str, branch: str) -> None:
        """Put the files of another branch into the working tree, which has no changes of its own."""
        was, commit = self.tip(before), self.tip(branch)
        self._check_out(was, commit)
        _put(self._git + "HEAD", b"ref: refs/heads/%b\n" % branch.encode())
        self._note("HEAD", was, commit, f"checkout: moving from {before} to {branch}")

    def forward(self, branch: str, other: str) -> None:
        """Move the branch that is checked out to one that comes from it."""
        was, commit = self.tip(branch), self.tip(other)
        self._check_out(was, commit)
        self._move(branch, was, commit, f"merge {other}: Fast-forward")

    def _check_out(self, was: str, commit: str) -> None:
        old, new = self.files(was), self.files(commit)
        for name in old.keys() - new.keys():
            os.unlink(self.root + name)
            folder = os.path.dirname(name)
            while folder and not os.listdir(self.root + folder):
                os.rmdir(self.root + folder)
                folder = os.path.dirname(folder)
        for name, blob in new.items():
            if old.get(name) != blob:
                if name in old:
                    os.unlink(self.root + name)  # as git does: the file is a new one
                else:
                    os.makedirs(os.path.dirname(self.root + name), exist_ok=True)
                _put(self.root + name, self._read(blob))
        self._write_index(new)

    def _names(self, folder: str) -> list[str]:
        found: list[str] = []
        for entry in os.scandir(self.root + folder):
            if entry.name != ".git":
                found += self._names(f"{folder}{entry.name}/") if entry.is_dir() else [folder + entry.name]
        return found

    def _write_blob(self, name: str) -> str:
        with open(self.root + name, "rb") as stream:
            return self._write(b"blob", stream.read())

    def _write(self, kind: bytes, content: bytes) -> str:
        data = b"%b %d\0" % (kind, len(content)) + content
        digest = hashlib.sha1(data).hexdigest()
        folder = f"{self._git}objects/{digest[:2]}"
        if digest not in self._known and not os.path.exists(f"{folder}/{digest[2:]}"):
            os.makedirs(folder, exist_ok=True)
            _put(f"{folder}/{digest[2:]}", zlib.compress(data, 1))
        self._known[digest] = content
        return digest

    def _write_tree(self, files: dict[str, str]) -> str:
        entries: dict[bytes, tuple[bytes, str]] = {}
        folders: dict[str, dict[str, str]] = {}
        for name, blob in files.items():
            first, slash, rest = name.partition("/")
            if slash:
                folders.setdefault(first, {})[rest] = blob
            else:
                entries[name.encode()] = (_FILE + b" " + name.encode(), blob)
        for name, below in folders.items():  # git sorts a folder as if a slash ended its name
            entries[name.encode() + b"/"] = (_FOLDER + b" " + name.encode(), self._write_tree(below))
        return self._write(
            b"tree", b"".join(head + b"\0" + bytes.fromhex(digest) for _, (head, digest) in sorted(entries.items()))
        )

    def _write_index(self, files: dict[str, str]) -> None:
        parts = [struct.pack(">4sLL", b"DIRC", 2, len(files))]
        for name, blob in sorted((name.encode(), blob) for name, blob in files.items()):
            found = os.stat(self.root + name.decode())
            times = (part for moment in (found.st_ctime_ns, found.st_mtime_ns) for part in divmod(moment, 10**9))
            numbers = (*times, found.st_dev, found.st_ino, _IS_FILE, found.st_uid, found.st_gid, found.st_size)
            entry = struct.pack(">10L", *(number & 0xFFFFFFFF for number in numbers)) + bytes.fromhex(blob)
            entry += struct.pack(">H", len(name)) + name
            parts.append(entry + b"\0" * (8 - len(entry) % 8))
        content = b"".join(parts)
        _put(self._git + "index.lock", content + hashlib.sha1(content).digest())
        os.replace(self._git + "index.lock", self._git + "index")

    def _move(self, branch: str, before: str, after: str, why: str) -> None:
        _put(f"{self._git}refs/heads/{branch}", after.encode() + b"\n")
        for log in ("HEAD", f"refs/heads/{branch}"):
            self._note(log, before, after, why)

    def _note(self, log: str, before: str, after: str, why: str) -> None:
        with open(f"{self._git}logs/{log}", "a") as stream:
            stream.write(f"{before} {after} {_PERSON.decode()}\t{why}\n")


def _put(path: str, content: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(content)

"""An editor as far as a language server sees one: JSON-RPC over the pipes of `gatilho lsp`."""

import json
import subprocess
import sys
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

PATIENCE = 60


class Editor:
    """A client of one server process. diagnostics: what was published last, by address."""

    def __init__(self, **capabilities: Any) -> None:
        command = [sys.executable, "-m", "gatilho", "lsp", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._last = 0
        self._versions: dict[str, int] = {}
        self._inbox: Queue[dict[str, Any]] = Queue()
        self._reader = Thread(target=self._listen, daemon=True)
        self._reader.start()
        self.able = self.request("initialize", processId=None, rootUri=None, capabilities=capabilities)["capabilities"]
        self.notify("initialized")

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with other text than on disk where it is given; its address."""
        uri = path.as_uri()
        self._versions[uri] = 1
        text = path.read_text(encoding="utf-8") if text is None else text
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return uri

    def type(self, uri: str, text: str) -> list[dict[str, Any]]:
        """Replace what the editor holds; the diagnostics that follow."""
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        return self.diagnostics(uri)

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Wait for what is wrong in the present version of a document."""
        while True:
            message = self._next()
            found = message.get("params", {})
            if message.get("method") == "window/logMessage":
                raise AssertionError(found["message"])
            if found.get("uri") == uri and found.get("version") == self._versions[uri]:
                return list(found["diagnostics"])

    def at(self, name: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Ask something of a place, counted from 0."""
        place = {"line": line, "character": character}
        return self.request(f"textDocument/{name}", textDocument={"uri": uri}, position=place, **more)

    def request(self, method: str, **params: Any) -> Any:
        """Send a request; its result. Notifications that come before it are dropped."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self._last and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def notify(self, method: str, **params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> int:
        """End the server as the protocol says; its exit status."""
        self.request("shutdown")
        self.notify("exit")
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        return status

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        try:
            return self._inbox.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError("the server does not answer") from None

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            size = int(line.partition(b":")[2]) if line.lower().startswith(b"content-length") else 0
            while line.strip():
                line = stream.readline()
            self._inbox.put(json.loads(stream.read(size)))

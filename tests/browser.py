"""A real Chromium without a window, driven through two pipes; started once for all that a test looks at."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from builders import CHECKOUT, PATIENCE

AXE = CHECKOUT / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


def find_browser() -> str:
    """The browser's program, "" where none is installed."""
    return next((found for name in _NAMES if (found := shutil.which(name))), "")


class Browser:
    """One page of a browser, with what it asked the network for and what it said on its console."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.said: list[str] = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_by_it, self._to = os.pipe()
        self._from, written_by_it = os.pipe()
        # The browser reads its orders from 3 and answers on 4.
        ends = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (read_by_it, written_by_it)]
        command = f"import os, sys; os.dup2({ends[0]}, 3); os.dup2({ends[1]}, 4); os.execv(sys.argv[1], sys.argv[1:])"
        self._process = subprocess.Popen(
            [sys.executable, "-c", command, find_browser(), *_OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"],
            pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for one in (read_by_it, written_by_it, *ends):
            os.close(one)
        self._rest = b""
        self._number = 0
        self._session = ""
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._to)
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._from)
        self._folder.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Let the browser do something: its answer."""
        self._number += 1
        order = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        self._send(order)
        while True:
            message = self._message()
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                return dict(message["result"])
            self._note(message)

    def _send(self, order: dict[str, Any]) -> None:
        rest = json.dumps(order).encode() + b"\0"
        while rest:
            rest = rest[os.write(self._to, rest) :]

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._from], [], [], PATIENCE)[0], "the browser says nothing"
            data = os.read(self._from, 1 << 16)
            assert data, "the browser ended"
            self._rest += data
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))

    def _note(self, message: dict[str, Any]) -> None:
        event, of = message.get("method"), message.get("params", {})
        if event == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        elif event in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(of))

    def open(self, address: str) -> None:
        """Show a page, and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        while (message := self._message()).get("method") != "Page.loadEventFired":
            self._note(message)

    def run(self, script: str) -> Any:
        """Run a script in the page: its value, waited for where it is a promise."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def look(self, width: int = 1200, height: int = 900, scheme: str = "light", media: str = "screen") -> None:
        """Set the size of the window, the colours that are preferred, and whether it is for a screen or for print."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        preferred = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=preferred)

    def picture(self, path: Path, whole: bool = False) -> None:
        """Write what is seen as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def press(self, key: str) -> None:
        """Press and release a key of the keyboard."""
        codes, text = {"Tab": 9, "Enter": 13}, {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], text=text
            )

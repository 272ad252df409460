"""A scripted model on loopback: it answers Anthropic Messages requests, so that the real client runs its real hooks."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any


def say(text: str) -> list[dict[str, Any]]:
    """The step in which the model answers with text, which ends the turn."""
    return [{"type": "text", "text": text}]


def call(tool: str, **arguments: object) -> list[dict[str, Any]]:
    """The step in which the model calls one tool."""
    return [{"type": "tool_use", "name": tool, "input": arguments}]


def together(*steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The step in which the model does all of these in one message, as with parallel tool calls."""
    return [block for step in steps for block in step]


class Request:
    """One request of the client: its decoded body, and what in it the model would read."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.has_tools = bool(body.get("tools"))

    @property
    def text(self) -> str:
        """All text of the conversation so far, tool results and injected context included."""
        return "\n".join(_texts(self.body.get("messages")))

    @property
    def news(self) -> str:
        """The text that the client added since the model's last step."""
        return "\n".join(_texts(self._new_messages()))

    @property
    def results(self) -> list[dict[str, Any]]:
        """The tool results among the news; a tool that was stopped has one too, with `is_error`."""
        blocks = [block for message in self._new_messages() for block in message["content"]]
        return [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]

    def _new_messages(self) -> list[dict[str, Any]]:
        # The client may put messages of its own behind the tool results, so the newest message is not enough.
        messages: list[dict[str, Any]] = self.body.get("messages", [])
        spoken = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        return messages[spoken[-1] + 1 :] if spoken else messages


class StubModel:
    """The model's script and everything that it was sent.

    Each request that carries tools takes the next step of the script: those of a subagent and the one in which a client
    summarises its session for a compaction too. Requests without tools get `aside`. A script that has run out answers
    "done.", so that no client waits for ever.
    """

    def __init__(self) -> None:
        self.url = ""
        self.aside = "a title"
        self.requests: list[Request] = []
        self._steps: list[list[dict[str, Any]]] = []
        self._lock = threading.Lock()
        self._numbers = count(1)

    def script(self, *steps: list[dict[str, Any]]) -> None:
        """Replace what is left of the script and forget the requests so far."""
        with self._lock:
            self._steps = list(steps)
            self.requests = []

    @property
    def turns(self) -> list[Request]:
        """The requests that took a step: those that carry tools."""
        return [request for request in self.requests if request.has_tools]

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Record one request and build the whole message that answers it."""
        request = Request(body)
        with self._lock:
            self.requests.append(request)
            blocks = [self._numbered(block) for block in self._next_step(request)]
            number = next(self._numbers)
        called = any(block["type"] == "tool_use" for block in blocks)
        return {
            "id": f"msg_stub{number:06}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": blocks,
            "stop_reason": "tool_use" if called else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def _next_step(self, request: Request) -> list[dict[str, Any]]:
        if not request.has_tools:
            return say(self.aside)
        return self._steps.pop(0) if self._steps else say("done.")

    def _numbered(self, block: dict[str, Any]) -> dict[str, Any]:
        if block["type"] != "tool_use":
            return block
        return {**block, "id": f"toolu_stub{next(self._numbers):06}"}


@contextmanager
def serve() -> Iterator[StubModel]:
    """Serve a StubModel on a free port of loopback for the length of the block."""
    model = StubModel()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(model))
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _texts(value: object) -> Iterator[str]:
    """Every text below a piece of a request: messages, blocks, tool results, tool inputs left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(value.get("text"))
        yield from _texts(value.get("content"))


def _stream(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The server-sent events that spell one message: name and data."""
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            arguments = json.dumps(block["input"])
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}
        yield "content_block_start", {"index": index, "content_block": start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": ending, "usage": {"output_tokens": 5}}
    yield "message_stop", {}


def _handler_for(model: StubModel) -> type[BaseHTTPRequestHandler]:
    """A request handler that speaks for one model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._reply(b"", "application/json")

        def do_GET(self) -> None:
            self._reply(b'{"data": []}', "application/json")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if "/count_tokens" in self.path:
                self._reply(b'{"input_tokens": 10}', "application/json")
            elif "/v1/messages" not in self.path:
                self._reply(b"{}", "application/json")
            else:
                self._answer(json.loads(raw))

        def _answer(self, body: dict[str, Any]) -> None:
            message = model.answer(body)
            if not body.get("stream"):
                self._reply(json.dumps(message).encode(), "application/json")
                return
            events = "".join(
                f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in _stream(message)
            )
            self._reply(events.encode(), "text/event-stream")

        def _reply(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler

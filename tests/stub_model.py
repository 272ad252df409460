"""A scripted model on loopback, in the protocols of three vendors, so that real clients run their real hooks."""

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


def call(tool: str, namespace: str = "", **arguments: object) -> list[dict[str, Any]]:
    """The step in which the model calls one tool. namespace: of the tool, in OpenAI's protocol."""
    return [{"type": "tool_use", "name": tool, "namespace": namespace, "input": arguments}]


def patch(text: str) -> list[dict[str, Any]]:
    """The step in which the model hands a patch to the tool that takes plain text."""
    return [{"type": "tool_use", "name": "apply_patch", "input": text}]


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
        return "\n".join(_texts(self._messages))

    @property
    def news(self) -> str:
        """The text that the client added since the model's last step."""
        return "\n".join(_texts(self._new_messages()))

    @property
    def results(self) -> list[dict[str, Any]]:
        """The tool results among the news; a tool that was stopped has one too, with `is_error`. Anthropic's only."""
        blocks = [block for message in self._new_messages() for block in message["content"]]
        return [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]

    @property
    def _messages(self) -> list[dict[str, Any]]:
        found = (self.body.get(key) for key in ("messages", "input", "contents"))
        return next((messages for messages in found if isinstance(messages, list)), [])

    def _new_messages(self) -> list[dict[str, Any]]:
        # The client may put messages of its own behind the tool results, so the newest message is not enough.
        spoken = [index for index, message in enumerate(self._messages) if _is_models_own(message)]
        return self._messages[spoken[-1] + 1 :] if spoken else self._messages


def _is_models_own(message: dict[str, Any]) -> bool:
    called = message.get("type") in ("function_call", "custom_tool_call")
    return called or message.get("role") in ("assistant", "model")


class StubModel:
    """The model's script and everything that it was sent.

    Each request that carries tools takes the next step of the script: those of a subagent and the one in which a client
    summarises its session for a compaction too. Requests without tools get `aside`. A script that has run out answers
    "done.", so that no client waits for ever. tokens: how long the client is told that the conversation is by each answer,
    the last one again and again.
    """

    def __init__(self) -> None:
        self.url = ""
        self.aside = "a title"
        self.tokens = [10]
        self._before = 10
        self.requests: list[Request] = []
        self._steps: list[list[dict[str, Any]]] = []
        self._inside: list[list[dict[str, Any]]] = []
        self._mark = ""
        self._lock = threading.Lock()
        self._numbers = count(1)

    def script(self, *steps: list[dict[str, Any]]) -> None:
        """Replace what is left of the script and forget the requests so far."""
        with self._lock:
            self._steps = list(steps)
            self._inside, self._mark = [], ""
            self.tokens = [10]
            self.requests = []

    def script_inside(self, mark: str, *steps: list[dict[str, Any]]) -> None:
        """Give the conversations in which the model reads that mark, such as a subagent's, a script of their own."""
        with self._lock:
            self._inside, self._mark = list(steps), mark

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
            # The summary for a compaction is asked for without tools, and reads all that there was before.
            tokens = self._next_tokens() if request.has_tools else self._before
        called = any(block["type"] == "tool_use" for block in blocks)
        return {
            "id": f"msg_stub{number:06}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": blocks,
            "stop_reason": "tool_use" if called else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": tokens, "output_tokens": 5},
        }

    def _next_step(self, request: Request) -> list[dict[str, Any]]:
        if not request.has_tools:
            return say(self.aside)
        steps = self._inside if self._mark and self._mark in request.text else self._steps
        return steps.pop(0) if steps else say("done.")

    def _next_tokens(self) -> int:
        self._before = self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]
        return self._before

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
        for key in ("text", "content", "output", "parts", "functionResponse", "response", "error"):
            yield from _texts(value.get(key))


def _anthropic_events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The server-sent events that spell one message in Anthropic's protocol."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            arguments = json.dumps(block["input"])
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}


def _openai_events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same in OpenAI's protocol of responses; a tool whose input is bare text is a custom one."""
    items = [_openai_item(block, f"{message['id']}_{index}") for index, block in enumerate(message["content"])]
    tokens = message["usage"]["input_tokens"]
    usage = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5}
    response = {"id": message["id"], "object": "response", "status": "completed", "output": items, "usage": usage}
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def _openai_item(block: dict[str, Any], name: str) -> dict[str, Any]:
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"], "annotations": []}]
        return {"type": "message", "id": name, "role": "assistant", "status": "completed", "content": content}
    called = {"id": name, "call_id": block["id"], "name": block["name"], "status": "completed"}
    if isinstance(block["input"], str):
        return {"type": "custom_tool_call", **called, "input": block["input"]}
    space = {"namespace": block["namespace"]} if block.get("namespace") else {}
    return {"type": "function_call", **called, **space, "arguments": json.dumps(block["input"])}


def _gemini_chunk(message: dict[str, Any]) -> dict[str, Any]:
    """The whole message in Google's protocol."""
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
        for block in message["content"]
    ]
    tokens = message["usage"]["input_tokens"]
    usage = {"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stub"}


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
            elif "/v1/messages" in self.path:
                body = json.loads(raw)
                message = model.answer(body)
                self._send(_anthropic_events(message) if body.get("stream") else message)
            elif self.path.endswith("/responses"):
                self._send(_openai_events(model.answer(json.loads(raw))))
            elif "enerateContent" in self.path:
                chunk = _gemini_chunk(model.answer(json.loads(raw)))
                self._send(iter([chunk]) if "streamGenerateContent" in self.path else chunk)
            else:
                self._reply(b"{}", "application/json")

        def _send(self, answer: dict[str, Any] | Iterator[dict[str, Any]]) -> None:
            if isinstance(answer, dict):
                self._reply(json.dumps(answer).encode(), "application/json")
                return
            lines = [
                (f"event: {one['type']}\n" if "type" in one else "") + f"data: {json.dumps(one)}\n\n" for one in answer
            ]
            self._reply("".join(lines).encode(), "text/event-stream")

        def _reply(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler

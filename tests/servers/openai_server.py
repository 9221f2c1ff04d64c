"""A server on loopback that speaks OpenAI's protocol, well or badly, as a test wants it.

``/v1/chat/completions`` and ``/v1/responses`` are served, one by one and in batches
(``/v1/files``, ``/v1/batches``); the answer to each request is what a function makes of it: a text,
or one of the misbehaviours below (in a batch: a text). Used as ``base_url`` of the ``openai``
provider::

    with openai_server(lambda asked: '{"bundles": []}') as server:
        model = get_model("openai/gpt-5", base_url=server.url, api_key="test")
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request: its number (from 0), its path and its body."""

    number: int
    path: str
    body: dict[str, Any]
    #: By their names in lower case.
    headers: dict[str, str]

    @property
    def user(self) -> str:
        """The text of its last message."""
        content = (self.body.get("messages") or self.body["input"])[-1]["content"]
        return content if isinstance(content, str) else content[-1]["text"]

    @property
    def system(self) -> str:
        """The text of its first message."""
        content = (self.body.get("messages") or self.body["input"])[0]["content"]
        return content if isinstance(content, str) else content[-1]["text"]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema that it asks the answer to keep to."""
        told = self.body.get("response_format") or self.body.get("text", {}).get("format") or {}
        return dict(told.get("json_schema", told))


@dataclass(frozen=True)
class Failure:
    """An error of the protocol, such as 429 or 500."""

    status: int
    code: str = "server_error"
    message: str = "The server had an error."
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Slow:
    """An answer that takes its time, in seconds."""

    seconds: float
    text: str


@dataclass(frozen=True)
class Cut:
    """The connection ends after so many bytes of the answer's body, whose whole length was told."""

    bytes: int
    text: str = "cut"


@dataclass(frozen=True)
class Filtered:
    """The content filter ends the answer."""


@dataclass(frozen=True)
class Refusal:
    """The model declines in the field that structured output has for it."""

    text: str = "I can't help with that."


@dataclass(frozen=True)
class Truncated:
    """The answer ends at the limit of tokens."""

    text: str


Behaviour = str | Failure | Slow | Cut | Filtered | Refusal | Truncated
TOO_MANY = Failure(429, "rate_limit_exceeded", "Rate limit reached.", {"Retry-After": "0"})
BROKEN = Failure(500)


class Server:
    """What the server was asked, and where it is."""

    def __init__(self, behave: Callable[[Asked], Behaviour], served: str) -> None:
        self.asked: list[Asked] = []
        self.behave, self.served = behave, served
        self.port = 0
        #: How many requests each batch held, and the files of batches by their id.
        self.batches: list[int] = []
        self.files: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    def take(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Asked:
        """Note a request."""
        with self._lock:
            asked = Asked(len(self.asked), path, body, headers)
            self.asked.append(asked)
        return asked


@contextmanager
def openai_server(
    behave: Callable[[Asked], Behaviour], *, served: str = "gpt-5-2025-08-07"
) -> Iterator[Server]:
    """Run the server for a block; ``served`` is the version that answers name."""
    server = Server(behave, served)

    class Handler(_Handler):
        told = server

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server.port = listening.server_address[1]
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    told: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.endswith("/files"):
            self._send(200, _stored(self.told, _file_in(data)))
            return
        body = json.loads(data)
        if self.path.endswith("/batches"):
            self._send(200, self._batch(body))
            return
        if isinstance(body.get("input"), str):
            # Inspect tries out what the account may do before its first request.
            self._send(200, _response("ok", self.told.served))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = self.told.take(self.path, body, headers)
        behaviour = self.told.behave(asked)
        try:
            self._answer(asked, behaviour)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has given up waiting, as some tests want

    def do_GET(self) -> None:
        if self.path.endswith("/content"):
            name = self.path.split("/")[-2]
            self._send_bytes(200, self.told.files[name])
            return
        self._send(200, _batch_object(self.path.split("/")[-1]))

    def _batch(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a whole batch at once; its results wait under its own name."""
        lines = self.told.files[body["input_file_id"]].decode().splitlines()
        rows = [json.loads(line) for line in lines if line]
        results = []
        for row in rows:
            asked = self.told.take(row["url"], row["body"], {})
            make = _response if row["url"].endswith("/responses") else _completion
            payload = make(self.told.behave(asked), self.told.served)
            results.append(
                {
                    "id": f"result-{asked.number}",
                    "custom_id": row["custom_id"],
                    "response": {"status_code": 200, "request_id": "r", "body": payload},
                    "error": None,
                }
            )
        name = f"batch_{len(self.told.batches)}"
        self.told.batches.append(len(rows))
        self.told.files[f"file-of-{name}"] = "\n".join(map(json.dumps, results)).encode()
        return _batch_object(name)

    def _answer(self, asked: Asked, behaviour: Behaviour) -> None:
        if isinstance(behaviour, Failure):
            error = {"message": behaviour.message, "type": behaviour.code, "code": behaviour.code}
            self._send(behaviour.status, {"error": error}, headers=behaviour.headers)
            return
        if isinstance(behaviour, Slow):
            time.sleep(behaviour.seconds)
        make = _response if asked.path.endswith("/responses") else _completion
        payload = make(behaviour, self.told.served)
        self._send(200, payload, cut=behaviour.bytes if isinstance(behaviour, Cut) else None)

    def _send(
        self,
        status: int,
        payload: dict[str, Any],
        *,
        headers: dict[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        self._send_bytes(status, json.dumps(payload).encode(), headers=headers, cut=cut)

    def _send_bytes(
        self,
        status: int,
        data: bytes,
        *,
        headers: dict[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data if cut is None else data[:cut])
        if cut is not None:
            self.wfile.flush()
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _file_in(data: bytes) -> bytes:
    """The file in a multipart form."""
    boundary = data.split(b"\r\n", 1)[0]
    for part in data.split(boundary):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content.removesuffix(b"\r\n")
    raise ValueError("the form holds no file")


def _stored(server: Server, content: bytes) -> dict[str, Any]:
    name = f"file-{len(server.files)}"
    server.files[name] = content
    return {
        "id": name,
        "object": "file",
        "bytes": len(content),
        "created_at": 1_700_000_000,
        "filename": "batch.jsonl",
        "purpose": "batch",
        "status": "processed",
    }


def _batch_object(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "batch",
        "endpoint": "/v1/responses",
        "errors": None,
        "input_file_id": "file",
        "completion_window": "24h",
        "status": "completed",
        "output_file_id": f"file-of-{name}",
        "error_file_id": None,
        "created_at": 1_700_000_000,
        "completed_at": 1_700_000_001,
        "request_counts": {"total": 1, "completed": 1, "failed": 0},
        "metadata": {},
    }


def _words(behaviour: Behaviour) -> str:
    if isinstance(behaviour, str):
        return behaviour
    return getattr(behaviour, "text", "")


def _completion(behaviour: Behaviour, served: str) -> dict[str, Any]:
    reason = "stop"
    message: dict[str, Any] = {"role": "assistant", "content": _words(behaviour)}
    if isinstance(behaviour, Filtered):
        reason, message["content"] = "content_filter", ""
    elif isinstance(behaviour, Truncated):
        reason = "length"
    elif isinstance(behaviour, Refusal):
        message = {"role": "assistant", "content": None, "refusal": behaviour.text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": served,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100},
    }


def _response(behaviour: Behaviour, served: str) -> dict[str, Any]:
    status, incomplete = "completed", None
    content: dict[str, Any] = {
        "type": "output_text",
        "text": _words(behaviour),
        "annotations": [],
        "logprobs": [],
    }
    if isinstance(behaviour, Filtered):
        status, incomplete = "incomplete", {"reason": "content_filter"}
    elif isinstance(behaviour, Truncated):
        status, incomplete = "incomplete", {"reason": "max_output_tokens"}
    elif isinstance(behaviour, Refusal):
        content = {"type": "refusal", "refusal": behaviour.text}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "error": None,
        "incomplete_details": incomplete,
        "instructions": None,
        "max_output_tokens": None,
        "model": served,
        "output": [
            {
                "type": "message",
                "id": "msg_1",
                "status": status,
                "role": "assistant",
                "content": [content],
            }
        ],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": 1_000,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 100,
            "output_tokens_details": {"reasoning_tokens": 20},
            "total_tokens": 1_100,
        },
        "user": None,
        "metadata": {},
    }

"""A server on the loopback that speaks the chat completions protocol, well or badly."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Request: TypeAlias = dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the next behaviour of its server; the last one stays."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    server: "Server"
    asked: Request

    def do_POST(self) -> None:
        self.asked = request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.requests.append({**request, "authorization": self.headers["authorization"]})
            behaviours = self.server.behaviours
            behave = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        self.server.asked.set()
        behave(self)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (of the base class)
        """Keep quiet."""


Behaviour: TypeAlias = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    """Records what it is asked."""

    daemon_threads = True
    # Where the five of the base class wait, the kernel lets others try again after 1, 3 and 7 seconds;
    # the client gives up after 5.
    request_queue_size = 128

    def __init__(self, behaviours: list[Behaviour]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = behaviours
        self.requests: list[Request] = []
        self.lock, self.asked = threading.Lock(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are what the tests are about."""


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Server]:
    server = Server(list(behaviours))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _send(handler: Handler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-type", headers.get("content_type", "application/json"))
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def completion(
    text: str | None, reason: str = "stop", *, prompt_tokens: int = 120, **more: object
) -> bytes:
    message = {"role": "assistant", "content": text, **more}
    choices = [{"index": 0, "finish_reason": reason, "message": message}]
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": 9,
        "total_tokens": prompt_tokens + 9,
    }
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "small-1",
            "choices": choices,
            "usage": usage,
        }
    ).encode()


def answers(text: str | None, reason: str = "stop") -> Behaviour:
    return lambda handler: _send(handler, 200, completion(text, reason))


def answers_by(answer: Callable[[Request], bytes]) -> Behaviour:
    """Answer with what is made of the request."""
    return lambda handler: _send(handler, 200, answer(handler.asked))


def sends(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda handler: _send(handler, status, body, **headers)


def _chunk(text: str, reason: str | None = None) -> bytes:
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "small-1"}
    return f"data: {json.dumps({**chunk, 'choices': choices})}\n\n".encode()


def _usage_chunk(prompt_tokens: int) -> bytes:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 1, "total_tokens": 1}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "small-1"}
    return f"data: {json.dumps({**chunk, 'choices': [], 'usage': usage})}\n\n".encode()


def streams(*parts: str, complete: bool = True, prompt_tokens: int | None = None) -> Behaviour:
    def behave(handler: Handler) -> None:
        body = b"".join(_chunk(part) for part in parts)
        if complete:
            body += _chunk("", "stop")
            body += b"" if prompt_tokens is None else _usage_chunk(prompt_tokens)
            body += b"data: [DONE]\n\n"
        _send(handler, 200, body, content_type="text/event-stream")

    return behave


def hangs_up(handler: Handler) -> None:
    """Announce more than comes, and close."""
    body = completion("The gist.")
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def resets(handler: Handler) -> None:
    """Drop the connection without a word."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.close_connection = True
    handler.connection.close()


def is_slow(handler: Handler) -> None:
    time.sleep(0.5)
    _send(handler, 200, completion("Too late."))

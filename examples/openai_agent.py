"""An agent whose tool loop stays small, since its client compacts what it sends.

Needs ``pip install 'chatfold[openai]'``. With no arguments a server on this machine plays the model, so
that nothing leaves it: ``python examples/openai_agent.py``. With the name of a model, and
``OPENAI_API_KEY`` in the environment, the agent works for real: ``python examples/openai_agent.py
gpt-4o-mini``; with ``OPENAI_BASE_URL`` any server that speaks the same protocol does.
"""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from openai import OpenAI

from chatfold import ToolResultCompactionStrategy, triggers
from chatfold.integrations.openai import last_report, with_compaction

FOLDER = Path(__file__).parent / "session"
TASK = "Read every file of the folder, one at a time, and say which one is about money."
READ_FILE: Any = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Reads a file of the folder.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": sorted(p.name for p in FOLDER.glob("*.py"))}
            },
            "required": ["name"],
        },
    },
}


def work(plain: OpenAI, model: str) -> str:
    """Do what agents do: call, run the tools that were asked for, call again with all of it."""
    client = with_compaction(
        plain,
        # Over 4,000 tokens the older results become a line each; the newest two stay whole.
        ToolResultCompactionStrategy(
            trigger=triggers.tokens_exceed(4_000), keep_last_tool_call_groups=2, max_chars=200
        ),
        tokenizer="o200k_base",
        # Never more than the window, less the tools, the answer and a reserve.
        window=16_000,
        reserve=500,
        retry_when_too_long=True,
    )
    messages: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        answer = client.chat.completions.create(
            model=model, messages=messages, tools=[READ_FILE], max_completion_tokens=1_000
        )
        print(f"the list has {len(messages)} messages; sent: {last_report()}")
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            name = json.loads(call.function.arguments)["name"]
            text = (FOLDER / Path(name).name).read_text(encoding="utf-8")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


class Model(BaseHTTPRequestHandler):
    """Plays a model: asks for one file after the other, then answers."""

    names = iter(READ_FILE["function"]["parameters"]["properties"]["name"]["enum"])

    def do_POST(self) -> None:
        """Answer one call."""
        self.rfile.read(int(self.headers["content-length"]))
        name = next(self.names, None)
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if name is None:
            message["content"] = "shop.py is about money."
        else:
            function = {"name": "read_file", "arguments": json.dumps({"name": name})}
            message["tool_calls"] = [
                {"id": f"call_{name}", "type": "function", "function": function}
            ]
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "played"}
        body = json.dumps({**answer, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def played_model() -> Iterator[OpenAI]:
    """Start the server that plays the model, and give a client of it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        with OpenAI(api_key="none", base_url=url) as client:
            yield client
        server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(work(OpenAI(), sys.argv[1]))
    else:
        with played_model() as played:
            print(work(played, "played"))

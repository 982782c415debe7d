"""Weaves the story into messages of the OpenAI chat format."""

import base64
import json
import random
import shlex
from collections.abc import Callable
from typing import Any

from session import database, operations, programs

Message = dict[str, Any]

_OUTPUTS: dict[str, Callable[..., str]] = {
    output.__name__: output
    for output in (
        programs.program,
        programs.diff,
        database.definition,
        database.rows,
        database.counts,
        database.copied,
        database.plan,
        operations.logs,
        operations.trace,
        operations.tested,
        operations.answer,
        operations.metrics,
        operations.pods,
        operations.files,
        operations.found,
        operations.plain,
    )
}


class Weaver:
    """Makes messages; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        """Start with a seed."""
        self._chance = random.Random(seed)  # noqa: S311 (must be repeatable, guards nothing)

    def messages(self, story: dict[str, Any]) -> list[Message]:
        """Make all messages of the story."""
        messages = [{"role": "system", "content": story["system"].strip()}]
        for turn in story["turn"]:
            if "developer" in turn:
                messages.append({"role": "developer", "content": turn["developer"]})
            messages.append(self._user(turn))
            for step in turn["steps"]:
                messages += self._step(step)
            messages.append({"role": "assistant", "content": turn["reply"]})
        return messages

    def _user(self, turn: dict[str, Any]) -> Message:
        message = {"role": "user", "name": turn["who"], "content": turn["user"]}
        if "image" in turn:
            data = base64.b64encode(self._chance.randbytes(3_000)).decode()
            message["content"] = [
                {"type": "text", "text": turn["user"]},
                {"type": "text", "text": turn["image"]},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
            ]
        return message

    def _step(self, step: dict[str, Any]) -> list[Message]:
        message: Message = {"role": "assistant", "content": step.get("say")}
        if "think" in step:
            message["reasoning_content"] = step["think"]
        message["tool_calls"] = []
        results = []
        for written in step["calls"]:
            call, output = self._call(written)
            message["tool_calls"].append(call)
            results.append({"role": "tool", "tool_call_id": call["id"], "content": output})
        return [message, *results]

    def _call(self, written: str) -> tuple[dict[str, Any], str]:
        before, _, after = written.partition(" -> ")
        tool, *pairs = shlex.split(before)
        arguments = {}
        for name, _, value in (pair.partition("=") for pair in pairs):
            arguments[name] = self._output(value[1:].split(":")) if value[:1] == "@" else value
        number = f"call_{self._chance.randrange(16**12):012x}"
        function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        call = {"id": number, "type": "function", "function": function}
        kind, _, rest = after.partition(" ")
        is_plain = kind == "plain" and not rest.startswith('"')
        return call, self._output(["plain", rest] if is_plain else shlex.split(after))

    def _output(self, words: list[str]) -> str:
        kind, *rest = words
        return _OUTPUTS[kind](self._chance, *rest)

"""Clients of a server on the loopback, and what it got."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import openai

from chatfold.integrations.openai import with_compaction
from conversations import Conversation
from summarization.server import Behaviour, Server, serving
from talk import talk

Option = Any


def plain_client(server: Server, **options: Option) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(trust_env=False)
    options = {"max_retries": 0, **options}
    return openai.OpenAI(api_key="key", base_url=server.url, http_client=http, **options)


def plain_async_client(server: Server) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(api_key="key", base_url=server.url, http_client=http, max_retries=0)


@contextmanager
def compacting(
    *behaviours: Behaviour, strategy: Option = None, **options: Option
) -> Iterator[tuple[openai.OpenAI, Server]]:
    """Serve, and give a client with compaction and its server."""
    with serving(*behaviours) as server, plain_client(server) as client:
        yield with_compaction(client, strategy, **options), server


def sent(server: Server) -> list[Conversation]:
    """Give the messages of each request."""
    return [request["messages"] for request in server.requests]


def over_the_wire(messages: list[Any]) -> Conversation:
    """Give messages as a server gets them."""
    plain = [
        each.model_dump(exclude_unset=True) if hasattr(each, "model_dump") else each
        for each in messages
    ]
    result: Conversation = json.loads(json.dumps(plain))
    return result


def said(length: int, about: str = "") -> list[Any]:
    """Make a talk; of the type that any client takes."""
    return [{**message, "content": about + message["content"]} for message in talk(length)]


def words(text: str) -> int:
    """Count words, and know them from call to call."""
    return len(text.split())

"""Fields of single endpoints that the ``summarization`` block has replaced."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from io import StringIO
from typing import Any, NamedTuple

from chatfold.config.problems import ConfigProblem
from chatfold.config.summarization import BLOCK
from chatfold.config.yaml_files import write_yaml

ENDPOINTS = "endpoints"
SWITCH, MODEL = "summarize", "summaryModel"
OWN_MODEL = "current_model"
"""As a model's name, it meant the one that the conversation uses."""


_WHOLE = (f"{BLOCK}.trigger", f"{BLOCK}.parameters")
"""They are shown as a whole, or not at all: a part of one says something else."""


class _StillThere(ConfigProblem):
    """A removed field; one without a value is as wrong as any other."""

    __slots__ = ()

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.path} has no value; remove the key: the {BLOCK} block has replaced it"
        return super().__str__()


class Removed(NamedTuple):
    """A removed field: where it stands, and in what."""

    path: str
    key: str
    endpoint: Mapping[str, Any]

    @property
    def problem(self) -> ConfigProblem:
        """Say that it is not there any more."""
        allowed = f"nothing there: the {BLOCK} block has replaced it"
        return _StillThere(f"{self.path}.{self.key}", self.endpoint[self.key], allowed)


def removed_fields(document: Mapping[str, Any]) -> list[Removed]:
    """Find every removed field of a whole file."""
    endpoints = document.get(ENDPOINTS)
    return [
        Removed(path, key, endpoint)
        for path, endpoint in _endpoints(endpoints, ENDPOINTS)
        for key in (SWITCH, MODEL)
        if key in endpoint
    ]


def _endpoints(value: object, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Go through endpoints by name and through lists of them, no deeper."""
    if not isinstance(value, Mapping):
        return
    for name, each in value.items():
        many = isinstance(each, (list, tuple))
        for number, endpoint in enumerate(each if many else [each]):
            if isinstance(endpoint, Mapping):
                at = f"[{number}]" if many else ""
                yield f"{path}.{name}{at}", endpoint


def named_models(document: Mapping[str, Any]) -> list[str]:
    """List the models that the removed fields name, each once."""
    named = (each.endpoint[MODEL] for each in removed_fields(document) if each.key == MODEL)
    texts = (name for name in named if isinstance(name, str))
    return [name for name in dict.fromkeys(texts) if name not in ("", OWN_MODEL)]


def replacement(document: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    """Write the block that says what the removed fields said.

    What the file's block has already stays. Where no endpoint was to summarize, neither does it.
    """
    found = [each.endpoint[SWITCH] for each in removed_fields(document) if each.key == SWITCH]
    switches = [value for value in found if isinstance(value, bool)]
    block: dict[str, Any] = {} if not switches or any(switches) else {"enabled": False}
    if model is not None:
        block["model"] = model
    own = document.get(BLOCK)
    # One that is no block is a problem of its own.
    return {**block, **own} if isinstance(own, Mapping) else block


def advice(document: Mapping[str, Any], problems: Iterable[ConfigProblem]) -> str:
    """Show the block to write instead, without the values that are problems."""
    own = document.get(BLOCK)
    if isinstance(own, Mapping):
        document = {**document, BLOCK: _without(own, BLOCK, {each.path for each in problems})}
    models = named_models(document)
    block = replacement(document, models[0] if models else None)
    return f"write this instead, or let migrate_config do it:\n\n{shown_block(block)}"


def _without(block: Mapping[Any, Any], path: str, bad: Collection[str]) -> dict[Any, Any]:
    kept = {}
    for key, value in block.items():
        at = f"{path}.{key}"
        inside = any(each.startswith((f"{at}.", f"{at}[")) for each in bad)
        if at in bad or (inside and at in _WHOLE):
            continue
        kept[key] = _without(value, at, bad) if inside and isinstance(value, Mapping) else value
    return {key: value for key, value in kept.items() if value != {} or block[key] == {}}


def shown_block(block: Mapping[str, Any]) -> str:
    """Show a block as a file has it."""
    stream = StringIO()
    write_yaml({BLOCK: block or {"enabled": True}}, stream)
    return stream.getvalue().rstrip()

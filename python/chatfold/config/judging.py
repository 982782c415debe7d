"""Judges a block: its values, and the keys that mean nothing."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from chatfold.config.parameters import parameter_problems
from chatfold.config.problems import ConfigProblem, ConfigWarning, nearest, shown
from chatfold.config.summarization import BLOCK, SummarizationConfig
from chatfold.config.values import MOST, UNTORN, Allowed, plain, scalar

_NO_BLOCK = "a block of keys and values"
_PARAMETERS = "parameters"


def judged(block: object) -> SummarizationConfig | list[ConfigProblem]:
    """Make the configuration of a block, or say everything that is wrong with it."""
    if not isinstance(block, Mapping):
        return [ConfigProblem(BLOCK, block, _NO_BLOCK)]
    for path, key, known in _unknown(block, SummarizationConfig, BLOCK):
        meant = nearest(key, known)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(known)}"
        warnings.warn(f"{path}.{key} means nothing; {hint}", ConfigWarning, stacklevel=3)
    filled = _filled(block, SummarizationConfig)
    told: list[ConfigProblem] = []
    if isinstance(filled.get(_PARAMETERS), Mapping):
        told = parameter_problems(f"{BLOCK}.{_PARAMETERS}", filled[_PARAMETERS])
        if told:
            del filled[_PARAMETERS]
        else:
            filled[_PARAMETERS] = plain(filled[_PARAMETERS])
    try:
        config = SummarizationConfig.model_validate(filled, by_alias=True, by_name=False)
    except ValidationError as error:
        # A value that breaks two rules is told once.
        problems = map(_problem, error.errors(include_url=False))
        return [*{problem.path: problem for problem in problems}.values(), *told]
    return told or config


def _filled(block: Mapping[Any, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Leave keys out that mean nothing, or stand there with nothing behind them."""
    fields = _fields(model)
    filled = {}
    for key, value in block.items():
        if key in fields and value is not None:
            models = _models(fields[key].annotation)
            inner = isinstance(value, Mapping) and models
            filled[key] = _filled(value, models[0]) if inner else scalar(value)
    return filled


def _problem(error: ErrorDetails) -> ConfigProblem:
    location, value = error["loc"], error["input"]
    names, allowed = _described(location)
    if error["type"].startswith("union_tag"):
        names.append("type")
        value = value.get("type") if isinstance(value, Mapping) else value
    elif error["type"] == "missing":
        value = None
    elif error["type"].startswith("model_"):
        allowed = _NO_BLOCK
    elif error["type"] == "less_than_equal" and error["ctx"]["le"] == MOST:
        allowed += f" and at most {MOST}"
    elif error["type"] == "torn":
        allowed = UNTORN
    return ConfigProblem(".".join([BLOCK, *names]), value, allowed)


def _described(location: Sequence[int | str]) -> tuple[list[str], str]:
    """Find the path as the file has it, and what is allowed there."""
    names: list[str] = []
    where: Any = SummarizationConfig
    allowed = _NO_BLOCK
    for step in location:
        models = _models(where)
        tagged = {_tag(each): each for each in models if len(models) > 1}
        if step in tagged:
            where = tagged[str(step)]
            continue
        field = next(
            (
                each
                for model in models
                for each in model.model_fields.values()
                if each.alias == step
            ),
            None,
        )
        names.append(str(step))
        if field is None:
            break
        where = field.annotation
        inner = [*field.metadata, *_metadata(where)]
        allowed = next((each.words for each in inner if isinstance(each, Allowed)), _NO_BLOCK)
    return names, allowed


def _unknown(
    block: Mapping[Any, Any], model: type[BaseModel], path: str
) -> Iterator[tuple[str, str, list[str]]]:
    fields = _fields(model)
    for key, value in block.items():
        if key not in fields:
            yield path, key if isinstance(key, str) else _written(key), list(fields)
            continue
        models = _models(fields[key].annotation)
        if models and isinstance(value, Mapping):
            yield from _unknown(value, models[0], f"{path}.{key}")


def _written(key: object) -> str:
    return "null" if key is None else shown(key)


def _fields(model: type[BaseModel]) -> dict[Any, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 (any annotation)
    """List the blocks that an annotation allows."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


def _tag(model: type[BaseModel]) -> str:
    tag: str = model.model_fields["type"].default
    return tag


def _metadata(annotation: Any) -> Iterator[object]:  # noqa: ANN401 (any annotation)
    if get_origin(annotation) is Annotated:
        yield from annotation.__metadata__
    for part in get_args(annotation):
        yield from _metadata(part)

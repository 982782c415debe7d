"""Kinds of values, each with the words that tell what is allowed."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from annotated_types import MinLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError
from ruamel.yaml.scalarbool import ScalarBoolean


class Allowed(NamedTuple):
    """What is allowed, as an error says it."""

    words: str


class Block(BaseModel):
    """A block of the file: its keys are written in camel case, and unknown ones are left out."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="ignore",
        frozen=True,
        strict=True,
    )


MOST = 2**53 - 1
"""The largest whole number that every reader of JSON keeps as it is."""

UNTORN = "a text without lone surrogates"


def is_torn(text: str) -> bool:
    """Tell whether a text has lone surrogates, which no file and no request can hold."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def joined(text: str) -> str:
    """Join the halves of letters that were written as two; lone ones stay as they are."""
    if not is_torn(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _untorn(value: str) -> str:
    if is_torn(value):
        raise PydanticCustomError("torn", "write {words}", {"words": UNTORN})
    return value


def scalar(value: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
    """Give the plain value in the place of one that remembers how it was written."""
    if isinstance(value, ScalarBoolean):
        # It is a number of Python's.
        return bool(value)
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def plain(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Give dicts, lists and plain values in the place of their like."""
    if isinstance(value, Mapping):
        return {scalar(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return scalar(value)


def _whole(value: object) -> object:
    """Take 4096.0 for 4096: a file does not always tell them apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole(at_least: int, at_most: int | None = None) -> Any:  # noqa: ANN401 (metadata)
    """Describe a whole number."""
    words = f"a whole number from {at_least} to {at_most}"
    if at_most is None:
        at_most, words = MOST, f"a whole number of at least {at_least}"
    return Field(ge=at_least, le=at_most), BeforeValidator(_whole), Allowed(words)


Flag = Annotated[bool, Allowed("true or false")]

Text = Annotated[str, AfterValidator(_untorn), Allowed("a text")]

Words = Annotated[str, AfterValidator(_untorn), MinLen(1), Allowed("a text that is not empty")]

Name = Annotated[str, AfterValidator(_untorn), MinLen(1), Allowed("a name")]

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), Allowed("a number from 0 to 1")]

Positive = Annotated[int, *whole(1)]

Natural = Annotated[int, *whole(0)]

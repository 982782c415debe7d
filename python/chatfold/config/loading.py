"""Reads a configuration, from a file or from what one holds."""

import warnings
from collections.abc import Mapping
from typing import Any

from chatfold.config.judging import judged
from chatfold.config.problems import ConfigError, ConfigWarning, nearest
from chatfold.config.removed import advice, removed_fields
from chatfold.config.summarization import BLOCK, SummarizationConfig
from chatfold.config.yaml_files import Source, read_yaml

_KEYS = frozenset(field.alias or name for name, field in SummarizationConfig.model_fields.items())


def load_config(source: Source) -> SummarizationConfig:
    """Read the ``summarization`` block.

    Args:
        source: The path of a YAML or JSON file, or a mapping: the block alone, under its name, or
            inside a whole configuration of a product.

    Returns:
        The configuration, with defaults for the keys that are not there.

    Raises:
        ConfigError: Values that are not allowed, all of them at once, or a file that is no YAML.
        OSError: The file can't be read.

    Warns:
        ConfigWarning: A key that means nothing; names the nearest that does.
    """
    document = source if isinstance(source, Mapping) else read_yaml(source)
    removed = removed_fields(document)
    outcome = judged(_block(document, silent=bool(removed)))
    problems = outcome if isinstance(outcome, list) else []
    if removed or problems:
        told = [*problems, *(each.problem for each in removed)]
        raise ConfigError(told, advice(document, problems) if removed else "")
    assert isinstance(outcome, SummarizationConfig)  # noqa: S101 (there are no problems)
    return outcome


def _block(document: Mapping[Any, Any], *, silent: bool) -> object:
    """Find the block; one that stands there empty has all the defaults."""
    if BLOCK in document:
        block = document[BLOCK]
        return {} if block is None else block
    if not document or _KEYS.intersection(document):
        return document
    if silent:
        return {}
    names = [key for key in document if isinstance(key, str)]
    meant = next((key for key in names if nearest(key, [BLOCK])), None)
    hint = f"did you mean {meant} to be it?" if meant else "all defaults apply"
    near = {key: nearest(key, _KEYS) for key in names}
    if meant is None and any(near.values()):
        # The block alone, with no key that is right.
        hint = ", ".join(f"did you mean {key} to be {own}?" for key, own in near.items() if own)
    warnings.warn(f"there is no {BLOCK} block; {hint}", ConfigWarning, stacklevel=3)
    return {}

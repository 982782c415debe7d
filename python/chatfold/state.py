"""The saved state of an index: plain JSON types, with a version.

The state holds what the index knows beyond its messages: counts, what is excluded and why, stand-ins
and what they stand for, what shortened messages hold, which messages strategies that shorten have
settled, and which strategies have had their say. The messages stay where the caller keeps them; a
fingerprint of them makes sure that state and messages belong together.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chatfold import _core
from chatfold._options import shown
from chatfold._types import SavedOf
from chatfold.errors import ChatfoldError, StateError
from chatfold.overhead import Overhead
from chatfold.tokenizers import CharacterEstimatorTokenizer, EncodingTokenizer, Tokenizer

if TYPE_CHECKING:
    from chatfold.index import MessageIndex

FORMAT = "chatfold.MessageIndex"
VERSION = 4
_READABLE = (1, 2, 3, VERSION)
_LAST_WITHOUT_MOMENTS = 3
"""Up to then a state did not say when something was decided; it is taken as decided last."""

_ESTIMATOR = re.compile(
    r"CharacterEstimatorTokenizer\((chars_per_token=(?P<chars>\d{1,7}))?(, )?(?P<cjk>cjk_aware=True)?\)"
)


def to_state(index: "MessageIndex") -> dict[str, Any]:
    """Write the state of an index."""
    tokens, groups, stand_ins, protected, shortened, settled, finished = _core.save(index)
    return {
        "format": FORMAT,
        "version": VERSION,
        "tokenizer": repr(index.tokenizer),
        "overhead": index.overhead.to_dict(),
        "fingerprint": _core.fingerprint(index),
        "tokens": tokens,
        "groups": [list(group) for group in groups],
        "stand_ins": [
            {
                "role": role,
                "content": text,
                "tokens": count,
                "replaces": [list(each) for each in replaces],
                "included": included,
                "reason": reason,
                "replaced": replaced,
                "decided_at": decided_at,
                "written": written,
                "excluded_at": excluded_at,
            }
            for (
                role,
                text,
                count,
                replaces,
                included,
                reason,
                replaced,
                decided_at,
                written,
                excluded_at,
            ) in stand_ins
        ],
        "protected": protected,
        "shortened": [
            {
                "position": position,
                "texts": [list(each) for each in texts],
                "size": list(size),
                "tokens": count,
                "reason": reason,
                "decided_at": decided_at,
            }
            for position, texts, size, count, reason, decided_at in shortened
        ],
        "settled": [
            {"options": f"{options:032x}", "stages": [_ends(first), _ends(second)]}
            for options, first, second in settled
        ],
        "finished": [f"{options:032x}" for options in finished],
    }


def builtin_tokenizer(state: Mapping[str, Any]) -> Tokenizer | None:
    """Make the tokenizer that a state was written with, where it is one of chatfold's own."""
    text = state.get("tokenizer")
    known: list[Tokenizer] = [EncodingTokenizer(name) for name in _core.encoding_names()]
    if isinstance(text, str) and (options := _ESTIMATOR.fullmatch(text)):
        per_token = int(options["chars"] or CharacterEstimatorTokenizer.DEFAULT_CHARS_PER_TOKEN)
        cjk_aware = options["cjk"] is not None
        known.append(CharacterEstimatorTokenizer(chars_per_token=per_token, cjk_aware=cjk_aware))
    return next((each for each in known if repr(each) == text), None)


def saved_tokenizer(state: Mapping[str, Any]) -> Tokenizer:
    """Make the tokenizer that a state was written with.

    Raises:
        StateError: It is none of chatfold's own, and has to be given again.
    """
    tokenizer = builtin_tokenizer(state)
    if tokenizer is None:
        raise StateError(
            f"the state was saved with the tokenizer {_name(state)}, which is not built in; "
            "pass it to from_state as tokenizer=..., or another one to count everything anew"
        )
    return tokenizer


def saved_overhead(state: Mapping[str, Any]) -> Overhead:
    """Give the overhead that a state was written with.

    Raises:
        StateError: It is damaged.
    """
    overhead = as_mapping(state.get("overhead"), "overhead")
    try:
        return Overhead(**overhead)
    except ChatfoldError as error:
        raise damaged(f"overhead: {error}") from error
    except TypeError as error:
        names = ", ".join(Overhead().to_dict())
        raise damaged(f"overhead is {shown(overhead)}; its keys are {names}") from error


def check_state(state: object) -> Mapping[str, Any]:
    """Take a state of this version.

    Raises:
        StateError: It is no state, or one of another version.
    """
    if not isinstance(state, Mapping) or state.get("format") != FORMAT:
        raise StateError(
            f"this is no saved state of an index: {type(state).__name__} without the format "
            f"{FORMAT!r}; pass what to_state() returned"
        )
    version = state.get("version")
    if version not in _READABLE:
        raise StateError(
            f"the state has version {shown(version)} and this chatfold reads version {VERSION}; load it "
            "with the chatfold that wrote it, or build a new index from the messages"
        )
    return state


def load_state(index: "MessageIndex", state: Mapping[str, Any]) -> None:
    """Give a state to an index that has its messages.

    Raises:
        StateError: State and messages don't belong together, or the state is damaged.
    """
    if state.get("fingerprint") != _core.fingerprint(index):
        raise StateError(
            f"the state was saved for other messages than these {len(index)}; pass the list as it "
            "was when the state was saved, and extend the index afterwards"
        )
    try:
        same = saved_overhead(state) == index.overhead
        counts = same and builtin_tokenizer(state) == index.tokenizer
        # One of the caller's own counts anew, and is taken for the one that had its name.
        finished = same and state.get("tokenizer") == repr(index.tokenizer)
        saved = _saved(state, counts=counts, finished=finished)
        fits = _core.load(index, saved)
    except StateError:
        raise
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        from chatfold.damage import damage  # noqa: PLC0415 (rare)

        raise damaged(damage(state)) from error
    if not fits:
        raise damaged("it names groups or texts that the messages don't have")


def damaged(what: str) -> StateError:
    """Build the error for a state that nobody can have saved like this."""
    return StateError(
        f"the state is damaged: {what}; load one that was saved whole, or start from the messages"
    )


def as_mapping(value: object, name: str = "it") -> Mapping[str, Any]:
    """Give a part of a state that has to be a mapping.

    Raises:
        StateError: It is none; says what it is.
    """
    if not isinstance(value, Mapping):
        raise damaged(f"{name} is {shown(value)} and should be a mapping")
    return value


def _name(state: Mapping[str, Any]) -> str:
    text = state.get("tokenizer")
    return text if isinstance(text, str) else shown(text)


def _saved(state: Mapping[str, Any], *, counts: bool, finished: bool) -> SavedOf:
    """Give the state as the core takes it; what goes with another tokenizer is left out."""
    version, most = state["version"], len(state["tokens"])
    stand_ins = [
        (
            each["role"],
            each["content"],
            each["tokens"] if counts else None,
            [(stand_in, number) for stand_in, number in each["replaces"]],
            each["included"],
            each["reason"],
            each["replaced"],
            *(
                (each["decided_at"], each["written"], each["excluded_at"])
                if version > _LAST_WITHOUT_MOMENTS
                else (most, not each["content"].startswith("[Tool "), most)
            ),
        )
        for each in state["stand_ins"]
    ]
    moment = () if version > _LAST_WITHOUT_MOMENTS else (most,)
    groups = [
        (first, length, reason, replaced, decided_at)
        for first, length, reason, replaced, decided_at in (
            (*group, *moment) for group in state["groups"]
        )
    ]
    # Version 1 is from before messages could be shortened.
    shortened = [
        (
            each["position"],
            [(place, number, text) for place, number, text in each["texts"]],
            _size(each["size"]),
            each["tokens"] if counts else None,
            each["reason"],
            each["decided_at"] if version > _LAST_WITHOUT_MOMENTS else most,
        )
        for each in (state["shortened"] if version > 1 else ())
    ]
    protected = list(state["protected"])
    # Version 2 did not say what is settled yet.
    settled = [
        (int(each["options"], 16), _runs(each["stages"][0]), _runs(each["stages"][1]))
        for each in (state["settled"] if version > 2 else ())  # noqa: PLR2004 (see above)
    ]
    # A state from before that was said lets every strategy look again.
    plans = [int(each, 16) for each in (state.get("finished", ()) if finished else ())]
    tokens = state["tokens"] if counts else []
    return tokens, groups, stand_ins, protected, shortened, settled, plans


def _size(size: list[int]) -> tuple[int, int]:
    byte_count, char_count = size
    return byte_count, char_count


def _ends(runs: list[tuple[int, int]]) -> list[int]:
    """Write runs of positions as where each starts and ends, in one list."""
    return [end for run in runs for end in run]


def _runs(ends: list[int]) -> list[tuple[int, int]]:
    return list(zip(ends[::2], ends[1::2], strict=True))

"""What is no group of the index, or no text, is refused by a clear error that is chatfold's own."""

from collections.abc import Callable
from typing import Any

import pytest

from chatfold import ChatfoldError, MessageIndex, OptionError, OptionTypeError
from recount import assert_figures_are_right, talk

OTHER = MessageIndex(talk(3)).groups[0]

Use = Callable[[MessageIndex, Any], object]

USES: dict[str, Use] = {
    "exclude": lambda index, group: index.exclude(group, reason="mine"),
    "restore": lambda index, group: index.restore(group),
    "protect": lambda index, group: index.protect(group),
    "unprotect": lambda index, group: index.unprotect(group),
    "replace": lambda index, group: index.replace([group], "x", reason="mine"),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_group_of_another_index_is_refused(use: Use) -> None:
    index = MessageIndex(talk(3))
    with pytest.raises(OptionError, match="the group belongs to another index; take it from this"):
        use(index, OTHER)
    assert index.included_messages() == talk(3)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("group", [3, None, "0", talk(1)[0]], ids=str)
def test_what_is_no_group_is_refused(use: Use, group: object) -> None:
    index = MessageIndex(talk(3))
    with pytest.raises(OptionTypeError, match=r"group is .*; pass a group of this index") as caught:
        use(index, group)
    assert isinstance(caught.value, ChatfoldError)
    assert index.included_messages() == talk(3)


@pytest.mark.parametrize("groups", [3, None, OTHER], ids=["number", "None", "group"])
def test_what_is_no_list_of_groups_is_refused(groups: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionTypeError, match=r"groups is .*; pass a list of groups"):
        MessageIndex(talk(3)).replace(groups, "x", reason="mine")


def test_what_is_no_text_is_refused() -> None:
    index = MessageIndex(talk(3))
    group = index.groups[0]
    wrong: Any = 3
    with pytest.raises(OptionTypeError, match="reason is 3; pass text"):
        index.exclude(group, reason=wrong)
    with pytest.raises(OptionTypeError, match="text is 3; pass text"):
        index.replace([group], wrong, reason="mine")
    with pytest.raises(OptionTypeError, match="role is 3; pass text"):
        index.replace([group], "x", reason="mine", role=wrong)
    with pytest.raises(OptionError, match="role is 'tool'; a stand-in speaks as"):
        index.replace([group], "x", reason="mine", role="tool")


def test_an_excluded_group_can_not_be_replaced() -> None:
    index = MessageIndex(talk(3))
    index.exclude(index.groups[0], reason="mine")
    with pytest.raises(OptionError, match="replace included groups"):
        index.replace([index.groups[0]], "x", reason="mine")


def test_a_stand_in_can_not_be_protected() -> None:
    index = MessageIndex([{"role": "user", "content": "long enough"}, *talk(3)])
    group = index.replace([index.groups[0]], "x", reason="mine")
    assert group is not None
    with pytest.raises(OptionError, match="the group is a stand-in"):
        index.protect(group)


def test_a_lone_surrogate_in_a_text_of_the_callers_becomes_a_replacement_character() -> None:
    index = MessageIndex([{"role": "user", "content": "long enough"}, *talk(3)], tokenizer=len)
    group = index.replace([index.groups[0]], "a\ud800b", reason="r\udfff")
    assert group is not None
    assert index.included_messages()[0] == {"role": "assistant", "content": "a\ufffdb"}
    assert index.groups[0].exclude_reason == "r\ufffd"
    index.exclude(index.groups[2], reason="\ud800")
    assert_figures_are_right(index)
    again = MessageIndex.from_state(index.to_state(), index.messages, tokenizer=len)
    assert again.included_messages() == index.included_messages()

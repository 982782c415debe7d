"""What no summary takes the place of, and who said what opens like a summary.

An index knows which stand-ins it wrote itself: those have no messages of the list. A message of the
list that only opens like one may have come back from where a shorter list was stored, or a person may
have written it. The text is no proof of either, so that one which may be the last word of the user
stays.
"""

from chatfold.index import MessageGroup, MessageIndex
from chatfold.summarization.parts import text_field


def speaks_as_user(group: MessageGroup) -> bool:
    """Tell whether a group is a message of the list in the role of the user, whatever it opens like."""
    if group.kind != "summary":
        return group.kind == "user"
    return bool(group.positions) and text_field(group.messages[0], "role") == "user"


def floor(index: MessageIndex) -> set[MessageGroup]:
    """Choose what every strategy keeps, of the included groups that are no system messages.

    That is: the newest group, the last user message, one after it in the role of the user that opens
    like a stand-in, calls that wait for their result, and what the caller protects.
    """
    return set(index._included_floor())

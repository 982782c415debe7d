"""Characters that nobody sees, and whether there are words among the others."""

# Letters, as Unicode and regular expressions have it: the fillers of Hangul.
FILLERS = "\u115f\u1160\u3164\uffa0"
# What may be ignored by default where text is shown (Unicode, DerivedCoreProperties.txt), without
# the fillers: in the form of a class of a regular expression.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
UNSEEN = f"{FILLERS}{_IGNORABLE}"
"""The inside of a class of a regular expression that matches them."""


def has_word(text: str) -> bool:
    """Tell whether there is a letter or a digit, of any script, in a text; emoji are neither."""
    return any(each.isalnum() and each not in FILLERS for each in text)


def spelled(word: str) -> str:
    """Give a pattern for a word of ASCII, whatever that nobody sees stands between its letters."""
    return f"[{UNSEEN}]*".join(word)

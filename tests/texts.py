"""Texts as they come: mostly plain, sometimes long, sometimes hostile."""

from hypothesis import strategies as st

PLAIN = ["", "ok", "sunny, 18°C", "read the file", "数据 北京", "naïve café", "  spaced  ", "a\nb"]

ODD = [
    "\x00",
    "nul\x00inside",
    "\ud800",
    "before\udc00after",
    "\ud83d\ude00",  # the two halves of one emoji
    "👩‍👩‍👧‍👦 family",
    "🏳️‍🌈",
    "e\u0301\u0301",
    "\u202eright to left\u202c",
    "שלום עולם",
    "\u2028line\u2029",
    "\x1c\x1f edges \x85",
    "\ufeff",
    "<|endoftext|>",
    "[Tool results",
    " [Summary] not at the start",
    "; : ] [",
]

LONG = st.builds(
    lambda unit, times: unit * times,
    st.sampled_from(["word ", "x", "数", "line\n", "👩‍👩‍👧‍👦", '{"k": 1}, ']),
    st.integers(min_value=50, max_value=1500),
)

# Plain ones twice: most texts in a conversation are.
TEXTS = st.one_of(
    st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(ODD), st.text(max_size=40), LONG
)

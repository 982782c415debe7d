"""The slow, obvious twin: groups everything at once, counts everything, decides plainly.

It shares no code with the product and knows none of its short cuts. Where the two differ, one of
them is wrong.
"""

from reference.fork import changed
from reference.grouping import Group, group_messages
from reference.history import History, Totals, answered
from reference.strategies import run

__all__ = ["Group", "History", "Totals", "answered", "changed", "group_messages", "run"]

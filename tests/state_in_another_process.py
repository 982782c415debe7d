"""Loads a saved index in a process of its own: JSON in, what became of it out."""

import json
import sys
from typing import Any

from chatfold import MessageIndex, work_done
from product import build_strategy
from states import groups_of, included_totals, totals


def links_of(index: MessageIndex) -> list[tuple[list[int], list[list[int]]]]:
    """Give what each stand-in stands for, and what stands for each group, by position."""
    return [
        (
            list(group.summary.positions) if group.summary is not None else [-1],
            [list(original.positions) for original in group.summarizes],
        )
        for group in index.groups
    ]


def seen_of(index: MessageIndex) -> Any:  # noqa: ANN401 (plain JSON)
    """Give everything that can be seen of an index, as JSON gives it back."""
    seen = [
        [list(state) for state in groups_of(index)],
        links_of(index),
        totals(index),
        included_totals(index),
        index.included_messages(),
    ]
    return json.loads(json.dumps(seen))


def main() -> None:
    given = json.load(sys.stdin)
    index = MessageIndex.from_state(given["state"], given["messages"])
    loaded, counted = seen_of(index), work_done().texts_counted
    index.extend(given["later"])
    index.compact(build_strategy(given["spec"], index.tokenizer))
    done = {"loaded": loaded, "counted": counted, "later": seen_of(index)}
    json.dump({**done, "state": index.to_state()}, sys.stdout)


if __name__ == "__main__":
    main()

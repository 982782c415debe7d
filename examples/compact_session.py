"""Compacts a long session of an agent into a budget: no network, no model.

Run it anywhere: ``python examples/compact_session.py``.
"""

import json
import time
from pathlib import Path

from chatfold import (
    MessageIndex,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
)

SESSION = Path(__file__).with_name("agent_session.json")


def main() -> None:
    """Collapse old tool results, then remove the oldest groups, until the budget is met."""
    messages = json.loads(SESSION.read_text(encoding="utf-8"))
    strategy = TokenBudgetComposedStrategy(
        token_budget=16_000,
        strategies=[ToolResultCompactionStrategy(keep_last_tool_call_groups=8, max_chars=160)],
        tokenizer="o200k_base",
    )

    started = time.perf_counter()
    index = MessageIndex(messages, tokenizer="o200k_base")
    report = index.compact(strategy)
    kept = index.included_messages()
    seconds = time.perf_counter() - started

    print(f"before  {report.before.messages:>5,} messages  {report.before.tokens:>7,} tokens")
    print(f"after   {report.after.messages:>5,} messages  {report.after.tokens:>7,} tokens")
    for step in report.steps:
        print(f"step    {step.strategy}: {step.groups} groups, {step.tokens_freed:,} tokens freed")
    print(f"report  {report}")
    digest = next(message for message in kept if str(message["content"]).startswith("[Tool"))
    print(f"digest  {digest['content'].splitlines()[0][:90]}")
    print(f"the first {report.first_changed} messages are as they were")
    print(f"took    {seconds * 1000:.0f} ms")


if __name__ == "__main__":
    main()

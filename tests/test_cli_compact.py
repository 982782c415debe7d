"""Options become strategies, in the order of the command line."""

import json
from collections.abc import Callable

import pytest

import chatfold
from chatfold import (
    ContextWindowCompactionStrategy,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from command_line import exchange, lines, run, user

TALK = [{"role": "system", "content": "be kind"}] + [m for n in range(8) for m in exchange(n)]
GIVEN = json.dumps(TALK).encode()
EXACT = chatfold.tokenizers.resolve("o200k_base")


def truncation(**options: int) -> Strategy:
    return TruncationStrategy(tokenizer=EXACT, **options)  # type: ignore[arg-type]


CASES: dict[str, Callable[[], Strategy]] = {
    "--max-tokens 300": lambda: truncation(max_n=300),
    "--max-tokens 300 --to 150": lambda: truncation(max_n=300, compact_to=150),
    "--to 150 --max-tokens 300": lambda: truncation(max_n=300, compact_to=150),
    "--max-tokens 300 --to 150 --keep-first-user": lambda: truncation(
        max_n=300, compact_to=150, preserve_first_user_group=True
    ),
    "--max-messages 12 --to 6": lambda: TruncationStrategy(max_n=12, compact_to=6),
    "--keep-last-groups 5": lambda: SlidingWindowStrategy(keep_last_groups=5),
    "--keep-last-turns 2": lambda: SlidingWindowStrategy(keep_last_turns=2),
    "--collapse-tool-results 3 --digest-chars 99": lambda: ToolResultCompactionStrategy(
        keep_last_tool_call_groups=3, max_chars=99
    ),
    "--collapse-tool-results 0 --digest-chars 64": lambda: ToolResultCompactionStrategy(
        keep_last_tool_call_groups=0, max_chars=64
    ),
    "--collapse-tool-results 1 --digest-style names": lambda: ToolResultCompactionStrategy(
        keep_last_tool_call_groups=1, style="names"
    ),
    "--remove-tool-calls 2": lambda: SelectiveToolCallCompactionStrategy(
        keep_last_tool_call_groups=2
    ),
    "--keep-last-turns 4 --remove-tool-calls 0": lambda: PipelineCompactionStrategy(
        SlidingWindowStrategy(keep_last_turns=4),
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0),
    ),
    "--keep-last-groups 9 --remove-tool-calls 0": lambda: PipelineCompactionStrategy(
        SlidingWindowStrategy(keep_last_groups=9),
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0),
    ),
    "--remove-tool-calls 0 --keep-last-groups 9": lambda: PipelineCompactionStrategy(
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0),
        SlidingWindowStrategy(keep_last_groups=9),
    ),
    "--token-budget 200": lambda: TokenBudgetComposedStrategy(token_budget=200, tokenizer=EXACT),
    "--token-budget 400 --remove-tool-calls 1": lambda: TokenBudgetComposedStrategy(
        token_budget=400,
        strategies=[SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1)],
        tokenizer=EXACT,
    ),
    "--context-window 600 --max-output 200": lambda: ContextWindowCompactionStrategy(
        max_context_window_tokens=600, max_output_tokens=200, tokenizer=EXACT
    ),
}


@pytest.mark.parametrize("options", CASES)
def test_options_stand_for_a_strategy(options: str) -> None:
    kept = chatfold.compact(TALK, CASES[options](), tokenizer=EXACT)
    assert kept != TALK
    assert run("compact", "-", *options.split(), stdin=GIVEN).value == kept


def test_the_order_of_the_options_matters() -> None:
    one, other = (
        run("compact", "-", *options.split(), stdin=GIVEN).value
        for options in CASES
        if "--keep-last-groups 9" in options
    )
    assert len(one) < len(other)


WRONG = {
    "": "say what to do",
    "--to 5": "say what to do",
    "--keep-last-turns 3 --to 5": "'--to'",
    "--max-tokens 9 --max-messages 9 --to 5": "'--to'",
    "--max-tokens 9 --to 10": "'--to': 10 is more than --max-tokens 9",
    "--max-messages 9 --to 10": "'--to': 10 is more than --max-messages 9",
    "--max-tokens 0": "'--max-tokens': it is 0; pass a whole number of at least 1",
    "--max-tokens many": "'--max-tokens': it is 'many'; pass a whole number of at least 1",
    "--max-tokens 1.5": "'--max-tokens': it is '1.5'; pass a whole number of at least 1",
    "--max-tokens 9 --to none": "'--to': it is 'none'; pass a whole number of at least 1",
    "--keep-last-turns 0": "'--keep-last-turns': it is 0; pass a whole number of at least 1",
    "--collapse-tool-results -1": "'--collapse-tool-results': it is -1; pass a whole number",
    "--collapse-tool-results 1 --digest-style long": "style': it is 'long'; pass results or names",
    "--collapse-tool-results 1 --digest-chars 3": "'--digest-chars': it is 3; pass a whole number",
    **{
        f"--{name} {10**20}": f"'--{name}': it is {10**20}; pass a whole number of at least 1 and at"
        " most 9223372036854775807"
        for name in ("max-tokens", "max-messages", "token-budget", "context-window")
    },
    f"--keep-last-turns {10**20}": "'--keep-last-turns': it is 1000",
    "--max-output 9 --max-tokens 9": "'--max-output'",
    "--context-window 9 --max-output 9": "'--max-output': 9 leaves no room",
    "--keep-last-turns 1 --keep-first-user": "'--keep-first-user'",
    "--max-tokens 9 --tokenizer gpt-next": "'--tokenizer': no tokenizer is called 'gpt-next'",
    "--max-tokens 9 --tokenizer no/such.json": "'--tokenizer'",
    "--max-token 9": "--max-token",
}


@pytest.mark.parametrize("options", WRONG)
def test_wrong_options_are_named(options: str) -> None:
    ran = run("compact", "-", *options.split(), stdin=GIVEN)
    assert (ran.code, ran.out) == (2, b"")
    assert WRONG[options] in " ".join(ran.err.split())
    assert "Input should" not in ran.err
    assert "Value error" not in ran.err


def test_the_report_has_exact_figures() -> None:
    ran = run("compact", "-", "--keep-last-turns", 1, stdin=GIVEN)
    before, after = (
        chatfold.MessageIndex(messages, tokenizer=EXACT).total_token_count
        for messages in (TALK, ran.value)
    )
    assert ran.err == (
        f"33 messages, {before} tokens -> 5 messages, {after} tokens "
        "(SlidingWindowStrategy 21 groups)\n"
    )


def test_each_conversation_has_a_line_in_the_report() -> None:
    ran = run("compact", "-", "--max-messages", 4, stdin=lines([user("a")], TALK))
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == ["line 1", "line 2"]
    assert ran.err.startswith("line 1: unchanged: 1 message, 1 token\n")


def test_quiet_says_nothing() -> None:
    assert run("compact", "-", "--max-messages", 4, "--quiet", stdin=GIVEN).err == ""


def test_the_tokenizer_and_the_overhead_can_be_chosen() -> None:
    for options, size in (("", 6), ("--openai-overhead", 12), ("--tokenizer characters", 3)):
        given = json.dumps([user("日本語を読みます。")]).encode()
        ran = run("compact", "-", "--keep-last-turns", 1, *options.split(), stdin=given)
        assert ran.err == f"unchanged: 1 message, {size} tokens\n"

"""The commands and their options."""

from typing import Annotated, Literal

import typer

import chatfold
from chatfold import OPENAI_CHAT_OVERHEAD, UnknownTokenizerError
from chatfold.cli.compacting import Compaction
from chatfold.cli.endings import ending
from chatfold.cli.inspecting import inspect_file
from chatfold.cli.strategies import Wishes, strategy_for
from chatfold.cli.values import one_of, whole
from chatfold.errors import ChatfoldError
from chatfold.tokenizers import Tokenizer, resolve

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

ESTIMATE = "characters"


def _named(name: str) -> Tokenizer:
    try:
        return resolve(None if name == ESTIMATE else name)
    except UnknownTokenizerError:
        known = ", ".join(chatfold.tokenizers.ENCODINGS)
        raise typer.BadParameter(
            f"no tokenizer is called {name!r}; pass an encoding ({known}), the name of an OpenAI "
            f"model, the path of a tokenizer.json, or {ESTIMATE!r} for an estimate",
            param_hint="'--tokenizer'",
        ) from None
    except ChatfoldError as error:
        raise typer.BadParameter(str(error), param_hint="'--tokenizer'") from None


def _in_order(ctx: typer.Context, param: typer.CallbackParam, value: int | None) -> int | None:
    """Note an option that asks for a strategy: they come here in the order of the command line."""
    if value is not None:
        ctx.ensure_object(list).append((param.name, value))
    return value


def _version(value: bool) -> None:  # noqa: FBT001 (typer calls it)
    if value:
        typer.echo(f"chatfold {chatfold.__version__}")
        raise typer.Exit


def _strategy(text: str, *, least: int = 1, metavar: str = "N") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        help=text, parser=whole(least), metavar=metavar, callback=_in_order, show_default=False
    )
    return option


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A JSON array of messages, an object with messages, JSON lines of messages or of "
        "conversations; - is stdin.",
    ),
]
TokenizerOption = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        metavar="NAME",
        help="An encoding, an OpenAI model, the path of a tokenizer.json, or 'characters' for an "
        "estimate.",
    ),
]
OverheadOption = Annotated[
    bool,
    typer.Option("--openai-overhead", help="Count what the OpenAI chat API adds around messages."),
]


@app.callback(help="Keeps very long LLM chat histories inside a budget.")
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    del version


@app.command("inspect", help="Show groups, turns and tokens by kind, role and tool.")
def inspect_command(
    file: File,
    *,
    largest: Annotated[
        int, typer.Option(parser=whole(0), metavar="N", help="Show the N largest messages.")
    ] = 5,
    tokenizer: TokenizerOption = "o200k_base",
    openai_overhead: OverheadOption = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, one line a conversation.")
    ] = False,
) -> None:
    """Show what is in a file."""
    counter = _named(tokenizer)
    with ending():
        inspect_file(
            file,
            tokenizer=counter,
            overhead=OPENAI_CHAT_OVERHEAD if openai_overhead else None,
            largest=largest,
            as_json=as_json,
        )


@app.command("compact", short_help="Compact conversations, and write them in the same form.")
def compact_command(
    ctx: typer.Context,
    file: File,
    *,
    max_tokens: Annotated[
        int | None, _strategy("Over N tokens, remove the oldest groups, down to --to.")
    ] = None,
    max_messages: Annotated[
        int | None, _strategy("Over N messages, remove the oldest groups, down to --to.")
    ] = None,
    to: Annotated[
        int | None,
        typer.Option(
            parser=whole(1), metavar="N", help="Where --max-tokens or --max-messages stops."
        ),
    ] = None,
    collapse_tool_results: Annotated[
        int | None,
        _strategy("Replace tool calls but the newest KEEP by a digest.", least=0, metavar="KEEP"),
    ] = None,
    remove_tool_calls: Annotated[
        int | None,
        _strategy("Remove tool calls but the newest KEEP.", least=0, metavar="KEEP"),
    ] = None,
    keep_last_groups: Annotated[int | None, _strategy("Keep the newest N groups.")] = None,
    keep_last_turns: Annotated[int | None, _strategy("Keep the newest N turns.")] = None,
    token_budget: Annotated[
        int | None,
        _strategy(
            "Over N tokens, run the other strategies until N is met, then remove the oldest groups."
        ),
    ] = None,
    context_window: Annotated[
        int | None,
        _strategy("Digests over half of a model's window of N tokens, removals over 80%."),
    ] = None,
    max_output: Annotated[
        int,
        typer.Option(
            parser=whole(0), metavar="N", help="What the answer takes of --context-window."
        ),
    ] = 0,
    digest_style: Annotated[
        Literal["results", "names"],
        typer.Option(
            parser=one_of("results", "names"),
            metavar="results|names",
            help="Whether a digest shows the results, or the names of the tools.",
        ),
    ] = "results",
    digest_chars: Annotated[
        int, typer.Option(parser=whole(64), metavar="N", help="The most characters of a digest.")
    ] = 4096,
    keep_first_user: Annotated[
        bool, typer.Option("--keep-first-user", help="Never remove the first user message.")
    ] = False,
    tokenizer: TokenizerOption = "o200k_base",
    openai_overhead: OverheadOption = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is stdout.")
    ] = "-",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.")
    ] = False,
) -> None:
    """Compact the conversations of a file, and write them in the same form.

    Options that ask for a strategy run as a pipeline, in the order in which they are given.
    """
    del max_tokens, max_messages, collapse_tool_results, remove_tool_calls  # are in ctx.obj
    del keep_last_groups, keep_last_turns, token_budget, context_window
    counter = _named(tokenizer)
    wishes = Wishes(
        order=ctx.ensure_object(list),
        to=to,
        max_output=max_output,
        digest_style=digest_style,
        digest_chars=digest_chars,
        keep_first_user=keep_first_user,
        tokenizer=counter,
    )
    compaction = Compaction(
        strategy=strategy_for(wishes),
        tokenizer=counter,
        overhead=OPENAI_CHAT_OVERHEAD if openai_overhead else None,
        quiet=quiet,
    )
    with ending():
        compaction.run(file, output)

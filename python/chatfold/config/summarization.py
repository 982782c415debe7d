"""The ``summarization`` block as a whole."""

from io import StringIO
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from chatfold.config.blocks import ContextPruning, RetainRecent, TriggerBlock
from chatfold.config.parameters import parameter_problems
from chatfold.config.values import Allowed, Block, Flag, Name, Positive, Share, Text
from chatfold.config.yaml_files import write_yaml

BLOCK = "summarization"


def _sendable(parameters: dict[str, Any]) -> dict[str, Any]:
    problems = parameter_problems(f"{BLOCK}.parameters", parameters)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return parameters


Parameters = Annotated[
    dict[str, Any], AfterValidator(_sendable), Allowed("a mapping of parameters of the model")
]


class SummarizationConfig(Block):
    """How a chat product keeps its conversations inside the context window.

    Attributes:
        enabled: Whether summaries are written.
        provider: Who writes them; None means the agent's own provider.
        model: The model that writes them; None means the agent's own model.
        parameters: What else is passed to the model, such as ``temperature``.
        prompt: What it is told for the first summary; None means the prompt of chatfold.
        update_prompt: What it is told where there is a summary; None means that of chatfold.
        max_summary_tokens: The size of a summary, at least 1; None leaves it to chatfold.
        reserve_ratio: The share of the context window that is left free; from 0 to 1.
        trigger: When a summary is written; None means whenever messages are dropped.
        retain_recent: How much of the end stays word for word.
        context_pruning: How old tool results fade.
    """

    enabled: Flag = True
    provider: Name | None = None
    model: Name | None = None
    parameters: Parameters = Field(default_factory=dict)
    prompt: Text | None = None
    update_prompt: Text | None = None
    max_summary_tokens: Positive | None = None
    reserve_ratio: Share = 0.05
    trigger: TriggerBlock | None = None
    retain_recent: RetainRecent = RetainRecent()
    context_pruning: ContextPruning = ContextPruning()

    def to_dict(self, *, defaults: bool = True) -> dict[str, Any]:
        """Write the block in plain JSON types, with its name: what :func:`load_config` reads.

        Args:
            defaults: Write keys out that have their defaults.
        """
        block = self.model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude_defaults=not defaults
        )
        if self.trigger is not None:
            # The kind is the default of its class, and still has to be said.
            block["trigger"] = self.trigger.model_dump(mode="json")
        return {BLOCK: block}

    def to_yaml(self, *, defaults: bool = True) -> str:
        """Write the block as YAML."""
        stream = StringIO()
        write_yaml(self.to_dict(defaults=defaults), stream)
        return stream.getvalue()

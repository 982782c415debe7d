"""Who writes the summaries of an agent: what the configuration names, else the agent's own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chatfold._options import text
from chatfold.config.problems import ConfigError, ConfigProblem
from chatfold.config.summarization import BLOCK, SummarizationConfig
from chatfold.errors import OptionError
from chatfold.summarization import OpenAISummarizer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["build_summarizer"]


def build_summarizer(
    config: SummarizationConfig,
    clients: "Mapping[str, AsyncOpenAI]",
    *,
    provider: str,
    model: str,
) -> OpenAISummarizer:
    """Make the summarizer that a configuration asks for.

    Args:
        config: The configuration.
        clients: A client for each provider, by the name that configurations give it.
        provider: The agent's own provider, where the configuration names none.
        model: The agent's own model, where the configuration names none. It is not used with
            another provider than the agent's.

    Raises:
        ConfigError: The configuration names a provider without a client, or another provider than
            the agent's and no model.
        OptionError: The agent's own provider has no client.
        OptionTypeError: A name that is no text.
    """
    own = text("provider", provider)
    if own not in clients:
        raise OptionError(f"provider is {own!r}; pass one of clients: {', '.join(clients)}")
    chosen = own if config.provider is None else config.provider
    if chosen not in clients:
        known = " or ".join(clients)
        raise ConfigError([ConfigProblem(f"{BLOCK}.provider", config.provider, known)])
    if config.model is None and chosen != own:
        raise ConfigError([ConfigProblem(f"{BLOCK}.model", None, f"a name of a model of {chosen}")])
    return OpenAISummarizer(
        clients[chosen], model=config.model or text("model", model), parameters=config.parameters
    )

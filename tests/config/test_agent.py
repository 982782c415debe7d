"""Who writes the summaries of an agent."""

from typing import Any

import pytest
from openai import AsyncOpenAI

from chatfold import OptionError
from chatfold.config import ConfigError, build_summarizer, load_config

CLIENTS = {"openAI": AsyncOpenAI(api_key="a"), "groq": AsyncOpenAI(api_key="b")}


def built(**block: Any) -> tuple[Any, str, dict[str, Any]]:  # noqa: ANN401
    config = load_config({"summarization": block})
    made = build_summarizer(config, CLIENTS, provider="openAI", model="gpt-4o")
    return made.client, made.model, made.parameters


def test_provider_and_model_left_out_are_the_agents_own() -> None:
    assert built() == (CLIENTS["openAI"], "gpt-4o", {})


def test_what_the_configuration_names_is_used() -> None:
    made = built(provider="groq", model="llama", parameters={"temperature": 0.2})
    assert made == (CLIENTS["groq"], "llama", {"temperature": 0.2})
    assert built(model="gpt-4o-mini")[:2] == (CLIENTS["openAI"], "gpt-4o-mini")


def test_a_provider_without_a_client_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"provider is 'azure'; write openAI or groq"):
        built(provider="azure", model="m")


def test_the_agents_model_is_not_asked_of_another_provider() -> None:
    with pytest.raises(ConfigError, match=r"model is missing; write a name of a model of groq"):
        built(provider="groq")


def test_an_agent_whose_own_provider_has_no_client_is_refused() -> None:
    with pytest.raises(OptionError, match="provider is 'azure'; pass one of clients: openAI, groq"):
        build_summarizer(load_config({}), CLIENTS, provider="azure", model="gpt-4o")

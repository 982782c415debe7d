"""Tokenizers of the Hugging Face libraries count text as plain text."""

import os
import pickle
from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from chatfold import MessageIndex, OptionError, TokenizerMismatchError, TruncationStrategy
from chatfold.tokenizers import HuggingFaceTokenizer, resolve
from talk import talk

TEXTS = ["", "hello there", "<s> hello </s>", "naïve 東京 🌲", "\ud800 alone", "a\n\n b\t" * 40]


@pytest.fixture
def trained() -> Tokenizer:
    """Train a byte-level tokenizer that adds special tokens, pads and truncates."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["hello there, how many words", "s </s> < >"] * 9, trainer)
    tokenizer.add_special_tokens([AddedToken("<s>", special=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.enable_truncation(max_length=8)
    tokenizer.enable_padding(length=64)
    return tokenizer


@pytest.fixture
def saved(trained: Tokenizer, tmp_path: Path) -> Path:
    """Save it."""
    path = tmp_path / "tokenizer.json"
    trained.save(str(path))
    return path


def plain_count(tokenizer: Tokenizer, text: str) -> int:
    """Count without a special token, padding or truncation, the slow way."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    pieces = tokenizer.pre_tokenizer.pre_tokenize_str(text)
    return sum(len(tokenizer.model.tokenize(piece)) for piece, _ in pieces)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_counted_as_plain_text(trained: Tokenizer, saved: Path, text: str) -> None:
    before = trained.to_str()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=trained)  # type: ignore[no-untyped-call]
    wanted = plain_count(trained, text)
    for given in (trained, saved, str(saved), wrapped):
        index = MessageIndex([{"role": "user", "content": text}], tokenizer=given)
        assert index.total_token_count == wanted
    assert trained.to_str() == before


def test_a_path_means_one_tokenizer_as_long_as_the_file_is_the_same(
    trained: Tokenizer, saved: Path
) -> None:
    first = resolve(str(saved))
    assert first is resolve(str(saved))
    assert repr(first) == f"HuggingFaceTokenizer({str(saved)!r})"
    trained.no_padding()
    trained.save(str(saved))
    assert resolve(str(saved)) is not first


def test_an_index_and_its_strategy_may_be_given_the_same_path(saved: Path) -> None:
    index = MessageIndex(talk(50), tokenizer=str(saved))
    strategy = TruncationStrategy(max_n=300, tokenizer=str(saved))
    assert index.compact(strategy).changed
    assert index.included_token_count <= 300
    loaded = MessageIndex.from_state(index.to_state(), index.messages, tokenizer=saved)
    assert loaded.included_token_count == index.included_token_count


def test_the_error_of_two_tokenizers_says_that_it_must_be_the_same_object(
    trained: Tokenizer, saved: Path
) -> None:
    index = MessageIndex(talk(5), tokenizer=trained)
    with pytest.raises(TokenizerMismatchError) as caught:
        index.compact(TruncationStrategy(max_n=3, tokenizer=saved))
    assert str(saved) in str(caught.value)
    assert "the same object" in str(caught.value)


def test_one_that_was_read_from_a_file_is_pickled_with_its_path(saved: Path) -> None:
    copy = pickle.loads(pickle.dumps(resolve(saved)))  # noqa: S301 (our own)
    assert isinstance(copy, HuggingFaceTokenizer)
    assert (copy.path, copy.count_tokens("hello")) == (os.fspath(saved), 1)


@pytest.mark.parametrize("text", ["", "{}", "not json"])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=r"that is no tokenizer\.json"):
        resolve(path)
    with pytest.raises(OptionError, match="there is no such file"):
        resolve(tmp_path / "missing.json")

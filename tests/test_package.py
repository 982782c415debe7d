"""What the installed package is, before anything is done with it."""

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chatfold
from chatfold import MissingExtraError, _core, tokenizers

# Modules that an extra brings, an integration adapts, or that only tests need.
OPTIONAL = (
    "agent_framework",
    "hypothesis",
    "langchain_core",
    "numpy",
    "openai",
    "opentelemetry",
    "pydantic",
    "rich",
    "ruamel",
    "tiktoken",
    "tokenizers",
    "transformers",
    "typer",
)


def in_a_new_interpreter(code: str) -> str:
    done = subprocess.run(  # noqa: S603 (our own interpreter and code)
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_it_imports_no_optional_package() -> None:
    code = "import sys, chatfold; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    assert not set(in_a_new_interpreter(code).split()) & set(OPTIONAL)


def test_importing_it_reads_no_event_loop_and_no_network() -> None:
    code = "import sys, chatfold; print(*sorted(sys.modules))"
    loaded = in_a_new_interpreter(code).split()
    assert not {"asyncio", "socket", "ssl", "urllib.request", "http.client"} & set(loaded)


def test_nothing_is_required() -> None:
    requirements = importlib.metadata.requires("chatfold") or []
    assert [each for each in requirements if "extra ==" not in each] == []


def test_every_version_is_the_same() -> None:
    version = importlib.metadata.version("chatfold")
    assert chatfold.__version__ == _core.VERSION == version
    manifest = Path(__file__).parents[1] / "Cargo.toml"
    assert f'\nversion = "{version}"\n' in manifest.read_text(encoding="utf-8")


def test_type_information_is_installed() -> None:
    package = importlib.resources.files("chatfold")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("_core.pyi").is_file()


def test_the_licence_is_installed() -> None:
    metadata = importlib.metadata.metadata("chatfold")
    assert metadata["License-Expression"] == "MIT"
    files = importlib.metadata.files("chatfold") or []
    assert any(file.name == "LICENSE" for file in files)


def test_every_public_name_exists_once_and_in_order() -> None:
    assert sorted(chatfold.__all__) == list(dict.fromkeys(sorted(chatfold.__all__)))
    assert [name for name in chatfold.__all__ if not hasattr(chatfold, name)] == []


def test_every_public_class_says_that_it_is_of_this_package() -> None:
    classes = [value for value in vars(chatfold).values() if isinstance(value, type)]
    assert {each.__module__.partition(".")[0] for each in classes} == {"chatfold"}


@pytest.mark.parametrize(
    "extra", ["cli", "openai", "otel", "tiktoken", "tokenizers", "transformers"]
)
def test_every_extra_is_declared(extra: str) -> None:
    assert extra in (importlib.metadata.metadata("chatfold").get_all("Provides-Extra") or [])


def test_a_missing_extra_names_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'chatfold[tokenizers]'")):
        tokenizers.resolve(tmp_path / "tokenizer.json")


HIDDEN = f"import sys\nfor name in {OPTIONAL}: sys.modules[name] = None\n"


def test_without_any_extra_a_star_import_and_help_work() -> None:
    code = (
        "from chatfold import *\nimport chatfold, pydoc\nprint(pydoc.plaintext.document(chatfold))"
    )
    assert "class MessageIndex" in in_a_new_interpreter(HIDDEN + code)


@pytest.mark.parametrize("name", ["ContextWindow"])
def test_a_name_that_needs_an_extra_is_listed_where_it_can_be_loaded(name: str) -> None:
    assert name in dir(chatfold)
    assert getattr(chatfold, name).__name__ == name
    listed = in_a_new_interpreter(f"{HIDDEN}import chatfold; print({name!r} in dir(chatfold))")
    assert listed == "False\n"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("from chatfold import ContextWindow", "ContextWindow"),
        ("import chatfold.window", "ContextWindow"),
        ("import chatfold.config", "chatfold.config"),
        ("import chatfold.integrations.openai", "chatfold.integrations.openai"),
        ("import chatfold.integrations.agent_framework", "chatfold.integrations.agent_framework"),
    ],
)
def test_a_missing_extra_names_what_was_asked_for(asked: str, named: str) -> None:
    code = f"{HIDDEN}try: {asked}\nexcept ImportError as error: print(error)"
    assert in_a_new_interpreter(code).startswith(f"{named} needs another package: pip install ")


def test_a_missing_extra_is_an_import_error_too() -> None:
    assert issubclass(MissingExtraError, ImportError)
    assert issubclass(MissingExtraError, chatfold.ChatfoldError)

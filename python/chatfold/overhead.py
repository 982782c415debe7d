"""What counts beside text."""

from chatfold._options import small

_FIELDS = ("per_message", "per_history", "image", "audio", "file", "other")


class Overhead:
    """What counts beside text, in tokens; two with the same numbers are equal.

    Args:
        per_message: For each message: role, separators. The OpenAI chat API takes about 3.
        per_history: For the whole history, unless it is empty: the OpenAI chat API takes about 3 to
            open the answer.
        image: For an image part, whatever its size. The default is what a detailed image costs on
            current models, since a budget is better met than missed.
        audio: For an audio part.
        file: For a file part.
        other: For a part of unknown type without text.

    Raises:
        OptionError: A negative number; names the option.
        OptionTypeError: No whole number; names the option.
    """

    __slots__ = _FIELDS

    def __init__(
        self,
        *,
        per_message: int = 0,
        per_history: int = 0,
        image: int = 1_300,
        audio: int = 1_000,
        file: int = 2_000,
        other: int = 16,
    ) -> None:
        """Check the numbers."""
        self.per_message = small("per_message", per_message, at_least=0)
        self.per_history = small("per_history", per_history, at_least=0)
        self.image = small("image", image, at_least=0)
        self.audio = small("audio", audio, at_least=0)
        self.file = small("file", file, at_least=0)
        self.other = small("other", other, at_least=0)

    def to_dict(self) -> dict[str, int]:
        """Give the numbers by name."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __eq__(self, other: object) -> bool:
        """Compare the numbers."""
        return isinstance(other, Overhead) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        """Hash the numbers."""
        return hash(tuple(self.to_dict().values()))

    def __repr__(self) -> str:
        """Show the numbers."""
        numbers = ", ".join(f"{name}={value}" for name, value in self.to_dict().items())
        return f"Overhead({numbers})"


OPENAI_CHAT_OVERHEAD = Overhead(per_message=3, per_history=3)
"""What the OpenAI chat API adds around messages, as its published counting recipe has it."""

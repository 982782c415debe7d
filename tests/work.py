"""What the product did since a moment, and tokenizers that make it do more."""

from chatfold import WorkDone, work_done


class Work:
    """The work done since this was made."""

    def __init__(self) -> None:
        self.start = work_done()

    @property
    def done(self) -> WorkDone:
        pairs = zip(work_done(), self.start, strict=True)
        return WorkDone(*(now - before for now, before in pairs))


def uneven(text: str) -> int:
    """Count in a way that no bound on tokens a byte foretells."""
    return sum(map(ord, text)) % 37

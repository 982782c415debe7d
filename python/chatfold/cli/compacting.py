"""``chatfold compact``: reads, compacts and writes conversations."""

from collections.abc import Callable
from dataclasses import dataclass

from chatfold import CompactionReport, MessageError, MessageIndex, Overhead, Strategy
from chatfold.cli.documents import Conversation, Form
from chatfold.cli.progress import progress
from chatfold.cli.reading import opened
from chatfold.cli.writing import Writer, whole_output
from chatfold.tokenizers import Tokenizer


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """How conversations are compacted."""

    strategy: Strategy
    tokenizer: Tokenizer
    overhead: Overhead | None
    quiet: bool

    def run(self, source: str, output: str) -> None:
        """Compact all conversations of a file."""
        with opened(source) as read, whole_output(output) as stream:
            writer = Writer(read, stream)
            many = read.form is Form.CONVERSATION_LINES
            with progress(read, shown=many and not self.quiet) as advance:
                for conversation in read.conversations:
                    self._one(conversation, writer, advance)

    def _one(
        self, conversation: Conversation, writer: Writer, advance: Callable[[str | None], None]
    ) -> None:
        try:
            index = MessageIndex(
                conversation.messages, tokenizer=self.tokenizer, overhead=self.overhead
            )
            report = index.compact(self.strategy)
        except MessageError as error:
            raise conversation.unreadable(error) from None
        writer.write(conversation, index.included_messages())
        advance(None if self.quiet else f"{conversation.where}{_exact(report)}")


def _exact(report: CompactionReport) -> str:
    """A report shows the tokens that are known, so have them counted."""
    _ = report.before.tokens, report.after.tokens
    return str(report)

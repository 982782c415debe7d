//! Digests: the text that takes the place of a tool-call group.

use crate::error::Result;
use crate::host::{Callback, Host, ToolExchange, ToolResult};
use crate::index::MessageIndex;

/// Which text a digest is.
#[derive(Clone, Debug)]
pub enum DigestStyle {
    /// `[Tool results: get_weather: sunny; search_docs: none]`.
    Results,
    /// `[Tool calls: get_weather, search_docs]`.
    Names,
    /// The caller's own formatter writes it.
    Custom(Callback),
}

/// How a digest is written.
#[derive(Clone, Debug)]
pub struct Digest {
    /// Which text it is.
    pub style: DigestStyle,
    /// The most code points that it may have; the caller's own text is not cut.
    pub max_chars: usize,
}

const CUT: &str = "... [truncated]";
/// Longer than any text, and four times as many bytes can still be named.
const NO_LIMIT: usize = usize::MAX / 8;

impl Digest {
    pub(super) fn of(
        &self,
        slot: u32,
        index: &MessageIndex,
        host: &mut dyn Host,
    ) -> Result<String> {
        let limit = match self.style {
            DigestStyle::Custom(_) => None,
            // One more shows that something had to be cut.
            DigestStyle::Results | DigestStyle::Names => Some(self.max_chars.min(NO_LIMIT) + 1),
        };
        let exchange = exchange(&index.slot_messages(slot), limit, index, host)?;
        Ok(match &self.style {
            DigestStyle::Results => self.results(&exchange.results),
            DigestStyle::Names if exchange.names.is_empty() => {
                self.closed("[Tool calls: no calls".to_owned(), CALLS.len())
            }
            DigestStyle::Names => {
                self.closed(format!("{CALLS}{}", exchange.names.join(", ")), CALLS.len())
            }
            DigestStyle::Custom(formatter) => host.format_digest(*formatter, &exchange)?,
        })
    }

    fn results(&self, results: &[ToolResult]) -> String {
        let mut text = RESULTS.to_owned();
        if results.is_empty() {
            text.push_str("no results");
        }
        for (number, result) in results.iter().enumerate() {
            // A code point has at most four bytes: what comes now is cut away anyway.
            if text.len() > self.max_chars.saturating_mul(4) {
                break;
            }
            if number > 0 {
                text.push_str("; ");
            }
            push_label(&mut text, result);
        }
        self.closed(text, RESULTS.len())
    }

    /// Puts the bracket behind the text, and cuts it where it is too long.
    fn closed(&self, mut text: String, opening: usize) -> String {
        // Most texts have fewer bytes than code points are allowed.
        if text.len() < self.max_chars || text.chars().count() < self.max_chars {
            text.push(']');
            return text;
        }
        let room = self.max_chars.saturating_sub(opening + CUT.len() + 1);
        if let Some((end, _)) = text[opening..].char_indices().nth(room) {
            text.truncate(opening + end);
        }
        let kept = text[opening..].trim_end_matches(is_space).len();
        text.truncate(opening + kept);
        text.push_str(CUT);
        text.push(']');
        text
    }
}

/// Calls and results of a group, with those texts that results hold now.
fn exchange(
    messages: &[u32],
    limit: Option<usize>,
    index: &MessageIndex,
    host: &mut dyn Host,
) -> Result<ToolExchange> {
    let mut exchange = host.tool_exchange(messages, limit)?;
    for result in &mut exchange.results {
        let Some(message) = result.message else { continue };
        if let Some(text) = index.shortened_text(message, host)? {
            result.text = text;
        }
    }
    Ok(exchange)
}

const RESULTS: &str = "[Tool results: ";
const CALLS: &str = "[Tool calls: ";

/// Adds `name: result`, or the result alone, without white space around it.
fn push_label(text: &mut String, result: &ToolResult) {
    let start = text.len();
    if result.name.is_empty() {
        text.push_str(result.text.trim_start_matches(is_space));
    } else {
        text.push_str(result.name.trim_start_matches(is_space));
        text.push_str(": ");
        text.push_str(&result.text);
    }
    let kept = text[start..].trim_end_matches(is_space).len();
    text.truncate(start + kept);
}

/// White space as Python's `str.strip` has it: the information separators count.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\x1c'..='\x1f').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::{Digest, DigestStyle};
    use crate::host::ToolResult;

    #[test]
    fn a_long_label_is_cut_at_a_code_point_and_marked() {
        let digest = Digest { style: DigestStyle::Results, max_chars: 40 };
        let result = ToolResult { text: "é".repeat(50), ..ToolResult::default() };
        let text = digest.results(&[result]);
        assert_eq!(text, format!("[Tool results: {}... [truncated]]", "é".repeat(9)));
        assert_eq!(text.chars().count(), 40);
    }
}

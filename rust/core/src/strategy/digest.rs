//! Digests: the text that takes the place of a tool-call group.

use crate::error::Result;
use crate::host::{Callback, Host, ToolExchange, ToolResult};

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

impl Digest {
    pub(super) fn of(&self, messages: &[u32], host: &mut dyn Host) -> Result<String> {
        let limit = match self.style {
            DigestStyle::Custom(_) => None,
            // One more shows that something had to be cut.
            DigestStyle::Results | DigestStyle::Names => Some(self.max_chars + 1),
        };
        let exchange = host.tool_exchange(messages, limit)?;
        Ok(match &self.style {
            DigestStyle::Results => {
                self.fitted("[Tool results: ", &labels(&exchange, self.max_chars + 1))
            }
            DigestStyle::Names if exchange.names.is_empty() => {
                self.fitted("[Tool calls: ", "no calls")
            }
            DigestStyle::Names => self.fitted("[Tool calls: ", &exchange.names.join(", ")),
            DigestStyle::Custom(formatter) => host.format_digest(*formatter, &exchange)?,
        })
    }

    /// The label between the opening and the bracket, cut where the whole would be too long.
    fn fitted(&self, opening: &str, label: &str) -> String {
        let frame = opening.len() + 1;
        if label.chars().count() + frame <= self.max_chars {
            return format!("{opening}{label}]");
        }
        let room = self.max_chars.saturating_sub(frame + CUT.len());
        let end = label.char_indices().nth(room).map_or(label.len(), |(end, _)| end);
        format!("{opening}{}{CUT}]", label[..end].trim_end_matches(is_space))
    }
}

/// The results with their tools, up to about `enough` code points.
fn labels(exchange: &ToolExchange, enough: usize) -> String {
    if exchange.results.is_empty() {
        return "no results".to_owned();
    }
    let mut text = String::new();
    for (number, result) in exchange.results.iter().enumerate() {
        if text.len() > enough * 4 {
            break;
        }
        if number > 0 {
            text.push_str("; ");
        }
        text.push_str(label(result).trim_matches(is_space));
    }
    text
}

fn label(result: &ToolResult) -> String {
    if result.name.is_empty() {
        result.text.clone()
    } else {
        format!("{}: {}", result.name, result.text)
    }
}

/// White space as Python's `str.strip` has it: the information separators count.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\x1c'..='\x1f').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::{Digest, DigestStyle};

    #[test]
    fn a_long_label_is_cut_at_a_code_point_and_marked() {
        let digest = Digest { style: DigestStyle::Results, max_chars: 40 };
        let text = digest.fitted("[Tool results: ", &"é".repeat(50));
        assert_eq!(text, format!("[Tool results: {}... [truncated]]", "é".repeat(9)));
        assert_eq!(text.chars().count(), 40);
    }
}

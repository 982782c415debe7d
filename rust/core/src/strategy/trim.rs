//! Cutting the middle out of a text.
//!
//! What is left is the start and the end of the text with a line between them that says how much of
//! how much was kept. Cuts are at code points, and at a line end where one is near. The whole is
//! never longer than the limit, so that a second run finds nothing to cut.

use crate::error::Result;
use crate::host::Host;

/// What the limits of a text are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextUnit {
    /// Unicode code points.
    #[default]
    Characters,
    /// Tokens of the index's tokenizer.
    Tokens,
}

/// How a text that is too long is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trim {
    /// Texts of up to this size stay, and no trimmed text is longer. Where not even the marker fits,
    /// all texts stay. 0 stands for as much as head, tail and any marker are together.
    pub max: usize,
    /// How much of the start stays.
    pub head: usize,
    /// How much of the end stays; 0 for nothing.
    pub tail: usize,
}

/// As long as any marker is, and a little longer.
const MARKER_ROOM: usize = 64;

/// A cut goes back to a line end within this share of what is kept.
const NEAR: usize = 5;

impl Trim {
    /// A limit of which the start gets seven tenths and the end the rest.
    pub(super) fn to(max: usize) -> Self {
        let tail = max / 10 * 3;
        Self { max, head: max - tail, tail }
    }

    /// What is longer than this is trimmed to this.
    pub(super) fn limit(&self) -> usize {
        match self.max {
            0 => self.head.saturating_add(self.tail).saturating_add(MARKER_ROOM),
            max => max,
        }
    }

    /// The trimmed text; `None` for one that is short enough.
    pub(super) fn apply(
        &self,
        text: &str,
        unit: TextUnit,
        host: &mut dyn Host,
    ) -> Result<Option<String>> {
        match unit {
            TextUnit::Characters => Ok(self.by_characters(text)),
            TextUnit::Tokens => self.by_tokens(text, host),
        }
    }

    /// The same, counted in code points.
    pub(super) fn by_characters(&self, text: &str) -> Option<String> {
        let limit = self.limit();
        // So many bytes are at most so many code points.
        if text.len() <= limit {
            return None;
        }
        let size = text.chars().count();
        if size <= limit {
            return None;
        }
        let room = limit.checked_sub(marker(size, size, "characters").len())?;
        let (head, tail) = self.shares(room);
        let start = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
        let end = match tail {
            0 => text.len(),
            tail => text.char_indices().rev().nth(tail - 1).map_or(0, |(at, _)| at),
        };
        let (start, end) = at_lines(text, start, end.max(start));
        let kept = text[..start].chars().count() + text[end..].chars().count();
        Some(joined(text, start, end, &marker(kept, size, "characters")))
    }

    fn by_tokens(&self, text: &str, host: &mut dyn Host) -> Result<Option<String>> {
        let limit = self.limit();
        let size = host.count_text(text)? as usize;
        if size <= limit {
            return Ok(None);
        }
        let own = host.count_text(&marker(size, size, "tokens"))? as usize;
        let Some(room) = limit.checked_sub(own) else { return Ok(None) };
        let (mut head, mut tail) = self.shares(room);
        loop {
            let start = Side::Start.longest(text, head, host)?;
            let end = text.len() - Side::End.longest(&text[start..], tail, host)?;
            let (start, end) = at_lines(text, start, end);
            let mut kept = 0;
            for part in [&text[..start], &text[end..]] {
                kept += if part.is_empty() { 0 } else { host.count_text(part)? as usize };
            }
            let short = joined(text, start, end, &marker(kept, size, "tokens"));
            // Where parts meet, tokens may split: then a little less is kept.
            if host.count_text(&short)? as usize <= limit {
                return Ok(Some(short));
            }
            if head == 0 && tail == 0 {
                return Ok(None);
            }
            (head, tail) = (head * 9 / 10, tail * 9 / 10);
        }
    }

    /// Head and tail as they fit, in proportion.
    fn shares(&self, room: usize) -> (usize, usize) {
        let wanted = self.head.saturating_add(self.tail);
        if wanted <= room {
            return (self.head, self.tail);
        }
        let head = room as u128 * self.head as u128 / wanted as u128;
        let head = usize::try_from(head).unwrap_or(room);
        let tail = if self.tail == 0 { 0 } else { room - head };
        (head, tail)
    }
}

/// States what was kept of what there was. A line of its own, and ASCII: it has as many bytes as
/// characters, so that fewer characters are fewer bytes.
fn marker(kept: usize, of: usize, unit: &str) -> String {
    format!("\n[... kept {kept} of {of} {unit} ...]\n")
}

fn joined(text: &str, start: usize, end: usize, marker: &str) -> String {
    let mut short = String::with_capacity(start + marker.len() + text.len() - end);
    short.push_str(&text[..start]);
    // The marker brings its own line ends.
    short.push_str(if text[..start].ends_with('\n') || start == 0 { &marker[1..] } else { marker });
    if end == text.len() {
        short.pop();
    }
    short.push_str(&text[end..]);
    short
}

/// Moves the cuts to line ends, where that costs little of what is kept.
fn at_lines(text: &str, start: usize, end: usize) -> (usize, usize) {
    let near = start - start / NEAR;
    let start = match text.as_bytes()[..start].iter().rposition(|&byte| byte == b'\n') {
        Some(line_end) if line_end + 1 >= near => line_end + 1,
        _ => start,
    };
    let near = end + (text.len() - end) / NEAR;
    let end = match text.as_bytes()[end..near].iter().position(|&byte| byte == b'\n') {
        Some(line_end) => end + line_end + 1,
        None => end,
    };
    (start, end)
}

/// From which side a text is kept.
#[derive(Clone, Copy)]
enum Side {
    Start,
    End,
}

impl Side {
    /// At most so many bytes of a text, cut at a code point.
    fn of(self, text: &str, bytes: usize) -> &str {
        let mut bytes = bytes.min(text.len());
        loop {
            let at = match self {
                Self::Start => bytes,
                Self::End => text.len() - bytes,
            };
            if text.is_char_boundary(at) {
                return match self {
                    Self::Start => &text[..at],
                    Self::End => &text[at..],
                };
            }
            bytes -= 1;
        }
    }

    /// About the longest part of a text that has at most so many tokens, found by halving.
    fn longest(self, text: &str, tokens: usize, host: &mut dyn Host) -> Result<usize> {
        if tokens == 0 {
            return Ok(0);
        }
        let (mut fits, mut low, mut high) = (0, 0, text.len());
        // Four bytes a token is what English takes: look around there first.
        let mut probe = tokens.saturating_mul(4);
        while low < high {
            let part = self.of(text, probe.clamp(low + 1, high));
            if host.count_text(part)? as usize <= tokens {
                (fits, low) = (fits.max(part.len()), probe.clamp(low + 1, high));
                probe = (low * 2).min(low + (high - low).div_ceil(2));
            } else {
                high = probe.clamp(low + 1, high) - 1;
                probe = low + (high - low).div_ceil(2);
            }
        }
        Ok(fits)
    }
}

//! An estimate for when no tokenizer is at hand.

/// Counts characters instead of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimator {
    /// How many code points make a token; at least 1.
    pub chars_per_token: u32,
    /// Whether CJK characters and emoji are a token each.
    pub cjk_aware: bool,
}

impl Default for Estimator {
    fn default() -> Self {
        Self { chars_per_token: 4, cjk_aware: false }
    }
}

impl Estimator {
    /// The estimate for a text of so many code points, none of them a token by itself.
    ///
    /// At least 1 unless the text is empty. Rounds up: a budget is better met than missed.
    pub fn of_chars(self, chars: usize) -> usize {
        chars.div_ceil(self.chars_per_token.max(1) as usize)
    }

    /// The estimate for a text; linear in its length.
    pub fn count(self, text: &str) -> usize {
        if !self.cjk_aware {
            return self.of_chars(text.chars().count());
        }
        let (mut narrow, mut wide) = (0, 0);
        for char in text.chars() {
            if is_wide(char) {
                wide += 1;
            } else {
                narrow += 1;
            }
        }
        self.of_chars(narrow) + wide
    }
}

/// Scripts written without spaces, of which tokenizers make about a token a character, and emoji.
fn is_wide(char: char) -> bool {
    matches!(u32::from(char),
        0x1100..=0x11FF       // Hangul Jamo
        | 0x2600..=0x27BF     // symbols, dingbats
        | 0x2E80..=0x9FFF     // CJK radicals, kana, CJK ideographs
        | 0xA960..=0xA97F     // Hangul Jamo extended
        | 0xAC00..=0xD7FF     // Hangul syllables
        | 0xF900..=0xFAFF     // CJK compatibility ideographs
        | 0xFE30..=0xFE4F     // CJK compatibility forms
        | 0xFF00..=0xFFEF     // full-width forms
        | 0x1F000..=0x1FAFF   // emoji
        | 0x20000..=0x3FFFF   // CJK extensions
    )
}

#[cfg(test)]
mod tests {
    use super::Estimator;

    #[test]
    fn a_short_text_is_one_token_and_an_empty_one_none() {
        assert_eq!(Estimator::default().count(""), 0);
        assert_eq!(Estimator::default().count("a"), 1);
        assert_eq!(Estimator::default().count("abcde"), 2);
    }

    #[test]
    fn cjk_and_emoji_are_a_token_each_on_request() {
        let aware = Estimator { cjk_aware: true, ..Estimator::default() };
        assert_eq!(aware.count("天地玄黄abcd"), 5);
        assert_eq!(aware.count("🌲🌲"), 2);
        assert_eq!(Estimator::default().count("天地玄黄"), 1);
    }
}

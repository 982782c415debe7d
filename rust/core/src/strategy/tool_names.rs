//! Tools by name: which of them a strategy works on.

/// A pattern for names of tools: `*` stands for any characters, `?` for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolPattern(Vec<char>);

impl ToolPattern {
    /// A pattern from its text.
    pub fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    /// Whether a name fits. Takes at most as many steps as pattern times name are long.
    pub fn fits(&self, name: &str) -> bool {
        let (pattern, name) = (&self.0, name.chars().collect::<Vec<_>>());
        let (mut at, mut on) = (0, 0);
        // The last star, and how far its characters go.
        let mut star = None;
        while on < name.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at, on));
                    at += 1;
                }
                Some(&wanted) if wanted == '?' || wanted == name[on] => {
                    at += 1;
                    on += 1;
                }
                _ => {
                    let Some((last, from)) = star else { return false };
                    star = Some((last, from + 1));
                    (at, on) = (last + 1, from + 1);
                }
            }
        }
        pattern[at..].iter().all(|&rest| rest == '*')
    }
}

/// Which tools a strategy works on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tools {
    /// Only these; all where the list is empty.
    pub allow: Vec<ToolPattern>,
    /// None of these, whatever is allowed.
    pub deny: Vec<ToolPattern>,
}

impl Tools {
    /// Whether the names of tools matter at all.
    pub(super) fn choose(&self) -> bool {
        !self.allow.is_empty() || !self.deny.is_empty()
    }

    pub(super) fn allow(&self, name: &str) -> bool {
        (self.allow.is_empty() || self.allow.iter().any(|pattern| pattern.fits(name)))
            && !self.deny.iter().any(|pattern| pattern.fits(name))
    }
}

#[cfg(test)]
mod tests {
    use super::ToolPattern;

    #[test]
    fn a_pattern_fits_whole_names() {
        for (pattern, name, fits) in [
            ("read_file", "read_file", true),
            ("read_file", "read_files", false),
            ("read_*", "read_", true),
            ("*_file", "read_a_file", true),
            ("*a*b*", "xaxxbx", true),
            ("*a*b*", "xbxxax", false),
            ("r??d", "read", true),
            ("r??d", "red", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("é?", "éü", true),
        ] {
            assert_eq!(ToolPattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
    }
}

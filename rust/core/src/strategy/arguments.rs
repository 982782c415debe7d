//! Shortening the arguments of a tool call: JSON stays JSON, and only long string values change.
//!
//! All else is kept as it was written: keys, numbers, short strings, and the space between them.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::trim::Trim;

/// A limit for one string that any marker fits into.
pub(super) const SHORTEST: usize = 64;

/// A string value that may be too long.
struct Value {
    /// Where its literal stands, quotes included.
    at: Range<usize>,
    text: String,
}

/// Arguments of at most so many code points, or as few as trimmed strings allow; `None` for those
/// that are short enough, and for what is no JSON.
///
/// The longest strings give way first: all share the largest limit with which the whole fits.
pub(super) fn shortened(json: &str, most: usize) -> Option<String> {
    // So many bytes are at most so many code points.
    if json.len() <= most || json.chars().count() <= most {
        return None;
    }
    serde_json::from_str::<IgnoredAny>(json).ok()?;
    let values = long_values(json);
    let mut best = with_limit(json, &values, SHORTEST);
    if best.chars().count() <= most {
        let (mut fits, mut too_much) = (SHORTEST, most);
        while too_much > fits + 1 {
            let limit = fits + (too_much - fits) / 2;
            let text = with_limit(json, &values, limit);
            if text.chars().count() <= most {
                (fits, best) = (limit, text);
            } else {
                too_much = limit;
            }
        }
    }
    (best.len() < json.len()).then_some(best)
}

/// The string values of valid JSON that a limit could shorten, in order.
fn long_values(json: &str) -> Vec<Value> {
    let (bytes, mut values, mut at) = (json.as_bytes(), Vec::new(), 0);
    while let Some(start) = bytes[at..].iter().position(|&byte| byte == b'"') {
        let start = at + start;
        let mut end = start + 1;
        while bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        at = end + 1;
        let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
        if next == Some(&b':') || at - start <= SHORTEST {
            continue;
        }
        // Half a surrogate pair is valid JSON, but no text.
        if let Ok(text) = serde_json::from_str(&json[start..at]) {
            values.push(Value { at: start..at, text });
        }
    }
    values
}

/// The same JSON, with every string value trimmed to at most so many code points.
fn with_limit(json: &str, values: &[Value], limit: usize) -> String {
    let trim = Trim::to(limit);
    let (mut short, mut done) = (String::new(), 0);
    for value in values {
        let literal = trim
            .by_characters(&value.text)
            .and_then(|text| serde_json::to_string(&text).ok())
            .filter(|literal| literal.len() < value.at.len());
        if let Some(literal) = literal {
            short.push_str(&json[done..value.at.start]);
            short.push_str(&literal);
            done = value.at.end;
        }
    }
    short.push_str(&json[done..]);
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{SHORTEST, shortened};

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,90}".prop_map(Value::from),
            ("[a\"\\\\\n\u{1}é🎈]{1,9}", 1..60usize)
                .prop_map(|(text, times)| text.repeat(times).into()),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z:\"]{0,80}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// The value with nothing in its strings.
    fn shape(value: &Value) -> Value {
        match value {
            Value::String(_) => Value::from(""),
            Value::Array(all) => all.iter().map(shape).collect(),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(key, own)| (key.clone(), shape(own))).collect())
            }
            other => other.clone(),
        }
    }

    fn longest(value: &Value) -> usize {
        match value {
            Value::String(text) => text.chars().count(),
            Value::Array(all) => all.iter().map(longest).max().unwrap_or(0),
            Value::Object(map) => map.values().map(longest).max().unwrap_or(0),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn promise_6_and_7_shorter_arguments_are_json_of_the_same_shape(
            value in values(),
            most in SHORTEST..400,
            pretty in any::<bool>(),
        ) {
            let json = if pretty { format!("{value:#}") } else { value.to_string() };
            let Some(short) = shortened(&json, most) else {
                // Nothing to gain: it fits, or a marker is longer than what it stands for.
                prop_assert!(json.chars().count() <= most || longest(&value) <= 2 * SHORTEST);
                return Ok(());
            };
            prop_assert!(short.len() < json.len());
            let after: Value = serde_json::from_str(&short).unwrap();
            prop_assert_eq!(shape(&after), shape(&value));
            prop_assert!(short.chars().count() <= most || longest(&after) <= 2 * SHORTEST);
            prop_assert_eq!(shortened(&short, most), None);
        }

        #[test]
        fn what_is_no_json_stays(value in values(), most in 0..100usize) {
            let broken = format!("{value}}}");
            prop_assert_eq!(shortened(&broken, most), None);
        }
    }

    #[test]
    fn all_but_long_values_stays_as_it_was_written() {
        let json =
            format!(r#"{{ "a" : 1.50e2,"{}":[ "b\/" ,"{}"]}}"#, "k".repeat(99), "\\n".repeat(200));
        let short = shortened(&json, 220).unwrap();
        let start = format!(r#"{{ "a" : 1.50e2,"{}":[ "b\/" ,"\n"#, "k".repeat(99));
        assert!(short.starts_with(&start), "{short}");
        assert!(short.ends_with("\"]}") && short.chars().count() <= 220, "{short}");
    }
}

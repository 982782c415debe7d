//! Hashes of all that an index reads of messages.

use chatfold_core::{CallKey, Facts};
use pyo3::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::read::visit_texts;
use crate::text::with_text;

/// The 128-bit hash of one message.
pub(crate) fn fingerprint_of(
    message: &Bound<'_, PyAny>,
    position: usize,
    facts: &Facts,
) -> PyResult<u128> {
    let mut hash = Xxh3::new();
    add(&mut hash, message, position, facts)?;
    Ok(hash.digest128())
}

/// Adds a message to a hash of several.
pub(crate) fn add(
    hash: &mut Xxh3,
    message: &Bound<'_, PyAny>,
    position: usize,
    facts: &Facts,
) -> PyResult<()> {
    hash.update(facts.role.name().as_bytes());
    hash.update(&facts.fixed_tokens.to_le_bytes());
    for key in facts.calls.iter().chain([&facts.answers]) {
        hash.update(&key.map_or(0, CallKey::bits).to_le_bytes());
    }
    for key in &facts.more_answers {
        hash.update(&key.bits().to_le_bytes());
    }
    visit_texts(message, position, &mut |text| {
        with_text(&text, |text| {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        })
    })
}

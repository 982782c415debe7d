//! What the core promises, each promise under its number in the design, and the rules behind them.
//!
//! Random histories of every shape run against slow, obvious twins. Nothing here measures time:
//! where a promise is about cost, the fake host counts the work.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![expect(
    clippy::default_trait_access,
    clippy::redundant_closure_for_method_calls,
    clippy::single_match_else,
    clippy::struct_excessive_bools,
    reason = "plain test code says what it does in its own way"
)]

mod common;

mod digests;
mod failure;
mod figures;
mod grouping;
mod horizon;
mod laziness;
mod life;
mod outcomes;
mod pairs;
mod protected;
mod readmission;
mod runs;
mod saved;
mod steps;

//! The tokenizers against a slow and obvious twin: published patterns in a regular-expression engine, and
//! merges done one by one.

mod code_points;
mod data;
mod hostile;
mod limits;
mod models;
mod strategies;
mod texts;
mod twin;

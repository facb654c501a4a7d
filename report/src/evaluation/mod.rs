//! The outcome of `lito evaluate` into text: how many of the movements were found, for how many versions benchmarked.

mod json;
mod words;

pub use json::{SCHEMA, json};

//! The outcome of `lito evaluate` into text: how many of the movements were found, for how many versions benchmarked.

mod evidence;
mod figure;
mod headline;
mod json;
mod listing;
mod models;
mod projects;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use json::{SCHEMA, json};
pub use text::{human, markdown};

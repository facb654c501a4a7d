//! The outcome of `lito evaluate` into text: how many of the movements were found, for how many versions benchmarked.

mod basis;
mod evidence;
mod figure;
mod figures;
mod headline;
mod html;
mod json;
mod listing;
mod models;
mod predicted;
mod projects;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use basis::{EvaluationBasis, StoreBasis};
pub use html::html;
pub use json::{SCHEMA, json};
pub use text::{human, markdown};

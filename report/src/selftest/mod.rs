//! The outcome of `lito selftest` into text: what was planted, what of it was seen, and how often nothing was taken
//! for something.

mod model;
#[cfg(test)]
mod tests;
mod text;

pub use model::{Cell, Compared, Identical, Measured, Power, Rate, SCHEMA, Seen, Selftest, Trial, cells, power};
pub use text::{human, json, markdown};

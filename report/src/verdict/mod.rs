//! Verdicts into text. What was measured comes first, the prediction only says what it may come from.

pub(crate) mod blame;
mod human;
mod json;
pub(crate) mod markdown;
#[cfg(test)]
pub(crate) mod sample;
mod sarif;
pub(crate) mod sections;
pub(crate) mod words;

pub use human::human;
pub use json::json;
pub use sarif::sarif;

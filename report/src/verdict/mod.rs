//! Verdicts into text. What was measured comes first, the prediction only says what it may come from.

mod blame;
mod human;
mod json;
mod markdown;
#[cfg(test)]
mod sample;
mod sarif;
mod sections;
mod words;

pub use human::human;
pub use json::json;
pub use markdown::markdown;
pub use sarif::sarif;

//! Verdicts into text. What was measured comes first, the prediction only says what it may come from.

pub(crate) mod blame;
#[cfg(test)]
pub(crate) mod fixture;
mod human;
mod json;
pub(crate) mod labels;
pub(crate) mod markdown;
mod sarif;
pub(crate) mod sections;

pub use human::human;
pub use json::json;
pub use sarif::sarif;

//! Verdicts into text: measurements first, then the predicted changes that may explain them.

pub(crate) mod blame;
pub mod claims;
#[cfg(test)]
pub(crate) mod fixture;
mod human;
mod json;
pub(crate) mod labels;
pub(crate) mod markdown;
pub mod reasons;
mod repetition;
mod sarif;
pub(crate) mod sections;

pub use human::human;
pub(crate) use json::VerdictDocument;
pub use json::json;
pub use repetition::{RepeatedRequest, repeat_command};
pub use sarif::sarif;

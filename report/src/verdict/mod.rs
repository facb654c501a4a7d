//! Verdicts into text: measurements first, then the predicted changes that may explain them.

pub(crate) mod blame;
pub mod claims;
mod code_quality;
#[cfg(test)]
pub(crate) mod fixture;
mod forecast;
mod human;
mod json;
mod junit;
pub(crate) mod labels;
pub(crate) mod markdown;
mod open_metrics;
pub mod reasons;
mod repetition;
mod sarif;
pub(crate) mod sections;
pub(crate) mod spent;

pub use code_quality::code_quality;
pub use forecast::forecast;
pub use human::human;
pub(crate) use json::VerdictDocument;
pub use json::json;
pub use junit::junit;
pub use open_metrics::open_metrics;
pub use repetition::{RepeatedRequest, repeat_command};
pub use sarif::sarif;

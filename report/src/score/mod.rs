//! Predictions → text. A score is never displayed as a measurement: each view says *predicted*.

mod decision_reason;
mod explain;
mod human;
mod json;
pub mod labels;
pub(crate) mod markdown;
mod reach;
mod reasons;
mod uncommitted;

pub use decision_reason::{decision_sentence, reason_sentence};
pub use explain::explanation;
pub use human::{PageLayout, explain_hint, human_line, human_summary, human_version, line_heading};
pub use json::{ScoreDocument, ScoreReport, json_head, json_separator, json_tail, json_version};
pub use markdown::{markdown_head, markdown_line, markdown_version};
pub(crate) use reach::listed;
pub use reach::{reach_line, unprofiled_note};
pub use reasons::short_reasons;
pub use uncommitted::uncommitted_note;

//! The result of `lito evaluate` → text: how many of the movements are found, for how many benchmarked versions.

mod accuracy_plots;
mod basis;
mod cell_format;
mod cost_tables;
mod evaluation_document;
mod evidence_tables;
mod evolution_column;
mod headline;
mod html;
mod json;
mod model_tables;
mod prediction_plots;
mod project_tables;
mod svg;
mod table_layout;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use basis::{EvaluationBasis, StoreBasis, StudyBasis};
pub use evaluation_document::json_schema;
pub use html::html;
pub use json::{SCHEMA, json};
pub use text::{human, markdown};

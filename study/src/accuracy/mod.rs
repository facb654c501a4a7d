//! Exhaustive measurements and predictions of the same versions in, accuracy out.
//!
//! The study of Sandoval Alcocer, Bergel, Valente (ICPE 2016), section 4.2: S1 measures every version, S2 predicts every
//! version from samples every k versions, S3 contrasts the two. S1 and S2 are done elsewhere and arrive here as
//! [`Project`]s; everything here is arithmetic on them, and takes seconds.

mod ablation;
mod budget;
mod evaluate;
mod explained;
mod fit;
mod folds;
mod join;
mod kinds;
mod minimise;
mod model;
mod options;
mod ranking;
mod reliability;
mod rows;
mod selector;
mod spending;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod truth;

pub use ablation::Ablated;
pub use analyzer::score::Calibration;
pub use budget::BudgetPoint;
pub use evaluate::{BudgetCurve, CodeCheck, Dot, Evaluation, ProjectSummary, RankCurve, evaluate};
pub use explained::{Explained, Outcome};
pub use fit::{Observation, THRESHOLDS, fit};
pub use folds::Fold;
pub use kinds::KindRow;
pub use model::*;
pub use options::{FoundBy, Given, JudgedBy, Learning, NamedCase, Options, Pool, Selection, Stage};
pub use ranking::{Area, RankPoint};
pub use reliability::{Bin, Reliability};
pub use rows::Row;
pub use selector::{Model, Sign};
pub use tally::{LARGE, Rate};
pub use truth::Unusable;

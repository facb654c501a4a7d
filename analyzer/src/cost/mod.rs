//! The changes and one benchmark's profile → the cost of each change.
//!
//! Two models share one interface: [`paper`], the published one to the letter, and [`lito`], which uses the same
//! evidence further. Makes no decisions: that is `score`.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod account_key;
mod added_objects;
mod argument_changes;
mod calibration;
mod chained_calls;
mod condition_changes;
mod counting_head;
mod declared_names;
mod deleted_functions;
mod early_exits;
mod entry_counts;
mod estimate;
mod executions;
mod exposure;
mod feature_changes;
mod import_scope;
mod included_text;
mod inlining;
mod input_exposure;
mod ledger;
mod library_prices;
pub mod lito;
mod lost_bounds;
mod mention_graph;
mod mentions;
mod name_reach;
mod newer_mentions;
mod operation_cost;
mod other_values;
pub mod paper;
mod prediction_terms;
mod price;
mod price_list;
mod reachable_cost;
mod rewrite;
mod scanned_files;
mod scoring_context;
mod table_entries;
mod trip_count;
mod unchanged_functions;
mod unsampled;
mod untraced;
mod value_growth;

pub use account_key::CostAccountKey;
pub use calibration::{Calibration, credible_share};
pub(crate) use declared_names::{is_declaration_executed, is_header_asked_for};
pub use estimate::Estimate;
pub use executions::{BlockExecutions, ExecutionAssumptions, NewBlockPolicy, SampleMatch};
pub use library_prices::{LibraryCallee, LibraryPrices};
pub(crate) use operation_cost::operations_in;
pub use prediction_terms::{ChangeClass, PredictionTerms};
pub use price::{CallFrequency, CallPrice, SourceFunctionIndex};
pub use price_list::{ChangeSensitivity, PriceList, RiskParameters};
pub use scoring_context::{ParsedFile, ParsedSources, ScoringContext};
pub use trip_count::KnownValues;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::resolve::CalleeEvidence;

/// The effect of one change on one benchmark, in the profile's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct CostContribution {
    /// Index into the change set's changes.
    pub change: usize,
    /// How often the changed code runs.
    pub executions: Estimate,
    /// Cost of running it once; 0 where the change has bounds only.
    pub unit_cost: f64,
    /// The products that the expected cost is the sum of, largest first; empty where the change has bounds only.
    pub terms: Vec<CostTerm>,
    /// The added cost; negative for a saving.
    pub cost: Estimate,
    /// How the callee was resolved, where the change is about a call.
    pub resolved: Option<ResolvedCallee>,
}

/// One product of a change's cost: executions × unit cost × the part that is believed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostTerm {
    /// Additional executions; negative for fewer.
    pub executions: f64,
    /// Cost of each, in the profile's unit.
    pub unit_cost: f64,
    /// The part of this price that counts, in 0..=1: less than 1 for what was read, not measured, in a function that is
    /// mostly another one, or that the sampled version did not have.
    pub believed: f64,
}

impl CostTerm {
    /// The product, in the profile's unit.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.executions * self.unit_cost * self.believed
    }
}

/// A callee's full name and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedCallee {
    /// Full name, or as written where it was not found.
    pub name: String,
    /// The evidence.
    pub evidence: CalleeEvidence,
}

/// The predicted effect of a version on one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkAssessment {
    /// One entry for each change that can move this benchmark.
    pub contributions: Vec<CostContribution>,
    /// All of them together, as a share of the benchmark's total. Uncertainties with one source (several calls of one
    /// function) count once, so this is not the plain sum of the bounds.
    pub share: Estimate,
    /// The evidence behind the share, by the class of change. The published model only has its sum.
    pub terms: PredictionTerms,
}

//! Changes and one benchmark's profile in, what each change costs out.
//!
//! Two models with one interface: [`paper`], the published one to the letter, and [`lito`], which uses the
//! same evidence further. Knows nothing of decisions: that is `score`.

mod arguments;
mod conditions;
mod costs;
mod entered;
mod estimate;
mod executions;
mod exposure;
mod inlining;
mod ledger;
pub mod lito;
mod mentions;
pub mod paper;
mod price;
mod reached;
mod repeats;
mod rewrite;
mod scene;
mod terms;
mod ways_out;

pub use costs::{Costs, Risk, Sensitivity};
pub use estimate::Estimate;
pub use executions::{Assumed, Executions, NewBlocks, Standing};
pub use price::{Bodies, Price, Pricer, Reach};
pub use repeats::Values;
pub use scene::{ParsedFile, Scene, Side, Sources};
pub use terms::{Class, Terms};

use crate::score::Evidence;

/// What one change does to one benchmark, in the profile's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// Index into the change set's changes.
    pub change: usize,
    /// How often the changed code runs.
    pub executions: Estimate,
    /// Cost of running it once; 0 where the change has bounds only.
    pub unit_cost: f64,
    /// What it adds; negative for a saving.
    pub cost: Estimate,
    /// How the callee was resolved, where the change is about a call.
    pub resolved: Option<Resolved>,
}

/// A callee's full name and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Full name, or as written where it was not found.
    pub name: String,
    /// The evidence.
    pub evidence: Evidence,
}

/// What a version does to one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// One entry a change that can move this benchmark.
    pub contributions: Vec<Contribution>,
    /// All of them together, as a share of the benchmark's total. Uncertainties that are one (several
    /// calls of one function) are counted as one, so this is not the plain sum of the bounds.
    pub share: Estimate,
    /// What that stands on, by the class of change. The published model has nothing but its sum.
    pub terms: Terms,
}

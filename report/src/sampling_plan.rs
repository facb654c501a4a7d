//! The plan of `lito sample --plan`, the contract `lito.plan/1`, and its text.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{number_format, text};

/// The version of the contract.
pub const SCHEMA: &str = "lito.plan/1";

/// The versions to sample, divided among machines.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SamplingPlan {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The distance between sampled versions that was asked for.
    pub every: u32,
    /// The chosen versions, oldest first.
    pub versions: Vec<PlannedVersion>,
    /// The machines that have something to sample.
    pub shards: Vec<ShardAssignment>,
    /// The same machines, as a workflow takes them.
    pub matrix: WorkflowMatrix,
}

/// A version of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlannedVersion {
    /// The version.
    pub commit: String,
    /// Its state in the store.
    pub state: PlannedVersionState,
}

/// The state of a version in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlannedVersionState {
    /// Not sampled completely: it is sampled.
    Due,
    /// A sample that predictions can use: it is left out.
    Sampled,
    /// It does not build, or none of its benchmarks ran: left out unless `--retry` is given.
    Failed,
}

/// The versions of one machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShardAssignment {
    /// The machine: `1/4`.
    pub shard: String,
    /// The versions that are due.
    pub versions: Vec<String>,
}

/// One job of a workflow for each machine that has something to sample.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkflowMatrix {
    /// The machines.
    pub shard: Vec<String>,
}

/// The plan as JSON on one line: it fits into a variable of a workflow.
#[must_use]
pub fn json(plan: &SamplingPlan) -> String {
    let json = serde_json::to_string(plan).expect("strings and numbers are always encoded");
    format!("{json}\n")
}

/// The plan for people: a line for each version.
#[must_use]
pub fn human(plan: &SamplingPlan) -> String {
    let count = |state| plan.versions.iter().filter(|version| version.state == state).count();
    let mut page = format!(
        "{}: {} due, {} sampled, {} failed before\n",
        number_format::counted_noun(plan.versions.len(), "version"),
        count(PlannedVersionState::Due),
        count(PlannedVersionState::Sampled),
        count(PlannedVersionState::Failed)
    );
    for version in &plan.versions {
        let state = match version.state {
            PlannedVersionState::Due => "due",
            PlannedVersionState::Sampled => "sampled",
            PlannedVersionState::Failed => "failed",
        };
        let shard = (plan.shards.iter())
            .find(|part| part.versions.contains(&version.commit))
            .map_or(String::new(), |part| format!("  shard {}", part.shard));
        let line = format!("  {}  {state:7}{shard}", text::short_id(&version.commit));
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
}

//! The prediction for one version, as the contract `lito.score/1` has it, field by field; the report writes the contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::{ChangeKind, DegradedFile, InputDependents};
use crate::cost::{CostTerm, PredictionTerms};
use crate::resolve::CalleeEvidence;

use super::{BenchmarkReach, DecisionReason};

/// The cost model behind a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostModel {
    /// The published model, to the letter (Sandoval et al., section 4).
    Paper,
    /// Lito's own model.
    Lito,
}

/// The prediction for one version. The report writes it as an object of `lito.score/1`.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionScore {
    /// The version.
    pub commit: String,
    /// The first parent, its base; `None` for a root.
    pub parent: Option<String>,
    /// The sample behind the prediction; `None` if there is none.
    pub sample: Option<SampleReference>,
    /// Whether it is worth a benchmark run.
    pub decision: ScoreDecision,
    /// Why.
    pub reason: DecisionReason,
    /// Probability that at least one benchmark moves by the threshold or more.
    pub probability: f64,
    /// One prediction for each benchmark of the sample, most probable first.
    pub benchmarks: Vec<BenchmarkPrediction>,
    /// The changes, most expensive first.
    pub changes: Vec<ScoredChange>,
    /// The files and parts that could not be analysed, and the assumption used instead.
    pub degraded: Vec<DegradedFile>,
    /// Changed files that are neither compiled into a benchmark nor read by one, by what the sample recorded.
    pub unused: Vec<String>,
    /// Sources of benchmarks that are newer than the sample and may execute what changed. Named only where nothing else
    /// is worth a run.
    pub newer_benchmarks: Vec<String>,
    /// Changed sources of benchmarks. A gate runs every benchmark then: no profile shows that one was removed, or changed its
    /// meaning.
    pub changed_benchmarks: Vec<String>,
    /// How much of the changes the sample's benchmarks execute; `None` without a sample.
    pub reach: Option<BenchmarkReach>,
}

/// The sample behind a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampleReference {
    /// The sampled version.
    pub commit: String,
    /// How many first-parent commits lie between it and the parent of the scored version, plus one.
    pub distance: u32,
    /// The profiler, if it is not callgrind: the unit is then operations, not instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiler: Option<String>,
}

/// Whether a version is worth a benchmark run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreDecision {
    /// Run the selected benchmarks.
    Benchmark,
    /// No change can reach the threshold.
    Skip,
}

/// The prediction for one benchmark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchmarkPrediction {
    /// The benchmark.
    pub name: String,
    /// Expected relative change: 0.10 is ten per cent slower.
    pub predicted: f64,
    /// Lower bound of the relative change.
    pub low: f64,
    /// Upper bound of the relative change.
    pub high: f64,
    /// Probability that the change reaches the threshold, in either direction.
    pub probability: f64,
    /// Whether it is selected for a run.
    pub selected: bool,
    /// The evidence behind the bounds. Not part of the contract.
    #[serde(skip)]
    pub terms: PredictionTerms,
}

/// One change and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredChange {
    /// Its kind.
    pub kind: ChangeKind,
    /// The function that holds it, or the item that changed; `None` for dependencies and build settings.
    pub function: Option<String>,
    /// The file.
    pub file: String,
    /// The line, 1-based; 0 for a whole file.
    pub line: u32,
    /// The callee (for a swap the new one), or the dependency.
    pub callee: Option<String>,
    /// The evidence by which the callee was resolved.
    pub resolved_by: Option<CalleeEvidence>,
    /// Its effect on each benchmark that it reaches, largest cost first.
    pub effects: Vec<BenchmarkEffect>,
    /// Who depends on the file, by what the sample recorded; `None` where the change has other evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_of: Option<InputDependents>,
}

/// The effect of a change on one benchmark. A negative cost is a saving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchmarkEffect {
    /// The benchmark.
    pub benchmark: String,
    /// Number of executions of the changed code.
    pub executions: u64,
    /// Cost of running it once, in the profile's unit.
    pub unit_cost: f64,
    /// The products that the expected cost is the sum of, largest first; empty where the change has bounds only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<CostTerm>,
    /// Expected cost of the change, in the profile's unit.
    pub cost: f64,
    /// Cost as a share of the benchmark's total.
    pub share: f64,
    /// Lowest share within the evidence.
    pub low: f64,
    /// Highest share within the evidence.
    pub high: f64,
}

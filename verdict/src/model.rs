//! The answer of `lito measure` and `lito gate`: the contract `lito.verdict/1`, field by field.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Metric;
use crate::statistics::proportion_interval;

/// The version of the contract.
pub const SCHEMA: &str = "lito.verdict/1";

/// What two versions do to each other's benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version compared with.
    pub base: String,
    /// The version that is judged.
    pub head: String,
    /// The verdict over all benchmarks.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// One entry for each benchmark and metric: regressions first, worst first.
    pub benchmarks: Vec<BenchmarkVerdict>,
    /// What the stages decided and cost, in their order.
    pub stages: Vec<CascadeStage>,
    /// True if the score would have skipped this version, and it was measured to see what skipping misses.
    #[serde(default)]
    pub audited: bool,
    /// What the audits so far say of the versions that are skipped; `None` where there was none.
    #[serde(default)]
    pub audit: Option<SkipAudit>,
    /// What the measurements depend on besides the sources: name → value.
    pub environment: BTreeMap<String, String>,
    /// Seconds from start to verdict.
    pub cost_seconds: f64,
}

/// How often a skipped version would have been a regression, as far as the measured ones tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SkipAudit {
    /// Skipped versions that were measured all the same, with a verdict.
    pub measured: u32,
    /// Of these, how many had a regression.
    pub missed: u32,
    /// Lower bound of the share, at 95% confidence (Clopper–Pearson).
    pub low: f64,
    /// Upper bound of the share.
    pub high: f64,
}

impl SkipAudit {
    /// The audits so far, with the interval of the share that they missed.
    #[must_use]
    pub fn of(measured: u32, missed: u32) -> Self {
        let interval = proportion_interval(missed, measured, 0.95);
        Self {
            measured,
            missed,
            low: interval.low,
            high: interval.high,
        }
    }
}

/// The verdict over all benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing that was measured moved.
    Pass,
    /// Something got worse, and nothing better.
    Regression,
    /// Something got better, and nothing worse.
    Improvement,
    /// Something got worse, something better.
    Mixed,
    /// Nothing got worse as far as can be told, but not everything can be told.
    Inconclusive,
    /// Nothing was run, with a reason.
    Skipped,
}

/// What became of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkVerdict {
    /// The benchmark.
    pub name: String,
    /// What was measured.
    pub metric: Metric,
    /// What measured it: `callgrind`, `probes`, `dhat`, `clock`.
    pub tool: String,
    /// The base's value, in the metric's unit; `None` if there is none.
    pub base: Option<f64>,
    /// The head's value.
    pub head: Option<f64>,
    /// `head / base − 1`; for wall time, estimated from the rounds' pairs, so that it is not to the last digit the
    /// quotient of the two values shown. `None` where there is no quotient: the base's value is 0, the head's is not.
    pub change: Option<f64>,
    /// Lower bound of the change.
    pub low: Option<f64>,
    /// Upper bound of the change.
    pub high: Option<f64>,
    /// True if the change is beyond what noise explains.
    pub significant: bool,
    /// Whether the changed code can reach this benchmark; `None` where that is not known.
    pub reachable: Option<bool>,
    /// What `reachable` rests on, in one sentence.
    pub evidence: Option<String>,
    /// The verdict.
    pub verdict: BenchmarkOutcome,
    /// Why, in one sentence.
    pub reason: String,
    /// False if this entry only illustrates another metric's: the verdict over all leaves it out.
    pub gating: bool,
    /// Predicted probability that the benchmark moves; `None` where nothing was predicted.
    pub probability: Option<f64>,
    /// Process starts of each side.
    pub starts: u32,
    /// Starts that failed and were tried again.
    pub retries: u32,
}

/// What became of one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchmarkOutcome {
    /// It got worse.
    Regression,
    /// It runs at the base and fails at the head: whether it got worse can't be told.
    Failed,
    /// The head does not have it.
    Removed,
    /// Not enough runs, or too much noise, to tell.
    Inconclusive,
    /// It got better.
    Improvement,
    /// It did not move.
    Pass,
    /// The base does not have it, or could not run it.
    Added,
    /// What it executes is compiled to the same machine code on both sides: not run.
    SameCode,
    /// The score rules out that it moved: not run.
    Skipped,
}

/// What one stage of the cascade decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CascadeStage {
    /// Which.
    pub name: CascadeStageName,
    /// Benchmarks that reached it.
    pub benchmarks: u32,
    /// Of these, how many it handed on.
    pub selected: u32,
    /// Seconds it took.
    pub seconds: f64,
}

/// The stages, each of which costs more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CascadeStageName {
    /// The score: changed sources against the profile.
    Source,
    /// The build: machine code against machine code.
    Build,
    /// Deterministic counts of the subject: instructions, or operations; allocations.
    Counts,
    /// Interleaved wall time.
    WallTime,
}

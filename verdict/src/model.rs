//! The answer of `lito measure` and `lito gate`: the contract `lito.verdict/1`, field by field.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ComparedPrograms;
use crate::Metric;
use crate::SpentTime;
use crate::claims::ClaimVerdict;
use crate::statistics::proportion_interval;

/// The version of the contract.
pub const SCHEMA: &str = "lito.verdict/1";

/// The verdict on two versions, with one entry for each benchmark and metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version compared with.
    pub base: String,
    /// The version that is judged.
    pub head: String,
    /// The verdict over all benchmarks.
    pub verdict: Verdict,
    /// The reason, in one sentence.
    pub reason: String,
    /// One entry for each benchmark and metric: regressions first, worst first.
    pub benchmarks: Vec<BenchmarkVerdict>,
    /// The decisions and costs of the stages, in their order.
    pub stages: Vec<CascadeStage>,
    /// True if the score skips this version and it was measured anyway, to count the regressions that skipping misses.
    #[serde(default)]
    pub audited: bool,
    /// The audits so far of versions that the score skips; `None` where there was none.
    #[serde(default)]
    pub audit: Option<SkipAudit>,
    /// The claims about this change, each with its answer.
    #[serde(default)]
    pub claims: Vec<ClaimVerdict>,
    /// The command that repeats the judgement, one line for a POSIX shell; `None` where the head is not a commit.
    #[serde(default)]
    pub repeat: Option<String>,
    /// The measurements' environment: name → value.
    pub environment: BTreeMap<String, String>,
    /// The identities of the measured programs, by benchmark: they tell whether a later count is of the same program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, ComparedPrograms>,
    /// Seconds from start to verdict.
    pub cost_seconds: f64,
    /// The time that was spent, and what it is held against; missing where the benchmarks were chosen by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<SpentTime>,
}

/// The share of skipped versions that are regressions, estimated from those that were measured anyway.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkipAudit {
    /// Skipped versions that were measured anyway, with a verdict.
    pub measured: u32,
    /// Those with a regression.
    pub missed: u32,
    /// Lower bound of the share, at 95% confidence (Clopper–Pearson).
    pub low: f64,
    /// Upper bound of the share.
    pub high: f64,
}

impl SkipAudit {
    /// The audit of so many measured versions, with the interval of the missed share.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing that was measured changed.
    Pass,
    /// Something got worse, and nothing better.
    Regression,
    /// Something got better, and nothing worse.
    Improvement,
    /// Something got worse, something else better.
    Mixed,
    /// No regression was found, but some benchmarks could not be decided.
    Inconclusive,
    /// Nothing was run.
    Skipped,
}

/// The outcome of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchmarkVerdict {
    /// The benchmark.
    pub name: String,
    /// The metric.
    pub metric: Metric,
    /// The measuring tool: `callgrind`, `probes`, `dhat`, `clock`.
    pub tool: String,
    /// The base's value, in the metric's unit; `None` if there is none.
    pub base: Option<f64>,
    /// The version whose value `base` is, if that is not the base itself: an earlier one, and nothing between the two was
    /// likely to change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_measured_at: Option<String>,
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
    /// Whether the changed code can reach this benchmark; `None` where that is unknown.
    pub reachable: Option<bool>,
    /// The evidence for `reachable`, in one sentence.
    pub evidence: Option<String>,
    /// The verdict.
    pub verdict: BenchmarkOutcome,
    /// The reason, in one sentence.
    pub reason: String,
    /// False if this entry is for information: the overall verdict ignores it.
    pub gating: bool,
    /// Predicted probability of a change above the threshold; `None` where nothing was predicted.
    pub probability: Option<f64>,
    /// Process starts of each side.
    pub starts: u32,
    /// Starts that failed and were tried again.
    pub retries: u32,
}

impl BenchmarkVerdict {
    /// An entry that counts for the verdict, without values, tool and reason: the caller fills in what it knows.
    #[must_use]
    pub fn without_values(benchmark: &str, metric: Metric, outcome: BenchmarkOutcome) -> Self {
        Self {
            name: benchmark.to_owned(),
            metric,
            tool: String::new(),
            base: None,
            base_measured_at: None,
            head: None,
            change: None,
            low: None,
            high: None,
            significant: false,
            reachable: None,
            evidence: None,
            verdict: outcome,
            reason: String::new(),
            gating: true,
            probability: None,
            starts: 0,
            retries: 0,
        }
    }
}

/// The outcome of one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BenchmarkOutcome {
    /// It got worse.
    Regression,
    /// It runs at the base and fails at the head: whether it got worse is unknown.
    Failed,
    /// The head does not have it.
    Removed,
    /// Too few runs, or too much noise, to decide.
    Inconclusive,
    /// It got better.
    Improvement,
    /// It did not change.
    Pass,
    /// The base does not have it, or could not run it.
    Added,
    /// Both versions compile the executed functions to the same machine code: not run.
    SameCode,
    /// By the score a change is unlikely: not run.
    Skipped,
}

/// The decisions of one stage of the cascade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CascadeStage {
    /// The stage.
    pub name: CascadeStageName,
    /// Benchmarks that reached it.
    pub benchmarks: u32,
    /// Benchmarks that it passed to the next stage.
    pub selected: u32,
    /// Seconds it took.
    pub seconds: f64,
}

/// The stages, in order of increasing cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CascadeStageName {
    /// The score: changed sources against the profile.
    Source,
    /// The build of the head alone.
    HeadBuild,
    /// The head's counts against those of the version that was measured last; the base is not built for it.
    LastMeasured,
    /// The build of the base, and of the head unless it is built: machine code against machine code.
    Build,
    /// Deterministic counts of the subject: instructions, or operations; allocations.
    Counts,
    /// Interleaved wall time.
    WallTime,
}

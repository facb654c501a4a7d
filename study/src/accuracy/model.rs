//! The raw results of the study, in their stored form: measurements (S1) and predictions (S2), version by version.
//!
//! Names of fields are short in types that are written for every version, benchmark and k.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use analyzer::change::ChangeKind;
use analyzer::cost::PredictionTerms;

use super::BaselineIndicators;

/// The kind of versions that a project is studied at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudyKind {
    /// First-parent commits that touch sources or manifests.
    Commits,
    /// Published releases.
    Releases,
}

impl StudyKind {
    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Commits => "commits",
            Self::Releases => "releases",
        }
    }
}

/// One project in one study.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectResults {
    /// Its name, unique within the study.
    pub name: String,
    /// The study.
    pub study: StudyKind,
    /// The reason why it is not part of the tables; `None` if it is.
    pub dropped: Option<String>,
    /// Whether it is only judged: nothing is learned from it.
    pub held_out: bool,
    /// S1: the versions, oldest first; the first has no base.
    pub measured: Vec<MeasuredVersion>,
    /// S2: the predictions, by commit.
    pub predicted: BTreeMap<String, PredictedVersion>,
    /// Seconds of sampling (building and profiling), by commit.
    pub sampling: BTreeMap<String, f64>,
}

/// A half of a study's projects, where some are held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyHalf {
    /// The projects that are learned from.
    Learned,
    /// The projects that are only judged.
    HeldOut,
}

impl StudyHalf {
    /// Both, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::Learned, Self::HeldOut];

    /// The half that a project belongs to.
    #[must_use]
    pub fn of(project: &ProjectResults) -> Self {
        match project.held_out {
            false => Self::Learned,
            true => Self::HeldOut,
        }
    }

    /// The scope of its rows in the contract: `commits:learned`, `commits:held_out`.
    #[must_use]
    pub fn scope(self, study: &str) -> String {
        let half = match self {
            Self::Learned => "learned",
            Self::HeldOut => "held_out",
        };
        format!("{study}:{half}")
    }
}

/// S1, one version: built once, each benchmark run once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredVersion {
    /// The display name: a release number, or the first characters of the commit.
    pub version: String,
    /// The commit's full id.
    pub commit: String,
    /// Time of the commit or release, in seconds since 1970 (UTC).
    pub at: i64,
    /// The base of the comparison.
    #[serde(default, skip_serializing_if = "ComparisonBase::is_last_counted")]
    pub against: ComparisonBase,
    /// The reason why it has no benchmarks: it does not build, or contains none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbuilt: Option<String>,
    /// Each benchmark, by name.
    #[serde(default)]
    pub benchmarks: BTreeMap<String, MeasuredBenchmark>,
    /// Locked packages that differ from those of the version measured before: `-memchr 2.5.0`, `+memchr 2.6.0`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// Seconds that the build took.
    pub build: f64,
}

impl MeasuredVersion {
    /// True if a version can be compared with it: some benchmark has a count other than 0.
    #[must_use]
    pub fn has_counts(&self) -> bool {
        let mut counts = self.benchmarks.values().map(|b| b.instructions);
        self.unbuilt.is_none() && counts.any(|count| count.is_some_and(|count| count > 0))
    }
}

/// The base of a measured version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonBase {
    /// The last version before it that has counts.
    #[default]
    LastCounted,
    /// No base: the version is only a base for another one.
    Nothing,
    /// The last earlier measurement of this commit.
    Commit(String),
}

impl ComparisonBase {
    fn is_last_counted(&self) -> bool {
        *self == Self::LastCounted
    }
}

/// One benchmark at one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredBenchmark {
    /// Instructions of the subject; `None` where the run failed.
    #[serde(rename = "ir", default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// The reason why there is no count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The comparison of its machine code with that of the version measured before.
    #[serde(default)]
    pub code: CodeAnswer,
    /// Seconds that the run took.
    #[serde(rename = "s")]
    pub seconds: f64,
}

/// The result of comparing the machine code of a benchmark at two versions (stage two of the cascade).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeAnswer {
    /// All code that the program can reach is the same: neither side needs a run.
    Same,
    /// All code that the base executed is the same: the head does not need a run.
    SameExecuted,
    /// Some executed code differs.
    Different,
    /// There is no code to compare with, or the code cannot be read.
    #[default]
    Unknown,
}

/// S2, one version: its prediction from each sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictedVersion {
    /// The commit's full id.
    pub commit: String,
    /// Source files, manifests and lock files that differ from the parent.
    #[serde(default)]
    pub files: Vec<String>,
    /// Distance between samples, k → the prediction from the newest sample at or before the parent.
    #[serde(default)]
    pub on: BTreeMap<u32, SamplePrediction>,
}

/// A prediction from one sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SamplePrediction {
    /// The sampled commit.
    pub sample: String,
    /// Number of first-parent versions from the sample to this one.
    pub distance: u32,
    /// Seconds of scoring with lito's model.
    #[serde(rename = "s")]
    pub seconds: f64,
    /// Each benchmark of the sample.
    #[serde(rename = "b", default)]
    pub benchmarks: BTreeMap<String, PredictedBenchmark>,
    /// Files or parts that could not be analysed.
    #[serde(default, skip_serializing_if = "is_zero_count")]
    pub degraded: u32,
    /// The changes by kind: how many there are, and how many of them some benchmark executes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<ChangeKind, [u32; 2]>,
    /// The few changes with the largest possible effect, largest first, in the words of `lito score --explain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// The prediction for one benchmark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictedBenchmark {
    /// The published model's ΔC, a share of the total.
    #[serde(rename = "p", default)]
    pub paper: f64,
    /// The evidence of lito's model.
    #[serde(flatten)]
    pub terms: PredictionTerms,
    /// The indicators that the baselines decide by.
    #[serde(rename = "i", default)]
    pub indicators: BaselineIndicators,
}

fn is_zero_count(value: &u32) -> bool {
    *value == 0
}

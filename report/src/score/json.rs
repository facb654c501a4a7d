//! Predictions → one `lito.score/1` document, written piece by piece as the versions are scored: the head, the versions
//! with separators between them, the tail. One version per line.

use analyzer::change::DegradedFile;
use analyzer::score::{
    BenchmarkPrediction, BenchmarkReach, CostModel, SampleReference, ScoreDecision, ScoredChange, VersionScore,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decision_reason::decision_sentence;

/// The version of the contract.
const SCHEMA: &str = "lito.score/1";

/// The answer for a range of versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreReport {
    /// The contract: `lito.score/1`.
    pub schema: String,
    /// The cost model.
    pub model: CostModel,
    /// A relative change from which a version is worth a benchmark, e.g. 0.05.
    pub threshold: f64,
    /// The versions, oldest first.
    pub versions: Vec<ScoreDocument>,
}

/// The prediction for one version, as the contract has it: the fields of [`VersionScore`], the reason in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreDocument {
    /// The version.
    pub commit: String,
    /// Its first parent, with which it is compared; `None` for a root.
    pub parent: Option<String>,
    /// The sample that the prediction stands on; `None` where there is none.
    pub sample: Option<SampleReference>,
    /// Whether it is worth a benchmark run.
    pub decision: ScoreDecision,
    /// Why, in one sentence.
    pub reason: String,
    /// Probability that at least one benchmark moves by the threshold or more.
    pub probability: f64,
    /// One prediction a benchmark of the sample, most probable first.
    pub benchmarks: Vec<BenchmarkPrediction>,
    /// The changes, costliest first.
    pub changes: Vec<ScoredChange>,
    /// The files that could not be analysed, and why.
    pub degraded: Vec<DegradedFile>,
    /// Changed files that no benchmark depends on, by what the sample recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// Sources of benchmarks that are newer than the sample and may execute what changed, where nothing else is worth a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newer_benchmarks: Vec<String>,
    /// Changed sources of benchmarks: a gate runs every benchmark, whatever the decision is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_benchmarks: Vec<String>,
    /// How much of the changes the sample's benchmarks execute; `None` where there is no sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<BenchmarkReach>,
}

impl ScoreDocument {
    /// Puts the score of a version into the contract's form.
    #[must_use]
    pub fn of(version: &VersionScore) -> Self {
        let reason = decision_sentence(version);
        let version = version.clone();
        Self {
            commit: version.commit,
            parent: version.parent,
            sample: version.sample,
            decision: version.decision,
            reason,
            probability: version.probability,
            benchmarks: version.benchmarks,
            changes: version.changes,
            degraded: version.degraded,
            unused: version.unused,
            newer_benchmarks: version.newer_benchmarks,
            changed_benchmarks: version.changed_benchmarks,
            reach: version.reach,
        }
    }
}

/// Everything before the first version.
#[must_use]
pub fn json_head(model: CostModel, threshold: f64) -> String {
    let model = serde_json::to_string(&model).expect("a unit variant is always encoded");
    format!("{{\"schema\":\"{SCHEMA}\",\"model\":{model},\"threshold\":{threshold},\"versions\":[\n")
}

/// One version.
#[must_use]
pub fn json_version(version: &VersionScore) -> String {
    serde_json::to_string(&ScoreDocument::of(version)).expect("strings and numbers are always encoded")
}

/// The separator between two versions.
#[must_use]
pub fn json_separator() -> &'static str {
    ",\n"
}

/// Everything after the last version.
#[must_use]
pub fn json_tail() -> &'static str {
    "\n]}\n"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::human::tests::{skipped, slower};
    use super::*;

    #[test]
    fn the_pieces_are_the_document() {
        let versions = [slower(), skipped()];
        let document = format!(
            "{}{}{}{}{}",
            json_head(CostModel::Lito, 0.05),
            json_version(&versions[0]),
            json_separator(),
            json_version(&versions[1]),
            json_tail()
        );
        let read: ScoreReport = serde_json::from_str(&document).unwrap();
        let report = ScoreReport {
            schema: String::from("lito.score/1"),
            model: CostModel::Lito,
            threshold: 0.05,
            versions: versions.iter().map(ScoreDocument::of).collect(),
        };
        assert_eq!(read, report);
    }

    #[test]
    fn no_version_is_a_document_too() {
        let document = format!("{}{}", json_head(CostModel::Paper, 0.1), json_tail());
        let read: ScoreReport = serde_json::from_str(&document).unwrap();
        assert_eq!((read.model, read.versions.len()), (CostModel::Paper, 0));
    }
}

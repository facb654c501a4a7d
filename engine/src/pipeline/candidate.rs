//! A benchmark of the pipeline → its entry in the verdict.

use std::collections::BTreeMap;

use runner::measure::MeasurementError;
use runner::measure::sides::BaseOrHead;
use verdict::Metric;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, MetricFinding};

use super::reachability::ChangeReachability;

/// A benchmark that is to be measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BenchmarkCandidate {
    pub(super) name: String,
    /// Predicted; `None` where nothing was.
    pub(super) probability: Option<f64>,
    pub(super) reach: ChangeReachability,
}

impl BenchmarkCandidate {
    /// The entry of a benchmark that has no values.
    pub(super) fn entry(&self, outcome: BenchmarkOutcome, reason: impl Into<String>) -> BenchmarkVerdict {
        self.measured(MetricFinding::unmeasured(Metric::Instructions, outcome, reason), "")
    }

    /// The entry of a benchmark that the score rules out.
    pub(super) fn skipped(&self) -> BenchmarkVerdict {
        let chance = report::number_format::probability(self.probability.unwrap_or_default());
        self.entry(
            BenchmarkOutcome::Skipped,
            format!("{chance} probable to move by the threshold"),
        )
    }

    /// The entry of what was measured.
    pub(super) fn measured(&self, finding: MetricFinding, tool: &str) -> BenchmarkVerdict {
        BenchmarkVerdict {
            reachable: self.reach.reachable,
            evidence: Some(self.reach.evidence.clone()),
            probability: self.probability,
            ..finding.into_entry(&self.name, tool)
        }
    }
}

/// What it means that one or both sides could not be measured.
pub(super) fn unmeasured(metric: Metric, failed: &BTreeMap<BaseOrHead, MeasurementError>) -> MetricFinding {
    let undecided =
        |error: &MeasurementError| matches!(error, MeasurementError::OutOfTime | MeasurementError::NoTool { .. });
    let finding = |outcome, reason: String| MetricFinding::unmeasured(metric, outcome, reason);
    if let Some(error) = failed.values().find(|error| undecided(error)) {
        return finding(BenchmarkOutcome::Inconclusive, error.to_string());
    }
    match (failed.get(&BaseOrHead::Base), failed.get(&BaseOrHead::Head)) {
        (None, Some(head)) => finding(BenchmarkOutcome::Failed, format!("it fails at the head: {head}")),
        (Some(base), None) => finding(
            BenchmarkOutcome::Added,
            format!("it fails at the base, so that there is nothing to compare with: {base}"),
        ),
        (Some(_), Some(head)) => finding(
            BenchmarkOutcome::Inconclusive,
            format!("it fails at both sides: {head}"),
        ),
        (None, None) => finding(BenchmarkOutcome::Inconclusive, String::from("nothing was measured")),
    }
}

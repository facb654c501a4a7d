//! A benchmark of the pipeline → its entry in the verdict.

use std::collections::BTreeMap;

use runner::measure::Unmeasured;
use runner::measure::sides::Which;
use verdict::Metric;
use verdict::{BenchmarkVerdict, Finding, Outcome};

use super::reach::Reach;

/// A benchmark that is to be measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) name: String,
    /// Predicted; `None` where nothing was.
    pub(super) probability: Option<f64>,
    pub(super) reach: Reach,
}

impl Candidate {
    /// The entry of a benchmark that has no values.
    pub(super) fn entry(&self, outcome: Outcome, reason: impl Into<String>) -> BenchmarkVerdict {
        self.measured(Finding::unmeasured(Metric::Instructions, outcome, reason), "")
    }

    /// The entry of a benchmark that the score rules out.
    pub(super) fn skipped(&self) -> BenchmarkVerdict {
        let chance = report::number::probability(self.probability.unwrap_or_default());
        self.entry(Outcome::Skipped, format!("{chance} probable to move by the threshold"))
    }

    /// The entry of what was measured.
    pub(super) fn measured(&self, finding: Finding, tool: &str) -> BenchmarkVerdict {
        BenchmarkVerdict {
            reachable: self.reach.reachable,
            evidence: Some(self.reach.evidence.clone()),
            probability: self.probability,
            ..finding.into_entry(&self.name, tool)
        }
    }
}

/// What it means that one or both sides could not be measured.
pub(super) fn unmeasured(metric: Metric, failed: &BTreeMap<Which, Unmeasured>) -> Finding {
    let undecided = |error: &Unmeasured| matches!(error, Unmeasured::OutOfTime | Unmeasured::NoTool { .. });
    let finding = |outcome, reason: String| Finding::unmeasured(metric, outcome, reason);
    if let Some(error) = failed.values().find(|error| undecided(error)) {
        return finding(Outcome::Inconclusive, error.to_string());
    }
    match (failed.get(&Which::Base), failed.get(&Which::Head)) {
        (None, Some(head)) => finding(Outcome::Failed, format!("it fails at the head: {head}")),
        (Some(base), None) => finding(
            Outcome::Added,
            format!("it fails at the base, so that there is nothing to compare with: {base}"),
        ),
        (Some(_), Some(head)) => finding(Outcome::Inconclusive, format!("it fails at both sides: {head}")),
        (None, None) => finding(Outcome::Inconclusive, String::from("nothing was measured")),
    }
}

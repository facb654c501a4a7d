//! A benchmark of the pipeline → its finding in the verdict.

use std::collections::BTreeMap;

use runner::measure::MeasurementError;
use runner::measure::sides::BaseOrHead;
use verdict::{
    BenchmarkOutcome, ComparedVersion, Metric, MetricFinding, ReachabilityEvidence, ReportedValues, UnmeasuredReason,
};

/// A benchmark that is to be measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BenchmarkCandidate {
    pub(super) name: String,
    /// Predicted probability of a change above the threshold; `None` where nothing was predicted.
    pub(super) probability: Option<f64>,
    pub(super) reach: ReachabilityEvidence,
}

/// The finding of one benchmark in one metric, with everything that its entry in the verdict needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BenchmarkFinding {
    pub(super) candidate: BenchmarkCandidate,
    pub(super) finding: MetricFinding,
    /// The values behind it, run by run; `None` where there are none.
    pub(super) values: Option<ReportedValues>,
    /// The measuring tool; empty where nothing was measured.
    pub(super) tool: &'static str,
    /// False if it is for information: the overall verdict ignores it.
    pub(super) gating: bool,
    /// Process starts of each side.
    pub(super) starts: usize,
    /// Starts that failed and were tried again.
    pub(super) retries: u32,
}

impl BenchmarkCandidate {
    /// The finding of a benchmark that was not measured.
    pub(super) fn unmeasured(&self, outcome: BenchmarkOutcome, reason: UnmeasuredReason) -> BenchmarkFinding {
        self.measured(MetricFinding::unmeasured(Metric::Instructions, outcome, reason), "")
    }

    /// The finding of a benchmark that the score rules out.
    pub(super) fn skipped(&self) -> BenchmarkFinding {
        let probability = self.probability.unwrap_or_default();
        let reason = UnmeasuredReason::PredictedUnchanged { probability };
        self.unmeasured(BenchmarkOutcome::Skipped, reason)
    }

    /// The finding of measurements by a tool.
    pub(super) fn measured(&self, finding: MetricFinding, tool: &'static str) -> BenchmarkFinding {
        BenchmarkFinding {
            candidate: self.clone(),
            finding,
            values: None,
            tool,
            gating: true,
            starts: 0,
            retries: 0,
        }
    }
}

/// The finding of a benchmark that could not be measured at one version, or at both.
pub(super) fn failed(metric: Metric, errors: &BTreeMap<BaseOrHead, MeasurementError>) -> MetricFinding {
    if let Some(reason) = errors.values().find_map(undecided) {
        return MetricFinding::unmeasured(metric, BenchmarkOutcome::Inconclusive, reason);
    }
    let fails = |version, error: &MeasurementError| UnmeasuredReason::Fails {
        version,
        error: error.to_string(),
    };
    let (outcome, reason) = match (errors.get(&BaseOrHead::Base), errors.get(&BaseOrHead::Head)) {
        (None, Some(head)) => (BenchmarkOutcome::Failed, fails(ComparedVersion::Head, head)),
        (Some(base), None) => (BenchmarkOutcome::Added, fails(ComparedVersion::Base, base)),
        (Some(_), Some(head)) => {
            let error = head.to_string();
            (BenchmarkOutcome::Inconclusive, UnmeasuredReason::FailsAtBoth { error })
        }
        (None, None) => (BenchmarkOutcome::Inconclusive, UnmeasuredReason::NotRun),
    };
    MetricFinding::unmeasured(metric, outcome, reason)
}

/// The reason of an error that is not the benchmark's own.
fn undecided(error: &MeasurementError) -> Option<UnmeasuredReason> {
    match error {
        MeasurementError::OutOfTime => Some(UnmeasuredReason::OutOfBudget),
        MeasurementError::Interrupted => Some(UnmeasuredReason::Interrupted),
        MeasurementError::NoTool { reason } => Some(UnmeasuredReason::NoTool { why: reason.clone() }),
        MeasurementError::Failed { .. } | MeasurementError::TimedOut { .. } | MeasurementError::Machine { .. } => None,
    }
}

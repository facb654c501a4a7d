//! The result of comparing two versions of one benchmark in one metric.

use crate::{BenchmarkOutcome, BenchmarkVerdict, FindingReason, Metric, UnmeasuredReason};

/// The values of two versions in one metric, and the outcome. No number in it is NaN or infinite.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricFinding {
    /// The metric.
    pub metric: Metric,
    /// The base's value, in the metric's unit.
    pub base: Option<f64>,
    /// The head's value.
    pub head: Option<f64>,
    /// The relative change; `None` where there is no quotient.
    pub change: Option<f64>,
    /// Lower bound of the change.
    pub low: Option<f64>,
    /// Upper bound of the change.
    pub high: Option<f64>,
    /// True if the change is beyond what noise explains.
    pub significant: bool,
    /// The outcome.
    pub outcome: BenchmarkOutcome,
    /// The rule behind the outcome.
    pub reason: FindingReason,
}

impl MetricFinding {
    /// A finding without values.
    #[must_use]
    pub fn without_values(metric: Metric, outcome: BenchmarkOutcome, reason: FindingReason) -> Self {
        Self {
            metric,
            base: None,
            head: None,
            change: None,
            low: None,
            high: None,
            significant: false,
            outcome,
            reason,
        }
    }

    /// A finding of a benchmark that was not, or could not be, compared.
    #[must_use]
    pub fn unmeasured(metric: Metric, outcome: BenchmarkOutcome, reason: UnmeasuredReason) -> Self {
        Self::without_values(metric, outcome, FindingReason::Unmeasured(reason))
    }

    /// The entry of a benchmark for the report, with the reason in words. The caller fills in reachability, probability,
    /// starts and retries.
    #[must_use]
    pub fn into_entry(self, benchmark: &str, tool: &str, reason: String) -> BenchmarkVerdict {
        BenchmarkVerdict {
            tool: tool.to_owned(),
            base: self.base,
            base_measured_at: (self.reason.measured_before())
                .filter(|measured| measured.versions > 0)
                .map(|measured| measured.commit.clone()),
            head: self.head,
            change: self.change,
            low: self.low,
            high: self.high,
            significant: self.significant,
            reason,
            ..BenchmarkVerdict::without_values(benchmark, self.metric, self.outcome)
        }
    }
}

//! What the measurements of one benchmark in one metric say, as an entry of the report.

use super::{BenchmarkOutcome, BenchmarkVerdict};
use crate::Metric;

/// What two sides' values in one metric say. No number in it is NaN or infinite.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricFinding {
    /// What was measured.
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
    /// The verdict.
    pub outcome: BenchmarkOutcome,
    /// Why, in one sentence.
    pub reason: String,
}

impl MetricFinding {
    /// A finding without any value: why nothing was, or could be, compared.
    #[must_use]
    pub fn unmeasured(metric: Metric, outcome: BenchmarkOutcome, reason: impl Into<String>) -> Self {
        Self {
            metric,
            base: None,
            head: None,
            change: None,
            low: None,
            high: None,
            significant: false,
            outcome,
            reason: reason.into(),
        }
    }

    /// The entry of a benchmark for the report: gating, and empty in what measurements do not tell (reachability,
    /// probability, starts and retries), for the caller to fill in.
    #[must_use]
    pub fn into_entry(self, benchmark: &str, tool: &str) -> BenchmarkVerdict {
        BenchmarkVerdict {
            name: benchmark.to_owned(),
            metric: self.metric,
            tool: tool.to_owned(),
            base: self.base,
            head: self.head,
            change: self.change,
            low: self.low,
            high: self.high,
            significant: self.significant,
            reachable: None,
            evidence: None,
            verdict: self.outcome,
            reason: self.reason,
            gating: true,
            probability: None,
            starts: 0,
            retries: 0,
        }
    }
}

/// A relative change with its sign, for a sentence: `+3.4%`, `-0.12%`.
pub(super) fn format_signed_percent(change: f64) -> String {
    if change == 0.0 {
        return String::from("0%");
    }
    format!("{:+.*}%", decimals(change), change * 100.0)
}

/// A share for a sentence: `0.5%`, `12%`.
pub(super) fn format_percent(share: f64) -> String {
    let shown = format!("{:.*}", decimals(share), share * 100.0);
    let trimmed = if shown.contains('.') {
        shown.trim_end_matches('0').trim_end_matches('.')
    } else {
        &shown
    };
    format!("{trimmed}%")
}

fn decimals(share: f64) -> usize {
    match share.abs() * 100.0 {
        percent if percent >= 99.5 => 0,
        percent if percent >= 0.95 => 1,
        percent if percent >= 0.005 => 2,
        _ => 4,
    }
}

/// `1 round`, `2 rounds`.
pub(super) fn pluralize(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_keep_what_matters() {
        assert_eq!(format_signed_percent(0.1), "+10.0%");
        assert_eq!(format_signed_percent(-0.0012), "-0.12%");
        assert_eq!(format_signed_percent(0.000_28), "+0.03%");
        assert_eq!(format_signed_percent(0.000_002), "+0.0002%");
        assert_eq!(format_signed_percent(11.5), "+1150%");
        assert_eq!(format_signed_percent(0.0), "0%");
        assert_eq!(format_percent(0.005), "0.5%");
        assert_eq!(format_percent(0.02), "2%");
        assert_eq!(format_percent(1.0), "100%");
    }
}

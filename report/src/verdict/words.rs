//! The contract's identifiers and values as people say them.

use profile::Metric;
use profile::verdict::{Audit, BenchmarkVerdict, Outcome, Report, StageName, Verdict};

use crate::{number, text};

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Regression => "regression",
        Verdict::Improvement => "improvement",
        Verdict::Mixed => "mixed",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Skipped => "skipped",
    }
}

/// What became of a benchmark, as the label of those of which it did.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Regression => "worse",
        Outcome::Failed => "failed",
        Outcome::Removed => "removed",
        Outcome::Inconclusive => "not told",
        Outcome::Improvement => "better",
        Outcome::Pass => "unchanged",
        Outcome::Added => "new",
        Outcome::SameCode => "same code",
        Outcome::Skipped => "skipped",
    }
}

/// The label again, as a clause.
pub(super) fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Regression => "measured, and got worse",
        Outcome::Failed => "runs at the base and fails at the head",
        Outcome::Removed => "not there any more",
        Outcome::Inconclusive => "too few runs, or too much noise",
        Outcome::Improvement => "measured, and got better",
        Outcome::Pass => "measured, and did not move",
        Outcome::Added => "without a base to compare with",
        Outcome::SameCode => "compiled to the same machine code, not run",
        Outcome::Skipped => "ruled out by the score, not run",
    }
}

pub(super) fn stage(stage: StageName) -> &'static str {
    match stage {
        StageName::Source => "source",
        StageName::Build => "build",
        StageName::Counts => "counts",
        StageName::WallTime => "wall time",
    }
}

/// A value in its metric's unit.
pub(super) fn value(metric: Metric, value: Option<f64>) -> String {
    let Some(value) = value else {
        return String::from("-");
    };
    match metric {
        Metric::WallTime => number::time(value),
        Metric::AllocatedBytes | Metric::PeakBytes if value >= 0.0 => number::bytes(value as u64),
        _ => number::cost(value),
    }
}

/// The relative change, or why there is none.
pub(super) fn change(entry: &BenchmarkVerdict) -> String {
    match (entry.change, entry.base) {
        (Some(change), _) => number::change(change),
        (None, Some(0.0)) => String::from("from none"),
        (None, _) => String::from("-"),
    }
}

/// The bounds of the change; nothing where the runs did not differ.
pub(super) fn range(entry: &BenchmarkVerdict) -> String {
    match (entry.low, entry.high) {
        (Some(low), Some(high)) if low == high => String::from("exact"),
        (Some(low), Some(high)) => {
            format!("{} to {}", number::change(low), number::change(high))
        }
        (Some(low), None) => format!("{} at least", number::change(low)),
        _ => String::from("-"),
    }
}

pub(super) fn ratio(entry: &BenchmarkVerdict) -> String {
    entry
        .change
        .map_or_else(|| String::from("-"), number::ratio)
}

/// What the audits say: `1 of 60 skipped versions that were measured had a regression: 1.7% (0% to 8.9% at 95%)`.
pub(super) fn audit(audit: &Audit) -> String {
    let share = if audit.measured == 0 {
        0.0
    } else {
        f64::from(audit.missed) / f64::from(audit.measured)
    };
    format!(
        "{} of {} that were measured all the same had a regression: {} missed ({} to {} at 95%)",
        audit.missed,
        number::of(audit.measured as usize, "skipped version"),
        number::share(share),
        number::share(audit.low),
        number::share(audit.high)
    )
}

/// What the JSON says of an environment and a page does not.
const LONG_FACTS: [&str; 2] = ["build settings", "definitions"];

/// `processor: x86_64, 2 cores; rustc: 1.95.0`.
pub(super) fn environment(report: &Report) -> String {
    let told = |name: &str| !LONG_FACTS.contains(&name);
    let pairs: Vec<String> = report
        .environment
        .iter()
        .filter(|(name, _)| told(name))
        .map(|(name, value)| format!("{} {}", text::safe(name), text::safe(value)))
        .collect();
    pairs.join("; ")
}

/// Whether the changed code can be why.
pub(super) fn reachable(reachable: Option<bool>) -> &'static str {
    match reachable {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_their_unit() {
        assert_eq!(value(Metric::Instructions, Some(12_345_678.0)), "12.3 M");
        assert_eq!(value(Metric::WallTime, Some(1_234_567.0)), "1.23 ms");
        assert_eq!(value(Metric::PeakBytes, Some(65_536.0)), "65.5 kB");
        assert_eq!(value(Metric::Allocations, None), "-");
    }
}

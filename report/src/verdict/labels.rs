//! Identifiers and values of the contract → labels for people.

use verdict::Metric;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, CascadeStageName, SkipAudit, Verdict, VerdictReport};

use crate::{number_format, text};

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Regression => "regression",
        Verdict::Improvement => "improvement",
        Verdict::Mixed => "mixed",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Skipped => "skipped",
    }
}

/// Group heading for an outcome.
pub(super) fn outcome(outcome: BenchmarkOutcome) -> &'static str {
    match outcome {
        BenchmarkOutcome::Regression => "worse",
        BenchmarkOutcome::Failed => "failed",
        BenchmarkOutcome::Removed => "removed",
        BenchmarkOutcome::Inconclusive => "inconclusive",
        BenchmarkOutcome::Improvement => "better",
        BenchmarkOutcome::Pass => "unchanged",
        BenchmarkOutcome::Added => "new",
        BenchmarkOutcome::SameCode => "same code",
        BenchmarkOutcome::Skipped => "skipped",
    }
}

/// The meaning of an outcome, as a clause.
pub(super) fn meaning(outcome: BenchmarkOutcome) -> &'static str {
    match outcome {
        BenchmarkOutcome::Regression => "measured, and got worse",
        BenchmarkOutcome::Failed => "runs at the base and fails at the head",
        BenchmarkOutcome::Removed => "removed at the head",
        BenchmarkOutcome::Inconclusive => "too few runs, or too much noise",
        BenchmarkOutcome::Improvement => "measured, and got better",
        BenchmarkOutcome::Pass => "measured, and did not change",
        BenchmarkOutcome::Added => "without a base to compare with",
        BenchmarkOutcome::SameCode => "compiled to the same machine code, not run",
        BenchmarkOutcome::Skipped => "not likely to change, not run",
    }
}

pub(super) fn stage(stage: CascadeStageName) -> &'static str {
    match stage {
        CascadeStageName::Source => "source",
        CascadeStageName::HeadBuild => "head build",
        CascadeStageName::LastMeasured => "last measured",
        CascadeStageName::Build => "build",
        CascadeStageName::Counts => "counts",
        CascadeStageName::WallTime => "wall time",
    }
}

/// A value in its metric's unit.
pub(super) fn value(metric: Metric, value: Option<f64>) -> String {
    let Some(value) = value else {
        return String::from("-");
    };
    match metric {
        Metric::WallTime => number_format::nanoseconds(value),
        Metric::BuildTime => number_format::duration(value),
        Metric::AllocatedBytes | Metric::PeakBytes | Metric::ExecutedCodeSize | Metric::BinarySize if value >= 0.0 => {
            number_format::bytes(value as u64)
        }
        Metric::AllocatedBytes
        | Metric::PeakBytes
        | Metric::ExecutedCodeSize
        | Metric::BinarySize
        | Metric::Instructions
        | Metric::Operations
        | Metric::Allocations => number_format::cost(value),
    }
}

/// The relative change, or the reason for its absence.
pub(super) fn change(entry: &BenchmarkVerdict) -> String {
    match (entry.change, entry.base) {
        (Some(change), _) => number_format::change(change),
        (None, Some(0.0)) => String::from("from zero"),
        (None, _) => String::from("-"),
    }
}

/// The bounds of the change; nothing where the runs did not differ.
pub(super) fn range(entry: &BenchmarkVerdict) -> String {
    match (entry.low, entry.high) {
        (Some(low), Some(high)) if low == high => String::from("exact"),
        (Some(low), Some(high)) => {
            format!("{} to {}", number_format::change(low), number_format::change(high))
        }
        (Some(low), None) => format!("{} at least", number_format::change(low)),
        _ => String::from("-"),
    }
}

pub(super) fn ratio(entry: &BenchmarkVerdict) -> String {
    entry.change.map_or_else(|| String::from("-"), number_format::ratio)
}

/// How many times the base's value the head's is: `1.10 ×`, `1.006 ×`, `from zero`.
pub(crate) fn times(entry: &BenchmarkVerdict) -> String {
    match (entry.change, entry.base) {
        (Some(change), _) => format!("{} ×", factor(1.0 + change)),
        (None, Some(0.0)) => String::from("from zero"),
        (None, _) => String::from("-"),
    }
}

/// The bounds of that factor.
pub(crate) fn times_range(entry: &BenchmarkVerdict) -> String {
    match (entry.low, entry.high) {
        (Some(low), Some(high)) if low == high => String::from("exact"),
        (Some(low), Some(high)) => {
            let (low, high) = (factor(1.0 + low), factor(1.0 + high));
            if low == high {
                format!("{low} ×")
            } else {
                format!("{low} to {high} ×")
            }
        }
        (Some(low), None) => format!("{} × at least", factor(1.0 + low)),
        _ => String::from("-"),
    }
}

/// A factor, so that a change that counts (0.5%) shows.
fn factor(factor: f64) -> String {
    match factor {
        f if !f.is_finite() || f < 0.0 => String::from("?"),
        f if f >= 99.95 => format!("{f:.0}"),
        f if f >= 9.995 => format!("{f:.1}"),
        f if (f - 1.0).abs() < 0.0995 => format!("{f:.3}"),
        f => format!("{f:.2}"),
    }
}

/// The change of a benchmark, as a clause: `is 1.10 × slower (instructions)`.
pub(crate) fn moved(entry: &BenchmarkVerdict) -> String {
    let metric = entry.metric;
    let Some(change) = entry.change else {
        return format!("has {metric} where it had none");
    };
    let unit = match metric {
        Metric::WallTime => String::new(),
        Metric::Instructions
        | Metric::Operations
        | Metric::AllocatedBytes
        | Metric::Allocations
        | Metric::PeakBytes
        | Metric::ExecutedCodeSize
        | Metric::BinarySize
        | Metric::BuildTime => format!(" ({metric})"),
    };
    match metric {
        Metric::WallTime | Metric::Instructions | Metric::Operations if change >= 0.0 => {
            format!("is {} × slower{unit}", factor(1.0 + change))
        }
        Metric::WallTime | Metric::Instructions | Metric::Operations => {
            format!("is {} × faster{unit}", factor(1.0 / (1.0 + change)))
        }
        Metric::AllocatedBytes
        | Metric::Allocations
        | Metric::PeakBytes
        | Metric::ExecutedCodeSize
        | Metric::BinarySize
        | Metric::BuildTime => format!("has {} × the {metric}", factor(1.0 + change)),
    }
}

/// A size or a build time that nobody asked for and that changed, in words: `binary size of speed 412 kB → 430 kB
/// (+4.4%)`.
pub(crate) fn byproduct(entry: &BenchmarkVerdict, name: &str) -> String {
    let (base, head) = (value(entry.metric, entry.base), value(entry.metric, entry.head));
    let change = change(entry);
    match entry.metric {
        Metric::BuildTime => format!("{} {base} → {head} ({change}, one build of each)", entry.metric),
        Metric::Instructions
        | Metric::Operations
        | Metric::WallTime
        | Metric::AllocatedBytes
        | Metric::Allocations
        | Metric::PeakBytes
        | Metric::ExecutedCodeSize
        | Metric::BinarySize => format!("{} of {name} {base} → {head} ({change})", entry.metric),
    }
}

/// `slower` where every entry measures time or work, else `worse`.
pub(crate) fn worse_or_slower<'a>(
    mut entries: impl Iterator<Item = &'a BenchmarkVerdict>,
    [of_time, of_all]: [&'static str; 2],
) -> &'static str {
    let is_of_time = |metric| matches!(metric, Metric::WallTime | Metric::Instructions | Metric::Operations);
    if entries.all(|entry| is_of_time(entry.metric)) {
        of_time
    } else {
        of_all
    }
}

/// The audits: `1 of 60 skipped versions that were measured had a regression: 1.7% (0% to 8.9% at 95%)`.
pub(crate) fn audit(audit: &SkipAudit) -> String {
    let share = if audit.measured == 0 {
        0.0
    } else {
        f64::from(audit.missed) / f64::from(audit.measured)
    };
    format!(
        "{} of {} that were measured anyway had a regression: {} missed ({} to {} at 95%)",
        audit.missed,
        number_format::counted_noun(audit.measured as usize, "skipped version"),
        number_format::share(share),
        number_format::share(audit.low),
        number_format::share(audit.high)
    )
}

/// Facts of the environment that are too long for a page; the JSON has them.
const LONG_FACTS: [&str; 4] = ["build settings", "definitions", "loaded files", "passed variables"];

/// `processor: x86_64, 2 cores; rustc: 1.95.0`.
pub(super) fn environment(report: &VerdictReport) -> String {
    let told = |name: &str| !LONG_FACTS.contains(&name);
    let pairs: Vec<String> = report
        .environment
        .iter()
        .filter(|(name, _)| told(name))
        .map(|(name, value)| format!("{} {}", text::safe(name), text::safe(value)))
        .collect();
    pairs.join("; ")
}

/// Whether the changed code can reach the benchmark.
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

    fn entry(metric: Metric, change: Option<f64>) -> BenchmarkVerdict {
        let mut entry = super::super::fixture::entry("a", BenchmarkOutcome::Regression);
        entry.metric = metric;
        entry.change = change;
        entry
    }

    #[test]
    fn a_movement_is_told_as_a_factor_in_its_own_words() {
        let told = |metric, change| moved(&entry(metric, Some(change)));
        assert_eq!(told(Metric::WallTime, 0.1), "is 1.10 × slower");
        assert_eq!(told(Metric::Instructions, -0.34), "is 1.52 × faster (instructions)");
        assert_eq!(told(Metric::PeakBytes, 0.006), "has 1.006 × the peak bytes");
        assert_eq!(
            moved(&entry(Metric::Allocations, None)),
            "has allocations where it had none"
        );
        assert_eq!(told(Metric::WallTime, -1.0), "is ? × faster");
    }

    #[test]
    fn sizes_and_build_times_have_units_of_their_own() {
        assert_eq!(value(Metric::BinarySize, Some(412_345.0)), "412 kB");
        assert_eq!(value(Metric::ExecutedCodeSize, Some(812.0)), "812 B");
        assert_eq!(value(Metric::BuildTime, Some(12.34)), "12 s");
        let told = moved(&entry(Metric::BinarySize, Some(0.05)));
        assert_eq!(told, "has 1.050 × the binary size");
    }

    #[test]
    fn factors_have_the_digits_that_count() {
        let shown = [0.66, 1.006, 1.1, 12.34, 150.0, -1.0, f64::NAN].map(factor);
        assert_eq!(shown, ["0.66", "1.006", "1.10", "12.3", "150", "?", "?"]);
    }
}

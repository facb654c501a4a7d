//! Reasons of findings and verdicts → sentences, as the contract `lito.verdict/1` stores them.
//!
//! Decides nothing: every reason names the rule and the figures that `verdict` decided on. What repositories wrote into
//! evidence is made safe here; names in reasons are made safe where they are shown.

use verdict::drift::Drift;
use verdict::wall_time::MOST_ROUNDS;
use verdict::{
    ComparedVersion, CountReason, CountStanding, CountedThreshold, EarlierVersion, FindingReason, Metric,
    MissingMeasurements, MovedBenchmarks, ReachabilityEvidence, ThresholdSource, TimedChange, TimingReason,
    TimingThreshold, UnchangedBenchmarks, UncountedRegressions, UndecidedBenchmarks, UnmeasuredReason, VerdictCause,
    VerdictReason,
};

use crate::number_format::{count, counted_noun, probability};
use crate::text;

/// Functions of a call path that a sentence names; those in the middle are counted.
const PATH_SHOWN: usize = 6;

/// Risks below this are not told apart: the model is not calibrated finer.
const SMALLEST_RISK: f64 = 0.01;

/// The reason of the overall verdict.
#[must_use]
pub fn overall(reason: &VerdictReason) -> String {
    let uncounted = reason.uncounted.as_ref().map(uncounted).unwrap_or_default();
    cause(&reason.cause) + &uncounted
}

/// The reason of one benchmark's outcome in one metric.
#[must_use]
pub fn finding(metric: Metric, reason: &FindingReason) -> String {
    match reason {
        FindingReason::Counted(reason) => counted(metric, reason),
        FindingReason::CountedBefore {
            reason,
            measured,
            standing,
        } => {
            format!("{}, {}", counted(metric, reason), counted_before(measured, *standing))
        }
        FindingReason::Timed(reason) => timed(*reason),
        FindingReason::TimedUntilBudget(reason) => format!("{}; {OUT_OF_BUDGET}", timed(*reason)),
        FindingReason::BuiltOnce => String::from("one build of each version does not tell a change from noise"),
        FindingReason::Unmeasured(reason) => unmeasured(reason),
    }
}

fn counted_before(measured: &EarlierVersion, standing: CountStanding) -> String {
    let between = match standing {
        CountStanding::Likely => "is likely to change it",
        CountStanding::Proved => "can change it",
    };
    match measured.versions {
        0 => String::from("compared with an earlier measurement of the base, which is not built again"),
        versions => format!(
            "compared with {}, {} before the base, which is not built: nothing between them {between}",
            text::short_id(&measured.commit),
            counted_noun(versions as usize, "version")
        ),
    }
}

/// The evidence for whether the changed code can reach a benchmark.
#[must_use]
pub fn evidence(evidence: &ReachabilityEvidence) -> String {
    match evidence {
        ReachabilityEvidence::NoProfile => String::from("no profile shows which functions it executes"),
        ReachabilityEvidence::ExecutesChange {
            changed,
            file,
            line,
            executions,
        } => {
            let place = match line {
                0 => String::new(),
                line => format!(" ({}:{line})", text::safe(file)),
            };
            let runs = match executions {
                0 => String::new(),
                1 => String::from(" and runs once in it"),
                times => format!(" and runs {} times in it", count(*times)),
            };
            format!("`{}`{place} changed{runs}", text::safe(changed))
        }
        ReachabilityEvidence::NotAnalyzed { file, why } => {
            format!("{} could not be analysed: {}", text::safe(file), text::safe(why))
        }
        ReachabilityEvidence::ExecutesNoChange { distance } => format!(
            "it executes none of the changed code, by its profile from {} before",
            counted_noun(*distance as usize, "version")
        ),
        ReachabilityEvidence::ExecutesChangedCode { function } => {
            format!(
                "the benchmark executes {}, whose machine code changed",
                text::safe(function)
            )
        }
        ReachabilityEvidence::ReachesChangedCode { path } => {
            format!("a changed function can be reached: {}", text::safe(&call_path(path)))
        }
        ReachabilityEvidence::ReachesNoChangedCode { functions } => {
            format!("no changed function is among the {functions} that the benchmark can reach")
        }
        ReachabilityEvidence::UnknownCode { why } => format!("unknown: {}", text::safe(why)),
    }
}

fn call_path(path: &[String]) -> String {
    if path.len() <= PATH_SHOWN {
        return path.join(" → ");
    }
    let (first, last) = (PATH_SHOWN / 2, path.len() - PATH_SHOWN / 2);
    let between = format!("({} more)", last - first);
    [&path[..first], &[between], &path[last..]].concat().join(" → ")
}

fn cause(cause: &VerdictCause) -> String {
    match cause {
        VerdictCause::Regressed(worse) => moved(worse, "worse"),
        VerdictCause::Improved(better) => moved(better, "better"),
        VerdictCause::Mixed { worse, better } => format!("{}; {}", moved(worse, "worse"), moved(better, "better")),
        VerdictCause::Undecided(benchmarks) => undecided(benchmarks),
        VerdictCause::Unchanged(benchmarks) => format!("nothing changed: {}", unchanged(*benchmarks)),
        VerdictCause::AllSkipped { benchmarks, risk } => unlikely(*benchmarks, *risk),
        VerdictCause::SameCommit => String::from("base and head are the same commit"),
        VerdictCause::NothingCompiledChanged => String::from("nothing that a benchmark compiles changed"),
        VerdictCause::NoBenchmark => String::from("there is no benchmark at the base or the head"),
        VerdictCause::NothingDelivered(missing) => format!("nothing was measured: {}", not_delivered(missing)),
    }
}

/// `none of the 22 benchmarks is likely to change (risk < 1%)`.
fn unlikely(benchmarks: usize, risk: Option<f64>) -> String {
    let subject = match benchmarks {
        1 => String::from("the only benchmark is not"),
        more => format!("none of the {} benchmarks is", count(more as u64)),
    };
    let risk = match risk {
        None => String::new(),
        Some(risk) if risk < SMALLEST_RISK => format!(" (risk < {})", format_percent(SMALLEST_RISK)),
        Some(risk) => format!(" (risk at most {})", probability(risk)),
    };
    format!("{subject} likely to change{risk}")
}

/// `2 benchmarks got worse, most of all `parse/large`: instructions +10.0%`.
fn moved(benchmarks: &MovedBenchmarks, how: &str) -> String {
    let MovedBenchmarks {
        count,
        largest,
        metric,
        change,
    } = benchmarks;
    let by = change.map_or_else(|| String::from("from zero"), format_signed_percent);
    if *count == 1 {
        return format!("`{largest}` got {how}: {metric} {by}");
    }
    let benchmarks = counted_noun(*count, "benchmark");
    format!("{benchmarks} got {how}, most of all `{largest}`: {metric} {by}")
}

/// `no regression was found, but `a` fails at the head, and 2 benchmarks are inconclusive`.
fn undecided(benchmarks: &UndecidedBenchmarks) -> String {
    let part = |names: &[String], one: &str, more: &str| match names {
        [] => None,
        [name] => Some(format!("`{name}` {one}")),
        names => Some(format!("{} {more}", counted_noun(names.len(), "benchmark"))),
    };
    let parts: Vec<String> = [
        part(&benchmarks.failed, "fails at the head", "fail at the head"),
        part(&benchmarks.removed, "was removed", "were removed"),
        part(&benchmarks.inconclusive, "is inconclusive", "are inconclusive"),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("no regression was found, but {}", parts.join(", and "))
}

/// `3 measured, 2 compiled to the same code, 14 not likely to change`.
fn unchanged(benchmarks: UnchangedBenchmarks) -> String {
    let parts: Vec<String> = [
        (benchmarks.measured, "measured"),
        (benchmarks.added, "new"),
        (benchmarks.same_code, "compiled to the same code"),
        (benchmarks.skipped, "not likely to change"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, how)| format!("{count} {how}"))
    .collect();
    parts.join(", ")
}

fn uncounted(regressions: &UncountedRegressions) -> String {
    let UncountedRegressions {
        count,
        benchmark,
        metric,
    } = regressions;
    match count {
        1 => format!("; not part of the verdict: `{benchmark}` got worse in {metric}"),
        count => format!("; not part of the verdict: {count} benchmarks got worse in other metrics"),
    }
}

fn counted(metric: Metric, reason: &CountReason) -> String {
    let CountedVerbs {
        are,
        were,
        differ,
        repeat,
    } = CountedVerbs::of(metric);
    match *reason {
        CountReason::NoCount => format!("{metric} {were} not counted at both versions"),
        CountReason::Equal => format!("{metric} {are} the same"),
        CountReason::SubjectNotReached(version) => {
            format!(
                "no {metric} were counted at {}: its subject was not reached",
                named(version)
            )
        }
        CountReason::SmallDifference { difference, smallest } => {
            format!("{metric} {differ} by {difference:.0}; differences below {smallest:.0} do not count")
        }
        CountReason::FromZero { head } => format!("{metric} {were} 0 at the base and {are} {head:.0} at the head"),
        CountReason::ZeroInSomeRuns { highest } => {
            format!("{metric} {were} 0 in some runs and up to {highest:.0} at the head in others")
        }
        CountReason::WithinThreshold { change, threshold } => {
            let by = format_signed_percent(change);
            format!("{metric} changed by {by}, within {}", count_threshold(threshold))
        }
        CountReason::BeyondThreshold { change, threshold } => {
            let verb = if change > 0.0 { "rose" } else { "fell" };
            let by = format_percent(change.abs());
            format!("{metric} {verb} by {by}, more than {}", count_threshold(threshold))
        }
        CountReason::HeadScatters {
            lowest,
            highest,
            base_spread,
            threshold,
        } => {
            let (lowest, highest) = (format_signed_percent(lowest), format_signed_percent(highest));
            let base = match base_spread {
                0.0 => String::from("while those of the base do"),
                spread => format!("nearly as well as those of the base ({})", format_percent(spread)),
            };
            format!(
                "{metric} of the head {repeat} {base}: runs of the head are {lowest} to {highest} from the base, \
                 not all of them within {}",
                count_threshold(threshold)
            )
        }
        CountReason::RunsOverlap { change, threshold } => format!(
            "{metric} changed by {}, more than {}, but not in every run: no version repeats",
            format_signed_percent(change),
            count_threshold(threshold)
        ),
        CountReason::Drifted {
            step,
            ref drift,
            threshold,
        } => drifted(metric, step, drift, threshold),
    }
}

/// The verbs of a metric's name, which is in the plural for all but sizes and times.
struct CountedVerbs {
    are: &'static str,
    were: &'static str,
    differ: &'static str,
    repeat: &'static str,
}

impl CountedVerbs {
    fn of(metric: Metric) -> Self {
        match metric {
            Metric::Instructions
            | Metric::Operations
            | Metric::AllocatedBytes
            | Metric::Allocations
            | Metric::PeakBytes => Self {
                are: "are",
                were: "were",
                differ: "differ",
                repeat: "do not repeat",
            },
            Metric::ExecutedCodeSize | Metric::BinarySize | Metric::WallTime | Metric::BuildTime => Self {
                are: "is",
                were: "was",
                differ: "differs",
                repeat: "does not repeat",
            },
        }
    }
}

/// `instructions rose by 5.2% since 0123456, in 11 versions, of which none was measured beyond the noise floor of 0.1%;
/// by 0.04% in this one`.
fn drifted(metric: Metric, step: Option<f64>, drift: &Drift, threshold: CountedThreshold) -> String {
    let by = match drift.change {
        Some(change) => format!("by {}", format_percent(change)),
        None => format!("from 0 by {:.0}", drift.difference),
    };
    let here = step.map_or_else(String::new, |step| format!("; by {} in this one", format_percent(step)));
    format!(
        "{metric} rose {by} since {}, in {}, of which none was measured beyond {}{here}",
        text::short_id(&drift.since.version),
        counted_noun(drift.since.versions as usize, "version"),
        count_threshold(threshold)
    )
}

/// `the noise floor of 0.1%`.
fn count_threshold(threshold: CountedThreshold) -> String {
    let source = match threshold.source {
        ThresholdSource::NoiseFloor => "noise floor",
        ThresholdSource::UserMinimum => "configured minimum",
        ThresholdSource::History => "usual difference between runs of one version",
        ThresholdSource::RunSpread => "difference between runs of the base",
        ThresholdSource::Notable => "smallest change that is told",
    };
    if threshold.value.is_finite() {
        format!("the {source} of {}", format_percent(threshold.value))
    } else {
        format!("the {source}")
    }
}

fn timed(reason: TimingReason) -> String {
    match reason {
        TimingReason::NoRound => String::from("no round has a time of both versions"),
        TimingReason::TooFewRounds { rounds, needed } => format!(
            "{} measured within the budget; a decision needs {needed}",
            counted_noun(rounds, "round")
        ),
        TimingReason::Significant { change, threshold, p } => {
            let how = if change.estimate > 0.0 { "slower" } else { "faster" };
            format!(
                "{how}: {}, more than {}; p = {}",
                estimate(change),
                time_threshold(threshold),
                p_value(p)
            )
        }
        TimingReason::WithinMinimum { change, minimum } => format!(
            "{}, within the smallest change that counts, {}",
            interval(change),
            format_percent(minimum)
        ),
        TimingReason::NotSignificant { change, p, benchmarks } => format!(
            "{}, but p = {} is not significant among {}{}",
            estimate(change),
            p_value(p),
            counted_noun(benchmarks, "benchmark"),
            last_round(change)
        ),
        TimingReason::BelowThreshold { change, threshold } => {
            let threshold = time_threshold(threshold);
            format!("{}, not more than {threshold}{}", estimate(change), last_round(change))
        }
        TimingReason::TooNoisy { change, minimum } => format!(
            "{}: too noisy to detect a change of {}{}",
            interval(change),
            format_percent(minimum),
            last_round(change)
        ),
    }
}

/// Why an undecided benchmark had no more rounds, unless its budget ended them.
fn last_round(change: TimedChange) -> &'static str {
    if change.rounds < MOST_ROUNDS {
        ""
    } else {
        "; no further round is measured"
    }
}

/// `+5.0% (+4.1% to +5.9%) over 40 rounds`.
fn estimate(change: TimedChange) -> String {
    format!(
        "{} ({} to {}) over {}",
        format_signed_percent(change.estimate),
        format_signed_percent(change.low),
        format_signed_percent(change.high),
        counted_noun(change.rounds, "round")
    )
}

/// `-1.2% to +4.4% over 80 rounds`.
fn interval(change: TimedChange) -> String {
    format!(
        "{} to {} over {}",
        format_signed_percent(change.low),
        format_signed_percent(change.high),
        counted_noun(change.rounds, "round")
    )
}

fn time_threshold(threshold: TimingThreshold) -> String {
    match threshold {
        TimingThreshold::Minimum(minimum) => format!("the smallest change that counts, {}", format_percent(minimum)),
        TimingThreshold::BaseNoise(noise) => {
            format!("the difference of the base from itself, {}", format_percent(noise))
        }
    }
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        String::from("0.0001 or less")
    } else if p < 0.1 {
        format!("{p:.4}")
    } else {
        format!("{p:.2}")
    }
}

const OUT_OF_BUDGET: &str = "the time for measuring was used up: raise the budget, or measure fewer benchmarks";

fn unmeasured(reason: &UnmeasuredReason) -> String {
    match reason {
        UnmeasuredReason::RemovedAtHead => String::from("the head does not have it"),
        UnmeasuredReason::NewAtHead => String::from("the base does not have it"),
        UnmeasuredReason::DoesNotBuild { version, complaint } => {
            format!("it does not build at {}: {complaint}", named(*version))
        }
        UnmeasuredReason::NotComparable { why } | UnmeasuredReason::NoTool { why } => why.clone(),
        UnmeasuredReason::SameProgramAs { measured } => match measured.versions {
            0 => String::from("the base was measured before, and the head compiles to the same machine code"),
            versions => format!(
                "{}, {} before the base, was measured, and the head compiles to the same machine code",
                text::short_id(&measured.commit),
                counted_noun(versions as usize, "version")
            ),
        },
        UnmeasuredReason::SameProgram { functions } => format!(
            "all {} that it can reach compile to the same machine code",
            counted_noun(*functions, "function")
        ),
        UnmeasuredReason::SameExecutedCode { functions } => format!(
            "all {} that the base executed compile to the same machine code at the head, which was not run",
            counted_noun(*functions, "function")
        ),
        UnmeasuredReason::PredictedUnchanged { probability: chance } => {
            format!("{} chance of exceeding the threshold", probability(*chance))
        }
        UnmeasuredReason::Fails {
            version: ComparedVersion::Base,
            error,
        } => format!("it fails at the base, so there is nothing to compare with: {error}"),
        UnmeasuredReason::Fails {
            version: ComparedVersion::Head,
            error,
        } => format!("it fails at the head: {error}"),
        UnmeasuredReason::FailsAtBoth { error } => format!("it fails at both versions: {error}"),
        UnmeasuredReason::OutOfBudget => String::from(OUT_OF_BUDGET),
        UnmeasuredReason::Interrupted => String::from("interrupted before it was measured"),
        UnmeasuredReason::NotRun => String::from("nothing was measured"),
        UnmeasuredReason::NotDelivered(missing) => not_delivered(missing),
        UnmeasuredReason::Reported { reason } => reason.clone(),
    }
}

fn not_delivered(missing: &MissingMeasurements) -> String {
    match missing {
        MissingMeasurements::NotReported => String::from("the measuring job did not report it"),
        MissingMeasurements::MetricNotReported { metric } => {
            format!("the measuring job did not report its {metric}, which the settings require")
        }
        MissingMeasurements::CalledNew => {
            String::from("the measuring job calls it new, and it is in the sample of an earlier version")
        }
        MissingMeasurements::OutcomeWithoutValues => {
            String::from("the measuring job left an outcome without the values that show it")
        }
        MissingMeasurements::ReportedTwice => String::from("the measuring job reported a benchmark twice"),
        MissingMeasurements::OtherSchema => {
            format!(
                "what the measuring job left does not follow {}",
                verdict::MEASUREMENTS_SCHEMA
            )
        }
        MissingMeasurements::OtherVersions => String::from("the measuring job measured other versions"),
        MissingMeasurements::TooManyResults { limit } => {
            format!("the measuring job left more than {limit} results")
        }
        MissingMeasurements::TextTooLong { limit } => {
            format!("the measuring job left a text of more than {limit} bytes")
        }
        MissingMeasurements::ImpossibleNumbers => String::from("the measuring job left impossible numbers"),
        MissingMeasurements::UnreadableArtifact { error } => error.clone(),
        MissingMeasurements::NoMeasurements { conclusion } => {
            format!("the measuring job left no measurements; it ended with `{conclusion}`")
        }
        MissingMeasurements::Malformed { error } => {
            format!("the measuring job left malformed measurements: {error}")
        }
    }
}

fn named(version: ComparedVersion) -> &'static str {
    match version {
        ComparedVersion::Base => "the base",
        ComparedVersion::Head => "the head",
    }
}

/// A relative change with its sign: `+3.4%`, `-0.12%`, with more digits than a table has room for.
fn format_signed_percent(change: f64) -> String {
    if change == 0.0 {
        return String::from("0%");
    }
    format!("{:+.*}%", decimals(change), change * 100.0)
}

/// A share: `0.5%`, `12%`.
fn format_percent(share: f64) -> String {
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

#[cfg(test)]
mod tests;

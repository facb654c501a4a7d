//! The reason for a decision → one sentence.

use analyzer::change::ChangeKind;
use analyzer::score::{DecisionCause, DecisionReason, PredictedMovement, ScoreDecision, VersionScore};

use super::labels;
use crate::number_format::counted_noun;

/// The decision's reason, and before it, what a gate runs all the same: a line that is cut still says it.
#[must_use]
pub fn decision_sentence(version: &VersionScore) -> String {
    let reason = reason_sentence(&version.reason);
    match (version.decision, version.changed_benchmarks.as_slice()) {
        (ScoreDecision::Benchmark, _) | (ScoreDecision::Skip, []) => reason,
        (ScoreDecision::Skip, [file]) => format!("a gate runs every benchmark, since {file} changed; {reason}"),
        (ScoreDecision::Skip, [file, more @ ..]) => format!(
            "a gate runs every benchmark, since {file} and {} changed; {reason}",
            counted_noun(more.len(), "more source")
        ),
    }
}

/// The reason in one sentence. Names stand in it as they are: whoever shows it makes them safe.
#[must_use]
pub fn reason_sentence(reason: &DecisionReason) -> String {
    match reason {
        DecisionReason::FirstVersion => "the first version: there is none to compare it with".to_owned(),
        DecisionReason::NothingCompiledChanged => {
            "only docs, tests or code that nothing compiles or calls changed".to_owned()
        }
        DecisionReason::NoSample(risk) => {
            // The change comes first: a line that is cut still says it.
            let risk = risk.as_ref().map_or_else(String::new, |cause| match cause {
                DecisionCause::Change { kind, callee, place } => change(*kind, callee.as_deref(), place) + "; ",
                DecisionCause::ReadFile { file } => format!("a benchmark may read {file}, which changed; "),
                DecisionCause::NotAnalysed { file } => format!("the effect of {file} is not known; "),
            });
            format!("{risk}no sample to predict from (`lito sample` takes one)")
        }
        DecisionReason::EmptySample => "the sample holds no benchmark".to_owned(),
        DecisionReason::NotExecuted => "no benchmark executes what changed".to_owned(),
        DecisionReason::BelowThreshold {
            benchmark,
            movement,
            threshold,
        } => below_threshold(benchmark, *movement, *threshold),
        DecisionReason::NewerBenchmarks { source } => {
            format!("{source} has benchmarks that came or changed since the sample, and they may execute what changed")
        }
        DecisionReason::LeftOutBenchmarks { benchmarks } => format!(
            "{} left out of the sample, and may execute what changed (`lito sample` takes more of them)",
            counted_noun(*benchmarks, "benchmark") + if *benchmarks == 1 { " is" } else { " are" }
        ),
        DecisionReason::Selected {
            benchmark,
            movement,
            cause,
        } => {
            let cause = cause.as_ref().map_or_else(String::new, |cause| match cause {
                DecisionCause::Change { kind, callee, place } => {
                    format!(", most of it from {}", change(*kind, callee.as_deref(), place))
                }
                DecisionCause::ReadFile { file } => format!(", since it depends on {file}, which changed"),
                DecisionCause::NotAnalysed { file } => format!(", since the effect of {file} is not known"),
            });
            selected(benchmark, *movement, &cause)
        }
    }
}

fn below_threshold(benchmark: &str, movement: PredictedMovement, threshold: f64) -> String {
    match movement {
        PredictedMovement::Sum { predicted } => format!(
            "the calls that changed cost {benchmark} at most {}, below {}",
            percent(predicted),
            share(threshold)
        ),
        PredictedMovement::Range {
            low,
            expected: predicted,
            high,
            probability,
        } => format!(
            "{benchmark} can change by {} to {}{}: {} of reaching {}",
            percent(low),
            percent(high),
            expected(predicted),
            chance(probability),
            share(threshold)
        ),
    }
}

fn selected(benchmark: &str, movement: PredictedMovement, cause: &str) -> String {
    match movement {
        PredictedMovement::Sum { predicted } => {
            format!("{benchmark} is predicted to change by {}{cause}", percent(predicted))
        }
        PredictedMovement::Range {
            low,
            expected: predicted,
            high,
            probability: _,
        } => format!(
            "{benchmark} may change by {} to {}{}{cause}",
            percent(low),
            percent(high),
            expected(predicted)
        ),
    }
}

/// `call added (k::g) in k::f`.
fn change(kind: ChangeKind, callee: Option<&str>, place: &str) -> String {
    let callee = callee.map_or_else(String::new, |callee| format!(" ({callee})"));
    format!("{}{callee} in {place}", labels::kind(kind))
}

/// `, expected +3.4%`; nothing where no change is expected, only possible.
fn expected(predicted: f64) -> String {
    if (predicted * 1000.0).round() == 0.0 {
        return String::new();
    }
    format!(", expected {}", percent(predicted))
}

/// From here on a figure only says that it is far too much.
const BEYOND: f64 = 10.0;

/// A signed relative change: `+3.4%`.
fn percent(relative: f64) -> String {
    if relative > BEYOND {
        return format!("more than +{:.0}%", BEYOND * 100.0);
    }
    // Minus zero would print its sign.
    let percent = (relative * 1000.0).round() / 10.0 + 0.0;
    format!("{percent:+.1}%")
}

fn share(relative: f64) -> String {
    format!("{}%", (relative * 1000.0).round() / 10.0)
}

fn chance(probability: f64) -> String {
    if probability < 0.001 {
        "less than 0.1% chance".to_owned()
    } else {
        format!("{:.1}% chance", probability * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::human::tests::skipped;
    use super::*;

    fn call_added() -> DecisionCause {
        DecisionCause::Change {
            kind: ChangeKind::CallAddition,
            callee: Some("k::g".to_owned()),
            place: "k::f".to_owned(),
        }
    }

    #[test]
    fn a_skipped_version_that_changes_a_benchmark_says_first_that_a_gate_runs_it() {
        let mut version = skipped();
        let reason = reason_sentence(&version.reason);
        assert_eq!(decision_sentence(&version), reason);
        version.changed_benchmarks = vec![String::from("benches/parse.rs"), String::from("benches/print.rs")];
        let expected =
            format!("a gate runs every benchmark, since benches/parse.rs and 1 more source changed; {reason}");
        assert_eq!(decision_sentence(&version), expected);
    }

    #[test]
    fn changes_are_signed_and_bounded_percentages() {
        assert_eq!(percent(0.034), "+3.4%");
        assert_eq!(percent(-0.25), "-25.0%");
        assert_eq!(percent(-0.000_01), "+0.0%");
        assert_eq!(percent(1719.64), "more than +1000%");
    }

    #[test]
    fn chances_that_round_to_nothing_say_so() {
        assert_eq!(chance(0.0), "less than 0.1% chance");
        assert_eq!(chance(0.018), "1.8% chance");
    }

    #[test]
    fn a_kind_is_named_as_everywhere_else_with_its_callee_and_place() {
        assert_eq!(
            change(ChangeKind::CallAddition, Some("k::g"), "k::f"),
            "call added (k::g) in k::f"
        );
    }

    #[test]
    fn a_selected_version_names_the_benchmark_its_range_and_the_cause() {
        let range = PredictedMovement::Range {
            low: 0.02,
            expected: 0.123,
            high: 0.31,
            probability: 0.87,
        };
        let selected = |movement, cause| {
            reason_sentence(&DecisionReason::Selected {
                benchmark: "parse".to_owned(),
                movement,
                cause,
            })
        };
        assert_eq!(
            selected(range, Some(call_added())),
            "parse may change by +2.0% to +31.0%, expected +12.3%, most of it from call added (k::g) in k::f"
        );
        let unread = DecisionCause::NotAnalysed {
            file: "src/x.rs".to_owned(),
        };
        assert_eq!(
            selected(PredictedMovement::Sum { predicted: 0.1 }, Some(unread)),
            "parse is predicted to change by +10.0%, since the effect of src/x.rs is not known"
        );
    }

    #[test]
    fn a_skipped_version_says_how_improbable_the_threshold_is() {
        let skipped = |movement| {
            reason_sentence(&DecisionReason::BelowThreshold {
                benchmark: "parse".to_owned(),
                movement,
                threshold: 0.05,
            })
        };
        let range = PredictedMovement::Range {
            low: -0.01,
            expected: 0.0,
            high: 0.01,
            probability: 0.018,
        };
        assert_eq!(
            skipped(range),
            "parse can change by -1.0% to +1.0%: 1.8% chance of reaching 5%"
        );
        assert_eq!(
            skipped(PredictedMovement::Sum { predicted: 0.001 }),
            "the calls that changed cost parse at most +0.1%, below 5%"
        );
    }

    #[test]
    fn without_a_sample_the_change_comes_before_the_advice() {
        assert_eq!(
            reason_sentence(&DecisionReason::NoSample(Some(call_added()))),
            "call added (k::g) in k::f; no sample to predict from (`lito sample` takes one)"
        );
        let file = String::from("src/table.in");
        assert_eq!(
            reason_sentence(&DecisionReason::NoSample(Some(DecisionCause::ReadFile { file }))),
            "a benchmark may read src/table.in, which changed; no sample to predict from (`lito sample` takes one)"
        );
    }
}

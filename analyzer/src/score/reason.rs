//! The reason for a decision, in one sentence.

use super::{BenchmarkPrediction, CostModel, ScoreDecision, ScoreOptions, ScoredChange, VersionScore};

/// The sentence for a version whose other fields are filled in.
pub(super) fn decision_reason(version: &VersionScore, scoring: &ScoreOptions) -> String {
    match (version.decision, version.sample.is_some()) {
        (ScoreDecision::Skip, _) if version.changes.is_empty() && version.degraded.is_empty() => {
            "nothing changed that is compiled into a benchmark".to_owned()
        }
        (ScoreDecision::Benchmark, false) => {
            let what = version.changes.first().map_or_else(
                || {
                    let files = version.degraded.iter().map(|degraded| degraded.file.as_str());
                    files
                        .take(1)
                        .map(|file| format!("{file} could not be analysed"))
                        .collect()
                },
                |change| format!("{} in {}", label(change), place(change)),
            );
            format!("no sample to predict from (`lito sample` takes one), and there is a risk: {what}")
        }
        (ScoreDecision::Skip, _) => skipped(version, scoring),
        (ScoreDecision::Benchmark, true) => selected(version, scoring),
    }
}

fn skipped(version: &VersionScore, scoring: &ScoreOptions) -> String {
    let Some(widest) = widest(&version.benchmarks) else {
        return "the sample holds no benchmark".to_owned();
    };
    if widest.low == 0.0 && widest.high == 0.0 {
        return "no benchmark executes what changed".to_owned();
    }
    match scoring.model {
        CostModel::Paper => format!(
            "the calls that changed cost {} at most {}, below {}",
            widest.name,
            percent(widest.predicted),
            share(scoring.threshold)
        ),
        CostModel::Lito => format!(
            "{} can change by {} to {}{}: {} to reach {}",
            widest.name,
            percent(widest.low),
            percent(widest.high),
            expected(widest),
            chance(widest.probability),
            share(scoring.threshold)
        ),
    }
}

fn selected(version: &VersionScore, scoring: &ScoreOptions) -> String {
    let Some(first) = version.benchmarks.first() else {
        return "the sample holds no benchmark".to_owned();
    };
    let cause = version
        .changes
        .iter()
        .find(|change| change.effects.iter().any(|effect| effect.benchmark == first.name))
        .map(|change| format!(", most of it from {} in {}", label(change), place(change)))
        .or_else(|| {
            version
                .degraded
                .first()
                .map(|degraded| format!(", since {} could not be analysed", degraded.file))
        })
        .unwrap_or_default();
    match scoring.model {
        CostModel::Paper => format!(
            "{} is predicted to change by {}{cause}",
            first.name,
            percent(first.predicted)
        ),
        CostModel::Lito => format!(
            "{} may change by {} to {}{}{cause}",
            first.name,
            percent(first.low),
            percent(first.high),
            expected(first)
        ),
    }
}

/// `, expected +3.4%`; empty if no change is expected but only possible.
fn expected(benchmark: &BenchmarkPrediction) -> String {
    if (benchmark.predicted * 1000.0).round() == 0.0 {
        return String::new();
    }
    format!(", expected {}", percent(benchmark.predicted))
}

/// The benchmark with the largest possible movement.
fn widest(benchmarks: &[BenchmarkPrediction]) -> Option<&BenchmarkPrediction> {
    let reach = |benchmark: &BenchmarkPrediction| benchmark.low.abs().max(benchmark.high.abs());
    // The first of equals, so that the result does not depend on the order of ties.
    benchmarks
        .iter()
        .reduce(|best, next| if reach(next) > reach(best) { next } else { best })
}

fn label(change: &ScoredChange) -> String {
    let kind = format!("{:?}", change.kind);
    let mut words = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    match &change.callee {
        Some(callee) => format!("{words} ({callee})"),
        None => words,
    }
}

fn place(change: &ScoredChange) -> &str {
    change.function.as_deref().unwrap_or(&change.file)
}

/// Above this the exact figure carries no information.
const BEYOND: f64 = 10.0;

/// A signed relative change: `+3.4%`.
fn percent(relative: f64) -> String {
    if relative > BEYOND {
        return format!("more than +{:.0}%", BEYOND * 100.0);
    }
    // Adding zero removes the sign of a negative zero.
    let percent = (relative * 1000.0).round() / 10.0 + 0.0;
    format!("{percent:+.1}%")
}

fn share(relative: f64) -> String {
    format!("{}%", (relative * 1000.0).round() / 10.0)
}

fn chance(probability: f64) -> String {
    if probability < 0.001 {
        "less than 0.1% probable".to_owned()
    } else {
        format!("{:.1}% probable", probability * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_signed_and_bounded_percentages() {
        assert_eq!(percent(0.034), "+3.4%");
        assert_eq!(percent(-0.25), "-25.0%");
        assert_eq!(percent(-0.000_01), "+0.0%");
        assert_eq!(percent(1719.64), "more than +1000%");
    }

    #[test]
    fn chances_that_round_to_nothing_say_so() {
        assert_eq!(chance(0.0), "less than 0.1% probable");
        assert_eq!(chance(0.018), "1.8% probable");
    }

    #[test]
    fn a_kind_is_written_in_words_with_its_callee() {
        let change = ScoredChange {
            kind: crate::change::ChangeKind::CallAddition,
            function: Some("k::f".to_owned()),
            file: "src/lib.rs".to_owned(),
            line: 3,
            callee: Some("k::g".to_owned()),
            resolved_by: None,
            effects: Vec::new(),
        };
        assert_eq!(label(&change), "call addition (k::g)");
        assert_eq!(place(&change), "k::f");
    }
}

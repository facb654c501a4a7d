//! Whether the changed code can reach a benchmark, and what that rests on. A movement that it cannot reach is most
//! likely the machine's, and its reader wants to know first of all.

use std::collections::BTreeSet;

use analyzer::score::{BenchmarkEffect, ScoredChange, VersionScore};
use report::{number_format, text};
use runner::measure::sides::MeasuredSides;
use verdict::BenchmarkVerdict;

use super::code::ProgramComparisonSet;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangeReachability {
    /// `None` where it is not known.
    pub(super) reachable: Option<bool>,
    /// In one sentence.
    pub(super) evidence: String,
}

/// What the score says of it: whether something that changed is executed by the benchmark, in the sample.
pub(super) fn by_score(score: &VersionScore, benchmark: &str) -> ChangeReachability {
    let Some(sample) = &score.sample else {
        return ChangeReachability {
            reachable: None,
            evidence: String::from("there is no profile that says what it executes"),
        };
    };
    let effects = score.changes.iter().filter_map(|change| {
        let of = |effect: &&BenchmarkEffect| effect.benchmark == benchmark;
        Some((change, change.effects.iter().find(of)?))
    });
    let weight = |effect: &BenchmarkEffect| effect.low.abs().max(effect.high.abs());
    let costliest = effects.max_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)));
    if let Some((change, effect)) = costliest {
        return ChangeReachability {
            reachable: Some(true),
            evidence: executed(change, effect),
        };
    }
    if let Some(degraded) = score.degraded.first() {
        return ChangeReachability {
            reachable: None,
            evidence: format!(
                "{} could not be analysed: {}",
                text::safe(&degraded.file),
                text::safe(&degraded.why)
            ),
        };
    }
    ChangeReachability {
        reachable: Some(false),
        evidence: format!(
            "nothing that changed is executed by it in the sample, {} before",
            number_format::counted_noun(sample.distance as usize, "version")
        ),
    }
}

/// Asks the machine code of what moved though the score does not see how: an inlined function, a dependency or the
/// compiler may have changed what the benchmark executes.
pub(super) fn add_code_evidence(
    entries: &mut [BenchmarkVerdict],
    sides: &MeasuredSides,
    programs: &ProgramComparisonSet,
    score: &VersionScore,
) {
    let sources: BTreeSet<String> = (score.changes.iter())
        .filter_map(|change| change.function.clone())
        .collect();
    let unseen = (entries.iter_mut()).filter(|entry| entry.significant && entry.reachable != Some(true));
    for entry in unseen {
        if let Some(reach) = programs.reach(sides, &entry.name, &sources) {
            entry.reachable = reach.reachable();
            entry.evidence = Some(text::safe(&reach.to_string()).into_owned());
        }
    }
}

fn executed(change: &ScoredChange, effect: &BenchmarkEffect) -> String {
    let what = change
        .function
        .as_deref()
        .or(change.callee.as_deref())
        .unwrap_or(&change.file);
    let place = match change.line {
        0 => String::new(),
        line => format!(" ({}:{line})", text::safe(&change.file)),
    };
    match effect.executions {
        0 => format!("`{}`{place} changed", text::safe(what)),
        times => format!(
            "`{}`{place} changed and runs {} times in it",
            text::safe(what),
            number_format::count(times)
        ),
    }
}

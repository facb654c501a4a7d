//! Whether the changed code can reach a benchmark, and what that rests on. A movement that it cannot reach is most
//! likely the machine's, and its reader wants to know first of all.

use analyzer::score::{Effect, ScoredChange, VersionScore};
use report::{number, text};

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reach {
    /// `None` where it is not known.
    pub(super) reachable: Option<bool>,
    /// In one sentence.
    pub(super) evidence: String,
}

/// What the score says of it: whether something that changed is executed by the benchmark, in the sample.
pub(super) fn by_score(score: &VersionScore, benchmark: &str) -> Reach {
    let Some(sample) = &score.sample else {
        return Reach {
            reachable: None,
            evidence: String::from("there is no profile that says what it executes"),
        };
    };
    let effects = score.changes.iter().filter_map(|change| {
        let of = |effect: &&Effect| effect.benchmark == benchmark;
        Some((change, change.effects.iter().find(of)?))
    });
    // The changes come costliest first.
    if let Some((change, effect)) = effects.into_iter().next() {
        return Reach {
            reachable: Some(true),
            evidence: executed(change, effect),
        };
    }
    if let Some(degraded) = score.degraded.first() {
        return Reach {
            reachable: None,
            evidence: format!(
                "{} could not be analysed: {}",
                text::safe(&degraded.file),
                text::safe(&degraded.why)
            ),
        };
    }
    Reach {
        reachable: Some(false),
        evidence: format!(
            "nothing that changed is executed by it in the sample, {} before",
            number::of(sample.distance as usize, "version")
        ),
    }
}

fn executed(change: &ScoredChange, effect: &Effect) -> String {
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
            number::count(times)
        ),
    }
}

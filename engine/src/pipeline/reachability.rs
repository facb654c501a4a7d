//! Whether the changed code can reach a benchmark, and the evidence. A change of a benchmark that the changed code
//! cannot reach is most likely the machine's, and its reader wants to know that first.

use std::collections::BTreeSet;

use analyzer::score::{BenchmarkEffect, ScoredChange, VersionScore};
use machine_code::CodeReachability;
use runner::measure::sides::MeasuredSides;
use verdict::ReachabilityEvidence;

use super::candidate::BenchmarkFinding;
use super::code::ProgramComparisonSet;

/// The score's evidence: whether the benchmark executes changed code, by its profile.
pub(super) fn by_score(score: &VersionScore, benchmark: &str) -> ReachabilityEvidence {
    let is_profiled = score.benchmarks.iter().any(|predicted| predicted.name == benchmark);
    let Some(sample) = score.sample.as_ref().filter(|_| is_profiled) else {
        return ReachabilityEvidence::NoProfile;
    };
    let effects = score.changes.iter().filter_map(|change| {
        let of = |effect: &&BenchmarkEffect| effect.benchmark == benchmark;
        Some((change, change.effects.iter().find(of)?))
    });
    let weight = |effect: &BenchmarkEffect| effect.low.abs().max(effect.high.abs());
    let costliest = effects.max_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)));
    if let Some((change, effect)) = costliest {
        return executed(change, effect);
    }
    if let Some(degraded) = score.degraded.first() {
        return ReachabilityEvidence::NotAnalyzed {
            file: degraded.file.clone(),
            why: degraded.why.clone(),
        };
    }
    ReachabilityEvidence::ExecutesNoChange {
        distance: sample.distance,
    }
}

/// Whether the machine code has the last word on a benchmark that the score leaves out of a flagged version: by its profile
/// it executes no change, so that other code is the compiler's doing. Where it executes one, the score has predicted how much
/// that costs.
pub(super) fn is_for_code_to_decide(by_score: &ReachabilityEvidence) -> bool {
    by_score.reachable() != Some(true)
}

/// Adds the machine code's evidence to significant findings that the score does not explain: an inlined function, a
/// dependency or the compiler may have changed what the benchmark executes.
pub(super) fn add_code_evidence(
    findings: &mut [BenchmarkFinding],
    sides: &MeasuredSides,
    programs: &ProgramComparisonSet,
    score: &VersionScore,
) {
    let sources: BTreeSet<String> = (score.changes.iter())
        .filter_map(|change| change.function.clone())
        .collect();
    for found in findings {
        let candidate = &mut found.candidate;
        if !found.finding.significant || candidate.reach.reachable() == Some(true) {
            continue;
        }
        if let Some(reach) = programs.reach(sides, &candidate.name, &sources) {
            candidate.reach = by_code(reach);
        }
    }
}

/// The machine code's evidence.
pub(super) fn by_code(reach: CodeReachability) -> ReachabilityEvidence {
    match reach {
        CodeReachability::Executed { function } => ReachabilityEvidence::ExecutesChangedCode { function },
        CodeReachability::Reachable { path } => ReachabilityEvidence::ReachesChangedCode { path },
        CodeReachability::Unreachable { functions } => ReachabilityEvidence::ReachesNoChangedCode { functions },
        CodeReachability::Unknown { why } => ReachabilityEvidence::UnknownCode { why },
    }
}

fn executed(change: &ScoredChange, effect: &BenchmarkEffect) -> ReachabilityEvidence {
    let changed = (change.function.as_ref())
        .or(change.callee.as_ref())
        .unwrap_or(&change.file);
    ReachabilityEvidence::ExecutesChange {
        changed: changed.clone(),
        file: change.file.clone(),
        line: change.line,
        executions: effect.executions,
    }
}

//! The identifiers of the contract → labels for readers.

use analyzer::change::ChangeKind;
use analyzer::resolve::CalleeEvidence;
use analyzer::score::{BenchmarkPrediction, SampleReference, ScoreDecision, ScoredChange, VersionScore};

use crate::text;

/// The profiler of a sample, if the unit is not instructions; else empty.
pub fn counted_by(sample: &SampleReference) -> String {
    match &sample.profiler {
        Some(profiler) => format!("; unit: operations, counted by {}", text::safe(profiler)),
        None => String::new(),
    }
}

/// The kind of a change, as a heading.
pub fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::CallAddition => "call added",
        ChangeKind::CallDeletion => "call removed",
        ChangeKind::CallSwap => "call swapped",
        ChangeKind::CompleteChange => "rewritten",
        ChangeKind::LoopAddition => "loop added",
        ChangeKind::LoopDeletion => "loop removed",
        ChangeKind::FieldValue => "field given another value",
        ChangeKind::ConditionalAddition => "conditional added",
        ChangeKind::ConditionalDeletion => "conditional removed",
        ChangeKind::ConditionExpression => "condition changed",
        ChangeKind::CallScope => "call moved to another block",
        ChangeKind::Parameter => "parameters changed",
        ChangeKind::Operation => "operations changed",
        ChangeKind::Attribute => "attribute changed",
        ChangeKind::Type => "type changed",
        ChangeKind::Constant => "constant changed",
        ChangeKind::Dependency => "dependency changed",
        ChangeKind::BuildSetting => "build setting changed",
        ChangeKind::Macro => "macro changed",
    }
}

/// The place of a change, safe to display: `src/x.rs:120`.
pub fn place(change: &ScoredChange) -> String {
    let file = text::safe(&change.file);
    if change.line == 0 {
        file.into_owned()
    } else {
        format!("{file}:{}", change.line)
    }
}

/// How a callee or a cost was found.
pub fn evidence(evidence: CalleeEvidence) -> &'static str {
    match evidence {
        CalleeEvidence::SameSite => "profiled at this call",
        CalleeEvidence::SameFunction => "profiled in this function",
        CalleeEvidence::ExplicitPath => "by its path",
        CalleeEvidence::ReceiverType => "by the receiver's type",
        CalleeEvidence::ProfileName => "by its name in the profile",
        CalleeEvidence::Body => "its body was read",
        CalleeEvidence::Prior => "standard library's prior",
        CalleeEvidence::Unknown => "unknown, bounds only",
    }
}

/// The decision as one word.
pub fn decision(decision: ScoreDecision) -> &'static str {
    match decision {
        ScoreDecision::Benchmark => "benchmark",
        ScoreDecision::Skip => "skip",
    }
}

/// The benchmark that represents a version: the most probable one, and among equals the one that moves most.
pub fn foremost(version: &VersionScore) -> Option<&BenchmarkPrediction> {
    version.benchmarks.iter().max_by(|a, b| {
        a.probability
            .total_cmp(&b.probability)
            .then(a.predicted.abs().total_cmp(&b.predicted.abs()))
            .then_with(|| b.name.cmp(&a.name))
    })
}

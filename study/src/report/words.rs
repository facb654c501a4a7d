//! The evaluation's identifiers as files and people write them.

use crate::accuracy::{CodeAnswer, Model, Outcome, Sign, Stage};
use analyzer::cost::Class;

/// A class of change, as it is written in files.
pub(super) fn class(class: Class) -> String {
    match serde_json::to_value(class) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{class:?}"),
    }
}

/// What became of a version, as it is written in files.
pub(super) fn outcome_id(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::MissedRegression => "missed_regression",
        Outcome::MissedBenchmark => "missed_benchmark",
        Outcome::MissedImprovement => "missed_improvement",
        Outcome::FalseAlarm => "false_alarm",
        Outcome::Found => "found",
        Outcome::RightlySkipped => "rightly_skipped",
    }
}

/// What became of a version.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::MissedRegression => "regression missed",
        Outcome::MissedBenchmark => "regression missed: another benchmark selected",
        Outcome::MissedImprovement => "improvement missed",
        Outcome::FalseAlarm => "false alarm",
        Outcome::Found => "found",
        Outcome::RightlySkipped => "rightly skipped",
    }
}

/// What a model goes by.
pub(super) fn model(model: Model) -> &'static str {
    match model {
        Model::Lito => "lito",
        Model::Paper => "paper (the published model)",
        Model::Always => "always run",
        Model::Path => "any source file changed",
        Model::Random => "as many by lot",
        Model::Reachability => "a changed function is executed",
        Model::History => "a file that moved it before",
        Model::Sign(Sign::New) => "new functions",
        Model::Sign(Sign::Deleted) => "deleted functions",
        Model::Sign(Sign::DeletedReached) => "deleted functions that ran",
        Model::Sign(Sign::ChangedCost) => "cost of changed functions",
        Model::Sign(Sign::ChangedInclusive) => "costliest changed function, inclusive",
        Model::Sign(Sign::ChangedCalls) => "calls of changed functions",
        Model::Sign(Sign::Length) => "change of length",
        Model::Sign(Sign::LengthReached) => "change of length that ran",
        Model::Sign(Sign::ChangedWork) => "cost times share changed",
    }
}

/// A stage of the cascade, and what it needs.
pub(super) fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Source => "1 source (nothing built)",
        Stage::Code => "2 machine code (both built)",
        Stage::Counts => "3 counts (one run)",
    }
}

/// What the comparison of machine code said.
pub(super) fn code(code: CodeAnswer) -> &'static str {
    match code {
        CodeAnswer::Same => "same code",
        CodeAnswer::SameExecuted => "same code where it ran",
        CodeAnswer::Different => "code differs",
        CodeAnswer::Unknown => "code not compared",
    }
}

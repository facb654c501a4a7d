//! The evaluation's identifiers → their names in files and for readers.

use crate::accuracy::{ChangeIndicator, CodeAnswer, PredictionOutcome, SelectionModel, StudyHalf, StudyStage};
use analyzer::cost::ChangeClass;

/// A class of change, as written in files.
pub(super) fn class(class: ChangeClass) -> String {
    match serde_json::to_value(class) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{class:?}"),
    }
}

/// The outcome of a prediction, as written in files.
pub(super) fn outcome_id(outcome: PredictionOutcome) -> &'static str {
    match outcome {
        PredictionOutcome::MissedRegression => "missed_regression",
        PredictionOutcome::MissedBenchmark => "missed_benchmark",
        PredictionOutcome::MissedImprovement => "missed_improvement",
        PredictionOutcome::FalseAlarm => "false_alarm",
        PredictionOutcome::Found => "found",
        PredictionOutcome::RightlySkipped => "rightly_skipped",
    }
}

/// The outcome of a prediction, for readers.
pub(super) fn outcome(outcome: PredictionOutcome) -> &'static str {
    match outcome {
        PredictionOutcome::MissedRegression => "regression missed",
        PredictionOutcome::MissedBenchmark => "regression missed: another benchmark selected",
        PredictionOutcome::MissedImprovement => "improvement missed",
        PredictionOutcome::FalseAlarm => "false alarm",
        PredictionOutcome::Found => "found",
        PredictionOutcome::RightlySkipped => "rightly skipped",
    }
}

/// The display name of a half of a study.
pub(super) fn half(half: StudyHalf) -> &'static str {
    match half {
        StudyHalf::Learned => "learned from",
        StudyHalf::HeldOut => "held out",
    }
}

/// The display name of a model.
pub(super) fn model(model: SelectionModel) -> &'static str {
    match model {
        SelectionModel::Lito => "lito",
        SelectionModel::Paper => "paper (the published model)",
        SelectionModel::Always => "always run",
        SelectionModel::Path => "any source file changed",
        SelectionModel::Random => "as many by lot",
        SelectionModel::Reachability => "a changed function is executed",
        SelectionModel::History => "a file that moved it before",
        SelectionModel::Sign(ChangeIndicator::New) => "new functions",
        SelectionModel::Sign(ChangeIndicator::Deleted) => "deleted functions",
        SelectionModel::Sign(ChangeIndicator::DeletedReached) => "deleted functions that ran",
        SelectionModel::Sign(ChangeIndicator::ChangedCost) => "cost of changed functions",
        SelectionModel::Sign(ChangeIndicator::ChangedInclusive) => "costliest changed function, inclusive",
        SelectionModel::Sign(ChangeIndicator::ChangedCalls) => "calls of changed functions",
        SelectionModel::Sign(ChangeIndicator::Length) => "change of length",
        SelectionModel::Sign(ChangeIndicator::LengthReached) => "change of length that ran",
        SelectionModel::Sign(ChangeIndicator::ChangedWork) => "cost times share changed",
    }
}

/// A stage of the cascade, and the work that it needs.
pub(super) fn stage(stage: StudyStage) -> &'static str {
    match stage {
        StudyStage::Source => "1 source (nothing built)",
        StudyStage::Code => "2 machine code (both built)",
        StudyStage::Counts => "3 counts (one run)",
    }
}

/// The result of the comparison of machine code.
pub(super) fn code(code: CodeAnswer) -> &'static str {
    match code {
        CodeAnswer::Same => "same code",
        CodeAnswer::SameExecuted => "same code where it ran",
        CodeAnswer::Different => "code differs",
        CodeAnswer::Unknown => "code not compared",
    }
}

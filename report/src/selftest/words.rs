//! The kinds of planted changes → words for readers.

use analyzer::instrument::seed::{PlantedKind, PlantingRefusal};

use crate::score::labels;
use analyzer::change::ChangeKind;

/// A kind of planted change, as the head of a row.
pub(super) fn kind(kind: PlantedKind) -> &'static str {
    match kind {
        PlantedKind::CallAddition => labels::kind(ChangeKind::CallAddition),
        PlantedKind::CallSwap => labels::kind(ChangeKind::CallSwap),
        PlantedKind::CallDeletion => labels::kind(ChangeKind::CallDeletion),
        PlantedKind::CompleteChange => labels::kind(ChangeKind::CompleteChange),
        PlantedKind::LoopAddition => labels::kind(ChangeKind::LoopAddition),
        PlantedKind::FieldValue => labels::kind(ChangeKind::FieldValue),
        PlantedKind::ConditionalAddition => labels::kind(ChangeKind::ConditionalAddition),
        PlantedKind::ConditionExpression => labels::kind(ChangeKind::ConditionExpression),
        PlantedKind::CallScope => labels::kind(ChangeKind::CallScope),
        PlantedKind::Parameter => labels::kind(ChangeKind::Parameter),
        PlantedKind::MethodShadowing => "method shadows a trait's",
        PlantedKind::NameMeaning => "name means another type",
        PlantedKind::DropAddition => "Drop added",
        PlantedKind::DerefImplementation => "Deref does more",
        PlantedKind::OperatorImplementation => "operator does more",
        PlantedKind::DeriveByHand => "derive written by hand",
        PlantedKind::ConstantValue => "constant's value",
        PlantedKind::ArrayLength => "array's length",
        PlantedKind::Discriminant => "variant's number",
        PlantedKind::ConstFunction => "const fn's value",
        PlantedKind::DefaultValue => "Default's value",
        PlantedKind::MacroBody => "macro's body",
        PlantedKind::DataFile => "file compiled in",
        PlantedKind::BenchmarkInput => "benchmark's own input",
    }
}

/// The code that a repository would need so that a kind of change can be planted.
pub(super) fn needs(kind: PlantedKind) -> &'static str {
    match kind {
        PlantedKind::CallAddition
        | PlantedKind::CallDeletion
        | PlantedKind::LoopAddition
        | PlantedKind::ConditionalAddition
        | PlantedKind::Parameter
        | PlantedKind::MethodShadowing
        | PlantedKind::NameMeaning
        | PlantedKind::DropAddition
        | PlantedKind::DerefImplementation
        | PlantedKind::OperatorImplementation
        | PlantedKind::DeriveByHand
        | PlantedKind::ConstantValue
        | PlantedKind::ArrayLength
        | PlantedKind::Discriminant
        | PlantedKind::ConstFunction
        | PlantedKind::DefaultValue
        | PlantedKind::MacroBody => "a statement that runs as often",
        PlantedKind::CallSwap => "a call of a function of the same file",
        PlantedKind::CompleteChange => "a function of few lines",
        PlantedKind::FieldValue => "an assignment to a field, or a method that may change a number in `self`",
        PlantedKind::ConditionExpression => "a condition without `let`",
        PlantedKind::CallScope => "an `if` or a loop",
        PlantedKind::DataFile => {
            "`include_str!` or `include_bytes!` of a text file in the repository, in code that runs"
        }
        PlantedKind::BenchmarkInput => "a number in an executed statement, or a constant that it names, in `benches`",
    }
}

/// Why changes of a kind are not planted, as the end of a sentence.
#[must_use]
pub fn refusal(refusal: PlantingRefusal) -> &'static str {
    match refusal {
        PlantingRefusal::TakesAway => "it would take away code of the authors, and with it what the benchmarks compute",
        PlantingRefusal::LeftToTheOptimiser => "whether it costs anything is the optimiser's decision",
        PlantingRefusal::OutsideTheSources => "it needs another package or another build",
    }
}

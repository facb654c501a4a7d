//! The kinds of planted changes: those of the published study, and those whose cost shows in no changed call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::ChangeKind;

/// The kind of a planted change. Its name in JSON is the variant in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlantedKind {
    /// A call that was not there.
    CallAddition,
    /// A call that took the place of another.
    CallSwap,
    /// A call that is gone.
    CallDeletion,
    /// So many new lines that single changes say nothing.
    CompleteChange,
    /// A loop that was not there.
    LoopAddition,
    /// A field is given a value that costs more to compute.
    FieldValue,
    /// A conditional block that was not there.
    ConditionalAddition,
    /// A condition that costs more to evaluate.
    ConditionExpression,
    /// A call that moved to another block.
    CallScope,
    /// A call whose argument tells it to do more.
    Parameter,
    /// A method of a type that is called instead of a trait's method of the same name.
    MethodShadowing,
    /// An alias, an import or the default of a type parameter that names another type.
    NameMeaning,
    /// An implementation of `Drop` that was not there.
    DropAddition,
    /// Work in `Deref`, which the compiler calls without being told.
    DerefImplementation,
    /// Work in the implementation of an operator.
    OperatorImplementation,
    /// A derive that is replaced by an implementation written by hand.
    DeriveByHand,
    /// The value of a constant, a static or an associated constant.
    ConstantValue,
    /// The length of an array.
    ArrayLength,
    /// The value of an enum's variant.
    Discriminant,
    /// The value of a small `const fn`.
    ConstFunction,
    /// A value in an implementation of `Default`.
    DefaultValue,
    /// The body of a macro.
    MacroBody,
    /// The content of a file that is compiled in.
    DataFile,
    /// A number in a benchmark's own source.
    BenchmarkInput,
}

/// Every kind that is planted: the ten of Sandoval et al., Table 5, in its order (the kinds that were found to change the
/// cost of methods); then those without a changed call.
pub const KINDS: [PlantedKind; 24] = [
    PlantedKind::CallAddition,
    PlantedKind::CallSwap,
    PlantedKind::CallDeletion,
    PlantedKind::CompleteChange,
    PlantedKind::LoopAddition,
    PlantedKind::FieldValue,
    PlantedKind::ConditionalAddition,
    PlantedKind::ConditionExpression,
    PlantedKind::CallScope,
    PlantedKind::Parameter,
    PlantedKind::MethodShadowing,
    PlantedKind::NameMeaning,
    PlantedKind::DropAddition,
    PlantedKind::DerefImplementation,
    PlantedKind::OperatorImplementation,
    PlantedKind::DeriveByHand,
    PlantedKind::ConstantValue,
    PlantedKind::ArrayLength,
    PlantedKind::Discriminant,
    PlantedKind::ConstFunction,
    PlantedKind::DefaultValue,
    PlantedKind::MacroBody,
    PlantedKind::DataFile,
    PlantedKind::BenchmarkInput,
];

/// The ten kinds of Sandoval et al.: those that any language with functions, conditions and loops has.
pub(crate) const PUBLISHED: [PlantedKind; 10] = *KINDS.first_chunk().expect("there are more kinds");

/// The direction in which a planted change can move a benchmark that it reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantedDirection {
    /// It adds work.
    Slower,
    /// It takes work away.
    Faster,
    /// It changes a value of the authors, and what the code makes of the value is not known.
    Either,
}

/// Why changes of a kind are not planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantingRefusal {
    /// Code of the authors would be gone, and with it what the benchmarks compute.
    TakesAway,
    /// Whether it costs anything is the optimiser's decision.
    LeftToTheOptimiser,
    /// It needs another package or another build.
    OutsideTheSources,
}

impl PlantedKind {
    /// The planted kinds that the change analysis sees as a kind of change, or why there is none. A new kind of change
    /// does not compile until it has an answer here.
    pub const fn of_change(kind: ChangeKind) -> Result<&'static [Self], PlantingRefusal> {
        match kind {
            ChangeKind::CallAddition => Ok(&[
                Self::CallAddition,
                Self::DropAddition,
                Self::DerefImplementation,
                Self::OperatorImplementation,
            ]),
            ChangeKind::CallDeletion => Ok(&[Self::CallDeletion]),
            ChangeKind::CallSwap => Ok(&[Self::CallSwap]),
            ChangeKind::CompleteChange => Ok(&[Self::CompleteChange]),
            ChangeKind::LoopAddition => Ok(&[Self::LoopAddition]),
            ChangeKind::FieldValue => Ok(&[Self::FieldValue, Self::DefaultValue]),
            ChangeKind::ConditionalAddition => Ok(&[Self::ConditionalAddition]),
            ChangeKind::ConditionExpression => Ok(&[Self::ConditionExpression]),
            ChangeKind::CallScope => Ok(&[Self::CallScope]),
            ChangeKind::Parameter => Ok(&[Self::Parameter]),
            ChangeKind::Operation => Ok(&[Self::ConstFunction]),
            ChangeKind::Type => Ok(&[
                Self::MethodShadowing,
                Self::NameMeaning,
                Self::DeriveByHand,
                Self::Discriminant,
            ]),
            ChangeKind::Constant => Ok(&[Self::ConstantValue, Self::ArrayLength, Self::BenchmarkInput]),
            ChangeKind::Macro => Ok(&[Self::MacroBody]),
            ChangeKind::BuildSetting => Ok(&[Self::DataFile]),
            ChangeKind::LoopDeletion | ChangeKind::ConditionalDeletion => Err(PlantingRefusal::TakesAway),
            ChangeKind::Attribute => Err(PlantingRefusal::LeftToTheOptimiser),
            ChangeKind::Dependency => Err(PlantingRefusal::OutsideTheSources),
        }
    }

    /// The name in the selftest's contract.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CallAddition => "call_addition",
            Self::CallSwap => "call_swap",
            Self::CallDeletion => "call_deletion",
            Self::CompleteChange => "complete_change",
            Self::LoopAddition => "loop_addition",
            Self::FieldValue => "field_value",
            Self::ConditionalAddition => "conditional_addition",
            Self::ConditionExpression => "condition_expression",
            Self::CallScope => "call_scope",
            Self::Parameter => "parameter",
            Self::MethodShadowing => "method_shadowing",
            Self::NameMeaning => "name_meaning",
            Self::DropAddition => "drop_addition",
            Self::DerefImplementation => "deref_implementation",
            Self::OperatorImplementation => "operator_implementation",
            Self::DeriveByHand => "derive_by_hand",
            Self::ConstantValue => "constant_value",
            Self::ArrayLength => "array_length",
            Self::Discriminant => "discriminant",
            Self::ConstFunction => "const_function",
            Self::DefaultValue => "default_value",
            Self::MacroBody => "macro_body",
            Self::DataFile => "data_file",
            Self::BenchmarkInput => "benchmark_input",
        }
    }

    /// The kind with a name of the contract.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

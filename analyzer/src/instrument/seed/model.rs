//! A planted change: its kind, its class of execution frequency, and the texts on both sides.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::planted_kind::{PlantedDirection, PlantedKind};

/// How often the changed code runs, relative to the total cost of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeedHotness {
    /// At least once in [`SeedHotness::HOT`] units of a benchmark's cost.
    Hot,
    /// At least once in [`SeedHotness::WARM`] units.
    Warm,
    /// More rarely.
    Cold,
    /// In a function that no benchmark executes.
    Unreached,
}

impl SeedHotness {
    /// Every class, most frequently executed first.
    pub const ALL: [Self; 4] = [Self::Hot, Self::Warm, Self::Cold, Self::Unreached];

    /// A hundred units of work (some 25 lines, or a call of a small function) that run once in 2,000 units add 5%: the
    /// default threshold.
    pub const HOT: f64 = 2_000.0;

    /// The same work once in 100,000 units adds 0.1%, which no threshold in use would flag: only a change that costs
    /// thousands of units can matter here.
    pub const WARM: f64 = 100_000.0;

    /// The class of code with a given number of executions per unit of a benchmark's cost.
    #[must_use]
    pub fn of(rate: f64) -> Self {
        if rate * Self::HOT >= 1.0 {
            Self::Hot
        } else if rate * Self::WARM >= 1.0 {
            Self::Warm
        } else {
            Self::Cold
        }
    }

    /// The name in the selftest's contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::Unreached => "unreached",
        }
    }
}

/// One planted change.
#[derive(Debug, Clone, PartialEq)]
pub struct SeededChange {
    /// The intended kind.
    pub kind: PlantedKind,
    /// The class of execution frequency of the changed code.
    pub place: SeedHotness,
    /// The only file that is edited.
    pub file: Arc<str>,
    /// Full name of the only function or item that is edited; new items may be added beside it. For a file that is
    /// compiled in: its name in the source.
    pub function: Arc<str>,
    /// Line of the edit in the given version, 1-based.
    pub line: u32,
    /// The file before the change; `None` for the file of the given version. Kinds that delete or move code start from
    /// a file to which that code was added first, because a deletion of the authors' code would change the values that
    /// the benchmarks compute.
    pub before: Option<String>,
    /// The file after the change.
    pub after: String,
    /// A description of the change, in one clause.
    pub description: String,
    /// The intended effect; only for [`super::plant_sized_changes`].
    pub aim: Option<IntendedEffect>,
}

/// The intended effect of a planted change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntendedEffect {
    /// The affected benchmark.
    pub benchmark: String,
    /// The relative change: 0.05 is five per cent slower.
    pub share: f64,
    /// Rounds of an empty loop.
    pub rounds: u32,
    /// Executions of that loop.
    pub executions: u64,
}

impl SeededChange {
    /// The direction in which it can move a benchmark.
    #[must_use]
    pub fn direction(&self) -> PlantedDirection {
        match self.kind {
            PlantedKind::CallDeletion => PlantedDirection::Faster,
            PlantedKind::ConstantValue
            | PlantedKind::ArrayLength
            | PlantedKind::ConstFunction
            | PlantedKind::DefaultValue
            | PlantedKind::DataFile
            | PlantedKind::BenchmarkInput => match self.before {
                // A value of the authors.
                None => PlantedDirection::Either,
                Some(_) => PlantedDirection::Slower,
            },
            PlantedKind::CallAddition
            | PlantedKind::CallSwap
            | PlantedKind::CompleteChange
            | PlantedKind::LoopAddition
            | PlantedKind::FieldValue
            | PlantedKind::ConditionalAddition
            | PlantedKind::ConditionExpression
            | PlantedKind::CallScope
            | PlantedKind::Parameter
            | PlantedKind::MethodShadowing
            | PlantedKind::NameMeaning
            | PlantedKind::DropAddition
            | PlantedKind::DerefImplementation
            | PlantedKind::OperatorImplementation
            | PlantedKind::DeriveByHand
            | PlantedKind::Discriminant
            | PlantedKind::MacroBody => PlantedDirection::Slower,
        }
    }
}

//! What a planted change is: kind, place, and the texts on both sides.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::ChangeKind;

/// The ten kinds of Sandoval et al., Table 5, in its order: those that were found to change the cost of methods.
pub const KINDS: [ChangeKind; 10] = [
    ChangeKind::CallAddition,
    ChangeKind::CallSwap,
    ChangeKind::CallDeletion,
    ChangeKind::CompleteChange,
    ChangeKind::LoopAddition,
    ChangeKind::FieldValue,
    ChangeKind::ConditionalAddition,
    ChangeKind::ConditionExpression,
    ChangeKind::CallScope,
    ChangeKind::Parameter,
];

/// How often the changed code runs, measured against what a benchmark costs in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeedHotness {
    /// At least once in [`SeedHotness::HOT`] units of some benchmark's cost.
    Hot,
    /// At least once in [`SeedHotness::WARM`].
    Warm,
    /// More rarely.
    Cold,
    /// In a function that no benchmark executes.
    Unreached,
}

impl SeedHotness {
    /// Every place, hottest first.
    pub const ALL: [Self; 4] = [Self::Hot, Self::Warm, Self::Cold, Self::Unreached];

    /// A hundred units of work (some 25 lines, or a call of a small function) that run once in 2,000 are 5% more:
    /// the default threshold.
    pub const HOT: f64 = 2_000.0;

    /// The same work once in 100,000 units is 0.1% more, which no threshold in use would flag: only a change that
    /// costs thousands of units can matter here.
    pub const WARM: f64 = 100_000.0;

    /// The place of code that a benchmark executes so often a unit of its cost.
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

    /// As the selftest's contract writes it.
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
    /// The kind it is meant to be.
    pub kind: ChangeKind,
    /// How hot the code is that it changes.
    pub place: SeedHotness,
    /// The file that is edited, the only one.
    pub file: Arc<str>,
    /// Full name of the function that is edited, the only one; new functions may stand beside it.
    pub function: Arc<str>,
    /// Line of the edit in the given version, 1-based.
    pub line: u32,
    /// The file that the change starts from; `None` for the given version's. Kinds that take away or move what is
    /// there start from a file to which it was added: taking away what the authors wrote would change what the
    /// benchmarks compute.
    pub before: Option<String>,
    /// The file after the change.
    pub after: String,
    /// What it does, in one clause.
    pub description: String,
    /// What it is meant to cost; only for [`super::sized`].
    pub aim: Option<IntendedEffect>,
}

/// The effect that a seed is made to have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntendedEffect {
    /// On this benchmark.
    pub benchmark: String,
    /// This relative change: 0.05 is five per cent slower.
    pub share: f64,
    /// By so many rounds of an empty loop,
    pub rounds: u32,
    /// run so many times.
    pub executions: u64,
}

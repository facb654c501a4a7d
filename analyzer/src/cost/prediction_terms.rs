//! What a prediction stands on: how much of a benchmark's cost the changes of a version touch, by the class of
//! change, before anything is assumed about how much of it such changes move.
//!
//! The weights of the classes are fitted on measured histories ([`crate::score`] holds them against the threshold), so
//! that they can be changed without scoring anything again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A class of change, as far as its effect is bounded in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Calls whose callee has a price: the priced share.
    Calls,
    /// Work without a call: the priced share.
    Work,
    /// Calls with other arguments: the callee's cost at that place, as many times over as a number among them grew; all
    /// that the caller costs where the number is a size that the library is told.
    Arguments,
    /// Another field value: the inclusive cost of the function that writes it.
    Field,
    /// Another condition: what its block costs, or would cost if it always ran.
    Condition,
    /// A block that leaves the function early: the function's inclusive cost.
    EarlyExit,
    /// Attributes or signature of a function: its self cost, library functions that are merged into it included.
    Recompiled,
    /// Any change of a function: the same.
    Rebuilt,
    /// Functions that may be inlined otherwise than before: a call's overhead for each of their calls, their self cost
    /// and that of what they are merged with, as far as the change comes near to another decision.
    Inlining,
    /// A function that the sampled version did not have, under no name: what the executed functions cost that mention it,
    /// without what they still call, and those of its name that are gone.
    Unsampled,
    /// A constant: the self cost of the functions that name it.
    Constant,
    /// A type: the cost of the functions that name it, and of its methods.
    Type,
    /// An implementation that came or went: the cost of what uses the type.
    Implementation,
    /// An imported function that is another one now, a hint to the compiler that came or went: the inclusive cost of the
    /// functions that name it.
    ImportedFunction,
    /// A macro: the self cost of the functions that use it.
    Macro,
    /// A dependency: the cost spent in it and in what it calls; where the sampled version did not have it yet, that of the
    /// files that name it now, or are gone.
    Dependency,
    /// A dependency of which an incompatible version is asked for, or that came or went: the same.
    ReplacedDependency,
    /// Another build setting: everything, by the setting's own weight.
    BuildSetting,
    /// An attribute of a crate or module: everything.
    FileAttribute,
    /// A file that cannot be analysed: the cost of its functions.
    Degraded,
    /// A function that went: what it cost by itself, which something else costs now.
    Replaced,
    /// Calls of libraries that stay calls, whatever is inlined: their price, what came and what went against each other.
    Firm,
    /// A build setting that decides how everything is compiled (the optimisation level, say): everything.
    Optimisation,
}

impl ChangeClass {
    /// All classes there are.
    pub const ALL: [Self; 23] = [
        Self::Calls,
        Self::Work,
        Self::Arguments,
        Self::Field,
        Self::Condition,
        Self::EarlyExit,
        Self::Recompiled,
        Self::Rebuilt,
        Self::Inlining,
        Self::Unsampled,
        Self::Constant,
        Self::Type,
        Self::Implementation,
        Self::ImportedFunction,
        Self::Macro,
        Self::Dependency,
        Self::ReplacedDependency,
        Self::BuildSetting,
        Self::FileAttribute,
        Self::Degraded,
        Self::Replaced,
        Self::Firm,
        Self::Optimisation,
    ];
}

/// What the changes of one version touch in one benchmark. All figures are shares of the benchmark's total cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictionTerms {
    /// Sum of what is priced (calls and work); negative for a saving.
    #[serde(rename = "e", default, skip_serializing_if = "is_zero")]
    pub expected: f64,
    /// What each class touches, uncertain part only (for [`ChangeClass::Calls`] and [`ChangeClass::Work`]: half the width of the
    /// priced bounds); a class that touches nothing is left out. Not below 0; a class may exceed 1, but not
    /// [`ChangeClass::Unsampled`] and [`ChangeClass::Replaced`], which share out what executed functions cost.
    #[serde(rename = "x", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub touched: BTreeMap<ChangeClass, f64>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

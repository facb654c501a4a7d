//! The evidence behind a prediction: how much of a benchmark's cost the changes of a version put at risk, by class of
//! change, before the share of it that such changes move is assumed.
//!
//! The weights of the classes are fitted on measured histories ([`crate::score`] compares them with the threshold), so
//! they can be changed without scoring anything again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A class of change. All changes of a class have their effects bounded in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Calls whose callee has a price: the priced share.
    Calls,
    /// Work without a call: the priced share.
    Work,
    /// Calls with other arguments: the callee's cost at that place, scaled by the growth of a number among them; the
    /// whole cost of the caller where the number is a size that a library function is given.
    Arguments,
    /// Another field value: the inclusive cost of the function that writes it.
    Field,
    /// Another condition: the cost of its block, or its cost if it always ran.
    Condition,
    /// A block that leaves the function early: the function's inclusive cost.
    EarlyExit,
    /// Attributes or signature of a function: its self cost, including library functions inlined into it.
    Recompiled,
    /// Any change of a function: its self cost, as for [`ChangeClass::Recompiled`].
    Rebuilt,
    /// Functions whose inlining may change: the call overhead of each of their calls, their self cost and that of the
    /// functions they are inlined into, scaled by how close the change comes to another decision.
    Inlining,
    /// A function that the sampled version did not have under any name: the cost of the executed functions that mention
    /// it, without the functions that they still call, and the cost of deleted functions of its name.
    Unsampled,
    /// A constant: the self cost of the functions that name it.
    Constant,
    /// A type: the cost of the functions that name it, and of its methods.
    Type,
    /// An implementation that was added or deleted: the cost of the code that uses the type.
    Implementation,
    /// An imported function that was replaced by another one, or a hint to the compiler that was added or deleted: the
    /// inclusive cost of the functions that name it.
    ImportedFunction,
    /// A macro: the self cost of the functions that use it.
    Macro,
    /// A dependency: the cost spent in it and in the functions it calls. Where the sampled version did not have it yet,
    /// the cost of the files that name it now, and of files that no longer exist.
    Dependency,
    /// A dependency that was added or deleted, or whose required version is incompatible with the old one: the same
    /// cost as for [`ChangeClass::Dependency`].
    ReplacedDependency,
    /// Another build setting: the whole cost, by the setting's own weight.
    BuildSetting,
    /// An attribute of a crate or module: the whole cost.
    FileAttribute,
    /// A file that cannot be analysed: the cost of its functions.
    Degraded,
    /// A deleted function: its self cost, which other code now spends.
    Replaced,
    /// Calls of libraries that stay calls, whatever is inlined: their price, with added and deleted calls offset
    /// against each other.
    Firm,
    /// A build setting that decides how everything is compiled (the optimisation level, for example): the whole cost.
    Optimisation,
    /// A constant or a small function with another value, which may decide how often loops run: the inclusive cost of
    /// the functions that mention it, directly or through other constants.
    Value,
    /// A name that means something else, or a call that the compiler adds: the inclusive cost of the functions that
    /// mention it.
    Redefined,
    /// A file that is compiled in, or read while the program runs: the inclusive cost of the functions that mention it.
    Input,
}

impl ChangeClass {
    /// All classes.
    pub const ALL: [Self; 26] = [
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
        Self::Value,
        Self::Redefined,
        Self::Input,
    ];
}

/// The cost that the changes of one version put at risk in one benchmark. All figures are shares of the benchmark's
/// total cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictionTerms {
    /// Sum of the priced changes (calls and work); negative for a saving.
    #[serde(rename = "e", default, skip_serializing_if = "is_zero")]
    pub expected: f64,
    /// The share of the cost that each class puts at risk, uncertain part only (for [`ChangeClass::Calls`] and
    /// [`ChangeClass::Work`]: half the width of the priced bounds). A class without any cost at risk is left out. Never
    /// below 0. A class may exceed 1, except [`ChangeClass::Unsampled`] and [`ChangeClass::Replaced`], which divide up
    /// the cost of executed functions.
    #[serde(rename = "x", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub touched: BTreeMap<ChangeClass, f64>,
}

impl PredictionTerms {
    /// True if the whole range of the priced changes is a movement of at least `threshold`, up or down: what is priced
    /// contradicts that the benchmark stays.
    #[must_use]
    pub fn is_priced_beyond(&self, threshold: f64) -> bool {
        let half_width = |class| self.touched.get(&class).copied().unwrap_or(0.0);
        // Two independent errors, as in the printed range.
        let width = half_width(ChangeClass::Calls).hypot(half_width(ChangeClass::Work));
        self.expected.abs() - width >= threshold
    }
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

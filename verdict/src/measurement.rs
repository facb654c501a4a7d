//! A measurement: the values of one benchmark at one version in one metric, run by run.
//!
//! Does not decide whether a difference is a change: [`crate::counts`] and [`crate::wall_time`] do.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A metric. Less is better in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Machine instructions that the subject executed (`Ir`).
    Instructions,
    /// Operations that probes in the source counted, where no instructions can be.
    Operations,
    /// Time that passed, in nanoseconds.
    WallTime,
    /// Bytes that the subject asked the allocator for, freed ones included.
    AllocatedBytes,
    /// Times that the subject asked the allocator.
    Allocations,
    /// Most bytes that were held at one time.
    PeakBytes,
}

impl Metric {
    /// Every metric, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Instructions,
        Self::Operations,
        Self::WallTime,
        Self::AllocatedBytes,
        Self::Allocations,
        Self::PeakBytes,
    ];

    /// As the contract writes it: `wall_time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Operations => "operations",
            Self::WallTime => "wall_time",
            Self::AllocatedBytes => "allocated_bytes",
            Self::Allocations => "allocations",
            Self::PeakBytes => "peak_bytes",
        }
    }

    /// True if the same program on the same input gives the same value, or nearly so: a few runs are enough, and no
    /// statistics are needed.
    #[must_use]
    pub fn is_counted(self) -> bool {
        self != Self::WallTime
    }
}

/// For people: `wall time`.
impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Instructions => "instructions",
            Self::Operations => "operations",
            Self::WallTime => "wall time",
            Self::AllocatedBytes => "allocated bytes",
            Self::Allocations => "allocations",
            Self::PeakBytes => "peak bytes",
        })
    }
}

/// One process start of a benchmark: a value for each of its iterations; a single one where the benchmark does not
/// iterate by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessStart(pub Vec<f64>);

/// Both sides of one round: started after each other, in random order, so that whatever slows the machine down slows
/// both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasurementRound {
    /// The base.
    pub base: ProcessStart,
    /// The base once more: what the machine does to identical code (an A/A control).
    pub control: ProcessStart,
    /// The head.
    pub head: ProcessStart,
}

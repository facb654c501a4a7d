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
    /// Bytes of machine code of the functions that the subject executed, each in full.
    ExecutedCodeSize,
    /// Bytes of the sections that a program loads from its file: code, constants, initialised variables, unwind tables.
    /// Of a program, not of a benchmark.
    BinarySize,
    /// Seconds that the optimised build took. Of a version, not of a benchmark.
    BuildTime,
}

impl Metric {
    /// Every metric, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Instructions,
        Self::Operations,
        Self::WallTime,
        Self::AllocatedBytes,
        Self::Allocations,
        Self::PeakBytes,
        Self::ExecutedCodeSize,
        Self::BinarySize,
        Self::BuildTime,
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
            Self::ExecutedCodeSize => "executed_code_size",
            Self::BinarySize => "binary_size",
            Self::BuildTime => "build_time",
        }
    }

    /// True if the same program on the same input gives the same value, or nearly so: a few runs are enough, and no
    /// statistics are needed.
    #[must_use]
    pub fn is_counted(self) -> bool {
        match self {
            Self::Instructions
            | Self::Operations
            | Self::AllocatedBytes
            | Self::Allocations
            | Self::PeakBytes
            | Self::ExecutedCodeSize
            | Self::BinarySize => true,
            Self::WallTime | Self::BuildTime => false,
        }
    }

    /// True if it is measured with what is built and counted anyway: it decides only where it is asked for, and is
    /// otherwise reported for information.
    #[must_use]
    pub fn is_byproduct(self) -> bool {
        match self {
            Self::ExecutedCodeSize | Self::BinarySize | Self::BuildTime => true,
            Self::Instructions
            | Self::Operations
            | Self::WallTime
            | Self::AllocatedBytes
            | Self::Allocations
            | Self::PeakBytes => false,
        }
    }

    /// False for a metric of a whole program or version: its entries do not carry the name of a benchmark.
    #[must_use]
    pub fn is_of_benchmark(self) -> bool {
        match self {
            Self::BinarySize | Self::BuildTime => false,
            Self::Instructions
            | Self::Operations
            | Self::WallTime
            | Self::AllocatedBytes
            | Self::Allocations
            | Self::PeakBytes
            | Self::ExecutedCodeSize => true,
        }
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
            Self::ExecutedCodeSize => "executed code size",
            Self::BinarySize => "binary size",
            Self::BuildTime => "build time",
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

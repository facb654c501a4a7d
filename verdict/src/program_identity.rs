//! The identity of a measured program: the packages and the machine code that tell later whether its count still stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A benchmark's program at one version. Two programs with equal code execute the same instructions on the same input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramIdentity {
    /// Digest of the packages from elsewhere that it was built with, in hexadecimal digits.
    pub dependencies: String,
    /// Digest of the machine code that it can reach, in hexadecimal digits; `None` where that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The part of it that the benchmark executes; `None` where no sample tells, and in records of a lito that kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<ExecutedCode>,
}

/// The machine code that a benchmark can reach from the functions that it executed when it was sampled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutedCode {
    /// Commit of the sample. Digests of two samples begin at other functions, and are not comparable.
    pub sample: String,
    /// Digest of the machine code, in hexadecimal digits.
    pub code: String,
}

/// A benchmark's program at both versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedPrograms {
    /// At the base; `None` where it was not built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ProgramIdentity>,
    /// At the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<ProgramIdentity>,
}

impl ProgramIdentity {
    /// Whether both are the same machine code, as far as that is known.
    #[must_use]
    pub fn has_code_of(&self, other: &Self) -> bool {
        self.code.is_some() && self.code == other.code
    }

    /// Whether both are the same program, as far as is known of each.
    #[must_use]
    pub fn is_program_of(&self, other: &Self) -> bool {
        (&self.dependencies, &self.code) == (&other.dependencies, &other.code)
    }
}

//! Source files → source files with probes: the types of this exchange. Does not insert probes.

use std::collections::{BTreeMap, BTreeSet};

use super::ProbeTable;

/// Rust sources and cargo manifests below one folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeSourceRoot {
    /// Prefix of the paths in a profile; empty for the versioned source tree.
    pub label: String,
    /// Text of each file by its path relative to the folder, with `/` between parts.
    pub files: BTreeMap<String, String>,
}

/// A line that must not hold a probe: index of its root, path, line (1-based).
pub type UnprobedLine = (usize, String, u32);

/// Sources with probes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbedSources {
    /// For each root, the files that differ from the given ones, by path.
    pub files: Vec<BTreeMap<String, String>>,
    /// Meaning of the probes.
    pub table: ProbeTable,
    /// Files without probes because they could not be parsed, with the reason.
    pub unread: Vec<(String, String)>,
}

/// Inserts probes into sources, except into functions that hold one of the given lines.
pub type SourceInstrumenter<'a> = &'a (dyn Fn(&[ProbeSourceRoot], &BTreeSet<UnprobedLine>) -> ProbedSources + Sync);

//! What passes between who reads and writes sources and who puts probes into them.

use std::collections::{BTreeMap, BTreeSet};

use super::ProbeTable;

/// Rust sources and cargo manifests below one folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeSourceRoot {
    /// What stands before the paths in a profile; empty for the versioned tree.
    pub label: String,
    /// Text by path relative to the folder, `/` between parts.
    pub files: BTreeMap<String, String>,
}

/// A line of one of several roots, which a probe must not stand on: root, path, line from 1.
pub type UnprobedLine = (usize, String, u32);

/// Sources with probes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbedSources {
    /// For each root the files that differ from what was given, by path.
    pub files: Vec<BTreeMap<String, String>>,
    /// What the probes stand for.
    pub table: ProbeTable,
    /// Files without probes because they could not be read, with the reason.
    pub unread: Vec<(String, String)>,
}

/// Puts probes into sources, except into functions that hold one of the places.
pub type SourceInstrumenter<'a> = &'a (dyn Fn(&[ProbeSourceRoot], &BTreeSet<UnprobedLine>) -> ProbedSources + Sync);

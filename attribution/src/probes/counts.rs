//! The text written by an instrumented program → counts.

use std::collections::BTreeMap;

use super::line_format::{ProbeTextError, each_line};
use profile::probes::{ProbeFunctionIndex, ProbeRegionIndex, ProbeTable};

/// The first line of the text.
const HEADER: &str = "lito-probe 1";

/// Counts of an instrumented program, over all its threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeCounts {
    /// Executions of each region.
    pub regions: BTreeMap<ProbeRegionIndex, u64>,
    /// Entries of each function.
    pub functions: BTreeMap<ProbeFunctionIndex, ProbeEntries>,
    /// Entries by calling region and callee.
    pub edges: BTreeMap<ProbeEdge, ProbeEntries>,
}

/// An entry of a function from a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProbeEdge {
    /// Calling region; 0 outside all regions.
    pub region: ProbeRegionIndex,
    /// The entered function.
    pub callee: ProbeFunctionIndex,
}

/// Number of entries and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProbeEntries {
    /// Number of entries.
    pub calls: u64,
    /// Operations until the function was left, callees included; of nested entries, only the outermost counts.
    pub inclusive: u64,
}

impl ProbeCounts {
    /// Reads the text of a program; its threads are added up.
    ///
    /// # Errors
    /// [`ProbeTextError`] for any text that an instrumented program did not write completely.
    pub fn read(text: &str) -> Result<Self, ProbeTextError> {
        let mut counts = Self::default();
        each_line(text, HEADER, |kind, numbers| counts.add_line(kind, numbers))?;
        Ok(counts)
    }

    /// Adds the counts of another process.
    pub fn add(&mut self, other: &Self) {
        for (region, count) in &other.regions {
            let known = self.regions.entry(*region).or_default();
            *known = known.saturating_add(*count);
        }
        for (function, entries) in &other.functions {
            self.functions.entry(*function).or_default().add(*entries);
        }
        for (edge, entries) in &other.edges {
            self.edges.entry(*edge).or_default().add(*entries);
        }
    }

    /// All operations: the total of a profile made from these counts.
    #[must_use]
    pub fn total(&self, table: &ProbeTable) -> u64 {
        let known = self.regions.iter().filter_map(|(region, count)| {
            let region = table.regions.get(*region as usize)?;
            Some(count.saturating_mul(u64::from(region.operations())))
        });
        known.fold(0, u64::saturating_add)
    }

    fn add_line(&mut self, kind: &str, numbers: &[u64]) -> Option<()> {
        let index = |number: u64| u32::try_from(number).ok();
        let (entries, calls, inclusive) = match (kind, numbers) {
            ("p", &[region, count]) => {
                let known = self.regions.entry(index(region)?).or_default();
                *known = known.saturating_add(count);
                return Some(());
            }
            ("f", &[function, calls, inclusive]) => {
                (self.functions.entry(index(function)?).or_default(), calls, inclusive)
            }
            ("c", &[region, callee, calls, inclusive]) => {
                let edge = ProbeEdge {
                    region: index(region)?,
                    callee: index(callee)?,
                };
                (self.edges.entry(edge).or_default(), calls, inclusive)
            }
            _ => return None,
        };
        entries.add(ProbeEntries { calls, inclusive });
        Some(())
    }
}

impl ProbeEntries {
    fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.inclusive = self.inclusive.saturating_add(other.inclusive);
    }
}

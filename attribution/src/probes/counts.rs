//! The text that an instrumented program leaves → counts.

use std::collections::BTreeMap;

use super::line_format::{ProbeTextError, each_line};
use profile::probes::{ProbeFunctionIndex, ProbeRegionIndex, ProbeTable};

/// The first line of the text.
const HEADER: &str = "lito-probe 1";

/// What an instrumented program counted, over all its threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeCounts {
    /// Executions of each region that ran.
    pub regions: BTreeMap<ProbeRegionIndex, u64>,
    /// Each function that was entered.
    pub functions: BTreeMap<ProbeFunctionIndex, ProbeEntries>,
    /// Which function was entered from which region.
    pub edges: BTreeMap<ProbeEdge, ProbeEntries>,
}

/// An entry of a function from a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProbeEdge {
    /// Where it was called; 0 where nothing probed was running.
    pub region: ProbeRegionIndex,
    /// What was entered.
    pub callee: ProbeFunctionIndex,
}

/// How often something was entered, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProbeEntries {
    /// Times.
    pub calls: u64,
    /// Operations until it was left, callees included; of nested entries only the outermost.
    pub inclusive: u64,
}

impl ProbeCounts {
    /// Reads what a program left; several threads of it are added up.
    ///
    /// # Errors
    /// [`ProbeTextError`] for any text that was not written in full by a probed program.
    pub fn read(text: &str) -> Result<Self, ProbeTextError> {
        let mut counts = Self::default();
        each_line(text, HEADER, |kind, numbers| counts.add_line(kind, numbers))?;
        Ok(counts)
    }

    /// Adds what another process counted.
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

    /// All operations: what the total of a profile of these counts is.
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

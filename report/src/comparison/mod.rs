//! Two compared executions → text for a terminal, markdown, JSON and folded stacks.
//!
//! Pure: matching the two and finding noise happens before. Pictures are [`crate::view`]'s.

mod causes;
mod human;
mod json;
mod rows;
mod stacks;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use profile::call_tree::{DifferentialFlameGraph, EvolutionBlueprint};

pub use causes::{CauseKind, CauseRow, cause_rows, main_causes};
pub use human::{human, markdown};
pub(crate) use json::ComparisonDocument;
pub use json::{SCHEMA, json};
pub(crate) use rows::{largest, row};
pub use stacks::stacks;

/// Two compared executions.
#[derive(Debug, Clone)]
pub struct ExecutionComparison {
    /// The one before.
    pub before: ComparedExecution,
    /// The one after.
    pub after: ComparedExecution,
    /// The merged calling context tree.
    pub evolution: EvolutionBlueprint,
    /// The leaf of the delta hot path from each node on, as [`profile::call_tree::hot_leaves`] finds it.
    pub hot_leaves: Vec<usize>,
    /// The stacks of both.
    pub flames: DifferentialFlameGraph,
    /// The functions whose source differs, by name.
    pub changed: BTreeMap<String, SourceDifference>,
    /// The commits between the two versions that changed a function, by its name, oldest first. Empty where there is nothing
    /// between them, or nobody looked.
    pub changing_commits: BTreeMap<String, Vec<String>>,
    /// Functions that moved or were renamed: the name after → the name before.
    pub moved: BTreeMap<String, String>,
    /// Conditions of the comparison that its reader needs, a sentence each.
    pub notes: Vec<String>,
}

/// How the source of a function differs. A function that is compiled into its callers may be in one tree alone, while its source is on
/// both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceDifference {
    /// Both sides have it, with other tokens.
    Changed,
    /// Only the later side has it.
    New,
    /// Only the earlier side has it.
    Gone,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedExecution {
    /// The benchmark.
    pub benchmark: String,
    /// Name of the version or the file.
    pub label: String,
    /// Its commit; none if stacks were read from a file.
    pub commit: Option<String>,
}

impl ExecutionComparison {
    /// True if the source of a node's function differs.
    #[must_use]
    pub fn is_changed(&self, node: usize) -> bool {
        self.changed.contains_key(self.evolution.name(node))
    }

    /// The node that the delta hot path leads to.
    #[must_use]
    pub fn hot(&self) -> usize {
        self.hot_leaves.first().copied().unwrap_or_default()
    }

    /// From the root to a node.
    #[must_use]
    pub fn path(&self, node: usize) -> Vec<usize> {
        let parent = |at: &usize| self.evolution.nodes[*at].parent;
        let mut path: Vec<usize> = std::iter::successors(Some(node), parent).collect();
        path.reverse();
        path
    }

    /// Title of the comparison: `parse, v1 → v2`.
    #[must_use]
    pub fn title(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        if before.benchmark == after.benchmark {
            format!("{}, {} → {}", after.benchmark, before.label, after.label)
        } else if before.label == after.label {
            format!("{} → {} at {}", before.benchmark, after.benchmark, after.label)
        } else {
            format!(
                "{} at {} → {} at {}",
                before.benchmark, before.label, after.benchmark, after.label
            )
        }
    }

    /// The relative change of the total: 0.1 is ten per cent more.
    #[must_use]
    pub fn change(&self) -> f64 {
        let (before, after) = (self.evolution.total_before, self.evolution.total_after);
        match (before, after) {
            (0, 0) => 0.0,
            (0, _) => f64::INFINITY,
            _ => after as f64 / before as f64 - 1.0,
        }
    }
}

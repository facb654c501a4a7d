//! A program and its changed functions → whether a benchmark can reach one of them, and on which path.
//!
//! Follows static references: a path does not mean that a run takes it, but without a path no run can reach the change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::program::MachineCode;
use super::reference_graph::ReferenceGraphNode;

/// Whether a benchmark reaches a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeReachability {
    /// A changed function is among those that the benchmark executed.
    Executed {
        /// Of several, one whose name few functions have.
        function: String,
    },
    /// References lead to a changed function.
    Reachable {
        /// Canonical names on a shortest path from the root to the changed function, both included.
        path: Vec<String>,
    },
    /// No reference leads to a changed function.
    Unreachable {
        /// Number of reachable functions.
        functions: usize,
    },
    /// Unknown.
    Unknown {
        /// The reason, worded to follow "not known: ".
        why: String,
    },
}

/// Most names of a path that are shown; the names between are counted.
const LONGEST_SHOWN: usize = 6;

impl CodeReachability {
    /// Whether the benchmark can reach the changed functions; `None` if unknown.
    #[must_use]
    pub fn reachable(&self) -> Option<bool> {
        match self {
            Self::Executed { .. } | Self::Reachable { .. } => Some(true),
            Self::Unreachable { .. } => Some(false),
            Self::Unknown { .. } => None,
        }
    }
}

/// One sentence.
impl fmt::Display for CodeReachability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executed { function } => {
                write!(formatter, "the benchmark executes {function}, which changed")
            }
            Self::Reachable { path } => {
                let shown = if path.len() > LONGEST_SHOWN {
                    let (first, last) = (LONGEST_SHOWN / 2, path.len() - LONGEST_SHOWN / 2);
                    let between = format!("({} more)", last - first);
                    [&path[..first], &[between], &path[last..]].concat()
                } else {
                    path.clone()
                };
                write!(formatter, "a changed function can be reached: {}", shown.join(" → "))
            }
            Self::Unreachable { functions } => write!(
                formatter,
                "no changed function is among the {functions} that the benchmark can reach"
            ),
            Self::Unknown { why } => write!(formatter, "not known: {why}"),
        }
    }
}

/// The benchmark and the changes to check.
#[derive(Debug, Clone, Copy)]
pub struct ReachabilityQuery<'a> {
    /// Canonical names of the functions in which the benchmark starts; the program's entry if empty.
    pub roots: &'a BTreeSet<String>,
    /// Canonical names of the functions that it executed, inlined ones included; empty if unknown.
    pub executed: &'a BTreeSet<String>,
    /// Canonical names of the functions whose source changed, and of those whose machine code did
    /// ([`super::changed_functions`]): a changed function that is inlined everywhere shows only in its callers.
    pub changed: &'a BTreeSet<String>,
}

/// Of these canonical names, the first of those that the fewest functions have: each type has its own `drop_in_place`.
fn least_ambiguous(code: &MachineCode<'_>, names: Vec<&String>) -> String {
    let mut functions: BTreeMap<&String, usize> = names.into_iter().map(|name| (name, 0)).collect();
    for name in code.canonical_names().iter().flatten() {
        if let Some(of_name) = functions.get_mut(name) {
            *of_name += 1;
        }
    }
    let fewest = functions.into_iter().min_by_key(|(_, functions)| *functions);
    fewest.map(|(name, _)| name.clone()).unwrap_or_default()
}

/// Whether a benchmark can reach a changed function.
#[must_use]
pub fn find_reachability(code: &MachineCode<'_>, question: ReachabilityQuery<'_>) -> CodeReachability {
    let executed: Vec<&String> = question.changed.intersection(question.executed).collect();
    if !executed.is_empty() {
        return CodeReachability::Executed {
            function: least_ambiguous(code, executed),
        };
    }
    let roots: Vec<ReferenceGraphNode> = if question.roots.is_empty() {
        code.entry_nodes()
    } else {
        (code.bodies_named(question.roots).into_iter())
            .map(ReferenceGraphNode::Body)
            .collect()
    };
    if roots.is_empty() {
        return CodeReachability::Unknown {
            why: "the function that the benchmark starts from is not in the program".to_owned(),
        };
    }
    let changed = code.bodies_named(question.changed);
    let reached = code.reachable_nodes(roots, |_| true);
    let way = |body: usize| {
        let mut way = vec![ReferenceGraphNode::Body(body)];
        let mut next = reached.get(&ReferenceGraphNode::Body(body)).copied().flatten();
        while let Some(node) = next {
            way.push(node);
            next = reached.get(&node).copied().flatten();
        }
        way.reverse();
        way
    };
    let shortest = (changed.iter())
        .filter(|body| reached.contains_key(&ReferenceGraphNode::Body(**body)))
        .map(|body| way(*body))
        .min_by_key(Vec::len);
    match shortest {
        Some(way) => CodeReachability::Reachable {
            path: (way.into_iter())
                .filter_map(|node| match node {
                    ReferenceGraphNode::Body(body) => code.canonical_names()[body].first(),
                    ReferenceGraphNode::Data(_) => None,
                })
                .cloned()
                .collect(),
        },
        None => CodeReachability::Unreachable {
            functions: super::reference_graph::bodies(&reached).len(),
        },
    }
}

//! A function of which a part was written anew → prices of the new part that bear in mind what the old part cost.
//!
//! What is gone was measured; what came is read, and reading goes wrong by factors: it multiplies assumptions about loops,
//! conditionals and callees. People who write a part anew rarely make it cost many times as much. So what the new part
//! costs beyond a believable multiple of the old one's measured cost is drawn towards that, in logarithms, the more the
//! larger the part is that was replaced. What is only added, or only gone, is left as it is.

use std::collections::BTreeMap;

use crate::change::ExecutionEdit;
use crate::cost::ledger::CostEntry;
use crate::cost::lito::BenchmarkPricer;
use crate::cost::{CostAccountKey, ScoringContext};

/// The entries of one change, in a function or outside of them all.
pub(super) struct ChangeEntries {
    /// Index of the change.
    pub(super) change: usize,
    /// The pair that it is in.
    pub(super) pair: Option<usize>,
    pub(super) entries: Vec<CostEntry>,
}

/// How many nodes of a function went, and came.
#[derive(Clone, Copy, Default)]
struct NodeChurn {
    went: f64,
    came: f64,
}

/// Share of each function, by pair, that took the place of something, in 0..=1.
pub(super) fn replaced_shares(scene: &ScoringContext<'_>) -> Vec<f64> {
    let mut nodes = vec![NodeChurn::default(); scene.changes.pairs.len()];
    for (index, change) in scene.changes.changes.iter().enumerate() {
        if let Some(pair) = scene.pair_of(index) {
            for edit in &change.edits {
                match edit {
                    ExecutionEdit::CallAdded { .. } => nodes[pair].came += 1.0,
                    ExecutionEdit::CallRemoved { .. } => nodes[pair].went += 1.0,
                    ExecutionEdit::WorkAdded { operations, .. } => {
                        nodes[pair].came += f64::from(*operations);
                    }
                    ExecutionEdit::WorkRemoved { operations, .. } => {
                        nodes[pair].went += f64::from(*operations);
                    }
                    _ => {}
                }
            }
        }
    }
    let pairs = scene.changes.pairs.iter().zip(nodes);
    pairs
        .map(|(pair, nodes)| match (&pair.before, &pair.after) {
            (Some(before), Some(after)) => {
                let smaller = before.function.size().min(after.function.size());
                (nodes.went.min(nodes.came) / smaller as f64).min(1.0)
            }
            _ => 0.0,
        })
        .collect()
}

/// Draws what came towards what went, function by function.
pub(super) fn discount_rewrites(changes: &mut [ChangeEntries], replaced: &[f64], benchmark: &BenchmarkPricer<'_>) {
    let mut of_pair: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, of) in changes.iter().enumerate() {
        if let Some(pair) = of.pair.filter(|&pair| replaced[pair] > 0.0) {
            of_pair.entry(pair).or_default().push(index);
        }
    }
    let assumed = benchmark.scene.costs.rewrite;
    for (pair, indices) in of_pair {
        // Calls of one function that went here and came there are no news.
        let mut net: BTreeMap<CostAccountKey, f64> = BTreeMap::new();
        for entry in indices.iter().flat_map(|&index| &changes[index].entries) {
            if entry.is_priced() {
                *net.entry(entry.account.clone()).or_default() += entry.cost().expected;
            }
        }
        let came: f64 = net.values().filter(|cost| **cost > 0.0).sum();
        let went: f64 = -net.values().filter(|cost| **cost < 0.0).sum::<f64>();
        if came <= 0.0 {
            continue;
        }
        let own = benchmark.self_cost_with_inlined(pair);
        // What went may have had no price; then it had its share of the function's own cost.
        let was = went.max(own * replaced[pair]);
        // A hundredth of the function keeps the ratio of next to nothing and nothing in bounds.
        let slack = own / 100.0 + 1.0;
        let reading = 1.0 - (1.0 - assumed.reading) * (replaced[pair] / assumed.part).min(1.0);
        let excess = (came + slack) / (was + slack) / assumed.believable;
        if excess <= 1.0 {
            continue;
        }
        let factor = excess.powf(reading - 1.0);
        for &index in &indices {
            for entry in &mut changes[index].entries {
                if entry.is_priced() && net.get(&entry.account).is_some_and(|cost| *cost > 0.0) {
                    entry.runs = entry.runs * factor;
                }
            }
        }
    }
}

//! A partly rewritten function → prices of the new part that take the measured cost of the old part into account.
//!
//! The old part was measured. The new part is read, and reading is wrong by factors, because it multiplies assumptions
//! about loops, conditionals and callees. A rewrite rarely multiplies the cost. So a price beyond a believable multiple
//! of the old part's measured cost is drawn towards that multiple, in logarithms. The pull grows with the size of the
//! replaced part. The upper bound of a price stays where it was: it may be right all the same. Parts that are only added,
//! or only deleted, are left as they are.

use std::collections::BTreeMap;

use crate::change::ExecutionEdit;
use crate::cost::ledger::CostEntry;
use crate::cost::lito::BenchmarkPricer;
use crate::cost::{CostAccountKey, ScoringContext};

/// The entries of one change, in a function or outside of all functions.
pub(super) struct ChangeEntries {
    /// Index of the change.
    pub(super) change: usize,
    /// The pair that contains it.
    pub(super) pair: Option<usize>,
    pub(super) entries: Vec<CostEntry>,
}

/// The number of nodes of a function that were deleted and added.
#[derive(Clone, Copy, Default)]
struct NodeChurn {
    went: f64,
    came: f64,
}

/// The replaced share of each function, by pair, in 0..=1.
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
                    ExecutionEdit::CallMoved { .. }
                    | ExecutionEdit::Reconditioned { .. }
                    | ExecutionEdit::ArgumentsChanged { .. }
                    | ExecutionEdit::FieldChanged { .. }
                    | ExecutionEdit::Recompiled => {}
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

/// Draws the cost of added code towards that of deleted code, function by function.
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
        // The deleted code may have had no price; then it had its share of the function's own cost.
        let was = went.max(own * replaced[pair]);
        // A hundredth of the function keeps the ratio of two very small costs within bounds.
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
                    match benchmark.is_unsampled(pair) {
                        // Their cost has bounds of its own.
                        true => entry.believed *= factor,
                        false => entry.discount(factor),
                    }
                }
            }
        }
    }
}

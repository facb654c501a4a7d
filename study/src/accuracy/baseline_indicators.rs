//! A change set on a sample → for each benchmark, the signs by which baselines decide.
//!
//! Counts and shares only: nothing here prices anything, and no model of the product reads it.

use std::collections::BTreeMap;

use analyzer::change::{ExecutionEdit, FunctionPair};
use analyzer::cost::ScoringContext;
use analyzer::sample::{IndexedProfile, SampledFunction};
use serde::{Deserialize, Serialize};

/// Signs of change that need no cost model, in the manner of Perphecy (Oliveira et al., ICST 2017): what baselines
/// decide by. Shares are of the benchmark's total cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BaselineIndicators {
    /// Added functions.
    #[serde(rename = "n", skip_serializing_if = "is_zero_count")]
    pub new: u32,
    /// Deleted functions.
    #[serde(rename = "d", skip_serializing_if = "is_zero_count")]
    pub deleted: u32,
    /// Deleted functions that the benchmark executed, or may have executed if the sample did not have them.
    #[serde(rename = "dr", skip_serializing_if = "is_zero_count")]
    pub deleted_reached: u32,
    /// Functions that changed (their tokens differ) and that the benchmark executed.
    #[serde(rename = "c", skip_serializing_if = "is_zero_count")]
    pub changed_reached: u32,
    /// Self cost of the changed functions that the benchmark executed.
    #[serde(rename = "cs", skip_serializing_if = "is_zero")]
    pub changed_share: f64,
    /// Inclusive cost of the most expensive of them.
    #[serde(rename = "ci", skip_serializing_if = "is_zero")]
    pub changed_inclusive: f64,
    /// Calls of the most called of them, as a share of all calls.
    #[serde(rename = "cc", skip_serializing_if = "is_zero")]
    pub changed_calls: f64,
    /// Largest relative change of length (nodes of the syntax tree) of any changed function, 0 and up.
    #[serde(rename = "l", skip_serializing_if = "is_zero")]
    pub length: f64,
    /// Largest relative change of length of any changed function that the benchmark executed.
    #[serde(rename = "lr", skip_serializing_if = "is_zero")]
    pub length_reached: f64,
    /// Self cost of each changed and executed function times the share of its nodes that changed, summed.
    #[serde(rename = "cw", skip_serializing_if = "is_zero")]
    pub changed_work: f64,
}

/// A function that came, went or changed, with what is the same for every benchmark.
struct FunctionDifference<'a> {
    kind: FunctionDifferenceKind,
    sampled: Option<&'a SampledFunction>,
    test_only: bool,
    /// Index of the pair.
    pair: usize,
}

enum FunctionDifferenceKind {
    Came,
    Went,
    Changed {
        /// Relative change of length, 0 and up.
        length: f64,
        /// Share of the nodes of both sides that only one side has.
        share: f64,
    },
}

/// Returns the signs of each benchmark of the sample, by its name.
#[must_use]
pub fn baseline_indicators(scene: &ScoringContext<'_>) -> BTreeMap<String, BaselineIndicators> {
    let differing = differing_functions(scene);
    let of = |profile: &IndexedProfile| BaselineIndicators::of(&differing, scene, profile);
    let benchmarks = scene.sample.benchmarks.iter();
    benchmarks
        .map(|profile| (profile.profile().benchmark.clone(), of(profile)))
        .collect()
}

/// The functions that differ, once for all benchmarks.
fn differing_functions<'a>(scene: &'a ScoringContext<'_>) -> Vec<FunctionDifference<'a>> {
    let mut edited = vec![0.0; scene.changes.pairs.len()];
    for (index, change) in scene.changes.changes.iter().enumerate() {
        if let Some(pair) = scene.pair_of(index) {
            edited[pair] += change.edits.iter().map(nodes_of).sum::<f64>();
        }
    }
    let pairs = scene.changes.pairs.iter().zip(&scene.standings).zip(edited);
    pairs
        .enumerate()
        .map(|(index, ((pair, standing), edited))| FunctionDifference {
            pair: index,
            kind: kind(pair, edited),
            sampled: standing.as_ref().map(|standing| &standing.sampled),
            test_only: [&pair.before, &pair.after]
                .into_iter()
                .flatten()
                .all(|located| located.function.test_only),
        })
        .collect()
}

fn kind(pair: &FunctionPair, edited: f64) -> FunctionDifferenceKind {
    match (&pair.before, &pair.after) {
        (Some(before), Some(after)) => {
            let (old, new) = (before.function.size() as f64, after.function.size() as f64);
            FunctionDifferenceKind::Changed {
                length: (new - old).abs() / old,
                share: (edited / (old + new)).min(1.0),
            }
        }
        (Some(_), None) => FunctionDifferenceKind::Went,
        (None, _) => FunctionDifferenceKind::Came,
    }
}

impl BaselineIndicators {
    /// The signs of one benchmark. What only tests run counts where the benchmark executes it.
    fn of(compared: &[FunctionDifference<'_>], scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Self {
        let mut signs = Self::default();
        // Functions that were added and deleted since the sample.
        let mut reached_since = None;
        let functions = &profile.profile().functions;
        let all_calls: u64 = functions.iter().map(|function| function.calls).sum();
        for function in compared {
            let reached = function.sampled.and_then(|found| reached(found, profile));
            if function.test_only && reached.is_none() {
                continue;
            }
            match (&function.kind, reached) {
                (FunctionDifferenceKind::Came, _) => signs.new += 1,
                (FunctionDifferenceKind::Went, reached) => {
                    signs.deleted += 1;
                    let is_reached = reached.is_some()
                        || function.sampled.is_none()
                            && reached_since
                                .get_or_insert_with(|| scene.pairs_reached_since_the_sample(profile))
                                .contains(&function.pair);
                    signs.deleted_reached += u32::from(is_reached);
                }
                (FunctionDifferenceKind::Changed { length, .. }, None) => signs.length = signs.length.max(*length),
                (FunctionDifferenceKind::Changed { length, share }, Some(reached)) => {
                    let self_cost = reached.self_cost as f64 / profile.total();
                    let inclusive = (reached.inclusive as f64 / profile.total()).min(1.0);
                    let calls = reached.calls as f64 / (all_calls as f64).max(1.0);
                    signs.changed_reached += 1;
                    signs.changed_share += self_cost;
                    signs.changed_inclusive = signs.changed_inclusive.max(inclusive);
                    signs.changed_calls = signs.changed_calls.max(calls);
                    signs.length = signs.length.max(*length);
                    signs.length_reached = signs.length_reached.max(*length);
                    signs.changed_work += self_cost * share;
                }
            }
        }
        signs
    }
}

#[derive(Default)]
struct FunctionCost {
    calls: u64,
    self_cost: u64,
    inclusive: u64,
}

/// The cost that a benchmark spends in a function, including its closures; `None` if it never calls the function.
fn reached(sampled: &SampledFunction, profile: &IndexedProfile) -> Option<FunctionCost> {
    let mut sum = FunctionCost::default();
    for id in sampled.ids(profile) {
        let function = profile.profile().function(id);
        sum.calls += function.calls;
        sum.self_cost += function.self_cost;
        sum.inclusive += function.inclusive;
    }
    for id in sampled.closures(profile) {
        sum.self_cost += profile.profile().function(id).self_cost;
    }
    (sum.calls > 0).then_some(sum)
}

/// Number of nodes in an edit, of both sides together.
fn nodes_of(edit: &ExecutionEdit) -> f64 {
    match edit {
        ExecutionEdit::CallAdded { call, .. } | ExecutionEdit::CallRemoved { call, .. } => {
            1.0 + f64::from(call.arguments.weight)
        }
        ExecutionEdit::CallMoved { call, .. } => 2.0 * (1.0 + f64::from(call.arguments.weight)),
        ExecutionEdit::WorkAdded { operations, .. } | ExecutionEdit::WorkRemoved { operations, .. } => {
            f64::from(*operations)
        }
        ExecutionEdit::ArgumentsChanged { .. }
        | ExecutionEdit::FieldChanged { .. }
        | ExecutionEdit::Reconditioned { .. }
        | ExecutionEdit::Recompiled => 2.0,
    }
}

impl BaselineIndicators {
    /// Applies a function to every share, for example to round it.
    pub fn each_share(&mut self, change: impl FnMut(&mut f64)) {
        [
            &mut self.changed_share,
            &mut self.changed_inclusive,
            &mut self.changed_calls,
            &mut self.length,
            &mut self.length_reached,
            &mut self.changed_work,
        ]
        .into_iter()
        .for_each(change);
    }
}

fn is_zero_count(value: &u32) -> bool {
    *value == 0
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

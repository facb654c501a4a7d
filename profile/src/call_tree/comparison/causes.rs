//! A blueprint, and whose source changed → the functions that the difference of the whole run comes from. The parts add up
//! to the difference.
//!
//! Self costs are summed by the nearest function on the path of calls whose source changed, is new or is gone: it decides
//! what happens below it, as far as nothing there changed. Where such a function is called more or less often than before
//! by another one of them, that part belongs to the caller: of a function with the cost `B` before and `A` after, called
//! `k` times as often, the callers have `B (k - 1)` and the function itself `A - B k`.

use std::collections::BTreeMap;

use crate::call_tree::{CallTreeFunctionId, EvolutionBlueprint, EvolutionNode, EvolutionNodeKind};

/// A part of a difference with one origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferenceCause {
    /// The origin.
    pub origin: CauseOrigin,
    /// The number of contexts in which it has a part.
    pub contexts: usize,
    /// Its part of the difference, signed, in the unit of the runs.
    pub difference: f64,
}

/// The origin of a part of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseOrigin {
    /// A function whose source changed; an entry of the shared table.
    Changed(CallTreeFunctionId),
    /// A function that is new.
    New(CallTreeFunctionId),
    /// A function that is gone.
    Gone(CallTreeFunctionId),
    /// Code of the project whose source, and whose callers' source, is as it was.
    UnchangedCode,
    /// The same of libraries.
    UnchangedLibraries,
}

/// The origins, largest part first. `is_changed` tells whether a function's source differs, is new or is gone; of libraries
/// it is asked too.
#[must_use]
pub fn causes(evolution: &EvolutionBlueprint, is_changed: impl Fn(CallTreeFunctionId) -> bool) -> Vec<DifferenceCause> {
    let nodes = &evolution.nodes;
    let regions = Regions::of(evolution, is_changed);
    let mut parts: BTreeMap<CauseOrigin, (usize, f64)> = BTreeMap::new();
    let mut add = |origin: CauseOrigin, part: f64| {
        if part != 0.0 {
            let (contexts, sum) = parts.entry(origin).or_default();
            *contexts += 1;
            *sum += part;
        }
    };
    for (at, node) in nodes.iter().enumerate() {
        if regions.top[at].is_none() {
            let [before, after] = self_costs(node);
            add(unchanged(evolution, node), after - before);
        }
    }
    for (top, [before, after]) in &regions.costs {
        let node = &nodes[*top];
        let origin = regions.origin(evolution, *top);
        let callers = regions.callers(evolution, *top);
        let is_elsewhere = matches!(origin, CauseOrigin::Changed(_)) && node.kind() != EvolutionNodeKind::Both;
        if is_elsewhere && let Some(caller) = callers.first() {
            // The caller came to call it here, or stopped.
            add(regions.origin(evolution, *caller), after - before);
            continue;
        }
        // How often as often as before each is called, itself first.
        let mut rates: Vec<Option<f64>> = vec![rate(node)];
        rates.extend(callers.iter().map(|caller| rate(&nodes[*caller])));
        // Where that is not known, as often as its caller.
        let mut known = vec![1.0; rates.len() + 1];
        for place in (0..rates.len()).rev() {
            known[place] = rates[place].unwrap_or(known[place + 1]);
        }
        add(origin, after - before * known[0]);
        for (place, caller) in callers.iter().enumerate() {
            add(
                regions.origin(evolution, *caller),
                before * (known[place] - known[place + 1]),
            );
        }
        add(CauseOrigin::UnchangedCode, before * (known[rates.len() - 1] - 1.0));
    }
    let mut causes: Vec<DifferenceCause> = (parts.into_iter())
        .map(|(origin, (contexts, difference))| DifferenceCause {
            origin,
            contexts,
            difference,
        })
        .collect();
    causes.sort_by(|one, other| other.difference.abs().total_cmp(&one.difference.abs()));
    causes
}

/// The contexts below each context of a changed function, down to the next one.
struct Regions {
    /// For each node, the nearest node of a changed function on the way to the root, itself included.
    top: Vec<Option<usize>>,
    /// The self costs of each region before and after, by its top.
    costs: BTreeMap<usize, [f64; 2]>,
}

impl Regions {
    fn of(evolution: &EvolutionBlueprint, is_changed: impl Fn(CallTreeFunctionId) -> bool) -> Self {
        let mut top: Vec<Option<usize>> = Vec::with_capacity(evolution.nodes.len());
        let mut costs: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
        for (at, node) in evolution.nodes.iter().enumerate() {
            let above = node.parent.and_then(|parent| top[parent]);
            let nearest = if is_changed(node.function) { Some(at) } else { above };
            top.push(nearest);
            if let Some(nearest) = nearest {
                let sum = costs.entry(nearest).or_default();
                for (sum, cost) in sum.iter_mut().zip(self_costs(node)) {
                    *sum += cost;
                }
            }
        }
        Self { top, costs }
    }

    /// The contexts of changed functions that a region is called from, the nearest first.
    fn callers(&self, evolution: &EvolutionBlueprint, top: usize) -> Vec<usize> {
        let above = |at: &usize| evolution.nodes[*at].parent.and_then(|parent| self.top[parent]);
        std::iter::successors(above(&top), above).collect()
    }

    fn origin(&self, evolution: &EvolutionBlueprint, top: usize) -> CauseOrigin {
        let function = evolution.nodes[top].function;
        let shared = &evolution.functions.table[function.0 as usize];
        match (shared.before, shared.after) {
            (None, _) => CauseOrigin::New(function),
            (_, None) => CauseOrigin::Gone(function),
            _ => CauseOrigin::Changed(function),
        }
    }
}

fn unchanged(evolution: &EvolutionBlueprint, node: &EvolutionNode) -> CauseOrigin {
    match evolution.functions.table[node.function.0 as usize].function.external {
        true => CauseOrigin::UnchangedLibraries,
        false => CauseOrigin::UnchangedCode,
    }
}

/// Calls after, in calls before; `None` where they are not known exactly.
fn rate(node: &EvolutionNode) -> Option<f64> {
    let calls = |side: Option<crate::call_tree::EvolutionSide>| side?.calls.filter(|calls| !calls.estimated);
    let (before, after) = (calls(node.before)?, calls(node.after)?);
    #[expect(clippy::cast_precision_loss, reason = "numbers of calls are far below 2^53")]
    let rate = after.count as f64 / before.count as f64;
    (before.count > 0).then_some(rate)
}

#[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
fn self_costs(node: &EvolutionNode) -> [f64; 2] {
    [node.before, node.after].map(|side| side.map_or(0.0, |side| side.self_cost as f64))
}

#[cfg(test)]
mod tests {
    use super::{CauseOrigin, causes};
    use crate::call_tree::folded_stacks;
    use crate::call_tree::{CallCount, CallTree, CostNoise, EvolutionBlueprint, FunctionRenames};

    /// Stacks of the project's functions with their self costs; each context is called once.
    fn called_once(stacks: &str) -> CallTree {
        let mut tree = folded_stacks::read(stacks.as_bytes()).expect("stacks").tree;
        for function in &mut tree.functions {
            function.external = false;
        }
        for node in &mut tree.nodes {
            node.calls = Some(CallCount {
                count: 1,
                estimated: false,
            });
        }
        tree
    }

    fn set_calls(tree: &mut CallTree, name: &str, count: u64) {
        for at in 0..tree.nodes.len() {
            if tree.functions[tree.nodes[at].function.0 as usize].name == name {
                tree.nodes[at].calls = Some(CallCount {
                    count,
                    estimated: false,
                });
            }
        }
    }

    /// Name of the origin, contexts and difference.
    fn found(before: &CallTree, after: &CallTree, changed: &[&str]) -> Vec<(String, usize, f64)> {
        let evolution = EvolutionBlueprint::of(before, after, &FunctionRenames::new(), CostNoise::Counted);
        let name = |id: crate::call_tree::CallTreeFunctionId| &evolution.functions.table[id.0 as usize].function.name;
        let all = causes(&evolution, |id| changed.contains(&name(id).as_str()));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let total = after.total() as f64 - before.total() as f64;
        let sum: f64 = all.iter().map(|cause| cause.difference).sum();
        assert!((sum - total).abs() < 1e-6, "{sum} of {total}");
        let shown = all.iter().map(|cause| {
            let origin = match cause.origin {
                CauseOrigin::Changed(id) => name(id).clone(),
                CauseOrigin::New(id) => format!("new {}", name(id)),
                CauseOrigin::Gone(id) => format!("gone {}", name(id)),
                CauseOrigin::UnchangedCode => "code".to_owned(),
                CauseOrigin::UnchangedLibraries => "libraries".to_owned(),
            };
            (origin, cause.contexts, cause.difference)
        });
        shown.collect()
    }

    #[test]
    fn a_changed_function_answers_for_the_unchanged_ones_below_it_in_all_contexts() {
        let before = called_once("main;a;f;g 10\nmain;b;f;g 20\n");
        let after = called_once("main;a;f;g 40\nmain;b;f;g 50\nmain 7\n");
        assert_eq!(
            found(&before, &after, &["f"]),
            [("f".to_owned(), 2, 60.0), ("code".to_owned(), 1, 7.0)]
        );
    }

    #[test]
    fn a_function_that_is_called_more_often_is_its_callers_part() {
        let before = called_once("main;f 5\nmain;f;g 10\n");
        let mut after = called_once("main;f 6\nmain;f;g 33\n");
        set_calls(&mut after, "g", 3);
        assert_eq!(
            found(&before, &after, &["f", "g"]),
            [("f".to_owned(), 2, 21.0), ("g".to_owned(), 1, 3.0)]
        );
        // Without a changed caller it is nobody's.
        assert_eq!(
            found(&before, &after, &["g"]),
            [("code".to_owned(), 2, 21.0), ("g".to_owned(), 1, 3.0)]
        );
    }

    #[test]
    fn what_is_new_or_gone_is_its_own_cause_and_a_call_that_moved_is_its_callers() {
        let before = called_once("main;f;old 10\nmain;f;g 4\n");
        let after = called_once("main;f;new 25\nmain;h;g 4\n");
        assert_eq!(
            found(&before, &after, &["f", "g", "old", "new", "h"]),
            [
                ("new new".to_owned(), 1, 25.0),
                ("gone old".to_owned(), 1, -10.0),
                ("f".to_owned(), 1, -4.0),
                ("new h".to_owned(), 1, 4.0),
            ]
        );
    }
}

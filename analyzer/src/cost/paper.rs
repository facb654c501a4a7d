//! The published cost model, to the letter (Sandoval Alcocer, Bergel, Valente: "Learning from Source Code
//! History to Identify Performance Failures", ICPE 2016, section 4.1).
//!
//! Every change is a set of call additions A(i) and call deletions D(j);
//! MC_b(m) = Σ cost_b(A_i)·exec_b(A_i) − Σ cost_b(D_j)·exec_b(D_j), and C[v, b] is the sum over the modified
//! functions. It sees nothing else: no operations, no conditions, no dependencies' versions.

use crate::change::Edit;
use crate::cost::{Assessment, Contribution, Estimate, Executions, NewBlocks, Resolved, Scene, Side, Terms};
use crate::resolve::{Caller, Definitions, Target, resolve};
use crate::sample::IndexedProfile;
use crate::score::Evidence;
use crate::syntax::{BlockId, BlockKind, Call, Function, Node};

/// Prices a change set on one benchmark.
#[must_use]
pub fn assess(scene: &Scene<'_>, profile: &IndexedProfile) -> Assessment {
    let executions: Vec<Option<Executions>> = scene.executions(profile, NewBlocks::AsPublished);
    let mut contributions = Vec::new();
    for (index, change) in scene.changes.changes.iter().enumerate() {
        // Code that the benchmark does not execute contributes nothing.
        let Some((pair, runs)) = scene
            .pair_of(index)
            .and_then(|pair| executions[pair].as_ref().map(|runs| (pair, runs)))
        else {
            continue;
        };
        let terms: Vec<Term> = change
            .edits
            .iter()
            .flat_map(|edit| abstracted(edit, runs))
            .filter_map(|call| price(scene, pair, &call, profile))
            .collect();
        let Some(first) = terms.first() else { continue };
        let cost: f64 = terms.iter().map(|term| term.cost).sum();
        contributions.push(Contribution {
            change: index,
            executions: Estimate::exactly(first.executions),
            unit_cost: first.unit,
            cost: Estimate::exactly(cost),
            resolved: Some(first.resolved.clone()),
        });
    }
    let total: f64 = contributions.iter().map(|part| part.cost.expected).sum();
    Assessment {
        contributions,
        share: Estimate::exactly(total / profile.total()),
        terms: Terms {
            expected: total / profile.total(),
            ..Terms::default()
        },
    }
}

/// One A(i) (sign 1) or D(j) (sign −1) with exec_b.
struct AbstractedCall<'a> {
    call: &'a Call,
    side: Side,
    sign: f64,
    executions: f64,
}

struct Term {
    executions: f64,
    unit: f64,
    cost: f64,
    resolved: Resolved,
}

/// Abstracts an edit to call additions and deletions. A call that moved is one of each.
fn abstracted<'a>(edit: &'a Edit, runs: &Executions) -> Vec<AbstractedCall<'a>> {
    let before = |block: BlockId| runs.before.get(block.0 as usize).map_or(0.0, |count| count.expected);
    let after = |block: BlockId| runs.after.get(block.0 as usize).map_or(0.0, |count| count.expected);
    let addition = |call, block| AbstractedCall {
        call,
        side: Side::After,
        sign: 1.0,
        executions: after(block),
    };
    let deletion = |call, block| AbstractedCall {
        call,
        side: Side::Before,
        sign: -1.0,
        executions: before(block),
    };
    match edit {
        Edit::CallAdded { call, block } => vec![addition(call, *block)],
        Edit::CallRemoved { call, before } => vec![deletion(call, *before)],
        Edit::CallMoved { call, before, block } => vec![addition(call, *block), deletion(call, *before)],
        Edit::WorkAdded { .. }
        | Edit::WorkRemoved { .. }
        | Edit::Reconditioned { .. }
        | Edit::ArgumentsChanged { .. }
        | Edit::FieldChanged { .. }
        | Edit::Recompiled => Vec::new(),
    }
}

fn price(scene: &Scene<'_>, pair: usize, call: &AbstractedCall<'_>, profile: &IndexedProfile) -> Option<Term> {
    scene.as_caller(pair, call.side, profile, |caller| {
        let (unit, resolved) = cost(scene, call, caller, profile);
        Term {
            executions: call.executions,
            unit,
            cost: call.sign * unit * call.executions,
            resolved,
        }
    })
}

/// cost_b: the callee's average inclusive cost per call; without profile data the lowest function cost of
/// the profile for a fast function, the highest for any other.
fn cost(
    scene: &Scene<'_>,
    call: &AbstractedCall<'_>,
    caller: &Caller<'_>,
    profile: &IndexedProfile,
) -> (f64, Resolved) {
    let bodies = match call.side {
        Side::Before => &scene.gone,
        Side::After => &scene.new,
    };
    let definitions = Definitions {
        alone: bodies.named(&call.call.callee.name),
        others: &[],
    };
    let resolution = resolve(call.call, caller, profile, definitions);
    let resolved = |name: &str, evidence| Resolved {
        name: name.to_owned(),
        evidence,
    };
    match resolution.target {
        Target::Profiled(ids) => {
            let functions = ids.iter().map(|&id| profile.profile().function(id));
            let (inclusive, calls) = functions.fold((0.0, 0.0), |(inclusive, calls), function| {
                (inclusive + function.inclusive as f64, calls + function.calls as f64)
            });
            let name = ids.first().map_or("", |&id| &profile.profile().function(id).name);
            (inclusive / f64::max(calls, 1.0), resolved(name, resolution.evidence))
        }
        Target::Source(functions) => {
            let fast = functions.iter().all(|located| is_fast(&located.function));
            let name = functions.first().map_or("", |located| &located.name);
            let unit = if fast {
                profile.cheapest_call()
            } else {
                profile.dearest_call()
            };
            (unit, resolved(name, Evidence::Body))
        }
        // The source of the standard library is not read. Its accessors are known by their prior: what
        // costs no more than an operation is fast.
        Target::Named { of_type } => {
            let fast = scene
                .costs
                .prior(of_type.as_deref(), &call.call.callee.name)
                .is_some_and(|prior| prior.expected <= scene.costs.operation.expected);
            let unit = if fast {
                profile.cheapest_call()
            } else {
                profile.dearest_call()
            };
            (unit, resolved(&call.call.callee.name, Evidence::Unknown))
        }
    }
}

/// A fast function returns a constant, reads or writes a field, or does arithmetic or logic.
fn is_fast(function: &Function) -> bool {
    function.blocks.iter().all(|block| {
        block.kind != BlockKind::Loop
            && block
                .head
                .iter()
                .chain(&block.nodes)
                .all(|node| !matches!(node, Node::Call(_)))
    })
}

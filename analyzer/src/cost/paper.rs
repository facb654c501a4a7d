//! The published cost model, to the letter (Sandoval Alcocer, Bergel, Valente: "Learning from Source Code History to
//! Identify Performance Failures", ICPE 2016, section 4.1).
//!
//! Every change is a set of call additions A(i) and call deletions D(j); MC_b(m) = Σ cost_b(A_i)·exec_b(A_i) − Σ
//! cost_b(D_j)·exec_b(D_j), and C[v, b] is the sum over the modified functions. The model ignores everything else:
//! operations, conditions, versions of dependencies.

use crate::change::{ExecutionEdit, SourceSide};
use crate::cost::{
    BenchmarkAssessment, BlockExecutions, CostContribution, CostTerm, Estimate, LibraryCallee, NewBlockPolicy,
    PredictionTerms, ResolvedCallee, ScoringContext,
};
use crate::resolve::{CallTarget, CalleeEvidence, CallerContext, CandidateDefinitions, resolve};
use crate::sample::IndexedProfile;
use crate::syntax::{BlockId, BlockKind, SyntaxCall, SyntaxFunction, SyntaxNode};

/// Prices a change set on one benchmark.
#[must_use]
pub fn assess(scene: &ScoringContext<'_>, profile: &IndexedProfile) -> BenchmarkAssessment {
    let executions: Vec<Option<BlockExecutions>> = scene.executions(profile, NewBlockPolicy::AsPublished);
    let mut contributions = Vec::new();
    for (index, change) in scene.changes.changes.iter().enumerate() {
        // Code that the benchmark does not execute contributes nothing.
        let Some((pair, runs)) = scene
            .pair_of(index)
            .and_then(|pair| executions[pair].as_ref().map(|runs| (pair, runs)))
        else {
            continue;
        };
        let terms: Vec<PaperCostTerm> = change
            .edits
            .iter()
            .flat_map(|edit| abstracted(edit, runs))
            .filter_map(|call| price(scene, pair, &call, profile))
            .collect();
        let Some(first) = terms.first() else { continue };
        let cost: f64 = terms.iter().map(|term| term.cost).sum();
        contributions.push(CostContribution {
            change: index,
            executions: Estimate::exactly(first.executions),
            unit_cost: first.unit,
            terms: terms.iter().map(PaperCostTerm::product).collect(),
            cost: Estimate::exactly(cost),
            resolved: Some(first.resolved.clone()),
        });
    }
    let total: f64 = contributions.iter().map(|part| part.cost.expected).sum();
    BenchmarkAssessment {
        contributions,
        share: Estimate::exactly(total / profile.total()),
        terms: PredictionTerms {
            expected: total / profile.total(),
            ..PredictionTerms::default()
        },
    }
}

/// One A(i) (sign 1) or D(j) (sign −1) with exec_b.
struct AbstractedCall<'a> {
    call: &'a SyntaxCall,
    side: SourceSide,
    sign: f64,
    executions: f64,
}

struct PaperCostTerm {
    executions: f64,
    unit: f64,
    cost: f64,
    resolved: ResolvedCallee,
}

impl PaperCostTerm {
    fn product(&self) -> CostTerm {
        // A deletion is executed as often, and saved.
        CostTerm {
            executions: self.executions.copysign(self.cost),
            unit_cost: self.unit,
            believed: 1.0,
        }
    }
}

/// Abstracts an edit to call additions and deletions. A call that moved is a deletion and an addition.
fn abstracted<'a>(edit: &'a ExecutionEdit, runs: &BlockExecutions) -> Vec<AbstractedCall<'a>> {
    let before = |block: BlockId| runs.before.get(block.0 as usize).map_or(0.0, |count| count.expected);
    let after = |block: BlockId| runs.after.get(block.0 as usize).map_or(0.0, |count| count.expected);
    let addition = |call, block| AbstractedCall {
        call,
        side: SourceSide::After,
        sign: 1.0,
        executions: after(block),
    };
    let deletion = |call, block| AbstractedCall {
        call,
        side: SourceSide::Before,
        sign: -1.0,
        executions: before(block),
    };
    match edit {
        ExecutionEdit::CallAdded { call, block } => vec![addition(call, *block)],
        ExecutionEdit::CallRemoved { call, before } => vec![deletion(call, *before)],
        ExecutionEdit::CallMoved { call, before, block } => vec![addition(call, *block), deletion(call, *before)],
        ExecutionEdit::WorkAdded { .. }
        | ExecutionEdit::WorkRemoved { .. }
        | ExecutionEdit::Reconditioned { .. }
        | ExecutionEdit::ArgumentsChanged { .. }
        | ExecutionEdit::FieldChanged { .. }
        | ExecutionEdit::Recompiled => Vec::new(),
    }
}

fn price(
    scene: &ScoringContext<'_>,
    pair: usize,
    call: &AbstractedCall<'_>,
    profile: &IndexedProfile,
) -> Option<PaperCostTerm> {
    scene.with_caller(pair, call.side, profile, |caller| {
        let (unit, resolved) = cost(scene, call, caller, profile);
        PaperCostTerm {
            executions: call.executions,
            unit,
            cost: call.sign * unit * call.executions,
            resolved,
        }
    })
}

/// cost_b: the callee's average inclusive cost per call. Without profile data it is the profile's lowest function cost
/// for a fast function, and the highest for any other.
fn cost(
    scene: &ScoringContext<'_>,
    call: &AbstractedCall<'_>,
    caller: &CallerContext<'_>,
    profile: &IndexedProfile,
) -> (f64, ResolvedCallee) {
    let bodies = match call.side {
        SourceSide::Before => &scene.gone,
        SourceSide::After => &scene.new,
    };
    let definitions = CandidateDefinitions {
        alone: bodies.named_on_this_side(&call.call.callee.name),
        others: &[],
    };
    let resolution = resolve(call.call, caller, profile, definitions);
    let resolved = |name: &str, evidence| ResolvedCallee {
        name: name.to_owned(),
        evidence,
    };
    match resolution.target {
        CallTarget::Profiled(ids) => {
            let functions = ids.iter().map(|&id| profile.profile().function(id));
            let (inclusive, calls) = functions.fold((0.0, 0.0), |(inclusive, calls), function| {
                (inclusive + function.inclusive as f64, calls + function.calls as f64)
            });
            let name = ids.first().map_or("", |&id| &profile.profile().function(id).name);
            (inclusive / f64::max(calls, 1.0), resolved(name, resolution.evidence))
        }
        CallTarget::Source(functions) => {
            let fast = functions.iter().all(|located| is_fast(&located.function));
            let name = functions.first().map_or("", |located| &located.name);
            let unit = if fast {
                profile.cheapest_call()
            } else {
                profile.highest_cost_per_call()
            };
            (unit, resolved(name, CalleeEvidence::Body))
        }
        // The source of the standard library is not read. Its accessors are known by their prior: a function that costs
        // no more than an operation is fast.
        CallTarget::Named { of_type } => {
            let fast = scene
                .costs
                .library(&caller.located.file)
                .prior(LibraryCallee {
                    callee: &call.call.callee,
                    of_type: of_type.as_deref(),
                    source: Some(caller.source),
                })
                .is_some_and(|prior| prior.expected <= scene.costs.operation.expected);
            let unit = if fast {
                profile.cheapest_call()
            } else {
                profile.highest_cost_per_call()
            };
            (unit, resolved(&call.call.callee.name, CalleeEvidence::Unknown))
        }
    }
}

/// A fast function returns a constant, reads or writes a field, or does arithmetic or logic.
fn is_fast(function: &SyntaxFunction) -> bool {
    function.blocks.iter().all(|block| {
        block.kind != BlockKind::Loop
            && block
                .head
                .iter()
                .chain(&block.nodes)
                .all(|node| !matches!(node, SyntaxNode::Call(_)))
    })
}

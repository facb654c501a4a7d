//! Two call trees with what is known of their sources into a comparison: matched, merged, and said where the source
//! differs and what is missing.

use std::collections::BTreeMap;

use analyzer::outline::SourceOutline;
use profile::call_tree::{CallTree, CostNoise, DifferentialFlameGraph, EvolutionBlueprint, SharedFunction, hot_leaves};
use report::comparison::{ComparedExecution, ExecutionComparison, SourceDifference};

use crate::function_moves::FunctionMoves;

/// One side of a comparison.
#[derive(Clone, Copy)]
pub struct ComparisonSide<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// Label of the version.
    pub label: &'a str,
    /// None where stacks were read from a file.
    pub commit: Option<&'a str>,
    /// Its call tree.
    pub tree: &'a CallTree,
    /// The sources of the version, where there are some.
    pub outline: Option<&'a SourceOutline>,
}

/// Compares. `notes` are kept for the reader.
pub fn compare(
    before: ComparisonSide<'_>,
    after: ComparisonSide<'_>,
    moves: &FunctionMoves,
    noise: CostNoise,
    notes: Vec<String>,
) -> ExecutionComparison {
    let renames = moves.renames(before.tree);
    let evolution = EvolutionBlueprint::of(before.tree, after.tree, &renames, noise);
    let changed = changed(&evolution, before, after, moves);
    ExecutionComparison {
        flames: DifferentialFlameGraph::of(before.tree, after.tree, &evolution),
        hot_leaves: hot_leaves(&evolution),
        before: execution(before),
        after: execution(after),
        moved: (renames.into_iter())
            .filter(|(_, new)| !FunctionMoves::is_displaced(new))
            .map(|(old, new)| (new, old))
            .collect(),
        evolution,
        changed,
        changing_commits: BTreeMap::new(),
        notes,
    }
}

/// The functions, by the names of the merged tree, whose source differs. Of what is not in the repository, none.
fn changed(
    evolution: &EvolutionBlueprint,
    before: ComparisonSide<'_>,
    after: ComparisonSide<'_>,
    moves: &FunctionMoves,
) -> BTreeMap<String, SourceDifference> {
    let (Some(old), Some(new)) = (before.outline, after.outline) else {
        return BTreeMap::new();
    };
    let difference = |shared: &SharedFunction| {
        let function = &shared.function;
        let name = |tree: &CallTree, id: Option<profile::call_tree::CallTreeFunctionId>| {
            id.map_or_else(
                || function.name.clone(),
                |id| tree.functions[id.0 as usize].name.clone(),
            )
        };
        let digests = [
            old.digests(&name(before.tree, shared.before)),
            new.digests(&name(after.tree, shared.after)),
        ];
        let differs = !function.external && digests[0] != digests[1] && !moves.is_same(&function.name);
        differs.then_some(match digests.map(|of_side| of_side.is_empty()) {
            [true, _] => SourceDifference::New,
            [_, true] => SourceDifference::Gone,
            [false, false] => SourceDifference::Changed,
        })
    };
    let shared = evolution.functions.table.iter();
    shared
        .filter_map(|shared| Some((shared.function.name.clone(), difference(shared)?)))
        .collect()
}

fn execution(side: ComparisonSide<'_>) -> ComparedExecution {
    ComparedExecution {
        benchmark: side.benchmark.to_owned(),
        label: side.label.to_owned(),
        commit: side.commit.map(str::to_owned),
    }
}

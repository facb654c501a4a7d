//! Two versions, or two benchmarks of one → what of them differs, context by context.
//!
//! Trees that were taken before are not taken again. Shows nothing.

mod changing_commits;
mod tree_comparison;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use analyzer::outline::SourceOutline;
use analyzer::syntax::ParseCache;
use profile::call_tree::{CallTree, CallTreeNodeId, CostNoise, FunctionRenames};
use report::comparison::{ExecutionComparison, cause_rows};
use runner::benchmark::glob_matches;
use runner::call_trees::{CallTreesEvent, VersionCallTrees};
use runner::git::CommitId;
use runner::profilers::ProfiledCallTree;

use crate::benchmark_names::{NamedBenchmarks, first_names, refuse_unmatched};
use crate::call_trees;
use crate::error::EngineError;
use crate::function_moves::FunctionMoves;
use crate::outlines::{name_as_executed, outlines};

use changing_commits::VersionPair;
pub use tree_comparison::{ComparisonSide, compare};

/// Calls of this much of a run's cost have to be counted, or a note says that they are estimates.
const MOSTLY: f64 = 0.9;

/// The attempt that errors name.
pub const COMPARING: &str = "comparing";

/// Which benchmarks are compared.
#[derive(Debug, Clone, Copy)]
pub enum BenchmarkPairing<'a> {
    /// Each with itself, of those that one of the globs matches; all without any.
    WithItself(&'a [String]),
    /// One before with another after.
    Two(&'a str, &'a str),
}

/// The compared versions.
pub struct VersionComparison {
    /// One comparison per pair of benchmarks.
    pub comparisons: Vec<ExecutionComparison>,
    /// The unit of the costs.
    pub unit: &'static str,
    /// Why a benchmark is not among them, a sentence each.
    pub missing: Vec<String>,
    /// The versions: one, or before and after.
    pub versions: Vec<CommitId>,
    /// The sources of these.
    pub outlines: Vec<SourceOutline>,
    /// The trees of these.
    pub trees: Vec<VersionCallTrees>,
}

/// Compares what two versions execute. `labels` are what they are called.
pub fn compare_versions(
    request: &call_trees::CallTreeRequest<'_>,
    (before, after): (CommitId, CommitId),
    labels: [&str; 2],
    pairing: BenchmarkPairing<'_>,
    tell: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<VersionComparison, EngineError> {
    let commits = match before == after {
        true => vec![before],
        false => vec![before, after],
    };
    let is_wanted = |name: &str| pairing.wants(name);
    let trees = call_trees::collect_call_trees(request, &commits, &is_wanted, tell)?;
    compare_trees(request, trees, labels, pairing)
}

/// Compares what a gate measured. `draft` is true if the version after is not committed.
pub fn compare_measured(
    request: &call_trees::CallTreeRequest<'_>,
    versions: (CommitId, CommitId),
    draft: bool,
    labels: [&str; 2],
    benchmarks: &[String],
    tell: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<VersionComparison, EngineError> {
    let pairing = BenchmarkPairing::WithItself(benchmarks);
    let is_wanted = |name: &str| pairing.wants(name);
    let trees = call_trees::collect_measured_call_trees(request, versions, draft, &is_wanted, tell)?;
    compare_trees(request, trees, labels, pairing)
}

/// Compares the trees of the first version with those of the last, which may be the same.
fn compare_trees(
    request: &call_trees::CallTreeRequest<'_>,
    trees: Vec<VersionCallTrees>,
    labels: [&str; 2],
    pairing: BenchmarkPairing<'_>,
) -> Result<VersionComparison, EngineError> {
    let commits: Vec<CommitId> = trees.iter().map(|version| version.commit).collect();
    let last = commits.len() - 1;
    let (before, after) = (commits[0], commits[last]);
    pairing.check_names(&trees)?;
    let parser = ParseCache::default();
    let mut outlines = outlines(request.repository, &commits, &parser)?;
    let names = name_as_executed(&mut outlines, trees.iter().enumerate().flat_map(executed));
    let moves = match before == after {
        true => FunctionMoves::default(),
        false => {
            let sides = [(before, &outlines[0]), (after, &outlines[last])];
            FunctionMoves::between(request.repository, sides, &parser, &names)?
        }
    };
    let mut comparisons = Vec::new();
    let mut missing: Vec<String> = (trees.iter())
        .filter_map(|version| {
            let reason = version.unbuilt.as_ref()?;
            Some(format!("{}: {reason}", version.commit.short()))
        })
        .collect();
    let mut absent: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (old, new) in pairing.pairs(&trees[0], &trees[last]) {
        let mut taken = |at: usize, name: &str| match trees[at].trees.get(name) {
            Some(Ok(contexts)) => Some(contexts),
            Some(Err(reason)) => {
                missing.push(format!("{}: {name}: {reason}", commits[at].short()));
                None
            }
            None => {
                absent.entry(at).or_default().insert(name.to_owned());
                None
            }
        };
        let (old_tree, new_tree) = (taken(0, &old), taken(last, &new));
        let Some([old_tree, new_tree]) = old_tree.zip(new_tree).map(<[_; 2]>::from) else {
            continue;
        };
        let moves = match pairing {
            BenchmarkPairing::WithItself(_) => Cow::Borrowed(&moves),
            BenchmarkPairing::Two(..) => {
                Cow::Owned(moves.clone().and_renames(subjects(&old_tree.tree, &new_tree.tree)))
            }
        };
        let ids = [before, after].map(|commit| commit.to_string());
        comparisons.push(compare(
            ComparisonSide {
                benchmark: &old,
                label: labels[0],
                commit: Some(&ids[0]),
                tree: &old_tree.tree,
                outline: Some(&outlines[0]),
            },
            ComparisonSide {
                benchmark: &new,
                label: labels[1],
                commit: Some(&ids[1]),
                tree: &new_tree.tree,
                outline: Some(&outlines[last]),
            },
            &moves,
            CostNoise::Counted,
            notes([old_tree, new_tree], labels),
        ));
    }
    missing.extend(absent.into_iter().map(|(at, names)| {
        let (version, names) = (commits[at].short(), first_names(&names));
        format!("{version} has no benchmark of the name {names}; `lito bench list` shows those of the checkout")
    }));
    let pair = VersionPair {
        repository: request.repository,
        before: (before, &outlines[0]),
        after: (after, &outlines[last]),
        names: &names,
        moves: &moves,
    };
    let functions = comparisons.iter().flat_map(cause_rows).filter_map(|row| row.function);
    let changing = pair.changing_commits(&functions.collect(), &parser)?;
    let changing: BTreeMap<String, Vec<String>> = (changing.into_iter())
        .map(|(name, commits)| (name, commits.iter().map(ToString::to_string).collect()))
        .collect();
    for comparison in &mut comparisons {
        comparison.changing_commits.clone_from(&changing);
    }
    // The largest change comes first.
    let size = |comparison: &ExecutionComparison| comparison.change().abs();
    comparisons.sort_by(|one, two| size(two).total_cmp(&size(one)));
    Ok(VersionComparison {
        comparisons,
        unit: report::profile::unit(request.profiler.unit()),
        missing,
        versions: commits,
        outlines,
        trees,
    })
}

/// The functions of the project that a version executed.
fn executed((at, version): (usize, &VersionCallTrees)) -> impl Iterator<Item = (usize, &str, &str, u32)> {
    let trees = version.trees.values().filter_map(|taken| taken.as_ref().ok());
    let functions = trees.flat_map(|contexts| &contexts.tree.functions);
    let own = functions.filter(|function| !function.external);
    own.filter_map(move |function| {
        let file = function.file.as_deref()?;
        Some((at, function.name.as_str(), file, function.line))
    })
}

/// Two benchmarks have subjects of two names, which stand for each other.
fn subjects(before: &CallTree, after: &CallTree) -> FunctionRenames {
    let only_child = |tree: &CallTree| {
        let root = Some(CallTreeNodeId(0));
        let mut called = tree.nodes.iter().filter(|node| node.parent == root);
        let only = called.next().filter(|_| called.next().is_none())?;
        Some(tree.functions[only.function.0 as usize].name.clone())
    };
    (only_child(before).zip(only_child(after)).into_iter()).collect()
}

impl BenchmarkPairing<'_> {
    /// The names and globs that benchmarks are chosen by.
    pub fn globs(&self) -> Vec<String> {
        match self {
            Self::WithItself(globs) => globs.to_vec(),
            Self::Two(before, after) => vec![(*before).to_owned(), (*after).to_owned()],
        }
    }

    /// Refuses a glob that matches no benchmark of any version; where a version does not build, nobody knows.
    fn check_names(&self, versions: &[VersionCallTrees]) -> Result<(), EngineError> {
        if versions.iter().any(|version| version.unbuilt.is_some()) {
            return Ok(());
        }
        let names = versions.iter().flat_map(|version| version.trees.keys().cloned());
        refuse_unmatched(
            NamedBenchmarks::by_option(COMPARING, &self.globs()),
            &names.collect(),
            "",
        )
    }

    fn wants(&self, name: &str) -> bool {
        match self {
            Self::WithItself([]) => true,
            Self::WithItself(globs) => globs.iter().any(|glob| glob_matches(glob, name)),
            Self::Two(before, after) => name == *before || name == *after,
        }
    }

    /// The benchmarks that are compared, before and after.
    fn pairs(&self, before: &VersionCallTrees, after: &VersionCallTrees) -> Vec<(String, String)> {
        match self {
            Self::Two(one, other) => vec![((*one).to_owned(), (*other).to_owned())],
            Self::WithItself(_) => {
                let names: BTreeSet<&String> = before.trees.keys().chain(after.trees.keys()).collect();
                let both = names.into_iter().map(|name| (name.clone(), name.clone()));
                both.collect()
            }
        }
    }
}

/// Notes that the reader of the trees needs.
pub fn notes(contexts: [&ProfiledCallTree; 2], labels: [&str; 2]) -> Vec<String> {
    let sides = contexts.into_iter().zip(labels);
    sides
        .flat_map(|(contexts, label)| {
            let cut = contexts.cut.map(|callers| {
                format!(
                    "{label}: functions are told apart by their {callers} nearest callers only, since recursion made \
                     too many contexts"
                )
            });
            let full = (!contexts.complete)
                .then(|| format!("{label}: it has more contexts than are kept; the others are part of their callers"));
            let counted = contexts.counted as f64 / contexts.total.max(1) as f64;
            let estimated = (counted < MOSTLY).then(|| match contexts.counted {
                0 => format!("{label}: calls of inlined functions are estimates; `lito compare` counts them"),
                _ => format!(
                    "{label}: the calls of contexts with {} of the cost were counted, the others are estimates",
                    report::number_format::share(counted)
                ),
            });
            [cut, full, estimated].into_iter().flatten()
        })
        .collect()
}

/// Compares stacks that were read from files.
pub fn compare_stacks(before: (&str, &CallTree), after: (&str, &CallTree)) -> ExecutionComparison {
    let side = |(label, tree)| ComparisonSide {
        benchmark: "stacks",
        label,
        commit: None,
        tree,
        outline: None,
    };
    compare(
        side(before),
        side(after),
        &FunctionMoves::default(),
        CostNoise::Sampled,
        Vec::new(),
    )
}

//! The counts of each benchmark over a project's history, and where it regressed: the last column of the paper's Table 7.

use super::ProjectResults;
use super::tally::{ScoredProject, highest_score};

/// The evolution of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkEvolution {
    /// Its name.
    pub benchmark: String,
    /// Its instructions at each version, oldest first; `None` without a count.
    pub counts: Vec<Option<u64>>,
    /// Its regressions among the predicted versions, oldest first.
    pub regressions: Vec<EvolutionRegression>,
}

/// A version at which a benchmark regresses by the gate's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvolutionRegression {
    /// Index of the version.
    pub version: usize,
    /// Whether lito selects the version.
    pub found: bool,
}

/// The evolution of every benchmark that has a count at some version, by name.
pub(super) fn benchmark_evolutions(
    project: &ProjectResults,
    scored: Option<&ScoredProject<'_, '_>>,
    threshold: f64,
) -> Vec<BenchmarkEvolution> {
    let mut names: Vec<&String> = (project.measured.iter())
        .flat_map(|version| &version.benchmarks)
        .filter(|(_, measured)| measured.instructions.is_some())
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    names.dedup();
    (names.into_iter())
        .map(|name| BenchmarkEvolution {
            benchmark: name.clone(),
            counts: (project.measured.iter())
                .map(|version| version.benchmarks.get(name)?.instructions)
                .collect(),
            regressions: scored.map_or_else(Vec::new, |scored| regressions(scored, name, threshold)),
        })
        .collect()
}

fn regressions(scored: &ScoredProject<'_, '_>, benchmark: &str, threshold: f64) -> Vec<EvolutionRegression> {
    (scored.joined.versions.iter().zip(&scored.scores))
        .filter(|(version, _)| {
            let mut movements = version.pairs.iter().map(|pair| pair.movement);
            movements.any(|movement| movement.benchmark == benchmark && movement.change >= threshold)
        })
        .map(|(version, scores)| EvolutionRegression {
            version: version.position(),
            found: scored.is_selected(highest_score(scores)),
        })
        .collect()
}

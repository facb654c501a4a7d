//! Benchmarks in the order of their scores, under a budget → the movements found for a number of seconds.

use super::MovementCriterion;
use super::benchmarking_cost::{BenchmarkingEffort, CompletedWork};
use super::movements::MovementDirections;
use super::tally::ScoredProject;

/// The most points in a curve.
const POINTS: usize = 200;

/// The result of running the first benchmarks of a ranking, up to one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetPoint {
    /// Seconds of building and running, as a share of building and running everything.
    pub spent: f64,
    /// Pairs that are run, as a share of all pairs.
    pub run: f64,
    /// Moved pairs that are found, as a share of all that moved.
    pub moved: f64,
    /// Regressed versions with a regressed benchmark that is run, as a share of all that regressed.
    pub regressed: f64,
}

/// The points from nothing run to everything run. Cost that several pairs share is counted for the first of them.
pub(super) fn curve(projects: &[&ScoredProject<'_, '_>], threshold: f64) -> Vec<BudgetPoint> {
    let mut ranking: Vec<(f64, usize, usize, usize)> = Vec::new();
    let mut total = 0.0;
    let (mut all_moved, mut all_regressed) = (0.0, 0.0);
    for (project, scored) in projects.iter().enumerate() {
        total += scored.joined.outlay.exhaustive;
        for (version, joint) in scored.joined.versions.iter().enumerate() {
            let moved = joint.moved(threshold, MovementCriterion::AnyBenchmark);
            all_regressed += f64::from(u8::from(moved.regressed));
            for (index, pair) in joint.pairs.iter().enumerate() {
                let moved = MovementDirections::of(pair.movement.change, threshold).any();
                all_moved += f64::from(u8::from(moved));
                ranking.push((scored.scores[version][index], project, version, index));
            }
        }
    }
    if total <= 0.0 || ranking.is_empty() {
        return Vec::new();
    }
    ranking.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 1.0 };
    let mut paid: Vec<CompletedWork<'_>> = projects.iter().map(|_| CompletedWork::default()).collect();
    let mut found_versions = std::collections::BTreeSet::new();
    let (mut spent, mut found) = (0.0, 0.0);
    let mut points = vec![BudgetPoint {
        spent: 0.0,
        run: 0.0,
        moved: share(0.0, all_moved),
        regressed: share(0.0, all_regressed),
    }];
    let every = ranking.len().div_ceil(POINTS);
    for (done, (_, project, version, index)) in ranking.iter().copied().enumerate() {
        let joined = projects[project].joined;
        let joint = &joined.versions[version];
        let pair = &joint.pairs[index];
        spent += paid[project].add_cost(joined, joint.sides(), pair, BenchmarkingEffort::RunBoth);
        let moved = MovementDirections::of(pair.movement.change, threshold);
        found += f64::from(u8::from(moved.any()));
        if moved.regressed {
            found_versions.insert((project, version));
        }
        let ran = done + 1;
        // The curve has its corner where movements are found: the first points are all kept.
        if ran % every == 0 || ran == ranking.len() || ran <= POINTS / 4 {
            points.push(BudgetPoint {
                spent: spent / total,
                run: ran as f64 / ranking.len() as f64,
                moved: share(found, all_moved),
                regressed: share(found_versions.len() as f64, all_regressed),
            });
        }
    }
    points
}

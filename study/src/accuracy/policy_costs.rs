//! The cost of each policy and what it sees, over the projects of a scope.

use super::MovementCriterion;
use super::cost_policies::{BaseMeasurement, CostPolicy, FlaggedVersion, PolicyLedger};
use super::movements::MovementDirections;
use super::tally::{EvaluationRate, RateIntervalCache, ScoredProject};
use verdict::counts::FLOOR;

/// The cost of one policy, and what it sees.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyRow {
    /// `commits` or `releases`, or a half of one: `commits:held_out`.
    pub scope: String,
    /// The policy.
    pub policy: CostPolicy,
    /// Number of samples.
    pub samples: usize,
    /// Seconds of sampling.
    pub sampling: f64,
    /// Seconds of scoring every version.
    pub scoring: f64,
    /// Seconds of building and running flagged versions.
    pub benchmarking: f64,
    /// Seconds of building and running everything once for each version.
    pub exhaustive: f64,
    /// Builds for flagged versions.
    pub builds: usize,
    /// Flagged versions among all versions.
    pub selected: EvaluationRate,
    /// Regressions found: of a version that is flagged, unless the policy takes all its regressed benchmarks for unmoved.
    pub recall: EvaluationRate,
    /// Movements in either direction found in the same way.
    pub recall_moved: EvaluationRate,
    /// Movements that only the policy misses.
    pub lost: LostMovements,
    /// Flagged versions with a benchmark that differs from its count at an older version, but not from its base.
    pub skipped_parts: SkippedParts,
}

/// Movements of flagged versions that a policy takes for unmoved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostMovements {
    /// Versions with a regression, all of whose regressed and flagged benchmarks count as unmoved.
    pub regressed: usize,
    /// The same of versions that moved in either direction.
    pub moved: usize,
}

/// Flagged versions at which a movement shows that a skipped version made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkippedParts {
    /// Versions where it is beyond the policy's bound.
    pub versions: usize,
    /// Versions among these where it is a regression by the gate's threshold.
    pub regressed: usize,
}

impl PolicyRow {
    /// Seconds of everything that the policy does.
    #[must_use]
    pub fn whole(&self) -> f64 {
        self.sampling + self.scoring + self.benchmarking
    }

    /// These seconds relative to exhaustive measurement.
    #[must_use]
    pub fn share(&self, seconds: f64) -> Option<f64> {
        (self.exhaustive > 0.0).then(|| seconds / self.exhaustive)
    }

    /// Mean number of builds for a flagged version.
    #[must_use]
    pub fn builds_per_flagged(&self) -> Option<f64> {
        (self.selected.hits > 0.0).then(|| self.builds as f64 / self.selected.hits)
    }
}

/// A row for each policy, over some projects. None where nothing was timed.
pub(super) fn policy_rows(scope: &str, projects: &[&ScoredProject<'_, '_>], threshold: f64) -> Vec<PolicyRow> {
    if projects.iter().all(|scored| scored.joined.outlay.exhaustive <= 0.0) {
        return Vec::new();
    }
    let rates = RateIntervalCache::default();
    (CostPolicy::all(threshold).into_iter())
        .map(|policy| policy_row(scope, policy, projects, threshold, &rates))
        .collect()
}

fn policy_row(
    scope: &str,
    policy: CostPolicy,
    projects: &[&ScoredProject<'_, '_>],
    threshold: f64,
    rates: &RateIntervalCache,
) -> PolicyRow {
    let mut row = PolicyRow {
        scope: scope.to_owned(),
        policy,
        samples: 0,
        sampling: 0.0,
        scoring: 0.0,
        benchmarking: 0.0,
        exhaustive: 0.0,
        builds: 0,
        selected: EvaluationRate::plain(0.0, 0.0),
        recall: EvaluationRate::plain(0.0, 0.0),
        recall_moved: EvaluationRate::plain(0.0, 0.0),
        lost: LostMovements::default(),
        skipped_parts: SkippedParts::default(),
    };
    let (mut versions, mut flagged) = (0, 0);
    let (mut regressed, mut moved) = ([0; 2], [0; 2]);
    for scored in projects {
        let joined = scored.joined;
        let ledger = PolicyLedger::of(joined, policy, &policy.sampling.samples(joined), |version, index| {
            scored.is_selected(scored.scores[version][index])
        });
        row.samples += ledger.samples;
        row.sampling += ledger.sampling;
        row.scoring += joined.outlay.scoring;
        row.benchmarking += ledger.benchmarking;
        row.exhaustive += joined.outlay.exhaustive;
        row.builds += ledger.builds;
        versions += joined.versions.len();
        flagged += ledger.flagged.len();
        for joint in &joined.versions {
            let directions = joint.moved(threshold, MovementCriterion::AnyBenchmark);
            regressed[0] += usize::from(directions.regressed);
            moved[0] += usize::from(directions.any());
        }
        for version in &ledger.flagged {
            let directions = joined.versions[version.version].moved(threshold, MovementCriterion::AnyBenchmark);
            let is_lost = |is: fn(MovementDirections) -> bool| is_lost(scored, version, threshold, is);
            let lost_regression = is_lost(|directions| directions.regressed);
            let lost_movement = is_lost(MovementDirections::any);
            row.lost.regressed += usize::from(lost_regression);
            row.lost.moved += usize::from(lost_movement);
            regressed[1] += usize::from(directions.regressed && !lost_regression);
            moved[1] += usize::from(directions.any() && !lost_movement);
            row.skipped_parts.add(scored, version, policy.base, threshold);
        }
    }
    row.selected = rates.rate(flagged, versions);
    row.recall = rates.rate(regressed[1], regressed[0]);
    row.recall_moved = rates.rate(moved[1], moved[0]);
    row
}

/// True if flagged benchmarks of the version moved, and all of them count as unmoved.
fn is_lost(
    scored: &ScoredProject<'_, '_>,
    version: &FlaggedVersion,
    threshold: f64,
    is: fn(MovementDirections) -> bool,
) -> bool {
    let pairs = &scored.joined.versions[version.version].pairs;
    let mut moved = (version.seen.iter())
        .filter(|seen| is(MovementDirections::of(pairs[seen.pair].movement.change, threshold)))
        .peekable();
    moved.peek().is_some() && moved.all(|seen| !seen.is_measured)
}

impl SkippedParts {
    fn add(&mut self, scored: &ScoredProject<'_, '_>, version: &FlaggedVersion, base: BaseMeasurement, threshold: f64) {
        let bound = match base {
            BaseMeasurement::Beyond(bound) => bound,
            BaseMeasurement::Always | BaseMeasurement::Presumed => return,
        };
        let pairs = &scored.joined.versions[version.version].pairs;
        let parts = || {
            let unmoved = (version.seen.iter()).filter(|seen| pairs[seen.pair].movement.change.abs() <= FLOOR);
            unmoved.filter_map(|seen| seen.since_older)
        };
        self.versions += usize::from(parts().any(|change| change.abs() > bound));
        self.regressed += usize::from(parts().any(|change| change >= threshold));
    }
}

//! The wrong predictions, version by version: every missed movement, the worst false alarms, and the named cases.

use super::measured_predicted::EvaluatedVersion;
use super::tally::{ScoredProject, highest_score};
use super::{CodeAnswer, MovementCriterion, NamedCase, StudyKind};

/// The outcome of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PredictionOutcome {
    /// Regressed, but not selected.
    MissedRegression,
    /// Regressed, but selected for another benchmark only: the regressed ones are not run.
    MissedBenchmark,
    /// Improved (and did not regress), but not selected.
    MissedImprovement,
    /// Selected, but nothing moved.
    FalseAlarm,
    /// Selected, and it moved.
    Found,
    /// Not selected, and nothing moved.
    RightlySkipped,
}

/// One version with its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedVersion {
    /// The outcome.
    pub outcome: PredictionOutcome,
    /// Its study.
    pub study: StudyKind,
    /// Its project.
    pub project: String,
    /// The display name.
    pub version: String,
    /// The commit's full id.
    pub commit: String,
    /// The benchmark that moved most (for a false alarm: the most probable one).
    pub benchmark: String,
    /// Its D.
    pub change: f64,
    /// D of the suite's total.
    pub total: f64,
    /// The version's probability.
    pub probability: f64,
    /// The probability of this benchmark.
    pub own_probability: f64,
    /// The probability from which on it is selected.
    pub select_at: f64,
    /// Number of versions from the sample to it.
    pub distance: u32,
    /// The comparison of its machine code with that of the version before.
    pub code: CodeAnswer,
    /// The lines of the score's explanation.
    pub why: Vec<String>,
    /// Dependencies that differ from those of the version before.
    pub dependencies: Vec<String>,
    /// Files or parts that could not be analysed.
    pub degraded: u32,
}

/// Misses first, by the size of their movement; then the `alarms` most probable false alarms.
pub(super) fn explain_errors(
    projects: &[ScoredProject<'_, '_>],
    threshold: f64,
    alarms: usize,
) -> Vec<ExplainedVersion> {
    let mut misses = Vec::new();
    let mut false_alarms = Vec::new();
    for each in all(projects, threshold) {
        match each.outcome {
            PredictionOutcome::MissedRegression
            | PredictionOutcome::MissedBenchmark
            | PredictionOutcome::MissedImprovement => {
                misses.push(each);
            }
            PredictionOutcome::FalseAlarm => false_alarms.push(each),
            PredictionOutcome::Found | PredictionOutcome::RightlySkipped => {}
        }
    }
    misses.sort_by(|a, b| {
        a.outcome
            .cmp(&b.outcome)
            .then(b.change.abs().total_cmp(&a.change.abs()))
    });
    false_alarms.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    false_alarms.truncate(alarms);
    misses.extend(false_alarms);
    misses
}

/// The named cases that are among the versions, in the given order.
pub(super) fn explain_named_cases(
    projects: &[ScoredProject<'_, '_>],
    threshold: f64,
    cases: &[NamedCase],
) -> Vec<ExplainedVersion> {
    let all = all(projects, threshold);
    cases
        .iter()
        .flat_map(|case| {
            all.iter()
                .filter(|each| each.project == case.project && each.version == case.version)
                .cloned()
        })
        .collect()
}

fn all(projects: &[ScoredProject<'_, '_>], threshold: f64) -> Vec<ExplainedVersion> {
    let mut all = Vec::new();
    for scored in projects {
        for (joint, scores) in scored.joined.versions.iter().zip(&scored.scores) {
            all.push(one(scored, joint, scores, threshold));
        }
    }
    all
}

fn one(
    scored: &ScoredProject<'_, '_>,
    joint: &EvaluatedVersion<'_>,
    scores: &[f64],
    threshold: f64,
) -> ExplainedVersion {
    let probability = highest_score(scores);
    let selected = scored.is_selected(probability);
    let moved = joint.moved(threshold, MovementCriterion::AnyBenchmark);
    let regressed_run = joint
        .pairs
        .iter()
        .zip(scores)
        .any(|(pair, score)| scored.is_selected(*score) && pair.movement.change >= threshold);
    let outcome = match (selected, moved.any()) {
        (true, true) if moved.regressed && !regressed_run => PredictionOutcome::MissedBenchmark,
        (true, true) => PredictionOutcome::Found,
        (true, false) => PredictionOutcome::FalseAlarm,
        (false, true) if moved.regressed => PredictionOutcome::MissedRegression,
        (false, true) => PredictionOutcome::MissedImprovement,
        (false, false) => PredictionOutcome::RightlySkipped,
    };
    // A missed regression is represented by its largest regression, even if another benchmark improved more.
    let weight = |index: usize| {
        let change = joint.pairs[index].movement.change;
        match outcome {
            PredictionOutcome::FalseAlarm => scores[index],
            _ if moved.regressed => change,
            _ => change.abs(),
        }
    };
    let index = (0..joint.pairs.len())
        .max_by(|a, b| weight(*a).total_cmp(&weight(*b)).then(b.cmp(a)))
        .expect("a version that is joined has a benchmark");
    let movement = &joint.pairs[index].movement;
    let version = joint.version();
    ExplainedVersion {
        outcome,
        study: scored.joined.project.study,
        project: scored.joined.project.name.clone(),
        version: version.version.clone(),
        commit: version.commit.clone(),
        benchmark: movement.benchmark.to_owned(),
        change: movement.change,
        total: joint.total(),
        probability,
        own_probability: scores[index],
        select_at: scored.cutoff,
        distance: joint.on.distance,
        code: movement.head.code,
        why: joint.on.why.clone(),
        dependencies: version.dependencies.clone(),
        degraded: joint.on.degraded,
    }
}

//! Predictions for the versions of a track, beside what was measured → how far it can be trusted.
//!
//! Pure: versions are scored before.

use super::{CostTrack, TrackChange, TrackedBenchmark};
use crate::number_format;
use crate::text;

/// Missed changes that are named.
const NAMED: usize = 3;

/// How the predictions of a track compare with what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionRecord<'a> {
    /// Versions that were scored.
    pub scored: usize,
    /// Those of them that were flagged.
    pub flagged: usize,
    /// Steps of the threshold or more, in either direction.
    pub steps: usize,
    /// Those of them that no flagged version explains, with their benchmarks.
    pub missed: Vec<(&'a TrackedBenchmark, &'a TrackChange)>,
}

impl<'a> PredictionRecord<'a> {
    /// The record of a track; `None` if no version of it was scored.
    #[must_use]
    pub fn of(track: &'a CostTrack) -> Option<Self> {
        let predictions = || track.versions.iter().filter_map(|version| version.prediction.as_ref());
        let scored = predictions().count();
        let steps: Vec<(&TrackedBenchmark, &TrackChange)> = (track.benchmarks.iter())
            .flat_map(|benchmark| benchmark.changes.iter().map(move |change| (benchmark, change)))
            .filter(|(benchmark, change)| is_step(benchmark, change) && change.relative().abs() >= track.threshold)
            .collect();
        (scored > 0).then(|| Self {
            scored,
            flagged: predictions().filter(|prediction| prediction.is_flagged).count(),
            steps: steps.len(),
            missed: (steps.into_iter())
                .filter(|(benchmark, change)| !is_found(track, benchmark, change))
                .collect(),
        })
    }

    /// One sentence: "the score flagged 7 of 39 versions, and with them all 3 steps of 5% or more".
    #[must_use]
    pub fn in_words(&self, track: &CostTrack) -> String {
        let versions = number_format::counted_noun(self.scored, "version");
        let steps = number_format::counted_noun(self.steps, "step");
        let threshold = number_format::share(track.threshold);
        let begin = format!("the score flagged {} of {versions}", self.flagged);
        match (self.steps, self.missed.len()) {
            (0, _) => format!("{begin}; no step reached {threshold}"),
            (1, 0) => format!("{begin}, and with them the one step of {threshold} or more"),
            (_, 0) => format!("{begin}, and with them all {steps} of {threshold} or more"),
            (_, missed) => {
                let named = self.missed.iter().take(NAMED).map(|(benchmark, change)| {
                    format!(
                        "{} {} at {}",
                        text::safe(&benchmark.name),
                        number_format::change(change.relative()),
                        text::short_id(&track.versions[change.at].commit)
                    )
                });
                let named = named.collect::<Vec<String>>().join(", ");
                let more = if missed > NAMED {
                    format!(" and {} more", missed - NAMED)
                } else {
                    String::new()
                };
                format!("{begin}; of {steps} of {threshold} or more {missed} missed: {named}{more}")
            }
        }
    }
}

/// True if the two costs of a change are those of its two versions. A slow rise has no version that makes it.
fn is_step(benchmark: &TrackedBenchmark, change: &TrackChange) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
    let is_cost = |at: usize, cost: f64| benchmark.points[at].cost().is_some_and(|known| known as f64 == cost);
    is_cost(change.since, change.before) && is_cost(change.at, change.after)
}

/// True if one of the versions that may have made a change was flagged for its benchmark.
fn is_found(track: &CostTrack, benchmark: &TrackedBenchmark, change: &TrackChange) -> bool {
    let made = &track.versions[change.since + 1..=change.at];
    (made.iter().filter_map(|version| version.prediction.as_ref())).any(|prediction| prediction.flags(&benchmark.name))
}

#[cfg(test)]
mod tests {
    use super::super::{ChangeDetectionMethod, TrackPoint, TrackedVersion, TrackedVersionState, VersionPrediction};
    use super::*;

    /// One benchmark over the costs, with each version but the first flagged or not, and the benchmarks left out.
    fn track(costs: &[u64], flagged: &[Option<&[&str]>]) -> CostTrack {
        let prediction = |benchmarks: &Option<&[&str]>| VersionPrediction {
            is_flagged: benchmarks.is_some(),
            risk: 0.2,
            left_out: benchmarks.map_or_else(Vec::new, |all| all.iter().map(|name| (*name).to_owned()).collect()),
        };
        let changes = costs.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let changes = changes.map(|(since, pair)| TrackChange {
            since,
            at: since + 1,
            before: pair[0] as f64,
            after: pair[1] as f64,
            method: ChangeDetectionMethod::Jump,
        });
        CostTrack {
            unit: "instructions",
            threshold: 0.05,
            versions: (0..costs.len())
                .map(|at| TrackedVersion {
                    commit: format!("{at}").repeat(40),
                    summary: String::new(),
                    time: 0,
                    state: TrackedVersionState::Measured,
                    reason: None,
                    prediction: at.checked_sub(1).and_then(|at| flagged.get(at)).map(prediction),
                })
                .collect(),
            benchmarks: vec![TrackedBenchmark {
                name: "parse".to_owned(),
                points: costs.iter().map(|cost| TrackPoint::Measured(*cost)).collect(),
                changes: changes.collect(),
                rewritten: Vec::new(),
            }],
            reasons: Vec::new(),
        }
    }

    #[test]
    fn a_step_in_a_flagged_version_is_found_and_one_below_the_threshold_does_not_count() {
        let track = track(&[100, 110, 112, 112], &[Some(&[]), None, None]);
        let record = PredictionRecord::of(&track).expect("three versions are scored");
        assert_eq!(
            (record.scored, record.flagged, record.steps, record.missed.len()),
            (3, 1, 1, 0)
        );
        assert_eq!(
            record.in_words(&track),
            "the score flagged 1 of 3 versions, and with them the one step of 5% or more"
        );
    }

    #[test]
    fn a_step_in_a_version_that_would_have_been_skipped_is_missed_and_named() {
        let track = track(&[100, 110, 90], &[None, Some(&[])]);
        let record = PredictionRecord::of(&track).expect("two versions are scored");
        assert_eq!(record.missed.len(), 1);
        assert_eq!(
            record.in_words(&track),
            "the score flagged 1 of 2 versions; of 2 steps of 5% or more 1 missed: parse +10.0% at 1111111111"
        );
    }

    #[test]
    fn a_version_that_was_flagged_for_another_benchmark_alone_misses_the_step_of_this_one() {
        let track = track(&[100, 110], &[Some(&["parse"])]);
        assert_eq!(
            PredictionRecord::of(&track)
                .expect("one version is scored")
                .missed
                .len(),
            1
        );
    }

    #[test]
    fn across_versions_without_a_cost_any_of_them_may_have_been_flagged() {
        let mut track = track(&[100, 100, 110], &[Some(&[]), None]);
        track.benchmarks[0].points[1] = TrackPoint::Gap(0);
        track.benchmarks[0].changes[0].since = 0;
        assert!(
            PredictionRecord::of(&track)
                .expect("two versions are scored")
                .missed
                .is_empty()
        );
    }

    #[test]
    fn the_medians_of_a_slow_rise_are_no_step_and_without_scores_there_is_no_record() {
        let mut rise = track(&[100, 101, 110], &[None, None]);
        for change in &mut rise.benchmarks[0].changes {
            change.before -= 0.5;
        }
        assert_eq!(PredictionRecord::of(&rise).expect("two versions are scored").steps, 0);
        assert_eq!(PredictionRecord::of(&track(&[100, 110], &[])), None);
    }
}

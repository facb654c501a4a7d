//! When samples are taken, and what they cost.

use std::collections::BTreeMap;

use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject, EvaluatedVersion};
use analyzer::cost::{ChangeClass, credible_share};

/// The rule by which versions are sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingSchedule {
    /// The samples that the stored predictions rest on: every k-th version.
    AsPredicted,
    /// One version of so many is sampled.
    Every(usize),
    /// A version is sampled when the drift since the newest sample reaches a limit: the share of some benchmark's cost in
    /// functions that changed since then.
    ByDrift {
        /// The limit, from 0 to 1.
        limit: f64,
        /// The bound that stands for the drift, which stored predictions do not tell.
        bound: DriftBound,
    },
}

/// A bound of the drift over several versions, from the share that each of them changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftBound {
    /// The sum of the shares, as if no function changed twice: the drift is never above it.
    Sum,
    /// The largest of the shares, as if all versions changed the same functions: the drift is never below it.
    Largest,
}

impl DriftBound {
    fn add(self, drift: f64, share: f64) -> f64 {
        match self {
            Self::Sum => (drift + share).min(1.0),
            Self::Largest => drift.max(share),
        }
    }
}

/// A sample that a schedule takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScheduledSample {
    /// Index of the version among the measured ones; `None` if it is not one of them.
    pub(super) version: Option<usize>,
    /// Seconds of two builds and two runs of each benchmark; 0 where no sample of the project was timed.
    pub(super) seconds: f64,
}

impl SamplingSchedule {
    /// The samples of a project, oldest first. The first one is always the first of the predictions. A version that no
    /// later version is predicted from is not sampled.
    pub(super) fn samples(self, joined: &EvaluatedProject<'_>) -> Vec<ScheduledSample> {
        match self {
            Self::AsPredicted => as_predicted(joined),
            Self::Every(versions) => every(joined, versions),
            Self::ByDrift { limit, bound } => by_drift(joined, limit, bound),
        }
    }
}

fn as_predicted(joined: &EvaluatedProject<'_>) -> Vec<ScheduledSample> {
    let project = joined.project;
    let mut samples: Vec<&str> = joined.versions.iter().map(|joint| joint.on.sample.as_str()).collect();
    samples.sort_unstable();
    samples.dedup();
    let mut samples: Vec<ScheduledSample> = samples
        .into_iter()
        .map(|commit| ScheduledSample {
            version: project.measured.iter().position(|version| version.commit == commit),
            seconds: project.sampling.get(commit).copied().unwrap_or(0.0),
        })
        .collect();
    samples.sort_by_key(|sample| sample.version);
    samples
}

/// The first sample of the predictions, then one of each `versions` evaluated versions.
fn every(joined: &EvaluatedProject<'_>, versions: usize) -> Vec<ScheduledSample> {
    let followed = joined.versions.len().saturating_sub(1);
    let later = (joined.versions.iter().take(followed).skip(versions - 1)).step_by(versions);
    let first = as_predicted(joined).into_iter().take(1);
    first.chain(later.map(|joint| sample_of(joined, joint))).collect()
}

/// A sample of an evaluated version; one that was not taken costs as much as its project's mean.
fn sample_of(joined: &EvaluatedProject<'_>, joint: &EvaluatedVersion<'_>) -> ScheduledSample {
    let timed = &joined.project.sampling;
    let seconds = timed.get(&joint.version().commit).copied();
    ScheduledSample {
        version: Some(joint.position()),
        seconds: seconds.unwrap_or_else(|| timed.values().sum::<f64>() / timed.len().max(1) as f64),
    }
}

fn by_drift(joined: &EvaluatedProject<'_>, limit: f64, bound: DriftBound) -> Vec<ScheduledSample> {
    let mut samples: Vec<ScheduledSample> = as_predicted(joined).into_iter().take(1).collect();
    let mut drift: BTreeMap<&str, f64> = BTreeMap::new();
    for joint in joined.versions.iter().take(joined.versions.len().saturating_sub(1)) {
        for pair in &joint.pairs {
            let drift = drift.entry(pair.movement.benchmark).or_default();
            *drift = bound.add(*drift, changed_share(pair));
        }
        if drift.values().any(|drift| *drift >= limit) {
            drift.clear();
            samples.push(sample_of(joined, joint));
        }
    }
    samples
}

/// An upper bound of the share of a benchmark's cost in functions that the version changed: those that the sample has
/// ([`ChangeClass::Rebuilt`]), those that it does not have yet ([`ChangeClass::Unsampled`]) and deleted ones
/// ([`ChangeClass::Replaced`]). A function belongs to one of the three.
fn changed_share(pair: &EvaluatedBenchmark<'_>) -> f64 {
    let touched = &pair.predicted.terms.touched;
    let classes = [ChangeClass::Rebuilt, ChangeClass::Unsampled, ChangeClass::Replaced];
    let shares = classes.iter().filter_map(|class| touched.get(class));
    credible_share(shares.sum())
}

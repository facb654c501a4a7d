//! The cost of a selection in seconds, relative to building and running everything once for each version.

use std::collections::BTreeSet;

use super::CodeAnswer;
use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject};

/// The work done for one benchmark at one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BenchmarkingEffort {
    /// No work.
    Skip,
    /// Both sides are built, and their code is the same.
    Build,
    /// The base is also run, and the code that it executed is the same.
    RunBase,
    /// Both sides are run.
    RunBoth,
}

impl BenchmarkingEffort {
    /// The work for a selected benchmark, if machine code is compared before the runs.
    pub(super) fn after_code(pair: &EvaluatedBenchmark<'_>) -> Self {
        match pair.movement.head.code {
            CodeAnswer::Same => Self::Build,
            CodeAnswer::SameExecuted => Self::RunBase,
            CodeAnswer::Different | CodeAnswer::Unknown => Self::RunBoth,
        }
    }
}

/// Builds and runs of one project that are already counted.
#[derive(Debug, Default)]
pub(super) struct CompletedWork<'a> {
    built: BTreeSet<usize>,
    run: BTreeSet<(usize, &'a str)>,
}

impl<'a> CompletedWork<'a> {
    /// Seconds of this work in addition to the completed work: a version is built once, and a benchmark is run once for
    /// it, whether as head or as base.
    pub(super) fn add_cost(
        &mut self,
        joined: &EvaluatedProject<'a>,
        sides: [usize; 2],
        pair: &EvaluatedBenchmark<'a>,
        effort: BenchmarkingEffort,
    ) -> f64 {
        let movement = &pair.movement;
        let mut seconds = 0.0;
        if effort == BenchmarkingEffort::Skip {
            return seconds;
        }
        let [base, head] = sides;
        for built in sides {
            if self.built.insert(built) {
                seconds += joined.project.measured[built].build;
            }
        }
        if effort != BenchmarkingEffort::Build && self.run.insert((base, movement.benchmark)) {
            seconds += movement.base.seconds;
        }
        if effort == BenchmarkingEffort::RunBoth && self.run.insert((head, movement.benchmark)) {
            seconds += movement.head.seconds;
        }
        seconds
    }
}

/// Seconds of a selection's builds and runs, in the order of the versions. `effort` is called for each version and
/// benchmark by index.
pub(super) fn benchmarking(joined: &EvaluatedProject<'_>, effort: impl Fn(usize, usize) -> BenchmarkingEffort) -> f64 {
    let mut paid = CompletedWork::default();
    let mut seconds = 0.0;
    for (version, joint) in joined.versions.iter().enumerate() {
        for (index, pair) in joint.pairs.iter().enumerate() {
            seconds += paid.add_cost(joined, joint.sides(), pair, effort(version, index));
        }
    }
    seconds
}

/// Seconds of building and running the selection once, if the versions before count as measured already, as in the
/// published study.
pub(super) fn head_only_seconds(joined: &EvaluatedProject<'_>, selected: impl Fn(usize, usize) -> bool) -> f64 {
    let mut seconds = 0.0;
    for (version, joint) in joined.versions.iter().enumerate() {
        let runs: Vec<f64> = joint
            .pairs
            .iter()
            .enumerate()
            .filter(|(index, _)| selected(version, *index))
            .map(|(_, pair)| pair.movement.head.seconds)
            .collect();
        if !runs.is_empty() {
            seconds += joint.version().build + runs.iter().sum::<f64>();
        }
    }
    seconds
}

/// The costs that do not depend on the selection, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StudyFixedCosts {
    /// All comparable work: each version built and each benchmark run once.
    pub(super) exhaustive: f64,
    /// Each sample behind a prediction, once; a sample with unknown cost counts as 0.
    pub(super) sampling: f64,
    /// Scoring every version.
    pub(super) scoring: f64,
}

impl StudyFixedCosts {
    pub(super) fn of(joined: &EvaluatedProject<'_>) -> Self {
        Self {
            exhaustive: benchmarking(joined, |_, _| BenchmarkingEffort::RunBoth),
            sampling: sampling(joined),
            scoring: joined.versions.iter().map(|joint| joint.scoring).sum(),
        }
    }
}

/// Expected seconds if each version is selected independently with probability `share`. A version costs nothing only if
/// neither it nor the version compared with it is selected.
pub(super) fn random_selection_seconds(joined: &EvaluatedProject<'_>, share: f64) -> f64 {
    let mut builds = std::collections::BTreeMap::<usize, (f64, i32)>::new();
    let mut runs = std::collections::BTreeMap::<(usize, &str), (f64, i32)>::new();
    for joint in &joined.versions {
        let [base, head] = joint.sides();
        for built in [base, head] {
            builds
                .entry(built)
                .or_insert((joined.project.measured[built].build, 0))
                .1 += 1;
        }
        for pair in &joint.pairs {
            let m = &pair.movement;
            for (run, seconds) in [(base, m.base.seconds), (head, m.head.seconds)] {
                runs.entry((run, m.benchmark)).or_insert((seconds, 0)).1 += 1;
            }
        }
    }
    builds
        .values()
        .chain(runs.values())
        .map(|(seconds, roles)| seconds * (1.0 - (1.0 - share).powi(*roles)))
        .sum()
}

fn sampling(joined: &EvaluatedProject<'_>) -> f64 {
    let samples: BTreeSet<&str> = joined.versions.iter().map(|joint| joint.on.sample.as_str()).collect();
    samples
        .iter()
        .filter_map(|sample| joined.project.sampling.get(*sample))
        .sum()
}

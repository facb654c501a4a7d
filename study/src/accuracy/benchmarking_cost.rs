//! Builds and runs in seconds, each paid for once, and the costs that do not depend on a selection.

use std::collections::BTreeSet;

use super::CodeAnswer;
use super::cost_policies::{CostPolicy, PolicyLedger};
use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject};
use super::sampling_schedule::SamplingSchedule;

/// The work done for one benchmark at one version whose two sides are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BenchmarkingEffort {
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

/// Builds and runs of one project that are already counted. A version is built once, and a benchmark is run once for it,
/// whether as head or as base.
#[derive(Debug, Default)]
pub(super) struct CompletedWork<'a> {
    built: BTreeSet<usize>,
    run: BTreeSet<(usize, &'a str)>,
}

impl<'a> CompletedWork<'a> {
    /// Seconds of building a version, by index; 0 if it is built already.
    pub(super) fn build(&mut self, joined: &EvaluatedProject<'a>, version: usize) -> f64 {
        match self.built.insert(version) {
            true => joined.project.measured[version].build,
            false => 0.0,
        }
    }

    /// Seconds of running a benchmark at a version, by index; 0 if it was run there already.
    pub(super) fn run(&mut self, version: usize, benchmark: &'a str, seconds: f64) -> f64 {
        match self.run.insert((version, benchmark)) {
            true => seconds,
            false => 0.0,
        }
    }

    /// Seconds of this work in addition to the completed work.
    pub(super) fn add_cost(
        &mut self,
        joined: &EvaluatedProject<'a>,
        sides: [usize; 2],
        pair: &EvaluatedBenchmark<'a>,
        effort: BenchmarkingEffort,
    ) -> f64 {
        let movement = &pair.movement;
        let [base, head] = sides;
        let mut seconds = self.build(joined, base) + self.build(joined, head);
        if effort != BenchmarkingEffort::Build {
            seconds += self.run(base, movement.benchmark, movement.base.seconds);
        }
        if effort == BenchmarkingEffort::RunBoth {
            seconds += self.run(head, movement.benchmark, movement.head.seconds);
        }
        seconds
    }

    /// Number of versions that are built.
    pub(super) fn builds(&self) -> usize {
        self.built.len()
    }

    /// The share of building a version and running all its benchmarks that is done already, in seconds.
    pub(super) fn share_done(&self, joined: &EvaluatedProject<'a>, version: usize) -> f64 {
        if !self.built.contains(&version) {
            return 0.0;
        }
        let measured = &joined.project.measured[version];
        let runs = |is_counted: &dyn Fn(&'a str) -> bool| -> f64 {
            (measured.benchmarks.iter())
                .filter(|(name, _)| is_counted(name))
                .map(|(_, benchmark)| benchmark.seconds)
                .sum()
        };
        let all = measured.build + runs(&|_| true);
        match all > 0.0 {
            true => (measured.build + runs(&|name| self.run.contains(&(version, name)))) / all,
            false => 0.0,
        }
    }
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
        let samples = SamplingSchedule::AsPredicted.samples(joined);
        Self {
            exhaustive: PolicyLedger::of(joined, CostPolicy::AS_IT_WAS, &[], |_, _| true).benchmarking,
            sampling: samples.iter().map(|sample| sample.seconds).sum(),
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

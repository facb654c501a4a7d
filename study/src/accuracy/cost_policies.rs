//! The builds and runs of a gate under a policy: one walk along the versions of a project, which pays for each build and
//! run once.
//!
//! Nothing is built or run here. A walk decides by the stored counts and the stored answers about machine code, as the
//! gate would by its own.

use std::collections::BTreeMap;

use super::CodeAnswer;
use super::benchmarking_cost::{BenchmarkingEffort, CompletedWork};
use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject};
use super::sampling_schedule::{DriftBound, SamplingSchedule, ScheduledSample};
use super::{ComparisonBase, MeasuredVersion};
use verdict::counts::FLOOR;

/// Drifts at which a sample is taken, in the rows of the tables.
pub const DRIFTS: [f64; 5] = [0.1, 0.2, 0.35, 0.5, 1.0];

/// Versions from one sample to the next, in the rows of the tables.
pub(super) const INTERVALS: [usize; 3] = [40, 60, 100];

/// When a gate samples, and how much of a flagged version it builds and runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostPolicy {
    /// When samples are taken.
    pub sampling: SamplingSchedule,
    /// Whether the optimised build and the runs of a flagged version are kept for a sample of it.
    pub keeps_runs: bool,
    /// When the base of a flagged version is built.
    pub base: BaseMeasurement,
    /// Whether a benchmark is not run if its machine code is that of a version that was measured.
    pub skips_same_code: bool,
}

/// When the base of a flagged version is built and run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BaseMeasurement {
    /// For every flagged version.
    Always,
    /// For the benchmarks whose head differs, by more than this share, from their newest count at or before the base,
    /// and for those without such a count.
    Beyond(f64),
    /// Never: each version before counts as measured already, as in the published study.
    Presumed,
}

impl CostPolicy {
    /// Samples as predicted, and both sides of every flagged version.
    pub const AS_IT_WAS: Self = Self {
        sampling: SamplingSchedule::AsPredicted,
        keeps_runs: false,
        base: BaseMeasurement::Always,
        skips_same_code: false,
    };

    /// The policies of the tables, for a gate with this threshold: the present one, each change alone, then one added to
    /// the other.
    pub(super) fn all(threshold: f64) -> Vec<Self> {
        let now = Self::AS_IT_WAS;
        let head_first = Self {
            base: BaseMeasurement::Beyond(FLOOR),
            ..now
        };
        let half_the_threshold = BaseMeasurement::Beyond(threshold / 2.0);
        let same_code = Self {
            skips_same_code: true,
            ..head_first
        };
        let kept = Self {
            keeps_runs: true,
            ..same_code
        };
        let by_drift = |policy: Self, bound: DriftBound| {
            DRIFTS.map(|limit| Self {
                sampling: SamplingSchedule::ByDrift { limit, bound },
                ..policy
            })
        };
        let mut all = vec![
            now,
            head_first,
            Self {
                base: half_the_threshold,
                ..now
            },
            Self {
                skips_same_code: true,
                ..now
            },
            Self {
                keeps_runs: true,
                ..now
            },
        ];
        all.extend(by_drift(now, DriftBound::Sum));
        all.push(same_code);
        all.push(kept);
        all.extend(by_drift(same_code, DriftBound::Sum));
        all.extend(by_drift(kept, DriftBound::Sum));
        all.extend(INTERVALS.map(|versions| Self {
            sampling: SamplingSchedule::Every(versions),
            ..kept
        }));
        all.extend(by_drift(now, DriftBound::Largest));
        all.extend(by_drift(kept, DriftBound::Largest));
        all.push(Self {
            base: half_the_threshold,
            ..kept
        });
        all
    }
}

/// The builds, runs and samples of a policy in one project, and what they show.
#[derive(Debug, Default)]
pub(super) struct PolicyLedger {
    /// Seconds of building and running flagged versions.
    pub(super) benchmarking: f64,
    /// Seconds of sampling.
    pub(super) sampling: f64,
    /// Number of samples.
    pub(super) samples: usize,
    /// Builds for flagged versions.
    pub(super) builds: usize,
    /// The flagged versions, oldest first.
    pub(super) flagged: Vec<FlaggedVersion>,
}

/// A flagged version, and what was seen of its benchmarks.
#[derive(Debug)]
pub(super) struct FlaggedVersion {
    /// Its index among the evaluated versions.
    pub(super) version: usize,
    /// Its flagged benchmarks.
    pub(super) seen: Vec<SeenBenchmark>,
}

/// A flagged benchmark, and how it was measured.
#[derive(Debug, PartialEq)]
pub(super) struct SeenBenchmark {
    /// Its index among the benchmarks of the version.
    pub(super) pair: usize,
    /// Whether base and head were held against each other by their counts. If not, the benchmark counts as unmoved.
    pub(super) is_measured: bool,
    /// The relative change from an older version than the base to the head; `None` where there is no such count.
    pub(super) since_older: Option<f64>,
}

impl PolicyLedger {
    /// Walks along the versions of a project. `selected` is called for each version and benchmark by index.
    pub(super) fn of(
        joined: &EvaluatedProject<'_>,
        policy: CostPolicy,
        samples: &[ScheduledSample],
        selected: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let mut walk = PolicyWalk {
            joined,
            policy,
            work: CompletedWork::default(),
            known: BTreeMap::new(),
            ledger: Self::default(),
        };
        let mut due = samples.iter().peekable();
        for (version, joint) in joined.versions.iter().enumerate() {
            let [base, _] = joint.sides();
            while let Some(sample) = due.next_if(|sample| sample.version <= Some(base)) {
                walk.sample(sample);
            }
            let flagged = joint.pairs.iter().enumerate();
            let flagged: Vec<(usize, &EvaluatedBenchmark<'_>)> =
                flagged.filter(|(index, _)| selected(version, *index)).collect();
            if !flagged.is_empty() {
                let seen = walk.gate(joint.sides(), &flagged);
                walk.ledger.flagged.push(FlaggedVersion { version, seen });
            }
        }
        due.for_each(|sample| walk.sample(sample));
        walk.ledger.builds = walk.work.builds();
        walk.ledger
    }
}

/// A count of a benchmark at a version, by index.
#[derive(Debug, Clone, Copy)]
struct KnownCount {
    version: usize,
    instructions: u64,
}

impl KnownCount {
    /// The relative change from this count to another one.
    fn change_to(self, instructions: u64) -> f64 {
        let known = self.instructions as f64;
        (instructions as f64 - known) / known
    }
}

struct PolicyWalk<'j, 'a> {
    joined: &'j EvaluatedProject<'a>,
    policy: CostPolicy,
    work: CompletedWork<'a>,
    /// The newest count of each benchmark.
    known: BTreeMap<&'a str, KnownCount>,
    ledger: PolicyLedger,
}

impl<'a> PolicyWalk<'_, 'a> {
    /// Takes a sample: it counts every benchmark. Half of it is the optimised build and its runs, of which a gate may have
    /// done a part.
    fn sample(&mut self, sample: &ScheduledSample) {
        self.ledger.samples += 1;
        let done = match sample.version {
            Some(version) if self.policy.keeps_runs => self.work.share_done(self.joined, version),
            _ => 0.0,
        };
        self.ledger.sampling += sample.seconds * (1.0 - done / 2.0);
        let Some(version) = sample.version else {
            return;
        };
        for (name, benchmark) in &self.joined.project.measured[version].benchmarks {
            if let Some(instructions) = benchmark.instructions {
                self.known.insert(name, KnownCount { version, instructions });
            }
        }
    }

    fn gate(&mut self, sides: [usize; 2], flagged: &[(usize, &EvaluatedBenchmark<'a>)]) -> Vec<SeenBenchmark> {
        match self.policy.base {
            BaseMeasurement::Always => self.both_sides(sides, flagged),
            BaseMeasurement::Beyond(bound) => self.head_first(sides, flagged, bound),
            BaseMeasurement::Presumed => self.head_only(sides, flagged),
        }
    }

    fn both_sides(&mut self, sides: [usize; 2], flagged: &[(usize, &EvaluatedBenchmark<'a>)]) -> Vec<SeenBenchmark> {
        let mut seen = Vec::new();
        for &(index, pair) in flagged {
            let effort = match self.policy.skips_same_code {
                true => BenchmarkingEffort::after_code(pair),
                false => BenchmarkingEffort::RunBoth,
            };
            self.ledger.benchmarking += self.work.add_cost(self.joined, sides, pair, effort);
            seen.push(SeenBenchmark {
                pair: index,
                is_measured: effort == BenchmarkingEffort::RunBoth,
                since_older: None,
            });
        }
        seen
    }

    fn head_only(&mut self, [_, head]: [usize; 2], flagged: &[(usize, &EvaluatedBenchmark<'a>)]) -> Vec<SeenBenchmark> {
        self.ledger.benchmarking += self.work.build(self.joined, head);
        let mut seen = Vec::new();
        for &(index, pair) in flagged {
            let movement = &pair.movement;
            self.ledger.benchmarking += self.work.run(head, movement.benchmark, movement.head.seconds);
            seen.push(SeenBenchmark {
                pair: index,
                is_measured: true,
                since_older: None,
            });
        }
        seen
    }

    /// Builds and runs the head, and the base where the head differs from the newest count before it.
    fn head_first(
        &mut self,
        [base, head]: [usize; 2],
        flagged: &[(usize, &EvaluatedBenchmark<'a>)],
        bound: f64,
    ) -> Vec<SeenBenchmark> {
        self.ledger.benchmarking += self.work.build(self.joined, head);
        let mut seen = Vec::new();
        for &(index, pair) in flagged {
            let movement = &pair.movement;
            let known = self.known.get(movement.benchmark).copied();
            let known = known.filter(|known| known.version <= base && known.instructions > 0);
            let same_as = known.filter(|known| self.policy.skips_same_code && self.is_same_code(pair, *known, head));
            let instructions = match (same_as, movement.head.instructions) {
                (Some(known), _) => known.instructions,
                (None, Some(counted)) => {
                    self.ledger.benchmarking += self.work.run(head, movement.benchmark, movement.head.seconds);
                    counted
                }
                // A movement always has a count of the head.
                (None, None) => continue,
            };
            let counted = KnownCount {
                version: head,
                instructions,
            };
            self.known.insert(movement.benchmark, counted);
            let is_measured = match known {
                Some(known) if known.version == base => same_as.is_none(),
                Some(known) if known.change_to(instructions).abs() <= bound => false,
                Some(_) | None => self.run_base(base, pair),
            };
            let older = known.filter(|known| known.version < base);
            seen.push(SeenBenchmark {
                pair: index,
                is_measured,
                since_older: older.map(|known| known.change_to(instructions)),
            });
        }
        seen
    }

    /// Builds the base, and runs a benchmark there unless its machine code is that of the head. True if it was run.
    fn run_base(&mut self, base: usize, pair: &EvaluatedBenchmark<'a>) -> bool {
        let movement = &pair.movement;
        self.ledger.benchmarking += self.work.build(self.joined, base);
        let is_run = !(self.policy.skips_same_code && is_same_step(pair));
        if is_run {
            self.ledger.benchmarking += self.work.run(base, movement.benchmark, movement.base.seconds);
        }
        is_run
    }

    /// True if a benchmark at the head has the machine code of a version that was measured, as far as the answers about
    /// each step between them tell. Over several steps, all code that the program can reach has to stay.
    fn is_same_code(&self, pair: &EvaluatedBenchmark<'_>, known: KnownCount, head: usize) -> bool {
        let measured = &self.joined.project.measured;
        let steps = &measured[known.version + 1..=head];
        let mut steps = steps.iter().filter(|version| version.has_counts());
        match (steps.next(), steps.next()) {
            (Some(_), None) => is_same_step(pair),
            (first, second) => (first.into_iter().chain(second))
                .chain(steps)
                .all(|version| keeps_all_code(version, pair.movement.benchmark)),
        }
    }
}

/// True if a benchmark executes the same machine code at both sides.
fn is_same_step(pair: &EvaluatedBenchmark<'_>) -> bool {
    BenchmarkingEffort::after_code(pair) != BenchmarkingEffort::RunBoth
}

/// True if all code that a benchmark can reach is that of the version before.
fn keeps_all_code(version: &MeasuredVersion, benchmark: &str) -> bool {
    let code = version.benchmarks.get(benchmark).map(|benchmark| benchmark.code);
    version.against == ComparisonBase::LastCounted && code == Some(CodeAnswer::Same)
}

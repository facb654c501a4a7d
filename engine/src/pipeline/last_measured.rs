//! Stage 2: the head alone, built and counted, against the counts of the version that was measured last. What this decides
//! needs no base.
//!
//! A count of an earlier version stands for the base's in one of two ways ([`CountStanding`]):
//! - A change between the two is unlikely: the score of the base against that version leaves the benchmark out. Then a head
//!   that counts the same did not change it. So a head that undoes a change which was never measured is not taken for one
//!   that changes nothing. Counts that differ decide nothing: the part of the head and that of the versions in between are
//!   told apart by the base.
//! - It is proved: the version is the base, or nothing between the two can change the benchmark, and both were built with
//!   the same packages. Then counts that differ are the head's part, if the head repeats its own. The base is built only if
//!   the sources do not explain the difference.
//!
//! Where the head's program is the machine code that was measured, on the same input, it is not run at all. A benchmark that
//! the score leaves out is counted as well where it may execute other machine code than before.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::score::{CostModel, ScoreOptions};
use profile::inputs::OpenedFiles;
use rayon::prelude::*;
use runner::frameworks::Benchmark;
use runner::git::CommitId;
use runner::measure::measurement_log::MeasurementLog;
use runner::measure::sides::BuiltHead;
use runner::measure::{MeasurementError, TrialResult};
use verdict::counts::{CountedRuns, judge};
use verdict::{
    BenchmarkOutcome, ComparedVersion, CountStanding, EarlierVersion, FindingReason, Metric, MetricFinding,
    ProgramIdentity, ReportedValues, UnmeasuredReason,
};

use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::code::changed_input;
use super::counts::{CounterKind, CounterRun};
use super::earlier_counts::{CountsOfVersion, EarlierCounts};
use super::measurement_plan::GateMeasurementPlan;
use super::reachability::is_for_code_to_decide;
use super::selection::{BenchmarkSelection, select};
use super::source::SourceStageResult;
use super::verdict_draft::StageCounts;
use super::{GateContext, GateRequest, GateThoroughness, SelectionRequest};
use crate::error::EngineError;
use crate::file_sources;
use crate::progress::Activity;
use crate::sample_loader::SampleLoader;
use crate::scoring;
use crate::settings::GateMetric;
use crate::unchanged_proof::{ProofGround, is_unchanged_since};

/// The outcome of the stage.
#[derive(Debug, Default)]
pub(super) struct LastMeasuredResult {
    /// The findings of the benchmarks that count as before.
    pub(super) findings: Vec<BenchmarkFinding>,
    /// Their names.
    pub(super) settled: BTreeSet<String>,
    /// The runs of the head's other benchmarks, which need not be repeated.
    pub(super) head_runs: HeadRuns,
    /// True if every benchmark that is to be measured is settled: the base is not needed.
    pub(super) is_whole: bool,
    /// Benchmarks that were counted.
    counted: usize,
}

/// The first run of each benchmark of the head under each counter.
pub(super) type HeadRuns = BTreeMap<(String, CounterKind), TrialResult<CounterRun>>;

/// The runs of one benchmark, or why there are none.
type BenchmarkRuns = Result<Vec<CountedTwice>, MeasurementError>;

/// A run under one counter, and another one where it is needed and succeeded.
struct CountedTwice {
    counter: CounterKind,
    run: TrialResult<CounterRun>,
    again: Option<TrialResult<CounterRun>>,
}

/// A benchmark of the head with the counts that stand for the base's.
struct EarlierCandidate<'h> {
    candidate: BenchmarkCandidate,
    benchmark: &'h Benchmark,
    measured: EarlierVersion,
    counts: BTreeMap<Metric, f64>,
    standing: CountStanding,
    /// True if the head's program is the machine code that was measured, and reads the same files.
    is_same_program: bool,
}

impl LastMeasuredResult {
    pub(super) fn passed(&self) -> StageCounts {
        StageCounts {
            of: self.counted,
            on: self.counted - self.settled.len(),
        }
    }
}

/// Counts the benchmarks of the head whose earlier counts stand for the base's, and settles those that count the same.
/// Those that an earlier run compared with the base are left: nothing has to run for them.
pub(super) fn compare(
    (head, programs, results): (&BuiltHead<'_>, &BTreeMap<String, ProgramIdentity>, &MeasurementLog),
    source: &SourceStageResult,
    (question, place): (&GateRequest<'_>, &GateContext<'_>),
    terms: &GateMeasurementPlan<'_>,
) -> Result<LastMeasuredResult, EngineError> {
    let counters = CounterKind::of(terms.criteria.metrics, terms.profiler);
    if !is_enough(question, &counters) || head.side().unbuilt.is_some() {
        return Ok(LastMeasuredResult::default());
    }
    let earlier = EarlierCounts::read(place.repository, place.store, question.base, head.environment())?;
    if let Some(why) = earlier.elsewhere() {
        terms.progress.note(why);
    }
    let is_compared = |name: &str| {
        !terms.fresh
            && counters
                .iter()
                .all(|counter| results.known(name, counter.metrics()[0]).is_some())
    };
    let (mut candidates, mut is_whole) =
        candidates((head, programs), source, (question, place), (&earlier, &counters))?;
    candidates.retain(|found| {
        let keeps = !is_compared(&found.candidate.name);
        is_whole &= keeps;
        keeps
    });
    let mut result = LastMeasuredResult {
        is_whole,
        counted: candidates.len(),
        ..LastMeasuredResult::default()
    };
    candidates.retain(|candidate| !(candidate.is_same_program && result.settle_same_program(candidate, terms)));
    // A repository's handle is not shared between threads.
    let (side, tree) = (head.side(), head.tree());
    let benchmarks: Vec<_> = candidates.iter().map(|candidate| candidate.benchmark).collect();
    let mut shared: BTreeMap<CounterKind, BTreeMap<String, CounterRun>> = (counters.iter())
        .map(|counter| {
            (
                *counter,
                counter.count_from_shared_starts((ComparedVersion::Head, tree), &benchmarks, terms),
            )
        })
        .collect();
    let with_shared = candidates.into_iter().map(|candidate| {
        let of = |runs: &mut BTreeMap<_, _>| runs.remove(&candidate.candidate.name);
        let first: BTreeMap<CounterKind, CounterRun> = (shared.iter_mut())
            .filter_map(|(counter, runs)| Some((*counter, of(runs)?)))
            .collect();
        (candidate, first)
    });
    let runs: Vec<(EarlierCandidate<'_>, BenchmarkRuns)> = (with_shared.collect::<Vec<_>>().into_par_iter())
        .map(|(candidate, mut first)| {
            terms.progress.activity(&Activity::Counting {
                benchmark: &candidate.candidate.name,
                version: ComparedVersion::Head,
            });
            let count = |counter: &CounterKind| counter.count((side, tree), candidate.benchmark, &terms.conditions);
            let mut run = |counter: &CounterKind| {
                let run = match first.remove(counter) {
                    Some(value) => TrialResult { value, retries: 0 },
                    None => count(counter)?,
                };
                // Whether a count that differs repeats, another run of the same program tells.
                let again = match candidate.standing {
                    CountStanding::Proved if !candidate.counts_as(*counter, &run) => count(counter).ok(),
                    CountStanding::Proved | CountStanding::Likely => None,
                };
                Ok(CountedTwice {
                    counter: *counter,
                    run,
                    again,
                })
            };
            let runs = counters.iter().map(&mut run).collect();
            (candidate, runs)
        })
        .collect();
    for (candidate, runs) in runs {
        match runs {
            Ok(runs) => result.settle(&candidate, runs, terms),
            Err(error @ MeasurementError::Machine { .. }) => {
                return Err(EngineError::environment(format_args!("measuring at the head: {error}")));
            }
            // Whether it is the head's fault the base shows.
            Err(_) => result.is_whole = false,
        }
    }
    Ok(result)
}

/// Whether counts of one side can answer the request at all. Times and sizes are compared side by side.
fn is_enough(question: &GateRequest<'_>, counters: &[CounterKind]) -> bool {
    matches!(question.which, SelectionRequest::Flagged { .. })
        && !question.reuse.is_fresh()
        && question.thoroughness == GateThoroughness::Gate
        && question.claims.is_empty()
        && question.base != question.head
        && question.metrics.iter().all(|metric| match metric {
            GateMetric::Instructions | GateMetric::Memory => true,
            GateMetric::WallTime | GateMetric::BinarySize | GateMetric::ExecutedCodeSize => false,
        })
        && !counters.contains(&CounterKind::Operations)
}

/// The benchmarks of the head that have an earlier count which stands for the base's: of the selected ones, and of those that
/// may execute other code than the score foresees; and whether these are all that have to be measured.
fn candidates<'h>(
    (head, programs): (&'h BuiltHead<'_>, &BTreeMap<String, ProgramIdentity>),
    source: &SourceStageResult,
    (question, place): (&GateRequest<'_>, &GateContext<'_>),
    (earlier, counters): (&EarlierCounts, &[CounterKind]),
) -> Result<(Vec<EarlierCandidate<'h>>, bool), EngineError> {
    let suite = &head.side().suite;
    let present = suite.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let unforeseen = unforeseen((head, programs), source, (earlier, counters));
    let mut names = source.selection.ordered(present);
    let selects_any = !names.is_empty();
    names.extend(unforeseen.iter().map(String::as_str));
    let is_present = |name: &str| head.side().benchmark(name).is_some();
    let mut expected = source.score.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let lacks_none = expected.all(|name| !source.selection.takes(name) || is_present(name));
    let mut between = VersionsBetween {
        question,
        place,
        samples: SampleLoader::new(place.repository, place.store)?.only(place.settings.benchmarks.choice().clone()),
        scoring: scoring::scoring_for_model(
            CostModel::Lito,
            place.settings.gate.threshold.share(),
            (place.repository, &place.settings.benchmarks),
        ),
        likely: BTreeMap::new(),
        proved: BTreeMap::new(),
        changed_files: BTreeMap::new(),
    };
    let mut found = Vec::new();
    for name in &names {
        let Some(benchmark) = head.side().benchmark(name) else {
            continue;
        };
        let needed = needed_metrics(benchmark, counters);
        let Some((measured, CountsOfVersion { counts, program })) = earlier.newest(name, &needed) else {
            continue;
        };
        let (then, now) = (program.as_ref(), programs.get(*name));
        let has_same_packages = then
            .zip(now)
            .is_some_and(|(then, now)| then.dependencies == now.dependencies);
        let standing = match has_same_packages && (measured.versions == 0 || between.are_proved_unchanged(measured)?) {
            true => CountStanding::Proved,
            false if measured.versions > 0 && between.likely_changes(measured)?.takes(name) => continue,
            false => CountStanding::Likely,
        };
        let is_same_code = then.zip(now).is_some_and(|(then, now)| now.has_code_of(then));
        let is_same_program = is_same_code && between.reads_the_same(measured, source.opened.get(*name))?;
        found.push(EarlierCandidate {
            candidate: source.candidate(name),
            benchmark,
            measured: measured.clone(),
            counts: counts.clone(),
            standing,
            is_same_program,
        });
    }
    let is_whole = lacks_none && suite.failures.is_empty() && selects_any && found.len() == names.len();
    Ok((found, is_whole))
}

/// Benchmarks that the score leaves out since they execute no changed source, though they are not known to execute the machine
/// code that was counted last. Where the head's can't be read, the score has the last word.
fn unforeseen(
    (head, programs): (&BuiltHead<'_>, &BTreeMap<String, ProgramIdentity>),
    source: &SourceStageResult,
    (earlier, counters): (&EarlierCounts, &[CounterKind]),
) -> Vec<String> {
    let may_execute_other_code = |name: &str| {
        let needed = needed_metrics(head.side().benchmark(name)?, counters);
        let (_, CountsOfVersion { program, .. }) = earlier.newest(name, &needed)?;
        let then = program.as_ref().and_then(|program| program.executed.as_ref());
        Some(then != Some(programs.get(name)?.executed.as_ref()?))
    };
    (source.left_out(&BTreeSet::new()))
        .filter(|candidate| is_for_code_to_decide(&candidate.reach))
        .map(|candidate| candidate.name)
        .filter(|name| may_execute_other_code(name) == Some(true))
        .collect()
}

/// The metrics that an earlier version must have counts of.
fn needed_metrics(benchmark: &Benchmark, counters: &[CounterKind]) -> Vec<Metric> {
    let needed = counters.iter().flat_map(|counter| match counter {
        CounterKind::Instructions => &[Metric::Instructions][..],
        // Of a subject that runs again and again, allocations are not counted.
        CounterKind::Memory if !benchmark.subject.has_own_allocations() => &[],
        // The subject's share of the peak is not always known.
        CounterKind::Memory => &[Metric::AllocatedBytes, Metric::Allocations],
        CounterKind::Operations => &[Metric::Operations],
    });
    needed.copied().collect()
}

/// The versions between one that was measured before and the base or the head.
struct VersionsBetween<'q> {
    question: &'q GateRequest<'q>,
    place: &'q GateContext<'q>,
    samples: SampleLoader<'q>,
    scoring: ScoreOptions,
    /// The benchmarks that the score would run for the base against an earlier version, by that version.
    likely: BTreeMap<String, BenchmarkSelection>,
    /// Whether nothing changed from an earlier version to the base.
    proved: BTreeMap<String, bool>,
    /// The files that differ between an earlier version and the head.
    changed_files: BTreeMap<String, Vec<String>>,
}

impl VersionsBetween<'_> {
    fn likely_changes(&mut self, measured: &EarlierVersion) -> Result<&BenchmarkSelection, EngineError> {
        if !self.likely.contains_key(&measured.commit) {
            let (from, to) = (commit_of(measured)?, self.question.base);
            let repository = self.place.repository;
            let score = scoring::score_pair(repository, (from, to), &mut self.samples, &self.scoring)?;
            let selection = select(&score, false, self.question.which);
            self.likely.insert(measured.commit.clone(), selection);
        }
        Ok(&self.likely[&measured.commit])
    }

    fn are_proved_unchanged(&mut self, measured: &EarlierVersion) -> Result<bool, EngineError> {
        if let Some(known) = self.proved.get(&measured.commit) {
            return Ok(*known);
        }
        let ground = ProofGround {
            repository: self.place.repository,
            definitions: &self.place.settings.benchmarks,
            scoring: &self.scoring,
        };
        let versions = (commit_of(measured)?, self.question.base);
        let is_proved = is_unchanged_since(ground, versions, &mut self.samples)?;
        self.proved.insert(measured.commit.clone(), is_proved);
        Ok(is_proved)
    }

    /// Whether the files that a benchmark reads while it runs are at the head what they were.
    fn reads_the_same(&mut self, measured: &EarlierVersion, opened: Option<&OpenedFiles>) -> Result<bool, EngineError> {
        if !self.changed_files.contains_key(&measured.commit) {
            let versions = (commit_of(measured)?, self.question.head);
            let changed = file_sources::changed_paths(self.place.repository, versions.0, versions.1)?;
            self.changed_files.insert(measured.commit.clone(), changed);
        }
        Ok(changed_input(&self.changed_files[&measured.commit], opened).is_none())
    }
}

fn commit_of(measured: &EarlierVersion) -> Result<CommitId, EngineError> {
    measured.commit.parse().map_err(EngineError::environment)
}

impl LastMeasuredResult {
    /// Keeps the findings of a benchmark whose program is the one that was measured. False if nothing was counted of it.
    fn settle_same_program(&mut self, candidate: &EarlierCandidate<'_>, terms: &GateMeasurementPlan<'_>) -> bool {
        let findings = candidate.counts.iter().filter(|(metric, _)| !metric.is_byproduct());
        let findings: Vec<BenchmarkFinding> = findings
            .map(|(metric, count)| {
                let measured = candidate.measured.clone();
                let reason = UnmeasuredReason::SameProgramAs { measured };
                let finding = MetricFinding {
                    base: Some(*count),
                    ..MetricFinding::unmeasured(*metric, BenchmarkOutcome::SameCode, reason)
                };
                BenchmarkFinding {
                    gating: terms.criteria.gates(*metric),
                    ..candidate.candidate.measured(finding, "")
                }
            })
            .collect();
        let is_settled = !findings.is_empty();
        if is_settled {
            self.findings.extend(findings);
            self.settled.insert(candidate.candidate.name.clone());
        }
        is_settled
    }

    /// Keeps the findings of a benchmark if its earlier counts decide every metric, else its runs.
    fn settle(&mut self, candidate: &EarlierCandidate<'_>, runs: Vec<CountedTwice>, terms: &GateMeasurementPlan<'_>) {
        let findings: Option<Vec<BenchmarkFinding>> = (runs.iter())
            .flat_map(|counted| counted.values().map(move |(metric, values)| (counted, metric, values)))
            .filter(|(_, metric, _)| !metric.is_byproduct())
            .map(|(counted, metric, values)| {
                let finding = candidate.finding(metric, &values, terms)?;
                Some(BenchmarkFinding {
                    gating: terms.criteria.gates(metric),
                    values: Some(candidate.reported(metric, &values)?),
                    starts: values.len(),
                    retries: counted.run.retries,
                    ..candidate.candidate.measured(finding, counted.counter.tool())
                })
            })
            .collect();
        let name = &candidate.candidate.name;
        match findings {
            Some(findings) if !findings.is_empty() => {
                self.findings.extend(findings);
                self.settled.insert(name.clone());
            }
            Some(_) | None => {
                self.is_whole = false;
                let runs = (runs.into_iter()).map(|counted| ((name.clone(), counted.counter), counted.run));
                self.head_runs.extend(runs);
            }
        }
    }
}

impl CountedTwice {
    /// The values of each metric that the first run tells, with that of the second.
    fn values(&self) -> impl Iterator<Item = (Metric, Vec<f64>)> {
        let again = self.again.as_ref().map(|run| run.value.values.as_slice());
        let metrics = self.counter.metrics().iter().zip(&self.run.value.values).enumerate();
        metrics.filter_map(move |(at, (metric, first))| {
            let second = again.and_then(|values| values.get(at).copied().flatten());
            let values = std::iter::once((*first)?).chain(second);
            Some((*metric, values.map(|value| value as f64).collect()))
        })
    }
}

impl EarlierCandidate<'_> {
    /// Whether a run tells the counts of before, to the last one.
    fn counts_as(&self, counter: CounterKind, run: &TrialResult<CounterRun>) -> bool {
        let values = counter.metrics().iter().zip(&run.value.values);
        let mut counted = values.filter(|(metric, _)| !metric.is_byproduct());
        counted.all(|(metric, value)| value.map(|value| value as f64) == self.counts.get(metric).copied())
    }

    /// The values that are compared.
    fn reported(&self, metric: Metric, head: &[f64]) -> Option<ReportedValues> {
        Some(ReportedValues::Counts {
            base: vec![*self.counts.get(&metric)?],
            head: head.to_vec(),
            measured_before: Some((self.measured.clone(), self.standing)),
        })
    }

    /// The finding of a metric that the earlier counts decide; `None` if only the base can.
    fn finding(&self, metric: Metric, head: &[f64], terms: &GateMeasurementPlan<'_>) -> Option<MetricFinding> {
        let base = [*self.counts.get(&metric)?];
        let runs = CountedRuns {
            metric,
            base: &base,
            head,
        };
        let finding = judge(runs, terms.criteria.of_counts(&self.candidate.name, metric));
        let FindingReason::Counted(reason) = finding.reason else {
            return None;
        };
        let is_decided = match finding.outcome {
            BenchmarkOutcome::Pass => true,
            BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement => {
                let repeats = matches!(head, [first, second] if first == second);
                self.standing == CountStanding::Proved && repeats && self.candidate.reach.reachable() == Some(true)
            }
            BenchmarkOutcome::Failed
            | BenchmarkOutcome::Removed
            | BenchmarkOutcome::Inconclusive
            | BenchmarkOutcome::Added
            | BenchmarkOutcome::SameCode
            | BenchmarkOutcome::Skipped => false,
        };
        is_decided.then(|| MetricFinding {
            reason: FindingReason::CountedBefore {
                reason,
                measured: self.measured.clone(),
                standing: self.standing,
            },
            ..finding
        })
    }
}

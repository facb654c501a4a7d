//! Stage 2: the head alone, built and counted, against the counts of the version that was measured last. Where a
//! benchmark counts the same, the head did not change it, and the base is not built for it.
//!
//! A count of an earlier version stands for the base's if nothing between the two is likely to change the benchmark: the
//! score of the base against that version leaves it out. So a head that undoes a change which was never measured is not
//! taken for one that changes nothing. Counts that differ decide nothing here: the part of the head and that of the
//! versions in between are told apart by the base, which is then built and counted as well.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::score::CostModel;
use rayon::prelude::*;
use runner::frameworks::Benchmark;
use runner::git::CommitId;
use runner::measure::measurement_log::MeasurementLog;
use runner::measure::sides::BuiltHead;
use runner::measure::{MeasurementError, TrialResult};
use verdict::counts::{CountedRuns, judge};
use verdict::{BenchmarkOutcome, EarlierVersion, FindingReason, Metric, MetricFinding};

use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::counts::{CounterKind, CounterRun};
use super::earlier_counts::{CountsOfVersion, EarlierCounts};
use super::measurement_plan::GateMeasurementPlan;
use super::request::GateReuse;
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
type BenchmarkRuns = Result<Vec<(CounterKind, TrialResult<CounterRun>)>, MeasurementError>;

/// A benchmark of the head with the counts that stand for the base's.
struct EarlierCandidate<'h> {
    candidate: BenchmarkCandidate,
    benchmark: &'h Benchmark,
    measured: EarlierVersion,
    counts: CountsOfVersion,
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
    (head, results): (&BuiltHead<'_>, &MeasurementLog),
    source: &SourceStageResult,
    (question, place): (&GateRequest<'_>, &GateContext<'_>),
    terms: &GateMeasurementPlan<'_>,
) -> Result<LastMeasuredResult, EngineError> {
    let counters = CounterKind::of(terms.metrics, terms.profiler);
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
    let (mut candidates, mut is_whole) = candidates(head, source, (question, place), (&earlier, &counters))?;
    candidates.retain(|found| {
        let keeps = !is_compared(&found.candidate.name);
        is_whole &= keeps;
        keeps
    });
    // A repository's handle is not shared between threads.
    let (side, tree) = (head.side(), head.tree());
    let runs: Vec<(EarlierCandidate<'_>, BenchmarkRuns)> = (candidates.into_par_iter())
        .map(|candidate| {
            terms.progress.activity(&Activity::Counting {
                benchmark: &candidate.candidate.name,
                version: verdict::ComparedVersion::Head,
            });
            let run = |counter: &CounterKind| {
                let run = counter.count((side, tree), candidate.benchmark, &terms.conditions);
                Ok((*counter, run?))
            };
            let runs = counters.iter().map(run).collect();
            (candidate, runs)
        })
        .collect();
    let mut result = LastMeasuredResult {
        is_whole,
        counted: runs.len(),
        ..LastMeasuredResult::default()
    };
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
        && question.reuse != GateReuse::Nothing
        && question.thoroughness == GateThoroughness::Gate
        && question.claims.is_empty()
        && question.base != question.head
        && question.metrics.iter().all(|metric| match metric {
            GateMetric::Instructions | GateMetric::Memory => true,
            GateMetric::WallTime | GateMetric::BinarySize | GateMetric::ExecutedCodeSize => false,
        })
        && !counters.contains(&CounterKind::Operations)
}

/// The selected benchmarks of the head that have an earlier count which stands for the base's; and whether these are all
/// that have to be measured.
fn candidates<'h>(
    head: &'h BuiltHead<'_>,
    source: &SourceStageResult,
    (question, place): (&GateRequest<'_>, &GateContext<'_>),
    (earlier, counters): (&EarlierCounts, &[CounterKind]),
) -> Result<(Vec<EarlierCandidate<'h>>, bool), EngineError> {
    let suite = &head.side().suite;
    let present = suite.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let names = source.selection.ordered(present);
    let is_present = |name: &str| head.side().benchmark(name).is_some();
    let mut expected = source.score.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let lacks_none = expected.all(|name| !source.selection.takes(name) || is_present(name));
    let mut likely_changes = LikelyChanges {
        question,
        place,
        samples: None,
        known: BTreeMap::new(),
    };
    let mut found = Vec::new();
    for name in &names {
        let Some(benchmark) = head.side().benchmark(name) else {
            continue;
        };
        let needed = needed_metrics(benchmark, counters);
        let Some((measured, counts)) = earlier.newest(name, &needed) else {
            continue;
        };
        if measured.versions > 0 && likely_changes.since(measured)?.takes(name) {
            continue;
        }
        found.push(EarlierCandidate {
            candidate: source.candidate(name),
            benchmark,
            measured: measured.clone(),
            counts: counts.clone(),
        });
    }
    let is_whole = lacks_none && suite.failures.is_empty() && !names.is_empty() && found.len() == names.len();
    Ok((found, is_whole))
}

/// The metrics that an earlier version must have counts of.
fn needed_metrics(benchmark: &Benchmark, counters: &[CounterKind]) -> Vec<Metric> {
    let needed = counters.iter().flat_map(|counter| match counter {
        CounterKind::Instructions => &[Metric::Instructions][..],
        // Of a subject that runs again and again, allocations are not counted.
        CounterKind::Memory if benchmark.subject.is_repeated() => &[],
        // The subject's share of the peak is not always known.
        CounterKind::Memory => &[Metric::AllocatedBytes, Metric::Allocations],
        CounterKind::Operations => &[Metric::Operations],
    });
    needed.copied().collect()
}

/// The likely changes between earlier versions and the base.
struct LikelyChanges<'q> {
    question: &'q GateRequest<'q>,
    place: &'q GateContext<'q>,
    samples: Option<SampleLoader<'q>>,
    /// By the earlier version.
    known: BTreeMap<String, BenchmarkSelection>,
}

impl<'q> LikelyChanges<'q> {
    /// The benchmarks that the score would run for the base against an earlier version.
    fn since(&mut self, measured: &EarlierVersion) -> Result<&BenchmarkSelection, EngineError> {
        if !self.known.contains_key(&measured.commit) {
            let selection = self.score_since(measured)?;
            self.known.insert(measured.commit.clone(), selection);
        }
        Ok(&self.known[&measured.commit])
    }

    fn score_since(&mut self, measured: &EarlierVersion) -> Result<BenchmarkSelection, EngineError> {
        let GateContext {
            repository, settings, ..
        } = *self.place;
        let from: CommitId = measured.commit.parse().map_err(EngineError::environment)?;
        let to = self.question.base;
        let samples = match &mut self.samples {
            Some(samples) => samples,
            none => {
                none.insert(SampleLoader::new(repository, self.place.store)?.only(settings.benchmarks.choice().clone()))
            }
        };
        let scoring = scoring::scoring_for_model(CostModel::Lito, settings.gate.threshold.share());
        let score = scoring::score_pair(repository, (from, to), samples, &scoring)?;
        let changed_files = file_sources::changed_paths(repository, from, to)?;
        Ok(select(&score, &changed_files, false, self.question.which))
    }
}

impl LastMeasuredResult {
    /// Keeps the findings of a benchmark if it counts as before in every metric, else its runs.
    fn settle(
        &mut self,
        candidate: &EarlierCandidate<'_>,
        runs: Vec<(CounterKind, TrialResult<CounterRun>)>,
        terms: &GateMeasurementPlan<'_>,
    ) {
        let findings: Option<Vec<BenchmarkFinding>> = (runs.iter())
            .flat_map(|(counter, run)| {
                let values = counter.metrics().iter().zip(&run.value.values);
                let values = values.filter_map(|(metric, value)| Some((*metric, (*value)?)));
                values.map(move |(metric, value)| (*counter, metric, value, run.retries))
            })
            .filter(|(_, metric, ..)| !metric.is_byproduct())
            .map(|(counter, metric, value, retries)| {
                let finding = candidate.unchanged(metric, value, terms)?;
                Some(BenchmarkFinding {
                    gating: terms.gates(metric),
                    starts: 1,
                    retries,
                    ..candidate.candidate.measured(finding, counter.tool())
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
                let runs = runs.into_iter().map(|(counter, run)| ((name.clone(), counter), run));
                self.head_runs.extend(runs);
            }
        }
    }
}

impl EarlierCandidate<'_> {
    /// The finding that a metric did not change; `None` if it did, or if that can't be told.
    fn unchanged(&self, metric: Metric, value: u64, terms: &GateMeasurementPlan<'_>) -> Option<MetricFinding> {
        let base = [*self.counts.get(&metric)?];
        let runs = CountedRuns {
            metric,
            base: &base,
            head: &[value as f64],
        };
        let finding = judge(runs, terms.of_counts(&self.candidate.name, metric));
        let FindingReason::Counted(reason) = finding.reason else {
            return None;
        };
        let measured = self.measured.clone();
        (finding.outcome == BenchmarkOutcome::Pass).then_some(MetricFinding {
            reason: FindingReason::CountedBefore { reason, measured },
            ..finding
        })
    }
}

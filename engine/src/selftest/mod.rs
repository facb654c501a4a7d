//! A repository compared with itself, and changes planted into it: scored and measured as the gate would, and counted by
//! what was found.
//!
//! The planted versions are commits in a temporary folder: neither the repository nor its store keeps any of them.

mod trial;

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analyzer::instrument::seed::{self, PlantedKind, SeedBaseVersion, SeedHotness, SeedRequest, SeededChange};
use analyzer::sample::Sample;
use rayon::prelude::*;
use report::selftest::{
    self, BinomialProportion, DetectionPower, IdenticalVersionsResult, SCHEMA, SelftestReport, SelftestTrial,
};
use runner::git::{BlobContent, CommitId, DraftCommits, RepoPath, Repository};
use runner::process::InterruptionFlag;
use runner::store::Store;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, MeasurementRound, Metric, MetricFinding, wall_time};

use crate::error::EngineError;
use crate::file_sources::{FILE_LIMIT, SampledFileSource};
use crate::pipeline::{self, GateContext, GateJudgement, GateRequest, GateReuse, GateThoroughness, SelectionRequest};
use crate::profiling::Profiler;
use crate::progress::Progress;
use crate::sample_loader::SampleLoader;
use crate::settings::{GateMetric, Percent, Settings};

/// The relative changes whose power is shown: below, at and above what a maintainer wants to hear of.
const SIZES: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

/// The version to test, and the changes to plant.
pub struct SelftestRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The settings in force.
    pub settings: &'a Settings,
    /// The profile store.
    pub store: &'a Store,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// The version.
    pub head: CommitId,
    /// Comparisons of the version with itself.
    pub identical: usize,
    /// Changes of each kind at each place.
    pub each: usize,
    /// Kinds of changes; none: all.
    pub kinds: &'a [PlantedKind],
    /// Places of changes, by hotness; none: all.
    pub places: &'a [SeedHotness],
    /// Changes of each known size.
    pub sized: usize,
    /// The seed of the random choice of places.
    pub seed: u64,
    /// Metrics besides instructions, which always decide.
    pub metrics: &'a [GateMetric],
    /// The time for measuring one change, builds excluded.
    pub budget: Duration,
    /// The profiler to use.
    pub profiler: Profiler,
    /// The start of the whole operation, with the sample that it may need first: its cost counts from here.
    pub started: Instant,
}

/// The changes that are planted.
pub struct SelftestPlan {
    /// Comparisons of the version with itself.
    pub identical: usize,
    /// Changes by kind and place.
    seeds: Vec<SeededChange>,
    /// Changes of known sizes.
    sized: Vec<SeededChange>,
    /// The kinds and places that were asked for; none if no change of any kind was.
    kinds: Vec<PlantedKind>,
    places: Vec<SeedHotness>,
}

impl SelftestPlan {
    /// Number of planted changes.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.seeds.len() + self.sized.len()
    }

    /// Number of comparisons in all.
    #[must_use]
    pub fn comparisons(&self) -> usize {
        self.identical + self.changes()
    }
}

/// A finished comparison of a selftest.
pub struct SelftestStep<'a> {
    /// Comparisons done.
    pub done: usize,
    /// Comparisons in all.
    pub total: usize,
    /// Estimated seconds to the end.
    pub seconds_left: f64,
    /// The result.
    pub result: SelftestStepResult<'a>,
}

/// The result of one comparison of a selftest.
pub enum SelftestStepResult<'a> {
    /// The version was compared with itself: the number of false alarms.
    Identical {
        /// Benchmarks and metrics that are reported to differ.
        false_alarms: usize,
    },
    /// A planted change was judged.
    Planted(&'a SelftestTrial),
}

/// The sample of the version, if the store has one: it says which lines are hot.
pub fn known_sample(request: &SelftestRequest<'_>) -> Result<Option<Arc<Sample>>, EngineError> {
    let nearest = SampleLoader::new(request.repository, request.store)?.nearest(request.head)?;
    let head = request.head.to_string();
    Ok(nearest.map(|(sample, _)| sample).filter(|sample| sample.commit == head))
}

/// True if the profiles name a function of the sources: without one, nothing is known to be hot.
#[must_use]
pub fn names_functions(sample: &Sample) -> bool {
    sample.benchmarks.iter().any(|profile| profile.files().next().is_some())
}

/// Chooses the changes: by kind and place, and by size.
pub fn plan_selftest(request: &SelftestRequest<'_>, sample: &Sample) -> Result<SelftestPlan, EngineError> {
    let snapshot = request.repository.snapshot(request.head)?;
    let mut sources: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for (path, _) in snapshot.paths()? {
        // A name or text that is not UTF-8 could not be written back unchanged.
        let Ok(name) = std::str::from_utf8(&path.0) else {
            continue;
        };
        if !seed::can_be_planted(name) {
            continue;
        }
        let file = snapshot.file(&path.0, FILE_LIMIT)?;
        if let Some(BlobContent::Bytes(bytes)) = file.and_then(|file| file.content)
            && let Ok(text) = std::str::from_utf8(&bytes)
        {
            sources.push((name.into(), text.into()));
        }
    }
    let version = SeedBaseVersion {
        sources: &sources,
        tree: &SampledFileSource::new(snapshot),
        profiles: &sample.benchmarks,
    };
    let wanted = SeedRequest {
        kinds: match request.kinds {
            [] => seed::kinds_of(sources.iter().map(|(path, _)| &**path)),
            named => named.to_vec(),
        },
        places: match request.places {
            [] => SeedHotness::ALL.to_vec(),
            named => named.to_vec(),
        },
        each: request.each,
        seed: request.seed,
    };
    Ok(SelftestPlan {
        identical: request.identical,
        seeds: seed::plant_changes(&version, &wanted),
        sized: seed::plant_sized_changes(&version, &SIZES, request.sized, request.seed),
        kinds: if request.each == 0 { Vec::new() } else { wanted.kinds },
        places: wanted.places,
    })
}

/// Runs the plan. `done` is called after each comparison.
pub fn run_selftest(
    request: &SelftestRequest<'_>,
    plan: &SelftestPlan,
    progress: Progress<'_>,
    done: &mut dyn FnMut(&SelftestStep<'_>),
) -> Result<SelftestReport, EngineError> {
    let drafts = DraftCommits::of(request.repository)?;
    let mut runner = SelftestRunner {
        request,
        drafts: &drafts,
        progress,
        report_step: done,
        started: Instant::now(),
        done: 0,
        total: plan.comparisons(),
        metrics: iter::once(GateMetric::Instructions)
            .chain(request.metrics.iter().copied())
            .collect(),
        environment: BTreeMap::new(),
    };
    let (identical, lengthened) = runner.identical()?;
    let seeds = runner.trials(&plan.seeds)?;
    let sized = runner.trials(&plan.sized)?;
    Ok(SelftestReport {
        schema: SCHEMA.to_owned(),
        commit: request.head.to_string(),
        threshold: runner.threshold(),
        seed: request.seed,
        identical,
        cells: selftest::cells(&seeds),
        no_site: selftest::missing_sites(&seeds, &plan.kinds, &plan.places),
        power: selftest::power(&sized),
        lengthened,
        seeds,
        sized,
        environment: runner.environment,
        cost_seconds: request.started.elapsed().as_secs_f64(),
    })
}

/// Compares versions, one pair after the other.
struct SelftestRunner<'a> {
    request: &'a SelftestRequest<'a>,
    drafts: &'a DraftCommits,
    progress: Progress<'a>,
    report_step: &'a mut dyn FnMut(&SelftestStep<'_>),
    started: Instant,
    done: usize,
    total: usize,
    metrics: Vec<GateMetric>,
    environment: BTreeMap<String, String>,
}

impl SelftestRunner<'_> {
    fn threshold(&self) -> f64 {
        self.request.settings.gate.threshold.share()
    }

    /// HEAD against itself; and what would have been said of its wall times, had the head's been longer.
    fn identical(&mut self) -> Result<(Vec<IdenticalVersionsResult>, Vec<DetectionPower>), EngineError> {
        let head = self.request.head;
        let mut entries = Vec::new();
        let mut rounds = Vec::new();
        for _ in 0..self.request.identical {
            let judgement = self.judge((head, head), true)?;
            let asked = judgement.report.benchmarks.into_iter().filter(|entry| entry.gating);
            let asked: Vec<BenchmarkVerdict> = asked.collect();
            let false_alarms = asked.iter().filter(|entry| is_movement(entry)).count();
            self.report(SelftestStepResult::Identical { false_alarms });
            entries.extend(asked);
            rounds.extend(judgement.rounds.into_values());
        }
        let of_metric = |metric: Metric| {
            let of_metric = || entries.iter().filter(move |entry| entry.metric == metric);
            let decided = of_metric().filter(|entry| entry.verdict == BenchmarkOutcome::Pass || is_movement(entry));
            let alarms = of_metric().filter(|entry| is_movement(entry)).count();
            let decided = decided.count();
            (of_metric().count() > 0).then(|| IdenticalVersionsResult {
                metric,
                alarms: BinomialProportion::new(as_count(alarms), as_count(decided)),
                undecided: as_count(of_metric().count() - decided),
                largest: of_metric()
                    .filter_map(|entry| entry.change)
                    .fold(0.0, |largest: f64, change| largest.max(change.abs())),
            })
        };
        let identical = Metric::ALL.into_iter().filter_map(of_metric).collect();
        let tolerance = self.request.settings.gate.tolerance.map(Percent::share);
        Ok((identical, lengthened(&rounds, tolerance)))
    }

    fn trials(&mut self, seeds: &[SeededChange]) -> Result<Vec<SelftestTrial>, EngineError> {
        seeds.iter().map(|seed| self.trial(seed)).collect()
    }

    /// A planted change, scored and measured.
    fn trial(&mut self, seed: &SeededChange) -> Result<SelftestTrial, EngineError> {
        let path = RepoPath(seed.file.as_bytes().to_vec());
        let commit = |parent, text: &str| self.drafts.commit(parent, (&path, text.as_bytes()), &seed.description);
        let base = match &seed.before {
            Some(before) => commit(self.request.head, before)?,
            None => self.request.head,
        };
        let head = commit(base, &seed.after)?;
        let judgement = self.judge((base, head), false)?;
        let trial = trial::of(seed, &judgement, self.threshold());
        self.report(SelftestStepResult::Planted(&trial));
        Ok(trial)
    }

    /// The gate's judgement with every benchmark run.
    fn judge(&mut self, (base, head): (CommitId, CommitId), fresh: bool) -> Result<GateJudgement, EngineError> {
        let request = self.request;
        let question = GateRequest {
            base,
            head,
            which: SelectionRequest::Named(&[]),
            claims: &[],
            metrics: &self.metrics,
            budget: request.budget,
            // A planted version does not come again.
            draft: true,
            is_scored_again: false,
            reuse: GateReuse::unless(fresh),
            thoroughness: GateThoroughness::Exhaustive,
        };
        let context = GateContext {
            repository: self.drafts.repository(),
            settings: request.settings,
            store: request.store,
            profiler: request.profiler,
            interruption: request.interruption,
            progress: self.progress,
        };
        let judgement = pipeline::judge(&question, &context)?;
        if !judgement.report.environment.is_empty() {
            self.environment.clone_from(&judgement.report.environment);
        }
        self.done += 1;
        self.progress.step();
        Ok(judgement)
    }

    /// Reports a finished comparison with the estimated time left.
    fn report(&mut self, result: SelftestStepResult<'_>) {
        let spent = self.started.elapsed().as_secs_f64();
        (self.report_step)(&SelftestStep {
            done: self.done,
            total: self.total,
            seconds_left: spent / self.done.max(1) as f64 * (self.total - self.done) as f64,
            result,
        });
    }
}

/// The power to detect a change of each size, with the measured noise and an exact change.
fn lengthened(measured: &[Vec<MeasurementRound>], tolerance: Option<f64>) -> Vec<DetectionPower> {
    let found = |rounds: &Vec<MeasurementRound>, size: f64| {
        let longer: Vec<MeasurementRound> = (rounds.iter().cloned())
            .map(|mut round| {
                round.head.0.iter_mut().for_each(|time| *time *= 1.0 + size);
                round
            })
            .collect();
        let terms = wall_time::WallTimeCriteria {
            benchmarks: 1,
            minimum_change: tolerance,
        };
        wall_time::final_findings(&[wall_time::replay_rounds(&longer, terms)]).remove(0)
    };
    let power = |size| {
        let findings = (measured.par_iter()).map(|rounds| found(rounds, size));
        let findings: Vec<MetricFinding> = findings.collect();
        let changes = || findings.iter().filter_map(|finding| finding.change);
        let hits = findings
            .iter()
            .filter(|finding| finding.outcome == BenchmarkOutcome::Regression);
        DetectionPower {
            metric: Metric::WallTime,
            share: size,
            found: BinomialProportion::new(as_count(hits.count()), as_count(findings.len())),
            otherwise: 0,
            smallest: changes().min_by(f64::total_cmp),
            largest: changes().max_by(f64::total_cmp),
        }
    };
    if measured.is_empty() {
        return Vec::new();
    }
    SIZES.into_iter().map(power).collect()
}

fn is_movement(entry: &BenchmarkVerdict) -> bool {
    matches!(
        entry.verdict,
        BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement
    )
}

fn as_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

//! `lito selftest`: is lito right about this repository? Compares it with itself, plants changes into it, scores and
//! measures each as the gate would, and counts what was found.
//!
//! The planted versions are commits in a temporary folder: the repository keeps nothing of them, but its store gets a
//! sample of HEAD if it has none, as `lito sample` would take it.

mod trial;

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;
use std::time::Instant;

use analyzer::instrument::seed::{self, KINDS, SeedBaseVersion, SeedHotness, SeedRequest, SeededChange};
use analyzer::sample::Sample;
use rayon::prelude::*;
use report::number_format;
use report::selftest::{
    self, BinomialProportion, DetectionPower, IdenticalVersionsResult, SCHEMA, SelftestReport, SelftestTrial,
    TrialMeasurement,
};
use runner::git::{BlobContent, CommitId, DraftCommits, RepoPath, Repository};
use runner::process::InterruptionFlag;
use runner::sample::FailureRetryPolicy;
use runner::store::Store;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, MetricFinding, wall_time};
use verdict::{MeasurementRound, Metric};

use super::sample::SampleCommandContext;
use super::{checkout, interruption};
use crate::cli::{OutputFormat, SelftestArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::pipeline::{self, GateContext, GateJudgement, GateRequest, GateThoroughness, SelectionRequest};
use engine::profiling::Profiler;
use engine::progress::ProgressEvent;
use engine::sample_loader::SampleLoader;
use engine::scoring::{FILE_LIMIT, SampledFileSource};
use engine::settings::{self, Percent, Settings};

/// The relative changes whose power is shown: below, at and above what a maintainer wants to hear of.
const SIZES: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

/// Tests what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &SelftestArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let started = Instant::now();
    let head = repository.resolve("HEAD")?;
    let interruption = interruption()?;
    let store = Store::open(repository, &settings.store.url)?;
    let setting = SelftestContext {
        repository,
        settings,
        arguments,
        interruption: &interruption,
        store: &store,
        terminal,
        head,
    };
    let sample = setting.sample()?;
    let (seeds, sized) = setting.plant(&sample)?;
    let total = arguments.aa + seeds.len() + sized.len();
    terminal.note(&format!(
        "{} of HEAD with itself, {} planted",
        number_format::counted_noun(arguments.aa, "comparison"),
        number_format::counted_noun(seeds.len() + sized.len(), "change")
    ));
    let drafts = DraftCommits::of(repository)?;
    let mut bench = SelftestRunner {
        setting: &setting,
        drafts: &drafts,
        progress: terminal.progress(total, "testing"),
        started: Instant::now(),
        done: 0,
        total,
        // Instructions decide what moved, whatever else is asked for.
        metrics: iter::once(settings::GateMetric::Instructions)
            .chain(arguments.metrics.iter().map(|&metric| metric.into()))
            .collect(),
        environment: BTreeMap::new(),
    };
    let (identical, lengthened) = bench.identical()?;
    let seeds = bench.trials(&seeds)?;
    let sized = bench.trials(&sized)?;
    let selftest = SelftestReport {
        schema: SCHEMA.to_owned(),
        commit: head.to_string(),
        threshold: setting.threshold(),
        seed: arguments.seed,
        identical,
        cells: selftest::cells(&seeds),
        power: selftest::power(&sized),
        lengthened,
        seeds,
        sized,
        environment: bench.environment.clone(),
        cost_seconds: started.elapsed().as_secs_f64(),
    };
    drop(bench);
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => selftest::human(&selftest, terminal.page()),
        OutputFormat::Json => selftest::json(&selftest),
        OutputFormat::Markdown => selftest::markdown(&selftest),
    })?;
    Ok(CommandExit::Passed)
}

/// What is tested, and with what.
struct SelftestContext<'a> {
    repository: &'a Repository,
    settings: &'a Settings,
    arguments: &'a SelftestArguments,
    interruption: &'a InterruptionFlag,
    store: &'a Store,
    terminal: &'a Terminal,
    head: CommitId,
}

impl SelftestContext<'_> {
    fn threshold(&self) -> f64 {
        self.settings.gate.threshold.share()
    }

    /// The sample of HEAD, taken now where there is none: only that says which of its lines are hot.
    fn sample(&self) -> Result<Arc<Sample>, Failure> {
        let root = checkout(self.repository, "testing")?;
        let there = self.known_sample()?;
        if let Some(sample) = there {
            return Ok(sample);
        }
        let sampling = SampleCommandContext {
            repository: self.repository,
            settings: self.settings,
            root,
            interruption: self.interruption,
            terminal: self.terminal,
            profiler: Profiler::Auto,
        };
        sampling.take(&[self.head], FailureRetryPolicy::Skip)?;
        self.known_sample()?.ok_or_else(|| {
            Failure::usage(format_args!(
                "testing {}: none of its benchmarks could be profiled, so nothing is known to be hot; `lito doctor` says why",
                self.head.short()
            ))
        })
    }

    fn known_sample(&self) -> Result<Option<Arc<Sample>>, Failure> {
        let nearest = SampleLoader::new(self.repository, self.store)?.nearest(self.head)?;
        let head = self.head.to_string();
        Ok(nearest.map(|(sample, _)| sample).filter(|sample| sample.commit == head))
    }

    /// The changes to try: by kind and place, and by size.
    fn plant(&self, sample: &Sample) -> Result<(Vec<SeededChange>, Vec<SeededChange>), Failure> {
        let snapshot = self.repository.snapshot(self.head)?;
        let mut sources: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for (path, _) in snapshot.paths()? {
            // A name or text that is not UTF-8 could not be written back as it was.
            let Ok(name) = std::str::from_utf8(&path.0) else {
                continue;
            };
            if !name.ends_with(".rs") {
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
        let arguments = self.arguments;
        let wanted = SeedRequest {
            kinds: match arguments.kinds.as_slice() {
                [] => KINDS.to_vec(),
                named => named.to_vec(),
            },
            places: match arguments.places.as_slice() {
                [] => SeedHotness::ALL.to_vec(),
                named => named.iter().copied().map(SeedHotness::from).collect(),
            },
            each: arguments.seeds,
            seed: arguments.seed,
        };
        let seeds = seed::plant_changes(&version, &wanted);
        let sized = seed::plant_sized_changes(&version, &SIZES, arguments.sized, arguments.seed);
        Ok((seeds, sized))
    }
}

/// Where versions are compared, one pair after the other.
struct SelftestRunner<'a> {
    setting: &'a SelftestContext<'a>,
    drafts: &'a DraftCommits,
    progress: TerminalProgress,
    started: Instant,
    done: usize,
    total: usize,
    metrics: Vec<settings::GateMetric>,
    environment: BTreeMap<String, String>,
}

impl SelftestRunner<'_> {
    /// HEAD against itself; and what would have been said of its wall times, had the head's been longer.
    fn identical(&mut self) -> Result<(Vec<IdenticalVersionsResult>, Vec<DetectionPower>), Failure> {
        let head = self.setting.head;
        let mut entries = Vec::new();
        let mut rounds = Vec::new();
        for _ in 0..self.setting.arguments.aa {
            let judgement = self.judge((head, head), true)?;
            let moved = judgement.report.benchmarks.iter().filter(|entry| is_movement(entry));
            self.tell(
                "identical versions",
                &number_format::counted_noun(moved.count(), "false alarm"),
            );
            entries.extend(judgement.report.benchmarks);
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
        let tolerance = self.setting.settings.gate.tolerance.map(Percent::share);
        Ok((identical, lengthened(&rounds, tolerance)))
    }

    fn trials(&mut self, seeds: &[SeededChange]) -> Result<Vec<SelftestTrial>, Failure> {
        seeds.iter().map(|seed| self.trial(seed)).collect()
    }

    /// A planted change, scored and measured.
    fn trial(&mut self, seed: &SeededChange) -> Result<SelftestTrial, Failure> {
        let path = RepoPath(seed.file.as_bytes().to_vec());
        let commit = |parent, text: &str| self.drafts.commit(parent, (&path, text.as_bytes()), &seed.description);
        let base = match &seed.before {
            Some(before) => commit(self.setting.head, before)?,
            None => self.setting.head,
        };
        let head = commit(base, &seed.after)?;
        let judgement = self.judge((base, head), false)?;
        let trial = trial::of(seed, &judgement, self.setting.threshold());
        self.tell(&format!("{} in {}", seed.description, seed.function), &outcome(&trial));
        Ok(trial)
    }

    /// The gate's answer, had it run everything.
    fn judge(&mut self, (base, head): (CommitId, CommitId), fresh: bool) -> Result<GateJudgement, Failure> {
        let setting = self.setting;
        let arguments = setting.arguments;
        let progress = &self.progress;
        let show = |event: ProgressEvent<'_>| progress.show(event);
        let question = GateRequest {
            base,
            head,
            which: SelectionRequest::Named(&[]),
            metrics: &self.metrics,
            budget: arguments.budget.unwrap_or(setting.settings.gate.budget).0,
            fresh,
            thoroughness: GateThoroughness::Exhaustive,
        };
        let workplace = GateContext {
            repository: self.drafts.repository(),
            settings: setting.settings,
            store: setting.store,
            profiler: arguments.profiler.into(),
            interruption: setting.interruption,
            progress: engine::progress::Progress::new(&show),
        };
        let judgement = pipeline::judge(&question, &workplace)?;
        if !judgement.report.environment.is_empty() {
            self.environment.clone_from(&judgement.report.environment);
        }
        self.done += 1;
        self.progress.step();
        Ok(judgement)
    }

    /// One line for whoever waits, with the time left.
    fn tell(&self, what: &str, outcome: &str) {
        let spent = self.started.elapsed().as_secs_f64();
        let left = spent / self.done.max(1) as f64 * (self.total - self.done) as f64;
        self.progress.note(&format!(
            "{}/{}  {}: {outcome} ({} left)",
            self.done,
            self.total,
            report::text::safe(what),
            number_format::duration(left)
        ));
    }
}

/// How often a change of each size would have been found: the noise is real, the change is exact.
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
            seed: 0,
        };
        wall_time::replay_rounds(&longer, terms)
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

/// What became of a planted change, in a few words.
fn outcome(trial: &SelftestTrial) -> String {
    match &trial.measured {
        TrialMeasurement::NotCompiled(_) => String::from("does not compile"),
        TrialMeasurement::Failed(_) => String::from("not measured"),
        TrialMeasurement::Changes(compared) => format!(
            "{} at {}, risk {}",
            number_format::change(compared.change()),
            report::text::safe(&compared.benchmark),
            number_format::probability(trial.probability)
        ),
    }
}

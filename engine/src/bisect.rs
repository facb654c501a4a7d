//! Two versions and a benchmark that costs more at the second → the version between them that did it. The score says where to
//! look first, and a count of one build decides; counts that the store has are not taken again.

use std::collections::BTreeMap;

use analyzer::score::{ScoredChange, VersionScore};
use report::bisection::{BisectedVersion, BisectionReport, CostSource};
use runner::benchmark::BenchmarkDefinitions;
use runner::build::RepositoryCache;
use runner::frameworks::Benchmark;
use runner::git::{CommitId, Repository};
use runner::measure::counts::count_instructions;
use runner::measure::history_builder::HistoryBuilder;
use runner::measure::shared_starts::shared_start_library;
use runner::measure::{Deadline, MeasurementError, RunConditions};
use runner::process::InterruptionFlag;
use runner::profilers::ProfilerCounter;
use runner::store::{SampleOutcome, Store};
use runner::suggestions::did_you_mean;
use runner::visit::VisitContext;
use verdict::bisection::Bisection;

use crate::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// The attempt that errors name.
const ATTEMPT: &str = "bisecting";

/// Changes of the version that was found that the report names.
const CHANGES_NAMED: usize = 5;

/// Everything that a range is searched with.
pub struct BisectRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The profile store.
    pub store: &'a Store,
    /// The configured benchmarks; if empty, they are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The folder of the builds and the checkout.
    pub cache: &'a RepositoryCache,
    /// The profiler, whose version tells which samples can be used.
    pub profiler: &'a ProfilerChoice,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// A version without the change.
    pub good: CommitId,
    /// A later version with it.
    pub bad: CommitId,
    /// The benchmark.
    pub benchmark: &'a str,
}

/// A step of the search.
#[derive(Debug, Clone, Copy)]
pub enum BisectEvent {
    /// A version is built and counted.
    Building {
        /// The version.
        commit: CommitId,
        /// Number of versions that may hold the change.
        suspects: usize,
    },
    /// Another process has the checkout.
    Waiting {
        /// Its id.
        holder: u32,
    },
}

/// Searches the first parents between both versions.
///
/// # Errors
/// There is no version between them, one of them has no such benchmark or does not build, both cost the same, or this machine
/// cannot count instructions.
pub fn bisect(request: &BisectRequest<'_>, tell: &mut dyn FnMut(BisectEvent)) -> Result<BisectionReport, EngineError> {
    if !(request.profiler.profiler().counters()).contains(&ProfilerCounter::Instructions) {
        return Err(EngineError::environment(format_args!(
            "{ATTEMPT}: on this machine: counting instructions needs valgrind; install it"
        )));
    }
    let repository = request.repository;
    let names = BenchmarkNames {
        repository,
        store: request.store,
        definitions: request.definitions,
    };
    let named = [request.benchmark.to_owned()];
    names.check(
        NamedBenchmarks::by_option(ATTEMPT, &named),
        &[request.good, request.bad],
    )?;
    let range = format!("{}..{}", request.good, request.bad);
    let commits = repository.range(&range)?;
    // Where the good version was merged, the first parent of the oldest one stands for it.
    let good = repository.parent(commits[0])?.unwrap_or(request.good);
    let all: Vec<CommitId> = std::iter::once(good).chain(commits.iter().copied()).collect();
    let mut costs = RangeCosts {
        request,
        builder: HistoryBuilder::new(VisitContext {
            repository,
            definitions: request.definitions,
            cache: request.cache,
            interruption: request.interruption,
        }),
        known: BTreeMap::new(),
        builds: 0,
    };
    let last = all.len() - 1;
    let ends = [costs.of_end(&all, 0, tell)?, costs.of_end(&all, last, tell)?];
    if ends[0] == ends[1] {
        return Err(EngineError::request(format_args!(
            "{ATTEMPT} {}..{}: `{}` costs {} instructions at both: choose versions between which it moved; `lito track` shows \
             them",
            good.short(),
            request.bad.short(),
            request.benchmark,
            ends[0]
        )));
    }
    let ends = ends.map(|cost| cost as f64);
    // A version that moves it by half of the change may be the one.
    let threshold = (ends[1] / ends[0] - 1.0).abs() / 2.0;
    let scores = scores(request, &commits, threshold)?;
    let chances: Vec<f64> = scores.iter().map(|score| chance(score, request.benchmark)).collect();
    let mut search = Bisection::new(&chances, ends);
    while let Some(version) = search.next() {
        match costs.of(&all, version, search.suspects().count(), tell)? {
            Ok(cost) => search.measured(version, cost as f64),
            Err(_) => search.unmeasurable(version),
        }
    }
    let found = search.suspects();
    let left = search.chances();
    let versions = all.iter().enumerate().map(|(index, &commit)| {
        Ok(BisectedVersion {
            commit: commit.to_string(),
            summary: repository.summary(commit)?,
            predicted: index.checked_sub(1).map(|before| chances[before]),
            chance: index.checked_sub(1).map_or(0.0, |before| left[before]),
            cost: costs.known.remove(&index),
        })
    });
    let versions = versions.collect::<Result<Vec<_>, EngineError>>()?;
    let changes: Vec<ScoredChange> = match found.end() - found.start() {
        0 => named_changes(&scores[found.start() - 1], request.benchmark),
        _ => Vec::new(),
    };
    Ok(BisectionReport {
        benchmark: request.benchmark.to_owned(),
        before: search.costs()[0],
        after: search.costs()[1],
        found: (*found.start(), *found.end()),
        builds: costs.builds,
        halvings: Bisection::halvings(commits.len()),
        versions,
        changes,
    })
}

fn scores(request: &BisectRequest<'_>, commits: &[CommitId], threshold: f64) -> Result<Vec<VersionScore>, EngineError> {
    let scoring = scoring::scoring_for_model(
        analyzer::score::CostModel::Lito,
        threshold,
        (request.repository, request.definitions),
    );
    let mut samples = SampleLoader::new(request.repository, request.store)?;
    let mut scores = Vec::new();
    scoring::score_versions(request.repository, commits, &mut samples, &scoring, |score| {
        scores.push(score);
        Ok::<(), EngineError>(())
    })?;
    Ok(scores)
}

/// The predicted probability that a version moves a benchmark; where the benchmark was not sampled, that it moves any.
fn chance(score: &VersionScore, benchmark: &str) -> f64 {
    let of_benchmark = score.benchmarks.iter().find(|known| known.name == benchmark);
    of_benchmark.map_or(score.probability, |known| known.probability)
}

/// The changes of a version that the benchmark executes, those with the largest effect first.
fn named_changes(score: &VersionScore, benchmark: &str) -> Vec<ScoredChange> {
    let mut changes: Vec<ScoredChange> = score.changes.clone();
    for change in &mut changes {
        change.effects.retain(|effect| effect.benchmark == benchmark);
    }
    changes.retain(|change| !change.effects.is_empty());
    changes.truncate(CHANGES_NAMED);
    changes
}

/// The costs of the benchmark at the versions of a range, each taken once.
struct RangeCosts<'r, 'a> {
    request: &'r BisectRequest<'a>,
    builder: HistoryBuilder<'a>,
    known: BTreeMap<usize, (Result<u64, String>, CostSource)>,
    builds: u32,
}

impl RangeCosts<'_, '_> {
    /// The cost of the first or the last version, without which there is nothing to search for.
    fn of_end(
        &mut self,
        all: &[CommitId],
        version: usize,
        tell: &mut dyn FnMut(BisectEvent),
    ) -> Result<u64, EngineError> {
        self.of(all, version, all.len() - 1, tell)?.map_err(|why| {
            EngineError::request(format_args!(
                "{ATTEMPT}: `{}` has no cost at {}: {why}; `lito bench list` shows the benchmarks of the checkout",
                self.request.benchmark,
                all[version].short()
            ))
        })
    }

    /// The instructions of the benchmark at a version, or why there are none.
    fn of(
        &mut self,
        all: &[CommitId],
        version: usize,
        suspects: usize,
        tell: &mut dyn FnMut(BisectEvent),
    ) -> Result<Result<u64, String>, EngineError> {
        let commit = all[version];
        if self.request.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        let cost = match self.stored(commit, tell)? {
            Some(cost) => (Ok(cost), CostSource::Stored),
            None => {
                tell(BisectEvent::Building { commit, suspects });
                self.builds += 1;
                (self.counted(commit, tell)?, CostSource::Counted)
            }
        };
        self.known.insert(version, cost.clone());
        Ok(cost.0)
    }

    /// The cost that a sample of the same environment has.
    fn stored(&mut self, commit: CommitId, tell: &mut dyn FnMut(BisectEvent)) -> Result<Option<u64>, EngineError> {
        let samples = self.request.store.sample(commit)?.samples;
        if samples.is_empty() {
            return Ok(None);
        }
        let profiler = self.request.profiler.profiler();
        let environment = (self.builder)
            .environment(commit, profiler, &mut |holder| tell(BisectEvent::Waiting { holder }))?
            .id();
        let record = samples
            .into_iter()
            .find(|record| record.environment.id() == environment);
        Ok(
            match record.and_then(|mut record| record.benchmarks.remove(self.request.benchmark)) {
                Some(SampleOutcome::Profiled { total, .. }) => Some(total),
                Some(SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } | SampleOutcome::LeftOut) | None => {
                    None
                }
            },
        )
    }

    /// Builds a version, and counts one run.
    fn counted(
        &mut self,
        commit: CommitId,
        tell: &mut dyn FnMut(BisectEvent),
    ) -> Result<Result<u64, String>, EngineError> {
        let built = (self.builder).build(commit, &mut |holder| tell(BisectEvent::Waiting { holder }))?;
        if let Some(reason) = built.unbuilt {
            return Ok(Err(reason));
        }
        let suite = built.suite;
        let named = |benchmark: &&Benchmark| benchmark.name == self.request.benchmark;
        let Some(benchmark) = suite.benchmarks.iter().find(named) else {
            let names = suite.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
            let near = did_you_mean(self.request.benchmark, names).map_or_else(String::new, |near| format!("; {near}"));
            return Ok(Err(format!("it has no such benchmark{near}")));
        };
        // As the samples were counted that tell other versions' costs.
        let library = shared_start_library(self.request.cache, self.request.interruption);
        let limits = RunConditions {
            deadline: Deadline::NEVER,
            shared_start: library.as_deref(),
            interruption: self.request.interruption,
        };
        match count_instructions(benchmark, &limits) {
            Ok(counted) => Ok(Ok(counted.value.total)),
            Err(MeasurementError::Interrupted) => Err(EngineError::Interrupted),
            Err(error @ (MeasurementError::NoTool { .. } | MeasurementError::Machine { .. })) => {
                Err(EngineError::environment(error))
            }
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}

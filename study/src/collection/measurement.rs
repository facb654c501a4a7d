//! S1: builds every version of a history and counts every benchmark of it, whatever the prediction.
//!
//! Each count is stored with the result of comparing the machine code with the version before, so that the second stage
//! of the cascade can be evaluated from the results alone. Nothing is skipped because of that comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::accuracy::{CodeAnswer, ComparisonBase, MeasuredBenchmark, MeasuredVersion};
use analyzer::change::is_runtime_input;
use machine_code::{self, CodeEquivalence, CodeScope, MachineCode};
use runner::frameworks::Benchmark;
use runner::git::CommitId;
use runner::measure::counts::{self, ExecutionSummary};
use runner::measure::history_builder::HistoryBuilder;
use runner::measure::{Deadline, MeasurementError, RunConditions};
use runner::process::InterruptionFlag;
use runner::sample::FailureRetryPolicy;
use runner::suite::BenchmarkSuite;
use runner::visit::VisitContext;

use super::StudyContext;
use super::failure_reasons::PathRedactions;
use super::history::{StudyHistory, StudyVersion};
use super::result_files::{self, ProjectResultsFolder};
use engine::EngineError;
use engine::file_sources;

/// Milliseconds in a second: seconds are stored with three decimals.
const MILLISECONDS: f64 = 1e3;

/// Measures the versions without a measurement.
pub fn measure(
    history: &StudyHistory,
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    if context.failed_before == FailureRetryPolicy::Retry {
        forget_failed(folder)?;
    }
    let mut done: BTreeMap<String, MeasuredVersion> = (folder.measured()?.into_iter())
        .map(|version| (version.commit.clone(), version))
        .collect();
    let mut series = HistoryBuilder::new(VisitContext {
        repository: &history.repository,
        definitions: &history.definitions,
        cache: &history.cache,
        interruption: context.interruption,
    });
    let mut before: Option<StudyBaseVersion> = None;
    for version in &history.versions {
        context.progress.working_on(&version.name);
        if let Some(known) = done.remove(&version.commit.to_string()) {
            if known.has_counts() {
                before = Some(StudyBaseVersion::known(version.commit));
            }
            context.progress.step();
            continue;
        }
        if let Some(before) = before.as_mut().filter(|before| before.programs.is_none()) {
            before.build(&mut series)?;
        }
        let (measured, programs) = one(history, version, before.as_ref(), &mut series, context.interruption)?;
        result_files::append(&folder.measured_file(), &measured)?;
        if measured.has_counts() {
            before = Some(StudyBaseVersion {
                commit: version.commit,
                programs: Some(programs),
            });
        } else {
            let failed = || measured.benchmarks.values().find_map(|b| b.failed.as_ref());
            let why = measured.unbuilt.as_ref().or_else(failed);
            let why = why.map_or("no benchmark", String::as_str);
            context.progress.warn(&format!("{} has no count: {why}", version.name));
        }
        context.progress.step();
    }
    in_order(history, folder)
}

/// Forgets the versions that have no count of some benchmark.
fn forget_failed(folder: &ProjectResultsFolder) -> Result<(), EngineError> {
    let measured = folder.measured()?;
    let mut kept = measured.clone();
    kept.retain(|version| !is_failed(version));
    if kept == measured {
        return Ok(());
    }
    folder.write_measured(&kept)
}

/// True if a build or a run of it failed.
fn is_failed(version: &MeasuredVersion) -> bool {
    version.unbuilt.is_some() || version.benchmarks.values().any(|benchmark| benchmark.failed.is_some())
}

/// Restores the order of the versions: a list that asks for another part of the history than an earlier run appends
/// older versions behind newer ones.
fn in_order(history: &StudyHistory, folder: &ProjectResultsFolder) -> Result<(), EngineError> {
    let place: BTreeMap<String, usize> = (history.versions.iter().enumerate())
        .map(|(place, version)| (version.commit.to_string(), place))
        .collect();
    let measured = folder.measured()?;
    let mut ordered = measured.clone();
    ordered.retain(|version| place.contains_key(&version.commit));
    ordered.sort_by_key(|version| place[&version.commit]);
    if ordered == measured {
        return Ok(());
    }
    folder.write_measured(&ordered)
}

/// The base of the next version.
struct StudyBaseVersion {
    commit: CommitId,
    /// The programs by benchmark; `None` until first requested if an earlier run measured the version.
    programs: Option<VersionPrograms>,
}

struct VersionPrograms {
    by_benchmark: BTreeMap<String, Vec<u8>>,
    packages: BTreeSet<String>,
}

impl VersionPrograms {
    /// Reads the programs before the next build overwrites them.
    fn of(suite: &BenchmarkSuite) -> Result<Self, EngineError> {
        let read = |benchmark: &Benchmark| Ok((benchmark.name.clone(), program(benchmark)?));
        let by_benchmark = suite.benchmarks.iter().map(read);
        Ok(Self {
            by_benchmark: by_benchmark.collect::<Result<_, EngineError>>()?,
            packages: packages(suite),
        })
    }
}

impl StudyBaseVersion {
    fn known(commit: CommitId) -> Self {
        Self { commit, programs: None }
    }

    fn build(&mut self, series: &mut HistoryBuilder<'_>) -> Result<(), EngineError> {
        let built = series.build(self.commit, &mut |_| {})?;
        self.programs = Some(VersionPrograms::of(&built.suite)?);
        Ok(())
    }
}

fn one(
    history: &StudyHistory,
    version: &StudyVersion,
    before: Option<&StudyBaseVersion>,
    series: &mut HistoryBuilder<'_>,
    interruption: &InterruptionFlag,
) -> Result<(MeasuredVersion, VersionPrograms), EngineError> {
    let built = series.build(version.commit, &mut |_| {})?;
    let places = PathRedactions::of(history);
    let old = before.and_then(|before| before.programs.as_ref());
    let reads_data = match before {
        None => false,
        Some(before) => file_sources::changed_paths(&history.repository, before.commit, version.commit)?
            .iter()
            .any(|path| is_runtime_input(path)),
    };
    let programs = VersionPrograms::of(&built.suite)?;
    let mut measured = MeasuredVersion {
        version: version.name.clone(),
        commit: version.commit.to_string(),
        at: history.repository.committed_at(version.commit)?,
        against: ComparisonBase::default(),
        unbuilt: built.unbuilt.map(|why| places.shortened(&why)),
        benchmarks: BTreeMap::new(),
        dependencies: old.map_or_else(Vec::new, |old| differences(&old.packages, &programs.packages)),
        build: rounded(built.building.as_secs_f64()),
    };
    for benchmark in &built.suite.benchmarks {
        let head = &programs.by_benchmark[&benchmark.name];
        let base = old.and_then(|old| old.by_benchmark.get(&benchmark.name));
        let mut counted = count(benchmark, base.map(Vec::as_slice), head, interruption)?;
        counted.failed = counted.failed.map(|why| places.shortened(&why));
        if reads_data {
            counted.code = CodeAnswer::Different;
        }
        measured.benchmarks.insert(benchmark.name.clone(), counted);
    }
    for failure in built.suite.failures {
        let failed = MeasuredBenchmark {
            instructions: None,
            failed: Some(places.shortened(&failure.reason)),
            code: CodeAnswer::Unknown,
            seconds: 0.0,
        };
        measured.benchmarks.entry(failure.target).or_insert(failed);
    }
    Ok((measured, programs))
}

/// Counts a benchmark, and compares its machine code.
fn count(
    benchmark: &Benchmark,
    base: Option<&[u8]>,
    head: &[u8],
    interruption: &InterruptionFlag,
) -> Result<MeasuredBenchmark, EngineError> {
    let conditions = RunConditions {
        deadline: Deadline::NEVER,
        shared_start: None,
        interruption,
    };
    let started = Instant::now();
    let counted = counts::count_instructions(benchmark, &conditions);
    let seconds = rounded(started.elapsed().as_secs_f64());
    let (instructions, failed, code) = match counted {
        Ok(counted) => {
            let code = match benchmark.interpreter {
                // The machine code is the interpreter's.
                Some(_) => CodeAnswer::Different,
                None => compare(benchmark, base, head, &counted.value, &conditions)?,
            };
            (Some(counted.value.total), None, code)
        }
        Err(MeasurementError::Interrupted) => return Err(EngineError::Interrupted),
        Err(error @ (MeasurementError::NoTool { .. } | MeasurementError::Machine { .. })) => {
            return Err(EngineError::environment(error));
        }
        Err(error) => (None, Some(error.to_string()), CodeAnswer::Unknown),
    };
    Ok(MeasuredBenchmark {
        instructions,
        failed,
        code,
        seconds,
    })
}

/// The gate compares the code that the base executes. Here the head was run. Both give the same answer: if the code
/// that one side executes is unchanged, the other side executes the same code.
fn compare(
    benchmark: &Benchmark,
    base: Option<&[u8]>,
    head: &[u8],
    counted: &ExecutionSummary,
    conditions: &RunConditions<'_>,
) -> Result<CodeAnswer, EngineError> {
    let codes = base.map(|base| (machine_code::read_program(base), machine_code::read_program(head)));
    let Some((Ok(base), Ok(head))) = codes else {
        return Ok(CodeAnswer::Unknown);
    };
    if is_same(&base, &head, CodeScope::Program) {
        return Ok(CodeAnswer::Same);
    }
    if !is_same(&head, &base, CodeScope::Executed(&counted.functions)) {
        return Ok(CodeAnswer::Different);
    }
    match counts::executed_functions(benchmark, counted.of_process.clone(), conditions) {
        Ok(executed) if is_same(&head, &base, CodeScope::Executed(&executed)) => Ok(CodeAnswer::SameExecuted),
        Err(MeasurementError::Interrupted) => Err(EngineError::Interrupted),
        _ => Ok(CodeAnswer::Different),
    }
}

fn is_same(one: &MachineCode<'_>, other: &MachineCode<'_>, scope: CodeScope<'_>) -> bool {
    matches!(
        machine_code::compare_programs(one, other, scope),
        CodeEquivalence::Same { .. }
    )
}

fn program(benchmark: &Benchmark) -> Result<Vec<u8>, EngineError> {
    std::fs::read(&benchmark.program).map_err(|error| {
        EngineError::environment(format_args!(
            "reading the program of {}: {}: {error}; run the study again",
            benchmark.name,
            benchmark.program.display()
        ))
    })
}

/// The changed locked packages: `-name version` for deleted ones, `+name version` for added ones.
fn differences(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let gone = before.difference(after).map(|package| format!("-{package}"));
    let come = after.difference(before).map(|package| format!("+{package}"));
    gone.chain(come).collect()
}

/// `name version` of each package in the build of a harness.
fn packages(suite: &BenchmarkSuite) -> BTreeSet<String> {
    let resolutions = suite.resolutions.values();
    resolutions
        .flat_map(|resolution| resolution.packages.iter().cloned())
        .collect()
}

fn rounded(seconds: f64) -> f64 {
    (seconds * MILLISECONDS).round() / MILLISECONDS
}

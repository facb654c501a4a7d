//! Two versions of a few files, and what a benchmark executes of the first → the score of the second.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use analyzer::cost::PriceList;
use analyzer::sample::{IndexedProfile, Sample, SampleInputs};
use analyzer::score::{CostModel, KnownWords, NearestSample, ScoreOptions, VersionScore, VersionSources, score};
use analyzer::sources::{FileChange, FileSource, OutsideSources};
use analyzer::syntax::ParseCache;
use profile::inputs::{CompilationUnit, CompiledInputs, CompilerMacros, InputRecord, OpenedFiles, UnitKind};
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine};

use super::sources::{FewFiles, blob};

const BENCHMARK: &str = "all";

/// Calls of each function, and executions of each line.
const EXECUTED: u64 = 1000;

/// Instructions of each function.
const COST: u64 = 1_000_000;

/// The code that the benchmark executes.
#[derive(Default)]
pub(crate) struct Execution<'p> {
    pub(crate) functions: Vec<ExecutedFunction<'p>>,
    /// The numbers of functions with those that they call.
    pub(crate) calls: Vec<(usize, usize)>,
    /// Lines with their files.
    pub(crate) lines: Vec<(&'p str, u32)>,
    /// Files that are executed from their source when the program starts, with the names of their modules.
    pub(crate) loaded: Vec<(&'p str, &'p str)>,
}

pub(crate) struct ExecutedFunction<'p> {
    pub(crate) file: &'p str,
    /// Its name in a profile.
    pub(crate) name: String,
    pub(crate) line: u32,
}

/// True if no benchmark can cost more or less, as the score says.
pub(crate) fn is_without_risk(score: &VersionScore) -> bool {
    let mut predicted = score.benchmarks.iter();
    predicted.all(|one| one.probability == 0.0 && one.low == 0.0 && one.high == 0.0)
}

/// Scores a version whose sample was taken at its parent. A file is its path and its text.
pub(crate) fn predict(before: &[(&str, &str)], after: &[(&str, &str)], executed: &Execution<'_>) -> VersionScore {
    let version = |files: &[(&str, &str)]| {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), blob(text.as_bytes())));
        FewFiles(files.collect::<HashMap<_, _>>())
    };
    let profile = IndexedProfile::new(profile(before, executed));
    let mut sample = Sample::new("s".to_owned(), vec![profile], Arc::new(version(before)));
    let compiled: BTreeSet<String> = (before.iter())
        .filter(|(path, _)| path.ends_with(".cpp") || path.ends_with(".h"))
        .map(|(path, _)| (*path).to_owned())
        .collect();
    if !executed.loaded.is_empty() {
        sample = sample.with_inputs(loaded(&executed.loaded));
    } else if !compiled.is_empty() {
        sample = sample.with_inputs(compiled_by_a_command(compiled));
    }
    let paths: BTreeMap<&str, ()> = before.iter().chain(after).map(|(path, _)| (*path, ())).collect();
    let (before, after) = (version(before), version(after));
    let files: Vec<FileChange> = paths
        .keys()
        .map(|path| FileChange {
            path: Arc::from(*path),
            before: before.file(path),
            after: after.file(path),
        })
        .filter(|file| file.before != file.after)
        .collect();
    let version = VersionSources {
        commit: "v".to_owned(),
        parent: Some("p".to_owned()),
        files: &files,
        before: &before,
        after: &after,
    };
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    score(&version, Some(nearest), &options())
}

fn options() -> ScoreOptions {
    ScoreOptions {
        model: CostModel::Lito,
        threshold: 0.05,
        costs: PriceList::shipped(),
        parser: ParseCache::default(),
        words: KnownWords::default(),
        outside: OutsideSources::new(Box::new(|| None)),
    }
}

/// The record of a program that loads these files when it starts.
fn loaded(files: &[(&str, &str)]) -> SampleInputs {
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            ..CompiledInputs::default()
        },
        opened: OpenedFiles {
            is_complete: true,
            files: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
            folders: [String::new()].into(),
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: None,
    };
    SampleInputs::new([(BENCHMARK.to_owned(), Arc::new(record))].into())
}

/// The record of a program that a command builds of these files, by a compiler without macros of its own.
fn compiled_by_a_command(files: BTreeSet<String>) -> SampleInputs {
    let mut command = CompilationUnit::new("", "command", UnitKind::Command);
    command.files.clone_from(&files);
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            units: vec![command],
            ..CompiledInputs::default()
        },
        opened: OpenedFiles {
            is_complete: true,
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: Some(CompilerMacros {
            files,
            ..CompilerMacros::default()
        }),
    };
    SampleInputs::new([(BENCHMARK.to_owned(), Arc::new(record))].into())
}

fn profile(files: &[(&str, &str)], executed: &Execution<'_>) -> Profile {
    let number = |path: &str| {
        let at = files.iter().position(|(file, _)| *file == path).unwrap_or_default();
        ProfileFileId(u32::try_from(at).unwrap_or_default())
    };
    let function = |path: &str, name: String, line: u32, calls: u64, cost: u64| ProfileFunction {
        name,
        file: Some(number(path)),
        line,
        external: false,
        calls,
        inlined_calls: 0,
        inclusive: cost,
        self_cost: cost,
        estimated: false,
    };
    let called = executed.functions.iter();
    let mut functions: Vec<ProfileFunction> = called
        .map(|one| function(one.file, one.name.clone(), one.line, EXECUTED, COST))
        .collect();
    let total = COST * functions.len() as u64;
    // Loading a file does not count.
    let starts = executed.loaded.iter();
    functions.extend(starts.map(|(path, module)| function(path, format!("{module}.<module>"), 1, 0, 0)));
    let lines = executed.lines.iter().map(|(path, line)| ProfileLine {
        file: number(path),
        line: *line,
        executions: EXECUTED,
        self_cost: 0,
        estimated: false,
    });
    let id = |at: usize| ProfileFunctionId(u32::try_from(at).unwrap_or_default());
    let calls = executed.calls.iter().map(|(caller, called)| ProfileCallSite {
        caller: id(*caller),
        callee: id(*called),
        file: Some(number(executed.functions[*caller].file)),
        line: 0,
        calls: EXECUTED,
        inclusive: COST,
        inlined: false,
        estimated: false,
    });
    Profile {
        benchmark: BENCHMARK.to_owned(),
        unit: CostUnit::Instructions,
        profiler: String::from("callgrind"),
        exact_counts: true,
        total,
        files: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
        lines: lines.collect(),
        functions,
        sites: calls.collect(),
    }
}

//! A definition with a command → its only benchmark, or the program that lists its benchmarks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CommandFramework;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkSubject, CTEST, ITERATIONS};
use crate::build::{BenchmarkExecutable, BuildContext, BuildOutput, CHECKOUT_VARIABLE, ExecutableKind};
use crate::frameworks::{Benchmark, FrameworkHandle, variables};

/// The benchmark of a definition; empty if it has no command.
pub(in crate::frameworks) fn benchmarks(
    definition: &BenchmarkDefinition,
    built: &BuildOutput,
    site: &BuildContext<'_>,
) -> Vec<Benchmark> {
    let Some(program) = definition.run.as_ref().and_then(|run| run.first()) else {
        return Vec::new();
    };
    let name = definition.name.clone().unwrap_or_default();
    let subject = definition
        .subject
        .clone()
        .map_or(BenchmarkSubject::Process, BenchmarkSubject::Function);
    let benchmark = Benchmark {
        name,
        framework: FrameworkHandle(&CommandFramework),
        program: locate(program, &built.directory, site),
        counting: None,
        arguments: arguments(definition),
        directory: built.directory.clone(),
        environment: environment(definition, site),
        subject,
        time_limit: definition.run_limit(),
        interpreter: None,
        shared_start: None,
    };
    let mut benchmark = benchmark.with_interpreter(site.interruption);
    if let Some(iterations) = definition.iterations {
        benchmark.subject = BenchmarkSubject::FurtherIterations {
            twice: asking_for(iterations.saturating_mul(2), &benchmark.arguments),
        };
        benchmark.arguments = asking_for(iterations, &benchmark.arguments);
    }
    vec![benchmark]
}

/// The program of a definition without a name: it lists its benchmarks itself.
pub(in crate::frameworks) fn suite(
    definition: &BenchmarkDefinition,
    built: &BuildOutput,
    site: &BuildContext<'_>,
) -> Option<BenchmarkExecutable> {
    let program = definition.run.as_ref()?.first()?;
    let path = locate(program, &built.directory, site);
    let target = path.file_name()?.to_string_lossy().into_owned();
    (definition.adapter == BenchmarkAdapter::Command && definition.name.is_none()).then(|| BenchmarkExecutable {
        package: String::new(),
        kind: ExecutableKind::Suite,
        target,
        source: PathBuf::from(program),
        path,
        directory: built.directory.clone(),
    })
}

/// The arguments that a definition's program is always given.
fn arguments(definition: &BenchmarkDefinition) -> Vec<OsString> {
    definition.run.iter().flatten().skip(1).map(OsString::from).collect()
}

/// Those of a program that lists its benchmarks. CTest is told where the build folder is.
pub(in crate::frameworks) fn suite_arguments(
    definition: &BenchmarkDefinition,
    site: &BuildContext<'_>,
) -> Vec<OsString> {
    let mut words = definition.run.iter().flatten();
    let is_ctest = words.next().is_some_and(|program| program == CTEST);
    let built = |word: &String| in_build_folder(word, site).filter(|_| is_ctest);
    words
        .map(|word| built(word).map_or_else(|| word.into(), OsString::from))
        .collect()
}

/// The path that `target` or `target/…` stands for; `None` for anything else.
fn in_build_folder(word: &str, site: &BuildContext<'_>) -> Option<PathBuf> {
    let rest = Path::new(word).strip_prefix("target").ok()?;
    Some(site.command_target().join(rest))
}

/// The variables of a definition's program, and where the version is, if the program is run outside of it.
pub(in crate::frameworks) fn environment(
    definition: &BenchmarkDefinition,
    site: &BuildContext<'_>,
) -> Vec<(OsString, OsString)> {
    let mut environment = variables(definition);
    if definition.harness.is_some() {
        environment.push((CHECKOUT_VARIABLE.into(), site.tree.into()));
    }
    environment
}

/// The arguments that ask for a number of iterations.
fn asking_for(iterations: u32, arguments: &[OsString]) -> Vec<OsString> {
    let asking = |argument: &OsString| match argument.to_str() {
        Some(text) => text.replace(ITERATIONS, &iterations.to_string()).into(),
        None => argument.clone(),
    };
    arguments.iter().map(asking).collect()
}

/// Resolves a program: `target/…` is in the shared build folder, other paths with a slash are relative to the folder,
/// and names are searched in `PATH`.
fn locate(program: &str, directory: &Path, site: &BuildContext<'_>) -> PathBuf {
    let path = Path::new(program);
    match in_build_folder(program, site) {
        Some(built) => built,
        None if program.contains('/') => directory.join(path),
        None => std::env::var_os("PATH")
            .and_then(|places| {
                std::env::split_paths(&places)
                    .map(|place| place.join(path))
                    .find(|path| path.is_file())
            })
            .unwrap_or_else(|| path.to_owned()),
    }
}

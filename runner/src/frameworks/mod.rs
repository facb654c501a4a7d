//! Built programs → the benchmarks in them, and for each the command that runs it once and the part of that run
//! which is the benchmark's subject, set-up excluded.
//!
//! Which framework a program uses is read from its symbols. Each program is listed on its own, so that one that
//! can't be listed does not hide the others. Adding a framework: a file beside this one, a line in `FRAMEWORKS`.

mod criterion;
mod divan;
mod libtest;
mod symbols;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build::{BenchmarkExecutable, BuildContext, BuildOutput, ExecutableKind, TargetFailure};
use crate::process::{self, FinishedProcess, InterruptionFlag, Invocation, ProcessError};
pub use crate::profiler::BenchmarkSubject;
use symbols::ProgramSymbols;

/// One benchmark, ready to be run once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Benchmark {
    /// Its name, unique among a version's benchmarks.
    pub name: String,
    /// The framework that runs it: `criterion`, `divan`, `libtest`, `binary`, `command`.
    pub framework: &'static str,
    /// The program.
    pub program: PathBuf,
    /// The same program built for counting, if it was; see [`crate::build::Purpose`].
    pub counting: Option<PathBuf>,
    /// Arguments that run this benchmark once and no other.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Variables it needs.
    pub environment: Vec<(OsString, OsString)>,
    /// What of the run counts.
    pub subject: BenchmarkSubject,
    /// The longest that the run may take under the profiler.
    pub time_limit: Duration,
}

/// The benchmarks of a definition at a version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BenchmarkDiscovery {
    /// Sorted by name.
    pub benchmarks: Vec<Benchmark>,
    /// Programs that gave no list, with the reason.
    pub failures: Vec<TargetFailure>,
    /// Programs that were asked, for a message where there is no benchmark: `criterion bench parse`.
    pub asked: Vec<String>,
}

/// Why a program gave no list.
#[derive(Debug, thiserror::Error)]
pub enum FrameworkError {
    /// It can't be run, hangs, or the user stopped it.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It failed.
    #[error("listing benchmarks with `{command}`: it {ending}: {reason}")]
    Failed {
        /// The command line.
        command: String,
        /// `exited with code 101`.
        ending: String,
        /// Its own words.
        reason: String,
    },
    /// It printed no list.
    #[error("listing benchmarks with `{command}`: the output is no list of benchmarks: {reason}")]
    Garbage {
        /// The command line.
        command: String,
        /// What is wrong.
        reason: String,
    },
    /// It can't be read.
    #[error("reading the program {}: {reason}", program.display())]
    Unreadable {
        /// The program.
        program: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It uses no framework that is known here.
    #[error(
        "{} has a main function of its own and uses none of {known}; make it a benchmark of one of these, or describe it \
         with adapter = \"command\"",
        program.display()
    )]
    UnknownFramework {
        /// The program.
        program: PathBuf,
        /// The frameworks.
        known: String,
    },
}

/// How long a list may take: frameworks run every set-up function on the way.
const LISTING_LIMIT: Duration = Duration::from_secs(60);

/// A program of a framework.
struct FrameworkProgram<'a> {
    path: &'a Path,
    directory: &'a Path,
    environment: &'a [(OsString, OsString)],
    kind: ExecutableKind,
    symbols: &'a ProgramSymbols,
    interruption: &'a InterruptionFlag,
}

/// How one benchmark is run once.
struct SingleRun {
    arguments: Vec<OsString>,
    subject: BenchmarkSubject,
}

/// A benchmark framework.
trait BenchmarkFramework: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// True if a program is linked with it.
    fn is_linked_into(&self, symbols: &ProgramSymbols) -> bool;
    /// The benchmarks of a program, each with its way to run.
    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError>;
}

/// In the order in which programs are tried: libtest last, since a program's own framework may use it too.
const FRAMEWORKS: [&dyn BenchmarkFramework; 3] = [
    &divan::DivanFramework,
    &criterion::CriterionFramework,
    &libtest::LibtestFramework,
];

/// Finds the benchmarks of what was built for a definition.
///
/// # Errors
/// Only if the user stopped it; a program that can't be listed is one of [`BenchmarkDiscovery::failures`].
pub fn list_benchmarks(
    definition: &BenchmarkDefinition,
    built: &BuildOutput,
    site: &BuildContext<'_>,
) -> Result<BenchmarkDiscovery, FrameworkError> {
    if definition.adapter == BenchmarkAdapter::Command {
        return Ok(BenchmarkDiscovery {
            benchmarks: command(definition, built, site),
            ..BenchmarkDiscovery::default()
        });
    }
    let mut found = Vec::new();
    let mut listing = BenchmarkDiscovery {
        failures: built.failures.clone(),
        ..BenchmarkDiscovery::default()
    };
    for executable in &built.executables {
        match list_executable(definition, executable, site.interruption) {
            Ok((framework, benchmarks)) => {
                listing.asked.push(format!("{framework} {}", describe(executable)));
                found.extend(benchmarks.into_iter().map(|benchmark| (executable, benchmark)));
            }
            Err(error @ FrameworkError::Process(ProcessError::Interrupted { .. })) => {
                return Err(error);
            }
            Err(error) => {
                listing.asked.push(describe(executable));
                listing.failures.push(TargetFailure {
                    target: executable.target.clone(),
                    reason: error.to_string(),
                });
            }
        }
    }
    listing.benchmarks = name_uniquely(found)
        .into_iter()
        .filter(|benchmark| definition.includes(&benchmark.name))
        .collect();
    listing.benchmarks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listing)
}

fn describe(executable: &BenchmarkExecutable) -> String {
    let kind = match executable.kind {
        ExecutableKind::Bench => "bench",
        ExecutableKind::Test => "test",
        ExecutableKind::Binary => "binary",
    };
    format!("{kind} {} of {}", executable.target, executable.package)
}

fn command(definition: &BenchmarkDefinition, built: &BuildOutput, site: &BuildContext<'_>) -> Vec<Benchmark> {
    let Some((program, arguments)) = definition.run.as_deref().and_then(<[String]>::split_first) else {
        return Vec::new();
    };
    let name = definition.name.clone().unwrap_or_default();
    let subject = definition
        .subject
        .clone()
        .map_or(BenchmarkSubject::Process, BenchmarkSubject::Function);
    vec![Benchmark {
        name,
        framework: "command",
        program: locate(program, &built.directory, site),
        counting: None,
        arguments: arguments.iter().map(OsString::from).collect(),
        directory: built.directory.clone(),
        environment: variables(definition),
        subject,
        time_limit: definition.run_limit(),
    }]
}

/// `target/…` is in the shared build folder; other paths with a slash are relative to the folder; names are in `PATH`.
fn locate(program: &str, directory: &Path, site: &BuildContext<'_>) -> PathBuf {
    let path = Path::new(program);
    match path.strip_prefix("target") {
        Ok(rest) => site.target().join(rest),
        Err(_) if program.contains('/') => directory.join(path),
        Err(_) => std::env::var_os("PATH")
            .and_then(|places| {
                std::env::split_paths(&places)
                    .map(|place| place.join(path))
                    .find(|path| path.is_file())
            })
            .unwrap_or_else(|| path.to_owned()),
    }
}

fn variables(definition: &BenchmarkDefinition) -> Vec<(OsString, OsString)> {
    definition
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn list_executable(
    definition: &BenchmarkDefinition,
    executable: &BenchmarkExecutable,
    interruption: &InterruptionFlag,
) -> Result<(&'static str, Vec<Benchmark>), FrameworkError> {
    let symbols = ProgramSymbols::read(&executable.path)?;
    let mut environment = variables(definition);
    // Programs that cargo runs find their data by this.
    environment.push(("CARGO_MANIFEST_DIR".into(), executable.directory.clone().into()));
    let own_subject = definition.subject.clone().map(BenchmarkSubject::Function);
    let (framework, listed) = if executable.kind == ExecutableKind::Binary {
        ("binary", vec![binary(executable, &symbols)])
    } else {
        let framework = FRAMEWORKS
            .into_iter()
            .find(|framework| framework.is_linked_into(&symbols))
            .ok_or_else(|| {
                let known: Vec<&str> = FRAMEWORKS.iter().map(|framework| framework.name()).collect();
                FrameworkError::UnknownFramework {
                    program: executable.path.clone(),
                    known: known.join(", "),
                }
            })?;
        let program = FrameworkProgram {
            path: &executable.path,
            directory: &executable.directory,
            environment: &environment,
            kind: executable.kind,
            symbols: &symbols,
            interruption,
        };
        (framework.name(), framework.list(&program)?)
    };
    let benchmarks = listed.into_iter().map(|(name, run)| Benchmark {
        name,
        framework,
        program: executable.path.clone(),
        counting: None,
        arguments: run.arguments,
        directory: executable.directory.clone(),
        environment: environment.clone(),
        subject: own_subject.clone().unwrap_or(run.subject),
        time_limit: definition.run_limit(),
    });
    Ok((framework, benchmarks.collect()))
}

/// A harness's binary is one benchmark, named like it. Its subject is its function `subject`, if it has one that was
/// not inlined away; else the whole process.
fn binary(executable: &BenchmarkExecutable, symbols: &ProgramSymbols) -> (String, SingleRun) {
    let function = format!("{}::subject", executable.target.replace('-', "_"));
    let subject = if symbols.any(|name| name == function) {
        BenchmarkSubject::Function(function)
    } else {
        BenchmarkSubject::Process
    };
    (
        executable.target.clone(),
        SingleRun {
            arguments: Vec::new(),
            subject,
        },
    )
}

/// A name stands alone where no other program uses it; else the target, and if need be the package, goes before it.
fn name_uniquely(found: Vec<(&BenchmarkExecutable, Benchmark)>) -> Vec<Benchmark> {
    let mut users: BTreeMap<String, BTreeSet<(String, ExecutableKind)>> = BTreeMap::new();
    let mut targets: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (executable, benchmark) in &found {
        let user = (format!("{} {}", executable.package, executable.target), executable.kind);
        users.entry(benchmark.name.clone()).or_default().insert(user);
        *targets
            .entry((executable.target.clone(), benchmark.name.clone()))
            .or_default() += 1;
    }
    let mut seen = BTreeSet::new();
    let mut named = Vec::new();
    for (executable, mut benchmark) in found {
        if users.get(&benchmark.name).is_some_and(|users| users.len() > 1) {
            let shared = targets
                .get(&(executable.target.clone(), benchmark.name.clone()))
                .is_some_and(|count| *count > 1);
            let package = if shared {
                format!("{}/", executable.package)
            } else {
                String::new()
            };
            benchmark.name = format!("{package}{}/{}", executable.target, benchmark.name);
        }
        // A framework that lists a name twice runs both together: one benchmark.
        if seen.insert(benchmark.name.clone()) {
            named.push(benchmark);
        }
    }
    named
}

impl FrameworkProgram<'_> {
    fn ask(&self, arguments: &[&str]) -> Result<FinishedProcess, FrameworkError> {
        let invocation = self.invocation(arguments);
        let finished = process::run(&invocation, self.interruption)?;
        if finished.status.success() {
            return Ok(finished);
        }
        let words = [finished.stderr.last_lines(3), finished.stdout.last_lines(3)];
        Err(FrameworkError::Failed {
            command: invocation.to_string(),
            ending: finished.ending(),
            reason: words
                .into_iter()
                .find(|words| !words.is_empty())
                .unwrap_or_else(|| "no output".to_owned()),
        })
    }

    fn invocation(&self, arguments: &[&str]) -> Invocation {
        let invocation = Invocation::new(self.path, self.directory, LISTING_LIMIT).arguments(arguments);
        self.environment
            .iter()
            .fold(invocation, |invocation, (name, value)| invocation.variable(name, value))
    }
}

/// The names before `: benchmark` and the like, as libtest prints them and criterion after it.
fn terse_names<'a>(text: &'a str, suffixes: &[&str]) -> Vec<&'a str> {
    text.lines()
        .filter_map(|line| suffixes.iter().find_map(|suffix| line.strip_suffix(suffix)))
        .collect()
}

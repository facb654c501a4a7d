//! Built programs → the benchmarks in them, and for each the command that runs it once and the part of that run that is
//! the benchmark's subject, set-up excluded.
//!
//! A program's framework is recognised by its symbols. Each program is listed separately, so that a failure does not
//! hide the others. Each framework is a folder here that implements `BenchmarkFramework`: how its programs list
//! benchmarks, and how they are timed. `cargo xtask new framework NAME` writes the stubs of another.

mod asv;
mod bencher;
mod binary;
mod catch2;
mod cmake_sources;
mod command;
mod criterion;
mod ctest;
mod divan;
mod found_suites;
mod google_benchmark;
mod google_test;
mod gungraun;
mod iai;
mod libtest;
mod naming;
mod process_time;
mod program;
mod pyperf;
mod pytest;
mod python_suite;
mod stand_in;
mod symbols;
mod tango;
#[cfg(test)]
mod tests;
mod timing;
mod units;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::benchmark::BenchmarkSubject;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build::{BenchmarkExecutable, BuildContext, BuildOutput, ExecutableKind, TargetFailure};
use crate::interpreters::{Interpreter, StartedProgram, find_interpreter};
use crate::process::{InterruptionFlag, ProcessError};
pub use found_suites::{FoundSuite, RepositorySources, find_suites};
use naming::name_uniquely;
pub use process_time::{MOST_RUNS, SHORTEST_START};
use program::{FrameworkProgram, OtherProgram, SingleRun};
use symbols::ProgramSymbols;
pub use timing::{TimedStart, TimingError};

/// The variables that every measured program gets, whatever the caller's environment has. A backtrace costs far more than
/// the code that panics, or that captures one in an error.
const RUN_ENVIRONMENT: [(&str, &str); 2] = [("RUST_BACKTRACE", "0"), ("RUST_LIB_BACKTRACE", "0")];

/// One benchmark, ready to be run once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Its name, unique among a version's benchmarks.
    pub name: String,
    /// The framework that runs it.
    pub framework: FrameworkHandle,
    /// The program.
    pub program: PathBuf,
    /// The same program built for counting, if it was; see [`crate::build::BuildPurpose`].
    pub counting: Option<PathBuf>,
    /// Arguments that run this benchmark once and no other.
    pub arguments: Vec<OsString>,
    /// The folder that it runs in.
    pub directory: PathBuf,
    /// Variables it needs.
    pub environment: Vec<(OsString, OsString)>,
    /// The part of the run that counts.
    pub subject: BenchmarkSubject,
    /// The longest that the run may take under the profiler.
    pub time_limit: Duration,
    /// The interpreter that the program is, where its functions are not the program's own.
    #[serde(default)]
    pub interpreter: Option<Interpreter>,
    /// How it runs beside others of its program, if the program can run several from one start.
    #[serde(default)]
    pub shared_start: Option<SharedStartRun>,
}

/// One run of a program that starts once and forks for each run that a file asks for, which it finds by [`RUNS_VARIABLE`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedStartRun {
    /// The arguments of the start: the same for all that share it.
    pub arguments: Vec<OsString>,
    /// The name of the run in the file.
    pub name: OsString,
}

/// The variable with the file of runs of a [`SharedStartRun`].
pub const RUNS_VARIABLE: &str = "LITO_RUNS";

impl Benchmark {
    /// The program, as it is started.
    pub(crate) fn start(&self) -> StartedProgram<'_> {
        StartedProgram {
            program: &self.program,
            arguments: &self.arguments,
            directory: &self.directory,
            environment: &self.environment,
        }
    }

    /// The same benchmark as a run of another program, or of its interpreter.
    fn of_program(mut self, other: OtherProgram, interruption: &InterruptionFlag) -> Self {
        self.program = other.path;
        self.directory = other.directory.unwrap_or(self.directory);
        self.environment.extend(other.environment);
        self.interpreter = None;
        self.with_interpreter(interruption)
    }

    /// The same benchmark, started by its interpreter, if it has one.
    fn with_interpreter(mut self, interruption: &InterruptionFlag) -> Self {
        if let Some(start) = find_interpreter(&self.start(), interruption) {
            self.program = start.program;
            self.arguments = start.arguments;
            start.interpreter.set_up(&mut self.environment);
            self.interpreter = Some(start.interpreter);
        }
        self
    }

    /// True if the process sets up what the subject works with, outside of the subject, and then ends by itself. Of a
    /// benchmark that is repeated as often as time allows, nobody can tell.
    pub(crate) fn has_set_up(&self) -> bool {
        match self.subject {
            BenchmarkSubject::Process
            | BenchmarkSubject::FurtherIterations { .. }
            | BenchmarkSubject::FirstClocked { .. }
            // Its profile has them already.
            | BenchmarkSubject::Marked => false,
            BenchmarkSubject::Pattern(_) => !self.framework.0.functions_set_up(),
            BenchmarkSubject::Function(_) | BenchmarkSubject::Clocked { .. } => true,
        }
    }
}

/// The benchmarks of a definition at a version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BenchmarkDiscovery {
    /// Sorted by name.
    pub benchmarks: Vec<Benchmark>,
    /// Names of those that were not chosen on the command line.
    pub left_out: Vec<String>,
    /// Programs that gave no list, with the reason.
    pub failures: Vec<TargetFailure>,
    /// Bench targets whose programs have none.
    pub empty_targets: Vec<String>,
    /// Programs that were queried, for a message if there is no benchmark: `criterion bench parse`.
    pub asked: Vec<String>,
    /// False if a program was asked in vain, so that another try may end otherwise.
    pub is_settled: bool,
}

/// The reason why a program returned no list.
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
        /// Its error output.
        reason: String,
    },
    /// It printed no list.
    #[error("listing benchmarks with `{command}`: the output is not a list of benchmarks: {reason}")]
    Garbage {
        /// The command line.
        command: String,
        /// The reason.
        reason: String,
    },
    /// It can't be read.
    #[error("reading the program {}: {reason}", program.display())]
    Unreadable {
        /// The program.
        program: PathBuf,
        /// The reason.
        reason: String,
    },
    /// It lists no benchmarks by itself.
    #[error(
        "it is none of Google Benchmark, GoogleTest, Catch2, CTest (`ctest`), pytest (`python3 -m pytest`), asv (`python3 -m asv`) or a script of \
         pyperf, which list their benchmarks: give it a `name` in lito.toml, and it is one benchmark"
    )]
    NoSuite,
    /// It uses no framework that lito can run.
    #[error(
        "it has a main function of its own; describe it with adapter = \"command\" in lito.toml, or make it a benchmark \
         of {}",
        known.join(", ")
    )]
    UnknownFramework {
        /// The frameworks that a bench target can use.
        known: Vec<&'static str>,
    },
}

/// A benchmark framework: how its programs are recognised, listed and timed.
pub(crate) trait BenchmarkFramework: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// True if a bench target can use it.
    fn serves_bench_targets(&self) -> bool {
        true
    }

    /// True if names are those of functions or programs. Otherwise a run can make any text a name.
    fn names_are_fixed(&self) -> bool {
        false
    }

    /// True if a function that is a subject contains its set-up.
    fn functions_set_up(&self) -> bool {
        false
    }

    /// True if this framework runs the benchmarks of a program.
    fn runs(&self, program: &FrameworkProgram<'_>) -> bool;

    /// The benchmarks of a program, each with its way to run once.
    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError>;

    /// How a benchmark of a program shares a start with others, if the program can.
    fn shared_start(&self, _program: &FrameworkProgram<'_>, _name: &str) -> Option<SharedStartRun> {
        None
    }

    /// The suites that the sources of a repository show.
    fn suites_in(&self, _sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
        Vec::new()
    }

    /// The times of one start of a benchmark, in nanoseconds per iteration.
    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError>;
}

/// Every framework, in the order in which programs are matched: binaries first, whatever libraries they contain;
/// libtest last, since a program's own framework may use it too.
const FRAMEWORKS: &[&dyn BenchmarkFramework] = &[
    &command::CommandFramework,
    &binary::BinaryFramework,
    &divan::DIVAN,
    &divan::CODSPEED,
    &criterion::CRITERION,
    &criterion::CODSPEED,
    &gungraun::GUNGRAUN,
    &gungraun::IAI_CALLGRIND,
    &iai::IaiFramework,
    &tango::TangoFramework,
    &pytest::PYTEST,
    &asv::ASV,
    &pyperf::PYPERF,
    // A program of benchmarks may have tests in it too.
    &google_benchmark::GoogleBenchmarkFramework,
    &google_test::GoogleTestFramework,
    &catch2::Catch2Framework,
    &ctest::CtestFramework,
    &bencher::BencherFramework,
    &libtest::LibtestFramework,
];

/// One of the frameworks, such as `criterion`, `gungraun` or `libtest`.
#[derive(Clone, Copy)]
pub struct FrameworkHandle(&'static dyn BenchmarkFramework);

impl FrameworkHandle {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Times one start of a benchmark: nanoseconds per iteration, one value or several.
    ///
    /// # Errors
    /// [`TimingError`].
    pub fn time(self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        self.0.time(start)
    }

    /// The framework with this name.
    #[cfg(test)]
    pub(crate) fn of_name(name: &str) -> Self {
        Self::known(name).expect("a framework of this name")
    }

    fn known(name: &str) -> Option<Self> {
        let found = FRAMEWORKS.iter().find(|framework| framework.name() == name);
        found.map(|framework| Self(*framework))
    }
}

impl Serialize for FrameworkHandle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for FrameworkHandle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::known(&name).ok_or_else(|| D::Error::custom(format_args!("no framework is named `{name}`")))
    }
}

impl PartialEq for FrameworkHandle {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for FrameworkHandle {}

impl std::fmt::Debug for FrameworkHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Finds the benchmarks in the programs that were built for a definition.
///
/// # Errors
/// Only if the user stopped it; a program that can't be listed is one of [`BenchmarkDiscovery::failures`].
pub fn list_benchmarks(
    definition: &BenchmarkDefinition,
    built: &BuildOutput,
    site: &BuildContext<'_>,
) -> Result<BenchmarkDiscovery, FrameworkError> {
    if definition.adapter == BenchmarkAdapter::Command && definition.name.is_some() {
        let (chosen, others): (Vec<Benchmark>, Vec<Benchmark>) = command::benchmarks(definition, built, site)
            .into_iter()
            .partition(|benchmark| definition.is_chosen(&benchmark.name));
        return Ok(BenchmarkDiscovery {
            benchmarks: chosen,
            left_out: others.into_iter().map(|benchmark| benchmark.name).collect(),
            is_settled: true,
            ..BenchmarkDiscovery::default()
        });
    }
    let mut found = Vec::new();
    let mut listing = BenchmarkDiscovery {
        failures: built.failures.clone(),
        is_settled: true,
        ..BenchmarkDiscovery::default()
    };
    let suite = command::suite(definition, built, site);
    for executable in built.executables.iter().chain(&suite) {
        match list_executable(definition, executable, site) {
            Ok(list) => {
                listing
                    .asked
                    .push(format!("{} {}", list.framework.name(), describe(executable)));
                listing.failures.extend(list.unstable_names(executable));
                if list.is_empty() && executable.kind == ExecutableKind::Bench {
                    listing.empty_targets.push(executable.target.clone());
                }
                found.extend(list.benchmarks.into_iter().map(|benchmark| (executable, benchmark)));
            }
            Err(error @ FrameworkError::Process(ProcessError::Interrupted { .. })) => {
                return Err(error);
            }
            Err(error) => {
                listing.is_settled &=
                    matches!(error, FrameworkError::UnknownFramework { .. } | FrameworkError::NoSuite);
                listing.asked.push(describe(executable));
                listing.failures.push(TargetFailure {
                    target: executable.target.clone(),
                    reason: error.to_string(),
                });
            }
        }
    }
    let (chosen, others): (Vec<Benchmark>, Vec<Benchmark>) = (name_uniquely(found).into_iter())
        .filter(|benchmark| definition.includes(&benchmark.name))
        .partition(|benchmark| definition.is_chosen(&benchmark.name));
    listing.benchmarks = chosen;
    listing.left_out = others.into_iter().map(|benchmark| benchmark.name).collect();
    listing.benchmarks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listing)
}

fn describe(executable: &BenchmarkExecutable) -> String {
    let kind = match executable.kind {
        ExecutableKind::Bench => "bench",
        ExecutableKind::Test => "test",
        ExecutableKind::Binary => "binary",
        ExecutableKind::Suite => return format!("program {}", executable.target),
    };
    format!("{kind} {} of {}", executable.target, executable.package)
}

/// The variables of a definition's programs. A later one of the same name counts.
fn variables(definition: &BenchmarkDefinition) -> Vec<(OsString, OsString)> {
    let fixed = RUN_ENVIRONMENT.map(|(name, value)| (name.into(), value.into()));
    let own = definition.env.iter().map(|(name, value)| (name.into(), value.into()));
    let passed = definition.passed_variables();
    let passed = passed.into_iter().map(|(name, value)| (name.into(), value));
    fixed.into_iter().chain(passed).chain(own).collect()
}

/// The benchmarks of one program.
struct ExecutableList {
    framework: FrameworkHandle,
    benchmarks: Vec<Benchmark>,
    /// Names that another list of the same program does not have.
    unstable: Vec<String>,
}

impl ExecutableList {
    /// True if the program has no benchmark.
    fn is_empty(&self) -> bool {
        self.benchmarks.is_empty() && self.unstable.is_empty()
    }

    /// Why the benchmarks whose names change from run to run are left out; `None` if there is none.
    fn unstable_names(&self, executable: &BenchmarkExecutable) -> Option<TargetFailure> {
        let first = self.unstable.first()?;
        let reason = format!(
            "benchmarks whose names change from run to run cannot be told apart from others, such as `{first}`: leave \
             out of the name what changes"
        );
        Some(TargetFailure {
            // Not that of the target: its other benchmarks are there.
            target: format!("{} (names that change)", executable.target),
            reason,
        })
    }
}

fn list_executable(
    definition: &BenchmarkDefinition,
    executable: &BenchmarkExecutable,
    site: &BuildContext<'_>,
) -> Result<ExecutableList, FrameworkError> {
    let is_suite = executable.kind == ExecutableKind::Suite;
    let (mut environment, mut arguments) = match is_suite {
        true => (
            command::environment(definition, site),
            command::suite_arguments(definition, site),
        ),
        false => {
            let mut environment = variables(definition);
            // Programs that cargo runs locate their data with this variable.
            environment.push(("CARGO_MANIFEST_DIR".into(), executable.directory.clone().into()));
            (environment, Vec::new())
        }
    };
    let mut path = executable.path.clone();
    let start = StartedProgram {
        program: &executable.path,
        arguments: &arguments,
        directory: &executable.directory,
        environment: &environment,
    };
    let start = is_suite.then(|| find_interpreter(&start, site.interruption)).flatten();
    let interpreter = start.map(|start| {
        path = start.program;
        arguments = start.arguments;
        start.interpreter.set_up(&mut environment);
        start.interpreter
    });
    let symbols = match &interpreter {
        Some(_) => ProgramSymbols::default(),
        None => ProgramSymbols::read(&path)?,
    };
    let program = FrameworkProgram {
        path: &path,
        arguments: &arguments,
        iterations: definition.iterations.unwrap_or(1),
        directory: &executable.directory,
        environment: &environment,
        kind: executable.kind,
        target: &executable.target,
        symbols: &symbols,
        is_interpreter: interpreter.is_some(),
        interruption: site.interruption,
    };
    let own_subject = definition.subject.clone().map(BenchmarkSubject::Function);
    let framework = FRAMEWORKS
        .iter()
        .filter(|framework| !is_suite || !framework.serves_bench_targets())
        .find(|framework| framework.runs(&program))
        .ok_or_else(|| match is_suite {
            true => FrameworkError::NoSuite,
            false => FrameworkError::UnknownFramework {
                known: (FRAMEWORKS.iter())
                    .filter(|framework| framework.serves_bench_targets())
                    .map(|framework| framework.name())
                    .collect(),
            },
        })?;
    let mut listed = framework.list(&program)?;
    // Only there, the programs of two versions are kept apart.
    listed.retain(|(_, run)| {
        run.program
            .as_ref()
            .is_none_or(|other| other.path.starts_with(site.command_target()))
    });
    let (listed, changed): (Vec<_>, Vec<_>) = if framework.names_are_fixed() {
        (listed, Vec::new())
    } else {
        // A name with a time or a random number in it names nothing in the next run.
        let again: BTreeSet<String> = (framework.list(&program)?.into_iter()).map(|(name, _)| name).collect();
        listed.into_iter().partition(|(name, _)| again.contains(name))
    };
    let framework = FrameworkHandle(*framework);
    let benchmarks = listed.into_iter().map(|(name, run)| {
        let listed = Benchmark {
            shared_start: framework.0.shared_start(&program, &name),
            name,
            framework,
            program: path.clone(),
            counting: None,
            arguments: run.arguments,
            directory: executable.directory.clone(),
            environment: environment.clone(),
            subject: own_subject.clone().unwrap_or(run.subject),
            time_limit: definition.run_limit(),
            interpreter: interpreter.clone(),
        };
        match run.program {
            Some(other) => listed.of_program(other, site.interruption),
            None => listed,
        }
    });
    Ok(ExecutableList {
        framework,
        benchmarks: benchmarks.collect(),
        unstable: changed.into_iter().map(|(name, _)| name).collect(),
    })
}

/// The names before `: benchmark` and similar suffixes, in the format of libtest and criterion.
fn terse_names<'a>(text: &'a str, suffixes: &[&str]) -> Vec<&'a str> {
    text.lines()
        .filter_map(|line| suffixes.iter().find_map(|suffix| line.strip_suffix(suffix)))
        .collect()
}

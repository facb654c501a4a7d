//! A version's source tree and the benchmark definitions → every benchmark of that version, built and ready to run.
//!
//! Without definitions, benchmarks are discovered: the bench targets of the workspace, else those of packages beside it, as in
//! `bench/`. Where there is none with a benchmark, unit tests stand in. Runs no benchmark.

mod program_identities;
mod shared_builds;

use std::collections::BTreeMap;
use std::path::PathBuf;

use profile::inputs::CompiledInputs;
use serde::{Deserialize, Serialize};

use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions};
use crate::build::{
    self, BuildContext, BuildError, BuildOutput, BuildTime, CommandInputs, DependencyResolution, OutsideInputs,
    TargetFailure,
};
use crate::frameworks::{self, Benchmark, FrameworkError};
use crate::suggestions::did_you_mean;
pub use program_identities::SampledFunctions;
use shared_builds::SharedBuilds;

/// The benchmarks of one version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BenchmarkSuite {
    /// Sorted by name; at least one.
    pub benchmarks: Vec<Benchmark>,
    /// Targets that did not build or gave no list, with the reason.
    pub failures: Vec<TargetFailure>,
    /// The resolved dependencies of each harness whose definition chooses them as of the version; by the harness as the
    /// definition names it.
    pub resolutions: BTreeMap<PathBuf, DependencyResolution>,
    /// The inputs that each benchmark's program was compiled from, by the benchmark's name.
    pub compiled: BTreeMap<String, CompiledInputs>,
    /// The inputs of the command that built a benchmark, by the benchmark's name, where it was traced.
    #[serde(default)]
    pub commands: BTreeMap<String, CommandInputs>,
    /// True if nobody defined benchmarks, no bench target has one, and these are unit tests.
    pub tests_stand_in: bool,
    /// Benchmarks that were not chosen on the command line: names as far as they are known, else the packages.
    pub left_out: Vec<String>,
    /// Bench targets without a benchmark, as they are built.
    #[serde(default)]
    pub empty_targets: Vec<String>,
    /// The time that building the measured programs took; `None` where it is not known of all, and where they are kept from
    /// an earlier run.
    #[serde(skip)]
    pub build_time: Option<BuildTime>,
    /// Everything outside the version that its builds read.
    pub outside: OutsideInputs,
}

/// The file of a folder that is a package of cargo.
const MANIFEST: &str = "Cargo.toml";

/// The reason why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The version has nothing to measure.
    #[error(
        "looking for benchmarks: found none; looked for:\n{looked_for}\nadd benches (criterion, divan or #[bench]), \
             or describe one with [[benchmarks]] in lito.toml"
    )]
    NoBenchmark {
        /// The targets that were searched, one per line.
        looked_for: String,
        /// Bench targets among them.
        empty_targets: Vec<String>,
    },
    /// It is no package of cargo, and nothing says what else there is to measure.
    #[error(
        "looking for benchmarks: there is no Cargo.toml at the root, and lito finds only benchmarks of cargo by itself: describe the \
         program to measure with [[benchmarks]] in lito.toml, of which `lito init` writes an example"
    )]
    NoPackage,
    /// It has benchmarks that lito cannot run, and nothing else was asked for.
    #[error("looking for benchmarks: lito cannot run those that it found:\n{reasons}{}", in_their_place(*.are_of_cargo))]
    NoneRunnable {
        /// The targets with their reasons, one per line.
        reasons: String,
        /// True if some are bench targets of a package.
        are_of_cargo: bool,
    },
    /// It has benchmarks, and none of them was chosen.
    #[error("looking for benchmarks: no benchmark has the name --bench {asked}{}; `lito bench list` shows all names", question(.asked, .known))]
    NoneChosen {
        /// The first name that was asked for.
        asked: String,
        /// The benchmarks that there are.
        known: Vec<String>,
    },
    /// It can't be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The user stopped it.
    #[error(transparent)]
    Adapter(#[from] FrameworkError),
}

fn in_their_place(are_of_cargo: bool) -> &'static str {
    match are_of_cargo {
        true => {
            "\nto measure the unit tests in their place, write [[benchmarks]] with adapter = \"cargo-test\" into lito.toml"
        }
        false => "",
    }
}

/// `; did you mean `parse`?`, if a name is near.
fn question(asked: &str, known: &[String]) -> String {
    did_you_mean(asked, known.iter().map(String::as_str)).map_or_else(String::new, |question| format!("; {question}"))
}

impl SuiteError {
    /// True if the user asked to stop.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::NoBenchmark { .. } | Self::NoPackage | Self::NoneRunnable { .. } | Self::NoneChosen { .. } => false,
            Self::Build(error) => error.is_interruption(),
            // Listing continues after every other error.
            Self::Adapter(_) => true,
        }
    }
}

/// The programs of a suite that are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuitePrograms {
    /// The measured programs.
    Measured,
    /// The measured programs, and beside each one the program that counts.
    MeasuredAndCounting,
}

/// Builds and lists everything that the definitions name at a version.
///
/// # Errors
/// If nothing builds, or there is no benchmark; if only some definitions fail, their failures are
/// [`BenchmarkSuite::failures`].
pub fn build_suite(
    definitions: &BenchmarkDefinitions,
    site: &BuildContext<'_>,
    programs: SuitePrograms,
) -> Result<BenchmarkSuite, SuiteError> {
    let gather = |of: &[BenchmarkDefinition]| {
        let mut suite = gather(&definitions.chosen_of(of), site, programs)?;
        suite.left_out.extend(definitions.choice().other_packages());
        Ok(suite)
    };
    if !definitions.is_empty() {
        return gather(definitions);
    }
    if !site.tree.join(MANIFEST).exists() {
        return Err(SuiteError::NoPackage);
    }
    let [benches, tests] = BenchmarkDefinition::defaults();
    // Tests do not replace benches that do not build or cannot be run: the numbers would have another meaning.
    let (mut benches, mut empty) = match gather(&[benches]) {
        Err(SuiteError::NoBenchmark {
            looked_for,
            empty_targets,
        }) => (looked_for, empty_targets),
        other => return other,
    };
    let nested = build::nested_benches(site.tree, site.interruption)?;
    if !nested.is_empty() {
        match gather(&nested) {
            Err(SuiteError::NoBenchmark {
                looked_for,
                empty_targets,
            }) => {
                benches = [benches, looked_for].join("\n");
                empty.extend(empty_targets);
            }
            other => return other,
        }
    }
    match gather(&[tests]) {
        Err(SuiteError::NoBenchmark { looked_for, .. }) => Err(SuiteError::NoBenchmark {
            looked_for: [benches, looked_for].join("\n"),
            empty_targets: empty,
        }),
        Ok(suite) => Ok(BenchmarkSuite {
            tests_stand_in: true,
            empty_targets: empty,
            ..suite
        }),
        other => other,
    }
}

fn gather(
    definitions: &[BenchmarkDefinition],
    site: &BuildContext<'_>,
    programs: SuitePrograms,
) -> Result<BenchmarkSuite, SuiteError> {
    // Whoever counts too takes a sample, which keeps the record.
    let site = &BuildContext {
        records_commands: programs == SuitePrograms::MeasuredAndCounting,
        ..*site
    };
    let mut suite = BenchmarkSuite {
        outside: OutsideInputs::nothing(),
        ..BenchmarkSuite::default()
    };
    let mut looked_for = Vec::new();
    let mut first_error = None;
    let mut build_times = Vec::new();
    let mut builds = SharedBuilds::default();
    for definition in definitions {
        let built = match builds.build(definition, site) {
            Ok(built) => built,
            Err(BuildError::Nothing { looked_for: what }) => {
                looked_for.push(format!("- {what}"));
                continue;
            }
            Err(error @ BuildError::DoesNotBuild { .. }) if definitions.len() > 1 => {
                let target = definition
                    .name
                    .clone()
                    .unwrap_or_else(|| definition.adapter.name().to_owned());
                suite.failures.push(TargetFailure {
                    target,
                    reason: error.to_string(),
                });
                first_error.get_or_insert(error);
                build_times.push(None);
                suite.outside.is_complete = false;
                continue;
            }
            Err(other) => return Err(other.into()),
        };
        if let Some(failure) = built.failures.first() {
            // Counts only if nothing else has a benchmark: then the broken target had them.
            first_error.get_or_insert(BuildError::DoesNotBuild {
                reason: failure.reason.clone(),
            });
        }
        if let (Some(harness), Some(resolution)) = (&definition.harness, &built.resolution) {
            let resolutions = &mut suite.resolutions;
            resolutions.insert(harness.clone(), resolution.clone());
        }
        build_times.push(built.time.clone());
        let mut listing = frameworks::list_benchmarks(definition, &built, site)?;
        suite.outside.join(&built.outside);
        suite.outside.is_complete &= listing.is_settled;
        for benchmark in &listing.benchmarks {
            let inputs = built.inputs.of(&benchmark.program);
            suite.compiled.entry(benchmark.name.clone()).or_insert(inputs);
            if let Some(command) = &built.command {
                let known = suite.commands.entry(benchmark.name.clone());
                known.or_insert_with(|| command.clone());
            }
        }
        if programs == SuitePrograms::MeasuredAndCounting && !listing.benchmarks.is_empty() {
            add_counting(&mut listing.benchmarks, definition, &built, site, &mut builds)?;
        }
        suite.left_out.append(&mut listing.left_out);
        suite.empty_targets.append(&mut listing.empty_targets);
        if listing.benchmarks.is_empty() {
            looked_for.extend(listing.asked.iter().map(|asked| format!("- benchmarks in {asked}")));
        }
        suite.failures.extend(listing.failures);
        suite.benchmarks.extend(listing.benchmarks);
    }
    let build_times: Option<Vec<BuildTime>> = build_times.into_iter().collect();
    suite.build_time = build_times.and_then(|times| times.into_iter().reduce(BuildTime::and));
    suite.benchmarks.sort_by(|a, b| a.name.cmp(&b.name));
    let failures = &mut suite.failures;
    suite.benchmarks.dedup_by(|later, kept| {
        let same = later.name == kept.name;
        if same {
            let reason = "another definition has a benchmark of this name: rename or exclude one of them".to_owned();
            failures.push(TargetFailure {
                target: later.name.clone(),
                reason,
            });
        }
        same
    });
    if suite.benchmarks.is_empty() {
        let reasons = (suite.failures.iter()).map(|failure| format!("- {}: {}", failure.target, failure.reason));
        return Err(match first_error {
            _ if !suite.left_out.is_empty() => SuiteError::NoneChosen {
                asked: (definitions
                    .first()
                    .and_then(|definition| definition.chosen.first())
                    .cloned())
                .unwrap_or_default(),
                known: suite.left_out,
            },
            Some(error) => error.into(),
            None if !suite.failures.is_empty() => SuiteError::NoneRunnable {
                reasons: reasons.collect::<Vec<_>>().join("\n"),
                are_of_cargo: (definitions.iter()).any(|definition| definition.adapter == BenchmarkAdapter::CargoBench),
            },
            None => SuiteError::NoBenchmark {
                looked_for: looked_for.join("\n"),
                empty_targets: suite.empty_targets,
            },
        });
    }
    Ok(suite)
}

/// Builds a definition for counting too, and sets each benchmark's counting program. If that does not build, the
/// benchmarks have none: their counts are estimates, and their profiles say so. A command that compiles no Rust would build
/// the same program again.
fn add_counting<'d>(
    benchmarks: &mut [Benchmark],
    definition: &'d BenchmarkDefinition,
    measured: &BuildOutput,
    site: &BuildContext<'_>,
    builds: &mut SharedBuilds<'d>,
) -> Result<(), BuildError> {
    let compiles_rust = measured.command.as_ref().is_none_or(|command| command.compiles_rust);
    if definition.build.is_some() && !compiles_rust {
        for benchmark in benchmarks
            .iter_mut()
            .filter(|one| one.program.starts_with(site.target()))
        {
            benchmark.counting = Some(benchmark.program.clone());
        }
        return Ok(());
    }
    let counting_site = site.for_counts();
    let counting = match builds.build(definition, &counting_site) {
        Ok(counting) => counting,
        Err(error) if error.is_interruption() => return Err(error),
        Err(_) => return Ok(()),
    };
    for benchmark in benchmarks {
        let executable = measured
            .executables
            .iter()
            .find(|executable| executable.path == benchmark.program);
        benchmark.counting = match executable {
            Some(executable) => counting
                .executables
                .iter()
                .find(|other| other.is_same_target(executable))
                .map(|other| other.path.clone()),
            // A command's program: if it is in the target folder, it is at the same place in the other one.
            None => benchmark
                .program
                .strip_prefix(site.target())
                .ok()
                .map(|place| counting_site.target().join(place))
                .filter(|program| program.is_file()),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests;

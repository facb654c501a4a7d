//! Targets of a package → the executables that cargo builds from them.
//!
//! Everything is tried in one command first; if that fails, target by target, so that one broken target does not
//! take the others with it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::diagnostics::{classify_build_failure, classify_toolchain_error, process_error};
use super::flags::{self, BuildFlags};
use super::inputs::{BuildInputs, InputPlaces, read_inputs};
use super::kept_dependencies::NamesakeFiles;
use super::target_selection::{TargetFilter, TargetSelection, select_targets};
use super::{BenchmarkExecutable, BuildContext, BuildError, BuildOutput, BuildTime, TargetFailure};
use crate::benchmark::BenchmarkDefinition;
use crate::process::{self, FinishedProcess, Invocation};
use crate::toolchain;

/// How long `cargo clean` may take.
const CLEANING_LIMIT: Duration = Duration::from_secs(300);

/// Builds the selected targets of a folder's workspace.
pub(super) fn build(
    definition: &BenchmarkDefinition,
    wanted: TargetFilter,
    directory: &Path,
    site: &BuildContext<'_>,
) -> Result<BuildOutput, BuildError> {
    let workspace =
        toolchain::workspace(directory, &definition.env, site.interruption).map_err(classify_toolchain_error)?;
    let selections = select_targets(&workspace, wanted, definition, directory)?;
    clean_workspace_members(definition, directory, site)?;
    let command = CargoCommand {
        definition,
        wanted,
        directory,
        site,
        flags: flags::build_flags(directory, site, &definition.env),
    };
    let (mut executables, mut failures) = (BTreeSet::new(), Vec::new());
    let mut inputs = BuildInputs::default();
    let mut time = None;
    let mut take = |messages: Vec<CargoMessage>| {
        let built: Vec<BenchmarkExecutable> = messages
            .iter()
            .filter_map(|message| command.executable(message))
            .collect();
        let programs = built.iter().map(|program| program.path.clone()).collect();
        let places = InputPlaces::new(site, directory, &workspace.workspace_root, &definition.env);
        inputs.join(read_inputs(&messages, &programs, &places));
        executables.extend(built);
    };
    match command.run(&selections) {
        Ok((messages, wall)) => {
            time = BuildTime::of(wall, &messages, &definition.env);
            take(messages);
        }
        Err(BuildError::DoesNotBuild { reason }) if selections.len() == 1 => {
            return Err(BuildError::DoesNotBuild { reason });
        }
        Err(BuildError::DoesNotBuild { .. }) => {
            for selection in &selections {
                match command.run(std::slice::from_ref(selection)) {
                    Ok((messages, _)) => take(messages),
                    Err(BuildError::DoesNotBuild { reason }) => {
                        let target = selection.target.clone().unwrap_or_else(|| selection.package.clone());
                        failures.push(TargetFailure { target, reason });
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Err(other) => return Err(other),
    }
    let mut outside = inputs.outside();
    outside.add_lockfile(&workspace.workspace_root);
    // Whether a target builds may change with this machine.
    outside.is_complete &= failures.is_empty();
    match failures.first() {
        Some(first) if executables.is_empty() => Err(BuildError::DoesNotBuild {
            reason: first.reason.clone(),
        }),
        _ => Ok(BuildOutput {
            executables: executables.into_iter().collect(),
            failures,
            directory: directory.to_owned(),
            resolution: None,
            inputs,
            command: None,
            time,
            outside,
        }),
    }
}

/// Has cargo build the version's own packages again, dependencies excluded.
///
/// Cargo decides by modification times, which a checkout may set to anything.
pub(super) fn clean_workspace_members(
    definition: &BenchmarkDefinition,
    directory: &Path,
    site: &BuildContext<'_>,
) -> Result<(), BuildError> {
    if !site.target().is_dir() || !directory.join("Cargo.toml").is_file() {
        return Ok(());
    }
    let packages =
        toolchain::local_packages(directory, &definition.env, site.interruption).map_err(classify_toolchain_error)?;
    let target = site.target();
    let unwritable = |source| BuildError::Write {
        path: target.clone(),
        source,
    };
    let names = packages.iter().map(|package| package.name.as_str()).collect();
    let namesakes = NamesakeFiles::set_aside(&target, &names).map_err(unwritable)?;
    let invocation = Invocation::new(toolchain::cargo_program(), directory, CLEANING_LIMIT)
        .arguments(["clean", "--release", "--manifest-path"])
        .arguments([directory.join("Cargo.toml")])
        .arguments(packages.into_iter().flat_map(|package| ["-p".to_owned(), package.id]))
        .variable("CARGO_TARGET_DIR", &target);
    match process::run(&invocation, site.interruption) {
        Ok(finished) if finished.status.success() => namesakes.put_back().map_err(unwritable),
        // Older cargos reject ids of this form: then everything is cleaned, which is slow but correct.
        Ok(_) => std::fs::remove_dir_all(&target).map_err(unwritable),
        Err(error) => Err(process_error(error)),
    }
}

struct CargoCommand<'a> {
    definition: &'a BenchmarkDefinition,
    wanted: TargetFilter,
    directory: &'a Path,
    site: &'a BuildContext<'a>,
    flags: BuildFlags,
}

impl CargoCommand<'_> {
    fn run(&self, selections: &[TargetSelection]) -> Result<(Vec<CargoMessage>, Duration), BuildError> {
        let invocation = self.invocation(selections);
        let finished = process::run(&invocation, self.site.interruption).map_err(process_error)?;
        if !finished.status.success() {
            return Err(classify_build_failure(
                &finished.stderr.text(),
                &finished.ending(),
                self.site.purpose,
            ));
        }
        Ok((messages(&finished), finished.wall))
    }

    fn invocation(&self, selections: &[TargetSelection]) -> Invocation {
        let mut arguments: Vec<OsString> = self.wanted.command().iter().map(OsString::from).collect();
        arguments.push("--message-format=json-render-diagnostics".into());
        arguments.push("--manifest-path".into());
        arguments.push(self.directory.join("Cargo.toml").into());
        let packages: BTreeSet<&str> = selections
            .iter()
            .map(|selection| selection.specification.as_str())
            .collect();
        for package in &packages {
            arguments.extend(["-p".into(), (*package).into()]);
        }
        let targets: BTreeSet<(&str, Option<&str>)> = selections
            .iter()
            .map(|selection| (selection.flag, selection.target.as_deref()))
            .collect();
        for (flag, target) in targets {
            arguments.push(flag.into());
            arguments.extend(target.map(OsString::from));
        }
        let mut features: BTreeSet<String> = self.definition.features.iter().cloned().collect();
        for selection in selections {
            features.extend(selection.features.iter().map(|feature| {
                if packages.len() > 1 && !feature.contains('/') {
                    format!("{}/{feature}", selection.package)
                } else {
                    feature.clone()
                }
            }));
        }
        if !features.is_empty() {
            let features: Vec<String> = features.into_iter().collect();
            arguments.extend(["--features".into(), features.join(",").into()]);
        }
        let invocation = Invocation::new(
            toolchain::cargo_program(),
            self.directory,
            self.definition.building_limit(),
        )
        .arguments(arguments)
        .variable("CARGO_TARGET_DIR", self.site.target())
        .variable("CARGO_TERM_COLOR", "never");
        let unstable: BTreeSet<&str> = selections
            .iter()
            .flat_map(|selection| selection.unstable.iter().map(String::as_str))
            .collect();
        // `#[bench]` needs an unstable feature. The project asks for it, and only its own crates get it.
        let asked =
            self.definition.env.contains_key("RUSTC_BOOTSTRAP") || std::env::var_os("RUSTC_BOOTSTRAP").is_some();
        let invocation = if unstable.is_empty() || asked || self.site.compiler.is_unstable() {
            invocation
        } else {
            let crates: Vec<&str> = unstable.into_iter().collect();
            invocation.variable("RUSTC_BOOTSTRAP", crates.join(","))
        };
        self.flags.apply(invocation, &self.definition.env)
    }

    fn executable(&self, message: &CargoMessage) -> Option<BenchmarkExecutable> {
        let path = message.executable.as_ref()?;
        let (target, manifest) = (message.target.as_ref()?, message.manifest_path.as_ref()?);
        let is = |kind: &str| target.kind.iter().any(|k| k == kind);
        let tested = message.profile.as_ref().is_some_and(|profile| profile.test);
        let wanted = match self.wanted {
            TargetFilter::Benches => is("bench") || tested,
            TargetFilter::Tests => tested || is("test"),
            TargetFilter::Binaries => is("bin") && !tested,
        };
        let directory = manifest.parent()?.to_owned();
        wanted.then(|| BenchmarkExecutable {
            package: message.package(),
            kind: self.wanted.kind(),
            target: target.name.clone(),
            source: (target.src_path.strip_prefix(&directory)).map_or_else(|_| target.src_path.clone(), Path::to_owned),
            path: path.clone(),
            directory,
        })
    }
}

fn messages(finished: &FinishedProcess) -> Vec<CargoMessage> {
    let text = finished.stdout.text();
    let is_cut = finished.stdout.dropped > 0;
    text.lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap_or_default())
        .chain(is_cut.then(CargoMessage::default))
        .collect()
}

/// `regex` of `path+file:///a/regex#1.2.0`, of `path+file:///a/b#regex@1.2.0` and of `regex 1.2.0 (path…)`.
fn package_name(id: &str) -> String {
    match id.rsplit_once('#') {
        Some((_, fragment)) if fragment.contains('@') => fragment.split('@').next().unwrap_or_default().to_owned(),
        Some((url, _)) => url.rsplit('/').next().unwrap_or_default().to_owned(),
        None => id.split(' ').next().unwrap_or_default().to_owned(),
    }
}

/// A message of cargo about a unit.
#[derive(Default, Deserialize)]
pub(super) struct CargoMessage {
    /// Its kind; empty for a message that can't be read.
    #[serde(default)]
    pub(super) reason: String,
    pub(super) executable: Option<PathBuf>,
    pub(super) target: Option<CargoMessageTarget>,
    profile: Option<CargoMessageProfile>,
    pub(super) manifest_path: Option<PathBuf>,
    pub(super) package_id: Option<String>,
    /// All outputs of the compiler.
    #[serde(default)]
    pub(super) filenames: Vec<PathBuf>,
    /// The folder that a build script wrote into.
    pub(super) out_dir: Option<PathBuf>,
    /// True if it was built before.
    #[serde(default)]
    pub(super) fresh: bool,
}

impl CargoMessage {
    /// The name of the package; empty if there is none.
    pub(super) fn package(&self) -> String {
        self.package_id.as_deref().map(package_name).unwrap_or_default()
    }

    /// True if it is about a package from a folder.
    pub(super) fn is_of_a_folder(&self) -> bool {
        self.package_id.as_deref().is_some_and(|id| id.contains("path+file:"))
    }
}

#[derive(Deserialize)]
pub(super) struct CargoMessageTarget {
    pub(super) name: String,
    pub(super) kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct CargoMessageProfile {
    test: bool,
}

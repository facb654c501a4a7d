//! A package's folder → the executables that cargo builds from its benches, tests or binaries.
//!
//! Everything is tried in one command first; if that fails, target by target, so that one broken target does not
//! take the others with it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::flags::{self, Flags};
use super::{BuildError, Built, Executable, Failure, Kind, Site};
use crate::benchmark::Definition;
use crate::process::{self, Finished, Invocation, ProcessError};
use crate::toolchain::{self, Package, ToolchainError, Workspace};

/// Lines of a compiler's complaint that are kept as the reason.
const REASON_LINES: usize = 6;

/// Bytes of source files searched per package for attributes, so that a huge tree costs little.
const SEARCHED_BYTES: u64 = 64 << 20;

/// How long `cargo clean` may take.
const CLEANING_LIMIT: Duration = Duration::from_secs(300);

/// What cargo says where the machine is at fault and not the version.
const MACHINE_FAULTS: [&str; 9] = [
    "No space left on device",
    "Could not resolve host",
    "Couldn't resolve host",
    "failed to download from",
    "failed to query replaced source",
    "network failure seems to have happened",
    "spurious network error",
    "Timeout was reached",
    "Cannot allocate memory",
];

/// Which targets of a package are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Bench targets, and libraries and binaries that hold `#[bench]` functions.
    Benches,
    /// Unit and integration tests.
    Tests,
    /// Binaries.
    Binaries,
}

impl Wanted {
    fn command(self) -> &'static [&'static str] {
        match self {
            Self::Benches => &["bench", "--no-run"],
            Self::Tests => &["test", "--no-run", "--release"],
            Self::Binaries => &["build", "--release"],
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Benches => Kind::Bench,
            Self::Tests => Kind::Test,
            Self::Binaries => Kind::Binary,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Benches => "bench targets and no #[bench] functions",
            Self::Tests => "libraries, binaries or tests",
            Self::Binaries => "binaries",
        }
    }
}

/// One selection on cargo's command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Selection {
    package: String,
    /// `--bench`, `--lib`, …
    flag: &'static str,
    /// The target's name, where the flag takes one.
    target: Option<String>,
    features: Vec<String>,
    /// Crates of it that use `#![feature(test)]`.
    unstable: Vec<String>,
}

/// Builds what is wanted of the workspace of a folder.
pub(super) fn build(
    definition: &Definition,
    wanted: Wanted,
    directory: &Path,
    site: &Site<'_>,
) -> Result<Built, BuildError> {
    let workspace =
        toolchain::workspace(directory, &definition.env, site.interruption).map_err(refused)?;
    let selections = select(&workspace, wanted, definition, directory)?;
    forget_members(definition, directory, site)?;
    let command = Command {
        definition,
        wanted,
        directory,
        site,
        flags: flags::flags(directory, site, &definition.env),
    };
    let (mut executables, mut failures) = (BTreeSet::new(), Vec::new());
    match command.run(&selections) {
        Ok(built) => executables.extend(built),
        Err(BuildError::DoesNotBuild { reason }) if selections.len() == 1 => {
            return Err(BuildError::DoesNotBuild { reason });
        }
        Err(BuildError::DoesNotBuild { .. }) => {
            for selection in &selections {
                match command.run(std::slice::from_ref(selection)) {
                    Ok(built) => executables.extend(built),
                    Err(BuildError::DoesNotBuild { reason }) => {
                        let target = selection
                            .target
                            .clone()
                            .unwrap_or_else(|| selection.package.clone());
                        failures.push(Failure { target, reason });
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Err(other) => return Err(other),
    }
    match failures.first() {
        Some(first) if executables.is_empty() => Err(BuildError::DoesNotBuild {
            reason: first.reason.clone(),
        }),
        _ => Ok(Built {
            executables: executables.into_iter().collect(),
            failures,
            directory: directory.to_owned(),
        }),
    }
}

/// Makes cargo build the version's own packages again, dependencies excluded.
///
/// Cargo decides by modification times, which a checkout may set to anything.
pub(super) fn forget_members(
    definition: &Definition,
    directory: &Path,
    site: &Site<'_>,
) -> Result<(), BuildError> {
    if !site.target().is_dir() || !directory.join("Cargo.toml").is_file() {
        return Ok(());
    }
    let packages = toolchain::local_packages(directory, &definition.env, site.interruption)
        .map_err(refused)?;
    let invocation = Invocation::new(toolchain::cargo(), directory, CLEANING_LIMIT)
        .arguments(["clean", "--release", "--manifest-path"])
        .arguments([directory.join("Cargo.toml")])
        .arguments(packages.into_iter().flat_map(|id| ["-p".to_owned(), id]))
        .variable("CARGO_TARGET_DIR", site.target());
    match process::run(&invocation, site.interruption) {
        Ok(finished) if finished.status.success() => Ok(()),
        // Older cargos know no ids of this form: then all goes, which is slow but right.
        Ok(_) => {
            let target = site.target();
            std::fs::remove_dir_all(&target).map_err(|source| BuildError::Write {
                path: target,
                source,
            })
        }
        Err(error) => Err(process_error(error)),
    }
}

fn select(
    workspace: &Workspace,
    wanted: Wanted,
    definition: &Definition,
    directory: &Path,
) -> Result<Vec<Selection>, BuildError> {
    let named = |package: &Package| {
        definition.packages.is_empty() || definition.packages.contains(&package.name)
    };
    let default = |package: &Package| {
        !definition.packages.is_empty()
            || workspace.workspace_default_members.is_empty()
            || workspace.workspace_default_members.contains(&package.id)
    };
    let mut selections = Vec::new();
    for package in workspace.packages.iter().filter(|package| named(package)) {
        match wanted {
            Wanted::Benches => selections.extend(bench_selections(package)),
            Wanted::Tests if default(package) => selections.extend(test_selections(package)),
            Wanted::Binaries if default(package) => {
                selections.extend(package.targets_of("bin").map(|target| Selection {
                    package: package.name.clone(),
                    flag: "--bin",
                    target: Some(target.name.clone()),
                    features: target.required_features.clone(),
                    unstable: Vec::new(),
                }));
            }
            Wanted::Tests | Wanted::Binaries => {}
        }
    }
    selections.sort();
    if selections.is_empty() {
        let names: Vec<&str> = workspace
            .packages
            .iter()
            .map(|package| package.name.as_str())
            .collect();
        let looked_for = if definition.packages.is_empty() {
            format!(
                "{} in the packages of {} ({})",
                wanted.description(),
                directory.display(),
                names.join(", ")
            )
        } else {
            let asked = definition.packages.join(", ");
            format!(
                "{} in the packages {asked} (the workspace has {})",
                wanted.description(),
                names.join(", ")
            )
        };
        return Err(BuildError::Nothing { looked_for });
    }
    Ok(selections)
}

fn bench_selections(package: &Package) -> Vec<Selection> {
    let selection = |flag, target: Option<String>, features: &[String], unstable| Selection {
        package: package.name.clone(),
        flag,
        target,
        features: features.to_vec(),
        unstable,
    };
    let mut selections: Vec<Selection> = package
        .targets_of("bench")
        .map(|target| {
            let unstable = if uses_test_crate(&target.src_path) {
                vec![crate_name(&target.name)]
            } else {
                Vec::new()
            };
            selection(
                "--bench",
                Some(target.name.clone()),
                &target.required_features,
                unstable,
            )
        })
        .collect();
    let sources = package.directory().join("src");
    if any_source(&sources, &|text| text.contains("#[bench]")) {
        if let Some(library) = library(package) {
            selections.push(selection(
                "--lib",
                None,
                &[],
                vec![crate_name(&library.name)],
            ));
        } else {
            for binary in package.targets_of("bin") {
                let unstable = vec![crate_name(&binary.name)];
                selections.push(selection(
                    "--bin",
                    Some(binary.name.clone()),
                    &binary.required_features,
                    unstable,
                ));
            }
        }
    }
    selections
}

fn test_selections(package: &Package) -> Vec<Selection> {
    let selection = |flag, target: Option<String>, features: &[String]| Selection {
        package: package.name.clone(),
        flag,
        target,
        features: features.to_vec(),
        unstable: Vec::new(),
    };
    let library = library(package).map(|_| selection("--lib", None, &[]));
    let named = |kind: &'static str, flag| {
        package.targets_of(kind).map(move |target| {
            selection(flag, Some(target.name.clone()), &target.required_features)
        })
    };
    library
        .into_iter()
        .chain(named("bin", "--bin"))
        .chain(named("test", "--test"))
        .collect()
}

fn library(package: &Package) -> Option<&toolchain::Target> {
    package.targets.iter().find(|target| {
        target
            .kind
            .iter()
            .any(|kind| kind.ends_with("lib") || kind == "proc-macro")
    })
}

fn crate_name(target: &str) -> String {
    target.replace('-', "_")
}

fn uses_test_crate(source: &Path) -> bool {
    std::fs::read_to_string(source).is_ok_and(|text| text.contains("feature(test)"))
}

/// True if one of the Rust sources below a folder is as asked.
fn any_source(folder: &Path, is: &dyn Fn(&str) -> bool) -> bool {
    let mut budget = SEARCHED_BYTES;
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(kind)
                    if kind.is_file()
                        && path.extension().is_some_and(|extension| extension == "rs") =>
                {
                    let size = entry.metadata().map_or(0, |metadata| metadata.len());
                    if size > budget {
                        return false;
                    }
                    budget -= size;
                    if std::fs::read_to_string(&path).is_ok_and(|text| is(&text)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
    }
    false
}

struct Command<'a> {
    definition: &'a Definition,
    wanted: Wanted,
    directory: &'a Path,
    site: &'a Site<'a>,
    flags: Flags,
}

impl Command<'_> {
    fn run(&self, selections: &[Selection]) -> Result<Vec<Executable>, BuildError> {
        let invocation = self.invocation(selections);
        let finished = process::run(&invocation, self.site.interruption).map_err(process_error)?;
        if !finished.status.success() {
            return Err(classify(&finished.stderr.text(), &finished.ending()));
        }
        Ok(self.executables(&finished))
    }

    fn invocation(&self, selections: &[Selection]) -> Invocation {
        let mut arguments: Vec<OsString> =
            self.wanted.command().iter().map(OsString::from).collect();
        arguments.push("--message-format=json-render-diagnostics".into());
        arguments.push("--manifest-path".into());
        arguments.push(self.directory.join("Cargo.toml").into());
        let packages: BTreeSet<&str> = selections
            .iter()
            .map(|selection| selection.package.as_str())
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
            toolchain::cargo(),
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
        // `#[bench]` needs an unstable feature; the project asks for it, and only its own crates are given it.
        let asked = self.definition.env.contains_key("RUSTC_BOOTSTRAP")
            || std::env::var_os("RUSTC_BOOTSTRAP").is_some();
        let invocation = if unstable.is_empty() || asked || self.site.compiler.is_unstable() {
            invocation
        } else {
            let crates: Vec<&str> = unstable.into_iter().collect();
            invocation.variable("RUSTC_BOOTSTRAP", crates.join(","))
        };
        self.flags.apply(invocation, &self.definition.env)
    }

    fn executables(&self, finished: &Finished) -> Vec<Executable> {
        let text = finished.stdout.text();
        text.lines()
            .filter_map(|line| serde_json::from_str::<Message>(line).ok())
            .filter_map(|message| self.executable(message))
            .collect()
    }

    fn executable(&self, message: Message) -> Option<Executable> {
        let (path, target, manifest) =
            (message.executable?, message.target?, message.manifest_path?);
        let is = |kind: &str| target.kind.iter().any(|k| k == kind);
        let tested = message.profile.is_some_and(|profile| profile.test);
        let wanted = match self.wanted {
            Wanted::Benches => is("bench") || tested,
            Wanted::Tests => tested || is("test"),
            Wanted::Binaries => is("bin") && !tested,
        };
        let directory = manifest.parent()?.to_owned();
        wanted.then(|| Executable {
            package: message
                .package_id
                .as_deref()
                .map(package_name)
                .unwrap_or_default(),
            kind: self.wanted.kind(),
            target: target.name,
            path,
            directory,
        })
    }
}

/// `regex` of `path+file:///a/regex#1.2.0`, of `path+file:///a/b#regex@1.2.0` and of `regex 1.2.0 (path…)`.
fn package_name(id: &str) -> String {
    match id.rsplit_once('#') {
        Some((_, fragment)) if fragment.contains('@') => {
            fragment.split('@').next().unwrap_or_default().to_owned()
        }
        Some((url, _)) => url.rsplit('/').next().unwrap_or_default().to_owned(),
        None => id.split(' ').next().unwrap_or_default().to_owned(),
    }
}

#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    target: Option<MessageTarget>,
    profile: Option<MessageProfile>,
    manifest_path: Option<PathBuf>,
    package_id: Option<String>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct MessageProfile {
    test: bool,
}

/// What a failed build's output says: the machine's fault or the version's, with the first lines of the complaint.
pub(super) fn classify(stderr: &str, ending: &str) -> BuildError {
    if let Some(line) = stderr
        .lines()
        .find(|line| MACHINE_FAULTS.iter().any(|fault| line.contains(fault)))
    {
        return BuildError::Machine {
            reason: line.trim().to_owned(),
        };
    }
    BuildError::DoesNotBuild {
        reason: first_complaint(stderr).unwrap_or_else(|| format!("the build {ending}")),
    }
}

fn first_complaint(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
    let is_complaint = |line: &&str| line.starts_with("error") || line.contains("panicked at");
    let start = lines.iter().position(is_complaint)?;
    let complaint = lines[start..]
        .iter()
        .take_while(|line| !line.is_empty())
        .take(REASON_LINES);
    let mut kept: Vec<&str> = complaint.copied().collect();
    // Cargo gives the cause in a paragraph of its own.
    let cause = lines[start..].iter().position(|line| *line == "Caused by:");
    if let Some(cause) = cause.filter(|_| !kept.contains(&"Caused by:")) {
        let room = REASON_LINES.saturating_sub(kept.len());
        kept.extend(
            lines[start + cause + 1..]
                .iter()
                .take(room)
                .map(|line| line.trim()),
        );
    }
    Some(kept.join("\n"))
}

/// An error of a process that builds: a limit that passes is the version's fault.
pub(super) fn process_error(error: ProcessError) -> BuildError {
    match error {
        ProcessError::TimedOut { .. } => BuildError::DoesNotBuild {
            reason: error.to_string(),
        },
        other => BuildError::Process(other),
    }
}

/// What it means for a version that cargo can't read its manifest or resolve its dependencies.
pub(super) fn refused(error: ToolchainError) -> BuildError {
    match error {
        ToolchainError::Process(error) => process_error(error),
        ToolchainError::Failed {
            ref reason,
            ref ending,
            ..
        } => classify(reason, ending),
        ToolchainError::Answer { .. } => BuildError::Toolchain(error),
    }
}

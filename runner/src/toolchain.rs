//! The Rust toolchain of a folder → its version, and cargo's metadata about the packages there.
//!
//! Runs `rustc` and `cargo`, which honour a `rust-toolchain.toml` of the folder; builds nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::benchmark::BenchmarkDefinitions;
use crate::process::{self, CapturedOutput, FinishedProcess, InterruptionFlag, Invocation, ProcessError};

/// The time limit of `rustc -vV` and `cargo metadata`: a toolchain may have to be installed on first use.
const QUESTION_LIMIT: Duration = Duration::from_secs(300);

/// Variables with which rustup and cargo print the frames of their own code below an error.
const BACKTRACES: [&str; 2] = ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"];

/// Lines of an error that are kept: the error itself, its place in a manifest, and the help.
const ERROR_LINES: usize = 10;

/// A Rust compiler: its version and its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustCompiler {
    /// `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub version: String,
    /// `x86_64-unknown-linux-gnu`.
    pub host: String,
}

impl RustCompiler {
    /// Stands for none, where nothing is built with cargo.
    fn absent() -> Self {
        Self {
            version: "no rustc".to_owned(),
            host: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        }
    }

    /// True if it accepts unstable features without an override.
    #[must_use]
    pub fn is_unstable(&self) -> bool {
        self.version.contains("-nightly") || self.version.contains("-dev")
    }
}

/// The workspace of a folder, as `cargo metadata --no-deps` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CargoWorkspace {
    /// The members.
    pub packages: Vec<CargoPackage>,
    /// Folder of the workspace's manifest.
    pub workspace_root: PathBuf,
    /// Ids of the packages that cargo selects if none is named.
    #[serde(default)]
    pub workspace_default_members: Vec<String>,
}

impl CargoWorkspace {
    /// The names of its bench targets, those of one package after the other.
    pub fn bench_targets(&self) -> impl Iterator<Item = &str> {
        let targets = self.packages.iter().flat_map(|package| package.targets_of("bench"));
        targets.map(|target| target.name.as_str())
    }
}

/// A member of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CargoPackage {
    /// Cargo's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Its targets.
    pub targets: Vec<CargoTarget>,
    /// Its dependencies.
    pub dependencies: Vec<PackageDependency>,
    /// Its features, and the features that each enables.
    #[serde(default)]
    pub features: BTreeMap<String, Vec<String>>,
}

impl CargoPackage {
    /// The folder of its manifest.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    /// The value of cargo's `-p` that selects only this package, even if one of its dependencies depends on another
    /// version of it: its id. Cargo before 1.77 does not accept its own ids (`name 1.0.0 (path+file:///…)`); there it
    /// is the name.
    #[must_use]
    pub fn specification(&self) -> &str {
        if self.id.contains(' ') { &self.name } else { &self.id }
    }

    /// Its targets of a kind: `bench`, `bin`, `lib`, `test`.
    pub fn targets_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a CargoTarget> {
        self.targets
            .iter()
            .filter(move |target| target.kind.iter().any(|k| k == kind))
    }
}

/// A target of a package.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CargoTarget {
    /// `bench`, `bin`, `lib`, …
    pub kind: Vec<String>,
    /// Its name.
    pub name: String,
    /// Its root source file.
    pub src_path: PathBuf,
    /// Features without which cargo skips it without a message.
    #[serde(default, rename = "required-features")]
    pub required_features: Vec<String>,
}

/// A dependency as written in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageDependency {
    /// Name of the package.
    pub name: String,
    /// The registry or repository that it comes from; `None` for a folder.
    #[serde(default)]
    pub source: Option<String>,
    /// The accepted versions: `^1.2`.
    #[serde(default)]
    pub req: String,
    /// `dev`, `build`, or `None` for a normal dependency.
    #[serde(default)]
    pub kind: Option<String>,
    /// The name of the package in this manifest.
    #[serde(default)]
    pub rename: Option<String>,
    /// True if only a feature enables it.
    #[serde(default)]
    pub optional: bool,
    /// True if its default features are enabled.
    #[serde(default)]
    pub uses_default_features: bool,
    /// The features that are enabled.
    #[serde(default)]
    pub features: Vec<String>,
    /// The platform that needs it.
    #[serde(default)]
    pub target: Option<String>,
}

/// The reason why the toolchain can't be queried.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The program is missing, or hangs.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It failed.
    #[error("running `{command}` in {}: it {ending}: {reason}", directory.display())]
    Failed {
        /// The command line.
        command: String,
        /// Where it ran.
        directory: PathBuf,
        /// `exited with code 101`.
        ending: String,
        /// Its error output.
        reason: String,
    },
    /// Its output has an unexpected form.
    #[error("reading the output of `{command}`: {reason}; check that it belongs to a standard Rust toolchain")]
    Answer {
        /// The command line.
        command: String,
        /// The error.
        reason: String,
    },
}

/// The compiler that a folder uses.
///
/// # Errors
/// If there is none, or it can't be queried.
pub fn compiler(directory: &Path, interruption: &InterruptionFlag) -> Result<RustCompiler, ToolchainError> {
    let invocation = question(compiler_program(), directory).arguments(["-vV"]);
    let text = ask(&invocation, interruption)?.stdout.text();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    match (text.lines().next(), host) {
        (Some(version), Some(host)) => Ok(RustCompiler {
            version: version.to_owned(),
            host: host.to_owned(),
        }),
        _ => Err(ToolchainError::Answer {
            command: invocation.to_string(),
            reason: "no `host:` line".to_owned(),
        }),
    }
}

/// The compiler that a folder uses to build some benchmarks. Where they are commands of the user, there need not be one: a command
/// that gets by without the toolchain that the folder names does not ask for it.
///
/// # Errors
/// If one is needed and there is none, or it can't be queried; if the user stops lito.
pub fn compiler_for(
    definitions: &BenchmarkDefinitions,
    directory: &Path,
    interruption: &InterruptionFlag,
) -> Result<RustCompiler, ToolchainError> {
    match compiler(directory, interruption) {
        Err(ToolchainError::Process(error @ ProcessError::Interrupted { .. })) => Err(error.into()),
        Err(_) if definitions.are_commands() => {
            Ok(compiler(Path::new("/"), interruption).unwrap_or_else(|_| RustCompiler::absent()))
        }
        answer => answer,
    }
}

/// The workspace that a folder's `Cargo.toml` belongs to.
///
/// # Errors
/// If cargo is missing or refuses the manifest.
pub fn workspace(
    directory: &Path,
    environment: &BTreeMap<String, String>,
    interruption: &InterruptionFlag,
) -> Result<CargoWorkspace, ToolchainError> {
    let invocation = metadata(directory, environment).arguments(["--no-deps"]);
    let answer = ask(&invocation, interruption)?;
    serde_json::from_slice(&answer.stdout.bytes).map_err(|error| ToolchainError::Answer {
        command: invocation.to_string(),
        reason: error.to_string(),
    })
}

/// A package that a build takes from a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPackage {
    /// Cargo's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
}

/// The packages that a build in a folder takes from folders: the members, and their path dependencies.
///
/// # Errors
/// If cargo is missing, refuses the manifest or can't resolve the dependencies.
pub fn local_packages(
    directory: &Path,
    environment: &BTreeMap<String, String>,
    interruption: &InterruptionFlag,
) -> Result<Vec<LocalPackage>, ToolchainError> {
    #[derive(Deserialize)]
    struct MetadataGraph {
        packages: Vec<MetadataPackage>,
    }
    #[derive(Deserialize)]
    struct MetadataPackage {
        id: String,
        name: String,
        source: Option<String>,
        manifest_path: PathBuf,
    }
    let invocation = metadata(directory, environment);
    let answer = ask(&invocation, interruption)?;
    let graph: MetadataGraph =
        serde_json::from_slice(&answer.stdout.bytes).map_err(|error| ToolchainError::Answer {
            command: invocation.to_string(),
            reason: error.to_string(),
        })?;
    Ok(graph
        .packages
        .into_iter()
        .filter(|node| node.source.is_none())
        .map(|node| LocalPackage {
            id: node.id,
            name: node.name,
            manifest_path: node.manifest_path,
        })
        .collect())
}

fn metadata(directory: &Path, environment: &BTreeMap<String, String>) -> Invocation {
    let invocation = question(cargo_program(), directory)
        .arguments(["metadata", "--format-version", "1", "--manifest-path"])
        .arguments([directory.join("Cargo.toml")])
        .variable("CARGO_TERM_COLOR", "never");
    environment
        .iter()
        .fold(invocation, |invocation, (name, value)| invocation.variable(name, value))
}

/// A question to a program of the toolchain, which answers errors without frames of its own code.
fn question(program: impl Into<OsString>, directory: &Path) -> Invocation {
    (BACKTRACES.iter()).fold(
        Invocation::new(program, directory, QUESTION_LIMIT),
        |invocation, variable| invocation.without_variable(variable),
    )
}

/// The compiler to call, as cargo chooses it.
#[must_use]
pub fn compiler_program() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// The cargo to call: the one in `PATH`, which is rustup's if rustup is installed, so that a `rust-toolchain.toml` of
/// the measured version is honoured; else the one that runs this program.
#[must_use]
pub fn cargo_program() -> OsString {
    let in_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("cargo").is_file()));
    if in_path {
        "cargo".into()
    } else {
        std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
    }
}

fn ask(invocation: &Invocation, interruption: &InterruptionFlag) -> Result<FinishedProcess, ToolchainError> {
    let finished = process::run(invocation, interruption)?;
    if finished.status.success() {
        return Ok(finished);
    }
    Err(ToolchainError::Failed {
        command: invocation.to_string(),
        directory: invocation.directory.clone(),
        ending: finished.ending(),
        reason: complaint(&finished.stderr),
    })
}

/// The lines of an error: from the first one that begins with `error`, so that what rustup and cargo report before is
/// left out; else the last ones.
fn complaint(stderr: &CapturedOutput) -> String {
    let text = stderr.text();
    let lines: Vec<&str> = (text.lines().map(str::trim_end))
        .skip_while(|line| !line.starts_with("error"))
        .filter(|line| !line.is_empty())
        .take(ERROR_LINES)
        .collect();
    match lines.as_slice() {
        [] => stderr.last_lines(ERROR_LINES),
        lines => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_compiler_and_this_workspace_are_described() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let compiler = compiler(here, &InterruptionFlag::default()).unwrap();
        assert!(compiler.version.starts_with("rustc 1."), "{compiler:?}");
        assert!(compiler.host.contains('-'));
        let workspace = workspace(here, &BTreeMap::new(), &InterruptionFlag::default()).unwrap();
        let package = workspace
            .packages
            .iter()
            .find(|package| package.name == "lito-runner")
            .unwrap();
        assert_eq!(package.directory(), here);
        assert_eq!(
            package
                .targets_of("lib")
                .map(|target| target.name.as_str())
                .collect::<Vec<_>>(),
            ["runner"]
        );
        assert!(package.dependencies.iter().any(|dependency| dependency.name == "serde"));
    }

    #[test]
    fn an_error_begins_where_the_program_says_so() {
        let captured = |text: &str| CapturedOutput {
            bytes: text.as_bytes().to_vec(),
            dropped: 0,
        };
        let rustup = "info: syncing channel updates\nerror: toolchain '1.2.3' is not installed\n\nhelp: run it\n";
        assert_eq!(
            complaint(&captured(rustup)),
            "error: toolchain '1.2.3' is not installed\nhelp: run it"
        );
        assert_eq!(complaint(&captured("no such thing\n")), "no such thing");
    }

    #[test]
    fn a_broken_manifest_is_an_error_in_cargos_words() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("Cargo.toml"), "[package\n").unwrap();
        let error = workspace(directory.path(), &BTreeMap::new(), &InterruptionFlag::default()).unwrap_err();
        assert!(matches!(error, ToolchainError::Failed { .. }), "{error}");
    }
}

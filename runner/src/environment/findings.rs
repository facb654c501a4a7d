//! A machine and a repository → findings on the tools and the space that sampling needs, each with its remedy if
//! something is missing.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::build;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::toolchain::{self, ToolchainError};

/// Time limit for a program that prints its version.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(20);

/// Free space below which no build is started: the build folder of a small library with criterion takes 150 MB, and a
/// full disk fails in the middle of a build.
pub const NEEDED_SPACE: u64 = 500 << 20;

/// Free space below which a build folder shared by many versions may not fit.
const COMFORTABLE_SPACE: u64 = 5 << 30;

/// The oldest valgrind known to read the debug information of today's compilers (DWARF 5).
const OLDEST_VALGRIND: (u32, u32) = (3, 18);

/// The topic of the finding about benchmarks, whose defects are the repository's and not the machine's.
pub const BENCHMARKS: &str = "benchmarks";

/// The topics of findings about what builds benchmarks of Rust.
pub const OF_RUST: [&str; 2] = [COMPILER, CARGO];

const COMPILER: &str = "compiler";
const CARGO: &str = "cargo";

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvironmentFinding {
    /// Subject of the check, in a word or two.
    pub topic: &'static str,
    /// Severity.
    pub severity: FindingSeverity,
    /// The finding, as a sentence.
    pub message: String,
    /// The remedy, if something is wrong.
    pub remedy: Option<String>,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingSeverity {
    /// As it should be.
    Good,
    /// Works with restrictions.
    Warning,
    /// Sampling can't work.
    Error,
}

impl EnvironmentFinding {
    pub(super) fn good(topic: &'static str, message: impl Into<String>) -> Self {
        Self {
            topic,
            severity: FindingSeverity::Good,
            message: message.into(),
            remedy: None,
        }
    }

    pub(super) fn bad(
        topic: &'static str,
        severity: FindingSeverity,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            topic,
            severity,
            message: message.into(),
            remedy: Some(remedy.into()),
        }
    }
}

/// Checks everything that sampling a repository needs: toolchain, valgrind, git, perf, strace, free space,
/// benchmarks.
#[must_use]
pub fn check_environment(repository: &Path, cache: &Path, interruption: &InterruptionFlag) -> Vec<EnvironmentFinding> {
    vec![
        compiler(repository, interruption),
        cargo(repository, interruption),
        valgrind(interruption),
        git(interruption),
        perf(interruption),
        strace(interruption),
        space(cache),
        check_bench_targets(repository, interruption),
    ]
}

/// Output of `valgrind --version`, e.g. `valgrind-3.19.0`; `None` if it is missing or broken.
#[must_use]
pub fn valgrind_version(interruption: &InterruptionFlag) -> Option<String> {
    first_line("valgrind", &["--version"], Path::new("/"), interruption)
}

/// Free bytes for this user on the file system that contains a folder.
///
/// # Errors
/// The folder does not exist.
#[allow(unsafe_code)]
pub fn free_space(folder: &Path) -> std::io::Result<u64> {
    let path = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: `statvfs` is plain data for which all zeroes is valid; the call reads a NUL-terminated string and writes
    // into the given structure.
    let (outcome, space) = unsafe {
        let mut space: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut space), space)
    };
    if outcome != 0 {
        return Err(std::io::Error::last_os_error());
    }
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
    // the fields' types differ between systems
    Ok((space.f_bavail as u64).saturating_mul(space.f_frsize as u64))
}

fn first_line(program: &str, arguments: &[&str], directory: &Path, interruption: &InterruptionFlag) -> Option<String> {
    let invocation = Invocation::new(program, directory, QUESTION_LIMIT).arguments(arguments);
    let finished = process::run(&invocation, interruption).ok()?;
    let text = finished.stdout.text();
    finished
        .status
        .success()
        .then(|| text.lines().next().map(|line| line.trim().to_owned()))
        .flatten()
}

fn compiler(repository: &Path, interruption: &InterruptionFlag) -> EnvironmentFinding {
    match toolchain::compiler(repository, interruption) {
        Ok(compiler) => EnvironmentFinding::good(COMPILER, compiler.version),
        Err(error) => EnvironmentFinding::bad(
            COMPILER,
            FindingSeverity::Error,
            error.to_string(),
            "install Rust with rustup, or the toolchain that the repository's rust-toolchain.toml names",
        ),
    }
}

fn cargo(repository: &Path, interruption: &InterruptionFlag) -> EnvironmentFinding {
    let program = toolchain::cargo_program();
    match first_line(&program.to_string_lossy(), &["--version"], repository, interruption) {
        Some(version) => EnvironmentFinding::good(CARGO, version),
        None => EnvironmentFinding::bad(
            CARGO,
            FindingSeverity::Error,
            "cargo does not run",
            "install Rust with rustup",
        ),
    }
}

fn valgrind(interruption: &InterruptionFlag) -> EnvironmentFinding {
    judge_valgrind(valgrind_version(interruption).as_deref())
}

fn judge_valgrind(version: Option<&str>) -> EnvironmentFinding {
    let remedy = "install the system's package valgrind to count instructions";
    let Some(version) = version else {
        return EnvironmentFinding::bad(
            "valgrind",
            FindingSeverity::Warning,
            "valgrind does not run: probes in the source count operations instead",
            remedy,
        );
    };
    let mut numbers = version
        .trim_start_matches("valgrind-")
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) >= OLDEST_VALGRIND => {
            EnvironmentFinding::good("valgrind", version)
        }
        (Some(_), Some(_)) => {
            let (major, minor) = OLDEST_VALGRIND;
            let message = format!("{version} is older than {major}.{minor} and may not read DWARF 5 debug information");
            EnvironmentFinding::bad(
                "valgrind",
                FindingSeverity::Warning,
                message,
                "install a newer valgrind",
            )
        }
        _ => EnvironmentFinding::bad(
            "valgrind",
            FindingSeverity::Warning,
            format!("unknown version of valgrind: `{version}`"),
            remedy,
        ),
    }
}

fn git(interruption: &InterruptionFlag) -> EnvironmentFinding {
    match first_line("git", &["--version"], Path::new("/"), interruption) {
        Some(version) => EnvironmentFinding::good("git", version),
        None => EnvironmentFinding::bad(
            "git",
            FindingSeverity::Warning,
            "the program git does not run, so the store can't be pushed or fetched",
            "install the system's package git",
        ),
    }
}

fn perf(interruption: &InterruptionFlag) -> EnvironmentFinding {
    match first_line("perf", &["--version"], Path::new("/"), interruption) {
        Some(version) => EnvironmentFinding::good("perf", version),
        None => EnvironmentFinding::bad(
            "perf",
            FindingSeverity::Warning,
            "perf does not run: hardware counters are not available; lito does not depend on them",
            "install the system's package linux-perf (Debian) or perf, if you want them",
        ),
    }
}

fn strace(interruption: &InterruptionFlag) -> EnvironmentFinding {
    match build::can_trace(interruption) {
        true => EnvironmentFinding::good("strace", "shows what a command reads to build"),
        false => EnvironmentFinding::bad(
            "strace",
            FindingSeverity::Warning,
            "strace does not run, or may not trace: which files a build command reads is not known, so a change of any \
             build file is a risk; cargo tells this itself",
            "install the system's package strace, if lito.toml has a build command; in a container, allow ptrace",
        ),
    }
}

fn space(folder: &Path) -> EnvironmentFinding {
    // The folder itself may not exist yet.
    let existing = folder
        .ancestors()
        .find(|ancestor| ancestor.is_dir())
        .unwrap_or(Path::new("/"));
    match free_space(existing) {
        Ok(free) => judge_space(folder, free),
        Err(error) => EnvironmentFinding::bad(
            "disk space",
            FindingSeverity::Warning,
            format!("asking for the free space of {}: {error}", existing.display()),
            "set LITO_CACHE to a folder on a local disk",
        ),
    }
}

fn judge_space(folder: &Path, free: u64) -> EnvironmentFinding {
    let message = format!("{} MB free for builds at {}", free >> 20, folder.display());
    let remedy = "free some space, or set LITO_CACHE to a folder on a larger disk";
    if free < NEEDED_SPACE {
        EnvironmentFinding::bad("disk space", FindingSeverity::Error, message, remedy)
    } else if free < COMFORTABLE_SPACE {
        EnvironmentFinding::bad("disk space", FindingSeverity::Warning, message, remedy)
    } else {
        EnvironmentFinding::good("disk space", message)
    }
}

/// Checks the bench targets in cargo's metadata, without building.
#[must_use]
pub fn check_bench_targets(repository: &Path, interruption: &InterruptionFlag) -> EnvironmentFinding {
    let topic = BENCHMARKS;
    let workspace = match toolchain::workspace(repository, &std::collections::BTreeMap::new(), interruption) {
        Ok(workspace) => workspace,
        Err(error) => return without_workspace(repository, &error),
    };
    let mut targets: Vec<&str> = workspace.bench_targets().collect();
    targets.sort_unstable();
    let nested = build::nested_benches(repository, interruption).unwrap_or_default();
    let folders: Vec<String> = (nested.iter())
        .filter_map(|definition| Some(definition.directory.as_ref()?.display().to_string()))
        .collect();
    if targets.is_empty() && !folders.is_empty() {
        let seen = format!("bench targets of packages beside the workspace: {}", folders.join(", "));
        return EnvironmentFinding::good(topic, seen);
    }
    if targets.is_empty() {
        let remedy = "add benches (criterion, divan or #[bench]), or [[benchmarks]] to lito.toml; until then unit tests \
                      serve as benchmarks";
        return EnvironmentFinding::bad(
            topic,
            FindingSeverity::Warning,
            "no bench target in any package",
            remedy,
        );
    }
    let mut seen = format!("bench targets: {}", targets.join(", "));
    if !folders.is_empty() {
        let folders = folders.join(", ");
        seen += &format!("; those of {folders}, beside the workspace, are measured only if lito.toml names them");
    }
    EnvironmentFinding::good(topic, seen)
}

/// A manifest that cargo refuses is an error; a folder without one may have benchmarks that are commands.
fn without_workspace(repository: &Path, error: &ToolchainError) -> EnvironmentFinding {
    let manifest = repository.join("Cargo.toml");
    match error {
        ToolchainError::Failed { reason, .. } if manifest.is_file() => EnvironmentFinding::bad(
            BENCHMARKS,
            FindingSeverity::Error,
            format!("cargo refuses {}:\n{reason}", manifest.display()),
            "correct Cargo.toml; `cargo metadata --no-deps` repeats the error",
        ),
        ToolchainError::Failed { .. } if !manifest.exists() => EnvironmentFinding::bad(
            BENCHMARKS,
            FindingSeverity::Warning,
            format!(
                "no Cargo.toml in {}: lito finds benchmarks of cargo by itself",
                repository.display()
            ),
            "`lito init` writes the suites that it finds into lito.toml, and an example for other programs; or run lito at the \
             root of a cargo package",
        ),
        ToolchainError::Failed { .. } | ToolchainError::Answer { .. } | ToolchainError::Process(_) => {
            EnvironmentFinding::bad(
                BENCHMARKS,
                FindingSeverity::Warning,
                error.to_string(),
                "run lito at the root of a cargo package, or describe commands in lito.toml",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn whatever_is_wrong_has_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let found = check_environment(
            folder.path(),
            &folder.path().join("not/yet"),
            &InterruptionFlag::default(),
        );
        for finding in &found {
            assert_eq!(
                finding.remedy.is_some(),
                finding.severity != FindingSeverity::Good,
                "{finding:?}"
            );
        }
        let benchmarks = found.iter().find(|finding| finding.topic == "benchmarks").unwrap();
        assert!(benchmarks.message.contains("Cargo.toml"), "{benchmarks:?}");
        assert_eq!(
            found.iter().find(|finding| finding.topic == "cargo").unwrap().severity,
            FindingSeverity::Good
        );
    }

    #[test]
    fn a_manifest_that_cargo_refuses_is_an_error_with_all_its_lines() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[package\n").unwrap();
        let found = check_bench_targets(folder.path(), &InterruptionFlag::default());
        assert_eq!(found.severity, FindingSeverity::Error);
        assert!(found.message.lines().count() > 1, "{found:?}");
        assert!(found.message.contains("[package"), "{found:?}");
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_folder() {
        let folder = Path::new("/some/cache");
        let full = judge_space(folder, NEEDED_SPACE - 1);
        assert_eq!(full.severity, FindingSeverity::Error);
        assert!(full.message.contains("/some/cache") && full.remedy.unwrap().contains("LITO_CACHE"));
        assert_eq!(judge_space(folder, NEEDED_SPACE).severity, FindingSeverity::Warning);
        assert_eq!(judge_space(folder, COMFORTABLE_SPACE).severity, FindingSeverity::Good);
        assert!(free_space(Path::new("/")).is_ok() && free_space(Path::new("/no/such/folder")).is_err());
    }

    #[test]
    fn valgrind_is_judged_by_its_version() {
        // Probes replace it.
        assert_eq!(judge_valgrind(None).severity, FindingSeverity::Warning);
        for (version, severity) in [
            ("valgrind-3.19.0", FindingSeverity::Good),
            ("valgrind-3.18.1", FindingSeverity::Good),
            ("valgrind-3.17.0", FindingSeverity::Warning),
            ("valgrind-4.0.0.GIT", FindingSeverity::Good),
            ("something else", FindingSeverity::Warning),
        ] {
            assert_eq!(judge_valgrind(Some(version)).severity, severity, "{version}");
        }
    }
}

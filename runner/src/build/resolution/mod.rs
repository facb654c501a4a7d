//! A harness's copy and the version's requirements → a `Cargo.lock` there: an earlier version's if cargo accepts it,
//! else one as of the version's commit, else the newest.
//!
//! Each lock file is stored under the requirements that it was made for. Versions with equal requirements are therefore
//! built with the same dependencies, in whatever order and however often they are built. A version with other
//! requirements is tried with the lock file of the version built last, unless that is younger. If cargo does not accept
//! it, only the packages that have to change are resolved as of the version's commit. Cargo decides whether a lock file
//! is accepted, and resolves; nothing is built here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::diagnostics::{classify_build_failure, process_error};
use super::lockfile::{self, LockedPackage};
use super::{BuildContext, BuildError, BuildPurpose};
use crate::process::{self, FinishedProcess, Invocation};
use crate::toolchain::{self, CargoWorkspace, PackageDependency};

/// How long cargo may take to resolve: it may have to fetch the index first.
const RESOLVING_LIMIT: Duration = Duration::from_secs(300);

/// Characters of the hash in the name of a stored lock file: 64 bits distinguish the requirements of versions.
const HASH_CHARACTERS: usize = 16;

/// The lock file of the version built last.
const LATEST: &str = "latest.json";

/// A file that exists beside the stored lock files while the harness's copy has one of them.
const IN_USE: &str = "in-use";

/// The resolved dependencies of a harness at one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyResolution {
    /// As of when, or why not.
    pub how: ResolutionMethod,
    /// `name version` of every package that comes from a registry or from git, sorted.
    pub packages: Vec<String>,
}

/// How dependencies were resolved; times are as in `2024-07-31T17:21:53Z`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolutionMethod {
    /// The dependencies of another version, which this one accepts too.
    Kept {
        /// The time of that version's commit.
        since: String,
    },
    /// The newest at the time of the version's commit, except for the dependencies of the version built before that
    /// need not change.
    AsOf {
        /// That time.
        time: String,
    },
    /// The newest of all.
    Newest {
        /// Why they are not those as of the commit.
        why: String,
    },
}

impl fmt::Display for ResolutionMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { since } => write!(formatter, "kept since {since}"),
            Self::AsOf { time } => write!(formatter, "as of {time}"),
            Self::Newest { why } => write!(formatter, "newest: {why}"),
        }
    }
}

/// A request to resolve the dependencies of a harness.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResolutionRequest<'a> {
    /// The harness's copy, whose dependencies are resolved.
    pub(super) copy: &'a Path,
    /// The harness.
    pub(super) original: &'a Path,
    /// The manifest of the copy.
    pub(super) manifest: &'a str,
    /// The version's workspace.
    pub(super) workspace: &'a CargoWorkspace,
    /// Variables for cargo.
    pub(super) environment: &'a BTreeMap<String, String>,
}

/// A lock file, and the version for which it was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedLockfile {
    committed_at: i64,
    /// Why it is not as of that version.
    newest_because: Option<String>,
    lock: String,
}

impl CachedLockfile {
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// True if another version of this time may be built with it. Dependencies are then never newer than its commit,
    /// unless a version with equal requirements has them.
    fn does_for(&self, committed_at: Option<i64>) -> bool {
        self.newest_because.is_none() && committed_at.is_none_or(|time| self.committed_at <= time)
    }

    /// How it was resolved, for a version of this time.
    fn how(&self, committed_at: Option<i64>) -> ResolutionMethod {
        let time = written(self.committed_at);
        match &self.newest_because {
            _ if committed_at != Some(self.committed_at) => ResolutionMethod::Kept { since: time },
            Some(why) => ResolutionMethod::Newest { why: why.clone() },
            None => ResolutionMethod::AsOf { time },
        }
    }
}

/// Writes a lock file into the copy.
///
/// # Errors
/// If cargo can't resolve the dependencies at all, or a file can't be written.
pub(super) fn resolve_dependencies(
    request: ResolutionRequest<'_>,
    site: &BuildContext<'_>,
) -> Result<DependencyResolution, BuildError> {
    let folder = site.cache.resolutions(request.original);
    write(&folder.join(IN_USE), "")?;
    let own = folder.join(format!("{}.json", requirements(request)));
    let latest = folder.join(LATEST);
    let of_another = CachedLockfile::read(&latest).filter(|last| last.does_for(site.committed_at));
    let mut nearest = None;
    for mut known in [CachedLockfile::read(&own), of_another].into_iter().flatten() {
        let before = lockfile::locked_packages(&known.lock).unwrap_or_default();
        match tried(&known.lock, &before, request, site)? {
            LockfileUpdate::WillDo(lock) => {
                known.lock = lock;
                return remember(&known, &[&own, &latest], site);
            }
            LockfileUpdate::Changed(lock) => nearest = Some((known.lock, lock)),
            LockfileUpdate::Refused => {}
        }
    }
    let (mut lock, newest_because) = anew(request, site)?;
    if let Some((old, changed)) = nearest
        && newest_because.is_none()
    {
        lock = sparing(&old, &changed, lock, request, site)?;
    }
    match site.committed_at {
        Some(committed_at) => {
            let made = CachedLockfile {
                committed_at,
                newest_because,
                lock,
            };
            remember(&made, &[&own, &latest], site)
        }
        None => Ok(DependencyResolution {
            how: ResolutionMethod::Newest {
                why: newest_because.unwrap_or_default(),
            },
            packages: packages(&lock),
        }),
    }
}

/// Removes lito's lock file from the copy of a harness that is now resolved in another way.
pub(super) fn remove_resolved_lockfile(
    original: &Path,
    copy: &Path,
    site: &BuildContext<'_>,
) -> Result<(), BuildError> {
    let mark = site.cache.resolutions(original).join(IN_USE);
    if mark.is_file() {
        remove(&copy.join("Cargo.lock"))?;
        remove(&mark)?;
    }
    Ok(())
}

fn remember(
    made: &CachedLockfile,
    places: &[&PathBuf],
    site: &BuildContext<'_>,
) -> Result<DependencyResolution, BuildError> {
    let text = serde_json::to_string(made).expect("texts and numbers are JSON");
    for place in places {
        write(place, &text)?;
    }
    Ok(DependencyResolution {
        how: made.how(site.committed_at),
        packages: packages(&made.lock),
    })
}

fn packages(lock: &str) -> Vec<String> {
    let locked = lockfile::locked_packages(lock).unwrap_or_default();
    locked
        .into_iter()
        .map(|(name, version, _)| format!("{name} {version}"))
        .collect()
}

/// A hash of everything that the copy and the version require of registries and repositories. It excludes the
/// requirements of folders outside the version's workspace: cargo is still asked whether it accepts a lock file.
fn requirements(request: ResolutionRequest<'_>) -> String {
    let asked: Vec<_> = request
        .workspace
        .packages
        .iter()
        .map(|package| {
            let is_asked = |dependency: &&PackageDependency| {
                dependency.source.is_some() && dependency.kind.as_deref() != Some("dev")
            };
            let dependencies: Vec<_> = package.dependencies.iter().filter(is_asked).collect();
            (&package.name, &package.features, dependencies)
        })
        .collect();
    let text = serde_json::to_string(&(request.manifest, asked)).expect("texts and lists are JSON");
    blake3::hash(text.as_bytes()).to_hex()[..HASH_CHARACTERS].to_owned()
}

/// Cargo's answer about a lock file.
enum LockfileUpdate {
    /// Only allowed packages changed: the file as it is now.
    WillDo(String),
    /// Other packages changed.
    Changed(String),
    Refused,
}

/// Has cargo adapt a lock file to this version; only `allowed` packages may result.
fn tried(
    lock: &str,
    allowed: &BTreeSet<LockedPackage>,
    request: ResolutionRequest<'_>,
    site: &BuildContext<'_>,
) -> Result<LockfileUpdate, BuildError> {
    let versions = request
        .workspace
        .packages
        .iter()
        .map(|package| (package.name.clone(), package.version.clone()))
        .collect();
    let Some(rewritten) = lockfile::with_versions(lock, &versions) else {
        return Ok(LockfileUpdate::Refused);
    };
    let path = request.copy.join("Cargo.lock");
    write(&path, &rewritten)?;
    // Not `--locked`: a package from a folder may be new, and one from elsewhere not needed any more. This neither
    // fetches packages nor, if it accepts the lock file, asks the registry.
    let finished = cargo(&["update", "--workspace"], request, site)?;
    let after = read(&path).filter(|_| finished.status.success());
    Ok(match after {
        None => LockfileUpdate::Refused,
        Some(after) => match lockfile::locked_packages(&after) {
            Some(packages) if packages.is_subset(allowed) => LockfileUpdate::WillDo(after),
            Some(_) => LockfileUpdate::Changed(after),
            None => LockfileUpdate::Refused,
        },
    })
}

/// The new lock file, with those packages of the old one that cargo kept when it adapted that one. Without this, all
/// packages would change if a version requires one other package.
fn sparing(
    old: &str,
    changed: &str,
    new: String,
    request: ResolutionRequest<'_>,
    site: &BuildContext<'_>,
) -> Result<String, BuildError> {
    let locked = |lock: &str| lockfile::locked_packages(lock).unwrap_or_default();
    let (before, after) = (locked(old), locked(changed));
    let renewed = before
        .symmetric_difference(&after)
        .map(|(name, ..)| name.clone())
        .collect();
    let allowed = before.union(&locked(&new)).cloned().collect();
    if let Some(merged) = lockfile::merge_lockfiles(old, &new, &renewed)
        && let LockfileUpdate::WillDo(lock) = tried(&merged, &allowed, request, site)?
    {
        return Ok(lock);
    }
    write(&request.copy.join("Cargo.lock"), &new)?;
    Ok(new)
}

/// A new lock file, and the reason if it is not as of the commit.
fn anew(request: ResolutionRequest<'_>, site: &BuildContext<'_>) -> Result<(String, Option<String>), BuildError> {
    let path = request.copy.join("Cargo.lock");
    let mut why = "the version is not a commit".to_owned();
    if let Some(time) = site.committed_at.map(written) {
        remove(&path)?;
        let arguments = ["generate-lockfile", "-Zunstable-options", "--publish-time", &time];
        match made(&cargo(&arguments, request, site)?, &path) {
            Ok(lock) => return Ok((lock, None)),
            Err(BuildError::DoesNotBuild { reason }) => {
                why = format!("not as of {time}: {}", reason.replace('\n', "; "));
            }
            Err(other) => return Err(other),
        }
    }
    remove(&path)?;
    let lock = made(&cargo(&["generate-lockfile"], request, site)?, &path)?;
    Ok((lock, Some(why)))
}

fn made(finished: &FinishedProcess, lock: &Path) -> Result<String, BuildError> {
    let complaint = || classify_build_failure(&finished.stderr.text(), &finished.ending(), BuildPurpose::Costs);
    if !finished.status.success() {
        return Err(complaint());
    }
    read(lock).ok_or_else(complaint)
}

fn cargo(
    arguments: &[&str],
    request: ResolutionRequest<'_>,
    site: &BuildContext<'_>,
) -> Result<FinishedProcess, BuildError> {
    let mut invocation = Invocation::new(toolchain::cargo_program(), request.copy, RESOLVING_LIMIT)
        .arguments(arguments)
        .arguments(["--manifest-path".into(), request.copy.join("Cargo.toml")])
        .variable("CARGO_TERM_COLOR", "never");
    for (name, value) in request.environment {
        invocation = invocation.variable(name, value);
    }
    if arguments.contains(&"-Zunstable-options") {
        // For this command only: dependencies would detect unstable features and use them.
        invocation = invocation.variable("RUSTC_BOOTSTRAP", "1");
    }
    process::run(&invocation, site.interruption).map_err(process_error)
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|source| BuildError::Write {
            path: path.to_owned(),
            source,
        })
}

fn remove(path: &Path) -> Result<(), BuildError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(BuildError::Write {
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Seconds since 1970 as `2024-07-31T17:21:53Z`.
///
/// Civil dates in the proleptic Gregorian calendar, with years that begin on 1 March so that leap days come last.
fn written(seconds: i64) -> String {
    const DAY: i64 = 86_400;
    /// Days of 400 years, after which the calendar repeats.
    const ERA: i64 = 146_097;
    /// Days from 1 March of the year 0 to 1 January 1970.
    const EPOCH: i64 = 719_468;
    let days = seconds.div_euclid(DAY) + EPOCH;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    // Without the leap days that came before, every year has 365 days.
    let year = (day - day / 1_460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + next;
    let time = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests;

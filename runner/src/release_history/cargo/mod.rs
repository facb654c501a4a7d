//! A package's name → its index lines and archives, through the `cargo` program and its caches.
//!
//! Runs `cargo info`, because it fetches one archive without its dependencies; its output is not read. The index lines
//! are in cargo's cache, separated by zero bytes; an archive is accepted only if its SHA-256 equals the index's,
//! whichever mirror it came from.

mod release_tree;
mod unpublished;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use semver::Version;
use serde::Deserialize;

pub(super) use release_tree::write_tree;
pub use unpublished::{TargetKind, UnpublishedPart};

use super::ImportError;
use super::releases::{IndexLine, PublishedRelease};
use super::version::ReleaseVersion;
use crate::process::{InterruptionFlag, Invocation, ProcessError, run};

/// The longest name that registries accept.
const NAME_LENGTH: usize = 64;

/// The index of the package with the most releases is a few megabytes.
const INDEX_LIMIT: u64 = 256 << 20;

/// Registries accept archives of ten to some hundred megabytes.
const ARCHIVE_LIMIT: u64 = 1 << 30;

/// One small archive; cargo's own limits for slow and retried transfers end sooner.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// The fields of a line of cargo's index that are used here.
#[derive(Deserialize)]
struct CargoLine {
    name: String,
    vers: String,
    cksum: String,
    #[serde(default)]
    yanked: bool,
    /// RFC 3339, in UTC.
    #[serde(default)]
    pubtime: Option<String>,
}

impl From<CargoLine> for IndexLine {
    fn from(line: CargoLine) -> Self {
        Self {
            version: Version::parse(&line.vers).ok().map(ReleaseVersion::Semantic),
            name: line.name,
            number: line.vers,
            checksum: Some(line.cksum),
            yanked: line.yanked,
            published: line.pubtime,
            address: None,
        }
    }
}

/// True for a name that a registry accepts: no command line or path can misread it.
pub(super) fn is_package_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    name.len() <= NAME_LENGTH
        && name.bytes().all(allowed)
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Every release of a package, as the registry lists it now; without a network, as in cargo's cache.
pub(super) fn fetch_index(name: &str, interruption: &InterruptionFlag) -> Result<Vec<IndexLine>, ImportError> {
    let asked = ask(name, interruption);
    let lines = cached_index(name)?;
    match asked {
        Err(interrupted @ ImportError::Interrupted { .. }) => Err(interrupted),
        // Cached lines are better than none; without any, the package is unknown or unreachable.
        Err(error) if lines.is_empty() => Err(error),
        _ if lines.is_empty() => Err(ImportError::Cache {
            what: name.to_owned(),
            why: "its index is missing".to_owned(),
        }),
        _ => Ok(lines),
    }
}

/// Returns the archive of a release, from cargo's cache or fetched into it.
pub(super) fn fetch_archive(
    release: &PublishedRelease,
    interruption: &InterruptionFlag,
) -> Result<Vec<u8>, ImportError> {
    if let Some(archive) = cached_archive(release)? {
        return Ok(archive);
    }
    let what = format!("{}@{}", release.name, release.number);
    ask(&what, interruption)?;
    cached_archive(release)?.ok_or_else(|| ImportError::Cache {
        what,
        why: "there is no archive with the checksum of the index".to_owned(),
    })
}

/// Makes cargo fetch the index of a package, and one archive.
fn ask(what: &str, interruption: &InterruptionFlag) -> Result<(), ImportError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let invocation = Invocation::new(cargo, ".", TIME_LIMIT).arguments(["info", "--quiet", "--color", "never", what]);
    let finished = run(&invocation, interruption).map_err(|error| match error {
        ProcessError::Interrupted { .. } => ImportError::Interrupted { what: what.to_owned() },
        other => ImportError::Cargo {
            what: what.to_owned(),
            said: other.to_string(),
        },
    })?;
    if finished.status.success() {
        return Ok(());
    }
    let said = super::start_of(&finished.stderr.text());
    if said.contains("could not find") && !said.contains("offline") {
        return Err(ImportError::UnknownCrate {
            name: what.to_owned(),
            said,
        });
    }
    Err(ImportError::Cargo {
        what: what.to_owned(),
        said,
    })
}

/// Index lines in cargo's cache. Several registries may have the package: the one with the most lines counts.
fn cached_index(name: &str) -> Result<Vec<IndexLine>, ImportError> {
    let mut best = Vec::new();
    for registry in folders(&cargo_home()?.join("registry/index"))? {
        for name in spellings(name) {
            let path = registry.join(".cache").join(index_path(&name));
            let Some(content) = read(&path, INDEX_LIMIT)? else {
                continue;
            };
            let lines: Vec<IndexLine> = content
                .split(|byte| *byte == 0)
                .filter(|part| part.starts_with(b"{"))
                .filter_map(|part| Some(serde_json::from_slice::<CargoLine>(part).ok()?.into()))
                .collect();
            if lines.len() > best.len() {
                best = lines;
            }
        }
    }
    Ok(best)
}

fn cached_archive(release: &PublishedRelease) -> Result<Option<Vec<u8>>, ImportError> {
    for registry in folders(&cargo_home()?.join("registry/cache"))? {
        let path = registry.join(format!("{}-{}.crate", release.name, release.number));
        let Some(content) = read(&path, ARCHIVE_LIMIT)? else {
            continue;
        };
        if super::checksum(&content) == release.checksum {
            return Ok(Some(content));
        }
    }
    Ok(None)
}

fn cargo_home() -> Result<PathBuf, ImportError> {
    let given = std::env::var_os("CARGO_HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    given
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
        .ok_or_else(|| ImportError::Cache {
            what: "CARGO_HOME".to_owned(),
            why: "neither it nor a home folder is set".to_owned(),
        })
}

/// Folders in a folder, sorted; empty if it does not exist.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let mut found: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(cache_error(folder, &error)),
    };
    found.sort();
    Ok(found)
}

/// Reads a file of at most `limit` bytes; `None` if it does not exist.
fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ImportError> {
    let mut content = Vec::new();
    match std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut content)) {
        Ok(_) => Ok(Some(content)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cache_error(path, &error)),
    }
}

fn cache_error(path: &Path, error: &std::io::Error) -> ImportError {
    ImportError::Cache {
        what: path.display().to_string(),
        why: error.to_string(),
    }
}

/// Spellings of a name: registries treat `-` and `_` as equal.
fn spellings(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut all = vec![lower.replace('-', "_"), lower.replace('_', "-"), lower];
    all.sort();
    all.dedup();
    all
}

/// Path of a package in an index: by the length and the first letters of its name.
fn index_path(name: &str) -> PathBuf {
    match name.len() {
        1 | 2 => Path::new(&name.len().to_string()).join(name),
        3 => Path::new("3").join(&name[..1]).join(name),
        _ => Path::new(&name[..2]).join(&name[2..4]).join(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_a_registry_accepts_reach_a_command_line_or_a_path() {
        for good in ["a", "serde_json", "x11-dl", "1password"] {
            assert!(is_package_name(good), "{good}");
        }
        for bad in ["", "-Zhelp", "a/b", "..", "a b", "caf\u{e9}", "a@1", &"x".repeat(65)] {
            assert!(!is_package_name(bad), "{bad}");
        }
    }

    #[test]
    fn index_paths_follow_the_length_of_the_name() {
        let expected = [
            ("a", "1/a"),
            ("io", "2/io"),
            ("log", "3/l/log"),
            ("itoa", "it/oa/itoa"),
            ("memchr", "me/mc/memchr"),
        ];
        for (name, path) in expected {
            assert_eq!(index_path(name), Path::new(path));
        }
    }
}

//! A package's name → its index lines and archives, through the `python3` program and the index that its pip is configured
//! for.
//!
//! The index is asked as PEP 691 says. An archive is accepted only if its SHA-256 equals the index's.

use std::time::Duration;

use serde::Deserialize;

use super::releases::{IndexLine, PublishedRelease};
use super::version::{PythonVersion, ReleaseVersion};
use super::{ImportError, checksum, start_of};
use crate::process::{InterruptionFlag, Invocation, ProcessError, run};

/// Asks the index.
const PROGRAM: &str = include_str!("index.py");

/// The longest name that is accepted.
const NAME_LENGTH: usize = 100;

/// One small archive, or the list of the package with the most releases.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// The exit code for a package that the index does not have.
const UNKNOWN: i32 = 4;

/// A release as the program writes it.
#[derive(Deserialize)]
struct PythonLine {
    number: String,
    yanked: bool,
    #[serde(default)]
    checksum: Option<String>,
    #[serde(default)]
    published: Option<String>,
    #[serde(default)]
    address: Option<String>,
}

/// True for a name that the index accepts: no command line or path can misread it. Source: PEP 508.
pub(super) fn is_package_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    name.len() <= NAME_LENGTH
        && name.bytes().all(allowed)
        && ends.iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
}

/// Every release of a package, as the index lists it now.
pub(super) fn fetch_index(name: &str, interruption: &InterruptionFlag) -> Result<Vec<IndexLine>, ImportError> {
    let answer = ask(["list", name], name, interruption)?;
    let lines: Vec<PythonLine> = serde_json::from_slice(&answer).map_err(|error| ImportError::Python {
        what: name.to_owned(),
        said: error.to_string(),
    })?;
    let line = |line: PythonLine| IndexLine {
        name: name.to_owned(),
        version: PythonVersion::parse(&line.number).map(ReleaseVersion::Python),
        number: line.number,
        checksum: line.checksum.filter(|_| line.address.is_some()),
        yanked: line.yanked,
        published: line.published,
        address: line.address,
    };
    Ok(lines.into_iter().map(line).collect())
}

/// The archive of a release.
pub(super) fn fetch_archive(
    release: &PublishedRelease,
    interruption: &InterruptionFlag,
) -> Result<Vec<u8>, ImportError> {
    let what = format!("{}=={}", release.name, release.number);
    let archive = ask(
        ["fetch", release.address.as_deref().unwrap_or_default()],
        &what,
        interruption,
    )?;
    match checksum(&archive) == release.checksum {
        true => Ok(archive),
        false => Err(ImportError::Python {
            what,
            said: "the archive has another checksum than the index says".to_owned(),
        }),
    }
}

/// The content of the file that the program writes.
fn ask(task: [&str; 2], what: &str, interruption: &InterruptionFlag) -> Result<Vec<u8>, ImportError> {
    let failed = |said: String| ImportError::Python {
        what: what.to_owned(),
        said,
    };
    let answer = tempfile::NamedTempFile::new().map_err(|error| failed(error.to_string()))?;
    let invocation = Invocation::new("python3", ".", TIME_LIMIT)
        .arguments(["-c", PROGRAM])
        .arguments(task)
        .arguments([answer.path()]);
    let finished = run(&invocation, interruption).map_err(|error| match error {
        ProcessError::Interrupted { .. } => ImportError::Interrupted { what: what.to_owned() },
        other => failed(start_of(&other.to_string())),
    })?;
    match finished.status.code() {
        Some(0) => std::fs::read(answer.path()).map_err(|error| failed(error.to_string())),
        Some(UNKNOWN) => Err(ImportError::UnknownPython { name: what.to_owned() }),
        _ => Err(failed(start_of(&finished.stderr.text()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_the_index_accepts_reach_a_command_line() {
        for good in ["a", "more-itertools", "zope.interface", "Flask_2"] {
            assert!(is_package_name(good), "{good}");
        }
        for bad in ["", "-c", "a/b", "..", "a b", "a@1", "a-", &"x".repeat(101)] {
            assert!(!is_package_name(bad), "{bad}");
        }
    }
}

//! Two lock files → the packages that are resolved to another version or source.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::VersionStep;
use crate::change::build_files::{BuildChange, BuildChangesResult, parse_toml};

/// For each package from outside, its versions with their sources.
pub(super) type LockedPackages = BTreeMap<String, LockedVersions>;

/// Versions with their sources.
type LockedVersions = BTreeSet<(String, String)>;

/// Packages on both sides that are not the same. One that came or went is used by changed code or by a changed
/// package, which are listed.
pub(super) fn compare(old: &str, new: &str) -> BuildChangesResult {
    let (old, new) = (resolved(old)?, resolved(new)?);
    Ok(old
        .iter()
        .filter_map(|(name, versions)| Some((name, versions, new.get(name)?)))
        .filter(|(_, versions, others)| versions != others)
        .map(|(name, versions, others)| BuildChange::Package(name.clone(), step(versions, others)))
        .collect())
}

/// Compatible if each version after is with one before.
fn step(old: &LockedVersions, new: &LockedVersions) -> VersionStep {
    let nearest = |(version, _): &(String, String)| {
        let steps = old.iter().map(|(was, _)| VersionStep::between(was, version));
        steps.min().unwrap_or(VersionStep::Incompatible)
    };
    new.iter().map(nearest).max().unwrap_or(VersionStep::Compatible)
}

/// The packages of a lock file that come from outside the repository.
pub(super) fn resolved(text: &str) -> Result<LockedPackages, String> {
    let table = parse_toml(text)?;
    let mut resolved = LockedPackages::new();
    for package in table
        .get("package")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten()
    {
        let field = |key: &str| package.get(key).and_then(toml::Value::as_str);
        if let (Some(name), Some(version), Some(source)) = (field("name"), field("version"), field("source")) {
            resolved
                .entry(name.to_owned())
                .or_default()
                .insert((version.to_owned(), source.to_owned()));
        }
    }
    Ok(resolved)
}

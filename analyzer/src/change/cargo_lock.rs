//! Two lock files → the packages that are resolved to another version or source.

use std::collections::{BTreeMap, BTreeSet};

use super::build_files::{Finding, Findings, parse};

/// For each package from outside, its versions with their sources.
pub(super) type Resolved = BTreeMap<String, BTreeSet<(String, String)>>;

/// Packages on both sides that are not the same. One that came or went is used by changed code or by a changed
/// package, which are listed.
pub(super) fn compare(old: &str, new: &str) -> Findings {
    let (old, new) = (resolved(old)?, resolved(new)?);
    let changed = old
        .iter()
        .filter(|(name, versions)| new.get(*name).is_some_and(|other| other != *versions));
    Ok(changed
        .map(|(name, _)| Finding::Package(name.clone()))
        .collect())
}

/// The packages of a lock file that come from outside the repository.
pub(super) fn resolved(text: &str) -> Result<Resolved, String> {
    let table = parse(text)?;
    let mut resolved = Resolved::new();
    for package in table
        .get("package")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten()
    {
        let field = |key: &str| package.get(key).and_then(toml::Value::as_str);
        if let (Some(name), Some(version), Some(source)) =
            (field("name"), field("version"), field("source"))
        {
            resolved
                .entry(name.to_owned())
                .or_default()
                .insert((version.to_owned(), source.to_owned()));
        }
    }
    Ok(resolved)
}

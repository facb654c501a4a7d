//! Two versions of a `pyproject.toml` or a list of requirements → packages that are asked for differently.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::VersionStep;
use crate::change::build_files::{
    BuildChange, BuildChangesResult, BuildFileVersions, differing_settings, flatten_table, parse_toml,
};

/// Dependencies of the project (not its optional and development groups), and how it is built.
pub(super) fn compare_pyprojects(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    let (Some(old), Some(new)) = (file.old, file.new) else {
        return Ok(Vec::new());
    };
    let (old, new) = (parse_toml(old)?, parse_toml(new)?);
    let mut findings = changed(&asked_for(&old), &asked_for(&new));
    let build = |table: &toml::Table| {
        let mut kept = table.clone();
        kept.retain(|key, _| key == "build-system");
        flatten_table(&kept)
    };
    findings.extend(differing_settings(&build(&old), &build(&new)));
    Ok(findings)
}

/// Requirements, one on each line; options and comments do not count.
pub(super) fn compare_requirements(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    let (Some(old), Some(new)) = (file.old, file.new) else {
        return Ok(Vec::new());
    };
    let read = |text: &str| -> BTreeMap<String, String> {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim());
        lines
            .filter(|line| !line.is_empty() && !line.starts_with('-'))
            .filter_map(split)
            .collect()
    };
    Ok(changed(&read(old), &read(new)))
}

fn asked_for(table: &toml::Table) -> BTreeMap<String, String> {
    let list = table.get("project").and_then(|project| project.get("dependencies"));
    let list = list.and_then(toml::Value::as_array).into_iter().flatten();
    let mut found: BTreeMap<String, String> = list.filter_map(toml::Value::as_str).filter_map(split).collect();
    let poetry = table
        .get("tool")
        .and_then(|tool| tool.get("poetry"))
        .and_then(|poetry| poetry.get("dependencies"));
    for (name, value) in poetry.and_then(toml::Value::as_table).into_iter().flatten() {
        found.insert(normal(name), value.to_string());
    }
    found
}

/// `Name[extra] >=1; marker` → name and the rest.
fn split(requirement: &str) -> Option<(String, String)> {
    let end = requirement
        .find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')))
        .unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at(end);
    let rest: String = rest.split_whitespace().collect();
    (!name.is_empty()).then(|| (normal(name), rest))
}

/// Names that differ in case and in `-`, `_`, `.` are one name.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

fn changed(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<BuildChange> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differ
        .map(|name| {
            let step = match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => VersionStep::between(old, new),
                _ => VersionStep::Incompatible,
            };
            BuildChange::Package(name.clone(), step)
        })
        .collect()
}

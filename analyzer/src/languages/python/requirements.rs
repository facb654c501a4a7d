//! Two versions of a `pyproject.toml` or a list of requirements → packages that are asked for differently.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::VersionStep;
use crate::change::build_files::{
    BuildChange, BuildChangesResult, BuildFileVersions, differing_settings, flatten_table, parse_toml,
};

/// Tables of a `pyproject.toml` that only installers and builders read: who runs a program finds what it was installed with elsewhere.
const OF_INSTALLERS: [&str; 3] = ["build-system", "dependency-groups", "project"];

/// The same of `[tool]`, and those of tools that check, format or publish sources, or start programs themselves.
const OF_OTHER_TOOLS: [&str; 41] = [
    "autopep8",
    "bandit",
    "basedpyright",
    "black",
    "bumpversion",
    "check-manifest",
    "cibuildwheel",
    "codespell",
    "commitizen",
    "coverage",
    "deptry",
    "djlint",
    "docformatter",
    "doc8",
    "flake8",
    "flit",
    "hatch",
    "interrogate",
    "isort",
    "mypy",
    "nox",
    "numpydoc_validation",
    "pdm",
    "poe",
    "poetry",
    "pycln",
    "pydocstyle",
    "pylint",
    "pyright",
    "repo-review",
    "ruff",
    "rye",
    "semantic_release",
    "setuptools",
    "towncrier",
    "tox",
    "ty",
    "typos",
    "uv",
    "vulture",
    "yapf",
];

/// The part of a `pyproject.toml` that speaks to tools that run while a program of the project runs, such as pytest; `None` for one that cannot be
/// read.
pub(super) fn settings_of_runs(text: &str) -> Option<String> {
    let mut table = parse_toml(text).ok()?;
    table.retain(|key, _| !OF_INSTALLERS.contains(&key));
    if let Some(toml::Value::Table(tools)) = table.get_mut("tool") {
        tools.retain(|key, _| !OF_OTHER_TOOLS.contains(&key));
        if tools.is_empty() {
            table.remove("tool");
        }
    }
    Some(table.to_string())
}

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::settings_of_runs;

    const PROJECT: &str = "[project]\nname = \"a\"\nversion = \"1.0\"\n\n[tool.ruff]\nline-length = 88\n\n\
                           [tool.pytest.ini_options]\naddopts = \"-q\"\n\n[other]\nsize = 1\n";

    fn is_same(old: &str, new: &str) -> bool {
        assert!(PROJECT.contains(old), "{old}");
        settings_of_runs(PROJECT).unwrap() == settings_of_runs(&PROJECT.replace(old, new)).unwrap()
    }

    #[test]
    fn what_installers_and_checkers_read_is_nothing_to_a_run() {
        for (old, new) in [
            ("version = \"1.0\"", "version = \"1.1\"\nkeywords = [\"b\"]"),
            ("line-length = 88", "line-length = 100\n\n[tool.mypy]\nstrict = true"),
            ("[project]", "[build-system]\nrequires = []\n\n[project]"),
        ] {
            assert!(is_same(old, new), "{old} → {new}");
        }
    }

    #[test]
    fn what_a_test_runner_or_an_unknown_tool_reads_is_kept() {
        for (old, new) in [
            ("addopts = \"-q\"", "addopts = \"-q -p extra\""),
            ("size = 1", "size = 2"),
            ("[other]", "[tool.lumen]\ndeep = true\n\n[other]"),
        ] {
            assert!(!is_same(old, new), "{old} → {new}");
        }
        assert_eq!(settings_of_runs("[project\n"), None);
    }
}

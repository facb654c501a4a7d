//! Who may import whom, and what every source file starts with: the invariants of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace's packages and whom of each other they may depend on.
const MAY_IMPORT: [(&str, &[&str]); 5] = [
    ("lito-profile", &[]),
    ("lito-analyzer", &["lito-profile"]),
    ("lito-runner", &["lito-profile"]),
    ("lito-report", &["lito-analyzer", "lito-profile"]),
    ("lito", &["lito-analyzer", "lito-profile", "lito-report", "lito-runner"]),
];

/// Libraries that belong to one package, and the start of their names.
const BELONGS_TO: [(&str, &str); 9] = [
    ("git2", "lito-runner"),
    ("octocrab", "lito-runner"),
    ("syn", "lito-analyzer"),
    ("quote", "lito-analyzer"),
    ("tree-sitter", "lito-analyzer"),
    ("clap", "lito"),
    ("indicatif", "lito"),
    ("anyhow", "lito"),
    ("comfy-table", "lito-report"),
];

/// Words that name nothing.
const EMPTY_NAMES: [&str; 7] = ["utils", "util", "helpers", "manager", "info", "common", "misc"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Each package of the workspace with what it depends on outside its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let all = package["dependencies"].as_array().unwrap();
            let normal = all.iter().filter(|dependency| dependency["kind"].is_null());
            (
                text(&package["name"]),
                normal.map(|dependency| text(&dependency["name"])).collect(),
            )
        })
        .collect()
}

#[test]
fn packages_import_only_whom_they_may() {
    let dependencies = dependencies();
    assert_eq!(
        dependencies.len(),
        MAY_IMPORT.len(),
        "a new package needs its rule: {:?}",
        dependencies.keys()
    );
    for (package, allowed) in MAY_IMPORT {
        let ours = dependencies[package].iter().filter(|name| name.starts_with("lito"));
        for import in ours {
            assert!(allowed.contains(&import.as_str()), "{package} must not import {import}");
        }
    }
}

#[test]
fn libraries_stay_where_they_belong() {
    for (package, imports) in dependencies() {
        for import in imports {
            let owner = BELONGS_TO
                .iter()
                .find(|(library, _)| import == *library || import.starts_with(&format!("{library}-")));
            if let Some((library, owner)) = owner {
                let theirs = package == *owner || (*library == "clap" && package == "lito");
                assert!(theirs, "{package} must not import {import}: that is for {owner}");
            }
        }
    }
}

/// Every Rust file of the workspace.
fn sources() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for package in ["", "profile", "analyzer", "runner", "report"] {
        for folder in ["src", "benches"] {
            collect(&root().join(package).join(folder), &mut found);
        }
    }
    collect(&root().join("tests/cli"), &mut found);
    collect(&root().join("config/demo"), &mut found);
    found.sort();
    assert!(found.len() > 20, "the sources are where they should be");
    found
}

#[test]
fn every_file_says_what_it_is() {
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        // What `tests.rs` is about stands beside it.
        if path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        assert!(
            text.starts_with("//! ") || text.starts_with("// "),
            "{} opens without a word",
            path.display()
        );
    }
}

#[test]
fn names_say_something() {
    for path in sources() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            !EMPTY_NAMES.contains(&name),
            "{} has a name that says nothing",
            path.display()
        );
    }
}

#[test]
fn work_left_over_is_not_left_in_the_sources() {
    // Written so that this file does not hold them.
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{} holds {mark}", path.display());
        }
    }
}

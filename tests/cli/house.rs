//! The invariants of ARCHITECTURE.md: which package imports which, how files begin, and what no source may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The packages of the workspace, each with the packages of the workspace that it may import.
const MAY_IMPORT: [(&str, &[&str]); 12] = [
    ("lito-profile", &[]),
    ("lito-attribution", &["lito-profile"]),
    ("lito-machine-code", &["lito-profile"]),
    ("lito-verdict", &["lito-profile"]),
    ("lito-analyzer", &["lito-profile"]),
    (
        "lito-runner",
        &["lito-attribution", "lito-machine-code", "lito-profile", "lito-verdict"],
    ),
    ("lito-report", &["lito-analyzer", "lito-profile", "lito-verdict"]),
    (
        "lito-engine",
        &[
            "lito-analyzer",
            "lito-attribution",
            "lito-machine-code",
            "lito-profile",
            "lito-report",
            "lito-runner",
            "lito-verdict",
        ],
    ),
    (
        "lito-study",
        &[
            "lito-analyzer",
            "lito-engine",
            "lito-machine-code",
            "lito-profile",
            "lito-report",
            "lito-runner",
            "lito-verdict",
        ],
    ),
    (
        "lito",
        &[
            "lito-analyzer",
            "lito-engine",
            "lito-profile",
            "lito-report",
            "lito-runner",
            "lito-study",
            "lito-verdict",
        ],
    ),
    (
        "lito-fuzz",
        // Whoever reads what others wrote.
        &[
            "lito-analyzer",
            "lito-attribution",
            "lito-engine",
            "lito-machine-code",
            "lito-profile",
            "lito-report",
            "lito-runner",
            "lito-verdict",
        ],
    ),
    ("xtask", &[]),
];

/// Libraries that only one package may import, by the start of their names.
const BELONGS_TO: [(&str, &str); 14] = [
    ("git2", "lito-runner"),
    ("octocrab", "lito-runner"),
    ("hyper", "lito-runner"),
    ("rustls", "lito-runner"),
    ("tower", "lito-runner"),
    ("syn", "lito-analyzer"),
    ("quote", "lito-analyzer"),
    ("tree-sitter", "lito-analyzer"),
    ("gimli", "lito-attribution"),
    ("addr2line", "lito-attribution"),
    ("clap", "lito"),
    ("indicatif", "lito"),
    ("anstream", "lito"),
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
    for package in [
        "",
        "analyzer",
        "attribution",
        "engine",
        "fuzz",
        "machine-code",
        "profile",
        "report",
        "runner",
        "study",
        "verdict",
        "xtask",
    ] {
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
        // The module beside the tests says what it is about.
        if path.ends_with("tests.rs") || path.ends_with("tests/mod.rs") {
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

/// The texts between two marks.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

#[test]
fn the_tests_of_the_threat_model_exist() {
    let read = |path: &Path| fs::read_to_string(root().join(path)).unwrap();
    let policy = read(Path::new("SECURITY.md"));
    let model = policy
        .split("\n## ")
        .find(|section| section.starts_with("Threat model"));
    let rows = model.unwrap().lines().filter(|line| line.starts_with('|')).skip(2);
    let scenarios = read(Path::new("tests/github/action.test.mjs"));
    let tests: String = sources().iter().map(|path| read(path)).collect();
    let mut boundaries = 0;
    for row in rows {
        let played = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let in_workflows = between(played, '"').map(|name| (name, scenarios.contains(&format!("test(\"{name}\""))));
        let in_rust = between(played, '`').map(|name| (name, tests.contains(&format!("fn {name}("))));
        let named: Vec<(&str, bool)> = in_workflows.chain(in_rust).collect();
        assert!(!named.is_empty(), "no test plays it: {row}");
        for (name, exists) in named {
            assert!(exists, "there is no test {name}");
        }
        boundaries += 1;
    }
    assert!(boundaries > 10, "the rows are found");
}

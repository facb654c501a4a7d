//! The packages of a workspace → their targets that hold benchmarks, tests or binaries, as cargo's command line names
//! them. Searches sources for `#[bench]` functions, which manifests do not list; builds nothing.

use std::path::Path;

use super::{BuildError, ExecutableKind};
use crate::benchmark::BenchmarkDefinition;
use crate::toolchain::{self, CargoPackage, CargoWorkspace};

/// Bytes of source files searched per package for attributes, so that a huge tree costs little.
const SEARCHED_BYTES: u64 = 64 << 20;

/// The targets of a package that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetFilter {
    /// Bench targets, and libraries and binaries that hold `#[bench]` functions.
    Benches,
    /// Unit and integration tests.
    Tests,
    /// Binaries.
    Binaries,
}

impl TargetFilter {
    pub(super) fn command(self) -> &'static [&'static str] {
        match self {
            Self::Benches => &["bench", "--no-run"],
            Self::Tests => &["test", "--no-run", "--release"],
            Self::Binaries => &["build", "--release"],
        }
    }

    pub(super) fn kind(self) -> ExecutableKind {
        match self {
            Self::Benches => ExecutableKind::Bench,
            Self::Tests => ExecutableKind::Test,
            Self::Binaries => ExecutableKind::Binary,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Benches => "bench targets and no #[bench] functions",
            Self::Tests => "libraries, binaries or tests",
            Self::Binaries => "binaries",
        }
    }
}

/// One selection on cargo's command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TargetSelection {
    pub(super) package: String,
    /// The value of `-p` for the package.
    pub(super) specification: String,
    /// `--bench`, `--lib`, …
    pub(super) flag: &'static str,
    /// The target's name, where the flag takes one.
    pub(super) target: Option<String>,
    pub(super) features: Vec<String>,
    /// Crates of the target that use `#![feature(test)]`.
    pub(super) unstable: Vec<String>,
}

/// The wanted targets, sorted; at least one.
pub(super) fn select_targets(
    workspace: &CargoWorkspace,
    wanted: TargetFilter,
    definition: &BenchmarkDefinition,
    directory: &Path,
) -> Result<Vec<TargetSelection>, BuildError> {
    let named = |package: &CargoPackage| definition.packages.is_empty() || definition.packages.contains(&package.name);
    let default = |package: &CargoPackage| {
        !definition.packages.is_empty()
            || workspace.workspace_default_members.is_empty()
            || workspace.workspace_default_members.contains(&package.id)
    };
    let mut selections = Vec::new();
    for package in workspace.packages.iter().filter(|package| named(package)) {
        match wanted {
            TargetFilter::Benches => selections.extend(bench_selections(package)),
            TargetFilter::Tests if default(package) => selections.extend(test_selections(package)),
            TargetFilter::Binaries if default(package) => {
                selections.extend(package.targets_of("bin").map(|target| TargetSelection {
                    package: package.name.clone(),
                    specification: package.specification().to_owned(),
                    flag: "--bin",
                    target: Some(target.name.clone()),
                    features: target.required_features.clone(),
                    unstable: Vec::new(),
                }));
            }
            TargetFilter::Tests | TargetFilter::Binaries => {}
        }
    }
    selections.sort();
    if selections.is_empty() {
        let names: Vec<&str> = workspace.packages.iter().map(|package| package.name.as_str()).collect();
        let looked_for = if definition.packages.is_empty() {
            format!(
                "{} in the packages of {} ({})",
                wanted.description(),
                directory.display(),
                names.join(", ")
            )
        } else {
            let asked = definition.packages.join(", ");
            format!(
                "{} in the packages {asked} (the workspace has {})",
                wanted.description(),
                names.join(", ")
            )
        };
        return Err(BuildError::Nothing { looked_for });
    }
    Ok(selections)
}

fn bench_selections(package: &CargoPackage) -> Vec<TargetSelection> {
    let selection = |flag, target: Option<String>, features: &[String], unstable| TargetSelection {
        package: package.name.clone(),
        specification: package.specification().to_owned(),
        flag,
        target,
        features: features.to_vec(),
        unstable,
    };
    let mut selections: Vec<TargetSelection> = package
        .targets_of("bench")
        .map(|target| {
            let unstable = if uses_test_crate(&target.src_path) {
                vec![crate_name(&target.name)]
            } else {
                Vec::new()
            };
            selection(
                "--bench",
                Some(target.name.clone()),
                &target.required_features,
                unstable,
            )
        })
        .collect();
    let sources = package.directory().join("src");
    if any_source(&sources, &|text| text.contains("#[bench]")) {
        if let Some(library) = library(package) {
            selections.push(selection("--lib", None, &[], vec![crate_name(&library.name)]));
        } else {
            for binary in package.targets_of("bin") {
                let unstable = vec![crate_name(&binary.name)];
                selections.push(selection(
                    "--bin",
                    Some(binary.name.clone()),
                    &binary.required_features,
                    unstable,
                ));
            }
        }
    }
    selections
}

fn test_selections(package: &CargoPackage) -> Vec<TargetSelection> {
    let selection = |flag, target: Option<String>, features: &[String]| TargetSelection {
        package: package.name.clone(),
        specification: package.specification().to_owned(),
        flag,
        target,
        features: features.to_vec(),
        unstable: Vec::new(),
    };
    let library = library(package).map(|_| selection("--lib", None, &[]));
    let named = |kind: &'static str, flag| {
        package
            .targets_of(kind)
            .map(move |target| selection(flag, Some(target.name.clone()), &target.required_features))
    };
    library
        .into_iter()
        .chain(named("bin", "--bin"))
        .chain(named("test", "--test"))
        .collect()
}

fn library(package: &CargoPackage) -> Option<&toolchain::CargoTarget> {
    package.targets.iter().find(|target| {
        target
            .kind
            .iter()
            .any(|kind| kind.ends_with("lib") || kind == "proc-macro")
    })
}

fn crate_name(target: &str) -> String {
    target.replace('-', "_")
}

fn uses_test_crate(source: &Path) -> bool {
    std::fs::read_to_string(source).is_ok_and(|text| text.contains("feature(test)"))
}

/// True if one of the Rust sources below a folder satisfies the predicate.
fn any_source(folder: &Path, is: &dyn Fn(&str) -> bool) -> bool {
    let mut budget = SEARCHED_BYTES;
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|extension| extension == "rs") => {
                    let size = entry.metadata().map_or(0, |metadata| metadata.len());
                    if size > budget {
                        return false;
                    }
                    budget -= size;
                    if std::fs::read_to_string(&path).is_ok_and(|text| is(&text)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
    }
    false
}

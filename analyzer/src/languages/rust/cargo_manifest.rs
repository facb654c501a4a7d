//! Two versions of a `Cargo.toml` → dependencies and settings that changed. Names, versions and descriptions of
//! the package itself build the same code and are not here.

use std::collections::{BTreeMap, BTreeSet};

use super::build_files::BUILD_RULES;
use super::cargo_lock;
use crate::change::VersionStep;
use crate::change::build_files::{BuildChange, BuildChangesResult, differing_settings, flatten_table, parse_toml};
use crate::sources::FileSource;

/// Compares two versions of a manifest. The trees hold the workspace's manifest and the lock file.
pub(super) fn compare(path: &str, old: (&str, &dyn FileSource), new: (&str, &dyn FileSource)) -> BuildChangesResult {
    let (old_tree, new_tree) = (old.1, new.1);
    let (old, new) = (parse_toml(old.0)?, parse_toml(new.0)?);
    let mut findings = differing_settings(&settings(&old), &settings(&new));
    let old_packages = dependencies(&old, || inherited(path, &old, old_tree));
    let new_packages = dependencies(&new, || inherited(path, &new, new_tree));
    let names: BTreeSet<&(String, String)> = old_packages.keys().chain(new_packages.keys()).collect();
    let mut locks = None;
    let mut packages: BTreeSet<(String, VersionStep)> = BTreeSet::new();
    for key in names {
        let (one, two) = (old_packages.get(key), new_packages.get(key));
        if one == two {
            continue;
        }
        let is_shared = key.0 == SHARED;
        if let (Some(one), Some(two)) = (one, two) {
            // A requirement that resolves to what it did before asks for the same code.
            if one.asks_for_another_version_only(two) {
                let (old_lock, new_lock) =
                    locks.get_or_insert_with(|| (lock_above(path, old_tree), lock_above(path, new_tree)));
                if let (Some(old_lock), Some(new_lock)) = (old_lock, new_lock)
                    && old_lock.contains_key(&two.package)
                    && old_lock.get(&two.package) == new_lock.get(&two.package)
                {
                    continue;
                }
            }
        } else if is_shared {
            // Members use a dependency of the workspace only where they inherit it.
            continue;
        }
        // No benchmark executes a dependency of the build script.
        if key.0.ends_with("build-dependencies") || key.0.ends_with("build_dependencies") {
            let setting = format!("build-dependencies.{}", key.1);
            findings.push(BuildChange::Setting(setting));
            continue;
        }
        let step = match (one, two) {
            // A path that another one took the place of, while both are there, is another package.
            (Some(one), Some(two)) if one.is_replaced_by(two, path, new_tree) => VersionStep::Incompatible,
            (Some(one), Some(two)) => VersionStep::between(&one.version, &two.version),
            _ => VersionStep::Incompatible,
        };
        packages.extend(two.or(one).map(|dependency| (dependency.package.clone(), step)));
        // Code knows another package by the name that the old one had.
        if let (Some(one), Some(two)) = (one, two)
            && one.package != two.package
        {
            packages.extend([&one.package, &key.1].map(|name| (name.clone(), VersionStep::Incompatible)));
        }
    }
    findings.extend((packages.into_iter()).map(|(package, step)| BuildChange::Package(package, step)));
    Ok(findings)
}

/// Where the table of a workspace is kept among those of the package.
const SHARED: &str = "workspace.dependencies";

/// The requirements of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CargoDependency {
    package: String,
    version: String,
    /// Path, git, branch, registry …: where from.
    source: BTreeMap<String, String>,
    features: BTreeSet<String>,
    default_features: bool,
    optional: bool,
}

impl CargoDependency {
    fn asks_for_another_version_only(&self, other: &Self) -> bool {
        let with = |version: &str| Self {
            version: version.to_owned(),
            ..self.clone()
        };
        with(&other.version) == *other
    }

    /// True if a dependency comes from elsewhere than a folder that still holds a package.
    fn is_replaced_by(&self, other: &Self, manifest: &str, after: &dyn FileSource) -> bool {
        let (Some(old), true) = (self.source.get("path"), self.source != other.source) else {
            return false;
        };
        let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
        let old_manifest = path_in(folder, &format!("{old}/Cargo.toml"));
        after.file(&old_manifest).is_some()
    }

    fn read(name: &str, value: &toml::Value, shared: Option<&Self>) -> Self {
        let empty = toml::Table::new();
        let table = value.as_table().unwrap_or(&empty);
        let text = |key: &str| table.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let flag = |key: &str| table.get(key).and_then(toml::Value::as_bool);
        let features = table
            .get("features")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten();
        let features: BTreeSet<String> = features.filter_map(toml::Value::as_str).map(str::to_owned).collect();
        let default_features = flag("default-features").or_else(|| flag("default_features"));
        let optional = flag("optional").unwrap_or(false);
        if let Some(shared) = shared.filter(|_| flag("workspace") == Some(true)) {
            return Self {
                features: shared.features.union(&features).cloned().collect(),
                default_features: shared.default_features || default_features == Some(true),
                optional,
                ..shared.clone()
            };
        }
        let source: BTreeMap<String, String> = ["path", "git", "branch", "tag", "rev", "registry", "registry-index"]
            .into_iter()
            .filter_map(|key| Some((key.to_owned(), text(key)?)))
            .collect();
        // A package beside this one is built as it stands, whatever version is asked for.
        let version = if source.contains_key("path") {
            String::new()
        } else {
            value
                .as_str()
                .map(str::to_owned)
                .or_else(|| text("version"))
                .unwrap_or_default()
        };
        Self {
            package: text("package").unwrap_or_else(|| name.to_owned()),
            version,
            source,
            features,
            default_features: default_features.unwrap_or(true),
            optional,
        }
    }
}

/// A path relative to a folder, both relative to the repository's root, without `.` and `..`.
fn path_in(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The tables of dependencies.
const DEPENDENCIES: [&str; 5] = [
    "dependencies",
    "dev-dependencies",
    "dev_dependencies",
    "build-dependencies",
    "build_dependencies",
];

/// All dependencies that can be in a measured path, by table and name.
fn dependencies(
    manifest: &toml::Table,
    inherited: impl Fn() -> BTreeMap<String, CargoDependency>,
) -> BTreeMap<(String, String), CargoDependency> {
    let mut shared = None;
    let mut found = BTreeMap::new();
    let mut collect = |table_name: &str, table: Option<&toml::Value>| {
        for (name, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
            let inherits = value.get("workspace").is_some();
            let from_above = if inherits {
                shared.get_or_insert_with(&inherited).get(name)
            } else {
                None
            };
            let dependency = CargoDependency::read(name, value, from_above);
            let is_for_tests = table_name.contains("dev");
            if !is_for_tests || BUILD_RULES.dependencies.harnesses.contains(&dependency.package) {
                found.insert((table_name.to_owned(), name.clone()), dependency);
            }
        }
    };
    for kind in DEPENDENCIES {
        collect(kind, manifest.get(kind));
    }
    for (target, tables) in manifest
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        for kind in DEPENDENCIES {
            collect(&format!("target.{target}.{kind}"), tables.get(kind));
        }
    }
    collect(
        SHARED,
        manifest
            .get("workspace")
            .and_then(|workspace| workspace.get("dependencies")),
    );
    for (source, table) in manifest
        .get("patch")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        collect(&format!("patch.{source}"), Some(table));
    }
    collect("replace", manifest.get("replace"));
    found
}

/// Tables of a manifest, and of its package and workspace, that pull no file of the repository into a build: what is told
/// to people and tools, and which packages belong together.
const DESCRIBING: [&str; 20] = [
    "authors",
    "badges",
    "categories",
    "default-members",
    "description",
    "documentation",
    "exclude",
    "homepage",
    "include",
    "keywords",
    "license",
    "license-file",
    "lints",
    "members",
    "metadata",
    "publish",
    "readme",
    "repository",
    "rust-version",
    "version",
];

/// The settings by which files of the repository come into a build: targets, features, folders of packages. `None` if the
/// manifest cannot be read.
pub(super) fn settings_that_pull_in(text: &str) -> Option<BTreeMap<String, String>> {
    let mut manifest = parse_toml(text).ok()?;
    drop_descriptions(&mut manifest);
    for key in ["package", "workspace"] {
        let Some(table) = manifest.get_mut(key).and_then(toml::Value::as_table_mut) else {
            continue;
        };
        drop_descriptions(table);
        if let Some(shared) = table.get_mut("package").and_then(toml::Value::as_table_mut) {
            drop_descriptions(shared);
        }
        keep_folders(table);
    }
    keep_folders(&mut manifest);
    let targets = manifest.get_mut("target").and_then(toml::Value::as_table_mut);
    for table in targets.into_iter().flat_map(toml::Table::iter_mut) {
        if let Some(table) = table.1.as_table_mut() {
            keep_folders(table);
        }
    }
    Some(flatten_table(&manifest))
}

fn drop_descriptions(table: &mut toml::Table) {
    table.retain(|key, _| !DESCRIBING.contains(&key));
}

/// Leaves those dependencies of a table that are, or may be, folders of the repository.
fn keep_folders(table: &mut toml::Table) {
    for kind in DEPENDENCIES {
        if let Some(dependencies) = table.get_mut(kind).and_then(toml::Value::as_table_mut) {
            dependencies.retain(|_, value| value.get("path").is_some() || value.get("workspace").is_some());
        }
    }
}

/// The folder of the nearest manifest with a package above a path.
pub(super) fn package_folder<'p>(path: &'p str, tree: &dyn FileSource) -> Option<&'p str> {
    let own = path.rfind('/').map_or("", |at| &path[..=at]);
    let mut folders = std::iter::once(own).chain(folders_above(path));
    folders.find(|folder| {
        let manifest = text(tree, &format!("{folder}Cargo.toml"));
        manifest.is_some_and(|text| parse_toml(&text).map_or(true, |manifest| manifest.contains_key("package")))
    })
}

/// The folders of packages that those of some folders, or the workspaces around them, name by their path, and so on.
pub(super) fn packages_within_reach(folders: &BTreeSet<String>, tree: &dyn FileSource) -> BTreeSet<String> {
    let mut found = folders.clone();
    let mut waiting: Vec<String> = folders.iter().cloned().collect();
    let mut read = BTreeSet::new();
    while let Some(folder) = waiting.pop() {
        let own = format!("{folder}Cargo.toml");
        let around = folders_above(&own).map(|above| format!("{above}Cargo.toml"));
        for manifest in std::iter::once(own.clone()).chain(around) {
            if !read.insert(manifest.clone()) {
                continue;
            }
            let Some(Ok(table)) = text(tree, &manifest).map(|text| parse_toml(&text)) else {
                continue;
            };
            let from = manifest.trim_end_matches("Cargo.toml");
            let named = flatten_table(&table)
                .into_iter()
                .filter(|(key, _)| key.ends_with(".path"));
            for (_, path) in named {
                let path = path_in(from.trim_end_matches('/'), path.trim_matches('"'));
                let folder = if path.is_empty() { path } else { format!("{path}/") };
                if found.insert(folder.clone()) {
                    waiting.push(folder);
                }
            }
        }
    }
    found
}

/// The dependencies that a workspace above a manifest (or in it) shares.
fn inherited(path: &str, manifest: &toml::Table, tree: &dyn FileSource) -> BTreeMap<String, CargoDependency> {
    let read = |manifest: &toml::Table| -> Option<BTreeMap<String, CargoDependency>> {
        let shared = manifest
            .get("workspace")?
            .get("dependencies")
            .and_then(toml::Value::as_table);
        let shared = shared.into_iter().flatten();
        Some(
            shared
                .map(|(name, value)| (name.clone(), CargoDependency::read(name, value, None)))
                .collect(),
        )
    };
    if let Some(shared) = read(manifest) {
        return shared;
    }
    folders_above(path)
        .filter_map(|folder| text(tree, &format!("{folder}Cargo.toml")))
        .find_map(|text| read(&parse_toml(&text).ok()?))
        .unwrap_or_default()
}

/// The packages that the lock file beside or above a manifest resolves.
fn lock_above(path: &str, tree: &dyn FileSource) -> Option<cargo_lock::LockedPackages> {
    let own = path.strip_suffix("Cargo.toml").unwrap_or("").to_owned();
    std::iter::once(own)
        .chain(folders_above(path).map(str::to_owned))
        .find_map(|folder| text(tree, &format!("{folder}Cargo.lock")))
        .and_then(|text| cargo_lock::resolved(&text).ok())
}

/// The folders above the one a file stands in, nearest first, each with a slash at its end.
pub(super) fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let slashes: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    let above = slashes.len().saturating_sub(1);
    let has_root = !slashes.is_empty();
    slashes
        .into_iter()
        .take(above)
        .rev()
        .map(|at| &path[..=at])
        .chain(has_root.then_some(""))
}

pub(super) fn text(tree: &dyn FileSource, path: &str) -> Option<String> {
    String::from_utf8(tree.bytes(path)?.to_vec()).ok()
}

/// Everything beside dependencies that reaches the compiler.
fn settings(manifest: &toml::Table) -> BTreeMap<String, String> {
    let mut kept = toml::Table::new();
    for key in ["profile", "cargo-features"] {
        if let Some(value) = manifest.get(key) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    // Nothing that is measured is built by these.
    if let Some(profiles) = kept.get_mut("profile").and_then(toml::Value::as_table_mut) {
        profiles.remove("dev");
        profiles.remove("test");
    }
    let pick = |from: &[&str], keys: &[&str], kept: &mut toml::Table| {
        let mut at = manifest;
        for part in from {
            match at.get(*part).and_then(toml::Value::as_table) {
                Some(inner) => at = inner,
                None => return,
            }
        }
        for key in keys {
            if let Some(value) = at.get(*key) {
                kept.insert(format!("{}.{key}", from.join(".")), value.clone());
            }
        }
    };
    pick(&["package"], &["build", "links", "resolver"], &mut kept);
    pick(
        &["lib"],
        &["crate-type", "crate_type", "path", "proc-macro", "edition"],
        &mut kept,
    );
    pick(&["workspace"], &["resolver"], &mut kept);
    let mut found = flatten_table(&kept);
    // An edition that is inherited is listed at the workspace that sets it.
    for from in ["package", "workspace"] {
        let mut table = manifest.get(from);
        if from == "workspace" {
            table = table.and_then(|workspace| workspace.get("package"));
        }
        if let Some(edition) = table
            .and_then(|table| table.get("edition"))
            .and_then(toml::Value::as_str)
        {
            found.insert("package.edition".to_owned(), edition.to_owned());
        }
    }
    found.extend(features(manifest));
    found
}

/// The default features, and those that they enable elsewhere (`dep:serde`, `serde/std`).
fn features(manifest: &toml::Table) -> BTreeMap<String, String> {
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let parts = |name: &str| -> Vec<String> {
        let list = features
            .and_then(|table| table.get(name))
            .and_then(toml::Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(toml::Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let mut on: BTreeMap<String, String> = BTreeMap::new();
    let mut open = vec!["default".to_owned()];
    while let Some(name) = open.pop() {
        let is_new = on.insert(format!("features.{name}"), "on".to_owned());
        if is_new.is_none() {
            open.extend(parts(&name));
        }
    }
    on
}

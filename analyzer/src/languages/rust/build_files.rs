//! Cargo's and rustup's files → dependencies and settings that changed between two versions of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{cargo_lock, cargo_manifest};
use crate::change::build_files::{
    BuildChangesResult, BuildFileReader, BuildFileVersions, differing_settings, flatten_table, parse_toml,
};
use crate::sources::FileSource;

/// `config/languages/rust/build.toml`.
pub(super) static BUILD_RULES: LazyLock<BuildRules> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../config/languages/rust/build.toml"))
        .expect("the shipped rules are read by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuildRules {
    pub(super) dependencies: DependencyRules,
    cargo_config: CargoConfigRules,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DependencyRules {
    pub(super) harnesses: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CargoConfigRules {
    ignored: Vec<String>,
}

/// The reader of a build file; `None` for any other path.
pub(super) fn build_file_reader(path: &str) -> Option<BuildFileReader> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "Cargo.toml" => Some(compare_manifests),
        "Cargo.lock" => Some(compare_lock_files),
        "rust-toolchain" | "rust-toolchain.toml" => Some(compare_toolchains),
        "config" | "config.toml" if folder.rsplit('/').next() == Some(".cargo") => Some(compare_cargo_configs),
        _ => None,
    }
}

/// True for the `build.rs` of a package.
pub(super) fn is_build_script(path: &str, trees: [&dyn FileSource; 2]) -> bool {
    let Some(folder) = path.strip_suffix("build.rs") else {
        return false;
    };
    let manifest = format!("{folder}Cargo.toml");
    (folder.is_empty() || folder.ends_with('/')) && trees.into_iter().any(|tree| tree.file(&manifest).is_some())
}

// A package that came or went changes nothing until something uses it, and a lock file that came or went says nothing
// of the versions that were resolved without it.

fn compare_manifests(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    match (file.old, file.new) {
        (Some(old), Some(new)) => cargo_manifest::compare(file.path, (old, file.before), (new, file.after)),
        _ => Ok(Vec::new()),
    }
}

fn compare_lock_files(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    match (file.old, file.new) {
        (Some(old), Some(new)) => cargo_lock::compare(old, new),
        _ => Ok(Vec::new()),
    }
}

fn compare_toolchains(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    let channel = |text: Option<&str>| -> Result<BTreeMap<String, String>, String> {
        let Some(text) = text else {
            return Ok(BTreeMap::new());
        };
        // The older format is the channel alone.
        if !text.contains('[') {
            return Ok(BTreeMap::from([(
                "toolchain.channel".to_owned(),
                format!("\"{}\"", text.trim()),
            )]));
        }
        let mut leaves = flatten_table(&parse_toml(text)?);
        leaves.retain(|path, _| !path.starts_with("toolchain.components") && path != "toolchain.profile");
        Ok(leaves)
    };
    Ok(differing_settings(&channel(file.old)?, &channel(file.new)?))
}

fn compare_cargo_configs(file: &BuildFileVersions<'_>) -> BuildChangesResult {
    let settings = |text: Option<&str>| -> Result<BTreeMap<String, String>, String> {
        let mut table = parse_toml(text.unwrap_or(""))?;
        table.retain(|key, _| !BUILD_RULES.cargo_config.ignored.iter().any(|ignored| ignored == key));
        Ok(flatten_table(&table))
    };
    Ok(differing_settings(&settings(file.old)?, &settings(file.new)?))
}

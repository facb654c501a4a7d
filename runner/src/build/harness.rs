//! A harness outside the versioned tree → a copy of it that uses the version's tree.
//!
//! The copy is at the same path for every version. In a package of cargo, the dependency on the subject is redirected to
//! the tree, with an empty `[workspace]` table so that no enclosing workspace matters. It keeps its `Cargo.lock` from
//! version to version, so that other dependencies stay the same. If the definition asks for dependencies as of the
//! version, [`super::resolution`] chooses them. A harness that inherits from a workspace of its own is not supported.
//!
//! The commands of a harness find the tree by [`CHECKOUT_VARIABLE`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::resolution::{self, DependencyResolution, ResolutionRequest};
use super::{BuildContext, BuildError, BuildPurpose, probed_sources};
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, DependencyPolicy};
use crate::toolchain;

/// Tables of a manifest, or of one `[target.…]` table in it, that name dependencies.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Keys of a dependency that name its source; a path replaces them all.
const SOURCE_KEYS: [&str; 9] = [
    "version",
    "path",
    "git",
    "branch",
    "tag",
    "rev",
    "registry",
    "registry-index",
    "workspace",
];

/// The variable that tells the commands of a harness where the version is checked out.
pub(crate) const CHECKOUT_VARIABLE: &str = "LITO_CHECKOUT";

/// Folders of a harness that are not copied.
const NOT_COPIED: [&str; 2] = ["target", ".git"];

/// A harness's copy.
pub(super) struct HarnessCopy {
    pub(super) directory: PathBuf,
    /// The resolved dependencies; `None` if cargo chooses them.
    pub(super) resolution: Option<DependencyResolution>,
}

/// Copies a harness and redirects it to a version.
pub(super) fn copy_harness(
    definition: &BenchmarkDefinition,
    harness: &Path,
    site: &BuildContext<'_>,
) -> Result<HarnessCopy, BuildError> {
    let original = site.repository.join(harness);
    let error = |reason: String| BuildError::Harness {
        harness: original.clone(),
        reason,
    };
    let manifest = original.join("Cargo.toml");
    if definition.adapter == BenchmarkAdapter::Command && !manifest.exists() && definition.resolve.is_none() {
        return copy_folder_of_commands(&original, site);
    }
    let text = std::fs::read_to_string(&manifest).map_err(|source| {
        error(format!(
            "reading its Cargo.toml: {source}; `harness` is relative to the repository's root"
        ))
    })?;
    // The tree's own manifest may be at fault: then the version fails, not the harness.
    let members = toolchain::workspace(site.tree, &BTreeMap::new(), site.interruption)
        .map_err(super::diagnostics::classify_toolchain_error)?;
    let subjects: BTreeMap<String, PathBuf> = members
        .packages
        .iter()
        .map(|package| (package.name.clone(), package.directory().to_owned()))
        .collect();
    let original = original.canonicalize().map_err(|source| error(source.to_string()))?;
    let redirected = redirect(&text, &original, &subjects).map_err(error)?;
    let resolve = definition.resolve.unwrap_or_default();
    if resolve == DependencyPolicy::Newest {
        resolution::remove_resolved_lockfile(&original, &site.cache.harness(&original), site)?;
    }
    let copy = replace_copy(&original, site)?;
    let manifest = copy.join("Cargo.toml");
    std::fs::write(&manifest, &redirected).map_err(|source| BuildError::Write { path: manifest, source })?;
    if matches!(site.purpose, BuildPurpose::Probes(_)) {
        probed_sources::apply_probes_to_copy(&site.cache.probed_harness(&original), &copy, site.cache)?;
    }
    let resolution = match resolve {
        DependencyPolicy::Newest => None,
        DependencyPolicy::AsOfVersion => {
            let request = ResolutionRequest {
                copy: &copy,
                original: &original,
                manifest: &redirected,
                workspace: &members,
                environment: &definition.env,
            };
            Some(resolution::resolve_dependencies(request, site)?)
        }
    };
    Ok(HarnessCopy {
        directory: copy,
        resolution,
    })
}

/// Makes the copy of a harness equal to it.
fn replace_copy(original: &Path, site: &BuildContext<'_>) -> Result<PathBuf, BuildError> {
    let copy = site.cache.harness(original);
    match replace(original, &copy) {
        Ok(()) => Ok(copy),
        Err(source) => Err(BuildError::Write { path: copy, source }),
    }
}

/// Copies a harness that is no package of cargo: its commands find the version themselves.
fn copy_folder_of_commands(original: &Path, site: &BuildContext<'_>) -> Result<HarnessCopy, BuildError> {
    let original = original.canonicalize().map_err(|source| BuildError::Harness {
        harness: original.to_owned(),
        reason: format!("{source}; `harness` is relative to the repository's root"),
    })?;
    let copy = replace_copy(&original, site)?;
    Ok(HarnessCopy {
        directory: copy,
        resolution: None,
    })
}

/// The manifest with its dependencies on `subjects` (package name → folder) pointing there, and its other relative
/// paths made absolute.
fn redirect(manifest: &str, original: &Path, subjects: &BTreeMap<String, PathBuf>) -> Result<String, String> {
    let mut document: DocumentMut = manifest.parse().map_err(|error| format!("its Cargo.toml: {error}"))?;
    let mut found = 0;
    let mut visit = |table: &mut dyn TableLike| {
        for name in DEPENDENCY_TABLES {
            if let Some(dependencies) = table.get_mut(name).and_then(Item::as_table_like_mut) {
                found += redirect_table(dependencies, original, subjects);
            }
        }
    };
    visit(document.as_table_mut());
    if let Some(targets) = document.get_mut("target").and_then(Item::as_table_like_mut) {
        for (_, target) in targets.iter_mut() {
            if let Some(target) = target.as_table_like_mut() {
                visit(target);
            }
        }
    }
    if found == 0 {
        let names: Vec<&str> = subjects.keys().map(String::as_str).collect();
        return Err(format!(
            "it depends on no package of this repository ({}); add the one that it measures to its [dependencies]",
            names.join(", ")
        ));
    }
    if document.get("workspace").is_none() {
        document.insert("workspace", Item::Table(Table::new()));
    }
    Ok(document.to_string())
}

fn redirect_table(dependencies: &mut dyn TableLike, original: &Path, subjects: &BTreeMap<String, PathBuf>) -> usize {
    let mut found = 0;
    for (key, item) in dependencies.iter_mut() {
        let package = item
            .as_table_like()
            .and_then(|table| table.get("package")?.as_str())
            .unwrap_or(key.get())
            .to_owned();
        let folder = subjects
            .get(&package)
            .map(|folder| folder.to_string_lossy().into_owned());
        if let Some(folder) = folder {
            found += 1;
            if let Some(table) = item.as_table_like_mut() {
                for source in SOURCE_KEYS {
                    table.remove(source);
                }
                table.insert("path", Item::Value(folder.into()));
            } else {
                let mut table = toml_edit::InlineTable::new();
                table.insert("path", folder.into());
                *item = Item::Value(Value::InlineTable(table));
            }
        } else if let Some(table) = item.as_table_like_mut() {
            let path = table.get("path").and_then(Item::as_str).map(|path| original.join(path));
            if let Some(path) = path {
                table.insert("path", Item::Value(path.to_string_lossy().into_owned().into()));
            }
        }
    }
    found
}

/// Makes `copy` equal to `original`, keeping a `Cargo.lock` that cargo wrote there unless the original has one.
fn replace(original: &Path, copy: &Path) -> std::io::Result<()> {
    if copy.is_dir() {
        for entry in std::fs::read_dir(copy)? {
            let entry = entry?;
            if entry.file_name() == "Cargo.lock" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                std::fs::remove_dir_all(entry.path())?;
            } else {
                std::fs::remove_file(entry.path())?;
            }
        }
    }
    copy_folder(original, copy)
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if NOT_COPIED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        // Follows symbolic links, so that relative ones still reach their data.
        if source.is_dir() {
            copy_folder(&source, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn subjects() -> BTreeMap<String, PathBuf> {
        BTreeMap::from([
            ("subject".to_owned(), PathBuf::from("/tree")),
            ("part".to_owned(), PathBuf::from("/tree/part")),
        ])
    }

    fn redirected(manifest: &str) -> Result<toml::Table, String> {
        redirect(manifest, Path::new("/harness"), &subjects()).map(|text| text.parse().unwrap())
    }

    #[test]
    fn every_way_to_name_the_subject_becomes_its_path() {
        let table = redirected(
            r#"
            [dependencies]
            subject = "1.2"
            renamed = { package = "part", git = "https://example.org/x", rev = "1", features = ["f"] }
            other = "1"
            local = { path = "../local" }
            [dev-dependencies.subject]
            version = "=0.1"
            default-features = false
            [target.'cfg(unix)'.dependencies]
            subject = { path = "../repository", optional = true }
            "#,
        )
        .unwrap();
        let text = |value: &toml::Value| value.to_string();
        let dependencies = &table["dependencies"];
        assert_eq!(text(&dependencies["subject"]), r#"{ path = "/tree" }"#);
        assert_eq!(dependencies["renamed"]["path"].as_str(), Some("/tree/part"));
        assert_eq!(dependencies["renamed"]["features"].as_array().unwrap().len(), 1);
        assert!(dependencies["renamed"].get("git").is_none() && dependencies["renamed"].get("rev").is_none());
        assert_eq!(text(&dependencies["other"]), r#""1""#);
        assert_eq!(dependencies["local"]["path"].as_str(), Some("/harness/../local"));
        assert_eq!(
            table["dev-dependencies"]["subject"]["default-features"].as_bool(),
            Some(false)
        );
        assert!(table["dev-dependencies"]["subject"].get("version").is_none());
        assert_eq!(
            table["target"]["cfg(unix)"]["dependencies"]["subject"]["path"].as_str(),
            Some("/tree")
        );
        assert!(table.contains_key("workspace"));
    }

    #[test]
    fn a_harness_that_does_not_use_the_subject_is_refused() {
        let reason = redirected("[dependencies]\nother = \"1\"\n").unwrap_err();
        assert!(reason.contains("part, subject"), "{reason}");
        assert!(redirected("[dependencies\n").unwrap_err().contains("Cargo.toml"));
    }

    #[test]
    fn the_copy_follows_the_original_but_keeps_its_lock_file() {
        let directory = tempfile::tempdir().unwrap();
        let (original, copy) = (directory.path().join("a"), directory.path().join("b"));
        std::fs::create_dir_all(original.join("src")).unwrap();
        std::fs::create_dir_all(original.join("target")).unwrap();
        std::fs::write(original.join("src/old.rs"), "").unwrap();
        replace(&original, &copy).unwrap();
        assert!(copy.join("src/old.rs").exists() && !copy.join("target").exists());
        std::fs::write(copy.join("Cargo.lock"), "lock").unwrap();
        std::fs::rename(original.join("src/old.rs"), original.join("src/new.rs")).unwrap();
        replace(&original, &copy).unwrap();
        assert!(!copy.join("src/old.rs").exists() && copy.join("src/new.rs").exists());
        assert_eq!(std::fs::read_to_string(copy.join("Cargo.lock")).unwrap(), "lock");
    }
}

//! Folders of Rust packages on disk ↔ the sources that receive probes, and the crate that probes call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use profile::probes::ProbeSourceRoot;

use crate::benchmark::BenchmarkDefinitions;
use crate::build::probed_sources::{read_sources, with_runtime_dependency, write_error};
use crate::build::{BuildContext, BuildError, RepositoryCache};

/// The files of the crate that probes call; it is built by the version's own toolchain. The table in its manifest keeps
/// a workspace around the cache from claiming it.
const RUNTIME: [(&str, &str); 4] = [
    (
        "Cargo.toml",
        "[package]\nname = \"lito_probe\"\nversion = \"1.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [lib]\npath = \"lib.rs\"\n\n[workspace]\n",
    ),
    ("lib.rs", include_str!("runtime/lib.rs")),
    ("contexts.rs", include_str!("runtime/contexts.rs")),
    ("timeline.rs", include_str!("runtime/timeline.rs")),
];

/// Sources that receive probes, and the folder for the changed files.
pub(super) struct ProbedFolder {
    pub(super) sources: ProbeSourceRoot,
    /// The folder that changed files are written to.
    changed: PathBuf,
    /// For a harness, the folder that its copy is built in.
    pub(super) copy: Option<PathBuf>,
}

impl ProbedFolder {
    /// The path below this folder of a file that a compiler names relative to a workspace in it.
    pub(super) fn named(&self, path: &str) -> Option<String> {
        if self.sources.files.contains_key(path) {
            return Some(path.to_owned());
        }
        let end = format!("/{path}");
        let mut found = self.sources.files.keys().filter(|file| file.ends_with(&end));
        // Ambiguous paths match nothing.
        found.next().filter(|_| found.next().is_none()).cloned()
    }
}

/// The version's tree, then the harnesses outside of it.
pub(super) struct ProbedFolders(Vec<ProbedFolder>);

impl ProbedFolders {
    /// Reads the folders.
    pub(super) fn read(definitions: &BenchmarkDefinitions, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let mut folders = vec![ProbedFolder {
            sources: read_sources(site.tree, String::new())?,
            changed: site.tree.to_owned(),
            copy: None,
        }];
        let mut harnesses: Vec<PathBuf> = definitions
            .iter()
            .filter_map(|definition| definition.harness.as_ref())
            // The build reports a missing harness.
            .filter_map(|harness| site.repository.join(harness).canonicalize().ok())
            .collect();
        harnesses.sort();
        harnesses.dedup();
        for harness in harnesses {
            let name = harness.file_name().unwrap_or_default().to_string_lossy();
            let changed = site.cache.probed_harness(&harness);
            if changed.is_dir() {
                std::fs::remove_dir_all(&changed).map_err(write_error(&changed))?;
            }
            folders.push(ProbedFolder {
                sources: read_sources(&harness, name.into_owned())?,
                changed,
                copy: Some(site.cache.harness(&harness)),
            });
        }
        Ok(Self(folders))
    }

    pub(super) fn all(&self) -> &[ProbedFolder] {
        &self.0
    }

    pub(super) fn roots(&self) -> Vec<ProbeSourceRoot> {
        self.0.iter().map(|folder| folder.sources.clone()).collect()
    }

    /// Writes changed files, and all others as they were; the tree's packages receive their dependency.
    pub(super) fn write(
        &self,
        changed: &[BTreeMap<String, String>],
        cache: &RepositoryCache,
    ) -> Result<(), BuildError> {
        let nothing = BTreeMap::new();
        for (number, folder) in self.0.iter().enumerate() {
            let changed = changed.get(number).unwrap_or(&nothing);
            let of_tree = folder.copy.is_none();
            for (path, text) in &folder.sources.files {
                let manifest = path == "Cargo.toml" || path.ends_with("/Cargo.toml");
                let text = match changed.get(path) {
                    Some(changed) => changed.clone(),
                    None if manifest && of_tree => match with_runtime_dependency(text, cache) {
                        Some(changed) => changed,
                        None => continue,
                    },
                    None if manifest => continue,
                    None => text.clone(),
                };
                let target = folder.changed.join(path);
                // An unchanged file keeps its modification time.
                if std::fs::read_to_string(&target).is_ok_and(|there| there == text) {
                    continue;
                }
                if let Some(parent) = target.parent() {
                    std::fs::create_dir_all(parent).map_err(write_error(parent))?;
                }
                std::fs::write(&target, text).map_err(write_error(&target))?;
            }
        }
        Ok(())
    }
}

/// Creates the runtime crate's folder.
pub(super) fn write_runtime(folder: &Path) -> Result<(), BuildError> {
    std::fs::create_dir_all(folder).map_err(write_error(folder))?;
    for (name, text) in RUNTIME {
        let path = folder.join(name);
        if std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
            continue;
        }
        std::fs::write(&path, text).map_err(write_error(&path))?;
    }
    Ok(())
}

//! Rust packages on disk → their sources and manifests; and the copy of a harness, with the probed files in it and the
//! dependency on the crate that probes call.
//!
//! Decides nothing about probes: the probes profiler writes the changed files, the build only puts them in place.

use std::collections::BTreeMap;
use std::path::Path;

use profile::probes::ProbeSourceRoot;
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

use super::{BuildError, RepositoryCache};

/// Larger sources are left without probes: no one writes so much by hand in one file.
const LARGEST_SOURCE: u64 = 4 << 20;

/// A file in a folder that says that its contents are checked: cargo would refuse changed ones.
const CHECKED: &str = ".cargo-checksum.json";

/// Puts the probed files of a harness into its copy, and the dependency into the copy's manifests.
pub(super) fn apply_probes_to_copy(changed: &Path, copy: &Path, cache: &RepositoryCache) -> Result<(), BuildError> {
    if changed.is_dir() {
        for (path, text) in read_sources(changed, String::new())?.files {
            let target = copy.join(path);
            std::fs::write(&target, text).map_err(write_error(&target))?;
        }
    }
    for (path, text) in read_sources(copy, String::new())?.files {
        if path.ends_with("Cargo.toml")
            && let Some(changed) = with_runtime_dependency(&text, cache)
        {
            let target = copy.join(path);
            std::fs::write(&target, changed).map_err(write_error(&target))?;
        }
    }
    Ok(())
}

/// The manifest with a dependency on the runtime crate; `None` if it names no package, or a package of procedural
/// macros, which the compiler runs.
pub(crate) fn with_runtime_dependency(manifest: &str, cache: &RepositoryCache) -> Option<String> {
    let mut document: DocumentMut = manifest.parse().ok()?;
    document.get("package")?;
    let macros = document.get("lib").is_some_and(|library| {
        ["proc-macro", "proc_macro"].iter().any(|key| {
            let value = library.get(key).and_then(Item::as_bool);
            value.unwrap_or(false)
        })
    });
    if macros {
        return None;
    }
    let mut source = InlineTable::new();
    let path = cache.probe_runtime().to_string_lossy().into_owned();
    source.insert("path", path.into());
    let dependencies = document
        .entry("dependencies")
        .or_insert_with(|| Item::Table(Table::new()));
    dependencies
        .as_table_like_mut()?
        .insert("lito_probe", Item::Value(Value::InlineTable(source)));
    Some(document.to_string())
}

/// Rust sources and manifests below a folder. Left out are build folders, hidden and checked folders, links, and files
/// that are too large or not text.
pub(crate) fn read_sources(folder: &Path, label: String) -> Result<ProbeSourceRoot, BuildError> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(place) = waiting.pop() {
        if place.join(CHECKED).is_file() {
            continue;
        }
        for entry in std::fs::read_dir(&place).map_err(write_error(&place))? {
            let entry = entry.map_err(write_error(&place))?;
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = name.to_string_lossy();
            if kind.is_dir() && name != "target" && !name.starts_with('.') {
                waiting.push(path);
            } else if kind.is_file() && (name.ends_with(".rs") || name == "Cargo.toml") {
                let small = entry.metadata().is_ok_and(|m| m.len() <= LARGEST_SOURCE);
                let below = path.strip_prefix(folder).ok().and_then(Path::to_str);
                if let (true, Some(below), Ok(text)) = (small, below, std::fs::read_to_string(&path)) {
                    files.insert(below.to_owned(), text);
                }
            }
        }
    }
    Ok(ProbeSourceRoot { label, files })
}

/// Names the path at which a file operation failed.
pub(crate) fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> BuildError + use<> {
    let path = path.to_owned();
    move |source| BuildError::Write { path, source }
}

//! A folder → its entries in a fixed order, for digests.

use std::path::{Path, PathBuf};

/// The paths in a folder, sorted; none if it cannot be read.
pub(crate) fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

//! The compilers that a command executed → those that made what lies in the target folder, with those of earlier builds.
//!
//! A build tool compiles a source again only if something changed, so an object may be from a build before this one. Compilers
//! are kept beside what they made. A build that ends without adding its own, as it fails or is not traced, leaves none.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::compiler_runs::ProgramRun;
use crate::cache_files;

/// The file in a target folder that keeps them.
const KEPT: &str = ".lito-compilers.json";

/// The compilers of the builds before one.
pub(super) struct EarlierCompilers {
    runs: Vec<ProgramRun>,
    path: PathBuf,
}

impl EarlierCompilers {
    /// Takes them out of a target folder, before something is built there.
    ///
    /// # Errors
    /// The folder can't be read or changed.
    pub(super) fn take(target: &Path) -> io::Result<Self> {
        let path = target.join(KEPT);
        let runs = match std::fs::read(&path) {
            Ok(kept) => serde_json::from_slice(&kept).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(Self { runs, path }),
        }
    }

    /// Joins them with those that were executed since, which replace those that made the same, and keeps all whose sources are
    /// there.
    ///
    /// # Errors
    /// They can't be kept.
    pub(super) fn with(self, executed: &BTreeSet<ProgramRun>) -> io::Result<BTreeSet<ProgramRun>> {
        let made: BTreeSet<_> = executed.iter().map(ProgramRun::product).collect();
        let is_left = |run: &ProgramRun| !made.contains(&run.product()) && run.has_its_sources();
        let left: Vec<ProgramRun> = self.runs.into_iter().filter(is_left).collect();
        let all: BTreeSet<ProgramRun> = executed.iter().cloned().chain(left).collect();
        cache_files::write_atomically(&self.path, &[&serde_json::to_vec(&all)?])?;
        Ok(all)
    }
}

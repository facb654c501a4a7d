//! Programs in the build folder → copies of them that the next build does not overwrite.

use std::path::{Path, PathBuf};

use super::{BaseOrHead, MeasuredSidesError};
use crate::build::RepositoryCache;

/// The folder of the base's second copies; its name is as long as the names of the sides.
const CONTROL: &str = "ctrl";

/// The copies of both sides; removed when dropped.
#[derive(Debug)]
pub(super) struct ProgramCopies {
    root: PathBuf,
    /// The target folders that programs are built in, each with a name.
    targets: [(&'static str, PathBuf); 2],
}

impl ProgramCopies {
    /// Creates an empty folder for them and removes the copies of a killed process. The checkout's lock must be held.
    pub(super) fn clear(cache: &RepositoryCache) -> Result<Self, MeasuredSidesError> {
        let copies = Self {
            root: cache.root().join("sides"),
            targets: [("plain", cache.target()), ("probed", cache.probed_target())],
        };
        match std::fs::remove_dir_all(&copies.root) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(failed("removing programs of an earlier run", &copies.root)(error))
            }
            _ => Ok(copies),
        }
    }

    /// Copies a program that is below the build folder; any other stays where it is.
    pub(super) fn copy_program(&self, program: &Path, which: BaseOrHead) -> Result<PathBuf, MeasuredSidesError> {
        let place = self
            .targets
            .iter()
            .find_map(|(name, target)| Some(Path::new(name).join(program.strip_prefix(target).ok()?)));
        let Some(place) = place else {
            return Ok(program.to_owned());
        };
        self.copy(program, self.root.join(which.name()).join(place))
    }

    /// The base's program for its comparison with itself: in a file of its own, like the head's, so that the caches
    /// favour neither side. Copied on first use.
    pub(super) fn control(&self, program: &Path) -> Result<PathBuf, MeasuredSidesError> {
        match program.strip_prefix(self.root.join(BaseOrHead::Base.name())) {
            Ok(place) => self.copy(program, self.root.join(CONTROL).join(place)),
            Err(_) => Ok(program.to_owned()),
        }
    }

    /// The folder of a side's copies.
    pub(super) fn folder(&self, which: BaseOrHead) -> PathBuf {
        self.root.join(which.name())
    }

    /// Removes the copies of a side, which is about to be built: a copy that is there is taken for the new one.
    pub(super) fn discard(&self, which: BaseOrHead) -> Result<(), MeasuredSidesError> {
        let folder = self.folder(which);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(failed("removing kept programs", &folder)(error))
            }
            _ => Ok(()),
        }
    }

    fn copy(&self, program: &Path, copy: PathBuf) -> Result<PathBuf, MeasuredSidesError> {
        if !copy.exists() {
            let folder = copy.parent().unwrap_or(&self.root);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::copy(program, &copy))
                .map_err(failed("keeping a built program", &copy))?;
        }
        Ok(copy)
    }
}

impl Drop for ProgramCopies {
    fn drop(&mut self) {
        // The next start removes remaining files.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// True if a program belongs to a target: cargo writes `_` for `-` in some names.
pub(super) fn is_program_of_target(program: &Path, target: &str) -> bool {
    target_of_program(program).replace('-', "_") == target.replace('-', "_")
}

/// The target that a program was built from, as its file is named: cargo adds `-` and a hash to most names, and writes `_`
/// for `-` in some.
#[must_use]
pub fn target_of_program(program: &Path) -> String {
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == CARGO_HASH && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            name.to_owned()
        }
        _ => stem.into_owned(),
    }
}

/// Hexadecimal digits of the hash in a program's name.
const CARGO_HASH: usize = 16;

fn failed(attempt: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> MeasuredSidesError {
    let path = path.to_owned();
    move |source| MeasuredSidesError::Copy { attempt, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_targets_name() {
        let parse = Path::new("/t/release/deps/parse_all-0123456789abcdef");
        assert!(is_program_of_target(parse, "parse-all") && is_program_of_target(parse, "parse_all"));
        assert!(!is_program_of_target(parse, "parse"));
        assert!(is_program_of_target(
            Path::new("/t/release/with-subject"),
            "with-subject"
        ));
    }
}

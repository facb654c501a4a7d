//! Built dependencies that have the name of one of the version's own packages → what they are before and after a command
//! that removes by name.
//!
//! `cargo clean -p ID` removes the units of every package of that name. A framework may depend on the library that it
//! measures (criterion takes itoa, of the registry): it and all that uses it would be built again for each version.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::key::cargo_home;
use super::units::{dependency_files, name_and_hash};
use super::{profile_folders, remove_folder};

/// The folder below the target folder.
const FOLDER: &str = "set-aside";

/// Files that were moved out of the way.
#[derive(Debug)]
pub(in crate::build) struct NamesakeFiles {
    folder: PathBuf,
    target: PathBuf,
    /// Relative to both folders.
    files: Vec<PathBuf>,
}

impl NamesakeFiles {
    /// Moves the files of dependencies with one of these names into a folder of their own.
    ///
    /// # Errors
    /// If a file can't be moved. It is then missing where cargo looks, so that cargo builds it again.
    pub(in crate::build) fn set_aside(target: &Path, packages: &BTreeSet<&str>) -> io::Result<Self> {
        let mut aside = Self {
            folder: target.join(FOLDER),
            target: target.to_owned(),
            files: Vec::new(),
        };
        remove_folder(&aside.folder)?;
        for profile in profile_folders(target) {
            let found = dependency_files(&profile, &cargo_home());
            let named = found.units.iter().filter_map(|unit| name_and_hash(Path::new(unit)));
            let hashes: BTreeSet<String> = named
                .filter(|(name, _)| packages.contains(name.as_str()))
                .map(|(_, hash)| hash)
                .collect();
            let place = profile.strip_prefix(target).unwrap_or(&profile);
            let of_namesakes = found.files.iter().filter(|file| is_of(file, &hashes));
            aside.files.extend(of_namesakes.map(|file| place.join(file)));
        }
        aside.move_all(&aside.target, &aside.folder)?;
        Ok(aside)
    }

    /// Moves them back.
    ///
    /// # Errors
    /// If a file can't be moved: cargo builds it again.
    pub(in crate::build) fn put_back(self) -> io::Result<()> {
        self.move_all(&self.folder, &self.target)?;
        remove_folder(&self.folder)
    }

    /// A file that is moved keeps its times, which cargo compares.
    fn move_all(&self, from: &Path, to: &Path) -> io::Result<()> {
        for file in &self.files {
            let place = to.join(file);
            place.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::rename(from.join(file), place)?;
        }
        Ok(())
    }
}

/// True if the name of a file or of a folder above it ends in one of these hashes.
fn is_of(file: &Path, hashes: &BTreeSet<String>) -> bool {
    file.iter()
        .map(|name: &OsStr| Path::new(name))
        .any(|name| super::units::hash_of(name).is_some_and(|hash| hashes.contains(&hash)))
}

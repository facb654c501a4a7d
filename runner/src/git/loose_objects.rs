//! An object's id → whether its file was cut short.
//!
//! libgit2 (seen in 1.9.7) never returns from reading a loose object whose compressed data ends too early, as after a
//! power failure. So each object is checked here before it is read by id; for a packed object the check only finds that
//! there is no file. Does not check the content itself.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Borrowed object folders may borrow in turn; git follows the same number of steps.
const BORROWING_DEPTH: usize = 5;

/// The list of folders that objects are borrowed from is a few lines.
const ALTERNATES_LIMIT: u64 = 1 << 20;

/// Result of checking an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LooseObjectState {
    /// It has a file that can be read to its end, or none.
    Whole,
    /// Its file ends too early or is not compressed data.
    CutShort,
}

/// The folders that contain a repository's objects: its own, and those it borrows from.
pub(super) fn object_folders(common_dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![common_dir.join("objects")];
    let mut level = 0..1;
    for _ in 0..BORROWING_DEPTH {
        let borrowed: Vec<PathBuf> = folders[level.clone()]
            .iter()
            .flat_map(|folder| alternates(folder))
            .collect();
        level = folders.len()..folders.len() + borrowed.len();
        folders.extend(borrowed);
    }
    folders
}

/// Lets objects be found in more folders.
pub(super) fn borrow_from<'f>(
    objects: &git2::Odb<'_>,
    folders: impl IntoIterator<Item = &'f PathBuf>,
) -> Result<(), git2::Error> {
    let mut folders = folders.into_iter();
    folders.try_for_each(|folder| objects.add_disk_alternate(&folder.to_string_lossy()))
}

/// Checks whether the object's file, if it has one, is complete.
pub(super) fn check_loose_object(folders: &[PathBuf], oid: git2::Oid) -> io::Result<LooseObjectState> {
    let hex = oid.to_string();
    for folder in folders {
        let file = match File::open(folder.join(&hex[..2]).join(&hex[2..])) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut content = flate2::read::ZlibDecoder::new(io::BufReader::new(file));
        return match io::copy(&mut content, &mut io::sink()) {
            Ok(_) => Ok(LooseObjectState::Whole),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput
                ) =>
            {
                Ok(LooseObjectState::CutShort)
            }
            Err(error) => Err(error),
        };
    }
    Ok(LooseObjectState::Whole)
}

/// The folders that an object folder borrows from. libgit2 reports those that can't be read.
fn alternates(folder: &Path) -> Vec<PathBuf> {
    let mut text = String::new();
    let list = File::open(folder.join("info/alternates"));
    if list
        .and_then(|file| file.take(ALTERNATES_LIMIT).read_to_string(&mut text))
        .is_err()
    {
        return Vec::new();
    }
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| folder.join(line))
        .collect()
}

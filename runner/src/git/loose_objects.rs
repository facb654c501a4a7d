//! An object's id in, whether its file was cut short out.
//!
//! libgit2 (seen in 1.9.7) never returns from reading a loose object whose compressed data ends too early,
//! as a power failure leaves it. So each object that is read by id is looked at here before; packed ones
//! cost a look for a file that is not there. Nothing is said about the content itself.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Borrowed object folders may borrow in turn; git follows as many steps.
const BORROWING_DEPTH: usize = 5;

/// The list of folders that objects are borrowed from is a few lines.
const ALTERNATES_LIMIT: u64 = 1 << 20;

/// What was found out about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LooseObjectState {
    /// In a file of its own that can be read to its end, or in none.
    Whole,
    /// In a file that ends too early or is not compressed data.
    CutShort,
}

/// The folders in which a repository's objects lie: its own, and those it borrows from.
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

/// Whether the object's file, if it has one, is whole.
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

/// The folders that one borrows from. What can't be read is left to libgit2 to report.
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

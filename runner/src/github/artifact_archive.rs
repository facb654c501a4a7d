//! The bytes of a zip archive → its files by name, within limits, or the reason why not.
//!
//! Names are compared and never used as paths; a name that could be a path out of a folder is refused nevertheless.
//! Sizes stated in an archive are not trusted: bytes are counted while unpacking.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

/// Signature of each entry in an archive's directory.
const ENTRY_MARK: &[u8] = b"PK\x01\x02";

/// Longest accepted name, in bytes.
const LONGEST_NAME: usize = 255;

/// Limits for an artifact. The defaults suit results and their logs: a few text files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactLimits {
    /// Bytes of the archive.
    pub compressed: u64,
    /// Entries in it, folders included.
    pub entries: usize,
    /// Bytes of one file, unpacked.
    pub entry: u64,
    /// Bytes of all files, unpacked.
    pub total: u64,
    /// Unpacked bytes per byte of the archive. Results are repetitive and reach 30; deflate itself ends at 1032.
    pub ratio: u64,
}

impl Default for ArtifactLimits {
    fn default() -> Self {
        Self {
            compressed: 32 << 20,
            entries: 64,
            entry: 64 << 20,
            total: 128 << 20,
            ratio: 200,
        }
    }
}

/// Unpacks an archive.
pub(super) fn unpack_files(archive: &[u8], limits: &ArtifactLimits) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let size = archive.len() as u64;
    if size > limits.compressed {
        return Err(format!("its {size} bytes exceed the limit of {}", limits.compressed));
    }
    let too_many = || format!("it contains more than {} entries", limits.entries);
    // Before the directory is read: reading it takes memory for each entry.
    let marks = archive.windows(ENTRY_MARK.len()).filter(|window| *window == ENTRY_MARK);
    if marks.count() > limits.entries {
        return Err(too_many());
    }
    let damaged = |error: zip::result::ZipError| {
        format!(
            "it is not a complete zip archive: {}",
            super::api_fault::printable_line(&error.to_string())
        )
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).map_err(damaged)?;
    if archive.len() > limits.entries {
        return Err(too_many());
    }
    let by_ratio = size.saturating_mul(limits.ratio);
    let mut left = limits.total.min(by_ratio);
    let mut files = BTreeMap::new();
    for position in 0..archive.len() {
        let entry = archive.by_index(position).map_err(damaged)?;
        if entry.is_dir() {
            continue;
        }
        let name =
            plain_name(entry.name_raw()).ok_or_else(|| format!("the name of entry {} is not allowed", position + 1))?;
        if entry.is_symlink() {
            return Err(format!("`{name}` is a link"));
        }
        let most = limits.entry.min(left);
        let mut content = Vec::new();
        entry
            .take(most.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| {
                format!(
                    "`{name}` is damaged: {}",
                    super::api_fault::printable_line(&error.to_string())
                )
            })?;
        let length = content.len() as u64;
        if length > limits.entry {
            return Err(format!("`{name}` has more than {} bytes", limits.entry));
        }
        left = left.checked_sub(length).ok_or_else(|| {
            if by_ratio < limits.total {
                format!("it unpacks to more than {} times its size", limits.ratio)
            } else {
                format!("it unpacks to more than {} bytes", limits.total)
            }
        })?;
        if files.insert(name.clone(), content).is_some() {
            return Err(format!("it contains `{name}` twice"));
        }
    }
    Ok(files)
}

/// A name that is relative, stays inside its folder, and is printable.
fn plain_name(raw: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(raw).ok()?;
    let plain = name.len() <= LONGEST_NAME
        && super::api_fault::printable_line(name) == name
        && !name.contains(['\\', ':'])
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    plain.then(|| name.to_owned())
}

//! Keys of a bucket ↔ states of the store's JSON files.
//!
//! Each state that a file of the store ever had is a file of its own in the bucket, named by the file's path and the hash of
//! its content. So none is ever replaced, and the union of what many machines write is what they know together.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use verdict::{Acknowledgement, VerdictReport};

use super::super::entries::{StoredFile, decoded};
use super::super::verify::StoreProblem;
use super::super::{ObjectKey, SampleRecord, StoreFinding, object_path};
use crate::git::CommitId;

/// End of a key of a JSON file's state.
const SUFFIX: &str = ".json.gz";

/// Bytes that a file has beside a content that cannot be compressed, and a thousandth of it.
const OVERHEAD: u64 = 1 << 10;

/// Kinds of JSON files in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryKind {
    Sample,
    Verdict,
    Acknowledgement,
}

/// A state of one of the store's JSON files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BucketEntry {
    pub(super) kind: EntryKind,
    /// Its path in the store.
    pub(super) path: String,
    /// The hash of its content.
    pub(super) content: ObjectKey,
}

impl EntryKind {
    pub(super) const ALL: [Self; 3] = [Self::Sample, Self::Verdict, Self::Acknowledgement];

    /// The folder of its files, in the store and in a bucket.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Sample => SampleRecord::FOLDER,
            Self::Verdict => VerdictReport::FOLDER,
            Self::Acknowledgement => Acknowledgement::FOLDER,
        }
    }

    /// Most bytes of a file.
    pub(super) fn limit(self) -> u64 {
        match self {
            Self::Sample => SampleRecord::LIMIT,
            Self::Verdict => VerdictReport::LIMIT,
            Self::Acknowledgement => Acknowledgement::LIMIT,
        }
    }

    /// The problem of a file that can't be read.
    pub(super) fn problem(self) -> StoreProblem {
        match self {
            Self::Sample => SampleRecord::PROBLEM,
            Self::Verdict => VerdictReport::PROBLEM,
            Self::Acknowledgement => Acknowledgement::PROBLEM,
        }
    }

    /// The path of a file that lito writes.
    fn path(self, folder: &str, file: &str) -> Option<String> {
        fn path_of<T: StoredFile>(folder: &str, file: &str) -> Option<String> {
            Some(T::path(&T::parse_key(folder, file)?))
        }
        match self {
            Self::Sample => path_of::<SampleRecord>(folder, file),
            Self::Verdict => path_of::<VerdictReport>(folder, file),
            Self::Acknowledgement => path_of::<Acknowledgement>(folder, file),
        }
    }
}

impl BucketEntry {
    /// Reads a key; `None` if lito writes none like it.
    pub(super) fn parse(kind: EntryKind, key: &str) -> Option<Self> {
        let mut parts = key.strip_prefix(kind.folder())?.strip_prefix('/')?.split('/');
        let (folder, file, content) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let entry = Self {
            kind,
            path: kind.path(folder, &format!("{file}.json"))?,
            content: content.strip_suffix(SUFFIX)?.parse().ok()?,
        };
        (entry.key() == key).then_some(entry)
    }

    /// Its key.
    pub(super) fn key(&self) -> String {
        let file = self.path.trim_end_matches(".json");
        format!("{file}/{}{SUFFIX}", self.content)
    }

    /// The version that it is about: of a verdict the later one. `None` for an acknowledgement.
    pub(super) fn version(&self) -> Option<CommitId> {
        match self.kind {
            EntryKind::Sample | EntryKind::Verdict => self.path.split('/').nth(1)?.parse().ok(),
            EntryKind::Acknowledgement => None,
        }
    }

    /// Most bytes of its file in a bucket.
    pub(super) fn packed_limit(&self) -> u64 {
        packed_limit(self.kind.limit())
    }

    /// The content of its file in a bucket.
    pub(super) fn unpacked(&self, file: &[u8]) -> Result<Vec<u8>, StoreFinding> {
        let content = unpacked(file, self.kind.limit()).map_err(|why| self.finding(why))?;
        if ObjectKey::of(&content) != self.content {
            return Err(self.finding(String::from("its content was altered or cut short")));
        }
        Ok(content)
    }

    /// Decodes a content at its path, and checks that it belongs there.
    pub(super) fn decoded<T: StoredFile>(&self, content: &[u8]) -> Result<T, StoreFinding> {
        let mut parts = self.path.split('/').skip(1);
        let key = parts.next().zip(parts.next());
        let key = key.and_then(|(folder, file)| T::parse_key(folder, file));
        let key = key.ok_or_else(|| self.finding(format!("its path is not that of {}", T::NAME)))?;
        decoded(content, &key).map_err(|why| self.finding(why))
    }

    /// A problem of its file.
    pub(super) fn finding(&self, why: String) -> StoreFinding {
        StoreFinding {
            path: self.key(),
            problem: self.kind.problem(),
            why,
        }
    }
}

/// The key of an object's file.
pub(super) fn object_file(key: ObjectKey) -> String {
    format!("{}.gz", object_path(key))
}

/// The file of a content in a bucket.
pub(super) fn packed(content: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::default());
    let written = file.write_all(content).and_then(|()| file.finish());
    written.expect("memory takes all that is written")
}

/// Most bytes of the file of a content with so many bytes.
pub(super) fn packed_limit(limit: u64) -> u64 {
    limit + limit / 1000 + OVERHEAD
}

/// The content of a file in a bucket, of at most so many bytes.
///
/// # Errors
/// The reason why there is none, in one clause.
pub(super) fn unpacked(file: &[u8], limit: u64) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = GzDecoder::new(file).take(limit + 1).read_to_end(&mut content);
    read.map_err(|error| format!("it can't be unpacked: {error}"))?;
    if content.len() as u64 > limit {
        return Err(format!("its content exceeds the limit of {limit} bytes"));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry() -> BucketEntry {
        let key = format!(
            "samples/{}/{}/{}.json.gz",
            "a1".repeat(20),
            "b2".repeat(16),
            ObjectKey::of(b"{}")
        );
        BucketEntry::parse(EntryKind::Sample, &key).unwrap()
    }

    #[test]
    fn a_key_names_the_path_and_the_content_of_a_file() {
        let entry = entry();
        assert_eq!(
            entry.path,
            format!("samples/{}/{}.json", "a1".repeat(20), "b2".repeat(16))
        );
        assert_eq!(entry.version().unwrap().to_string(), "a1".repeat(20));
        let key = entry.key();
        for other in [
            key.to_uppercase(),
            key.replace(".gz", ""),
            format!("{key}/a"),
            key.replacen("samples", "verdicts", 1),
            key.replacen("a1", "../", 1),
        ] {
            assert_eq!(BucketEntry::parse(EntryKind::Sample, &other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_is_not_what_its_key_says_is_a_finding() {
        let entry = entry();
        assert_eq!(entry.unpacked(&packed(b"{}")).unwrap(), b"{}");
        let whole = packed(b"{}");
        for file in [&whole[..whole.len() - 9], &packed(b"[]"), b"", b"{}"] {
            assert!(entry.unpacked(file).is_err());
        }
        let bomb = packed(&vec![b' '; (entry.kind.limit() + 1) as usize]);
        assert!(entry.unpacked(&bomb).unwrap_err().why.contains("limit"));
    }
}

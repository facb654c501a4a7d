//! A store → its problems, one finding per path. Repairs nothing.

use std::collections::BTreeMap;

use verdict::{Acknowledgement, VerdictReport};

use super::sample_record::StoredObject;
use super::{ObjectKey, SampleRecord, Store, StoreError, StoredObjects, object_path};
use super::{acknowledgements, verdicts};
use crate::git::CommitId;

/// Checks whether a profile's bytes can be decoded; the error is the reason why not.
pub type ProfileValidator<'a> = &'a dyn Fn(&[u8]) -> Result<(), String>;

/// A problem of the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreFinding {
    /// Path in the store; lossy where it is not UTF-8.
    pub path: String,
    /// Kind of the problem.
    pub problem: StoreProblem,
    /// The reason, in one clause for people.
    pub why: String,
}

/// Kinds of [`StoreFinding`], the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreProblem {
    /// A record that can't be read: lito ignores its sample.
    Record,
    /// A profile that is missing, altered or can't be decoded.
    Profile,
    /// A verdict that can't be read.
    Verdict,
    /// An acknowledgement that can't be read.
    Acknowledgement,
    /// A profile that no record refers to. It only takes space.
    Unused,
    /// A path that lito does not write in this format.
    Stray,
}

/// A folder of the store, which need not be readable.
pub(super) struct StoreFolder {
    pub(super) name: String,
    pub(super) id: git2::Oid,
}

impl Store {
    /// Reads everything and lists the problems by path; empty if there are none.
    ///
    /// # Errors
    /// The store can't be read, or its format is newer.
    pub fn verify(&self, decode: ProfileValidator<'_>) -> Result<Vec<StoreFinding>, StoreError> {
        let Some(state) = self.state("verifying the store")? else {
            return Ok(Vec::new());
        };
        let mut findings = Vec::new();
        let mut used: BTreeMap<ObjectKey, (CommitId, StoredObject)> = BTreeMap::new();
        for record in self.read_entries::<SampleRecord>(&state.tree)? {
            match record {
                Ok(record) => used.extend(record.objects().map(|(_, key, object)| (key, (record.commit, object)))),
                Err(finding) => findings.push(finding),
            }
        }
        let (present, strays) = StoredObjects::of(self, &state.tree)?;
        findings.extend(strays);
        for (key, (commit, object)) in &used {
            if let Some(why) = present.damage_as(*object, *key, decode) {
                findings.push(StoreFinding {
                    path: object_path(*key),
                    problem: StoreProblem::Profile,
                    why: format!("{why}: sample it again with `lito sample {}`", commit.short()),
                });
            }
        }
        for key in present.keys().filter(|key| !used.contains_key(key)) {
            findings.push(StoreFinding {
                path: object_path(key),
                problem: StoreProblem::Unused,
                why: "no sample uses it: remove it with `lito store gc`".to_owned(),
            });
        }
        for verdict in self.read_entries::<VerdictReport>(&state.tree)? {
            findings.extend(verdict.err());
        }
        for acknowledgement in self.read_entries::<Acknowledgement>(&state.tree)? {
            findings.extend(acknowledgement.err());
        }
        findings.extend(strays_at_the_top(&state.tree));
        findings.sort();
        Ok(findings)
    }

    /// Maps each `top/folder/file` by `take`; a path that it maps to `None` is a finding, and so is an unreadable
    /// folder.
    pub(super) fn nested_entries<T>(
        &self,
        tree: &git2::Tree<'_>,
        top: &str,
        take: impl Fn(&str, &str, git2::Oid) -> Option<T>,
    ) -> Result<Vec<Result<T, StoreFinding>>, StoreError> {
        let mut found = Vec::new();
        for folder in self.folders(tree, top)? {
            match folder {
                Ok(folder) => found.extend(self.files_of(top, &folder, &take)),
                Err(finding) => found.push(Err(finding)),
            }
        }
        Ok(found)
    }

    /// Each `top/folder`, none of them opened; a file in its place is a finding.
    pub(super) fn folders(
        &self,
        tree: &git2::Tree<'_>,
        top: &str,
    ) -> Result<Vec<Result<StoreFolder, StoreFinding>>, StoreError> {
        let Some(entry) = tree.get_name(top) else {
            return Ok(Vec::new());
        };
        let unreadable = |error: crate::git::GitError| self.unreadable(format!("`{top}`: {error}"));
        let folders = self.folder(entry.id()).map_err(unreadable)?;
        let folders = folders.iter().map(|folder| {
            let name = String::from_utf8_lossy(folder.name_bytes()).into_owned();
            match folder.kind() {
                Some(git2::ObjectType::Tree) => Ok(StoreFolder { name, id: folder.id() }),
                _ => Err(stray(format!("{top}/{name}"))),
            }
        });
        Ok(folders.collect())
    }

    /// Maps each file of `top/folder` by `take`; a file that it maps to `None` is a finding, and so is an unreadable
    /// folder.
    pub(super) fn files_of<T>(
        &self,
        top: &str,
        StoreFolder { name, id }: &StoreFolder,
        take: impl Fn(&str, &str, git2::Oid) -> Option<T>,
    ) -> Vec<Result<T, StoreFinding>> {
        let files = match self.folder(*id) {
            Ok(files) => files,
            Err(error) => {
                return vec![Err(StoreFinding {
                    path: format!("{top}/{name}/"),
                    problem: StoreProblem::Record,
                    why: error.to_string(),
                })];
            }
        };
        let files = files.iter().map(|file| {
            let within = String::from_utf8_lossy(file.name_bytes());
            let taken = match file.kind() {
                Some(git2::ObjectType::Blob) => take(name, &within, file.id()),
                _ => None,
            };
            taken.ok_or_else(|| stray(format!("{top}/{name}/{within}")))
        });
        files.collect()
    }
}

/// Unknown entries at the top of a store.
pub(super) fn strays_at_the_top(tree: &git2::Tree<'_>) -> Vec<StoreFinding> {
    let known = [
        "format",
        "samples",
        "objects",
        verdicts::FOLDER,
        acknowledgements::FOLDER,
    ];
    tree.iter()
        .map(|entry| String::from_utf8_lossy(entry.name_bytes()).into_owned())
        .filter(|name| !known.contains(&name.as_str()))
        .map(stray)
        .collect()
}

fn stray(path: String) -> StoreFinding {
    StoreFinding {
        path,
        problem: StoreProblem::Stray,
        why: "a lito store has no such path".to_owned(),
    }
}

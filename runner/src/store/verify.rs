//! A store in, what is wrong with it out, one finding a path. Repairs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use verdict::{Acknowledgement, VerdictReport};

use super::{ObjectKey, SampleRecord, Store, StoreError, object_path};
use super::{acknowledgements, verdicts};
use crate::git::CommitId;

/// Says whether a profile's bytes can be decoded, and if not, why.
pub type ProfileValidator<'a> = &'a dyn Fn(&[u8]) -> Result<(), String>;

/// Something in the store that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreFinding {
    /// Where, as a path in the store; lossy where it is not UTF-8.
    pub path: String,
    /// What.
    pub problem: StoreProblem,
    /// In one clause, for people.
    pub why: String,
}

/// Kinds of [`StoreFinding`], worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreProblem {
    /// A record that can't be read: its sample does not exist for lito.
    Record,
    /// A profile that is missing, altered or can't be decoded.
    Profile,
    /// A verdict that can't be read.
    Verdict,
    /// An acknowledgement that can't be read.
    Acknowledgement,
    /// A profile that no record names. Costs space only.
    Unused,
    /// A path that no lito of this format writes.
    Stray,
}

impl Store {
    /// Reads everything and says what is wrong, by path. Nothing wrong: an empty list.
    ///
    /// # Errors
    /// The store as a whole can't be read, or is of a newer format.
    pub fn verify(&self, decode: ProfileValidator<'_>) -> Result<Vec<StoreFinding>, StoreError> {
        let Some(state) = self.state("verifying the store")? else {
            return Ok(Vec::new());
        };
        let mut findings = Vec::new();
        let mut used: BTreeMap<ObjectKey, CommitId> = BTreeMap::new();
        for record in self.read_entries::<SampleRecord>(&state.tree)? {
            match record {
                Ok(record) => used.extend(record.profiles().map(|(_, key)| (key, record.commit))),
                Err(finding) => findings.push(finding),
            }
        }
        let (present, strays) = self.object_entries(&state.tree)?;
        findings.extend(strays);
        for (key, commit) in &used {
            if let Some(why) = self.damage(&state.tree, *key, decode) {
                findings.push(StoreFinding {
                    path: object_path(*key),
                    problem: StoreProblem::Profile,
                    why: format!("{why}: `lito sample {}` takes it again", commit.short()),
                });
            }
        }
        for key in present.iter().filter(|key| !used.contains_key(key)) {
            findings.push(StoreFinding {
                path: object_path(*key),
                problem: StoreProblem::Unused,
                why: "no sample uses it: `lito store gc` removes it".to_owned(),
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

    /// What is wrong with a profile, if anything.
    pub(super) fn damage(&self, tree: &git2::Tree<'_>, key: ObjectKey, decode: ProfileValidator<'_>) -> Option<String> {
        match self.object_in(tree, key) {
            Ok(content) => decode(&content).err(),
            Err(StoreError::Damaged { why, .. }) => Some(why),
            Err(other) => Some(other.to_string()),
        }
    }

    /// The keys of all objects; paths that are not an object's are findings.
    pub(super) fn object_entries(
        &self,
        tree: &git2::Tree<'_>,
    ) -> Result<(BTreeSet<ObjectKey>, Vec<StoreFinding>), StoreError> {
        let entries = self.nested_entries(tree, "objects", |folder, file, _| {
            (folder.len() == 2).then(|| ObjectKey::from_str(&format!("{folder}{file}")).ok())?
        })?;
        let mut keys = BTreeSet::new();
        let mut strays = Vec::new();
        for entry in entries {
            match entry {
                Ok(key) => {
                    keys.insert(key);
                }
                Err(finding) => strays.push(finding),
            }
        }
        Ok((keys, strays))
    }

    /// What `take` makes of each `top/folder/file`; what it makes nothing of is a finding, and so is a
    /// folder that can't be read.
    pub(super) fn nested_entries<T>(
        &self,
        tree: &git2::Tree<'_>,
        top: &str,
        take: impl Fn(&str, &str, git2::Oid) -> Option<T>,
    ) -> Result<Vec<Result<T, StoreFinding>>, StoreError> {
        let Some(entry) = tree.get_name(top) else {
            return Ok(Vec::new());
        };
        let unreadable = |error: crate::git::GitError| self.unreadable(format!("`{top}`: {error}"));
        let folders = self.folder(entry.id()).map_err(unreadable)?;
        let mut found = Vec::new();
        for folder in &folders {
            let name = String::from_utf8_lossy(folder.name_bytes()).into_owned();
            if folder.kind() != Some(git2::ObjectType::Tree) {
                found.push(Err(stray(format!("{top}/{name}"))));
                continue;
            }
            let files = match self.folder(folder.id()) {
                Ok(files) => files,
                Err(error) => {
                    let why = error.to_string();
                    found.push(Err(StoreFinding {
                        path: format!("{top}/{name}/"),
                        problem: StoreProblem::Record,
                        why,
                    }));
                    continue;
                }
            };
            for file in &files {
                let within = String::from_utf8_lossy(file.name_bytes());
                let taken = match file.kind() {
                    Some(git2::ObjectType::Blob) => take(&name, &within, file.id()),
                    _ => None,
                };
                found.push(taken.ok_or_else(|| stray(format!("{top}/{name}/{within}"))));
            }
        }
        Ok(found)
    }
}

/// What stands beside the folders that a store has.
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
        why: "no lito of this format writes such a path".to_owned(),
    }
}

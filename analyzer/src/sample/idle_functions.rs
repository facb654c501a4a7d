//! The sources of a version beside a sample → the functions of interpreted sources that no benchmark executes, not even to set up.
//!
//! A profile of an interpreted program holds every function that runs. One that it does not hold, in a source that is as it was,
//! runs only if other code begins to call it, by its name: code that changed since the sample, or that runs since.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashSet;
use profile::ProfileFunction;

use super::{IndexedProfile, Sample, last_segment};
use crate::languages::{is_interpreted, language_of};
use crate::sources::{FileSource, file_name};
use crate::text_search::words_in;

/// The functions that run, and the words by which others may begin to.
#[derive(Debug, Default)]
pub(crate) struct IdleFunctions {
    /// The names of the functions that run, by loaded source; of the sources alone that are as they were.
    executed: BTreeMap<String, BTreeSet<String>>,
    /// The words of the sources that are not, and of those that may run since.
    later_words: HashSet<Box<str>>,
}

/// A source that may begin to run code.
struct WaitingSource {
    text: Arc<[u8]>,
    /// The names by which code that runs can begin to run it.
    names: BTreeSet<String>,
}

impl IdleFunctions {
    /// Those of a version. None where a profile does not tell what runs around its subject, or it is not known what is loaded.
    pub(crate) fn of(sample: &Sample, tree: &dyn FileSource) -> Self {
        Self::known(sample, tree).unwrap_or_default()
    }

    fn known(sample: &Sample, tree: &dyn FileSource) -> Option<Self> {
        let is_known = |profile: &IndexedProfile| {
            !profile.files().any(is_interpreted)
                || (profile.profile().functions.iter()).any(ProfileFunction::is_of_set_up)
        };
        if !sample.benchmarks.iter().all(is_known) || !sample.all_inputs(|record| record.opened.is_complete) {
            return None;
        }
        let records = sample.inputs.records();
        let opened = records.flat_map(|(_, record)| record.opened.files.iter().map(String::as_str));
        let executed = sample.benchmarks.iter().flat_map(IndexedProfile::files);
        let loaded: BTreeSet<&str> = opened.chain(executed).collect();
        let mut found = Self::default();
        let mut waiting = Vec::new();
        for listed in tree.all_files()?.iter().filter(|listed| is_interpreted(&listed.path)) {
            let path = &*listed.path;
            let text = tree.bytes(path)?;
            let is_as_sampled = tree.id(path) == sample.tree.id(path);
            match (loaded.contains(path), is_as_sampled) {
                (true, false) => found.add_words(&text),
                (true, true) => {
                    let executed = executed_functions(sample, path);
                    let names = language_of(path)?
                        .support()
                        .names_of_functions(std::str::from_utf8(&text).ok()?);
                    let others = names.into_iter().filter(|name| !executed.contains(*name));
                    waiting.push(WaitingSource {
                        names: others.map(str::to_owned).collect(),
                        text,
                    });
                    found.executed.insert(path.to_owned(), executed);
                }
                (false, _) => waiting.push(WaitingSource {
                    text,
                    names: module_names(path).map(str::to_owned).collect(),
                }),
            }
        }
        loop {
            let is_asked_for =
                |source: &WaitingSource| source.names.iter().any(|name| found.later_words.contains(&**name));
            let (asked, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_asked_for);
            if asked.is_empty() {
                return Some(found);
            }
            asked.iter().for_each(|source| found.add_words(&source.text));
            waiting = others;
        }
    }

    fn add_words(&mut self, text: &[u8]) {
        self.later_words
            .extend(words_in(&String::from_utf8_lossy(text)).map(Box::from));
    }

    /// True for a function of this name that does not run. The language itself calls those with special names.
    pub(crate) fn has(&self, path: &str, name: &str) -> bool {
        let executed = self.executed.get(path);
        executed.is_some_and(|names| !names.contains(name))
            && !name.starts_with("__")
            && !self.later_words.contains(name)
    }
}

/// The names of the functions of a source that some benchmark executes.
fn executed_functions(sample: &Sample, path: &str) -> BTreeSet<String> {
    let of_profile = |profile: &'_ IndexedProfile| {
        let ids = profile.declared(path, 0, u32::MAX);
        ids.map(|id| last_segment(&profile.profile().function(id).name).to_owned())
            .collect::<Vec<_>>()
    };
    sample.benchmarks.iter().flat_map(of_profile).collect()
}

/// The words by which code loads a source: its own name, or that of its folder.
fn module_names(path: &str) -> impl Iterator<Item = &str> {
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let folder = path.rsplit('/').nth(1).filter(|_| stem.starts_with("__"));
    folder.into_iter().chain([stem])
}

//! The sources of a version beside a sample → the functions of interpreted sources that no benchmark executes, not even to set up.
//!
//! A profile of an interpreted program holds every function that ran at the sample. Another one may run by now only if code that
//! runs names it, itself or by way of further functions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashSet;
use profile::ProfileFunction;

use super::{IndexedProfile, Sample, last_segment};
use crate::languages::{CodeWords, is_interpreted, language_of, module_name};
use crate::sources::{FileSource, ListedFile};

/// The source of a package that runs as a script.
const MAIN: &str = "__main__";

/// Those of the versions that were looked at last: a version is the one before of the next.
pub(super) type KnownIdleFunctions = Mutex<VecDeque<(blake3::Hash, Arc<IdleFunctions>)>>;

/// So many versions are kept, which are those before and after some changes that are scored at the same time.
const KEPT_VERSIONS: usize = 8;

/// The functions that run, and the words by which others may.
#[derive(Debug, Default)]
pub(crate) struct IdleFunctions {
    /// The names of the functions that run, by loaded source.
    executed: BTreeMap<String, BTreeSet<String>>,
    /// The words of the code that runs, and of what it names.
    running: OwnedWords,
}

/// Words of code.
#[derive(Debug, Default)]
struct OwnedWords {
    words: HashSet<Box<str>>,
    starts: HashSet<Box<str>>,
    ends: HashSet<Box<str>>,
}

impl OwnedWords {
    fn of(words: &CodeWords<'_>) -> Self {
        let mut owned = Self::default();
        owned.add(words);
        owned
    }

    fn add(&mut self, other: &CodeWords<'_>) {
        let owned = |words: &BTreeSet<&str>| words.iter().map(|word| Box::from(*word)).collect::<Vec<_>>();
        self.words.extend(owned(&other.words));
        self.starts.extend(owned(&other.starts));
        self.ends.extend(owned(&other.ends));
    }

    fn append(&mut self, other: Self) {
        self.words.extend(other.words);
        self.starts.extend(other.starts);
        self.ends.extend(other.ends);
    }

    /// True if one of them is a name, or one in a text is what it begins or ends with: `'visit_' + kind`.
    fn name(&self, function: &str) -> bool {
        let mut parts = function.match_indices('_').map(|(at, _)| at);
        self.words.contains(function)
            || parts.any(|at| self.starts.contains(&function[..=at]) || self.ends.contains(&function[at..]))
    }
}

/// Code that runs if code that runs has its name.
struct WaitingCode {
    name: Box<str>,
    words: WaitingWords,
}

/// The words of such code.
enum WaitingWords {
    /// Of a function.
    Known(OwnedWords),
    /// Of a source that nothing loaded, which is read when it is named.
    In(Arc<str>),
}

impl IdleFunctions {
    /// Those of a version. None where a profile does not tell what runs around its subject, or it is not known what is loaded.
    pub(crate) fn of(sample: &Sample, tree: &dyn FileSource) -> Arc<Self> {
        let Some(mut sources) = tree.all_files() else {
            return Arc::default();
        };
        sources.retain(|listed| is_interpreted(&listed.path));
        let key = key_of(&sources);
        let known = || sample.idle_functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known().iter().find(|(of, _)| *of == key) {
            return Arc::clone(found);
        }
        let found = Arc::new(Self::found(sample, &sources, tree).unwrap_or_default());
        let mut known = known();
        known.truncate(KEPT_VERSIONS - 1);
        known.push_front((key, Arc::clone(&found)));
        found
    }

    fn found(sample: &Sample, sources: &[ListedFile], tree: &dyn FileSource) -> Option<Self> {
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
        let mut imported: HashSet<Box<str>> = HashSet::new();
        let mut waiting = Vec::new();
        for listed in sources {
            let path = &*listed.path;
            if !loaded.contains(path) {
                waiting.push(WaitingCode {
                    name: module_name(path).into(),
                    words: WaitingWords::In(Arc::clone(&listed.path)),
                });
                continue;
            }
            let bytes = tree.bytes(path)?;
            let text = std::str::from_utf8(&bytes).ok()?;
            let executed = executed_functions(sample, path);
            let code = language_of(path)?.support().words_of_code(text)?;
            imported.extend(code.imports.into_iter().map(Box::from));
            found.running.add(&code.loading);
            for (name, words) in code.functions {
                // Those with special names are called by the language.
                match executed.contains(name) || name.starts_with("__") {
                    true => found.running.add(&words),
                    false => waiting.push(WaitingCode {
                        name: name.into(),
                        words: WaitingWords::Known(OwnedWords::of(&words)),
                    }),
                }
            }
            found.executed.insert(path.to_owned(), executed);
        }
        loop {
            // Every script has the word `__main__`.
            let is_asked_for = |code: &WaitingCode| {
                imported.contains(&code.name) || *code.name != *MAIN && found.running.name(&code.name)
            };
            let (asked, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_asked_for);
            if asked.is_empty() {
                return Some(found);
            }
            for code in asked {
                match code.words {
                    WaitingWords::Known(words) => found.running.append(words),
                    WaitingWords::In(path) => {
                        let bytes = tree.bytes(&path)?;
                        found.running.add(&all_words(&path, std::str::from_utf8(&bytes).ok()?));
                    }
                }
            }
            waiting = others;
        }
    }

    /// True for a function of this name that does not run.
    pub(crate) fn has(&self, path: &str, name: &str) -> bool {
        let executed = self.executed.get(path);
        executed.is_some_and(|names| !names.contains(name)) && !name.starts_with("__") && !self.running.name(name)
    }
}

/// The words of a whole source.
fn all_words<'s>(path: &str, source: &'s str) -> CodeWords<'s> {
    let mut words = CodeWords::default();
    match language_of(path).and_then(|language| language.support().words_of_code(source)) {
        Some(code) => {
            words.words.extend(code.imports);
            let functions = code.functions.iter().map(|(_, words)| words);
            functions.chain([&code.loading]).for_each(|code| words.add(code));
        }
        // Whatever it is.
        None => words.add_text(source),
    }
    words
}

/// Tells sources from others by their paths and contents.
fn key_of(sources: &[ListedFile]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for source in sources {
        hasher.update(&source.id.0);
        hasher.update(source.path.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize()
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

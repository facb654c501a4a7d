//! The version before a change → its source files that can matter to a benchmark, to look names up in.
//!
//! Those are the files that changed, those that some benchmark executes, and those that the `mod` declarations of their
//! crates lead to: a constant may stand in a file in which nothing is executed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use crate::change::LocatedFunction;
use crate::languages::{self, Language, language_of};
use crate::layout::{ModulePath, SourceLayout};
use crate::sample::{LaterVersion, Sample, SampledFunction};
use crate::sources::SourceContent;
use crate::syntax::{ParseCache, SourceFile, SyntaxFunction};

/// The most files that are read; those that changed or are executed come first.
const MOST_FILES: usize = 1000;

/// A source file of the version before.
pub(super) struct ScannedFile {
    pub(super) path: Arc<str>,
    pub(super) language: Language,
    pub(super) source: Arc<SourceFile>,
    pub(super) bytes: Arc<[u8]>,
    module: ModulePath,
}

/// What functions were in the sample, by file and first line; `None` for those that it did not have.
type SampledFunctions = HashMap<(Arc<str>, u32), Option<SampledFunction>>;

/// The files, by path, with the place of their functions in the sample.
#[derive(Default)]
pub(super) struct ScannedFiles {
    pub(super) files: Vec<ScannedFile>,
    /// Looked up once for all names and benchmarks.
    sampled: RefCell<SampledFunctions>,
}

impl ScannedFiles {
    /// Reads the files around those that changed.
    pub(super) fn around(changed: &[Arc<str>], sample: &Sample, before: LaterVersion<'_>) -> Self {
        Self {
            files: read(changed, sample, before),
            sampled: RefCell::default(),
        }
    }

    /// A function of one of the files, as the sampled version had it; `None` if it did not.
    pub(super) fn sampled(
        &self,
        file: &ScannedFile,
        function: &Arc<SyntaxFunction>,
        (sample, parser): (&Sample, &ParseCache),
    ) -> Option<SampledFunction> {
        let key = (Arc::clone(&file.path), function.lines.first);
        if let Some(known) = self.sampled.borrow().get(&key) {
            return known.clone();
        }
        let located = LocatedFunction {
            file: Arc::clone(&file.path),
            name: file.module.name(&function.path),
            function: Arc::clone(function),
        };
        let found = sample.find_as_it_was(&located, parser);
        self.sampled.borrow_mut().insert(key, found.clone());
        found
    }
}

fn read(changed: &[Arc<str>], sample: &Sample, before: LaterVersion<'_>) -> Vec<ScannedFile> {
    let mut first: BTreeSet<String> = changed.iter().map(|path| path.to_string()).collect();
    for indexed in &sample.benchmarks {
        let profile = indexed.profile();
        let own = profile.functions.iter().filter(|f| !f.external);
        first.extend(own.filter_map(|f| f.file).map(|file| profile.file(file).to_owned()));
    }
    let roots = languages::entry_points(first.iter());
    let mut waiting: Vec<String> = roots.into_iter().chain(first).rev().collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut read: BTreeMap<Arc<str>, ScannedFile> = BTreeMap::new();
    let layout = SourceLayout::new(before.tree);
    while let Some(path) = waiting.pop() {
        if read.len() >= MOST_FILES || !seen.insert(path.clone()) {
            continue;
        }
        let Some(language) = language_of(&path) else {
            continue;
        };
        let Some(blob) = before.tree.file(&path) else {
            continue;
        };
        let source = before.parser.get(&path, &blob);
        let SourceContent::Bytes(bytes) = blob.content else {
            continue;
        };
        waiting.splice(0..0, language.support().declared_files(&path, &bytes));
        let module = layout.module(&path, language);
        let path: Arc<str> = path.into();
        let file = ScannedFile {
            path: Arc::clone(&path),
            language,
            source,
            bytes,
            module,
        };
        read.insert(path, file);
    }
    read.into_values().collect()
}

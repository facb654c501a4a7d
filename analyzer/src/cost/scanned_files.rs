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

/// The most files that are read; those that are executed come first.
const MOST_FILES: usize = 1000;

/// A source file of the version before.
pub(super) struct ScannedFile {
    pub(super) path: Arc<str>,
    pub(super) language: Language,
    pub(super) source: Arc<SourceFile>,
    pub(super) bytes: Arc<[u8]>,
    /// True unless it stands among benchmarks, examples and the like of which none is executed.
    pub(super) is_compiled: bool,
    module: ModulePath,
}

/// The functions as they were in the sample, by file and first line; `None` for those that it did not have.
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

    /// True for a source or manifest among benchmarks, examples and the like, of which none in its folder is executed:
    /// what stands there is in no benchmark.
    pub(super) fn is_left_out(&self, path: &str) -> bool {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        languages::is_beside_library(path)
            && !(self.files.iter()).any(|file| file.is_compiled && file.path.starts_with(folder))
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
    let mut executed: BTreeSet<String> = BTreeSet::new();
    for indexed in &sample.benchmarks {
        let profile = indexed.profile();
        let own = profile.functions.iter().filter(|f| !f.external);
        executed.extend(own.filter_map(|f| f.file).map(|file| profile.file(file).to_owned()));
    }
    let mut reading = Reading {
        before,
        layout: SourceLayout::new(before.tree),
        files: BTreeMap::new(),
    };
    reading.follow(executed, true);
    reading.follow(changed.iter().map(|path| path.to_string()).collect(), false);
    reading.files.into_values().collect()
}

/// The files that were read so far.
struct Reading<'t> {
    before: LaterVersion<'t>,
    layout: SourceLayout<'t>,
    files: BTreeMap<Arc<str>, ScannedFile>,
}

impl Reading<'_> {
    /// Reads some files, the roots of their crates, and what their declarations lead to.
    fn follow(&mut self, first: BTreeSet<String>, are_executed: bool) {
        let roots = languages::entry_points(first.iter());
        let mut waiting: Vec<String> = roots.into_iter().chain(first).rev().collect();
        while let Some(path) = waiting.pop() {
            if self.files.len() >= MOST_FILES || self.files.contains_key(path.as_str()) {
                continue;
            }
            let Some(language) = language_of(&path) else {
                continue;
            };
            let Some(blob) = self.before.tree.file(&path) else {
                continue;
            };
            let source = self.before.parser.get(&path, &blob);
            let SourceContent::Bytes(bytes) = blob.content else {
                continue;
            };
            let support = language.support();
            waiting.splice(0..0, support.declared_files(&path, &bytes));
            let is_compiled = are_executed || !support.is_beside_library(&path);
            let module = self.layout.module(&path, language);
            let path: Arc<str> = path.into();
            let file = ScannedFile {
                path: Arc::clone(&path),
                language,
                source,
                bytes,
                is_compiled,
                module,
            };
            self.files.insert(path, file);
        }
    }
}

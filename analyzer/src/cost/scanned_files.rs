//! The version before a change → its source files that can matter to a benchmark, to look names up in.
//!
//! Those are the files that changed, those that the sample's benchmarks were compiled from or execute, and those that
//! the declarations of their crates lead to: a constant may stand in a file in which nothing is executed.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;
use profile::inputs::UnitKind;

use crate::change::LocatedFunction;
use crate::cost::mention_graph::words_with_places;
use crate::languages::{self, Language, language_of};
use crate::layout::{ModulePath, SourceLayout};
use crate::sample::{LaterVersion, Sample, SampledFunction};
use crate::sources::{Blob, ContentId, SourceContent};
use crate::syntax::{ItemKind, ParseCache, SourceFile, SyntaxFunction, SyntaxItem};
use crate::text_search::{LineStarts, lines_naming};

/// The most files that are read.
const MOST_FILES: usize = 5000;

/// A source file of the version before.
pub(super) struct ScannedFile {
    pub(super) path: Arc<str>,
    pub(super) language: Language,
    pub(super) bytes: Arc<[u8]>,
    /// True unless it stands among benchmarks, examples and the like of which the sample has none.
    pub(super) is_compiled: bool,
    pub(super) id: ContentId,
    module: ModulePath,
    parsed: OnceCell<Arc<SourceFile>>,
    line_starts: OnceCell<LineStarts>,
    words: OnceCell<Vec<Range<usize>>>,
}

impl ScannedFile {
    /// The file, parsed when first requested: most files do not mention the name that is looked up.
    pub(super) fn source(&self, parser: &ParseCache) -> &Arc<SourceFile> {
        self.parsed.get_or_init(|| {
            let content = SourceContent::Bytes(Arc::clone(&self.bytes));
            parser.get(&self.path, &Blob { id: self.id, content })
        })
    }

    pub(super) fn line_starts(&self) -> &LineStarts {
        self.line_starts.get_or_init(|| LineStarts::of(&self.bytes))
    }

    /// The identifiers in a part of the file that begins with a line, line comments left out, with the place of their
    /// first byte; in the order of the text. The file is read when they are first requested, and once for all its places.
    pub(super) fn words_in<'s>(&'s self, part: &Range<usize>) -> impl Iterator<Item = (&'s str, usize)> + use<'s> {
        let all = self.words.get_or_init(|| {
            let words = words_with_places(&self.bytes, self.language);
            words.map(|(word, at)| at..at + word.len()).collect()
        });
        let first = all.partition_point(|word| word.start < part.start);
        let end = all.partition_point(|word| word.start < part.end);
        let words = all[first..end.max(first)].iter();
        words.filter_map(|word| Some((std::str::from_utf8(&self.bytes[word.clone()]).ok()?, word.start)))
    }

    /// A function of the file with its full name.
    pub(super) fn located(&self, function: &Arc<SyntaxFunction>) -> LocatedFunction {
        LocatedFunction {
            file: Arc::clone(&self.path),
            name: self.module.name(&function.path),
            function: Arc::clone(function),
        }
    }
}

/// The functions as they were in the sample, by file and first line; `None` for those that it did not have.
type SampledFunctions = HashMap<(Arc<str>, u32), Option<SampledFunction>>;

/// The files, by path, with the place of their functions in the sample.
#[derive(Default)]
pub(super) struct ScannedFiles {
    pub(super) files: Vec<ScannedFile>,
    /// False if there are more files, or one could not be read: then a name may be mentioned elsewhere.
    pub(super) is_complete: bool,
    /// Folders of benchmarks, examples and the like, of which the sample has some.
    compiled_folders: BTreeSet<String>,
    /// Looked up once for all names and benchmarks.
    sampled: RefCell<SampledFunctions>,
    /// Whether a trait has a method of a name. Looked up once for all benchmarks.
    trait_methods: RefCell<HashMap<String, bool>>,
}

impl ScannedFiles {
    /// Reads the files around those that changed.
    pub(super) fn around(changed: &[Arc<str>], sample: &Sample, before: LaterVersion<'_>) -> Self {
        let mut reading = Reading {
            before,
            layout: SourceLayout::new(before.tree),
            files: BTreeMap::new(),
            is_complete: true,
        };
        reading.follow(compiled_or_executed(sample), true);
        reading.follow(changed.iter().map(|path| path.to_string()).collect(), false);
        let Reading { files, is_complete, .. } = reading;
        let compiled = files.values().filter(|file| file.is_compiled);
        let compiled_folders: BTreeSet<String> = compiled
            .filter_map(|file| languages::folder_beside_library(&file.path))
            .map(str::to_owned)
            .collect();
        let mut files: Vec<ScannedFile> = files.into_values().collect();
        for file in &mut files {
            file.is_compiled |= !is_beside(&file.path, &compiled_folders);
        }
        Self {
            files,
            is_complete,
            compiled_folders,
            sampled: RefCell::default(),
            trait_methods: RefCell::default(),
        }
    }

    /// True for a source or manifest that no benchmark of the sample is compiled from: it stands among benchmarks,
    /// examples and the like, of which the sample has none.
    pub(super) fn is_left_out(&self, path: &str) -> bool {
        let known = self.files.binary_search_by(|file| (*file.path).cmp(path));
        match known {
            Ok(at) => !self.files[at].is_compiled,
            Err(_) => is_beside(path, &self.compiled_folders),
        }
    }

    /// True if a trait in the files has a method of a name.
    pub(super) fn has_trait_method(&self, name: &str, parser: &ParseCache) -> bool {
        if let Some(&known) = self.trait_methods.borrow().get(name) {
            return known;
        }
        let found = self.files.iter().any(|file| {
            let lines = lines_naming(&file.bytes, name);
            let holds = |item: &SyntaxItem| {
                let first = lines.partition_point(|&line| line < item.lines.first);
                item.kind == ItemKind::Trait && lines.get(first).is_some_and(|&line| line <= item.lines.last)
            };
            !lines.is_empty() && file.source(parser).items.iter().any(holds)
        });
        self.trait_methods.borrow_mut().insert(name.to_owned(), found);
        found
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
        let found = sample.find_as_it_was(&file.located(function), parser);
        self.sampled.borrow_mut().insert(key, found.clone());
        found
    }
}

/// True in a folder of benchmarks, examples and the like that is not one of those with compiled files.
fn is_beside(path: &str, compiled_folders: &BTreeSet<String>) -> bool {
    languages::folder_beside_library(path).is_some_and(|folder| !compiled_folders.contains(folder))
}

/// The files that the benchmarks of a sample were compiled from, as far as recorded, and those that they execute.
fn compiled_or_executed(sample: &Sample) -> BTreeSet<String> {
    let mut files: BTreeSet<String> = BTreeSet::new();
    let linked = |kind: UnitKind| match kind {
        UnitKind::Library | UnitKind::Program => true,
        UnitKind::ProceduralMacro | UnitKind::BuildScript => false,
    };
    for unit in sample.inputs.units().filter(|unit| linked(unit.kind)) {
        files.extend(unit.files.iter().cloned());
    }
    for indexed in &sample.benchmarks {
        let profile = indexed.profile();
        let own = profile.functions.iter().filter(|f| !f.external);
        files.extend(own.filter_map(|f| f.file).map(|file| profile.file(file).to_owned()));
    }
    files
}

/// The files that were read so far.
struct Reading<'t> {
    before: LaterVersion<'t>,
    layout: SourceLayout<'t>,
    files: BTreeMap<Arc<str>, ScannedFile>,
    is_complete: bool,
}

impl Reading<'_> {
    /// Reads some files, those that they may be reached from, and what their declarations lead to.
    fn follow(&mut self, first: BTreeSet<String>, are_compiled: bool) {
        let roots = languages::entry_points(first.iter());
        let mut waiting: Vec<String> = roots.into_iter().chain(first).rev().collect();
        while let Some(path) = waiting.pop() {
            if self.files.contains_key(path.as_str()) {
                continue;
            }
            let Some(language) = language_of(&path) else {
                continue;
            };
            let Some(blob) = self.before.tree.file(&path) else {
                continue;
            };
            let SourceContent::Bytes(bytes) = blob.content else {
                self.is_complete = false;
                continue;
            };
            if self.files.len() >= MOST_FILES {
                self.is_complete = false;
                return;
            }
            waiting.extend(language.support().declared_files(&path, &bytes));
            let module = self.layout.module(&path, language);
            let path: Arc<str> = path.into();
            let file = ScannedFile {
                path: Arc::clone(&path),
                language,
                bytes,
                is_compiled: are_compiled,
                id: blob.id,
                module,
                parsed: OnceCell::new(),
                line_starts: OnceCell::new(),
                words: OnceCell::new(),
            };
            self.files.insert(path, file);
        }
    }
}

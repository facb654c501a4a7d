//! The version before a change → its source files that can matter to a benchmark, to look names up in.
//!
//! Those are the files that changed, those that the sample's benchmarks were compiled from or execute, and those that
//! the declarations of their crates lead to: a constant may stand in a file in which nothing is executed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;
use profile::inputs::UnitKind;

use crate::change::LocatedFunction;
use crate::languages::{self, language_of};
use crate::layout::SourceLayout;
use crate::sample::{LaterFile, LaterFiles, LaterVersion, PlacedFile, Sample};
use crate::syntax::{ItemKind, ParseCache, SyntaxFunction, SyntaxItem};
use crate::text_search::lines_naming;

/// The most files that are read.
const MOST_FILES: usize = 5000;

/// A source file of the version before.
pub(super) struct ScannedFile {
    file: Arc<LaterFile>,
    pub(super) placed: Arc<PlacedFile>,
    /// True unless it stands among benchmarks, examples and the like of which the sample has none.
    pub(super) is_compiled: bool,
    /// True if benchmarks were compiled from it, or execute it, or the declarations of such a file lead to it.
    pub(super) is_of_benchmarks: bool,
}

impl std::ops::Deref for ScannedFile {
    type Target = LaterFile;

    fn deref(&self) -> &LaterFile {
        &self.file
    }
}

impl ScannedFile {
    /// A function of the file with its full name.
    pub(super) fn located(&self, function: &Arc<SyntaxFunction>) -> LocatedFunction {
        self.placed.located(&self.file, function)
    }
}

/// The files, by path.
#[derive(Default)]
pub(super) struct ScannedFiles {
    pub(super) files: Vec<ScannedFile>,
    /// False if there are more files, or one could not be read: then a name may be mentioned elsewhere.
    pub(super) is_complete: bool,
    /// Folders of benchmarks, examples and the like, of which the sample has some.
    compiled_folders: BTreeSet<String>,
    /// Whether a trait has a method of a name. Looked up once for all benchmarks.
    trait_methods: RefCell<HashMap<String, bool>>,
}

impl ScannedFiles {
    /// Reads the files around those that changed.
    pub(super) fn around(
        changed: &[Arc<str>],
        (sample, before): (&Sample, LaterVersion<'_>),
        later_files: &LaterFiles,
    ) -> Self {
        let mut reading = Reading {
            sample,
            before,
            later_files,
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
        let found = self.files.iter().filter(|file| file.may_hold(name)).any(|file| {
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
}

/// True in a folder of benchmarks, examples and the like that is not one of those with compiled files.
fn is_beside(path: &str, compiled_folders: &BTreeSet<String>) -> bool {
    languages::folder_beside_library(path).is_some_and(|folder| !compiled_folders.contains(folder))
}

/// The files that the benchmarks of a sample were compiled from, as far as recorded, and those that they execute.
fn compiled_or_executed(sample: &Sample) -> BTreeSet<String> {
    let mut files: BTreeSet<String> = BTreeSet::new();
    let linked = |kind: UnitKind| match kind {
        UnitKind::Library | UnitKind::Program | UnitKind::Command | UnitKind::LookedAt => true,
        UnitKind::ProceduralMacro | UnitKind::BuildScript | UnitKind::Tool => false,
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
    sample: &'t Sample,
    before: LaterVersion<'t>,
    later_files: &'t LaterFiles,
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
            let Some(read) = self.later_files.get(&path, language, (self.sample, self.before)) else {
                continue;
            };
            let Ok(file) = read else {
                self.is_complete = false;
                continue;
            };
            if self.files.len() >= MOST_FILES {
                self.is_complete = false;
                return;
            }
            waiting.extend(file.declared_files().iter().cloned());
            let placed = file.placed(&self.layout.module(&path, language));
            let file = ScannedFile {
                file,
                placed,
                is_compiled: are_compiled,
                is_of_benchmarks: are_compiled,
            };
            self.files.insert(path.into(), file);
        }
    }
}

//! The changed source files of both versions, parsed, with their places. What cannot be read is a degradation.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::file_roles;
use super::item_effects::first_line_with_attributes;
use super::model::ChangeSet;
use super::parse_problems::{self, ProblemOnBothSides};
use super::project_modules::{ProjectModules, TraitScope};
use super::renames::ImportScope;
use crate::languages::Language;
use crate::layout::ModulePath;
use crate::sources::{Blob, FileChange, FileSource, SourceContent};
use crate::syntax::{LineRange, ParseCache, ParseProblem, SourceFile, SyntaxFunction, SyntaxItem, WorkBudget};
use crate::text_search::LineStarts;

/// Bytes of texts that the comparison of any change may read: some seconds' worth.
const LEAST_READ: u64 = 500_000_000;

/// The same for each byte of the changed sources.
const READ_FOR_EACH_BYTE: u64 = 300;

/// One of the two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceSide {
    /// The version before.
    Before,
    /// The version after.
    After,
}

impl SourceSide {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
        }
    }
}

/// The changed source files.
pub(super) struct ChangedSources<'a> {
    files: Vec<ChangedSource<'a>>,
    /// Bytes of texts that the comparison may still read. Some questions read a whole file for each of its definitions.
    budget: WorkBudget,
    /// Files that were asked about when nothing was left.
    left_out: RefCell<BTreeSet<usize>>,
    versions: [ProjectModules<'a>; 2],
    parser: &'a ParseCache,
}

struct ChangedSource<'a> {
    path: Arc<str>,
    language: Language,
    before: SourceState<'a>,
    after: SourceState<'a>,
    modules: [OnceCell<ModulePath>; 2],
    scopes: [OnceCell<ImportScope>; 2],
    lines: [OnceCell<LineStarts>; 2],
    problems_on_both_sides: Vec<ProblemOnBothSides>,
}

enum SourceState<'a> {
    Absent,
    Unread,
    Read { file: Arc<SourceFile>, text: &'a str },
}

impl SourceState<'_> {
    fn problems(&self) -> &[ParseProblem] {
        match self {
            Self::Read { file, .. } => &file.problems,
            Self::Absent | Self::Unread => &[],
        }
    }
}

impl<'a> ChangedSources<'a> {
    /// No files yet. `trees` are both versions.
    pub(super) fn new(trees: [&'a dyn FileSource; 2], parser: &'a ParseCache) -> Self {
        Self {
            files: Vec::new(),
            budget: WorkBudget::new(LEAST_READ),
            left_out: RefCell::default(),
            versions: trees.map(|tree| ProjectModules::new(tree, parser)),
            parser,
        }
    }

    /// Parses both sides of a changed file.
    pub(super) fn add(&mut self, change: &'a FileChange, language: Language, set: &mut ChangeSet) {
        let before = read(change, change.before.as_ref(), self.parser, set);
        let after = read(change, change.after.as_ref(), self.parser, set);
        let (problems, problems_on_both_sides) = parse_problems::divide(before.problems(), after.problems());
        problems
            .into_iter()
            .for_each(|problem| set.degrade(&change.path, problem.why.clone()));
        for state in [&before, &after] {
            if let SourceState::Read { text, .. } = state {
                self.budget.add(READ_FOR_EACH_BYTE.saturating_mul(text.len() as u64));
            }
        }
        self.files.push(ChangedSource {
            path: Arc::clone(&change.path),
            language,
            before,
            after,
            modules: [OnceCell::new(), OnceCell::new()],
            scopes: [OnceCell::new(), OnceCell::new()],
            lines: [OnceCell::new(), OnceCell::new()],
            problems_on_both_sides,
        });
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(super) fn file(&self, file: usize) -> &Arc<str> {
        &self.files[file].path
    }

    pub(super) fn functions(&self, side: SourceSide, file: usize) -> &[Arc<SyntaxFunction>] {
        self.parsed(side, file).map_or(&[], |parsed| &parsed.functions)
    }

    /// The items whose changes are followed to the code that depends on them; none in a language where that is not done.
    pub(super) fn items(&self, side: SourceSide, file: usize) -> &[SyntaxItem] {
        match self.follows_declarations(file) {
            true => self.all_items(side, file),
            false => &[],
        }
    }

    /// The items whose changes are not followed.
    pub(super) fn declarations(&self, side: SourceSide, file: usize) -> &[SyntaxItem] {
        match self.follows_declarations(file) {
            true => &[],
            false => self.all_items(side, file),
        }
    }

    pub(super) fn language(&self, file: usize) -> Language {
        self.files[file].language
    }

    /// True if changes between the functions of a file are followed.
    pub(super) fn follows_declarations(&self, file: usize) -> bool {
        self.files[file].language.support().follows_declarations()
    }

    fn all_items(&self, side: SourceSide, file: usize) -> &[SyntaxItem] {
        self.parsed(side, file).map_or(&[], |parsed| &parsed.items)
    }

    /// The source as it stands; empty where it is absent or not text, and once the budget is spent.
    pub(super) fn text(&self, side: SourceSide, file: usize) -> &'a str {
        let text = self.whole_text(side, file);
        self.charged(file, text)
    }

    /// The text of some lines, under the same conditions.
    pub(super) fn text_of_lines(&self, side: SourceSide, file: usize, lines: LineRange) -> &'a str {
        let text = self.whole_text(side, file);
        let place = self.line_starts(side, file).place(lines);
        self.charged(file, text.get(place).unwrap_or_default())
    }

    /// Where the lines of a source start.
    fn line_starts(&self, side: SourceSide, file: usize) -> &LineStarts {
        self.files[file].lines[side as usize].get_or_init(|| LineStarts::of(self.whole_text(side, file).as_bytes()))
    }

    /// The first line of the attributes above a line, 1-based, or that line.
    pub(super) fn first_line_with_attributes(&self, side: SourceSide, file: usize, line: u32) -> u32 {
        let text = self.whole_text(side, file).as_bytes();
        first_line_with_attributes(text, self.line_starts(side, file), line)
    }

    /// The files of which a part was not compared, because that would have cost too much.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &str> {
        let left_out: Vec<usize> = self.left_out.borrow().iter().copied().collect();
        left_out.into_iter().map(|file| &*self.files[file].path)
    }

    fn charged(&self, file: usize, text: &'a str) -> &'a str {
        if text.is_empty() || self.budget.spend(text.len()) {
            return text;
        }
        self.left_out.borrow_mut().insert(file);
        ""
    }

    pub(super) fn whole_text(&self, side: SourceSide, file: usize) -> &'a str {
        match self.state(side, file) {
            SourceState::Read { text, .. } => text,
            SourceState::Absent | SourceState::Unread => "",
        }
    }

    pub(super) fn is_on_both_sides(&self, file: usize) -> bool {
        !matches!(self.files[file].before, SourceState::Absent)
            && !matches!(self.files[file].after, SourceState::Absent)
    }

    /// False if code of a file asks for a name of the file on neither side, but where types are stated that nothing looks at.
    pub(super) fn may_ask_for(&self, file: usize, name: &str) -> bool {
        [SourceSide::Before, SourceSide::After].into_iter().any(|side| {
            let support = self.language(file).support();
            let asked = support.asked_names(self.text(side, file), &|_| false);
            asked.is_none_or(|asked| {
                let is_looked_at = asked.reads_annotations && asked.of_stated_types.contains(name);
                asked.plain.contains(name) || asked.texts.contains(name) || asked.is_dynamic || is_looked_at
            })
        })
    }

    /// The problems that both versions of a file have with the same text.
    pub(super) fn problems_on_both_sides(&self, file: usize) -> &[ProblemOnBothSides] {
        &self.files[file].problems_on_both_sides
    }

    /// True if one side could not be read in full: what is missing there may still be there.
    pub(super) fn is_unsure(&self, file: usize) -> bool {
        [SourceSide::Before, SourceSide::After]
            .into_iter()
            .any(|side| match self.state(side, file) {
                SourceState::Absent => false,
                SourceState::Unread => true,
                read @ SourceState::Read { .. } => !read.problems().is_empty(),
            })
    }

    /// Full name of something in a file.
    pub(super) fn name(&self, side: SourceSide, file: usize, inside: &[String]) -> Arc<str> {
        self.module(side, file).name(inside)
    }

    /// The same by segments.
    pub(super) fn path(&self, side: SourceSide, file: usize, inside: &[String]) -> Vec<String> {
        self.module(side, file).path(inside)
    }

    /// The imports of a file.
    pub(super) fn scope(&self, side: SourceSide, file: usize) -> &ImportScope {
        self.files[file].scopes[side as usize].get_or_init(|| {
            self.parsed(side, file)
                .map_or_else(ImportScope::default, ImportScope::new)
        })
    }

    /// An import's target from the top level down.
    pub(super) fn resolve(&self, side: SourceSide, file: usize, inside: &[String], target: &[String]) -> Vec<String> {
        let module = self.path(side, file, inside);
        self.files[file].language.support().resolve_import(&module, target)
    }

    /// Follows a path that a file writes, behind the imports that hand it on: to more than one end where the build chooses.
    pub(super) fn behind_imports(&self, side: SourceSide, file: usize, path: &[String]) -> BTreeSet<Vec<String>> {
        let source = &self.files[file];
        self.versions[side as usize].behind_imports((&source.path, source.language), path)
    }

    /// The same for a path that is written in one of the modules inside the file.
    pub(super) fn behind_imports_of(
        &self,
        side: SourceSide,
        file: usize,
        inside: &[String],
        path: &[String],
    ) -> BTreeSet<Vec<String>> {
        let source = &self.files[file];
        self.versions[side as usize].behind_imports_of((&source.path, source.language), inside, path)
    }

    /// The traits of the project that code of a file sees, in one of the modules inside it.
    pub(super) fn traits_in_scope(&self, side: SourceSide, file: usize, inside: &[String]) -> TraitScope {
        let source = &self.files[file];
        let module = self.path(side, file, inside);
        self.versions[side as usize].traits_in_scope((&source.path, source.language), &module)
    }

    /// The methods that a trait of the project declares; `None` for a path to something else.
    pub(super) fn methods_of_trait(&self, side: SourceSide, file: usize, path: &[String]) -> Option<BTreeSet<String>> {
        self.versions[side as usize].methods_of_trait(&self.files[file].path, path)
    }

    /// False if a module of the project has nothing of a name: `path` is the module's, and the name.
    pub(super) fn may_hold(&self, side: SourceSide, file: usize, path: &[String]) -> bool {
        self.versions[side as usize].may_hold(&self.files[file].path, path)
    }

    fn module(&self, side: SourceSide, file: usize) -> &ModulePath {
        let source = &self.files[file];
        source.modules[side as usize].get_or_init(|| {
            self.versions[side as usize]
                .layout()
                .module(&source.path, source.language)
        })
    }

    fn parsed(&self, side: SourceSide, file: usize) -> Option<&SourceFile> {
        match self.state(side, file) {
            SourceState::Read { file, .. } => Some(file),
            SourceState::Absent | SourceState::Unread => None,
        }
    }

    fn state(&self, side: SourceSide, file: usize) -> &SourceState<'a> {
        match side {
            SourceSide::Before => &self.files[file].before,
            SourceSide::After => &self.files[file].after,
        }
    }
}

fn read<'a>(change: &FileChange, blob: Option<&'a Blob>, parser: &ParseCache, set: &mut ChangeSet) -> SourceState<'a> {
    let Some(blob) = blob else {
        return SourceState::Absent;
    };
    let text = match (file_roles::blob_text(Some(blob)), &blob.content) {
        (Ok(file_roles::BlobText::Text(text)), _) => text,
        // The front end reads what is not UTF-8 with replacements, and says so.
        (Err(_), SourceContent::Bytes(bytes)) if !file_roles::is_lfs_pointer(bytes) => "",
        (Err(why), _) => {
            set.degrade(&change.path, why);
            return SourceState::Unread;
        }
        (Ok(file_roles::BlobText::Absent), _) => return SourceState::Absent,
    };
    let file = parser.get(&change.path, blob);
    SourceState::Read { file, text }
}

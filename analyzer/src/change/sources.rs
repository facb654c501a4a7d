//! The changed source files of both versions, parsed, with their places. What cannot be read is a degradation.

use std::cell::OnceCell;
use std::sync::Arc;

use super::files;
use super::model::Degraded;
use super::names::Scope;
use crate::layout::{Layout, Module};
use crate::sources::{Blob, Content, FileChange, Tree};
use crate::syntax::{Function, Item, Language, ParseCache, SourceFile};

/// One of the two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// The changed source files.
pub(super) struct Sources<'a> {
    files: Vec<ChangedSource<'a>>,
    before: Layout<'a>,
    after: Layout<'a>,
}

struct ChangedSource<'a> {
    path: Arc<str>,
    language: Language,
    before: State<'a>,
    after: State<'a>,
    modules: [OnceCell<Module>; 2],
    scopes: [OnceCell<Scope>; 2],
}

enum State<'a> {
    Absent,
    Unread,
    Read { file: Arc<SourceFile>, text: &'a str },
}

impl<'a> Sources<'a> {
    /// No files yet.
    pub(super) fn new(before: &'a dyn Tree, after: &'a dyn Tree) -> Self {
        Self {
            files: Vec::new(),
            before: Layout::new(before),
            after: Layout::new(after),
        }
    }

    /// Parses both sides of a changed file.
    pub(super) fn add(
        &mut self,
        change: &'a FileChange,
        language: Language,
        parser: &ParseCache,
        degraded: &mut Vec<Degraded>,
    ) {
        let before = read(change, change.before.as_ref(), parser, degraded);
        let after = read(change, change.after.as_ref(), parser, degraded);
        self.files.push(ChangedSource {
            path: Arc::clone(&change.path),
            language,
            before,
            after,
            modules: [OnceCell::new(), OnceCell::new()],
            scopes: [OnceCell::new(), OnceCell::new()],
        });
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(super) fn file(&self, file: usize) -> &Arc<str> {
        &self.files[file].path
    }

    pub(super) fn functions(&self, side: Side, file: usize) -> &[Arc<Function>] {
        self.parsed(side, file).map_or(&[], |parsed| &parsed.functions)
    }

    pub(super) fn items(&self, side: Side, file: usize) -> &[Item] {
        self.parsed(side, file).map_or(&[], |parsed| &parsed.items)
    }

    /// The source as it stands; empty where it is absent or not text.
    pub(super) fn text(&self, side: Side, file: usize) -> &'a str {
        match self.state(side, file) {
            State::Read { text, .. } => text,
            State::Absent | State::Unread => "",
        }
    }

    pub(super) fn is_on_both_sides(&self, file: usize) -> bool {
        !matches!(self.files[file].before, State::Absent) && !matches!(self.files[file].after, State::Absent)
    }

    /// True if one side could not be read in full: what is missing there may still be there.
    pub(super) fn is_unsure(&self, file: usize) -> bool {
        [Side::Before, Side::After]
            .into_iter()
            .any(|side| match self.state(side, file) {
                State::Absent => false,
                State::Unread => true,
                State::Read { file, .. } => !file.problems.is_empty(),
            })
    }

    /// Full name of something in a file.
    pub(super) fn name(&self, side: Side, file: usize, inside: &[String]) -> Arc<str> {
        self.module(side, file).name(inside)
    }

    /// The same by segments.
    pub(super) fn path(&self, side: Side, file: usize, inside: &[String]) -> Vec<String> {
        self.module(side, file).path(inside)
    }

    /// The imports of a file.
    pub(super) fn scope(&self, side: Side, file: usize) -> &Scope {
        self.files[file].scopes[side as usize]
            .get_or_init(|| self.parsed(side, file).map_or_else(Scope::default, Scope::new))
    }

    /// An import's target from the crate down. The standard library has one name here.
    pub(super) fn resolve(&self, side: Side, file: usize, inside: &[String], target: &[String]) -> Vec<String> {
        let module = self.path(side, file, inside);
        let mut target = target.to_vec();
        match target.first().map(String::as_str) {
            Some("crate") => target[0].clone_from(&module[0]),
            Some("core" | "alloc") => "std".clone_into(&mut target[0]),
            Some("self" | "super") => {
                let ups = target.iter().take_while(|segment| *segment == "super").count();
                let names = target
                    .iter()
                    .position(|segment| segment != "self" && segment != "super");
                let mut resolved = module[..module.len().saturating_sub(ups)].to_vec();
                resolved.extend_from_slice(&target[names.unwrap_or(target.len())..]);
                return resolved;
            }
            _ => {}
        }
        target
    }

    fn module(&self, side: Side, file: usize) -> &Module {
        let source = &self.files[file];
        source.modules[side as usize].get_or_init(|| {
            let layout = match side {
                Side::Before => &self.before,
                Side::After => &self.after,
            };
            layout.module(&source.path, source.language)
        })
    }

    fn parsed(&self, side: Side, file: usize) -> Option<&SourceFile> {
        match self.state(side, file) {
            State::Read { file, .. } => Some(file),
            State::Absent | State::Unread => None,
        }
    }

    fn state(&self, side: Side, file: usize) -> &State<'a> {
        match side {
            Side::Before => &self.files[file].before,
            Side::After => &self.files[file].after,
        }
    }
}

fn read<'a>(
    change: &FileChange,
    blob: Option<&'a Blob>,
    parser: &ParseCache,
    degraded: &mut Vec<Degraded>,
) -> State<'a> {
    let mut degrade = |why: String| {
        let entry = Degraded {
            file: change.path.to_string(),
            why,
        };
        if !degraded.contains(&entry) {
            degraded.push(entry);
        }
    };
    let Some(blob) = blob else {
        return State::Absent;
    };
    let text = match (files::text(Some(blob)), &blob.content) {
        (Ok(files::Reading::Text(text)), _) => text,
        // The front end reads what is not UTF-8 with replacements, and says so.
        (Err(_), Content::Bytes(bytes)) if !files::is_lfs_pointer(bytes) => "",
        (Err(why), _) => {
            degrade(why);
            return State::Unread;
        }
        (Ok(files::Reading::Absent), _) => return State::Absent,
    };
    let file = parser.get(&change.path, blob);
    for problem in &file.problems {
        degrade(problem.why.clone());
    }
    State::Read { file, text }
}

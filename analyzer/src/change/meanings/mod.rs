//! Code that stays as it is → the names in it that lead to another definition after.
//!
//! Which definition a name has is decided elsewhere: by where the code stands, by what else its module defines and imports, and by
//! the order of definitions. Each of these has a file here.

mod last_definitions;
pub(super) mod moved_code;
mod paths;
mod textual_macros;
mod trait_scopes;

use std::sync::Arc;

use super::changed_sources::ChangedSources;
use super::function_matching::{FileFunction, FunctionMatch};
use super::items::MatchedItems;
use super::model::{ChangeKind, ChangeSet, ChangeSubject, ItemEffect, ItemPresence, SourceChange};
use super::renames::RenameMap;

/// Lists the names that mean another definition after; and the files of which nobody follows what the other meaning does.
pub(super) fn list_changed_meanings(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    (functions, items): (&[FunctionMatch], &MatchedItems<'_>),
    renames: &RenameMap,
    set: &mut ChangeSet,
) {
    moved_code::list_changed_meanings(sources, placed, functions, renames, set);
    let changes = &mut set.changes;
    changes.extend(paths::changed_meanings(sources, placed, items, renames));
    changes.extend(textual_macros::changed_macros(sources, placed, functions, items));
    changes.extend(last_definitions::changed_last_definitions(sources, placed, functions));
    changes.extend(trait_scopes::changed_methods(sources, placed, functions, renames));
}

/// The change of a name, told at a line of a file.
fn redefinition(
    sources: &ChangedSources<'_>,
    (file, line): (usize, u32),
    name: Arc<str>,
    (kind, effect): (ChangeKind, ItemEffect),
) -> SourceChange {
    SourceChange {
        kind,
        subject: ChangeSubject::Item {
            name,
            test_only: false,
            presence: ItemPresence::Kept,
            effect,
        },
        file: Arc::clone(sources.file(file)),
        line,
        callee: None,
        edits: Vec::new(),
    }
}

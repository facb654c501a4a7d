//! Functions that moved to another file, in a language in which each file says for itself what its names mean → those that may
//! mean something else there.
//!
//! A macro, a variable or a function of the file alone may have the name that another file has for another one, and `#pragma`
//! or `using namespace` holds for all that stands behind it.

use std::collections::{BTreeMap, BTreeSet};

use super::changed_sources::{ChangedSources, SourceSide};
use super::function_matching::{FileFunction, FunctionMatch};
use super::model::{ChangedDeclaration, ItemPresence};
use crate::languages::DirectiveRole;
use crate::syntax::{ItemKind, LineRange};
use crate::text_search::{holds_word, words_in};

/// The word of what only its own file sees.
const LOCAL: &str = "static";

/// The names, and the directives, that stand for something else to a function since it moved.
pub(super) fn changed_meanings(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
) -> Vec<ChangedDeclaration> {
    let mut contexts: BTreeMap<(SourceSide, usize), FileContext<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for pair in matched {
        let (Some(before), Some(after)) = *pair else { continue };
        let (old, new) = (&placed[0][before], &placed[1][after]);
        if old.file == new.file || sources.follows_declarations(new.file) {
            continue;
        }
        let [there, here] = [(SourceSide::Before, old.file), (SourceSide::After, new.file)].map(|place| {
            contexts.entry(place).or_insert_with(|| FileContext::of(sources, place));
            place
        });
        let (there, here) = (&contexts[&there], &contexts[&here]);
        let text = sources.text_of_lines(SourceSide::After, new.file, new.function.lines);
        let words: BTreeSet<&str> = words_in(text).filter(|word| *word != new.function.name()).collect();
        let name = words.into_iter().find(|word| here.means_another(word, there));
        let directive = || here.directive_beyond(new.function.lines, there, old.function.lines);
        if let Some(what) = name.or_else(directive) {
            let (function, to) = (new.function.name(), sources.file(new.file));
            found.push(ChangedDeclaration {
                file: sources.file(old.file).clone(),
                line: old.function.lines.first,
                name: format!("{what}, for `{function}` that moved to {to},"),
                is_value: false,
                is_used_by_name: false,
                is_definition: false,
                presence: ItemPresence::Kept,
                is_layout_alone: false,
            });
        }
    }
    found
}

/// The names that a file gives a meaning, and the directives that hold in it.
struct FileContext<'a> {
    names: BTreeMap<&'a str, NameMeaning<'a>>,
    directives: Vec<(u32, &'a str)>,
}

/// The meaning that a file gives a name.
#[derive(Default, PartialEq)]
struct NameMeaning<'a> {
    /// The texts of its definitions.
    texts: BTreeSet<&'a str>,
    /// True for a macro, and for what only its own file sees.
    is_local: bool,
}

impl<'a> FileContext<'a> {
    fn of(sources: &'a ChangedSources<'_>, (side, file): (SourceSide, usize)) -> Self {
        let text = |lines: LineRange| sources.text_of_lines(side, file, lines);
        let mut context = Self {
            names: BTreeMap::new(),
            directives: Vec::new(),
        };
        for item in sources.declarations(side, file) {
            let definition = text(item.lines);
            match &item.kind {
                ItemKind::Macro => context.add(&item.name, definition, true),
                ItemKind::Constant => context.add(&item.name, definition, is_local(definition)),
                ItemKind::Attribute => match sources.language(file).support().role_of_directive(&item.name) {
                    DirectiveRole::Other => context.directives.push((item.lines.first, &item.name)),
                    DirectiveRole::Undefines(name) => context.add(name, definition, true),
                    DirectiveRole::Includes { .. } | DirectiveRole::Condition => {}
                },
                _ => {}
            }
        }
        for function in sources
            .functions(side, file)
            .iter()
            .filter(|function| function.owner.is_none())
        {
            let definition = text(function.lines);
            context.add(function.name(), definition, is_local(definition));
        }
        context
    }

    fn add(&mut self, name: &'a str, definition: &'a str, is_local: bool) {
        let meaning = self.names.entry(name).or_default();
        meaning.texts.insert(definition);
        meaning.is_local |= is_local;
    }

    /// True if a name stands for something of this file alone that it did not stand for in another file.
    fn means_another(&self, name: &str, there: &Self) -> bool {
        match (there.names.get(name), self.names.get(name)) {
            (before, Some(now)) if now.is_local => before != Some(now),
            (Some(before), Some(now)) => before.is_local && before != now,
            (_, None) | (None, Some(_)) => false,
        }
    }

    /// A directive that stands before a place here and before none there, or the other way round.
    fn directive_beyond(&'a self, here: LineRange, there: &'a Self, place: LineRange) -> Option<&'a str> {
        let before = |context: &'a Self, lines: LineRange| -> BTreeSet<&'a str> {
            let directives = context.directives.iter().filter(|(line, _)| *line < lines.first);
            directives.map(|(_, directive)| *directive).collect()
        };
        let [here, there] = [before(self, here), before(there, place)];
        here.symmetric_difference(&there).next().copied()
    }
}

/// True for a definition whose head says that only its own file sees it.
fn is_local(definition: &str) -> bool {
    let head = definition.split(['{', '=', ';']).next().unwrap_or_default();
    holds_word(head.as_bytes(), LOCAL)
}

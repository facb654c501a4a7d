//! Code that moved to another file or module → the names in it that mean something else there.
//!
//! Where declarations are followed, a name leads to its definition, by imports if need be. In other languages each file says for
//! itself what its names mean: a macro, a variable or a function of the file alone may have the name that another file has for
//! another one, and `#pragma` or `using namespace` holds for all that stands behind it.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::{FileFunction, FunctionMatch};
use crate::change::model::ChangeSet;
use crate::change::raw_tokens;
use crate::change::renames::RenameMap;
use crate::change::resolved_words::WrittenPlace;
use crate::languages::DirectiveRole;
use crate::syntax::{ItemKind, LineRange};
use crate::text_search::words_in;

/// Lists the file that such a function came from as not analysed: nobody follows what the other meaning does.
pub(super) fn list_changed_meanings(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    functions: &[FunctionMatch],
    renames: &RenameMap,
    set: &mut ChangeSet,
) {
    let mut contexts: BTreeMap<(SourceSide, usize), FileContext<'_>> = BTreeMap::new();
    for pair in functions {
        let (Some(before), Some(after)) = *pair else { continue };
        let (old, new) = (&placed[0][before], &placed[1][after]);
        let code = |placed: &FileFunction| (placed.file, placed.function.lines);
        let name = if sources.follows_declarations(new.file) {
            let moved = [(code(old), old.modules()), (code(new), new.modules())];
            other_definition(sources, moved, renames)
        } else if old.file == new.file {
            None
        } else {
            for place in [(SourceSide::Before, old.file), (SourceSide::After, new.file)] {
                contexts.entry(place).or_insert_with(|| FileContext::of(sources, place));
            }
            let there = &contexts[&(SourceSide::Before, old.file)];
            let here = &contexts[&(SourceSide::After, new.file)];
            other_in_file(sources, (old, there), (new, here))
        };
        if let Some(name) = name {
            let (function, to) = (new.function.name(), sources.file(new.file));
            let why = format!("`{name}` means something else to `{function}`, which moved to {to}");
            set.degrade(sources.file(old.file), why);
        }
    }
}

/// A file and lines of it, and the modules inside that file around them.
pub(in crate::change) type Code<'c> = ((usize, LineRange), &'c [String]);

/// A name that both texts of code which moved write, and that leads to another definition.
pub(in crate::change) fn other_definition(
    sources: &ChangedSources<'_>,
    [old, new]: [Code<'_>; 2],
    renames: &RenameMap,
) -> Option<String> {
    if (old.0.0, old.1) == (new.0.0, new.1) {
        return None;
    }
    let [before, after] =
        [(SourceSide::Before, old), (SourceSide::After, new)].map(|(side, ((file, lines), inside))| {
            let place = WrittenPlace {
                sources,
                side,
                file,
                inside,
            };
            let text = sources.text_of_lines(side, file, lines);
            (place, raw_tokens::words(text).collect::<Vec<_>>())
        });
    WrittenPlace::other_path((before.0, &before.1), (after.0, &after.1), renames)
}

/// A name or directive that stands for something else in another file.
fn other_in_file(
    sources: &ChangedSources<'_>,
    (old, there): (&FileFunction, &FileContext<'_>),
    (new, here): (&FileFunction, &FileContext<'_>),
) -> Option<String> {
    let text = sources.text_of_lines(SourceSide::After, new.file, new.function.lines);
    let words: BTreeSet<&str> = words_in(text).filter(|word| *word != new.function.name()).collect();
    let name = words.into_iter().find(|word| here.means_another(word, there));
    let directive = || here.directive_beyond(new.function.lines, there, old.function.lines);
    name.or_else(directive).map(str::to_owned)
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
        let language = sources.language(file).support();
        let mut context = Self {
            names: BTreeMap::new(),
            directives: Vec::new(),
        };
        for item in sources.declarations(side, file) {
            let definition = text(item.lines);
            match &item.kind {
                ItemKind::Macro => context.add(&item.name, definition, true),
                ItemKind::Constant => context.add(&item.name, definition, language.is_local(definition)),
                ItemKind::Attribute => match language.role_of_directive(&item.name) {
                    DirectiveRole::Other => context.directives.push((item.lines.first, &item.name)),
                    DirectiveRole::Undefines(name) => context.add(name, definition, true),
                    DirectiveRole::Includes { .. } | DirectiveRole::Condition | DirectiveRole::ReadsOnce => {}
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
            context.add(function.name(), definition, language.is_local(definition));
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

//! Macros that hold from their definition on → those that are another one, in the same place, after.
//!
//! Where a macro is defined more than once, the definition that stands last before a place is meant there. So code that moves
//! past one, and a definition that moves past code, leave all tokens as they are and change the program.

use std::collections::BTreeSet;

use super::redefinition;
use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::{FileFunction, FunctionMatch};
use crate::change::model::{ChangeKind, ItemEffect, SourceChange};
use crate::change::raw_tokens::words;
use crate::syntax::{ItemKind, LineRange, SyntaxItem, TokenDigest};

/// The macros that functions, and the modules that a file declares, see another definition of after.
pub(super) fn changed_macros(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
) -> Vec<SourceChange> {
    let sides = [SourceSide::Before, SourceSide::After];
    let mut changed = BTreeSet::new();
    for file in (0..sources.len()).filter(|file| sources.is_on_both_sides(*file)) {
        let macros = sides.map(|side| DefinedMacros::of(sources, side, file));
        if macros.iter().all(|macros| macros.defined.is_empty()) {
            continue;
        }
        let names: BTreeSet<&str> = macros.iter().flat_map(DefinedMacros::names).collect();
        let pairs = matched.iter().filter_map(|pair| match *pair {
            (Some(old), Some(new)) => Some([&placed[0][old], &placed[1][new]]),
            _ => None,
        });
        for pair in pairs.filter(|pair| pair.iter().all(|placed| placed.file == file)) {
            let [old, new] = pair.map(|placed| (placed.modules(), placed.function.lines));
            let text = sources.text_of_lines(SourceSide::Before, file, old.1);
            let called = called_macros(text).intersection(&names).copied().collect::<Vec<_>>();
            let others = called
                .into_iter()
                .filter(|name| macros[0].is_another(&macros[1], name, [old, new]));
            changed.extend(others.map(|name| (file, new.1.first, name)));
        }
        let [before, after] = sides.map(|side| modules(sources, side, file));
        for (old, new) in before
            .iter()
            .filter_map(|old| Some((old, after.iter().find(|new| is_same(old, new))?)))
        {
            let places = [old, new].map(|item| (&item.path[..], item.lines));
            let others = names
                .iter()
                .filter(|name| macros[0].is_another(&macros[1], name, places));
            changed.extend(others.map(|name| (file, new.lines.first, *name)));
        }
    }
    let change = |(file, line, name): (usize, u32, &str)| {
        let kind = (ChangeKind::Macro, ItemEffect::Redefinition);
        redefinition(sources, (file, line), name.into(), kind)
    };
    changed.into_iter().map(change).collect()
}

/// The modules inside a file around a place, and its lines.
type MacroPlace<'p> = (&'p [String], LineRange);

/// The macros that one side of a file defines, in the order of their lines.
struct DefinedMacros<'a> {
    defined: Vec<&'a SyntaxItem>,
}

impl<'a> DefinedMacros<'a> {
    fn of(sources: &'a ChangedSources<'_>, side: SourceSide, file: usize) -> Self {
        let items = sources.items(side, file).iter();
        let mut defined: Vec<_> = items.filter(|item| item.kind == ItemKind::Macro).collect();
        defined.sort_by_key(|item| item.lines.first);
        Self { defined }
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.defined.iter().map(|item| &item.name[..])
    }

    /// The definition that a name has at a place.
    fn at(&self, name: &str, (inside, lines): MacroPlace<'_>) -> Option<TokenDigest> {
        let before = self.defined.iter().rev();
        let mut before = before.filter(|item| item.lines.first < lines.first && inside.starts_with(&item.path));
        before.find(|item| item.name == name).map(|item| item.digest)
    }

    /// True if it has another one at the same place after. That one definition reads otherwise is a change of its own.
    fn is_another(&self, after: &Self, name: &str, [old, new]: [MacroPlace<'_>; 2]) -> bool {
        let (here, there) = (self.at(name, old), after.at(name, new));
        let is_new = |digest: TokenDigest| {
            !self
                .defined
                .iter()
                .any(|item| item.name == name && item.digest == digest)
        };
        here != there && !(here.is_some() && there.is_some_and(is_new))
    }
}

fn modules<'a>(sources: &'a ChangedSources<'_>, side: SourceSide, file: usize) -> Vec<&'a SyntaxItem> {
    let items = sources.items(side, file).iter();
    items.filter(|item| item.kind == ItemKind::Module).collect()
}

fn is_same(one: &SyntaxItem, other: &SyntaxItem) -> bool {
    (&one.path, &one.name) == (&other.path, &other.name)
}

/// The macros that a text calls by their names alone.
fn called_macros(text: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = words(text).collect();
    let called = words.windows(2).filter(|pair| pair[1] == "!");
    called.map(|pair| pair[0]).collect()
}

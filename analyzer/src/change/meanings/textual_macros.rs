//! Macros that hold from their definition on → those that are another one, in the same place, after.
//!
//! Where a macro is defined more than once, the definition that stands last before a place is meant there. So code that moves
//! past one, and a definition that moves past code, leave all tokens as they are and change the program.

use std::collections::{BTreeMap, BTreeSet};

use super::redefinition;
use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::{FileFunction, FunctionMatch};
use crate::change::items::{MatchedItems, with_name};
use crate::change::model::{ChangeKind, ItemEffect, SourceChange};
use crate::change::raw_tokens::words;
use crate::syntax::{ItemKind, LineRange, SyntaxItem, TokenDigest};

/// The macros of which functions, and the modules that a file declares, see another definition after; and the constants, types
/// and invocations that do.
pub(super) fn changed_macros(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    functions: &[FunctionMatch],
    items: &MatchedItems<'_>,
) -> Vec<SourceChange> {
    let with_macros: BTreeMap<usize, [DefinedMacros<'_>; 2]> = (0..sources.len())
        .filter(|file| sources.is_on_both_sides(*file))
        .map(|file| (file, SIDES.map(|side| DefinedMacros::of(sources, side, file))))
        .filter(|(_, macros)| macros.iter().any(|macros| !macros.defined.is_empty()))
        .collect();
    let of_pair = |[old, new]: [usize; 2]| with_macros.get(&old).filter(|_| old == new);
    let mut changed = BTreeSet::new();
    for pair in functions {
        let (Some(old), Some(new)) = *pair else { continue };
        let pair = [&placed[0][old], &placed[1][new]];
        let Some(macros) = of_pair(pair.map(|placed| placed.file)) else {
            continue;
        };
        let places = pair.map(|placed| (placed.modules(), placed.function.lines));
        let (file, line) = (pair[0].file, pair[1].function.lines.first);
        let called = called_macros(sources.text_of_lines(SourceSide::Before, file, places[0].1));
        let others = called.into_iter().filter(|name| is_another(macros, name, places));
        changed.extend(others.map(|name| (file, line, ChangeKind::Macro, String::from(name))));
    }
    for (old, new) in items.kept() {
        let Some(macros) = of_pair([old.file, new.file]) else {
            continue;
        };
        let places = [old.item, new.item].map(|item| (&item.path[..], item.lines));
        let (file, line) = (new.file, new.item.lines.first);
        match old.item.kind {
            ItemKind::Module => {
                let names: BTreeSet<&str> = macros.iter().flat_map(DefinedMacros::names).collect();
                let others = names.into_iter().filter(|name| is_another(macros, name, places));
                changed.extend(others.map(|name| (file, line, ChangeKind::Macro, String::from(name))));
            }
            ItemKind::Macro | ItemKind::Import { .. } | ItemKind::Attribute | ItemKind::Prototype => {}
            _ => {
                let called = called_macros(sources.text_of_lines(SourceSide::Before, file, old.item.lines));
                if called.into_iter().any(|name| is_another(macros, name, places)) {
                    let name = sources.path(SourceSide::After, file, &with_name(new.item)).join("::");
                    changed.insert((file, line, ChangeKind::Type, name));
                }
            }
        }
    }
    let change = |(file, line, kind, name): (usize, u32, ChangeKind, String)| {
        redefinition(sources, (file, line), name.into(), (kind, ItemEffect::Redefinition))
    };
    changed.into_iter().map(change).collect()
}

const SIDES: [SourceSide; 2] = [SourceSide::Before, SourceSide::After];

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

    fn has(&self, name: &str, digest: TokenDigest) -> bool {
        self.defined
            .iter()
            .any(|item| item.name == name && item.digest == digest)
    }
}

/// True if a macro has another definition at the same place after. One that reads otherwise in the place of one that went is a
/// change of its own.
fn is_another([before, after]: &[DefinedMacros<'_>; 2], name: &str, [old, new]: [MacroPlace<'_>; 2]) -> bool {
    match (before.at(name, old), after.at(name, new)) {
        (Some(here), Some(there)) => here != there && (before.has(name, there) || after.has(name, here)),
        (here, there) => here != there,
    }
}

/// The macros that a text calls by their names alone.
fn called_macros(text: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = words(text).collect();
    let called = words.windows(2).filter(|pair| pair[1] == "!");
    called.map(|pair| pair[0]).collect()
}

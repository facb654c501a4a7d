//! Functions of two versions → the methods that they call by name, and that are of another trait after.
//!
//! A method is that of a trait in scope. So it is another one where an import comes or goes, where a trait moves, and where the
//! function itself moves to a module that sees others. Knows the traits of the project only.

use std::collections::{BTreeMap, BTreeSet};

use super::redefinition;
use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::{FileFunction, FunctionMatch};
use crate::change::model::{ChangeKind, ItemEffect, SourceChange};
use crate::change::name_definitions::{Alternatives, have_same_alternatives};
use crate::change::project_modules::TraitScope;
use crate::change::raw_tokens::called_methods;
use crate::change::renames::RenameMap;
use crate::syntax::ItemKind;

/// The methods that are of another trait after, as changes of what their names mean in the file that called them.
pub(super) fn changed_methods(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
    renames: &RenameMap,
) -> Vec<SourceChange> {
    let mut changes = ScopeChanges::of(sources);
    let mut scopes: BTreeMap<Place<'_>, TraitScope> = BTreeMap::new();
    let mut changed: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    for pair in matched {
        let (Some(before), Some(after)) = *pair else { continue };
        let (old, new) = (&placed[0][before], &placed[1][after]);
        if !sources.follows_declarations(new.file) {
            continue;
        }
        let places = [(SourceSide::Before, old), (SourceSide::After, new)];
        let places = places.map(|(side, placed)| (side, placed.file, placed.modules()));
        if !changes.may_see_others(places) {
            continue;
        }
        let keys = [(SourceSide::Before, old), (SourceSide::After, new)];
        let keys = keys.map(|(side, placed)| (side, placed.file, placed.modules()));
        for key in keys {
            let (side, file, inside) = key;
            scopes
                .entry(key)
                .or_insert_with(|| sources.traits_in_scope(side, file, inside));
        }
        let [before, after] = keys.map(|key| &scopes[&key]);
        if before == after {
            continue;
        }
        let called = |side, placed: &FileFunction| {
            called_methods(sources.text_of_lines(side, placed.file, placed.function.lines))
        };
        let still_called = called(SourceSide::After, new);
        for method in called(SourceSide::Before, old).intersection(&still_called) {
            if !have_same_alternatives(&declaring(before, method), &declaring(after, method), |old, new| {
                renames.keeps(old, new)
            }) {
                changed.entry((old.file, method)).or_insert(old.function.lines.first);
            }
        }
    }
    let change = |((file, method), line): ((usize, &str), u32)| {
        let kind = (ChangeKind::CallSwap, ItemEffect::LocalRedefinition);
        redefinition(sources, (file, line), method.into(), kind)
    };
    changed.into_iter().map(change).collect()
}

/// A side, a file, and a module inside it.
type Place<'p> = (SourceSide, usize, &'p [String]);

/// Tells whether a module may see other traits after.
struct ScopeChanges<'s, 'a> {
    sources: &'s ChangedSources<'a>,
    /// True if a trait came, went or moved: a module may see it by another one, from which it imports everything.
    has_moved_traits: bool,
    known: BTreeMap<(usize, Vec<String>), bool>,
}

impl<'s, 'a> ScopeChanges<'s, 'a> {
    fn of(sources: &'s ChangedSources<'a>) -> Self {
        let traits = |side: SourceSide| -> BTreeSet<(usize, &[String], &str)> {
            let files = 0..sources.len();
            let items = files.flat_map(|file| sources.items(side, file).iter().map(move |item| (file, item)));
            let traits = items.filter(|(_, item)| item.kind == ItemKind::Trait);
            traits
                .map(|(file, item)| (file, &item.path[..], &item.name[..]))
                .collect()
        };
        Self {
            sources,
            has_moved_traits: traits(SourceSide::Before) != traits(SourceSide::After),
            known: BTreeMap::new(),
        }
    }

    /// True if the place of a function may see other traits after.
    fn may_see_others(&mut self, [(_, old, before), (_, new, after)]: [Place<'_>; 2]) -> bool {
        if self.has_moved_traits || old != new || before != after {
            return true;
        }
        let sources = self.sources;
        let imports = |side: SourceSide| -> BTreeSet<(&str, &[String])> {
            let items = sources.items(side, old).iter().filter(|item| item.path == before);
            let imports = items.filter_map(|item| match &item.kind {
                ItemKind::Import { target } => Some((&item.name[..], &target[..])),
                _ => None,
            });
            imports.collect()
        };
        let differ = || imports(SourceSide::Before) != imports(SourceSide::After);
        *self.known.entry((old, before.to_vec())).or_insert_with(differ)
    }
}

/// The traits that declare a method.
fn declaring(scope: &TraitScope, method: &str) -> Alternatives {
    let declaring = scope.iter().filter(|(_, methods)| methods.contains(method));
    declaring.map(|(path, _)| path.clone()).collect()
}

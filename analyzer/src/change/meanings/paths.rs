//! Definitions that came, went, moved or have another name → the names that lead to another definition from then on.
//!
//! A module that has no definition of a name may still have it from a glob or an import. So a definition that leaves a place
//! may leave another one there, and one that comes may take the place of another. Code that writes the name stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use super::redefinition;
use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::FileFunction;
use crate::change::items::{MatchedItems, with_name};
use crate::change::model::{ChangeKind, ItemEffect, SourceChange};
use crate::change::name_definitions::{Alternatives, have_same_alternatives};
use crate::change::renames::RenameMap;
use crate::syntax::ItemKind;

/// A definition or an import of a changed file.
struct Definition {
    file: usize,
    line: u32,
    is_import: bool,
}

/// The definitions and imports of one side by their full paths.
type Definitions = BTreeMap<Vec<String>, Definition>;

/// The names that mean another definition after, as changes; for a trait its methods too, which code calls without naming it.
pub(super) fn changed_meanings(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &MatchedItems<'_>,
    renames: &RenameMap,
) -> Vec<SourceChange> {
    let sides = [SourceSide::Before, SourceSide::After].map(|side| definitions(sources, side, placed, matched));
    let mut changes = Vec::new();
    for side in [SourceSide::Before, SourceSide::After] {
        let [here, there] = [&sides[side as usize], &sides[side.other() as usize]];
        let takers = takers(sources, side.other(), matched);
        let may_lead_elsewhere = |path: &[String], definition: &Definition| match there.get(path) {
            Some(other) => other.is_import != definition.is_import,
            None => path.split_last().is_some_and(|(_, module)| takers.contains(module)),
        };
        let others = here
            .iter()
            .filter(|(path, definition)| may_lead_elsewhere(path, definition));
        for (path, definition) in others {
            let Some(ends) = other_ends(sources, side, definition.file, path, renames) else {
                continue;
            };
            let methods = ends
                .iter()
                .filter_map(|(side, end)| sources.methods_of_trait(*side, definition.file, end));
            let names = methods.flatten().chain([path.join("::")]);
            changes.extend(names.map(|name| {
                let kind = (ChangeKind::Type, ItemEffect::Redefinition);
                redefinition(sources, (definition.file, definition.line), name.into(), kind)
            }));
        }
    }
    changes
}

/// The modules of one side that import everything from others.
fn takers(sources: &ChangedSources<'_>, side: SourceSide, matched: &MatchedItems<'_>) -> BTreeSet<Vec<String>> {
    let items = matched.of(side).iter();
    let imports = items.filter(|placed| placed.item.name == "*" && !placed.item.test_only);
    let modules = imports.map(|placed| sources.path(side, placed.file, &placed.item.path));
    modules.collect()
}

/// The ends of a path on both sides, if it leads to another definition on the side that has none there.
fn other_ends(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    path: &[String],
    renames: &RenameMap,
) -> Option<Vec<(SourceSide, Vec<String>)>> {
    let there = sources.behind_imports(side.other(), file, path);
    if there.iter().all(|end| end == path) {
        return None;
    }
    let here = sources.behind_imports(side, file, path);
    let is_same = |here: &[String], there: &[String]| {
        let (old, new) = match side {
            SourceSide::Before => (here, there),
            SourceSide::After => (there, here),
        };
        renames.keeps(old, new)
    };
    let ends = |side: SourceSide, ends: Alternatives| ends.into_iter().map(move |end| (side, end));
    (!have_same_alternatives(&here, &there, is_same))
        .then(|| ends(side, here).chain(ends(side.other(), there)).collect())
}

fn definitions(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    placed: &[Vec<FileFunction>; 2],
    matched: &MatchedItems<'_>,
) -> Definitions {
    let functions = placed[side as usize].iter().filter(|placed| {
        let function = &placed.function;
        sources.follows_declarations(placed.file) && function.owner.is_none() && !function.test_only
    });
    let functions = functions.map(|placed| {
        let definition = Definition {
            file: placed.file,
            line: placed.function.lines.first,
            is_import: false,
        };
        (sources.path(side, placed.file, &placed.function.path), definition)
    });
    let items = matched.of(side).iter().filter_map(|placed| {
        let item = placed.item;
        let is_import = match item.kind {
            ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Module => false,
            ItemKind::Import { .. } if !matches!(item.name.as_str(), "*" | "_") => true,
            _ => return None,
        };
        let definition = Definition {
            file: placed.file,
            line: item.lines.first,
            is_import,
        };
        (!item.test_only).then(|| (sources.path(side, placed.file, &with_name(item)), definition))
    });
    functions.chain(items).collect()
}

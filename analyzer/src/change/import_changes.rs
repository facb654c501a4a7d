//! Imports of two versions → the names that mean another thing after.

use std::collections::{BTreeMap, BTreeSet};

use super::bracketed_text::text_of_module;
use super::changed_sources::{ChangedSources, SourceSide};
use super::item_effects;
use super::items::{FileItem, MatchedItems, change, presence_of};
use super::model::{ChangeKind, ItemPresence, SourceChange};
use super::name_definitions::{
    Alternatives, defines, have_same_alternatives, in_standard_library, is_same_definition, uses_name,
};
use super::project_modules::is_unnamed;
use super::raw_tokens::words;
use super::renames::RenameMap;
use crate::syntax::ItemKind;

/// Names that code has without an import, as far as crates without the standard library import them. `Result` is not among
/// them: several modules have one of their own.
const PRELUDE: [&str; 14] = [
    "Box",
    "Default",
    "Extend",
    "From",
    "FromIterator",
    "Into",
    "Iterator",
    "Option",
    "String",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

impl<'a> MatchedItems<'a> {
    /// Imported names that mean another thing after.
    pub(super) fn imports(&self, sources: &ChangedSources<'_>, renames: &RenameMap) -> Vec<SourceChange> {
        let old = import_targets(sources, SourceSide::Before, &self.before);
        let new = import_targets(sources, SourceSide::After, &self.after);
        let mut changes = Vec::new();
        let mut listed = BTreeSet::new();
        for (side, items, here, there) in [
            (SourceSide::Before, &self.before, &old, &new),
            (SourceSide::After, &self.after, &new, &old),
        ] {
            for placed in items {
                let key = import_key(*placed);
                let alone = here
                    .get(&key)
                    .filter(|_| !there.contains_key(&key) && !placed.item.test_only);
                if alone.is_some_and(|targets| self.meant_another((sources, side), *placed, targets, renames))
                    && listed.insert(key)
                {
                    let effect = item_effects::effect_of_import(sources, side, placed.file, placed.item);
                    changes.push(change(
                        sources,
                        side,
                        *placed,
                        (ChangeKind::Type, presence_of(side), effect),
                    ));
                }
            }
        }
        for placed in &self.after {
            let key = import_key(*placed);
            let (Some(before), Some(after)) = (old.get(&key), new.get(&key)) else {
                continue;
            };
            if !matches!(placed.item.kind, ItemKind::Import { .. }) || before == after {
                continue;
            }
            let is_same = |old: &[String], new: &[String]| is_same_definition(old, new, renames);
            let behind = |side: SourceSide, targets: &Alternatives| -> Alternatives {
                let behind = |target: &Vec<String>| sources.behind_imports(side, placed.file, target);
                targets.iter().flat_map(behind).collect()
            };
            let is_another = match is_unnamed(placed.item) {
                // One that comes or goes beside others brings names that nobody uses yet, or no longer.
                true => {
                    !before.iter().all(|old| after.iter().any(|new| is_same(old, new)))
                        && !after.iter().all(|new| before.iter().any(|old| is_same(old, new)))
                }
                false => {
                    !have_same_alternatives(before, after, is_same)
                        && !have_same_alternatives(
                            &behind(SourceSide::Before, before),
                            &behind(SourceSide::After, after),
                            is_same,
                        )
                }
            };
            if is_another && sources.may_ask_for(placed.file, &placed.item.name) && listed.insert(key) {
                let effect = item_effects::effect_of_import(sources, SourceSide::After, placed.file, placed.item);
                changes.push(change(
                    sources,
                    SourceSide::After,
                    *placed,
                    (ChangeKind::Type, ItemPresence::Kept, effect),
                ));
            }
        }
        changes
    }

    /// True if a file imports a name on one side, uses it on both, and it is something else on the other side.
    fn meant_another(
        &self,
        (sources, side): (&ChangedSources<'_>, SourceSide),
        import: FileItem<'_>,
        targets: &Alternatives,
        renames: &RenameMap,
    ) -> bool {
        let (name, other) = (&import.item.name, side.other());
        // Every module of the crate has the name of a crate that its root gives another one.
        let text = sources.text_of_lines(side, import.file, import.item.lines);
        if words(text).eq(["extern", "crate", targets_name(targets), "as", name, ";"]) && name != "_" {
            return true;
        }
        if is_unnamed(import.item)
            || !sources.is_on_both_sides(import.file)
            || !uses_name(text_around(sources, other, import), name)
        {
            return false;
        }
        let with_own_name = |path: &[String]| path.iter().chain([name]).cloned().collect::<Vec<String>>();
        // Defined there, or imported with everything else.
        let mut others = Vec::new();
        if defines(sources, other, import.file, name) {
            others.push(sources.path(other, import.file, &with_own_name(&import.item.path)));
        }
        for placed in self
            .of(other)
            .iter()
            .filter(|placed| placed.file == import.file && placed.item.name == "*")
            .filter(|placed| import.item.path.starts_with(&placed.item.path))
        {
            if let ItemKind::Import { target } = &placed.item.kind {
                let target = sources.resolve(other, placed.file, &placed.item.path, target);
                let path = with_own_name(target.split_last().map_or(&[], |(_, module)| module));
                if sources.may_hold(other, placed.file, &path) {
                    others.push(path);
                }
            }
        }
        let is_same = |one: &[String], another: &[String]| match side {
            SourceSide::Before => is_same_definition(one, another, renames),
            SourceSide::After => is_same_definition(another, one, renames),
        };
        let behind = |side: SourceSide, path: &[String]| sources.behind_imports(side, import.file, path);
        let is_same_behind_imports = |target: &[String], another: &[String]| {
            have_same_alternatives(&behind(side, target), &behind(other, another), is_same)
        };
        // No module of the standard library has something else by a name of its prelude.
        if PRELUDE.contains(&name.as_str()) {
            others.retain(|other| in_standard_library(other).is_none());
        }
        // Where nothing gives the name, a crate has it, or the prelude.
        let may_be_known = |target: &Vec<String>| {
            let of_library = |path: &Vec<String>| in_standard_library(path).is_some();
            *target == [name.clone()] || of_library(target) || behind(side, target).iter().all(of_library)
        };
        !targets.iter().all(|target| {
            let is_given = |other: &Vec<String>| is_same(target, other) || is_same_behind_imports(target, other);
            others.is_empty() && may_be_known(target) || others.iter().any(is_given)
        })
    }
}

/// The text on the other side of what an import is for: the function or the module around it, else its file. Nothing if
/// that function or module is as new as the import, or went with it.
fn text_around<'a>(sources: &ChangedSources<'a>, other: SourceSide, import: FileItem<'_>) -> &'a str {
    let around = |side: SourceSide| {
        let text = sources.text(side, import.file);
        let mut functions = sources.functions(side, import.file).iter();
        let function = functions.find(|function| function.path == import.item.path);
        match function {
            Some(function) => Some(sources.text_of_lines(side, import.file, function.lines)),
            None => text_of_module(text, &import.item.path),
        }
    };
    match (around(other.other()), around(other)) {
        (Some(_), None) => "",
        (_, Some(text)) => text,
        (None, None) => sources.text(other, import.file),
    }
}

/// The crate that an import of a whole crate is of.
fn targets_name(targets: &Alternatives) -> &str {
    let target = targets.iter().next();
    target.and_then(|target| target.first()).map_or("", String::as_str)
}

/// A file, the modules inside it, and a name that is imported there.
type ImportKey<'a> = (usize, &'a [String], &'a str);

fn import_key<'a>(placed: FileItem<'a>) -> ImportKey<'a> {
    (placed.file, &placed.item.path, &placed.item.name)
}

/// What each imported name stands for. All globs of a module, and all traits without a name, are one.
fn import_targets<'a>(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    items: &[FileItem<'a>],
) -> BTreeMap<ImportKey<'a>, Alternatives> {
    let mut targets: BTreeMap<ImportKey<'a>, Alternatives> = BTreeMap::new();
    for placed in items {
        if let ItemKind::Import { target } = &placed.item.kind {
            let target = sources.resolve(side, placed.file, &placed.item.path, target);
            targets.entry(import_key(*placed)).or_default().insert(target);
        }
    }
    targets
}

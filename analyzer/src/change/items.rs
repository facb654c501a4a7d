//! Items of two versions → which are the same under another name or at another place, and which changed in a
//! way that can cost. Items that merely came or went cost nothing: who uses them has changed, too.

use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::changed_sources::{ChangedSources, SourceSide};
use super::item_effects;
use super::meanings::moved_code;
use super::model::{ChangeKind, ChangeSubject, ItemEffect, ItemPresence, SourceChange};
use super::name_definitions::has_other_definition;
use super::raw_tokens::{self, words};
use super::renames::RenameMap;
use crate::syntax::{ItemKind, SyntaxItem};

/// An item of a changed file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileItem<'a> {
    pub(super) file: usize,
    pub(super) item: &'a SyntaxItem,
}

/// Matched items, by index.
#[derive(Debug)]
pub(super) struct MatchedItems<'a> {
    pub(super) before: Vec<FileItem<'a>>,
    pub(super) after: Vec<FileItem<'a>>,
    after_of: Vec<Option<usize>>,
    before_of: Vec<Option<usize>>,
}

/// Matches the items of all changed files.
pub(super) fn match_items<'a>(sources: &'a ChangedSources<'_>) -> MatchedItems<'a> {
    let before = placed(sources, SourceSide::Before);
    let after = placed(sources, SourceSide::After);
    let mut pairs = MatchedItems {
        after_of: vec![None; before.len()],
        before_of: vec![None; after.len()],
        before,
        after,
    };
    pairs.join_by(|placed| Some((placed.file, key(placed.item), placed.item.digest.0)));
    pairs.join_by(|placed| Some((placed.file, key(placed.item))));
    pairs.join_by(|placed| {
        Some((
            placed.item.name.as_str(),
            number(&placed.item.kind),
            placed.item.digest.0,
        ))
    });
    pairs.join_renamed(sources);
    pairs.join_moved();
    pairs
}

type ItemKey<'a> = (u8, &'a [String], &'a str);

fn key(item: &SyntaxItem) -> ItemKey<'_> {
    (number(&item.kind), &item.path, &item.name)
}

impl<'a> MatchedItems<'a> {
    /// The items of one side.
    pub(super) fn of(&self, side: SourceSide) -> &[FileItem<'a>] {
        match side {
            SourceSide::Before => &self.before,
            SourceSide::After => &self.after,
        }
    }

    /// Those that are there before and after, in pairs.
    pub(super) fn kept(&self) -> impl Iterator<Item = (FileItem<'a>, FileItem<'a>)> {
        let pairs = self.before.iter().zip(&self.after_of);
        pairs.filter_map(|(old, other)| Some((*old, self.after[(*other)?])))
    }

    /// Full names of what is known by another name after, for the users to follow.
    pub(super) fn renamed(&self, sources: &ChangedSources<'_>) -> Vec<(Vec<String>, Vec<String>)> {
        let mut renamed = Vec::new();
        for (old, new) in self.kept() {
            let old_path = sources.path(SourceSide::Before, old.file, &with_name(old.item));
            let new_path = sources.path(SourceSide::After, new.file, &with_name(new.item));
            if let (ItemKind::Type { fields: old_fields }, ItemKind::Type { fields: new_fields }) =
                (&old.item.kind, &new.item.kind)
            {
                for (from, to) in renamed_fields(old_fields, new_fields) {
                    let with = |path: &[String], name: &str| path.iter().cloned().chain([name.to_owned()]).collect();
                    renamed.push((with(&old_path, from), with(&new_path, to)));
                }
            }
            let is_definition = matches!(
                old.item.kind,
                ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Macro
            );
            if is_definition && old_path != new_path {
                renamed.push((old_path, new_path));
            }
        }
        renamed
    }

    /// The changes of items.
    pub(super) fn changes(&mut self, sources: &ChangedSources<'_>, renames: &RenameMap) -> Vec<SourceChange> {
        self.join_renamed_heads(renames);
        let mut changes = Vec::new();
        for (old, new) in self.kept() {
            if item_effects::lets_choose_another_way(sources, (old.file, old.item), (new.file, new.item)) {
                let what = (ChangeKind::Type, ItemPresence::Kept, ItemEffect::Redefinition);
                changes.push(change(sources, SourceSide::After, new, what));
            }
            if item_effects::hands_on_other_macros(sources, (old.file, old.item), (new.file, new.item)) {
                let what = (ChangeKind::Macro, ItemPresence::Kept, ItemEffect::Redefinition);
                let mut any = change(sources, SourceSide::After, new, what);
                any.subject = ChangeSubject::Item {
                    name: "*".into(),
                    test_only: new.item.test_only,
                    presence: what.1,
                    effect: what.2,
                };
                changes.push(any);
            }
            let reads_otherwise = old.item.digest != new.item.digest && !is_explained(sources, old, new, renames);
            if reads_otherwise || means_another_where_it_moved(sources, old, new, renames) {
                let kind = match &new.item.kind {
                    ItemKind::Constant => ChangeKind::Constant,
                    ItemKind::Macro | ItemKind::Invocation => ChangeKind::Macro,
                    ItemKind::Attribute | ItemKind::Prototype => ChangeKind::Attribute,
                    ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Implementation | ItemKind::Module => {
                        ChangeKind::Type
                    }
                    ItemKind::Import { .. } => continue,
                };
                let sides = ((old.file, old.item), (new.file, new.item));
                for name in item_effects::other_associated_types(sources, sides, renames) {
                    let (presence, effect) = (ItemPresence::Kept, ItemEffect::Redefinition);
                    changes.push(SourceChange {
                        subject: ChangeSubject::Item {
                            name: name.into(),
                            test_only: new.item.test_only,
                            presence,
                            effect,
                        },
                        ..change(sources, SourceSide::After, new, (kind, presence, effect))
                    });
                }
                let effect = item_effects::effect_of_difference(sources, sides, renames);
                changes.push(change(
                    sources,
                    SourceSide::After,
                    new,
                    (kind, ItemPresence::Kept, effect),
                ));
            }
        }
        let sides = [
            (SourceSide::Before, &self.before, &self.after_of),
            (SourceSide::After, &self.after, &self.before_of),
        ];
        for (side, items, others) in sides {
            let alone: Vec<FileItem<'_>> = items
                .iter()
                .zip(others)
                .filter(|(_, other)| other.is_none())
                .map(|(item, _)| *item)
                .collect();
            let new_names: BTreeSet<&str> = alone
                .iter()
                .filter(|placed| matches!(placed.item.kind, ItemKind::Type { .. } | ItemKind::Trait))
                .map(|placed| placed.item.name.as_str())
                .collect();
            let presence = presence_of(side);
            for placed in alone {
                // A file that cannot be read in full on the other side may still hold it.
                if sources.is_unsure(placed.file) {
                    continue;
                }
                if item_effects::works_unnamed(sources, side, placed.file, placed.item) {
                    changes.push(SourceChange {
                        kind: ChangeKind::BuildSetting,
                        subject: ChangeSubject::Build {
                            setting: "global_allocator".into(),
                        },
                        ..change(
                            sources,
                            side,
                            placed,
                            (ChangeKind::Constant, ItemPresence::Kept, ItemEffect::Value),
                        )
                    });
                    continue;
                }
                let (kind, effect) = match &placed.item.kind {
                    ItemKind::Implementation => {
                        let Some((of_trait, owner)) = placed.item.name.split_once(" for ") else {
                            continue;
                        };
                        // Nothing was dispatched to a type or trait that is as new as this.
                        if new_names.contains(owner) || new_names.contains(of_trait) {
                            continue;
                        }
                        let is_derived_elsewhere = [SourceSide::Before, SourceSide::After].into_iter().any(|side| {
                            item_effects::derived_traits(sources, side, placed.file, owner).contains(&of_trait)
                        });
                        let effect = item_effects::effect_of_implementation(of_trait, is_derived_elsewhere);
                        (ChangeKind::Type, effect)
                    }
                    // An implementation has another value than its trait's own from now on, or no longer.
                    ItemKind::Constant if is_of_kept_implementation(placed, items, others) => {
                        (ChangeKind::Constant, ItemEffect::Value)
                    }
                    ItemKind::Invocation => {
                        for of_type in item_effects::types_of_invocation(sources, side, placed.file, placed.item) {
                            let effect = ItemEffect::Redefinition;
                            changes.push(SourceChange {
                                subject: ChangeSubject::Item {
                                    name: of_type.into(),
                                    test_only: placed.item.test_only,
                                    presence,
                                    effect,
                                },
                                ..change(sources, side, placed, (ChangeKind::Macro, presence, effect))
                            });
                        }
                        (ChangeKind::Macro, ItemEffect::Layout)
                    }
                    ItemKind::Attribute | ItemKind::Prototype if sources.is_on_both_sides(placed.file) => {
                        (ChangeKind::Attribute, ItemEffect::Layout)
                    }
                    ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Macro
                        if has_other_definition(sources, side, placed.file, &placed.item.name) =>
                    {
                        (ChangeKind::Type, ItemEffect::LocalRedefinition)
                    }
                    _ => continue,
                };
                changes.push(change(sources, side, placed, (kind, presence, effect)));
            }
        }
        changes.extend(self.imports(sources, renames));
        changes
    }

    /// True if the implementation of a file and name before is the other one after.
    pub(super) fn is_kept_implementation(&self, before: &(usize, String), after: &(usize, String)) -> bool {
        let is = |placed: FileItem<'_>, (file, name): &(usize, String)| {
            placed.item.kind == ItemKind::Implementation && (placed.file, &placed.item.name) == (*file, name)
        };
        self.kept().any(|(old, new)| is(old, before) && is(new, after))
    }

    /// True if an implementation with this name came or went in a file.
    pub(super) fn is_head_alone(&self, side: SourceSide, file: usize, name: &str) -> bool {
        let (items, others) = match side {
            SourceSide::Before => (&self.before, &self.after_of),
            SourceSide::After => (&self.after, &self.before_of),
        };
        let of_file = of_file(items, file);
        let others = &others[of_file.clone()];
        items[of_file].iter().zip(others).any(|(placed, other)| {
            other.is_none()
                && placed.file == file
                && placed.item.kind == ItemKind::Implementation
                && placed.item.name == name
        })
    }

    /// Joins what has the same key, first with first.
    fn join_by<K: std::hash::Hash + Eq>(&mut self, key: impl Fn(FileItem<'a>) -> Option<K>) {
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        for (index, placed) in self.after.iter().enumerate().rev() {
            if self.before_of[index].is_none()
                && let Some(key) = key(*placed)
            {
                waiting.entry(key).or_default().push(index);
            }
        }
        for (index, placed) in self.before.iter().enumerate() {
            if self.after_of[index].is_none()
                && let Some(key) = key(*placed)
                && let Some(other) = waiting.get_mut(&key).and_then(Vec::pop)
            {
                self.after_of[index] = Some(other);
                self.before_of[other] = Some(index);
            }
        }
    }

    /// Definitions that differ in nothing but their name.
    fn join_renamed(&mut self, sources: &ChangedSources<'_>) {
        let open_before: BTreeSet<usize> = open(&self.after_of);
        let open_after: BTreeSet<usize> = open(&self.before_of);
        if open_before.is_empty() || open_after.is_empty() {
            return;
        }
        let digests = |items: &[FileItem<'a>],
                       open: &BTreeSet<usize>,
                       side: SourceSide|
         -> HashMap<(usize, *const SyntaxItem), u64> {
            let mut digests = HashMap::new();
            for index in open {
                let placed = items[*index];
                if matches!(
                    placed.item.kind,
                    ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Macro
                ) {
                    let text = sources.text_of_lines(side, placed.file, placed.item.lines);
                    let digest = raw_tokens::digest_without(text, &placed.item.name);
                    digests.insert((placed.file, std::ptr::from_ref(placed.item)), digest);
                }
            }
            digests
        };
        let mut known = digests(&self.before, &open_before, SourceSide::Before);
        known.extend(digests(&self.after, &open_after, SourceSide::After));
        self.join_by(|placed| {
            let digest = known.get(&(placed.file, std::ptr::from_ref(placed.item)))?;
            Some((number(&placed.item.kind), placed.file, *digest))
        });
        self.join_by(|placed| {
            let digest = known.get(&(placed.file, std::ptr::from_ref(placed.item)))?;
            Some((number(&placed.item.kind), usize::MAX, *digest))
        });
    }

    /// Definitions that moved and changed: the only ones of their name.
    fn join_moved(&mut self) {
        let key = |placed: FileItem<'a>| (number(&placed.item.kind), placed.item.name.as_str());
        let count = |items: &[FileItem<'a>], others: &[Option<usize>]| {
            let mut counts: HashMap<(u8, &'a str), usize> = HashMap::new();
            for (placed, _) in items.iter().zip(others).filter(|(_, other)| other.is_none()) {
                *counts.entry(key(*placed)).or_default() += 1;
            }
            counts
        };
        let (before, after) = (count(&self.before, &self.after_of), count(&self.after, &self.before_of));
        self.join_by(|placed| {
            let is_definition = matches!(
                placed.item.kind,
                ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Macro
            );
            let key = key(placed);
            let is_only_one = || [&before, &after].iter().all(|counts| counts.get(&key) == Some(&1));
            (is_definition && is_only_one()).then_some(key)
        });
    }

    /// Implementations of types and traits that were renamed.
    fn join_renamed_heads(&mut self, renames: &RenameMap) {
        let renamed: Vec<String> = self
            .before
            .iter()
            .map(|placed| {
                let words: Vec<&str> = placed.item.name.split(' ').map(|word| renames.word(word)).collect();
                words.join(" ")
            })
            .collect();
        let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, placed) in self.after.iter().enumerate().rev() {
            if self.before_of[index].is_none() && placed.item.kind == ItemKind::Implementation {
                waiting.entry(&placed.item.name).or_default().push(index);
            }
        }
        for (index, placed) in self.before.iter().enumerate() {
            if self.after_of[index].is_none()
                && placed.item.kind == ItemKind::Implementation
                && let Some(other) = waiting.get_mut(renamed[index].as_str()).and_then(Vec::pop)
            {
                self.after_of[index] = Some(other);
                self.before_of[other] = Some(index);
            }
        }
    }
}

/// On which sides of a change an item is that is on this one alone.
pub(super) fn presence_of(side: SourceSide) -> ItemPresence {
    match side {
        SourceSide::Before => ItemPresence::Gone,
        SourceSide::After => ItemPresence::Added,
    }
}

fn placed<'a>(sources: &'a ChangedSources<'_>, side: SourceSide) -> Vec<FileItem<'a>> {
    let mut items = Vec::new();
    for file in 0..sources.len() {
        items.extend(sources.items(side, file).iter().map(|item| FileItem { file, item }));
    }
    items
}

fn open(others: &[Option<usize>]) -> BTreeSet<usize> {
    others
        .iter()
        .enumerate()
        .filter(|(_, other)| other.is_none())
        .map(|(index, _)| index)
        .collect()
}

/// Fields with another name and the same type at the same place.
fn renamed_fields<'a>(
    old: &'a [(String, String)],
    new: &'a [(String, String)],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let same_length = old.len() == new.len();
    let [old_names, new_names] = [old, new].map(|fields| fields.iter().map(|(name, _)| name).collect::<HashSet<_>>());
    old.iter()
        .zip(new)
        .filter(move |((from, old_type), (to, new_type))| {
            same_length
            && from != to
            // A tuple's fields have numbers, which other texts are full of.
            && !from.starts_with(|letter: char| letter.is_ascii_digit())
            && !to.starts_with(|letter: char| letter.is_ascii_digit())
            && old_type == new_type
            && !new_names.contains(from)
            && !old_names.contains(to)
        })
        .map(|((from, _), (to, _))| (from.as_str(), to.as_str()))
}

/// True if two items differ by what was renamed elsewhere or by a formatter's commas, and by nothing else.
fn is_explained(sources: &ChangedSources<'_>, old: FileItem<'_>, new: FileItem<'_>, renames: &RenameMap) -> bool {
    // An implementation holds functions, which are compared by themselves.
    let has_functions = matches!(old.item.kind, ItemKind::Implementation | ItemKind::Trait);
    let text = |side: SourceSide, placed: FileItem<'_>| {
        let text = sources.text_of_lines(side, placed.file, placed.item.lines);
        let head = text.split_once('{').map_or(text, |(head, _)| head);
        if has_functions { head } else { text }
    };
    let (before, after) = (text(SourceSide::Before, old), text(SourceSide::After, new));
    // Types, modules and implementations with equal words differ in what is not among them: attributes, associated types.
    let has_more = has_functions || matches!(old.item.kind, ItemKind::Type { .. } | ItemKind::Module);
    let is_same = has_more && words(before).eq(words(after));
    !is_same && !before.is_empty() && words(before).map(|word| renames.word(word)).eq(words(after))
}

/// True for a constant, type, trait or implementation with the same tokens that moved to where one of its names leads to
/// another definition.
fn means_another_where_it_moved<'a>(
    sources: &ChangedSources<'_>,
    old: FileItem<'a>,
    new: FileItem<'a>,
    renames: &RenameMap,
) -> bool {
    let may_name_others = matches!(
        old.item.kind,
        ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Implementation
    );
    let code = |placed: FileItem<'a>| ((placed.file, placed.item.lines), &placed.item.path[..]);
    may_name_others
        && sources.follows_declarations(new.file)
        && moved_code::other_definition(sources, [code(old), code(new)], renames).is_some()
}

pub(super) fn change(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    placed: FileItem<'_>,
    (kind, presence, effect): (ChangeKind, ItemPresence, ItemEffect),
) -> SourceChange {
    let name = match &placed.item.kind {
        // The head of an implementation is shown by its type.
        ItemKind::Implementation => {
            let owner = placed.item.name.rsplit(" for ").next().unwrap_or(&placed.item.name);
            let mut path = placed.item.path.clone();
            path.push(owner.to_owned());
            sources.name(side, placed.file, &path)
        }
        ItemKind::Attribute => sources.name(side, placed.file, &placed.item.path),
        _ => sources.name(side, placed.file, &with_name(placed.item)),
    };
    SourceChange {
        kind,
        subject: ChangeSubject::Item {
            name,
            test_only: placed.item.test_only,
            presence,
            effect,
        },
        file: Arc::clone(sources.file(placed.file)),
        line: placed.item.lines.first,
        callee: None,
        edits: Vec::new(),
    }
}

/// True for a constant in an implementation of a trait that is on both sides.
fn is_of_kept_implementation(constant: FileItem<'_>, items: &[FileItem<'_>], others: &[Option<usize>]) -> bool {
    let lines = constant.item.lines;
    let of_file = of_file(items, constant.file);
    let others = &others[of_file.clone()];
    items[of_file].iter().zip(others).any(|(placed, other)| {
        other.is_some()
            && placed.file == constant.file
            && placed.item.kind == ItemKind::Implementation
            && placed.item.name.contains(" for ")
            && placed.item.lines.first <= lines.first
            && lines.last <= placed.item.lines.last
    })
}

/// Where the items of a file stand among those of all files, which come in the order of the files.
fn of_file(items: &[FileItem<'_>], file: usize) -> std::ops::Range<usize> {
    let first = items.partition_point(|placed| placed.file < file);
    first..items.partition_point(|placed| placed.file <= file)
}

pub(super) fn with_name(item: &SyntaxItem) -> Vec<String> {
    item.path.iter().chain([&item.name]).cloned().collect()
}

const fn number(kind: &ItemKind) -> u8 {
    match kind {
        ItemKind::Constant => 0,
        ItemKind::Type { .. } => 1,
        ItemKind::Trait => 2,
        ItemKind::Implementation => 3,
        ItemKind::Macro => 4,
        ItemKind::Import { .. } => 5,
        ItemKind::Module => 8,
        ItemKind::Invocation => 6,
        ItemKind::Attribute => 7,
        ItemKind::Prototype => 9,
    }
}

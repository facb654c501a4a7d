//! Sources in a language whose declarations are not followed → what differs between their functions.

use std::sync::Arc;

use hashbrown::HashMap;

use super::changed_sources::{ChangedSources, SourceSide};
use super::model::{ChangedDeclaration, ItemPresence};
use crate::syntax::{ItemKind, SyntaxItem, TokenDigest};

/// The declarations that one side of a file does not have, or has otherwise. A file that came or went has none: what
/// sees it says so itself.
pub(super) fn changed_declarations(sources: &ChangedSources<'_>) -> Vec<ChangedDeclaration> {
    (0..sources.len())
        .filter(|&file| sources.is_on_both_sides(file))
        .flat_map(|file| of_file(sources, file))
        .collect()
}

fn of_file(sources: &ChangedSources<'_>, file: usize) -> Vec<ChangedDeclaration> {
    let before = sources.declarations(SourceSide::Before, file);
    let after = sources.declarations(SourceSide::After, file);
    let (gone, came) = (beyond(before, after), beyond(after, before));
    let of = |item: &SyntaxItem, others: &[&SyntaxItem], alone: ItemPresence| ChangedDeclaration {
        file: Arc::clone(sources.file(file)),
        line: item.lines.first,
        name: item.name.clone(),
        is_value: item.kind == ItemKind::Constant,
        is_definition: matches!(item.kind, ItemKind::Constant | ItemKind::Type { .. }),
        presence: match others.iter().any(|other| is_of_same_name(item, other)) {
            true => ItemPresence::Kept,
            false => alone,
        },
    };
    let after_only = came.iter().map(|item| of(item, &gone, ItemPresence::Added));
    let before_only = gone.iter().map(|item| of(item, &came, ItemPresence::Gone));
    after_only
        .chain(before_only.filter(|declaration| declaration.presence == ItemPresence::Gone))
        .collect()
}

/// The items of one side that the other does not have.
fn beyond<'a>(items: &'a [SyntaxItem], others: &[SyntaxItem]) -> Vec<&'a SyntaxItem> {
    let mut known: HashMap<(&[String], &str, TokenDigest), usize> = HashMap::new();
    for other in others {
        *known.entry((&other.path, &other.name, other.digest)).or_default() += 1;
    }
    let mut found = Vec::new();
    for item in items {
        match known.get_mut(&(&*item.path, &*item.name, item.digest)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => found.push(item),
        }
    }
    found
}

fn is_of_same_name(one: &SyntaxItem, other: &SyntaxItem) -> bool {
    one.kind.is_like(&other.kind) && one.path == other.path && one.name == other.name
}

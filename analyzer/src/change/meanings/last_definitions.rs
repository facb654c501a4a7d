//! Functions of one name in a source that is executed from its text → the names whose last definition is another one after.
//!
//! The last definition is the one that code calls, so two that trade places are two changes, though each is there as before.

use std::collections::{BTreeMap, BTreeSet};

use super::redefinition;
use crate::change::changed_sources::{ChangedSources, SourceSide};
use crate::change::function_matching::{FileFunction, FunctionMatch};
use crate::change::model::{ChangeKind, ItemEffect, SourceChange};

/// The last definition of each name of a file, and whether there is one before it.
type LastDefinitions<'a> = BTreeMap<(usize, &'a [String]), (usize, bool)>;

/// The names that mean another definition after, as changes.
pub(super) fn changed_last_definitions(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
) -> Vec<SourceChange> {
    let [before, after] = placed.each_ref().map(|placed| last_definitions(sources, placed));
    if before.is_empty() {
        return Vec::new();
    }
    let pairs: BTreeSet<&FunctionMatch> = matched.iter().collect();
    let mut changes = Vec::new();
    for (&(file, path), &(old, has_earlier)) in &before {
        let Some(&(new, has_earlier_after)) = after.get(&(file, path)) else {
            continue;
        };
        if (has_earlier || has_earlier_after) && !pairs.contains(&(Some(old), Some(new))) {
            let name = sources.name(SourceSide::After, file, path);
            let line = placed[1][new].function.lines.first;
            let kind = (ChangeKind::Type, ItemEffect::Redefinition);
            changes.push(redefinition(sources, (file, line), name, kind));
        }
    }
    changes
}

fn last_definitions<'a>(sources: &ChangedSources<'_>, placed: &'a [FileFunction]) -> LastDefinitions<'a> {
    let mut last = LastDefinitions::new();
    for (at, one) in placed.iter().enumerate() {
        if sources.language(one.file).support().is_loaded_by_programs() && !one.function.test_only {
            let key = (one.file, &one.function.path[..]);
            let has_earlier = last.contains_key(&key);
            last.insert(key, (at, has_earlier));
        }
    }
    last
}

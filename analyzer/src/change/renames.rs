//! The names of one definition in both versions, and whether two calls have the same callee.
//!
//! Built from matched definitions; does not resolve calls to functions.

use hashbrown::{HashMap, HashSet};
use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::{ItemKind, SourceFile, SyntaxCallForm, SyntaxCallee};

/// Full names before and after, by segments.
pub(super) type PathRename = (Vec<String>, Vec<String>);

/// Definitions whose name or place differs between the two versions.
#[derive(Debug, Default)]
pub(super) struct RenameMap {
    /// Last segment before → full names before and after.
    moved: HashMap<String, Vec<PathRename>>,
    /// Words before → words after, where that is unambiguous.
    words: HashMap<String, String>,
    /// Last segments, before and after, of what has another one now.
    of_renamed: HashSet<String>,
}

impl RenameMap {
    /// From pairs of full names, by segments. A word is read as another one only where `is_replaced` says
    /// that the first is nowhere after and the second nowhere before: `iter` may be renamed in one type and
    /// go on to live in ten others.
    pub(super) fn new(pairs: Vec<PathRename>, is_replaced: impl Fn(&str, &str) -> bool) -> Self {
        let mut candidates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut sources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut moved: HashMap<String, Vec<PathRename>> = HashMap::new();
        let mut of_renamed = HashSet::new();
        for (before, after) in pairs {
            let (Some(old), Some(new)) = (before.last().cloned(), after.last().cloned()) else {
                continue;
            };
            if old != new {
                of_renamed.extend([old.clone(), new.clone()]);
                candidates.entry(old.clone()).or_default().insert(new.clone());
                sources.entry(new).or_default().insert(old.clone());
            }
            // A type or module above that was renamed.
            if before.len() == after.len() {
                for (old, new) in before.iter().zip(&after).rev().skip(1) {
                    if old != new {
                        candidates.entry(old.clone()).or_default().insert(new.clone());
                        sources.entry(new.clone()).or_default().insert(old.clone());
                    }
                }
            }
            moved.entry(old).or_default().push((before, after));
        }
        let words = candidates
            .into_iter()
            .filter_map(|(old, news)| {
                let new = news.first()?.clone();
                let one_to_one = news.len() == 1 && sources.get(&new).is_some_and(|olds| olds.len() == 1);
                (one_to_one && is_replaced(&old, &new)).then_some((old, new))
            })
            .collect();
        Self {
            moved,
            words,
            of_renamed,
        }
    }

    /// A word of the before side, as the after side calls it.
    pub(super) fn word<'a>(&'a self, word: &'a str) -> &'a str {
        self.words.get(word).map_or(word, String::as_str)
    }

    /// True if something has this name before and another one after, or the other way round.
    pub(super) fn is_of_renamed(&self, name: &str) -> bool {
        self.of_renamed.contains(name)
    }

    /// True if something of this name is known by another name or at another place after.
    fn knows(&self, word: &str) -> bool {
        self.words.contains_key(word) || self.moved.contains_key(word)
    }

    /// True if a definition with this full name (as far as it is written) is known by another after.
    pub(super) fn follows(&self, before: &[String], after: &[String]) -> bool {
        let Some(moved) = before.last().and_then(|name| self.moved.get(name)) else {
            return false;
        };
        moved
            .iter()
            .any(|(old, new)| ends_with(old, before) && ends_with(new, after))
    }

    /// True if two full names are of one definition, which may have moved.
    pub(super) fn keeps(&self, before: &[String], after: &[String]) -> bool {
        before == after || self.follows(before, after)
    }
}

/// The meaning of the names in a file, as far as its imports say.
#[derive(Debug, Default)]
pub(super) struct ImportScope {
    imports: HashMap<String, Vec<String>>,
}

impl ImportScope {
    /// The imports of a file.
    pub(super) fn new(file: &SourceFile) -> Self {
        let mut imports = HashMap::new();
        for item in &file.items {
            if let ItemKind::Import { target } = &item.kind {
                imports.insert(item.name.clone(), target.clone());
            }
        }
        Self { imports }
    }

    /// True if an import gives something else this name.
    fn is_alias(&self, word: &str) -> bool {
        self.imports
            .get(word)
            .is_some_and(|target| target.last().is_some_and(|name| name != word))
    }

    /// The callee's full path as written, imports and `Self` replaced.
    fn expand(&self, callee: &SyntaxCallee, owner: Option<&str>) -> Vec<String> {
        let mut written: Vec<String> = callee
            .path
            .iter()
            .map(|segment| match (segment.as_str(), owner) {
                ("Self", Some(owner)) => owner.to_owned(),
                _ => segment.clone(),
            })
            .collect();
        written.push(callee.name.clone());
        match self.imports.get(&written[0]) {
            Some(target) if !target.is_empty() => {
                let mut full = target.clone();
                full.extend(written.drain(1..));
                full
            }
            _ => written,
        }
    }
}

/// One side of a comparison of calls.
#[derive(Clone, Copy)]
pub(super) struct CallerScope<'a> {
    /// The file's imports.
    pub(super) scope: &'a ImportScope,
    /// The implementing type, for `Self`.
    pub(super) owner: Option<&'a str>,
}

/// True if two calls, as far as the source shows, call the same thing.
pub(super) fn same_callee(
    before: (&SyntaxCallee, CallerScope<'_>),
    after: (&SyntaxCallee, CallerScope<'_>),
    renames: &RenameMap,
) -> bool {
    let (old_name, new_name) = (&before.0.name, &after.0.name);
    if old_name != new_name
        && !renames.knows(old_name)
        && !before.1.scope.is_alias(old_name)
        && !after.1.scope.is_alias(new_name)
    {
        return false;
    }
    let is_macro = |callee: &SyntaxCallee| callee.form == SyntaxCallForm::Macro;
    // `x.trim()` may be `str::trim(x)`, but is no free function `trim(x)`.
    let is_method = |callee: &SyntaxCallee| callee.form == SyntaxCallForm::Method;
    let is_free = |callee: &SyntaxCallee| callee.form == SyntaxCallForm::Path && callee.path.is_empty();
    if is_macro(before.0) != is_macro(after.0)
        || (is_method(before.0) && is_free(after.0))
        || (is_free(before.0) && is_method(after.0))
    {
        return false;
    }
    let (old, new) = (written(before.0, before.1.owner), written(after.0, after.1.owner));
    if compatible(&old, &new) || renames.follows(&old, &new) {
        return true;
    }
    let renamed: Vec<String> = old.iter().map(|word| renames.word(word).to_owned()).collect();
    if compatible(&renamed, &new) {
        return true;
    }
    let (old_full, new_full) = (
        before.1.scope.expand(before.0, before.1.owner),
        after.1.scope.expand(after.0, after.1.owner),
    );
    if old_full == old && new_full == new {
        return false;
    }
    let (old_full, new_full) = (without_root(&old_full), without_root(&new_full));
    compatible(&old_full, &new_full) || renames.follows(&old_full, &new_full)
}

/// The last segment by which calls are looked up, as the after side calls it.
fn written(callee: &SyntaxCallee, owner: Option<&str>) -> Vec<String> {
    let mut path: Vec<String> = callee
        .path
        .iter()
        .map(|segment| match (segment.as_str(), owner) {
            ("Self", Some(owner)) => owner.to_owned(),
            _ => segment.clone(),
        })
        .collect();
    path.push(callee.name.clone());
    without_root(&path)
}

/// `crate`, `self`, `super` and the three names of the standard library say where to start, not what.
fn without_root(path: &[String]) -> Vec<String> {
    let last = path.len().saturating_sub(1);
    let start = path[..last]
        .iter()
        .position(|segment| !matches!(segment.as_str(), "crate" | "self" | "super" | "std" | "core" | "alloc"))
        .unwrap_or(last);
    path[start..].to_vec()
}

fn compatible(left: &[String], right: &[String]) -> bool {
    ends_with(left, right) || ends_with(right, left)
}

fn ends_with(long: &[String], short: &[String]) -> bool {
    long.ends_with(short)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn callee(path: &str) -> SyntaxCallee {
        let mut segments: Vec<String> = path.split("::").map(str::to_owned).collect();
        let name = segments.pop().unwrap();
        SyntaxCallee {
            name,
            path: segments,
            form: SyntaxCallForm::Path,
            receiver: None,
        }
    }

    fn same(before: &str, after: &str, renames: &RenameMap) -> bool {
        let scope = ImportScope::default();
        let caller = CallerScope {
            scope: &scope,
            owner: Some("Parser"),
        };
        same_callee((&callee(before), caller), (&callee(after), caller), renames)
    }

    fn path(text: &str) -> Vec<String> {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn a_longer_path_to_the_same_function_is_the_same_callee() {
        let none = RenameMap::default();
        assert!(same("mem::replace", "std::mem::replace", &none));
        assert!(same("Self::next", "Parser::next", &none));
        assert!(same("crate::scan::words", "scan::words", &none));
    }

    #[test]
    fn another_type_before_the_same_name_is_another_callee() {
        assert!(!same("Vec::new", "HashMap::new", &RenameMap::default()));
    }

    #[test]
    fn callers_follow_a_renamed_function_a_renamed_type_and_a_move() {
        let renames = RenameMap::new(
            vec![
                (path("k::a::step"), path("k::a::advance")),
                (path("k::Old::new"), path("k::New::new")),
                (path("k::a::lines"), path("k::b::lines")),
            ],
            |_, _| true,
        );
        assert!(same("step", "advance", &renames));
        assert!(same("Old::new", "New::new", &renames));
        assert!(same("a::lines", "b::lines", &renames));
        assert!(!same("advance", "step", &renames));
    }
}

//! Two versions → which functions of the first are functions of the second under another name or at another place, and
//! which of them differ in nothing but names.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use analyzer::change::{InliningMode, find_changes};
use analyzer::outline::{FunctionDefinition, ProfileNames, SourceOutline};
use analyzer::sources::FileChange;
use analyzer::syntax::ParseCache;
use profile::call_tree::{CallTree, FunctionRenames};
use runner::git::{CommitId, Repository};

use crate::error::EngineError;
use crate::file_sources::with_version_sources;

/// Functions of an earlier version by their names at a later one. Names are those of profiles.
#[derive(Debug, Clone, Default)]
pub struct FunctionMoves {
    /// Name before → name after, where they differ.
    functions: BTreeMap<String, String>,
    /// The same for types and modules of which nothing is left under the old name: what the compiler writes for them is in
    /// no source.
    owners: BTreeMap<String, String>,
    /// Functions, by their names after, of which nothing but names changed.
    same: BTreeSet<String>,
    /// Functions, by their names after, that both sides have and of which more changed, or may have.
    changed: BTreeSet<String>,
}

impl FunctionMoves {
    /// Matches the functions of two versions. `names` are those that profiles call otherwise than the sources do.
    pub fn between(
        repository: &Repository,
        [before, after]: [(CommitId, &SourceOutline); 2],
        parser: &ParseCache,
        names: &ProfileNames,
    ) -> Result<Self, EngineError> {
        let shared = Mutex::new(repository.reopen()?);
        let (found, renamed) = with_version_sources(&shared, after.0, Some(before.0), |version| {
            let (files, mode) = (version.files, InliningMode::AsWritten);
            (
                find_changes(files, version.before, version.after, parser, mode),
                renamed_around_files(before.1, after.1, files),
            )
        })?;
        let called = |name: &Arc<str>| names.get(name).unwrap_or(name).to_string();
        let changed: BTreeMap<String, String> = (found.pairs.iter())
            .filter_map(|pair| Some((called(&pair.before.as_ref()?.name), called(&pair.after.as_ref()?.name))))
            .collect();
        let same: Vec<(String, String)> = (found.same.iter())
            .map(|same| (&same.before.name, &same.after.name))
            .chain(renamed.iter().map(|(old, new)| (old, new)))
            .map(|(old, new)| (called(old), called(new)))
            .collect();
        let unread: BTreeSet<&str> = found.degraded.iter().map(|file| &*file.file).collect();
        let is_read = |name: &str| {
            let definitions = after.1.definitions_of(name);
            definitions.iter().all(|one| !unread.contains(&*one.file))
        };
        let all = || changed.iter().chain(same.iter().map(|(old, new)| (old, new)));
        let moved: BTreeMap<String, String> = (all().filter(|(old, new)| old != new))
            .map(|(old, new)| (old.clone(), new.clone()))
            .collect();
        let (same, unsure): (BTreeSet<String>, BTreeSet<String>) =
            same.into_iter().map(|(_, new)| new).partition(|new| is_read(new));
        let changed: BTreeSet<String> = changed.into_values().chain(unsure).collect();
        let mut moves = Self {
            owners: moved_owners(&moved, after.1),
            same: &same - &changed,
            changed,
            functions: moved,
        };
        moves.set_displaced_aside(before.1);
        Ok(moves)
    }

    /// True for a name that a function got because another one has its own.
    pub fn is_displaced(name: &str) -> bool {
        name.ends_with(DISPLACED)
    }

    /// With some more renamed functions.
    pub fn and_renames(mut self, functions: FunctionRenames) -> Self {
        self.functions.extend(functions);
        self
    }

    /// A function that gave its name to another one is not that one.
    fn set_displaced_aside(&mut self, before: &SourceOutline) {
        let displaced = (self.functions.values())
            .filter(|new| !self.functions.contains_key(*new) && !before.definitions_of(new).is_empty());
        let aside: Vec<(String, String)> = displaced
            .map(|name| (name.clone(), format!("{name}{DISPLACED}")))
            .collect();
        self.functions.extend(aside);
    }

    /// The name after of a function before.
    pub fn name_after<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.functions.is_empty() {
            return Cow::Borrowed(name);
        }
        let (written, inside) = written_name(name);
        if let Some(after) = self.functions.get(written) {
            return Cow::Owned(format!("{after}{inside}"));
        }
        let ends = written.rmatch_indices("::").map(|(end, _)| end);
        let moved = ends
            .filter_map(|end| Some((end, self.owners.get(&written[..end])?)))
            .next();
        match moved {
            Some((end, owner)) => Cow::Owned(format!("{owner}{}", &name[end..])),
            None => Cow::Borrowed(name),
        }
    }

    /// The functions of a call tree before that have another name after. Functions of libraries are among them: their names
    /// hold the types that they are compiled for.
    pub fn renames(&self, tree: &CallTree) -> FunctionRenames {
        let renamed = tree
            .functions
            .iter()
            .filter_map(|function| match self.name_after(&function.name) {
                Cow::Owned(after) => Some((function.name.clone(), after)),
                Cow::Borrowed(_) => None,
            });
        renamed.collect()
    }

    /// The sources before, under the names after.
    pub fn under_names_after(&self, outline: &SourceOutline) -> SourceOutline {
        let mut named = outline.clone();
        named.rename(&other_names(outline, |name| self.name_after(name).into_owned()));
        named
    }

    /// True if nothing but names changed in a function, given by its name after. A closure is part of the function that it
    /// stands in.
    pub fn is_same(&self, name: &str) -> bool {
        self.same.contains(written_name(name).0)
    }
}

/// Functions of files that did not change, and that have another name all the same: a package got another one, or the
/// declaration of a module.
fn renamed_around_files(
    before: &SourceOutline,
    after: &SourceOutline,
    changed: &[FileChange],
) -> Vec<(Arc<str>, Arc<str>)> {
    let changed: BTreeSet<&str> = changed.iter().map(|file| &*file.path).collect();
    let place = |one: &FunctionDefinition| (Arc::clone(&one.file), one.lines.first, one.lines.last);
    let definitions = |outline: &'_ SourceOutline| {
        let all = outline
            .functions()
            .flat_map(|(_, definitions)| definitions.iter().cloned());
        all.filter(|one| !changed.contains(&*one.file)).collect::<Vec<_>>()
    };
    let mut now: BTreeMap<_, Vec<Arc<str>>> = BTreeMap::new();
    for one in definitions(after) {
        now.entry(place(&one)).or_default().push(Arc::clone(&one.name));
    }
    let renamed = definitions(before)
        .into_iter()
        .filter_map(|one| match now.get(&place(&one))?.as_slice() {
            [name] if *name != one.name => Some((Arc::clone(&one.name), Arc::clone(name))),
            // Several functions in one line: which is which nobody knows.
            _ => None,
        });
    renamed.collect()
}

/// The name of the function that a closure stands in, and what the closure adds to it.
fn written_name(name: &str) -> (&str, &str) {
    name.split_at(name.find("::{").unwrap_or(name.len()))
}

/// The types and modules to which most of the functions of another one moved that is gone.
fn moved_owners(functions: &BTreeMap<String, String>, after: &SourceOutline) -> BTreeMap<String, String> {
    let mut votes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (old, new) in functions {
        let (mut old, mut new) = (old.as_str(), new.as_str());
        while let (Some((old_owner, old_name)), Some((new_owner, new_name))) =
            (old.rsplit_once("::"), new.rsplit_once("::"))
            && old_name == new_name
            && old_owner != new_owner
        {
            *votes.entry(old_owner).or_default().entry(new_owner).or_default() += 1;
            (old, new) = (old_owner, new_owner);
        }
    }
    let is_left = |owner: &str| {
        let inside = format!("{owner}::");
        after.functions().any(|(name, _)| name.starts_with(&inside))
    };
    let most = |votes: BTreeMap<&str, usize>| {
        let (owner, most) = votes.iter().max_by_key(|(_, votes)| **votes)?;
        (2 * most > votes.values().sum::<usize>()).then(|| (*owner).to_owned())
    };
    let gone = votes.into_iter().filter(|(owner, _)| !is_left(owner));
    gone.filter_map(|(owner, votes)| Some((owner.to_owned(), most(votes)?)))
        .collect()
}

/// The functions that another version calls otherwise.
fn other_names(outline: &SourceOutline, other: impl Fn(&str) -> String) -> ProfileNames {
    let names = outline.functions().map(|(name, _)| (Arc::clone(name), other(name)));
    let renamed = names.filter(|(name, other)| **name != **other);
    renamed.map(|(name, other)| (name, other.into())).collect()
}

/// Ends the name of a function that gave its name to another one.
const DISPLACED: &str = " (before)";

/// The versions of a history, each with what moved up to the next → the names of their functions at the newest.
pub struct NewestNames {
    /// From each version to the next, oldest first: the functions and owners that moved.
    steps: Vec<FunctionMoves>,
    /// For each step, what is the same and what changed, under the newest names.
    sources: Vec<FunctionMoves>,
}

impl NewestNames {
    /// Matches each version with the next, oldest first.
    pub fn of(
        repository: &Repository,
        (commits, outlines): (&[CommitId], &[SourceOutline]),
        parser: &ParseCache,
        names: &ProfileNames,
    ) -> Result<Self, EngineError> {
        let versions: Vec<(CommitId, &SourceOutline)> = commits.iter().copied().zip(outlines).collect();
        let steps = versions.windows(2).map(|pair| match pair {
            [before, after] => FunctionMoves::between(repository, [*before, *after], parser, names),
            _ => Ok(FunctionMoves::default()),
        });
        let mut names = Self {
            steps: steps.collect::<Result<_, EngineError>>()?,
            sources: Vec::new(),
        };
        let newest = |at: usize, of: &BTreeSet<String>| of.iter().map(|name| names.name(at + 1, name)).collect();
        let sources = names.steps.iter().enumerate().map(|(at, step)| FunctionMoves {
            same: newest(at, &step.same),
            changed: newest(at, &step.changed),
            ..FunctionMoves::default()
        });
        names.sources = sources.collect();
        Ok(names)
    }

    /// The newest name of a function, given by its name at the version of a place.
    pub fn name(&self, at: usize, name: &str) -> String {
        let mut name = name.to_owned();
        for step in self.steps.get(at..).unwrap_or_default() {
            if let Cow::Owned(after) = step.name_after(&name) {
                name = after;
            }
        }
        name
    }

    /// The functions of a version that have another name at the newest.
    pub fn renamed(&self, at: usize, outline: &SourceOutline) -> ProfileNames {
        other_names(outline, |name| self.name(at, name))
    }

    /// The functions of which nothing but names changed between two versions, under the newest names. Nothing has moved: both
    /// versions go by these.
    pub fn moves_between(&self, before: usize, after: usize) -> FunctionMoves {
        let steps = self.sources.get(before..after).unwrap_or_default();
        let all = |of: fn(&FunctionMoves) -> &BTreeSet<String>| -> BTreeSet<String> {
            steps.iter().flat_map(of).cloned().collect()
        };
        let changed = all(|step| &step.changed);
        FunctionMoves {
            same: &all(|step| &step.same) - &changed,
            changed,
            ..FunctionMoves::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(functions: &[(&str, &str)], owners: &[(&str, &str)]) -> FunctionMoves {
        let owned = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            let pairs = pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned()));
            pairs.collect()
        };
        FunctionMoves {
            functions: owned(functions),
            owners: owned(owners),
            ..FunctionMoves::default()
        }
    }

    #[test]
    fn closures_and_what_the_compiler_writes_for_a_type_follow_it() {
        let moved = moves(
            &[("k::a::T::f", "k::b::U::f")],
            &[("k::a::T", "k::b::U"), ("k::a", "k::b")],
        );
        for (before, after) in [
            ("k::a::T::f", "k::b::U::f"),
            ("k::a::T::f::{closure}::call", "k::b::U::f::{closure}::call"),
            ("k::a::T::clone", "k::b::U::clone"),
            ("k::a::other", "k::b::other"),
            ("k::ab::other", "k::ab::other"),
            ("core::clone", "core::clone"),
        ] {
            assert_eq!(moved.name_after(before), after);
        }
    }

    #[test]
    fn an_owner_moved_if_nothing_of_it_is_left_and_most_went_to_one_place() {
        let moved = moves(
            &[("k::T::f", "k::U::f"), ("k::T::g", "k::U::g"), ("k::T::h", "k::V::h")],
            &[],
        );
        let owners = moved_owners(&moved.functions, &SourceOutline::default());
        assert_eq!(owners, moves(&[], &[("k::T", "k::U")]).owners);
    }

    #[test]
    fn a_name_goes_through_all_later_versions() {
        let names = NewestNames {
            steps: vec![moves(&[("a", "b")], &[]), moves(&[], &[]), moves(&[("b", "c")], &[])],
            sources: Vec::new(),
        };
        let newest: Vec<String> = (0..4)
            .map(|at| names.name(at, if at == 0 { "a" } else { "b" }))
            .collect();
        assert_eq!(newest, ["c", "c", "c", "b"]);
    }
}

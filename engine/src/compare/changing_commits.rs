//! The functions that differ between two versions → the commits between them that changed each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use analyzer::change::{InliningMode, find_changes};
use analyzer::outline::{ProfileNames, SourceOutline};
use analyzer::sources::FileChange;
use analyzer::syntax::ParseCache;
use runner::git::{CommitId, Repository};

use crate::error::EngineError;
use crate::file_sources::with_version_sources;
use crate::function_moves::FunctionMoves;

/// Commits from one version to the other that are looked through. For more, nobody waits.
const LINE: usize = 500;

/// Two versions, with what is known of their functions.
#[derive(Clone, Copy)]
pub(super) struct VersionPair<'a> {
    pub(super) repository: &'a Repository,
    pub(super) before: (CommitId, &'a SourceOutline),
    pub(super) after: (CommitId, &'a SourceOutline),
    /// The functions that profiles call otherwise than the sources do.
    pub(super) names: &'a ProfileNames,
    pub(super) moves: &'a FunctionMoves,
}

impl VersionPair<'_> {
    /// The commits that changed each of these functions, given by their names after, oldest first. Follows first parents; none
    /// where these do not lead from one version to the other, or in a single step. A function that lay in another file in
    /// between is not followed there.
    pub(super) fn changing_commits(
        self,
        functions: &BTreeSet<String>,
        parser: &ParseCache,
    ) -> Result<BTreeMap<String, Vec<CommitId>>, EngineError> {
        let mut found: BTreeMap<String, Vec<CommitId>> = BTreeMap::new();
        let line = self.repository.first_parents(self.after.0, LINE + 1)?.commits;
        let is_before = |commit: &CommitId| *commit == self.before.0;
        let Some(steps) = line.iter().rev().position(is_before).filter(|steps| *steps > 1) else {
            return Ok(found);
        };
        let line = &line[line.len() - 1 - steps..];
        let files = self.files_of(functions);
        let repository = Mutex::new(self.repository.reopen()?);
        for step in line.windows(2) {
            for name in self.changed_in(&repository, [step[0], step[1]], &files, parser)? {
                if functions.contains(&name) {
                    found.entry(name).or_default().push(step[1]);
                }
            }
        }
        Ok(found)
    }

    /// The files that the functions stand in, at either side.
    fn files_of(self, functions: &BTreeSet<String>) -> BTreeSet<String> {
        let before = self.before.1.functions();
        let before = before.filter(|(name, _)| functions.contains(&*self.moves.name_after(name)));
        let after = self
            .after
            .1
            .functions()
            .filter(|(name, _)| functions.contains(&***name));
        (before.chain(after))
            .flat_map(|(_, definitions)| definitions)
            .map(|definition| definition.file.to_string())
            .collect()
    }

    /// The functions in some files that a commit changed, by their names after.
    fn changed_in(
        self,
        repository: &Mutex<Repository>,
        [parent, commit]: [CommitId; 2],
        files: &BTreeSet<String>,
        parser: &ParseCache,
    ) -> Result<BTreeSet<String>, EngineError> {
        let found = with_version_sources(repository, commit, Some(parent), |version| {
            let of_interest = version.files.iter().filter(|file| files.contains(&*file.path));
            let changed: Vec<FileChange> = of_interest.cloned().collect();
            find_changes(&changed, version.before, version.after, parser, InliningMode::AsWritten)
        })?;
        let sides = (found.pairs.iter()).flat_map(|pair| [&pair.before, &pair.after].into_iter().flatten());
        let names = sides.map(|function| self.names.get(&function.name).unwrap_or(&function.name));
        Ok(names.map(|name| self.moves.name_after(name).into_owned()).collect())
    }
}

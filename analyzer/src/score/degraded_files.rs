//! The parts of a version that could not be analysed → the files that are listed for them, each with its first reasons.

use crate::change::{ChangeSet, DegradedFile, UnfollowedFile, UnfollowedReach};
use crate::cost::{ScoringContext, is_declaration_executed, is_header_asked_for};
use crate::sample::Sample;
use crate::syntax::ParseCache;

/// At most so many reasons of a file are listed; more say nothing new.
const LISTED_REASONS: usize = 3;

/// The files of which nobody can say what their change does; a declaration is not listed where nothing executed uses it.
pub(super) fn not_analysed<'s>(scene: &'s ScoringContext<'_>) -> impl Iterator<Item = &'s DegradedFile> {
    let is_used = |unfollowed: &&UnfollowedFile| match &unfollowed.reach {
        UnfollowedReach::Name { name, presence, .. } => {
            let mut profiles = scene.sample.benchmarks.iter();
            profiles.any(|profile| is_declaration_executed((name, *presence), scene, profile))
        }
        UnfollowedReach::Header { directive } => is_header_asked_for(directive, scene),
        UnfollowedReach::Any(_) => true,
    };
    let unfollowed = scene.changes.unfollowed.iter().filter(is_used);
    let files = scene.changes.degraded.iter().chain(&scene.changes.unrecorded);
    files.chain(unfollowed.map(|unfollowed| &unfollowed.file))
}

/// The first reasons of each file.
pub(super) fn listed<'c>(files: impl Iterator<Item = &'c DegradedFile>) -> Vec<DegradedFile> {
    let mut listed: Vec<DegradedFile> = Vec::new();
    for file in files {
        let of_file = || listed.iter().filter(|known| known.file == file.file);
        if of_file().count() < LISTED_REASONS && !of_file().any(|known| known.why == file.why) {
            listed.push(file.clone());
        }
    }
    listed
}

/// Keeps the problems that both versions have and that hide nothing which executes; a file with another one is degraded.
pub(super) fn settle_kept_problems(found: &mut ChangeSet, sample: Option<&Sample>, parser: &ParseCache) {
    for problem in std::mem::take(&mut found.kept_problems) {
        match sample.is_some_and(|sample| sample.reads_in_spite_of(&problem.file, problem.text, parser)) {
            true => found.kept_problems.push(problem),
            false => found.degrade(&problem.file, problem.why),
        }
    }
}

//! The files that a version changes → its changes, divided by what a sample recorded: what is compared, what is read as a
//! whole, what nothing depends on, and what nobody can say.

use super::degraded_files::settle_kept_problems;
use super::input_evidence::InputEvidence;
use super::unfollowed::{self, DeclarationRisks, declaration_risks};
use super::unrecorded_builds::{SHOWS_NOTHING, files_beyond_commands, files_beyond_records};
use super::{CostModel, ScoreOptions, VersionSources};
use crate::change::{ChangeSet, DegradedFile, InliningMode};
use crate::languages::language_of;
use crate::sample::Sample;
use crate::sources::FileChange;

/// The changes of a version, as far as a sample's records and profiles tell which files matter.
pub(super) fn changes(version: &VersionSources<'_>, sample: Option<&Sample>, scoring: &ScoreOptions) -> ChangeSet {
    let evidence = sample.and_then(|sample| InputEvidence::new(version, sample, &scoring.outside));
    let Some(divided) = evidence
        .filter(|_| scoring.model == CostModel::Lito)
        .map(|evidence| evidence.divide())
    else {
        return changes_of_files(version, (version.files, sample), scoring);
    };
    let mut found = changes_of_files(version, (&divided.compared, sample), scoring);
    found.changes.extend(divided.read);
    found.unused = divided.unused;
    let mut unrecorded = Vec::new();
    if let Some(sample) = sample {
        let beyond = divided.beyond_commands.iter().map(AsRef::as_ref);
        found.unfollowed.extend(files_beyond_commands(beyond, sample));
        unrecorded = files_beyond_records(version, sample);
    }
    let is_listed = |file: &DegradedFile| found.not_analysed().any(|known| known.file == file.file);
    found.unrecorded = unrecorded.into_iter().filter(|file| !is_listed(file)).collect();
    found
}

fn changes_of_files(
    version: &VersionSources<'_>,
    (files, sample): (&[FileChange], Option<&Sample>),
    scoring: &ScoreOptions,
) -> ChangeSet {
    let is_unseen = |file: &&FileChange| sample.is_some_and(|sample| unfollowed::is_unseen(&file.path, sample));
    let (unseen, seen): (Vec<&FileChange>, Vec<&FileChange>) =
        files.iter().filter(|file| !is_same_source(file)).partition(is_unseen);
    let seen: Vec<FileChange> = seen.into_iter().cloned().collect();
    let mut found = crate::change::find_changes(
        &seen,
        version.before,
        version.after,
        &scoring.parser,
        match scoring.model {
            // The published model lists calls as they are written.
            CostModel::Paper => InliningMode::AsWritten,
            CostModel::Lito => InliningMode::WrittenOut,
        },
    );
    let DeclarationRisks { unfollowed, layouts } =
        declaration_risks(version, &found, sample, (&scoring.outside, &scoring.parser));
    found.unfollowed = unfollowed;
    found.changes.extend(layouts);
    settle_kept_problems(&mut found, sample, &scoring.parser);
    for file in unseen {
        found.degrade(&file.path, SHOWS_NOTHING.to_owned());
    }
    found
}

/// True for a source with the same text on both sides: only the ends of its lines, or its mode, are others.
fn is_same_source(file: &FileChange) -> bool {
    let [before, after] = [&file.before, &file.after].map(|side| side.as_ref()?.content.bytes());
    language_of(&file.path).is_some() && before.is_some() && before == after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::{Blob, ContentId, SourceContent};

    #[test]
    fn sources_are_the_same_only_if_both_were_read() {
        let is_same = |path: &str, content: SourceContent| {
            let side = |id| {
                Some(Blob {
                    id: ContentId([id; 20]),
                    content: content.clone(),
                })
            };
            is_same_source(&FileChange {
                path: path.into(),
                before: side(1),
                after: side(2),
            })
        };
        let text = SourceContent::Bytes(b"int a;\n".as_slice().into());
        assert!(is_same("a.c", text.clone()) && !is_same("a.txt", text));
        assert!(!is_same("a.c", SourceContent::TooLarge(9)) && !is_same("a.c", SourceContent::Unread(9)));
    }
}

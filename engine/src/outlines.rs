//! Versions → what their functions say, and which of them differ between two versions.

use std::collections::BTreeSet;
use std::sync::Arc;

use analyzer::languages::language_of;
use analyzer::outline::{OutlineReader, ProfileNames, SourceOutline};
use analyzer::sources::FileSource as _;
use analyzer::syntax::ParseCache;
use runner::git::{CommitId, Repository};

use crate::error::EngineError;
use crate::file_sources::SampledFileSource;
use crate::function_moves::FunctionMoves;

/// The functions of each version, in the order given.
pub fn outlines(
    repository: &Repository,
    commits: &[CommitId],
    parser: &ParseCache,
) -> Result<Vec<SourceOutline>, EngineError> {
    let mut outliner = OutlineReader::new(parser);
    let outline = |commit: &CommitId| {
        let snapshot = repository.snapshot(*commit)?;
        let paths = snapshot.paths()?;
        let tree = SampledFileSource::new(snapshot);
        let sources = (paths.iter())
            .map(|(path, _)| path.lossy())
            .filter(|path| language_of(path).is_some())
            .filter_map(|path| Some((Arc::from(&*path), tree.file(&path)?)));
        Ok(outliner.outline(sources, &tree))
    };
    commits.iter().map(outline).collect()
}

/// Gives the functions of all versions the names that debug information calls them by. `executed` is what ran: the place
/// of a version, and a function's name, file and line there. Returns those that the sources call otherwise.
pub fn name_as_executed<'a>(
    outlines: &mut [SourceOutline],
    executed: impl IntoIterator<Item = (usize, &'a str, &'a str, u32)>,
) -> ProfileNames {
    let mut names = ProfileNames::new();
    for (at, name, file, line) in executed {
        if let Some(written) = outlines[at].source_name(name, file, line) {
            let called = name.find("::{").map_or(name, |end| &name[..end]);
            names.insert(written, called.into());
        }
    }
    for outline in outlines {
        outline.rename(&names);
    }
    names
}

/// The functions that are other code after than before, or that only one side has; functions of tests are not among them.
/// Both sides go by the names after.
pub fn modified(before: &SourceOutline, after: &SourceOutline, moves: &FunctionMoves) -> BTreeSet<Arc<str>> {
    let of_after = after
        .functions()
        .filter(|(name, _)| before.digests(name) != after.digests(name) && !moves.is_same(name));
    let gone = before
        .functions()
        .filter(|(name, _)| after.definitions_of(name).is_empty());
    let all = of_after.chain(gone);
    all.filter(|(_, definitions)| definitions.iter().any(|one| !one.test_only))
        .map(|(name, _)| Arc::clone(name))
        .collect()
}

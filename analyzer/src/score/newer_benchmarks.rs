//! The sources that changed since the sample → the benchmarks that the sample lacks, and what they may execute.
//!
//! What such a benchmark executes was never recorded. Any code that may be built into it may be its hot path.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::described_benchmarks::{SETTINGS, describes_others};
use super::{NearestSample, VersionSources};
use crate::change::{FileKind, file_kind, is_runtime_input, may_decide_a_build};
use crate::languages::language_of;
use crate::sample::Sample;
use crate::sources::FileSource;

/// Benchmarks that are newer than the sample, or that are built or run in another way by now.
pub(super) struct NewerBenchmarks {
    /// The sources that declare them, sorted.
    pub(super) sources: Vec<String>,
    /// The folders of the packages that may be built into them; `None` for any.
    packages: Option<BTreeSet<String>>,
    /// True if one is described by the settings, which tell neither what it compiles nor what it reads.
    has_described: bool,
    /// True if the sample recorded what is compiled into the packages of all of them.
    is_recorded: bool,
}

impl NewerBenchmarks {
    /// Finds them by the words in the sources that changed since the sample; `None` if there is none.
    pub(super) fn find(version: &VersionSources<'_>, nearest: NearestSample<'_>) -> Option<Self> {
        let (then, now) = (nearest.sample.tree.as_ref(), version.after);
        let paths = (nearest.changed_since)();
        let words_of = |path: &str, tree: &dyn FileSource| {
            (nearest.sample).benchmark_words((path, tree), || declared_benchmarks(path, tree))
        };
        // Words of all sources at once: a benchmark that moved to another file is not new.
        let known: BTreeSet<String> = (paths.iter().map(|path| words_of(path, then)))
            .flat_map(|words| words.iter().cloned().collect::<Vec<_>>())
            .collect();
        let mut sources = paths;
        let is_settled = commands_are_settled(nearest.sample, &sources);
        let may_be_built = |path: &str| !is_settled || notices(nearest.sample, path);
        sources.retain(|path| match path.as_str() {
            SETTINGS => describes_others(nearest.sample, now),
            path => may_be_built(path) && !words_of(path, now).is_subset(&known),
        });
        if sources.is_empty() {
            return None;
        }
        sources.sort_unstable();
        let folder = |path: &str| {
            let folder = language_of(path)?.support().package_folder(path, now)?;
            Some(folder.to_owned())
        };
        let folders: BTreeSet<String> = sources.iter().filter_map(|path| folder(path)).collect();
        let recorded: BTreeSet<String> = (nearest.sample.inputs.units())
            .flat_map(|unit| &unit.files)
            .filter_map(|file| folder(file))
            .collect();
        // A command may run anything.
        let is_placed = sources.iter().all(|path| folder(path).is_some());
        let packages = is_placed.then(|| {
            let languages = sources.iter().filter_map(|path| language_of(path));
            languages
                .flat_map(|language| language.support().packages_within_reach(&folders, now))
                .collect()
        });
        Some(Self {
            has_described: sources.iter().any(|path| path == SETTINGS),
            sources,
            packages,
            is_recorded: is_placed && folders.is_subset(&recorded),
        })
    }

    /// True if something that a version changes may be built into one of them.
    pub(super) fn may_execute<'f>(
        &self,
        version: &VersionSources<'_>,
        changed: impl Iterator<Item = &'f str>,
        unused: &'f [Arc<str>],
    ) -> bool {
        let is_within_reach = |path: &str| {
            let (Some(language), Some(packages)) = (language_of(path), &self.packages) else {
                return true;
            };
            let is_reached = |tree: &dyn FileSource| {
                let folder = language.support().package_folder(path, tree);
                folder.is_none_or(|folder| packages.contains(folder))
            };
            is_reached(version.before) || is_reached(version.after)
        };
        let may_be_one_of_theirs = |path: &str| {
            let change = version.files.iter().find(|file| &*file.path == path);
            let is_source = change.is_some_and(|file| file_kind(file) == FileKind::Source);
            is_source || self.has_described && (is_runtime_input(path) || may_decide_a_build(path))
        };
        // What the sampled benchmarks of a package do not compile, its newer ones do not compile either.
        let of_others = unused
            .iter()
            .map(AsRef::as_ref)
            .filter(|path| !self.is_recorded && may_be_one_of_theirs(path));
        changed.chain(of_others).any(is_within_reach)
    }
}

/// True if commands build everything, all is known that they read, and no script of theirs is among the files that changed.
fn commands_are_settled(sample: &Sample, changed: &[String]) -> bool {
    let is_script = |path: &String| language_of(path).is_none() && notices(sample, path);
    sample.all_inputs(|record| record.compiled.are_of_a_command() && record.opened.is_complete)
        && !changed.iter().any(is_script)
}

/// True if a command read a file or looked for it, or would have seen it in a folder.
fn notices(sample: &Sample, path: &str) -> bool {
    let mut records = sample.inputs.records();
    records.any(|(_, record)| record.opened.notices_presence(path) || record.compiled.units_with(path).next().is_some())
}

/// Words that tell the benchmarks of a file from those of another version of it.
fn declared_benchmarks(path: &str, tree: &dyn FileSource) -> BTreeSet<String> {
    let declared = || Some(language_of(path)?.support().declared_benchmarks(&tree.bytes(path)?));
    declared().unwrap_or_default()
}

//! Two versions in, classified changes out.
//!
//! Files are sorted by what they can change, functions and items matched across all of them, and what differs
//! between the matched is listed. The cost is that of the changed files; functions with equal digests are not
//! looked into. Does not know what a change costs.

mod assignment;
mod bindings;
mod block_matching;
mod body_changes;
mod bound_changes;
mod bracketed_text;
pub(crate) mod build_files;
mod changed_sources;
mod compare;
mod computed_values;
mod declaration_order;
mod declarations;
mod digested_body;
mod file_roles;
#[cfg(test)]
mod fixture_tests;
mod function_changes;
mod function_matching;
mod growth_changes;
mod import_changes;
mod item_effects;
mod items;
#[cfg(test)]
mod limit_tests;
mod line_diff;
mod local_renames;
mod meanings;
mod model;
mod name_definitions;
mod parse_problems;
mod printed_names;
mod project_modules;
#[cfg(test)]
mod property_tests;
mod quiet_words;
mod raw_tokens;
mod renames;
mod resolved_words;
mod sequence_alignment;
mod similarity;
mod source_inlining;
mod statement_order;
mod text_tokens;
mod thresholds;
mod version_step;

pub use changed_sources::SourceSide;
pub use compare::match_blocks;
pub use model::*;
pub use similarity::FunctionFeatures;
pub use version_step::VersionStep;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use changed_sources::ChangedSources;
use file_roles::FileRole;
pub use file_roles::{
    is_benchmark_source, is_beside_benchmarks, is_build_input, is_runtime_input, may_be_read, may_decide_a_build,
};
pub(crate) use file_roles::{is_document, is_found_by_a_tool};
pub(crate) use item_effects::first_line_with_attributes;

use crate::languages::Language;
use crate::sources::{FileChange, FileSource};
use crate::syntax::ParseCache;

/// How functions are read that one side does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InliningMode {
    /// As they are written: calls of them came or went.
    AsWritten,
    /// Written out where they are called: what moved into them, or out of them, is the same.
    WrittenOut,
}

/// Finds the changes between two versions, given the paths that differ. The trees are asked for manifests only.
/// Whatever the order of `files`, the answer is the same; with sides swapped it is the mirror image.
#[must_use]
pub fn find_changes(
    files: &[FileChange],
    before: &dyn FileSource,
    after: &dyn FileSource,
    parser: &ParseCache,
    helpers: InliningMode,
) -> ChangeSet {
    let mut files: Vec<&FileChange> = files.iter().filter(|file| !is_same(file)).collect();
    files.sort_by(|one, two| one.path.cmp(&two.path));
    let mut set = ChangeSet::default();
    let mut sources = ChangedSources::new([before, after], parser);
    let mut builds = Vec::new();
    let mut programs = BTreeMap::new();
    for &file in &files {
        if let FileRole::Source(language) = file_roles::file_role(&file.path) {
            let support = language.support();
            let programs = (programs.entry(support.name())).or_insert_with(|| support.build_programs([after, before]));
            let folder = [after, before]
                .into_iter()
                .find_map(|tree| support.package_folder(&file.path, tree));
            let folder = folder.filter(|_| support.is_measured_code(&file.path));
            set.changes
                .extend(programs.changes((file, folder), [after, before], parser));
        }
        match file_roles::file_role(&file.path) {
            _ if let Some(why) = file_roles::no_file(file) => set.degrade(&file.path, why.to_owned()),
            FileRole::NotCode => set.changes.push(data_change(file, None)),
            FileRole::Opaque(why) => set.degrade(&file.path, why),
            FileRole::Build(reader) => builds.push((reader, file)),
            FileRole::Source(language) if language.support().is_build_script(&file.path, [after, before]) => {
                set.changes
                    .extend(build_files::build_script_changes(file, &files, parser));
                // Nobody knows then which names it sets.
                let sides = [file.before.as_ref(), file.after.as_ref()];
                if let Some(why) = sides.into_iter().find_map(|side| file_roles::blob_text(side).err()) {
                    set.degrade(&file.path, why);
                }
            }
            FileRole::Source(language) if let Some(macros) = macros_of(language, file, [before, after]) => {
                set.changes.extend(build_files::macro_changes(file, &macros, parser));
                if macros.is_empty() {
                    set.degrade(
                        &file.path,
                        "part of a procedural macro whose name is not found".to_owned(),
                    );
                }
            }
            FileRole::Source(language) if is_left_out(language, file, [before, after], parser) => {}
            FileRole::Source(language) => {
                if changes_kept_code(language, file, [before, after]) {
                    set.degrade(
                        &file.path,
                        "other checks of debug builds, which a profile keeps".to_owned(),
                    );
                }
                sources.add(file, language, &mut set);
            }
        }
    }
    build_files::list_build_changes(&builds, before, after, &mut set);
    let mut item_pairs = items::match_items(&sources);
    let placed =
        [SourceSide::Before, SourceSide::After].map(|side| function_changes::collect_functions(&sources, side));
    let renamed = item_pairs.renamed(&sources);
    let renamed_types = renamed
        .iter()
        .filter_map(|(old, new)| Some((old.last()?.clone(), new.last()?.clone())))
        .filter(|(old, new)| old != new)
        .collect();
    let matched = function_matching::match_functions(&placed[0], &placed[1], &renamed_types);
    let renames = function_changes::collect_renames(&sources, &placed, &matched, renamed);
    set.changes.extend(item_pairs.changes(&sources, &renames));
    function_changes::list_function_changes(&sources, &placed, &matched, (&renames, &item_pairs), helpers, &mut set);
    parse_problems::list_kept_problems(&sources, &placed, &matched, &mut set);
    set.declarations = declarations::changed_declarations(&sources);
    meanings::list_changed_meanings(&sources, &placed, (&matched, &item_pairs), &renames, &mut set);
    for file in sources.left_out() {
        set.degrade(file, "too costly to compare for its size".to_owned());
    }
    set.changes.sort_by(|one, two| {
        let key = |change: &SourceChange| {
            (
                change.file.clone(),
                change.line,
                change.kind,
                change.callee.as_ref().map(|callee| callee.name.clone()),
            )
        };
        key(one).cmp(&key(two))
    });
    set
}

/// The role of a changed file, by its name and content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Has a front end.
    Source,
    /// Decides how the code is built.
    Setting,
    /// Stands for something that is not in the repository.
    Unreadable,
    /// Anything else.
    Other,
}

/// The kind of a changed file.
pub(crate) fn file_kind(file: &FileChange) -> FileKind {
    match file_roles::file_role(&file.path) {
        _ if file_roles::no_file(file).is_some() => FileKind::Unreadable,
        FileRole::Source(_) => FileKind::Source,
        FileRole::Build(_) => FileKind::Setting,
        FileRole::NotCode | FileRole::Opaque(_) => FileKind::Other,
    }
}

impl SourceChange {
    /// True if only tests run what changed.
    #[must_use]
    pub fn is_test_only(&self, set: &ChangeSet) -> bool {
        match &self.subject {
            ChangeSubject::Function(pair) => set.pairs.get(*pair).is_some_and(|pair| {
                let side = pair.after.as_ref().or(pair.before.as_ref());
                side.is_some_and(|side| side.function.test_only)
            }),
            ChangeSubject::Item { test_only, .. } => *test_only,
            ChangeSubject::Dependency { .. } | ChangeSubject::Build { .. } | ChangeSubject::Data { .. } => false,
        }
    }

    /// The last segment of the changed item's name; `None` for a change that is not of an item.
    #[must_use]
    pub fn item_name(&self) -> Option<&str> {
        match &self.subject {
            ChangeSubject::Item { name, .. } => Some(crate::sample::last_segment(name)),
            ChangeSubject::Function(_)
            | ChangeSubject::Dependency { .. }
            | ChangeSubject::Build { .. }
            | ChangeSubject::Data { .. } => None,
        }
    }

    /// True for what changes nothing unless a benchmark is found that depends on it: a file beside the code, a new
    /// method, a name that is defined elsewhere now, a variable that a build script sets.
    #[must_use]
    pub fn needs_mention(&self) -> bool {
        match &self.subject {
            ChangeSubject::Data { .. } => true,
            ChangeSubject::Item { effect, presence, .. } => {
                let is_alone = *presence != ItemPresence::Kept;
                is_alone && *effect == ItemEffect::LocalRedefinition
                    || *effect == ItemEffect::Shadowing
                    || self.kind == ChangeKind::BuildSetting
            }
            ChangeSubject::Function(_) | ChangeSubject::Dependency { .. } | ChangeSubject::Build { .. } => false,
        }
    }
}

/// The change of a file that is read as a whole; without dependents, its name decides who reads it.
pub(crate) fn data_change(file: &FileChange, dependents: Option<InputDependents>) -> SourceChange {
    SourceChange {
        kind: ChangeKind::Constant,
        subject: ChangeSubject::Data {
            file: Arc::clone(&file.path),
            dependents: dependents.map(Arc::new),
        },
        file: Arc::clone(&file.path),
        line: 0,
        callee: None,
        edits: Vec::new(),
    }
}

/// The macros whose code a source is part of; `None` for a source of the program.
fn macros_of(language: Language, file: &FileChange, trees: [&dyn FileSource; 2]) -> Option<BTreeSet<String>> {
    language.support().macros_written_for_others(&file.path, trees)
}

/// True if the sides of a file differ in code that is not modelled, and that the build keeps.
fn changes_kept_code(language: Language, file: &FileChange, trees: [&dyn FileSource; 2]) -> bool {
    let texts = [&file.before, &file.after].map(|side| match file_roles::blob_text(side.as_ref()) {
        Ok(file_roles::BlobText::Text(text)) => text,
        Ok(file_roles::BlobText::Absent) | Err(_) => "",
    });
    language.support().changes_kept_code(&file.path, texts, trees)
}

/// True if no measured build has the file on any side.
fn is_left_out(language: Language, file: &FileChange, trees: [&dyn FileSource; 2], parser: &ParseCache) -> bool {
    let sides = [(&file.before, trees[0]), (&file.after, trees[1])];
    let support = language.support();
    (sides.iter()).all(|(blob, tree)| blob.is_none() || support.is_excluded_from_build(&file.path, *tree, parser))
}

fn is_same(file: &FileChange) -> bool {
    match (&file.before, &file.after) {
        (Some(before), Some(after)) => before.id == after.id && before.content == after.content,
        (None, None) => true,
        _ => false,
    }
}

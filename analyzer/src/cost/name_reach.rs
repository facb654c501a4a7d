//! A name whose value or meaning changes → the executed functions that mention it, directly or through constants, types,
//! macros and small functions, and the cost that hangs on them.
//!
//! The sources of the version before are read. A mention is a whole word.

use std::collections::BTreeSet;
use std::sync::Arc;

use profile::ProfileFunctionId;

use super::exposure::{CalleeInclusion, ExposedCost, lines_naming};
use crate::change::first_line_with_attributes;
use crate::cost::ScoringContext;
use crate::cost::scanned_files::ScannedFile;
use crate::sample::IndexedProfile;
use crate::syntax::{ItemKind, LineRange, SyntaxFunction, SyntaxItem};

/// A name that carries a value or a meaning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CarryingName {
    /// The word that is written.
    pub(super) word: String,
    /// The type that must be written in the same function: a method's.
    pub(super) owner: Option<String>,
}

impl CarryingName {
    /// A name that needs no type beside it.
    pub(super) fn free(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            owner: None,
        }
    }
}

/// Constants that are computed from constants are followed so far.
const FARTHEST: usize = 4;

/// The inclusive cost of the executed functions that a name reaches: the value may decide how often their loops run.
pub(super) fn cost_reached_by(name: CarryingName, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let mut names = BTreeSet::from([name]);
    let mut last = names.clone();
    let mut ids = Vec::new();
    for _ in 0..=FARTHEST {
        let mut more = BTreeSet::new();
        for name in &last {
            for mentions in scene
                .scanned_files()
                .files
                .iter()
                .filter_map(|file| Mentions::of(name, file))
            {
                more.extend(mentions.carriers(scene, profile));
            }
            ids.extend(functions_naming(name, scene, profile));
        }
        more.retain(|name| !names.contains(name));
        names.extend(more.iter().cloned());
        last = more;
    }
    ids.sort_unstable();
    ids.dedup();
    ExposedCost::of(&ids, profile, CalleeInclusion::All)
}

/// The executed functions that mention a name, the methods of a type of that name, what the compiler derives for it, and
/// what a macro of that name writes.
pub(super) fn functions_naming(
    name: &CarryingName,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Vec<ProfileFunctionId> {
    let mut ids: Vec<ProfileFunctionId> = (scene.scanned_files().files.iter())
        .filter_map(|file| Mentions::of(name, file))
        .flat_map(|mentions| mentions.executed_functions(scene, profile))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The lines of a file that mention a name, at least one.
struct Mentions<'n> {
    name: &'n CarryingName,
    file: &'n ScannedFile,
    word: Vec<u32>,
    owner: Vec<u32>,
}

impl<'n> Mentions<'n> {
    fn of(name: &'n CarryingName, file: &'n ScannedFile) -> Option<Self> {
        let word = lines_naming(&file.bytes, &name.word);
        (!word.is_empty()).then(|| Self {
            name,
            file,
            word,
            owner: name
                .owner
                .as_ref()
                .map_or_else(Vec::new, |owner| lines_naming(&file.bytes, owner)),
        })
    }

    /// True if some lines, with the methods' type around them, mention the name.
    fn are_in(&self, lines: LineRange, within: Option<&str>) -> bool {
        let any = |named: &[u32]| {
            named
                .get(named.partition_point(|&line| line < lines.first))
                .is_some_and(|&line| line <= lines.last)
        };
        let has_owner = self.name.owner.is_none() || self.name.owner.as_deref() == within || any(&self.owner);
        has_owner && any(&self.word)
    }

    /// An item with its attributes.
    fn with_attributes(&self, item: &SyntaxItem) -> LineRange {
        LineRange {
            first: first_line_with_attributes(&self.file.bytes, item.lines.first),
            last: item.lines.last,
        }
    }

    /// Names that get their value or meaning from the name.
    fn carriers(&self, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Vec<CarryingName> {
        let mut found = Vec::new();
        for item in &self.file.source.items {
            let carries = match &item.kind {
                ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Macro => {
                    self.are_in(self.with_attributes(item), None)
                }
                // The functions that the macro writes get what it is given.
                ItemKind::Invocation => self.are_in(item.lines, None),
                ItemKind::Import { target } => target.last() == Some(&self.name.word),
                ItemKind::Trait | ItemKind::Implementation | ItemKind::Module | ItemKind::Attribute => false,
            };
            if carries && item.name != self.name.word {
                found.push(CarryingName::free(&item.name));
            }
        }
        // A function that is not executed is computed when the program is compiled, or inlined without a trace.
        for function in &self.file.source.functions {
            let mentions = || self.are_in(function.lines, function.owner.as_deref());
            if !function.test_only && mentions() && executed(self.file, function, scene, profile).is_empty() {
                found.push(CarryingName {
                    word: function.name().to_owned(),
                    owner: function.owner.clone(),
                });
            }
        }
        found
    }

    fn executed_functions(&self, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let word = &self.name.word;
        let items = &self.file.source.items;
        // An attribute of an implementation or a trait is there for all its methods.
        let marked: Vec<LineRange> = items
            .iter()
            .filter(|item| matches!(item.kind, ItemKind::Implementation | ItemKind::Trait))
            .filter(|item| {
                let attributes = LineRange {
                    last: item.lines.first.saturating_sub(1),
                    ..self.with_attributes(item)
                };
                self.are_in(attributes, None)
            })
            .map(|item| item.lines)
            .collect();
        let mut ids = Vec::new();
        for function in &self.file.source.functions {
            let lines = function.lines;
            let is_method = function.owner.as_ref() == Some(word);
            let is_marked = || {
                marked
                    .iter()
                    .any(|marked| marked.first <= lines.first && lines.last <= marked.last)
            };
            if is_method
                || function.written_by() == Some(word)
                || is_marked()
                || self.are_in(lines, function.owner.as_deref())
            {
                ids.extend(executed(self.file, function, scene, profile));
            }
        }
        ids.extend(self.written_by_the_compiler(scene, profile));
        ids
    }

    /// Functions without a text of their own: debug information places them at the attribute that derives them, or where
    /// the macro that writes them is invoked or defined.
    fn written_by_the_compiler(&self, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let is_concerned = |item: &&SyntaxItem| match item.kind {
            ItemKind::Type { .. } | ItemKind::Macro => item.name == self.name.word,
            ItemKind::Invocation => item.name == self.name.word || self.are_in(item.lines, None),
            ItemKind::Constant
            | ItemKind::Trait
            | ItemKind::Implementation
            | ItemKind::Import { .. }
            | ItemKind::Module
            | ItemKind::Attribute => false,
        };
        let mut concerned = self.file.source.items.iter().filter(is_concerned).peekable();
        if concerned.peek().is_none() {
            return Vec::new();
        }
        let Some(sampled) = scene.sample.source(&self.file.path, scene.before.parser) else {
            return Vec::new();
        };
        concerned
            .flat_map(|item| {
                let attributes = item.lines.first - self.with_attributes(item).first;
                (sampled.items.iter())
                    .filter(|was| was.name == item.name && same_kind(&was.kind, &item.kind))
                    .map(move |was| (was.lines.first.saturating_sub(attributes), was.lines.last))
            })
            .flat_map(|(first, last)| {
                let path = &self.file.path;
                profile
                    .declared(path, first, last)
                    .chain(profile.closures(path, first, last))
            })
            .collect()
    }
}

fn same_kind(one: &ItemKind, other: &ItemKind) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// What a function and its closures became in a profile; nothing if the benchmark did not execute it.
fn executed(
    file: &ScannedFile,
    function: &Arc<SyntaxFunction>,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Vec<ProfileFunctionId> {
    let sample = (scene.sample, scene.before.parser);
    let Some(sampled) = scene.scanned_files().sampled(file, function, sample) else {
        return Vec::new();
    };
    let mut ids = sampled.ids(profile);
    ids.extend(sampled.closures(profile));
    ids
}

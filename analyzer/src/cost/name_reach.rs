//! A name whose value or meaning changes → the executed functions that mention it, directly or through constants, types,
//! macros and small functions, and the cost that hangs on them.
//!
//! The sampled version's sources are read, and only files that the benchmark executes. A mention is a whole word.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use profile::ProfileFunctionId;

use super::exposure::{CalleeInclusion, ExposedCost, lines_naming};
use crate::cost::ScoringContext;
use crate::sample::IndexedProfile;
use crate::sources::SourceContent;
use crate::syntax::{ItemKind, LineRange, SourceFile};

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
pub(super) fn cost_reached_by(name: CarryingName, files: &[ExecutedFile], profile: &IndexedProfile) -> ExposedCost {
    let mut names = BTreeSet::from([name]);
    for _ in 0..FARTHEST {
        let more: BTreeSet<CarryingName> = files
            .iter()
            .flat_map(|file| file.carriers(&names, profile))
            .filter(|name| !names.contains(name))
            .collect();
        if more.is_empty() {
            break;
        }
        names.extend(more);
    }
    let mut ids: Vec<ProfileFunctionId> = names
        .iter()
        .flat_map(|name| files.iter().flat_map(|file| file.functions_naming(name, profile)))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ExposedCost::of(&ids, profile, CalleeInclusion::All)
}

/// The files that one benchmark executes, read when the first change asks for them.
#[derive(Default)]
pub(super) struct ExecutedFiles(OnceCell<Vec<ExecutedFile>>);

impl ExecutedFiles {
    /// The files. `scene` and `profile` are the same each time.
    pub(super) fn of(&self, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> &[ExecutedFile] {
        self.0.get_or_init(|| ExecutedFile::all(scene, profile))
    }
}

/// A file that the benchmark executes, as the sampled version has it.
pub(super) struct ExecutedFile {
    path: String,
    pub(super) source: Arc<SourceFile>,
    bytes: Arc<[u8]>,
}

impl ExecutedFile {
    /// All files that a benchmark executes.
    pub(super) fn all(scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Vec<Self> {
        (profile.files()).filter_map(|path| Self::read(path, scene)).collect()
    }

    fn read(path: &str, scene: &ScoringContext<'_>) -> Option<Self> {
        let source = scene.sample.source(path, scene.before.parser)?;
        let Some(SourceContent::Bytes(bytes)) = scene.sample.tree.file(path).map(|blob| blob.content) else {
            return None;
        };
        Some(Self {
            path: path.to_owned(),
            source,
            bytes,
        })
    }

    /// Names that get their value or meaning from others.
    fn carriers(&self, names: &BTreeSet<CarryingName>, profile: &IndexedProfile) -> Vec<CarryingName> {
        let mut found = Vec::new();
        for name in names {
            let mentions = Mentions::of(name, &self.bytes);
            if mentions.is_empty() {
                continue;
            }
            for item in &self.source.items {
                let carries = matches!(item.kind, ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Macro);
                if carries && mentions.are_in(item.lines, None) {
                    found.push(CarryingName::free(&item.name));
                }
            }
            // A function that is not executed is computed when the program is compiled, or inlined without a trace.
            for function in &self.source.functions {
                let is_unseen = self.declared(function.lines, profile).next().is_none();
                if is_unseen && !function.test_only && mentions.are_in(function.lines, function.owner.as_deref()) {
                    found.push(CarryingName {
                        word: function.name().to_owned(),
                        owner: function.owner.clone(),
                    });
                }
            }
        }
        found
    }

    /// The executed functions that mention a name, and the methods of a type of that name.
    pub(super) fn functions_naming(&self, name: &CarryingName, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let mentions = Mentions::of(name, &self.bytes);
        let mut ids = Vec::new();
        for function in &self.source.functions {
            let is_method = function.owner.as_ref() == Some(&name.word);
            if is_method || mentions.are_in(function.lines, function.owner.as_deref()) {
                ids.extend(self.declared(function.lines, profile));
            }
        }
        ids
    }

    /// The executed functions and closures whose declarations stand in some lines.
    pub(super) fn declared<'p>(
        &'p self,
        lines: LineRange,
        profile: &'p IndexedProfile,
    ) -> impl Iterator<Item = ProfileFunctionId> + 'p {
        let LineRange { first, last } = lines;
        (profile.declared(&self.path, first, last)).chain(profile.closures(&self.path, first, last))
    }
}

/// The lines of a file that mention a name.
struct Mentions<'n> {
    name: &'n CarryingName,
    word: Vec<u32>,
    owner: Vec<u32>,
}

impl<'n> Mentions<'n> {
    fn of(name: &'n CarryingName, bytes: &[u8]) -> Self {
        Self {
            name,
            word: lines_naming(bytes, &name.word),
            owner: name
                .owner
                .as_ref()
                .map_or_else(Vec::new, |owner| lines_naming(bytes, owner)),
        }
    }

    fn is_empty(&self) -> bool {
        self.word.is_empty()
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
}

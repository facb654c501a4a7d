//! A name whose value or meaning changes → the executed functions that mention it, directly or through constants, types,
//! macros and small functions, and the cost that hangs on them.
//!
//! The sources of the version before are read. A mention is a whole word.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use memchr::memmem;

use profile::ProfileFunctionId;

use super::exposure::{CalleeInclusion, ExposedCost, everything, lines_naming};
use crate::change::first_line_with_attributes;
use crate::cost::ScoringContext;
use crate::cost::scanned_files::ScannedFile;
use crate::sample::{IndexedProfile, SampledFunction};
use crate::syntax::{ItemKind, LineRange, SyntaxFunction, SyntaxItem};

/// A name that carries a value or a meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CarryingName {
    /// The word that is written.
    pub(super) word: String,
    /// The type that must be written in the same function: a method's.
    pub(super) owner: Option<String>,
    /// The file that imports it for itself; `None` for a name that any file may write.
    pub(super) within: Option<Arc<str>>,
}

impl CarryingName {
    /// A name that needs no type beside it.
    pub(super) fn free(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            owner: None,
            within: None,
        }
    }

    /// A name that one file imports.
    pub(super) fn imported_by(file: &Arc<str>, word: &str) -> Self {
        Self {
            within: Some(Arc::clone(file)),
            ..Self::free(word)
        }
    }
}

/// Constants that are computed from constants are followed so far.
const FARTHEST: usize = 4;

/// A name that hands its value or meaning on to more names than this is taken to reach everything.
const MOST_NAMES: usize = 64;

/// Code that mentions a name, as the sampled version had it.
#[derive(Debug, Default)]
pub(super) struct MentioningCode {
    functions: Vec<SampledFunction>,
    /// Functions without a text of their own stand in these lines: file, first and last line.
    written: Vec<(Arc<str>, u32, u32)>,
    /// Names that get their value or meaning from the name.
    carriers: BTreeSet<CarryingName>,
}

impl MentioningCode {
    fn of(name: &CarryingName, scene: &ScoringContext<'_>) -> Self {
        let mut code = Self::default();
        let files = scene.scanned_files().files.iter().filter(|file| file.is_compiled);
        for mentions in files.filter_map(|file| Mentions::of(name, file)) {
            mentions.add_carriers(scene, &mut code);
            mentions.add_functions(scene, &mut code);
            mentions.add_written_by_the_compiler(scene, &mut code);
        }
        code.carriers.remove(name);
        code
    }

    fn ids<'p>(&'p self, profile: &'p IndexedProfile) -> impl Iterator<Item = ProfileFunctionId> + 'p {
        let declared = |(path, first, last): &'p (Arc<str>, u32, u32)| {
            let declared = profile.declared(path, *first, *last);
            declared.chain(profile.closures(path, *first, *last))
        };
        let functions = self.functions.iter();
        functions
            .flat_map(|function| function.ids(profile).into_iter().chain(function.closures(profile)))
            .chain(self.written.iter().flat_map(declared))
    }
}

/// The code that names reach, found once for all changes and benchmarks of a version.
#[derive(Default)]
pub(super) struct NameReach {
    mentioning: RefCell<HashMap<CarryingName, Rc<MentioningCode>>>,
    /// For a name, all code that it reaches; `None` for everything.
    reached: RefCell<HashMap<CarryingName, Option<ReachedCode>>>,
}

/// The code that a name reaches, directly and through others.
type ReachedCode = Rc<[Rc<MentioningCode>]>;

impl NameReach {
    fn mentioning(&self, name: &CarryingName, scene: &ScoringContext<'_>) -> Rc<MentioningCode> {
        if let Some(known) = self.mentioning.borrow().get(name) {
            return Rc::clone(known);
        }
        let code = Rc::new(MentioningCode::of(name, scene));
        self.mentioning.borrow_mut().insert(name.clone(), Rc::clone(&code));
        code
    }

    fn reached(&self, name: &CarryingName, scene: &ScoringContext<'_>) -> Option<ReachedCode> {
        if let Some(known) = self.reached.borrow().get(name) {
            return known.clone();
        }
        let found = self.follow(name, scene);
        self.reached.borrow_mut().insert(name.clone(), found.clone());
        found
    }

    fn follow(&self, name: &CarryingName, scene: &ScoringContext<'_>) -> Option<ReachedCode> {
        let mut names = BTreeSet::from([name.clone()]);
        let mut last = names.clone();
        let mut reached = Vec::new();
        for _ in 0..=FARTHEST {
            let mut more = BTreeSet::new();
            for name in &last {
                let code = self.mentioning(name, scene);
                more.extend(code.carriers.difference(&names).cloned());
                reached.push(code);
            }
            names.extend(more.iter().cloned());
            if names.len() > MOST_NAMES {
                return None;
            }
            last = more;
        }
        Some(reached.into())
    }
}

/// The inclusive cost of the executed functions that a name reaches: the value may decide how often their loops run.
pub(super) fn cost_reached_by(
    name: &CarryingName,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> ExposedCost {
    let Some(reached) = scene.names.reached(name, scene) else {
        return everything(profile);
    };
    let ids = reached.iter().flat_map(|code| code.ids(profile));
    ExposedCost::of(&distinct(ids), profile, CalleeInclusion::All)
}

/// The executed functions that mention a name, the methods of a type of that name, what the compiler derives for it, and
/// what a macro of that name writes.
pub(super) fn functions_naming(
    name: &CarryingName,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Vec<ProfileFunctionId> {
    distinct(scene.names.mentioning(name, scene).ids(profile))
}

fn distinct(ids: impl Iterator<Item = ProfileFunctionId>) -> Vec<ProfileFunctionId> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
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
        if name
            .within
            .as_ref()
            .is_some_and(|within| !takes_names_from(file, within))
        {
            return None;
        }
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

    fn add_carriers(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
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
                code.carriers.insert(CarryingName::free(&item.name));
            }
        }
        // A function that no benchmark executes is computed when the program is compiled, or inlined without a trace.
        for function in &self.file.source.functions {
            let mentions = || self.are_in(function.lines, function.owner.as_deref());
            if !function.test_only && mentions() && !is_executed(self.file, function, scene) {
                code.carriers.insert(CarryingName {
                    word: function.name().to_owned(),
                    owner: function.owner.clone(),
                    within: None,
                });
            }
        }
    }

    fn add_functions(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
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
        for function in &self.file.source.functions {
            let lines = function.lines;
            let is_method = function.owner.as_ref() == Some(word);
            let is_marked = || (marked.iter()).any(|marked| marked.first <= lines.first && lines.last <= marked.last);
            let concerns = is_method
                || function.written_by() == Some(word)
                || is_marked()
                || self.are_in(lines, function.owner.as_deref());
            if concerns {
                code.functions.extend(scene.sampled_function(self.file, function));
            }
        }
    }

    /// Functions without a text of their own: debug information places them at the attribute that derives them, or where
    /// the macro that writes them is invoked or defined.
    fn add_written_by_the_compiler(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
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
            return;
        }
        let Some(sampled) = scene.sample.source(&self.file.path, scene.before.parser) else {
            return;
        };
        for item in concerned {
            let attributes = item.lines.first - self.with_attributes(item).first;
            let was = (sampled.items.iter()).filter(|was| was.name == item.name && same_kind(&was.kind, &item.kind));
            code.written.extend(was.map(|was| {
                let first = was.lines.first.saturating_sub(attributes);
                (Arc::clone(&self.file.path), first, was.lines.last)
            }));
        }
    }
}

/// True for a file and for the modules below it that take names over from it.
fn takes_names_from(file: &ScannedFile, within: &str) -> bool {
    let (folder, name) = within.rsplit_once('/').unwrap_or(("", within));
    let modules = match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder,
        _ => within.trim_end_matches(".rs"),
    };
    let is_below = || {
        file.path
            .strip_prefix(modules)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    &*file.path == within || is_below() && memmem::find(&file.bytes, b"super::").is_some()
}

fn same_kind(one: &ItemKind, other: &ItemKind) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// True if some benchmark of the sample executes a function.
fn is_executed(file: &ScannedFile, function: &Arc<SyntaxFunction>, scene: &ScoringContext<'_>) -> bool {
    scene.sampled_function(file, function).is_some_and(|sampled| {
        let mut profiles = scene.sample.benchmarks.iter();
        profiles.any(|profile| !sampled.ids(profile).is_empty() || !sampled.closures(profile).is_empty())
    })
}

//! A name whose value or meaning changes → the executed functions that mention it, directly or through constants, types,
//! macros and small functions, and the cost that hangs on them.
//!
//! The sources of the version before are read. A mention is a whole word.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use profile::ProfileFunctionId;

use super::declared_names;
use super::exposure::{CalleeInclusion, ExposedCost, everything, has_set_up};
use super::import_scope::ImportScope;
use super::mentions::{Mentions, count_definitions};
use crate::change::LocatedFunction;
use crate::cost::ScoringContext;
use crate::cost::scanned_files::ScannedFile;
use crate::languages::language_of;
use crate::sample::{IndexedProfile, SampledFunction};
use crate::syntax::{ItemKind, LineRange, SyntaxFunction, SyntaxItem, is_called_unwritten};
use crate::text_search::{lines_naming, places_of};

/// A name that carries a value or a meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CarryingName {
    /// The word that is written.
    pub(super) word: String,
    /// The type of a method, and of a field where it is known. It must be written in the same function, or in the same
    /// file where a value's method or field is asked for: `value.word`.
    pub(super) owner: Option<String>,
    /// The file that imports it for itself, or has it for itself; `None` for a name that any file may write.
    pub(super) within: Option<Arc<str>>,
    /// What it names.
    pub(super) kind: NameKind,
}

/// What a name stands for, as far as that decides where it is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NameKind {
    /// A field: mentioned where a value is asked for it.
    Field,
    /// A macro: a path does not go on from it.
    Macro,
    /// Anything else.
    Other,
}

impl CarryingName {
    /// A name that needs no type beside it.
    pub(super) fn free(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            owner: None,
            within: None,
            kind: NameKind::Other,
        }
    }

    /// A macro.
    pub(super) fn of_macro(word: &str) -> Self {
        Self {
            kind: NameKind::Macro,
            ..Self::free(word)
        }
    }

    /// A method of a type.
    pub(super) fn method(owner: &str, word: &str) -> Self {
        Self {
            owner: Some(owner.to_owned()),
            ..Self::free(word)
        }
    }

    /// A function before the change.
    pub(super) fn of_located(function: &LocatedFunction, scene: &ScoringContext<'_>) -> Self {
        let files = &scene.scanned_files().files;
        match files.binary_search_by(|file| file.path.cmp(&function.file)) {
            Ok(at) => Self::of_function_in(&files[at], &function.function),
            Err(_) => Self::of_function(&function.function),
        }
    }

    /// A function of a file: where it says so, no other file can name it, and may have one of the same name.
    pub(super) fn of_function_in(file: &ScannedFile, function: &SyntaxFunction) -> Self {
        let support = file.language.support();
        let text = || std::str::from_utf8(file.bytes.get(file.line_starts().place(function.lines))?).ok();
        let is_local = function.owner.is_none()
            && support.is_translation_unit(&file.path)
            && text().is_some_and(|text| support.is_local(text));
        Self {
            within: is_local.then(|| Arc::clone(&file.path)),
            ..Self::of_function(function)
        }
    }

    /// A function, or a method of a type. An operator belongs to the type of its operand.
    fn of_function(function: &SyntaxFunction) -> Self {
        let of_operand = || {
            let first = function
                .parameters
                .first()
                .filter(|_| is_called_unwritten(function.name()));
            first.map(|parameter| parameter.type_name.clone())
        };
        Self {
            owner: function.owner.clone().or_else(of_operand),
            ..Self::free(function.name())
        }
    }

    /// A field that a function sets: of its own type, if it has one.
    pub(super) fn field_set_in(function: &SyntaxFunction, field: &str) -> Self {
        Self {
            owner: function.owner.clone(),
            kind: NameKind::Field,
            ..Self::free(field)
        }
    }

    /// A field of an unknown type.
    pub(super) fn field(word: &str) -> Self {
        Self {
            kind: NameKind::Field,
            ..Self::free(word)
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

/// A name that hands its value or meaning on to more names than this is taken to reach everything.
pub(super) const MOST_NAMES: usize = 64;

/// A compiled function whose call costs at most so much has no long loop that a value could decide about: it hands the value on.
pub(super) const HANDS_ON_BELOW: f64 = 100.0;

/// True for a function that hands a value on. Operations of an interpreter cost so many times as much.
fn hands_on(id: ProfileFunctionId, profile: &IndexedProfile) -> bool {
    let file = profile.profile().function(id).file;
    let language = file.and_then(|file| language_of(profile.profile().file(file)));
    let scale = language.map_or(1.0, |language| language.support().operation_scale());
    profile
        .cost_per_call(id)
        .is_none_or(|cost| cost <= HANDS_ON_BELOW * scale)
}

/// Code that mentions a name, as the sampled version had it.
#[derive(Debug, Default)]
pub(super) struct MentioningCode {
    pub(super) functions: Vec<SampledFunction>,
    /// Functions without a text of their own stand in these lines: file, first and last line.
    pub(super) written: Vec<(Arc<str>, u32, u32)>,
    /// Names that get their value or meaning from the name.
    pub(super) carriers: BTreeSet<CarryingName>,
}

impl MentioningCode {
    fn of(name: &CarryingName, scene: &ScoringContext<'_>) -> Self {
        let mut code = Self::default();
        if is_called_unwritten(&name.word) {
            // Code that calls it names the type at most.
            return (name.owner.as_ref()).map_or(code, |owner| Self::of(&CarryingName::free(owner), scene));
        }
        if !name
            .word
            .starts_with(|first: char| first.is_alphanumeric() || first == '_')
        {
            return code;
        }
        let scanned = &scene.scanned_files().files;
        let scope = name.within.as_ref().and_then(|file| ImportScope::of(file, scanned));
        let parser = scene.before.parser;
        let may_take_it = |file: &&ScannedFile| {
            let in_scope = |scope: &ImportScope<'_>| scope.holds(file, &name.word, parser);
            file.is_compiled && scope.as_ref().is_none_or(in_scope)
        };
        let files = scanned.iter().filter(may_take_it);
        let is_defined_once =
            name.owner.is_some() && name.kind == NameKind::Other && count_definitions(scanned, &name.word) <= 1;
        for mentions in files.filter_map(|file| Mentions::of(name, file, (parser, is_defined_once))) {
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
            .flat_map(|function| function.ids_with_closures(profile))
            .chain(self.written.iter().flat_map(declared))
    }
}

/// The code that names reach, found once for all changes and benchmarks of a version.
#[derive(Default)]
pub(super) struct NameReach {
    mentioning: RefCell<HashMap<CarryingName, Rc<MentioningCode>>>,
    /// For a name, all code that it reaches; `None` for everything.
    reached: RefCell<HashMap<CarryingName, Option<ReachedCode>>>,
    /// See [`NameReach::of_declaration()`].
    of_declarations: RefCell<HashMap<String, Option<Rc<[CarryingName]>>>>,
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

    /// The names that take the meaning of one over.
    pub(super) fn carriers(&self, name: &CarryingName, scene: &ScoringContext<'_>) -> BTreeSet<CarryingName> {
        self.mentioning(name, scene).carriers.clone()
    }

    /// A declared name with all names that take its meaning over; `None` for everything.
    pub(super) fn of_declaration(&self, name: &str, scene: &ScoringContext<'_>) -> Option<Rc<[CarryingName]>> {
        if let Some(known) = self.of_declarations.borrow().get(name) {
            return known.clone();
        }
        let found = declared_names::names_of_declaration(name, scene).map(Rc::from);
        let mut known = self.of_declarations.borrow_mut();
        known.insert(name.to_owned(), found.clone());
        found
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
        if !scene.scanned_files().is_complete {
            return None;
        }
        let mut names = BTreeSet::from([name.clone()]);
        let mut last = names.clone();
        let mut reached = Vec::new();
        while !last.is_empty() {
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
    cost_reached_by_value(name, Vec::new(), scene, profile)
}

/// The same for a value that some functions have got, beside those that a name reaches.
pub(super) fn cost_reached_by_value(
    name: &CarryingName,
    receivers: Vec<ProfileFunctionId>,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> ExposedCost {
    let Some(reached) = scene.names.reached(name, scene) else {
        return everything(profile);
    };
    let mut receivers = receivers;
    receivers.extend(reached.iter().flat_map(|code| code.ids(profile)));
    cost_decided_by(receivers, profile)
}

/// The same of the executed functions that write a word themselves.
pub(super) fn cost_of_readers(word: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let readers = scene.names.mentioning(&CarryingName::free(word), scene);
    cost_decided_by(readers.ids(profile).collect(), profile)
}

/// True if a name is written beside functions, constants, types and macros: in a condition of a module, or where another
/// file is put in. It may decide about any code then.
pub(super) fn is_written_between_definitions(word: &str, scene: &ScoringContext<'_>) -> bool {
    let parser = scene.before.parser;
    scene
        .scanned_files()
        .files
        .iter()
        .filter(|file| file.is_compiled && file.may_hold(word))
        .any(|file| {
            let lines = lines_naming(&file.bytes, word);
            if lines.is_empty() {
                return false;
            }
            let source = file.source(parser);
            let items = source.items.iter();
            let definitions = items
                .filter(|item| matches!(item.kind, ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Macro))
                .map(|item| item.lines);
            let around: Vec<LineRange> = definitions
                .chain(source.functions.iter().map(|function| function.lines))
                .collect();
            let is_inside = |line: u32| around.iter().any(|lines| lines.first <= line && line <= lines.last);
            lines
                .into_iter()
                .any(|line| !is_inside(line) && !file.is_line_comment(line))
        })
}

/// The files of the version before that define a type.
pub(super) fn defining_files<'s>(
    of_type: &str,
    scene: &'s ScoringContext<'_>,
) -> impl Iterator<Item = &'s ScannedFile> {
    let parser = scene.before.parser;
    scene.scanned_files().files.iter().filter(move |file| {
        let is_type = |item: &SyntaxItem| matches!(item.kind, ItemKind::Type { .. }) && item.name == of_type;
        file.may_hold(of_type)
            && places_of(&file.bytes, of_type).next().is_some()
            && file.source(parser).items.iter().any(is_type)
    })
}

/// True if a type of the project reaches nothing that the benchmark executes, by its name or through others: the benchmark
/// has no value of the type.
pub(super) fn has_no_value_of(of_type: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> bool {
    // A parameter has no values of its own.
    defining_files(of_type, scene).next().is_some()
        && (scene.names.reached(&CarryingName::free(of_type), scene))
            .is_some_and(|reached| reached.iter().all(|code| code.ids(profile).next().is_none()))
}

/// The inclusive cost of functions that get another value, and of the callers of those that compute little themselves:
/// they hand it on. It is everything where a function of the set-up gets one.
pub(super) fn cost_decided_by(receivers: Vec<ProfileFunctionId>, profile: &IndexedProfile) -> ExposedCost {
    if has_set_up(&receivers, profile) {
        return everything(profile);
    }
    let mut waiting = receivers;
    let mut found: BTreeSet<ProfileFunctionId> = waiting.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        if hands_on(id, profile) {
            let callers = profile.callers(id).map(|site| site.caller);
            waiting.extend(callers.filter(|&caller| found.insert(caller)));
        }
    }
    let found: Vec<ProfileFunctionId> = found.into_iter().collect();
    ExposedCost::of(&found, profile, CalleeInclusion::All)
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

/// True if some function mentions a name, be it executed or not.
pub(super) fn is_written(name: &CarryingName, scene: &ScoringContext<'_>) -> bool {
    !scene.names.mentioning(name, scene).functions.is_empty()
}

/// The executed functions of a file and of those that take over a name that it imports.
pub(super) fn functions_in_scope(
    (path, word): (&str, &str),
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Vec<ProfileFunctionId> {
    let parser = scene.before.parser;
    let files = &scene.scanned_files().files;
    let scope = ImportScope::of(path, files);
    let holds = |file: &&ScannedFile| match &scope {
        Some(scope) => scope.holds(file, word, parser),
        None => *file.path == *path,
    };
    let functions = files.iter().filter(holds).flat_map(|file| {
        file.source(parser)
            .functions
            .iter()
            .map(move |function| (file, function))
    });
    let sampled = functions.filter_map(|(file, function)| scene.sampled_function(file, function));
    distinct(sampled.flat_map(|function| function.ids_with_closures(profile)))
}

fn distinct(ids: impl Iterator<Item = ProfileFunctionId>) -> Vec<ProfileFunctionId> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

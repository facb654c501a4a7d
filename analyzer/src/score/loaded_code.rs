//! A source that differs in what loading it executes, and the sources that a benchmark loads → the names by which code that stays
//! as it is can tell.
//!
//! Where the difference is of names alone, code tells a name that came if it asked for it before, and one that went if it asks
//! for it after. Code that changed with them is compared by itself.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::VersionSources;
use super::loaded_modules::{ModuleNames, loads, only_bind};
use super::made_up_names::{MadeUpNames, are_from_texts};
use crate::change::TellingNames;
use crate::languages::{
    AskedNames, BoundName, ImportedClass, Language, NameHolder, language_of, module_name, submodule,
};
use crate::sample::{IdleFunctions, Sample};
use crate::sources::{Blob, FileChange, FileSource, OutsideSources, file_name, folder_of};

/// Sources that one benchmark loads and that are searched for names, at most.
const MOST_SOURCES: usize = 2_000;

/// Modules that the interpreter or tools load by themselves.
const LOADED_BY_TOOLS: [&str; 5] = ["__init__", "__main__", "conftest", "sitecustomize", "usercustomize"];

/// The sources of a language that a benchmark loads.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadedSources<'s> {
    /// All of the repository.
    pub(super) paths: BTreeSet<&'s str>,
    /// The names that the sampled version asked for as texts, if they are all known, and the data is what it was.
    pub(super) asked_names: Option<&'s BTreeSet<String>>,
}

/// One side of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VersionSide {
    Sampled,
    Before,
    After,
}

/// The sources that benchmarks load, each read once.
pub(super) struct LoadedCode<'a> {
    version: &'a VersionSources<'a>,
    sample: &'a Sample,
    outside: &'a OutsideSources,
    /// The functions that do not run, of each side.
    idle: [OnceCell<Arc<IdleFunctions>>; 3],
    names: RefCell<NamesByPath>,
}

/// The names that sources of a version ask for, by path; `None` for one that cannot be read.
type NamesByPath = BTreeMap<(VersionSide, String), Option<Rc<AskedNames>>>;

/// The names that all loaded sources of one side ask for, by path; those outside the repository have none.
pub(super) type NamesOfSources = Vec<(Option<String>, Rc<AskedNames>)>;

impl<'a> LoadedCode<'a> {
    pub(super) fn new(version: &'a VersionSources<'a>, sample: &'a Sample, outside: &'a OutsideSources) -> Self {
        Self {
            version,
            sample,
            outside,
            idle: Default::default(),
            names: RefCell::default(),
        }
    }

    /// The names by which code can tell how a source differs when it is loaded, but for what is compared by itself. `None` if it may
    /// tell in another way, or something cannot be read.
    pub(super) fn told_by(&self, file: &FileChange, loaded: &LoadedSources<'_>) -> Option<TellingNames> {
        let language = language_of(&file.path)?;
        let text = |side: &Option<Blob>| {
            let bytes = side.as_ref()?.content.bytes()?;
            String::from_utf8(bytes.to_vec()).ok()
        };
        let (before, after) = (text(&file.before)?, text(&file.after)?);
        let difference = language.support().loading_difference(&before, &after)?;
        let before = self.names_of(VersionSide::Before, language, loaded)?;
        let after = self.names_of(VersionSide::After, language, loaded)?;
        let names_of_modules = [self.version.before, self.version.after].map(|tree| ModuleNames::of(language, tree));
        let is_loaded_anyway = |module: &String| {
            let mut sides = [&before, &after].into_iter().zip(&names_of_modules);
            language.support().is_standard_module(module)
                || sides.all(|(side, modules)| loads(side, modules, (&file.path, module)))
        };
        let is_no_other_module = |(module, name): &(String, String)| {
            let taken = submodule(module, name);
            let may_be_module = |modules: &ModuleNames<'_>| modules.may_have(&file.path, &taken);
            !names_of_modules.iter().any(may_be_module) || is_loaded_anyway(&taken)
        };
        // The modules of a package that is being loaded are found in it, by whatever name.
        let is_one_module = |ways: &[String; 2]| {
            let mut sides = ways.iter().zip(&names_of_modules);
            let written: Option<Vec<_>> = sides
                .by_ref()
                .map(|(way, modules)| modules.in_own_package(&file.path, way))
                .collect();
            written.is_some_and(|ways| ways.windows(2).all(|ways| ways[0] == ways[1]))
        };
        // Of what modules of the language have, only what it is can matter.
        let others_taken: Vec<_> = (difference.retaken.iter())
            .filter(|(_, ways)| !is_one_module(ways))
            .collect();
        let is_silent_class = |class: &ImportedClass| {
            let mut sides = [&before, &after].into_iter().zip(&names_of_modules);
            sides.all(|(side, modules)| is_silent_class(&file.path, class, side, modules))
        };
        if !difference.silent_classes.iter().all(is_silent_class) {
            return None;
        }
        let mut all = before.iter().chain(&after);
        let may_tell = |(_, names): &(Option<String>, Rc<AskedNames>)| {
            names.is_dynamic
                || difference.has_other_annotations && names.reads_annotations
                || difference.has_other_members_order && names.makes_classes
        };
        if all.any(may_tell)
            || !difference.modules.iter().all(is_loaded_anyway)
            || !difference.taken.iter().all(is_no_other_module)
            || !others_taken
                .iter()
                .all(|(_, ways)| ways.iter().all(|module| language.support().is_standard_module(module)))
            || ![&before, &after]
                .iter()
                .all(|side| only_bind(side, language, (&file.path, &difference.reordered)))
        {
            return None;
        }
        let mut told = TellingNames::default();
        let made_up = self.made_up_names(language, loaded, &before);
        let who_asks = |sources: &NamesOfSources, bound: &BoundName| match made_up.may_be(bound, sources) {
            true => WhoAsks::Others,
            false => who_asks(sources, &file.path, bound),
        };
        let others_taken = || others_taken.iter().map(|(bound, _)| *bound);
        let of_before = difference.came.iter().chain(others_taken());
        let of_after = difference.went.iter().chain(others_taken());
        let asked = (of_before.map(|bound| (&before, bound))).chain(of_after.map(|bound| (&after, bound)));
        for (sources, bound) in asked {
            match who_asks(sources, bound) {
                WhoAsks::Nobody => {}
                WhoAsks::Functions => {
                    told.names.insert(bound.name.clone());
                }
                WhoAsks::Others => return None,
            }
        }
        let is_followed = |bound: &BoundName| {
            let mut sides = [&before, &after].into_iter();
            sides.all(|sources| who_asks(sources, bound) != WhoAsks::Others)
        };
        let by_value = difference.rebound.iter().chain(&difference.classes);
        if !by_value.into_iter().all(is_followed) {
            return None;
        }
        let is_of_module = |bound: &BoundName| bound.holder != NameHolder::Class;
        let mut others = (difference.came.iter())
            .chain(&difference.went)
            .chain(&difference.rebound);
        let is_listed_otherwise = difference.has_other_order || others.any(is_of_module);
        for sources in [&before, &after] {
            if is_listed_otherwise {
                told.names.extend(listing_words(sources, &file.path)?);
            }
            told.read.extend(reading_words(sources, &difference.of_definitions)?);
        }
        told.values_of = difference.classes.into_iter().map(|class| class.name).collect();
        Some(told)
    }

    /// True if the only code that sees an entry of a folder, `at`, come or go is that which looks for modules, and none of this name
    /// is asked for.
    pub(super) fn takes_no_module(&self, at: &str, language: Language, loaded: &LoadedSources<'_>) -> bool {
        let support = language.support();
        let trees = [self.version.before, self.version.after];
        let is_folder = trees.iter().all(|tree| tree.id(at).is_none());
        if !is_folder && support.may_be_module(file_name(at), false) && !is_plain_module(at, language, loaded)
            || trees.iter().any(|tree| holds_package(*tree, at))
        {
            return false;
        }
        let name = match language_of(at) == Some(language) {
            true => module_name(at),
            false => file_name(at),
        };
        let asks = |names: &AskedNames| {
            let first = |module: &String| module.trim_start_matches('.').split('.').next() == Some(name);
            let is_imported = || names.modules.iter().any(first) || names.imported.contains_key(name);
            let may_be_module = support.may_be_module(file_name(at), is_folder);
            let may_be_made_up = || names.is_dynamic || names.makes_up_names;
            names.lists_folders || names.runs_texts || may_be_module && (may_be_made_up() || is_imported())
        };
        let sides = [VersionSide::Before, VersionSide::After].map(|side| self.names_of(side, language, loaded));
        let all_of = |side: &Option<NamesOfSources>| {
            (side.as_ref()).is_some_and(|sources| !sources.is_empty() && sources.iter().all(|(_, names)| !asks(names)))
        };
        sides.iter().all(all_of)
    }

    /// True if no code writes a file's name, without its end, or lists folders, in which it would find the file.
    pub(super) fn writes_no_file(&self, name: &str, language: Language, loaded: &LoadedSources<'_>) -> bool {
        let is_silent = |(_, names): &(Option<String>, Rc<AskedNames>)| {
            !names.texts.contains(name) && !names.words_of_texts.contains(name) && !names.lists_folders
        };
        let sides = [VersionSide::Before, VersionSide::After].map(|side| self.names_of(side, language, loaded));
        (sides.iter()).all(|side| side.as_ref().is_some_and(|sources| sources.iter().all(is_silent)))
    }

    /// The names that code of the version before may make up.
    fn made_up_names<'s>(
        &self,
        language: Language,
        loaded: &LoadedSources<'s>,
        before: &NamesOfSources,
    ) -> MadeUpNames<'s> {
        let found = || {
            let recorded = loaded.asked_names?;
            let id = |side, path: &str| self.tree(side).id(path);
            let is_later = |path: &str| id(VersionSide::Sampled, path) != id(VersionSide::Before, path);
            if !loaded.paths.iter().any(|path| is_later(path)) {
                return Some(MadeUpNames::Recorded(recorded));
            }
            let sampled = self.names_of(VersionSide::Sampled, language, loaded)?;
            let of_later = |(source, _): &&(Option<String>, Rc<AskedNames>)| source.as_deref().is_some_and(is_later);
            let mut later = sampled.iter().chain(before).filter(of_later);
            let makes_up = |names: &AskedNames| names.makes_up_names || names.makes_up_members;
            // Of what functions and classes are called, other names may be made as well.
            let reads = |names: &AskedNames| {
                !names.reads_of_definitions.is_empty() || !names.loading_reads_of_definitions.is_empty()
            };
            let is_other_way = later.any(|(_, names)| makes_up(names) || reads(names))
                || before.iter().any(|(_, names)| makes_up(names) && reads(names));
            (!is_other_way && are_from_texts(recorded, &sampled)).then_some(MadeUpNames::FromTexts(recorded))
        };
        found().unwrap_or(MadeUpNames::Unknown)
    }

    fn tree(&self, side: VersionSide) -> &dyn FileSource {
        match side {
            VersionSide::Sampled => self.sample.tree.as_ref(),
            VersionSide::Before => self.version.before,
            VersionSide::After => self.version.after,
        }
    }

    /// The names of all sources of one side, and of those outside the repository; `None` if one of them is not known.
    fn names_of(&self, side: VersionSide, language: Language, loaded: &LoadedSources<'_>) -> Option<NamesOfSources> {
        let loaded = &loaded.paths;
        if loaded.len() > MOST_SOURCES {
            return None;
        }
        let tree = self.tree(side);
        let idle = self.idle[side as usize].get_or_init(|| IdleFunctions::of(self.sample, tree));
        let read = |path: Option<&str>, bytes: &[u8]| {
            let source = std::str::from_utf8(bytes).ok()?;
            let is_idle = |name: &str| path.is_some_and(|path| idle.has(path, name));
            Some(Rc::new(language.support().asked_names(source, &is_idle)?))
        };
        let mut found = Vec::new();
        for path in loaded.iter().filter(|path| tree.id(path).is_some()) {
            let mut known = self.names.borrow_mut();
            let names = known
                .entry((side, (*path).to_owned()))
                .or_insert_with(|| read(Some(path), &tree.bytes(path)?));
            found.push((Some((*path).to_owned()), names.clone()?));
        }
        for content in self.outside.as_deref()? {
            // Of which language a text outside the repository is, nobody says.
            if let Some(names) = read(None, content.bytes()?) {
                found.push((None, names));
            }
        }
        Some(found)
    }
}

/// True for a source that is loaded where a module of its name is asked for, and not for its place or its name: it stands in a folder
/// with no source that runs load, takes the place of no module of the language, and is neither a test nor one that tools look for.
fn is_plain_module(at: &str, language: Language, loaded: &LoadedSources<'_>) -> bool {
    let name = module_name(at);
    language_of(at) == Some(language)
        && !loaded.paths.iter().any(|path| folder_of(path) == folder_of(at))
        && !language.support().is_standard_module(name)
        && !LOADED_BY_TOOLS.contains(&name)
        && !name.contains("test")
}

/// True for a folder that says itself that it is a package: it may be found in place of another one.
fn holds_package(tree: &dyn FileSource, folder: &str) -> bool {
    tree.id(&format!("{folder}/__init__.py")).is_some()
}

/// True if the source at `path` takes a class from a module of the project, and no class of its name looks through those that are made
/// from it.
fn is_silent_class<'s>(
    path: &'s str,
    class: &'s ImportedClass,
    sources: &'s NamesOfSources,
    modules: &ModuleNames<'_>,
) -> bool {
    let mut seen = BTreeSet::from([(path, class)]);
    let mut open = vec![(path, class)];
    while let Some((path, class)) = open.pop() {
        let defined = |(source, names): &'s (Option<String>, Rc<AskedNames>)| {
            Some((source.as_deref()?, names.classes.get(&class.name)?))
        };
        let mut defined = sources.iter().filter_map(defined).peekable();
        if defined.peek().is_none() || !modules.may_have(path, &class.module) {
            return false;
        }
        for (source, made_from) in defined {
            let Some(made_from) = made_from else { return false };
            open.extend(
                made_from
                    .iter()
                    .map(|base| (source, base))
                    .filter(|base| seen.insert(*base)),
            );
        }
    }
    true
}

/// The code that asks for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WhoAsks {
    Nobody,
    /// Functions of the repository, and values that it takes over: they are found by the name.
    Functions,
    /// Code outside the repository, or what loading a source executes.
    Others,
}

/// Who may ask for a name that a source at `path` binds, or bound.
fn who_asks(sources: &NamesOfSources, path: &str, bound: &BoundName) -> WhoAsks {
    let modules = modules_with_names_of(sources, path);
    let reads_annotations = sources.iter().any(|(_, names)| names.reads_annotations);
    let asking = sources.iter().map(|(source, names)| {
        let is_own = source.as_deref() == Some(path);
        match asks_for(names, (&modules, is_own), bound) {
            _ if names.starts.iter().any(|start| bound.name.starts_with(start)) => WhoAsks::Others,
            _ if reads_annotations && names.of_stated_types.contains(&bound.name) => WhoAsks::Others,
            false => WhoAsks::Nobody,
            true if source.is_none() || names.loading.contains(&bound.name) => WhoAsks::Others,
            true => WhoAsks::Functions,
        }
    });
    asking.max().unwrap_or(WhoAsks::Nobody)
}

/// The last parts of the names of modules that have all names of the source at `path`: its own, and those that take them over.
fn modules_with_names_of<'s>(sources: &'s NamesOfSources, path: &'s str) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::from([module_name(path)]);
    loop {
        let taking = sources.iter().filter(|(_, names)| takes_all_of(names, &found));
        let more: Vec<&str> = (taking.filter_map(|(source, _)| source.as_deref().map(module_name)))
            .filter(|module| !found.contains(module))
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// True if a source takes over all names of a module that may be one of these.
fn takes_all_of(names: &AskedNames, modules: &BTreeSet<&str>) -> bool {
    names.takes_all_of.iter().any(|module| may_be_one_of(module, modules))
}

/// True for a module, as it is written, of which the last part is one of these, and for the package that a source is in.
fn may_be_one_of(module: &str, modules: &BTreeSet<&str>) -> bool {
    (module.rsplit('.').next()).is_some_and(|last| last.is_empty() || modules.contains(last))
}

/// True if a source with these names may ask for a name that another one binds, or it itself if it `is_own`. The modules have all names
/// of that source.
fn asks_for(names: &AskedNames, (modules, is_own): (&BTreeSet<&str>, bool), bound: &BoundName) -> bool {
    let name = &bound.name;
    let is_imported = || {
        let mut from = names.imported.get(name).into_iter().flatten();
        from.any(|module| may_be_one_of(module, modules))
    };
    let takes_all = || takes_all_of(names, modules);
    let lists_it =
        || !names.lists_own_names.is_empty() && (is_own || bound.holder == NameHolder::Exported && takes_all());
    let is_written = names.texts.contains(name) || names.attributes.contains(name);
    let is_plain = || names.plain.contains(name) || names.loading.contains(name);
    is_written
        || lists_it()
        || match bound.holder {
            NameHolder::Class => is_plain(),
            NameHolder::Module => is_own && is_plain() || is_imported(),
            NameHolder::Exported => is_plain() && (is_own || takes_all()) || is_imported(),
        }
}

/// The words by which functions list the names of the source at `path`; `None` if other code does.
fn listing_words(sources: &NamesOfSources, path: &str) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    let modules = modules_with_names_of(sources, path);
    for (source, names) in sources.iter() {
        let is_own = source.as_deref() == Some(path);
        if !is_own && !takes_all_of(names, &modules) || names.lists_own_names.is_empty() {
            continue;
        }
        if source.is_none() || !names.lists_own_names.is_disjoint(&names.loading) {
            return None;
        }
        words.extend(names.lists_own_names.iter().cloned());
    }
    Some(words)
}

/// The words of these by which functions read something of how others are written; `None` if other code does.
fn reading_words(sources: &NamesOfSources, read: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for (source, names) in sources.iter() {
        let in_functions = names.reads_of_definitions.intersection(read);
        let has_other_code = source.is_none() && in_functions.clone().next().is_some();
        if has_other_code || !names.loading_reads_of_definitions.is_disjoint(read) {
            return None;
        }
        words.extend(in_functions.cloned());
    }
    Some(words)
}

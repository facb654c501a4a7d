//! A source that differs in what loading it executes, and the sources that a benchmark loads → the names by which code that stays
//! as it is can tell.
//!
//! Where the difference is of names alone, code tells a name that came if it asked for it before, and one that went if it asks
//! for it after. Code that changed with them is compared by itself.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::{OutsideSources, VersionSources};
use crate::change::TellingNames;
use crate::languages::{AskedNames, BoundName, Language, NameHolder, language_of, module_name};
use crate::layout::ModuleLayout;
use crate::sample::{IdleFunctions, Sample};
use crate::sources::{Blob, FileChange, FileSource, file_name};

/// Sources that one benchmark loads and that are searched for names, at most.
const MOST_SOURCES: usize = 2_000;

/// The sources of a language that a benchmark loads.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadedSources<'s> {
    /// All of the repository.
    pub(super) paths: BTreeSet<&'s str>,
    /// The names that the sampled version asked for as texts, if they are all known.
    pub(super) asked_names: Option<&'s BTreeSet<String>>,
}

/// One side of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VersionSide {
    Before,
    After,
}

/// The sources that benchmarks load, each read once.
pub(super) struct LoadedCode<'a> {
    version: &'a VersionSources<'a>,
    sample: &'a Sample,
    outside: &'a OutsideSources,
    /// The functions that do not run, of each side.
    idle: [OnceCell<Arc<IdleFunctions>>; 2],
    names: RefCell<NamesByPath>,
}

/// The names that sources of both sides ask for, by path; `None` for one that cannot be read.
type NamesByPath = BTreeMap<(VersionSide, String), Option<Rc<AskedNames>>>;

/// The names that all loaded sources of one side ask for, by path; those outside the repository have none.
type NamesOfSources = Vec<(Option<String>, Rc<AskedNames>)>;

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
        // The modules of a package that is being loaded are found in it, by whatever name.
        let is_written_otherwise = |ways: &[String; 2]| {
            let mut sides = ways.iter().zip(&names_of_modules);
            let written: Option<Vec<_>> = sides
                .by_ref()
                .map(|(way, modules)| modules.in_own_package(&file.path, way))
                .collect();
            written.is_some_and(|ways| ways.windows(2).all(|ways| ways[0] == ways[1]))
        };
        let mut all = before.iter().chain(&after);
        let may_tell = |(_, names): &(Option<String>, Rc<AskedNames>)| {
            names.is_dynamic
                || difference.has_other_annotations && names.reads_annotations
                || difference.has_other_members_order && names.makes_classes
        };
        if all.any(may_tell)
            || !difference.modules.iter().all(is_loaded_anyway)
            || !difference.same_modules.iter().all(is_written_otherwise)
            || ![&before, &after]
                .iter()
                .all(|side| only_bind(side, language, (&file.path, &difference.reordered)))
        {
            return None;
        }
        let mut told = TellingNames::default();
        let who_asks = |sources: &NamesOfSources, bound: &BoundName| match may_make_up(sources, bound, loaded) {
            true => WhoAsks::Others,
            false => who_asks(sources, &file.path, bound),
        };
        for (sources, bound) in [(&before, &difference.came), (&after, &difference.went)] {
            for bound in bound {
                match who_asks(sources, bound) {
                    WhoAsks::Nobody => {}
                    WhoAsks::Functions => {
                        told.names.insert(bound.name.clone());
                    }
                    WhoAsks::Others => return None,
                }
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
        let name = file_name(at);
        let trees = [self.version.before, self.version.after];
        let is_folder = trees.iter().all(|tree| tree.id(at).is_none());
        if !is_folder && support.may_be_module(name, false) || trees.iter().any(|tree| holds_package(*tree, at)) {
            return false;
        }
        let asks = |names: &AskedNames| {
            let first = |module: &String| module.trim_start_matches('.').split('.').next() == Some(name);
            let is_imported =
                || names.modules.iter().any(first) || names.imported.iter().any(|(_, imported)| imported == name);
            let may_be_module = support.may_be_module(name, is_folder);
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

    /// The names of all sources of one side, and of those outside the repository; `None` if one of them is not known.
    fn names_of(&self, side: VersionSide, language: Language, loaded: &LoadedSources<'_>) -> Option<NamesOfSources> {
        let loaded = &loaded.paths;
        if loaded.len() > MOST_SOURCES {
            return None;
        }
        let tree = match side {
            VersionSide::Before => self.version.before,
            VersionSide::After => self.version.after,
        };
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

/// True for a folder that says itself that it is a package: it may be found in place of another one.
fn holds_package(tree: &dyn FileSource, folder: &str) -> bool {
    tree.id(&format!("{folder}/__init__.py")).is_some()
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

/// True if sources may ask for a name that they make up. Those that do ask for what they asked for in the sampled version, or
/// for a part of a text of theirs.
fn may_make_up(sources: &NamesOfSources, bound: &BoundName, loaded: &LoadedSources<'_>) -> bool {
    let mut all = sources.iter().map(|(_, names)| names);
    let is_recorded = |asked: &BTreeSet<String>| asked.contains(&bound.name);
    let is_member = bound.holder == NameHolder::Class;
    all.clone()
        .any(|names| names.makes_up_names || is_member && names.makes_up_members)
        && (loaded.asked_names.is_none_or(is_recorded) || all.any(|names| names.words_of_texts.contains(&bound.name)))
}

/// Who may ask for a name that a source at `path` binds, or bound.
fn who_asks(sources: &NamesOfSources, path: &str, bound: &BoundName) -> WhoAsks {
    let takes_all = sources.iter().any(|(_, names)| names.takes_all);
    let asking = sources.iter().map(|(source, names)| {
        let is_own = source.as_deref() == Some(path);
        match asks_for(names, (path, is_own, takes_all), bound) {
            _ if names.starts.iter().any(|start| bound.name.starts_with(start)) => WhoAsks::Others,
            false => WhoAsks::Nobody,
            true if source.is_none() || names.loading.contains(&bound.name) => WhoAsks::Others,
            true => WhoAsks::Functions,
        }
    });
    asking.max().unwrap_or(WhoAsks::Nobody)
}

/// True if a source with these names may ask for a name that the source at `path` binds, which it `is_own` or not. Some source
/// `takes_all` names of another one or none does.
fn asks_for(names: &AskedNames, (path, is_own, takes_all): (&str, bool, bool), bound: &BoundName) -> bool {
    let name = &bound.name;
    let is_imported = || {
        let from = |module: &str| names.imported.contains(&(module.to_owned(), name.clone()));
        // From the package that it is in.
        from(module_name(path)) || from("")
    };
    let lists_it =
        || !names.lists_own_names.is_empty() && (is_own || bound.holder == NameHolder::Exported && names.takes_all);
    let is_written = names.texts.contains(name) || names.attributes.contains(name);
    is_written
        || lists_it()
        || match bound.holder {
            NameHolder::Class => names.plain.contains(name),
            NameHolder::Module => is_own && names.plain.contains(name) || is_imported(),
            NameHolder::Exported => (is_own || takes_all) && names.plain.contains(name) || is_imported(),
        }
}

/// The words by which functions list the names of the source at `path`; `None` if other code does.
fn listing_words(sources: &NamesOfSources, path: &str) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for (source, names) in sources.iter() {
        let is_own = source.as_deref() == Some(path);
        if !is_own && !names.takes_all || names.lists_own_names.is_empty() {
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

/// The full names of modules, in one version.
struct ModuleNames<'t> {
    layout: Box<dyn ModuleLayout + 't>,
}

impl<'t> ModuleNames<'t> {
    fn of(language: Language, tree: &'t dyn FileSource) -> Self {
        Self {
            layout: language.support().module_layout(tree),
        }
    }

    /// The full name of a module that the source at `path` writes so; `None` for a relative one that leads out of its packages.
    fn full_name(&self, path: &str, module: &str) -> Option<Vec<String>> {
        let name = module.trim_start_matches('.');
        let segments = name.split('.').filter(|segment| !segment.is_empty()).map(str::to_owned);
        let dots = module.len() - name.len();
        if dots == 0 {
            return Some(segments.collect());
        }
        let mut full = self.layout.module_path(path);
        let is_package = module_of(path).len() + "/__init__.py".len() == path.len();
        let kept = full.len().checked_sub(dots - usize::from(is_package))?;
        full.truncate(kept);
        (!full.is_empty()).then_some(())?;
        full.extend(segments);
        Some(full)
    }

    /// The same, if it is a module of the package that the source at `path` is in: no other one takes its place.
    fn in_own_package(&self, path: &str, module: &str) -> Option<Vec<String>> {
        let own = self.layout.module_path(path);
        self.full_name(path, module).filter(|full| full.first() == own.first())
    }
}

/// True if a source of one side loads a module, as the source at `path` writes it, so that it is there whatever that one does.
fn loads(sources: &NamesOfSources, modules: &ModuleNames<'_>, (path, module): (&str, &str)) -> bool {
    let last = |module: &str| module.rsplit('.').next().map(str::to_owned);
    let asked = modules.full_name(path, module);
    let is_asked = |source: &str, other: &str| match &asked {
        Some(asked) => {
            last(other).is_some_and(|last| last.is_empty() || asked.last() == Some(&last))
                && modules.full_name(source, other).as_ref() == Some(asked)
        }
        None => module_path(path, module) == module_path(source, other),
    };
    (sources.iter()).any(|(source, names)| match source {
        Some(source) => names.modules.iter().any(|other| is_asked(source, other)),
        None => names.modules.contains(module),
    })
}

/// True if modules that the source at `path` asks for, and all that they load, do nothing but bind names when they are loaded, so that
/// their order tells nobody. The packages around `path` are being loaded in any order.
fn only_bind(sources: &NamesOfSources, language: Language, (path, modules): (&str, &BTreeSet<String>)) -> bool {
    let own: Vec<(&str, &AskedNames)> = (sources.iter())
        .filter_map(|(source, names)| Some((source.as_deref()?, &**names)))
        .collect();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<(&str, &str)> = modules.iter().map(|module| (path, module.as_str())).collect();
    while let Some((asking, module)) = open.pop() {
        if language.support().is_standard_module(module) {
            continue;
        }
        let asked = module_path(asking, module);
        let (taking, others): (Vec<_>, Vec<_>) = own.iter().partition(|(source, _)| *source == asking);
        // A name that is taken from a package may be a module of it.
        let is_taken = |source: &str| {
            let imported = taking.iter().flat_map(|(_, names)| &names.imported);
            imported.clone().any(|(_, name)| name == module_name(source))
        };
        let mut is_found = false;
        for (source, names) in others {
            let is_asked = may_be_module(&asked, module_of(source));
            is_found |= is_asked;
            let is_loaded = is_asked || is_taken(source);
            if !is_loaded || source == path || holds_path(source, path) || !reached.insert(source) {
                continue;
            }
            if !names.only_binds {
                return false;
            }
            open.extend(names.modules.iter().map(|module| (source, module.as_str())));
        }
        if !is_found {
            return false;
        }
    }
    true
}

/// The path of the module that a source is: without its end, and a package by its folder.
fn module_of(source: &str) -> &str {
    let module = source.rsplit_once('.').map_or(source, |(module, _)| module);
    module.strip_suffix("/__init__").unwrap_or(module)
}

/// True if a source is the package of a folder that holds a path.
fn holds_path(source: &str, path: &str) -> bool {
    let folder = source.strip_suffix("__init__.py");
    folder.is_some_and(|folder| path.starts_with(folder))
}

/// Where a source at `path` finds a module: a relative name is one in its folder, `a.b` is `a/b` in a folder that nobody states.
fn module_path(path: &str, module: &str) -> String {
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let mut folder = path;
    for _ in 0..dots {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    }
    match (dots > 0 && !folder.is_empty(), name.replace('.', "/")) {
        (false, name) => name,
        (true, name) if name.is_empty() => folder.to_owned(),
        (true, name) => format!("{folder}/{name}"),
    }
}

/// True for two paths that may be of one module: one is the end of the other, and more than a name.
fn may_be_module(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    long == short || short.contains('/') && long.strip_suffix(short).is_some_and(|folder| folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{ModuleNames, may_be_module, module_path};
    use crate::languages::language_of;
    use crate::layout::TestFiles;

    #[test]
    fn a_module_has_the_name_that_its_packages_give_it() {
        let packages = [
            "src/tool/__init__.py",
            "src/tool/_vendor/__init__.py",
            "src/tool/_vendor/tiny/__init__.py",
            "src/tiny/__init__.py",
        ];
        let files = TestFiles(packages.iter().map(|path| (*path, "")).collect());
        let language = language_of("a.py").unwrap();
        let modules = ModuleNames::of(language, &files);
        let name = |path: &str, module: &str| modules.full_name(path, module).map(|name| name.join("."));
        assert_eq!(name("src/tool/parse.py", "._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/parse.py", ".").unwrap(), "tool");
        assert_eq!(name("src/tool/__init__.py", "._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/_vendor/__init__.py", "..a.b").unwrap(), "tool.a.b");
        assert_eq!(name("src/tool/parse.py", "tool._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/parse.py", "...types"), None);
        assert_eq!(name("plain/parse.py", ".types"), None);
        let is_one = |path: &str, one: &str, other: &str| {
            let one = modules.in_own_package(path, one);
            one.is_some() && one == modules.in_own_package(path, other)
        };
        assert!(is_one("src/tool/parse.py", "._types", "tool._types"));
        assert!(!is_one("src/tool/parse.py", "._vendor.tiny.core", "tiny.core"));
        assert!(!is_one("src/tool/parse.py", "tiny.core", "tiny.core"));
        assert!(!is_one("plain/parse.py", ".types", "plain.types"));
    }

    #[test]
    fn a_path_may_be_of_a_module_by_its_end() {
        let at = "src/tool/parse.py";
        let is_same = |one: &str, other: &str| may_be_module(&module_path(at, one), &module_path(at, other));
        assert!(is_same("._types", "tool._types"));
        assert!(is_same("..other.types", "other.types"));
        assert!(is_same("re", "re"));
        assert!(!is_same(".types", "types"));
        assert!(!is_same("._types", "tool.more_types"));
        assert!(!is_same("._types", "ol._types"));
        assert_eq!(module_path(at, "."), "src/tool");
        assert_eq!(module_path("parse.py", ".types"), "types");
    }
}

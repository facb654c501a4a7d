//! A source that differs in what loading it executes, and the sources that a benchmark loads → whether code that stays as it is can
//! feel the difference.
//!
//! It cannot if the difference is of names alone, and no code that was there asks for a name that came, or asks on for one that
//! went. Code that changed with them is compared by itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::input_evidence::file_name;
use super::{OutsideSources, VersionSources};
use crate::languages::{AskedNames, BoundName, Language, NameHolder, language_of};
use crate::sources::{Blob, FileChange, FileSource};

/// Sources that one benchmark loads and that are searched for names, at most.
const MOST_SOURCES: usize = 2_000;

/// One side of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VersionSide {
    Before,
    After,
}

/// The sources that benchmarks load, each read once.
pub(super) struct LoadedCode<'a> {
    version: &'a VersionSources<'a>,
    outside: &'a OutsideSources,
    names: RefCell<NamesByPath>,
}

/// The names that sources of both sides ask for, by path; `None` for one that cannot be read.
type NamesByPath = BTreeMap<(VersionSide, String), Option<Rc<AskedNames>>>;

/// The names that all loaded sources of one side ask for, by path; those outside the repository have none.
type NamesOfSources = Vec<(Option<String>, Rc<AskedNames>)>;

impl<'a> LoadedCode<'a> {
    pub(super) fn new(version: &'a VersionSources<'a>, outside: &'a OutsideSources) -> Self {
        Self {
            version,
            outside,
            names: RefCell::default(),
        }
    }

    /// True if no code but what is compared by itself can feel how a source differs when it is loaded. `loaded` are all sources
    /// of the repository that the program loads.
    pub(super) fn is_unfelt(&self, file: &FileChange, loaded: &BTreeSet<&str>) -> bool {
        self.difference_is_unfelt(file, loaded).unwrap_or(false)
    }

    /// The same; `None` if something cannot be read.
    fn difference_is_unfelt(&self, file: &FileChange, loaded: &BTreeSet<&str>) -> Option<bool> {
        let language = language_of(&file.path)?;
        let text = |side: &Option<Blob>| {
            let bytes = side.as_ref()?.content.bytes()?;
            String::from_utf8(bytes.to_vec()).ok()
        };
        let (before, after) = (text(&file.before)?, text(&file.after)?);
        let difference = language.support().loading_difference(&before, &after)?;
        let before = self.names_of(VersionSide::Before, language, loaded)?;
        let after = self.names_of(VersionSide::After, language, loaded)?;
        let mut all = before.iter().chain(&after);
        if all.any(|(_, names)| names.is_dynamic || difference.has_other_annotations && names.reads_annotations) {
            return Some(false);
        }
        let is_asked = |names: &NamesOfSources, bound: &BTreeSet<BoundName>| {
            bound.iter().any(|bound| asks_for(names, &file.path, bound))
        };
        let is_loaded_anyway = |module: &String| {
            language.support().is_standard_module(module)
                || [&before, &after].iter().all(|side| loads(side, &file.path, module))
        };
        Some(
            !is_asked(&before, &difference.came)
                && !is_asked(&after, &difference.went)
                && difference.modules.iter().all(is_loaded_anyway),
        )
    }

    /// True if the only code that sees an entry of a folder, `at`, come or go is that which looks for modules, and none of this name
    /// is asked for.
    pub(super) fn takes_no_module(&self, at: &str, language: Language, loaded: &BTreeSet<&str>) -> bool {
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
            names.is_dynamic || names.lists_folders || support.may_be_module(name, is_folder) && is_imported()
        };
        let sides = [VersionSide::Before, VersionSide::After].map(|side| self.names_of(side, language, loaded));
        let all_of = |side: &Option<NamesOfSources>| {
            (side.as_ref()).is_some_and(|sources| !sources.is_empty() && sources.iter().all(|(_, names)| !asks(names)))
        };
        sides.iter().all(all_of)
    }

    /// The names of all sources of one side, and of those outside the repository; `None` if one of them is not known.
    fn names_of(&self, side: VersionSide, language: Language, loaded: &BTreeSet<&str>) -> Option<NamesOfSources> {
        if loaded.len() > MOST_SOURCES {
            return None;
        }
        let tree = match side {
            VersionSide::Before => self.version.before,
            VersionSide::After => self.version.after,
        };
        let read = |bytes: &[u8]| {
            Some(Rc::new(
                language.support().asked_names(std::str::from_utf8(bytes).ok()?)?,
            ))
        };
        let mut found = Vec::new();
        for path in loaded.iter().filter(|path| tree.id(path).is_some()) {
            let mut known = self.names.borrow_mut();
            let names = known
                .entry((side, (*path).to_owned()))
                .or_insert_with(|| read(&tree.bytes(path)?));
            found.push((Some((*path).to_owned()), names.clone()?));
        }
        for content in self.outside.as_deref()? {
            // Of which language a text outside the repository is, nobody says.
            if let Some(names) = read(content.bytes()?) {
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

/// True if a source may ask for a name that a source at `path` binds, or bound.
fn asks_for(sources: &NamesOfSources, path: &str, bound: &BoundName) -> bool {
    let name = &bound.name;
    let takes_all = || sources.iter().any(|(_, names)| names.takes_all);
    let module = module_name(path);
    sources.iter().any(|(source, names)| {
        let is_written = names.texts.contains(name) || names.attributes.contains(name);
        let is_own = source.as_deref() == Some(path);
        let is_imported = || {
            let from = |module: &str| names.imported.contains(&(module.to_owned(), name.clone()));
            // From the package that it is in.
            from(module) || from("")
        };
        let lists_it = || names.lists_own_names && (is_own || bound.holder == NameHolder::Exported && names.takes_all);
        is_written
            || lists_it()
            || match bound.holder {
                NameHolder::Class => names.plain.contains(name),
                NameHolder::Module => is_own && names.plain.contains(name) || is_imported(),
                NameHolder::Exported => (is_own || takes_all()) && names.plain.contains(name) || is_imported(),
            }
    })
}

/// True if a source of one side loads a module, so that it is there whatever the source at `path` does. A relative name is one only
/// for sources of the same folder.
fn loads(sources: &NamesOfSources, path: &str, module: &str) -> bool {
    let folder = |path: &str| path.len() - file_name(path).len();
    let is_beside = |source: &str| path[..folder(path)] == source[..folder(source)];
    (sources.iter())
        .filter(|(source, _)| !module.starts_with('.') || source.as_deref().is_some_and(is_beside))
        .any(|(_, names)| names.modules.contains(module))
}

/// The last part of the name of a module.
fn module_name(path: &str) -> &str {
    let file = file_name(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match stem {
        // It is the folder's.
        "__init__" => path.rsplit('/').nth(1).unwrap_or(stem),
        _ => stem,
    }
}

//! A source that differs in what loading it executes, and the sources that a benchmark loads → the names by which code that stays
//! as it is can tell.

mod made_up_names;
mod modules;
mod side;
mod telling_names;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::VersionSources;
use crate::change::TellingNames;
use crate::languages::{AskedNames, Language, LoadingDifference, language_of, module_name};
use crate::sample::{IdleFunctions, Sample};
use crate::sources::{Blob, FileChange, FileSource, OutsideSources, SourceContent, file_name, folder_of};

use made_up_names::{MadeUpNames, are_from_texts};
use side::{LoadedSide, NamesOfSources};
use telling_names::{may_be_told_otherwise, telling_names};

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
    /// The names that sources outside the repository ask for, by language; `None` if they are not known.
    names_outside: RefCell<Vec<(Language, Option<NamesOfSources>)>>,
    /// The changed sources, by path.
    compared: RefCell<BTreeMap<Arc<str>, Rc<LoadingComparison>>>,
}

/// How loading a source differs in a version.
enum LoadingComparison {
    /// Not at all.
    Same,
    /// In statements that bind names, or state types.
    Names(Box<LoadingDifference>),
    /// In any way.
    Unknown,
}

impl<'a> LoadedCode<'a> {
    pub(super) fn new(version: &'a VersionSources<'a>, sample: &'a Sample, outside: &'a OutsideSources) -> Self {
        Self {
            version,
            sample,
            outside,
            idle: Default::default(),
            names_outside: RefCell::default(),
            compared: RefCell::default(),
        }
    }

    /// True if loading a changed source executes the same as before.
    pub(super) fn is_loaded_alike(&self, file: &FileChange) -> bool {
        matches!(&*self.compared(file), LoadingComparison::Same)
    }

    fn compared(&self, file: &FileChange) -> Rc<LoadingComparison> {
        let mut known = self.compared.borrow_mut();
        let compared = known.entry(Arc::clone(&file.path));
        Rc::clone(compared.or_insert_with(|| Rc::new(compare_loading(file).unwrap_or(LoadingComparison::Unknown))))
    }

    /// The names by which code can tell how a source differs when it is loaded, but for what is compared by itself. `None` if it may
    /// tell in another way, or something cannot be read.
    pub(super) fn told_by(&self, file: &FileChange, loaded: &LoadedSources<'_>) -> Option<TellingNames> {
        let language = language_of(&file.path)?;
        let comparison = self.compared(file);
        let LoadingComparison::Names(difference) = &*comparison else {
            return None;
        };
        let before = self.names_of(VersionSide::Before, language, loaded)?;
        let after = self.names_of(VersionSide::After, language, loaded)?;
        let sides = [(&before, self.version.before), (&after, self.version.after)]
            .map(|(names, tree)| LoadedSide::new(&file.path, language, names, tree));
        if may_be_told_otherwise(difference, &sides) {
            return None;
        }
        let made_up = self.made_up_names(language, loaded, &before);
        telling_names(difference, &sides, &made_up)
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
        let is_silent = |(_, names): &(Option<String>, Arc<AskedNames>)| {
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
            let of_later = |(source, _): &&(Option<String>, Arc<AskedNames>)| source.as_deref().is_some_and(is_later);
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
        let mut found = self.names_outside(language)?;
        for path in loaded.iter().filter(|path| tree.id(path).is_some()) {
            let names = self.sample.asked_names((path, tree), language, idle)?;
            found.push((Some((*path).to_owned()), names));
        }
        Some(found)
    }

    /// The names of all sources outside the repository.
    fn names_outside(&self, language: Language) -> Option<NamesOfSources> {
        let mut known = self.names_outside.borrow_mut();
        if let Some((_, found)) = known.iter().find(|(of, _)| *of == language) {
            return found.clone();
        }
        let names = |content: &SourceContent| {
            let source = std::str::from_utf8(content.bytes()?).ok()?;
            language.support().asked_names(source, &|_| false).map(Arc::new)
        };
        let found = (self.outside.as_deref()).and_then(|outside| {
            outside.iter().all(|content| content.bytes().is_some()).then(|| {
                // Of which language a text outside the repository is, nobody says.
                outside.iter().filter_map(names).map(|names| (None, names)).collect()
            })
        });
        known.push((language, found.clone()));
        found
    }
}

fn compare_loading(file: &FileChange) -> Option<LoadingComparison> {
    let support = language_of(&file.path)?.support();
    let text = |side: &Option<Blob>| String::from_utf8(side.as_ref()?.content.bytes()?.to_vec()).ok();
    let (before, after) = (text(&file.before)?, text(&file.after)?);
    if support.loading_code(&before)? == support.loading_code(&after)? {
        return Some(LoadingComparison::Same);
    }
    Some(LoadingComparison::Names(Box::new(
        support.loading_difference(&before, &after)?,
    )))
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

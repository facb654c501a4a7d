//! A sample with recorded macros and a version → the macros that are known wherever the sources of both are read.
//!
//! The compilers said which macros they know without the files of the repository. A file of the repository may define more: any
//! other file knows them only behind a line that includes that file, for the order in which a unit reads its files is not followed.
//! A name that no file defines, neither of the sample nor of the version, is not defined. All of this is the same for both sides
//! of a version, so that a source which did not change reads the same on both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use profile::inputs::{CompilerMacros, UnitKind};

use super::Sample;
use super::included_macros::macros_behind_includes;
use crate::build_scripts::is_another_script;
use crate::change::is_document;
use crate::languages::{DirectiveRole, KnownMacros, MacroAtStart, PreprocessorUse, language_of, languages};
use crate::sources::{ContentId, FileSource, file_name};
use crate::syntax::lru_cache::LruCache;
use crate::text_search::words_in;

/// The settings of lito say how a benchmark is built.
const OWN_SETTINGS: &str = "lito.toml";

/// Of a version with more sources in one build, no macros are looked up.
const MOST_FILES: usize = 5_000;

/// The directives of sources by content, shared by the versions that are scored on a sample.
pub(super) type KnownUses = Mutex<LruCache<ContentId, Arc<PreprocessorUse>>>;

/// Bytes of sources whose directives are kept, which are about a tenth of them.
pub(super) const KEPT_USES: usize = 256 << 20;

/// The macros that are known where sources of a version begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MacroKnowledge {
    /// The files that units may be made of.
    files: BTreeSet<Arc<str>>,
    /// Those of the compilers.
    predefined: BTreeMap<String, MacroAtStart>,
    /// Those that nobody knows anywhere.
    unsettled: BTreeSet<String>,
    /// Of the names that conditions ask for, those that files define, with the file if there is only one.
    defined_in: BTreeMap<String, Option<Arc<str>>>,
    /// Those of these files that no unit reads twice.
    read_once: BTreeSet<Arc<str>>,
    /// The names that headers may define which were not read when the macros were recorded.
    others: NewerNames,
    /// The files that units were made of and whose names, without their folders, no other file of the version has.
    named: BTreeMap<String, Arc<str>>,
    /// The macros that are known behind a line which includes a file, the same on all sides.
    behind: BTreeMap<Arc<str>, BTreeMap<String, MacroAtStart>>,
}

/// The names that may be defined by now, though nothing recorded and no file of the build defines them.
#[derive(Debug, PartialEq, Eq)]
enum NewerNames {
    /// There are none: every header was read then.
    Nothing,
    /// Those of compilers and systems, which never begin as these.
    OfSystems(BTreeSet<String>),
    /// Any.
    Any,
}

/// So many names with a beginning of their own are those of a project.
const FEWEST_OWN_NAMES: usize = 5;

/// A shorter beginning is no project's own.
const SHORTEST_PREFIX: usize = 2;

impl MacroKnowledge {
    /// What is known of a version; `None` if nothing was recorded, or if the build may begin with other macros by now.
    pub(super) fn of(sample: &Sample, sides: [&dyn FileSource; 2]) -> Option<Self> {
        let recorded = recorded_macros(sample)?;
        if has_other_build(sample, sides) {
            return None;
        }
        let units = UnitFiles::of(sample, &recorded.files, sides)?;
        let mut asked: BTreeSet<&str> = units
            .all()
            .flat_map(|(_, file)| &file.asks)
            .map(String::as_str)
            .collect();
        asked.extend(recorded.predefined.values().flat_map(words_of_macro));
        let defined_in = units.definitions_of(&asked);
        let kept = units.all().flat_map(|(_, file)| &file.keeps).cloned();
        let definers: BTreeSet<&Arc<str>> = defined_in.values().flatten().collect();
        let read_once = definers.into_iter().filter(|path| units.read_once(path));
        let files = units.all().map(|(path, _)| path).filter(|path| has_preprocessor(path));
        let mut known = Self {
            files: files.cloned().collect(),
            read_once: read_once.cloned().collect(),
            named: units.only_files(),
            behind: BTreeMap::new(),
            predefined: recorded.predefined,
            unsettled: recorded.unsettled.into_iter().chain(kept).collect(),
            others: units.newer_names(),
            defined_in,
        };
        let [before, after] = sides;
        known.behind = macros_behind_includes(&known, [sample.tree.as_ref(), before, after]);
        Some(known)
    }

    /// The files that units may be made of.
    pub(super) fn files(&self) -> impl Iterator<Item = &Arc<str>> {
        self.files.iter()
    }

    /// The file that a header's name leads to, if only one may be meant.
    pub(super) fn file_of(&self, header: &str) -> Option<&Arc<str>> {
        let written = header
            .trim_matches(['"', '<', '>'])
            .trim_start_matches("./")
            .trim_start_matches("../");
        let path = self.named.get(file_name(written))?;
        let is_below = || path.strip_suffix(written).is_some_and(|folder| folder.ends_with('/'));
        let may_be_another = header.starts_with('<') && is_of_a_system(header);
        (!may_be_another && (**path == *written || is_below())).then_some(path)
    }

    /// True for a name that a file's last line leaves as it is for all that follows: one file alone defines it, and no unit
    /// reads that file twice.
    pub(super) fn is_settled_behind(&self, name: &str, path: &str) -> bool {
        let only = self.defined_in.get(name).and_then(Option::as_ref);
        only.is_some_and(|only| **only != *path || self.read_once.contains(only)) && !self.unsettled.contains(name)
    }

    /// The macros where a file begins; `None` for one that no unit is made of.
    pub(super) fn in_file<'k>(&'k self, path: &'k str) -> Option<MacrosInFile<'k>> {
        self.files.contains(path).then_some(MacrosInFile { known: self, path })
    }

    /// A name that no file of the repository has defined yet.
    fn outside(&self, name: &str) -> MacroAtStart {
        match self.predefined.get(name) {
            Some(known) => known.clone(),
            None if self.others.may_be(name) => MacroAtStart::Unsettled,
            None => MacroAtStart::Undefined,
        }
    }
}

impl NewerNames {
    fn may_be(&self, name: &str) -> bool {
        let is_of_a_header = || !languages().any(|language| language.support().is_of_compilers(name));
        match self {
            Self::Nothing => false,
            Self::OfSystems(own) => prefix(name).is_none_or(|prefix| !own.contains(prefix)) && is_of_a_header(),
            Self::Any => is_of_a_header(),
        }
    }
}

/// The beginning of a name by which a project tells its own from those of others, `A` of `A_B`.
fn prefix(name: &str) -> Option<&str> {
    let (prefix, _) = name.split_once('_')?;
    (prefix.len() >= SHORTEST_PREFIX).then_some(prefix)
}

/// A file with its directives.
type UnitFile = (Arc<str>, Arc<PreprocessorUse>);

/// The files that the units of a build are made of, of the sample and of both sides of a version.
struct UnitFiles {
    at_sample: Vec<UnitFile>,
    later: Vec<UnitFile>,
    /// The files of the version by their names, without their folders.
    by_name: BTreeMap<String, BTreeSet<Arc<str>>>,
}

impl UnitFiles {
    /// `None` if one of the files cannot be read, or does not say which header it includes, or if there are too many.
    fn of(sample: &Sample, recorded: &BTreeSet<String>, sides: [&dyn FileSource; 2]) -> Option<Self> {
        let at_sample = recorded.iter().map(|path| {
            let of_file = use_of(sample, sample.tree.as_ref(), path)?;
            Some((Arc::from(path.as_str()), of_file))
        });
        let at_sample: Vec<UnitFile> = at_sample.collect::<Option<_>>()?;
        let listed = sides.map(FileSource::all_files);
        let mut by_name: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        for file in listed.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten() {
            let of_name = by_name.entry(file_name(&file.path).to_owned()).or_default();
            of_name.insert(file.path);
        }
        let mut later = Vec::new();
        for side in sides {
            let mut waiting: Vec<Arc<str>> = at_sample.iter().map(|(path, _)| Arc::clone(path)).collect();
            waiting.extend(missed(sample));
            let mut seen: BTreeSet<Arc<str>> = waiting.iter().cloned().collect();
            while let Some(path) = waiting.pop() {
                if side.id(&path).is_none() {
                    continue;
                }
                let of_file = use_of(sample, side, &path)?;
                for include in of_file.may_include() {
                    // Wherever a header of that name lies.
                    let named = by_name.get(header_name(include)).into_iter().flatten();
                    waiting.extend(named.filter(|&path| seen.insert(Arc::clone(path))).cloned());
                }
                later.push((path, of_file));
            }
        }
        let files = Self {
            at_sample,
            later,
            by_name,
        };
        (files.later.len() <= 2 * MOST_FILES && files.name_their_headers()).then_some(files)
    }

    /// The files of the sample that are the only ones of their names.
    fn only_files(&self) -> BTreeMap<String, Arc<str>> {
        let only = |(path, _): &UnitFile| {
            let name = file_name(path);
            let is_only = self
                .by_name
                .get(name)
                .is_some_and(|paths| paths.len() == 1 && paths.contains(path));
            is_only.then(|| (name.to_owned(), Arc::clone(path)))
        };
        self.at_sample.iter().filter_map(only).collect()
    }

    /// True if each macro that names a header is defined as one, in these files.
    fn name_their_headers(&self) -> bool {
        let is_named = |name: &String| {
            let mut defining = self.all().filter(|(_, file)| file.defines.contains(name)).peekable();
            defining.peek().is_some() && defining.all(|(_, file)| file.named_headers.contains_key(name))
        };
        self.all().flat_map(|(_, file)| &file.included_by_name).all(is_named)
    }

    fn all(&self) -> impl Iterator<Item = &UnitFile> + Clone {
        self.at_sample.iter().chain(&self.later)
    }

    /// The files that define some names: the only one, if there is only one.
    fn definitions_of(&self, names: &BTreeSet<&str>) -> BTreeMap<String, Option<Arc<str>>> {
        let mut defined_in: BTreeMap<String, Option<Arc<str>>> = BTreeMap::new();
        for (path, file) in self.all() {
            for name in file.defines.iter().filter(|name| names.contains(name.as_str())) {
                let known = defined_in.entry(name.clone()).or_insert_with(|| Some(Arc::clone(path)));
                if known.as_ref() != Some(path) {
                    *known = None;
                }
            }
        }
        defined_in
    }

    /// True if no unit reads a file twice.
    fn read_once(&self, path: &Arc<str>) -> bool {
        let is_unit = language_of(path).is_some_and(|language| language.support().is_translation_unit(path));
        let mut includes = self.all().flat_map(|(_, file)| file.may_include());
        let mut is_included = || includes.any(|include| header_name(include) == file_name(path));
        let mut of_path = self.all().filter(|(other, _)| other == path);
        of_path.all(|(_, file)| file.is_read_once) || is_unit && !is_included()
    }

    /// The names that headers from outside may define which the version includes and the sample did not.
    fn newer_names(&self) -> NewerNames {
        let named: BTreeSet<&String> = self.all().flat_map(|(_, file)| &file.included_by_name).collect();
        let outside = |files: &'_ [UnitFile]| -> BTreeSet<String> {
            let by_name = files.iter().flat_map(|(_, file)| &file.named_headers);
            let by_name = by_name
                .filter(|(name, _)| named.contains(name))
                .flat_map(|(_, headers)| headers);
            let includes = files.iter().flat_map(|(_, file)| &file.includes).chain(by_name);
            let is_outside = |include: &&String| !self.by_name.contains_key(header_name(include));
            includes.filter(is_outside).cloned().collect()
        };
        let (later, then) = (outside(&self.later), outside(&self.at_sample));
        let mut newer = later.difference(&then).peekable();
        if newer.peek().is_none() {
            return NewerNames::Nothing;
        }
        match newer.all(|header| is_of_a_system(header)) {
            true => NewerNames::OfSystems(self.own_prefixes()),
            false => NewerNames::Any,
        }
    }

    /// The beginnings that many names have which these files define.
    fn own_prefixes(&self) -> BTreeSet<String> {
        let names: BTreeSet<&String> = self.all().flat_map(|(_, file)| &file.defines).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for prefix in names.into_iter().filter_map(|name| prefix(name)) {
            *counts.entry(prefix).or_default() += 1;
        }
        let own = counts.into_iter().filter(|(_, count)| *count >= FEWEST_OWN_NAMES);
        own.map(|(prefix, _)| prefix.to_owned()).collect()
    }
}

/// The macros where one file begins.
pub(super) struct MacrosInFile<'k> {
    known: &'k MacroKnowledge,
    path: &'k str,
}

impl KnownMacros for MacrosInFile<'_> {
    fn at_start(&self, name: &str) -> MacroAtStart {
        if self.known.unsettled.contains(name) {
            return MacroAtStart::Unsettled;
        }
        match self.known.defined_in.get(name) {
            None => self.known.outside(name),
            Some(Some(path)) if **path == *self.path => match self.known.read_once.contains(path) {
                true => self.known.outside(name),
                false => MacroAtStart::Unknown,
            },
            Some(_) => MacroAtStart::Unsettled,
        }
    }

    fn behind_include(&self, header: &str) -> BTreeMap<String, MacroAtStart> {
        let behind = self.known.file_of(header).and_then(|path| self.known.behind.get(path));
        behind.cloned().unwrap_or_default()
    }
}

/// The macros that were recorded of all benchmarks.
struct RecordedMacros {
    predefined: BTreeMap<String, MacroAtStart>,
    unsettled: BTreeSet<String>,
    files: BTreeSet<String>,
}

/// The macros of all benchmarks together; `None` if those of one are not known.
fn recorded_macros(sample: &Sample) -> Option<RecordedMacros> {
    if !sample.all_inputs(|record| record.macros.is_some()) {
        return None;
    }
    let records = sample.inputs.records().filter_map(|(_, record)| record.macros.as_ref());
    let all: Vec<&CompilerMacros> = records.collect();
    let (first, others) = all.split_first()?;
    let bare = |name: &str| name.split('(').next().unwrap_or(name).to_owned();
    let mut unsettled: BTreeSet<String> = all
        .iter()
        .flat_map(|macros| &macros.unsettled)
        .map(|name| bare(name))
        .collect();
    for other in others {
        let differs = |(name, text): &(&String, &String)| {
            [first, other]
                .iter()
                .any(|side| side.predefined.get(*name) != Some(*text))
        };
        let both = first.predefined.iter().chain(&other.predefined);
        unsettled.extend(both.filter(differs).map(|(name, _)| bare(name)));
    }
    let predefined = first.predefined.iter().filter_map(|(name, text)| {
        let known = match name.find('(') {
            Some(parameters) => MacroAtStart::WithParameters(format!("{} {text}", &name[parameters..])),
            None => MacroAtStart::Text(text.clone()),
        };
        Some((bare(name), known)).filter(|(name, _)| !unsettled.contains(name))
    });
    Some(RecordedMacros {
        predefined: predefined.collect(),
        files: all.iter().flat_map(|macros| &macros.files).cloned().collect(),
        unsettled,
    })
}

/// True if something that decides with which macros units begin is not as it was at the sample: a script of the build, what it
/// looked for in vain, or the settings of lito.
fn has_other_build(sample: &Sample, sides: [&dyn FileSource; 2]) -> bool {
    let decides_otherwise = |path: &str| {
        sides
            .iter()
            .any(|side| is_another_script(path, sample.tree.as_ref(), *side))
    };
    let is_another = |path: &str| {
        let then = sample.tree.id(path);
        sides.iter().any(|side| side.id(path) != then)
    };
    let mut commands = sample.inputs.units().filter(|unit| unit.kind.is_of_a_command());
    is_another(OWN_SETTINGS)
        || commands.any(|unit| {
            let seen = unit.files.iter().chain(&unit.watched);
            seen.filter(|path| !has_preprocessor(path))
                .filter(|path| unit.kind != UnitKind::LookedAt || !is_document(path))
                .any(|path| decides_otherwise(path))
        })
}

fn words_of_macro(known: &MacroAtStart) -> impl Iterator<Item = &str> {
    let text = match known {
        MacroAtStart::Text(text) | MacroAtStart::WithParameters(text) => text.as_str(),
        MacroAtStart::Undefined | MacroAtStart::Unknown | MacroAtStart::Unsettled => "",
    };
    words_in(text)
}

/// True for a source that a preprocessor reads first.
fn has_preprocessor(path: &str) -> bool {
    language_of(path).is_some_and(|language| language.support().preprocessor_use("").is_some())
}

/// The directives of a file of a tree, found once for each content; `None` if it cannot be read.
fn use_of(sample: &Sample, tree: &dyn FileSource, path: &str) -> Option<Arc<PreprocessorUse>> {
    let id = tree.id(path)?;
    let known = || sample.directives.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known().find(&id) {
        return Some(known);
    }
    let bytes = tree.bytes(path)?;
    let source = std::str::from_utf8(&bytes).ok()?;
    let found = match language_of(path) {
        Some(language) => language.support().preprocessor_use(source),
        None => languages().find_map(|language| language.support().preprocessor_use(source)),
    };
    let found = Arc::new(found?);
    known().insert(id, Arc::clone(&found), source.len());
    Some(found)
}

/// The sources that the commands of a build looked for in vain: a version that has them reads them.
fn missed(sample: &Sample) -> impl Iterator<Item = Arc<str>> {
    let commands = sample.inputs.units().filter(|unit| unit.kind.is_of_a_command());
    let watched = commands.flat_map(|unit| &unit.watched);
    watched
        .filter(|path| has_preprocessor(path))
        .map(|path| Arc::from(path.as_str()))
}

/// True for a header of a compiler or a system, as it is included.
fn is_of_a_system(header: &str) -> bool {
    let directive = format!("#include {header}");
    let is_known = |role| matches!(role, DirectiveRole::Includes { is_known: true });
    languages().any(|language| is_known(language.support().role_of_directive(&directive)))
}

/// The name of a header, as it is included, without its folder.
fn header_name(include: &str) -> &str {
    file_name(include.trim_matches(['"', '<', '>']))
}

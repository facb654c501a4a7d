//! A sample: the profiles of all benchmarks at one version, with that version's sources, so that a function
//! of another version can be found in it.

mod compiled_sources;
mod embedded_files;
mod idle_functions;
mod included_macros;
mod index;
mod inputs;
mod known_macros;
mod later_files;
mod linked_sources;
mod mentioning_places;
mod moved_sources;
mod packages;
mod predecessor;
mod source_names;
mod vocabulary;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;

use profile::inputs::InputRecord;
use profile::{Profile, ProfileFunction, ProfileFunctionId};

use crate::change::{LocatedFunction, may_decide_a_build};
use crate::languages::language_of;
use crate::sources::{Blob, ContentId, FileSource};
use crate::syntax::lru_cache::LruCache;
use crate::syntax::{LineRange, ParseCache, SourceFile, SyntaxFunction, TokenDigest};

pub(crate) use idle_functions::IdleFunctions;
pub use index::{IndexedProfile, LineCount, is_closure, last_segment};
pub use inputs::SampleInputs;
pub(crate) use later_files::{LaterFile, LaterFiles, PlacedFile};
pub(crate) use mentioning_places::{MentioningPlace, MentioningPlaces};
pub use predecessor::LaterVersion;
pub(crate) use vocabulary::{Word, WordSet};

use compiled_sources::CompiledSample;
use idle_functions::KnownIdleFunctions;
use known_macros::{KEPT_USES, KnownUses};
use packages::KnownPackages;
use predecessor::PredecessorCandidate;
use source_names::{KEPT_SOURCES, KnownNames};

/// Bytes of words that are kept: those of some hundred sources with benchmarks.
const KEPT_BENCHMARK_WORDS: usize = 1 << 20;

type WordsByContent = LruCache<(String, ContentId), Arc<BTreeSet<String>>>;

/// The profiles and sources of one sampled version.
pub struct Sample {
    /// The version, as it is shown.
    pub commit: String,
    /// One profile a benchmark, in the order in which they are reported.
    pub benchmarks: Vec<IndexedProfile>,
    /// The sources of that version.
    pub tree: Arc<dyn FileSource + Send + Sync>,
    /// Its files that were asked for, parsed. One version's: they never change.
    parsed: Mutex<HashMap<String, Option<Arc<SourceFile>>>>,
    /// The inputs that the benchmarks depend on, as far as it was recorded.
    pub inputs: SampleInputs,
    /// Benchmarks of that version that have no profile, by name.
    pub unprofiled: Vec<String>,
    /// Benchmarks of that version that were not tried: what they execute is not known.
    pub left_out: Vec<String>,
    /// The crates or packages of executed functions. Found when first asked for.
    executed_packages: OnceLock<BTreeSet<String>>,
    /// Possible predecessors of functions that are not found in their place. Read when first asked for.
    candidates: OnceLock<Vec<PredecessorCandidate>>,
    /// Names of files that sources put into the program as they are. Found when first asked for.
    embedded: OnceLock<BTreeSet<String>>,
    /// The files of the versions that are scored on it.
    later_files: Mutex<Arc<LaterFiles>>,
    packages: KnownPackages,
    /// The words that tell the benchmarks of a content from those of another, by path.
    benchmark_words: Mutex<WordsByContent>,
    directives: KnownUses,
    idle_functions: KnownIdleFunctions,
    source_names: KnownNames,
    /// The same as its compilers read it, with the macros that were known of the last version.
    compiled: Mutex<Option<Arc<CompiledSample>>>,
}

/// A function as it was at the sampled version.
#[derive(Debug, Clone)]
pub struct SampledFunction {
    /// Its file at the sampled version.
    pub file: Arc<str>,
    /// The function.
    pub function: Arc<SyntaxFunction>,
    /// Functions nested in it, whose lines are not its own.
    nested: Vec<LineRange>,
}

impl Sample {
    /// The profiles of a version with its sources.
    #[must_use]
    pub fn new(commit: String, benchmarks: Vec<IndexedProfile>, tree: Arc<dyn FileSource + Send + Sync>) -> Self {
        Self {
            commit,
            benchmarks,
            tree,
            parsed: Mutex::default(),
            inputs: SampleInputs::default(),
            unprofiled: Vec::new(),
            left_out: Vec::new(),
            executed_packages: OnceLock::new(),
            candidates: OnceLock::new(),
            embedded: OnceLock::new(),
            later_files: Mutex::default(),
            packages: KnownPackages::default(),
            benchmark_words: Mutex::new(LruCache::new(KEPT_BENCHMARK_WORDS)),
            directives: Mutex::new(LruCache::new(KEPT_USES)),
            idle_functions: Mutex::default(),
            source_names: Mutex::new(LruCache::new(KEPT_SOURCES)),
            compiled: Mutex::default(),
        }
    }

    /// True if nothing is recorded of a benchmark's build, and its profile does not show what of a file is in the program.
    pub(crate) fn may_be_built_from(&self, profile: &IndexedProfile, file: &str) -> bool {
        let is_in_profile = || language_of(file).is_some_and(|language| profile.holds(language));
        !self.inputs.records_a_build_of(&profile.profile().benchmark) && (may_decide_a_build(file) || !is_in_profile())
    }

    /// True if a benchmark executes or reads something of a folder: a submodule that nobody opened, for example.
    pub(crate) fn uses_folder(&self, profile: &IndexedProfile, folder: &str) -> bool {
        let is_below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.uses(profile, is_below)
    }

    /// True if a benchmark executes or reads what a path leads to that is no file: a file of that path, or something below it.
    pub(crate) fn uses_link(&self, profile: &IndexedProfile, link: &str) -> bool {
        let is_behind =
            |path: &str| (path.strip_prefix(link)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.uses(profile, is_behind)
    }

    fn uses(&self, profile: &IndexedProfile, is_one: impl Fn(&str) -> bool) -> bool {
        let reads = |record: &InputRecord| {
            let compiled = record.compiled.units.iter().flat_map(|unit| &unit.files);
            compiled.chain(&record.opened.files).any(|path| is_one(path))
        };
        profile.files().any(&is_one) || self.inputs.of(&profile.profile().benchmark).is_some_and(reads)
    }

    /// True if something holds of the recorded inputs of every benchmark; false if one has none, or there is no benchmark.
    pub(crate) fn all_inputs(&self, holds: fn(&InputRecord) -> bool) -> bool {
        let mut names = self.benchmarks.iter().map(|profile| &*profile.profile().benchmark);
        !self.benchmarks.is_empty() && names.all(|benchmark| self.inputs.of(benchmark).is_some_and(holds))
    }

    /// The same with recorded inputs.
    #[must_use]
    pub fn with_inputs(self, inputs: SampleInputs) -> Self {
        Self { inputs, ..self }
    }

    /// The same with the names of the benchmarks that have no profile.
    #[must_use]
    pub fn with_unprofiled(self, unprofiled: Vec<String>) -> Self {
        Self { unprofiled, ..self }
    }

    /// The same with the names of the benchmarks that were not tried.
    #[must_use]
    pub fn with_left_out(self, left_out: Vec<String>) -> Self {
        Self { left_out, ..self }
    }

    /// The crates or packages of which a benchmark executes something, as they begin the names of functions.
    #[must_use]
    pub fn executed_packages(&self) -> &BTreeSet<String> {
        self.executed_packages.get_or_init(|| {
            let profiles = self.benchmarks.iter().map(IndexedProfile::profile);
            let package = |profile: &Profile, function: &ProfileFunction| {
                let language = language_of(profile.file(function.file?))?;
                (!function.external).then(|| language.package_of(&function.name).to_owned())
            };
            profiles
                .flat_map(|profile| {
                    profile
                        .functions
                        .iter()
                        .filter_map(move |function| package(profile, function))
                })
                .collect()
        })
    }

    /// The files of the versions that are scored on it, as far as they are kept.
    pub(crate) fn later_files(&self) -> Arc<LaterFiles> {
        let mut files = self.later_files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.is_full() {
            *files = Arc::default();
        }
        Arc::clone(&files)
    }

    /// The words that tell the benchmarks of a file from those of another version of it, found once for each content.
    pub(crate) fn benchmark_words(
        &self,
        (path, tree): (&str, &dyn FileSource),
        find: impl FnOnce() -> BTreeSet<String>,
    ) -> Arc<BTreeSet<String>> {
        let Some(id) = tree.id(path) else {
            return Arc::default();
        };
        let key = (path.to_owned(), id);
        let known = || self.benchmark_words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().find(&key) {
            return known;
        }
        let words = Arc::new(find());
        let bytes = path.len() + words.iter().map(String::len).sum::<usize>();
        known().insert(key, Arc::clone(&words), bytes);
        words
    }

    /// A source file of the sampled version, parsed; `None` if there is none of a known language.
    #[must_use]
    pub fn source(&self, path: &str, parser: &ParseCache) -> Option<Arc<SourceFile>> {
        // A map is whole at every moment a panic could leave it.
        let parsed = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = parsed().get(path) {
            return known.clone();
        }
        let read = || {
            let blob: Blob = self.tree.file(path)?;
            language_of(path).map(|_| parser.get(path, &blob))
        };
        let source = read();
        parsed().insert(path.to_owned(), source.clone());
        source
    }

    /// True if the sampled version has the same problem in the same file, and every executed function of that file was read.
    /// Then the problem hides nothing that executes. One that the compiler or a macro writes stands in a type or in another
    /// declaration.
    pub(crate) fn reads_in_spite_of(&self, path: &str, problem: TokenDigest, parser: &ParseCache) -> bool {
        let Some(source) = self.source(path, parser) else {
            return false;
        };
        let executed = self.benchmarks.iter().flat_map(|indexed| {
            let functions = indexed.declared(path, 0, u32::MAX);
            functions.map(|id| indexed.profile().function(id).line)
        });
        let is_at = |lines: LineRange, line: u32| lines.first <= line && line <= lines.last;
        let is_declared = |line: u32| {
            source.items.iter().any(|item| is_at(item.lines, line))
                && !(source.problems.iter()).any(|problem| problem.lines.is_none_or(|lines| is_at(lines, line)))
        };
        source.problems.iter().any(|known| known.text == Some(problem))
            && (executed.into_iter()).all(|line| innermost(&source, line).is_some() || is_declared(line))
    }

    /// The function of the same path in a file of the same name. Conditions of compilation give a path to several: then the
    /// only one of the same tokens, else the one at the same place among as many in `later`, else one that is executed.
    fn in_file(
        &self,
        wanted: &LocatedFunction,
        later: impl FnOnce() -> Option<Arc<SourceFile>>,
        parser: &ParseCache,
    ) -> Option<SampledFunction> {
        let path = &*wanted.file;
        let source = self.source(path, parser)?;
        let is_same = |function: &&Arc<SyntaxFunction>| function.path == wanted.function.path;
        let same_path: Vec<&Arc<SyntaxFunction>> = source.functions.iter().filter(is_same).collect();
        let at_same_place = || {
            let [_, _, ..] = *same_path else {
                return same_path.first().copied();
            };
            let later = later()?;
            let later: Vec<&Arc<SyntaxFunction>> = later.functions.iter().filter(is_same).collect();
            let place = later.iter().position(|f| f.lines == wanted.function.lines)?;
            (later.len() == same_path.len()).then(|| same_path[place])
        };
        let is_executed = |function: &SyntaxFunction| {
            let LineRange { first, last } = function.lines;
            (self.benchmarks.iter()).any(|indexed| indexed.declared(path, first, last).next().is_some())
        };
        let of_same_tokens = same_path.iter().filter(|f| f.digest == wanted.function.digest);
        let function = match of_same_tokens.collect::<Vec<_>>()[..] {
            [one] => one,
            // Several may have the same tokens, too.
            _ => at_same_place().or_else(|| {
                same_path.iter().copied().min_by_key(|f| {
                    (
                        f.digest != wanted.function.digest,
                        !is_executed(f),
                        f.signature != wanted.function.signature,
                        f.lines.first.abs_diff(wanted.function.lines.first),
                    )
                })
            })?,
        };
        Some(SampledFunction::new(path, function, &source))
    }

    /// Holds where a file was moved.
    fn by_name(&self, wanted: &LocatedFunction, parser: &ParseCache) -> Option<SampledFunction> {
        self.benchmarks.iter().find_map(|indexed| {
            let profile = indexed.profile();
            indexed.functions_named(wanted.function.name()).iter().find_map(|&id| {
                let found = profile.function(id);
                if found.external || *found.name != *wanted.name {
                    return None;
                }
                let path = profile.file(found.file?);
                let source = self.source(path, parser)?;
                let function = innermost(&source, found.line)?;
                Some(SampledFunction::new(path, function, &source))
            })
        })
    }
}

impl SampledFunction {
    fn new(path: &str, function: &Arc<SyntaxFunction>, source: &SourceFile) -> Self {
        let own = function.lines;
        let nested = source
            .functions
            .iter()
            .map(|other| other.lines)
            .filter(|lines| *lines != own && own.first <= lines.first && lines.last <= own.last)
            .collect();
        Self {
            file: path.into(),
            function: Arc::clone(function),
            nested,
        }
    }

    /// The functions of a profile that this one became: itself, once or, where the debug information
    /// disagrees on names, several times. Empty if the benchmark did not execute it.
    #[must_use]
    pub fn ids(&self, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let LineRange { first, last } = self.function.lines;
        profile
            .declared(&self.file, first, last)
            .filter(|&id| self.owns(profile.profile().function(id).line))
            .collect()
    }

    /// The profile's functions that its closures became.
    #[must_use]
    pub fn closures(&self, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let LineRange { first, last } = self.function.lines;
        profile
            .closures(&self.file, first, last)
            .filter(|&id| self.owns(profile.profile().function(id).line))
            .collect()
    }

    /// Both.
    #[must_use]
    pub fn ids_with_closures(&self, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
        let mut ids = self.ids(profile);
        ids.extend(self.closures(profile));
        ids
    }

    /// True for a line of this function that is not of a function nested in it.
    #[must_use]
    pub fn owns(&self, line: u32) -> bool {
        let LineRange { first, last } = self.function.lines;
        (first..=last).contains(&line)
            && !self
                .nested
                .iter()
                .any(|nested| (nested.first..=nested.last).contains(&line))
    }
}

/// The innermost function whose lines hold `line`.
fn innermost(source: &SourceFile, line: u32) -> Option<&Arc<SyntaxFunction>> {
    source
        .functions
        .iter()
        .filter(|function| (function.lines.first..=function.lines.last).contains(&line))
        .min_by_key(|function| function.lines.last - function.lines.first)
}

//! Everything that is needed to price a change set on a sample, prepared once for all benchmarks.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::change::{ChangeSet, ChangeSubject, FunctionFeatures, FunctionPair, LocatedFunction, SourceSide};
use crate::cost::mention_graph::MentionGraph;
use crate::cost::name_reach::NameReach;
use crate::cost::reachable_cost::ReachablePlaces;
use crate::cost::scanned_files::{ScannedFile, ScannedFiles};
use crate::cost::unchanged_functions::UnchangedFunctions;
use crate::cost::{
    BlockExecutions, ExecutionAssumptions, KnownValues, NewBlockPolicy, PriceList, SampleMatch, SourceFunctionIndex,
};
use crate::layout::ModulePath;
use crate::resolve::CallerContext;
use crate::sample::{
    IdleFunctions, IndexedProfile, LaterFiles, LaterVersion, MentioningPlaces, Sample, SampledFunction,
};
use crate::sources::OutsideSources;
use crate::syntax::{ParseCache, SourceFile, SyntaxFunction};

/// A change set with its position in a sample.
pub struct ScoringContext<'a> {
    /// The changes.
    pub changes: &'a ChangeSet,
    /// The sample it is priced on.
    pub sample: &'a Sample,
    /// The assumptions of the cost model.
    pub costs: &'a PriceList,
    /// The version before the change.
    pub before: LaterVersion<'a>,
    /// For each pair, its position in the sample.
    pub standings: Vec<Option<SampleMatch>>,
    /// The functions of the changed files before the change; deleted ones are also listed separately.
    pub gone: SourceFunctionIndex<'a>,
    /// The functions of the changed files after the change; added ones are also listed separately.
    pub new: SourceFunctionIndex<'a>,
    /// Sources outside the repository that are loaded or compiled with each version.
    pub(super) outside: &'a OutsideSources,
    /// The changed files of the version before.
    changed: Vec<Arc<str>>,
    /// The changed files of both sides.
    sources: &'a ParsedSources,
    changed_since_the_sample: OnceCell<bool>,
    /// The files of this and other versions that are scored on the sample.
    pub(super) later_files: Arc<LaterFiles>,
    scanned: OnceCell<ScannedFiles>,
    idle: OnceCell<Arc<IdleFunctions>>,
    mentions: OnceCell<MentionGraph>,
    /// The code that changed names reach.
    pub(super) names: NameReach,
    /// The functions of files that did not change, as far as they can be read.
    pub(super) unchanged: UnchangedFunctions,
}

/// The changed files of both sides of a change, parsed.
#[derive(Debug, Default)]
pub struct ParsedSources {
    /// Before the change.
    pub before: Vec<ParsedFile>,
    /// After the change.
    pub after: Vec<ParsedFile>,
}

/// A parsed file with the full names of what it defines.
#[derive(Debug)]
pub struct ParsedFile {
    path: Arc<str>,
    text: Arc<[u8]>,
    source: Arc<SourceFile>,
    functions: Vec<LocatedFunction>,
}

impl ParsedFile {
    /// A parsed file with the module that it belongs to.
    #[must_use]
    pub fn new(path: Arc<str>, text: Arc<[u8]>, source: Arc<SourceFile>, module: &ModulePath) -> Self {
        let functions = source
            .functions
            .iter()
            .filter(|function| !function.test_only)
            .map(|function| LocatedFunction {
                file: Arc::clone(&path),
                name: module.name(&function.path),
                function: Arc::clone(function),
            })
            .collect();
        Self {
            path,
            text,
            source,
            functions,
        }
    }
}

impl<'a> ScoringContext<'a> {
    /// Finds every changed function in the sample.
    #[must_use]
    pub fn new(
        changes: &'a ChangeSet,
        sources: &'a ParsedSources,
        sample: &'a Sample,
        costs: &'a PriceList,
        before: LaterVersion<'a>,
        outside: &'a OutsideSources,
    ) -> Self {
        let mut standings: Vec<Option<SampleMatch>> = changes
            .pairs
            .iter()
            .map(|pair| SampleMatch::find_in_sample(pair, sample, before))
            .collect();
        keep_the_most_alike(&changes.pairs, &mut standings);
        let gone = changes
            .pairs
            .iter()
            .filter(|pair| pair.after.is_none())
            .filter_map(|pair| pair.before.as_ref());
        let new = changes
            .pairs
            .iter()
            .filter(|pair| pair.before.is_none())
            .filter_map(|pair| pair.after.as_ref());
        Self {
            changes,
            sample,
            costs,
            before,
            outside,
            standings,
            gone: bodies(gone, &sources.before),
            new: bodies(new, &sources.after),
            changed: sources.before.iter().map(|file| Arc::clone(&file.path)).collect(),
            sources,
            changed_since_the_sample: OnceCell::new(),
            later_files: sample.later_files(),
            scanned: OnceCell::new(),
            idle: OnceCell::new(),
            mentions: OnceCell::new(),
            names: NameReach::default(),
            unchanged: UnchangedFunctions::default(),
        }
    }

    /// The pairs whose function before the change is not in a benchmark's profile and may be executed since.
    #[must_use]
    pub fn pairs_reached_since_the_sample(&self, profile: &IndexedProfile) -> BTreeSet<usize> {
        let reached = ReachablePlaces::of(self, profile).costs.into_keys();
        reached.filter_map(|place| self.mentions().places[place].pair).collect()
    }

    /// The mentions between functions in the version before. Read when first requested: most changes do not need it.
    pub(super) fn mentions(&self) -> &MentionGraph {
        self.mentions.get_or_init(|| MentionGraph::of(self))
    }

    /// The source files of the version before in which names are looked up. Read when first requested.
    pub(super) fn scanned_files(&self) -> &ScannedFiles {
        let around = || ScannedFiles::around(&self.changed, (self.sample, self.before), &self.later_files);
        self.scanned.get_or_init(around)
    }

    /// The functions of interpreted sources that no benchmark executes before the change.
    pub(super) fn idle_functions(&self) -> &IdleFunctions {
        self.idle
            .get_or_init(|| IdleFunctions::of(self.sample, self.before.tree))
    }

    /// True if some source file that may be compiled into a benchmark differs before the change from the sampled version.
    pub(super) fn has_changed_since_the_sample(&self) -> bool {
        *self.changed_since_the_sample.get_or_init(|| {
            let mut compiled = self.scanned_files().files.iter().filter(|file| file.is_compiled);
            compiled.any(|file| !file.is_as_sampled)
        })
    }

    /// The functions and items of a file with the words in them.
    pub(super) fn places_of<'f>(&self, file: &'f ScannedFile) -> &'f MentioningPlaces {
        (file.placed).places(file, self.sample_and_parser(), &self.later_files.vocabulary)
    }

    pub(super) fn sample_and_parser(&self) -> (&'a Sample, &'a ParseCache) {
        (self.sample, self.before.parser)
    }

    /// True for a file that changed.
    pub(super) fn is_changed(&self, path: &str) -> bool {
        self.changed.iter().any(|changed| **changed == *path)
    }

    /// The texts of a changed file that both sides have.
    pub(super) fn texts_of(&self, path: &str) -> Option<(&[u8], &[u8])> {
        let of = |files: &'a [ParsedFile]| files.iter().find(|file| *file.path == *path).map(|file| &*file.text);
        of(&self.sources.before).zip(of(&self.sources.after))
    }

    /// The paths and texts of the changed files of the version after.
    pub(super) fn texts_after_the_change(&self) -> impl Iterator<Item = (&str, Arc<[u8]>)> {
        let files = self.sources.after.iter();
        files.map(|file| (&*file.path, Arc::clone(&file.text)))
    }

    /// A function of the version before, as the sampled version had it; `None` if it did not.
    pub(super) fn sampled_function(
        &self,
        file: &ScannedFile,
        function: &Arc<SyntaxFunction>,
    ) -> Option<SampledFunction> {
        file.placed.sampled(file, function, self.sample_and_parser())
    }

    /// Runs `then` with the function that contains a change, as a caller on one side. `None` where that side has no
    /// such function.
    pub fn with_caller<T>(
        &self,
        pair: usize,
        side: SourceSide,
        profile: &IndexedProfile,
        then: impl FnOnce(&CallerContext<'_>) -> T,
    ) -> Option<T> {
        let (located, bodies) = self.located(pair, side)?;
        let source = bodies.source(&located.file)?;
        let standing = self.standings[pair].as_ref();
        let ids = standing.map_or_else(Vec::new, |standing| standing.sampled.ids(profile));
        Some(then(&CallerContext {
            located,
            source,
            ids: &ids,
            sampled_lines: standing.map(|standing| standing.sampled.function.lines),
        }))
    }

    /// How often the blocks of each changed function run in a benchmark; `None` where it is not executed or
    /// the sampled version did not have it.
    #[must_use]
    pub fn executions(&self, profile: &IndexedProfile, new_blocks: NewBlockPolicy) -> Vec<Option<BlockExecutions>> {
        self.changes
            .pairs
            .iter()
            .zip(&self.standings)
            .enumerate()
            .map(|(index, (pair, standing))| {
                let assumed = self.assumed(index, new_blocks, profile);
                standing.as_ref()?.executions(pair, profile, assumed)
            })
            .collect()
    }

    /// The assumptions about the blocks of a changed function.
    #[must_use]
    pub fn assumed(
        &self,
        pair: usize,
        new_blocks: NewBlockPolicy,
        profile: &IndexedProfile,
    ) -> ExecutionAssumptions<'_> {
        ExecutionAssumptions {
            new_blocks,
            costs: self.costs,
            most_rounds: profile.most_rounds(),
            before: self.assumed_values(pair, SourceSide::Before),
            after: self.assumed_values(pair, SourceSide::After),
        }
    }

    /// The values of the names around a changed function on one side.
    #[must_use]
    pub fn assumed_values(&self, pair: usize, side: SourceSide) -> KnownValues<'_> {
        let source = self
            .located(pair, side)
            .and_then(|(located, bodies)| bodies.source(&located.file));
        KnownValues { source, given: &[] }
    }

    /// The function of a pair on one side, with the bodies of that side.
    #[must_use]
    pub fn located(&self, pair: usize, side: SourceSide) -> Option<(&LocatedFunction, &SourceFunctionIndex<'a>)> {
        let pair = &self.changes.pairs[pair];
        match side {
            SourceSide::Before => pair.before.as_ref().map(|located| (located, &self.gone)),
            SourceSide::After => pair.after.as_ref().map(|located| (located, &self.new)),
        }
    }

    /// The pair that contains a change, if it is in a function.
    #[must_use]
    pub fn pair_of(&self, change: usize) -> Option<usize> {
        match self.changes.changes[change].subject {
            ChangeSubject::Function(pair) => Some(pair),
            ChangeSubject::Item { .. }
            | ChangeSubject::Dependency { .. }
            | ChangeSubject::Build { .. }
            | ChangeSubject::Data { .. } => None,
        }
    }
}

/// Keeps one successor of each sampled function, not every function that resembles it: the most similar one among those
/// that are not in its place.
fn keep_the_most_alike(pairs: &[FunctionPair], standings: &mut [Option<SampleMatch>]) {
    /// Whether it is in its place, its similarity, the pair.
    type SampleMatchCandidate = (bool, f64, usize);
    let mut claims: BTreeMap<(Arc<str>, u32), Vec<SampleMatchCandidate>> = BTreeMap::new();
    for (index, (pair, standing)) in pairs.iter().zip(&*standings).enumerate() {
        let Some((before, standing)) = pair.before.as_ref().zip(standing.as_ref()) else {
            continue;
        };
        let sampled = &standing.sampled;
        let was = FunctionFeatures::new(Arc::clone(&sampled.function));
        let is_in_place = before.file == sampled.file && before.function.path == sampled.function.path;
        let likeness = FunctionFeatures::new(Arc::clone(&before.function)).similarity(&was);
        claims
            .entry((Arc::clone(&sampled.file), sampled.function.lines.first))
            .or_default()
            .push((is_in_place, likeness, index));
    }
    for mut claims in claims.into_values() {
        claims.sort_by(|one, two| two.0.cmp(&one.0).then(two.1.total_cmp(&one.1)));
        for (is_in_place, _, index) in claims.into_iter().skip(1) {
            if !is_in_place {
                standings[index] = None;
            }
        }
    }
}

fn bodies<'a>(alone: impl Iterator<Item = &'a LocatedFunction>, files: &'a [ParsedFile]) -> SourceFunctionIndex<'a> {
    let sources = files.iter().map(|file| (&*file.path, &*file.source)).collect();
    let all = files.iter().flat_map(|file| &file.functions);
    SourceFunctionIndex::new(alone, all, sources)
}

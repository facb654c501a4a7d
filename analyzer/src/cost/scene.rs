//! Everything that pricing a change set on a sample needs, put together once for all benchmarks.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::change::{ChangeSet, Described, FunctionPair, LocatedFunction, Subject};
use crate::cost::mentions::Mentions;
use crate::cost::reached::reached;
use crate::cost::{Assumed, Bodies, Costs, Executions, NewBlocks, Standing, Values};
use crate::layout::Module;
use crate::resolve::Caller;
use crate::sample::{IndexedProfile, Later, Sample};
use crate::syntax::SourceFile;

/// A change set standing in a sample.
pub struct Scene<'a> {
    /// What changed.
    pub changes: &'a ChangeSet,
    /// The sample it is priced on.
    pub sample: &'a Sample,
    /// The assumptions.
    pub costs: &'a Costs,
    /// The version before the change.
    pub before: Later<'a>,
    /// For each pair, where it stands in the sample.
    pub standings: Vec<Option<Standing>>,
    /// The functions of changed files before, apart from them those that went.
    pub gone: Bodies<'a>,
    /// The functions of changed files after, apart from them those that came.
    pub new: Bodies<'a>,
    /// The changed files of the version before.
    changed: Vec<Arc<str>>,
    mentions: OnceCell<Mentions>,
}

/// Which side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Before,
    /// After.
    After,
}

/// The changed files of both sides of a change, parsed.
#[derive(Debug, Default)]
pub struct Sources {
    /// Before the change.
    pub before: Vec<ParsedFile>,
    /// After the change.
    pub after: Vec<ParsedFile>,
}

/// A parsed file with the full names of what it defines.
#[derive(Debug)]
pub struct ParsedFile {
    path: Arc<str>,
    source: Arc<SourceFile>,
    functions: Vec<LocatedFunction>,
}

impl ParsedFile {
    /// A file that stands in a module.
    #[must_use]
    pub fn new(path: Arc<str>, source: Arc<SourceFile>, module: &Module) -> Self {
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
            source,
            functions,
        }
    }
}

impl<'a> Scene<'a> {
    /// Finds every changed function in the sample.
    #[must_use]
    pub fn new(
        changes: &'a ChangeSet,
        sources: &'a Sources,
        sample: &'a Sample,
        costs: &'a Costs,
        before: Later<'a>,
    ) -> Self {
        let mut standings: Vec<Option<Standing>> = changes
            .pairs
            .iter()
            .map(|pair| Standing::of(pair, sample, before))
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
            standings,
            gone: bodies(gone, &sources.before),
            new: bodies(new, &sources.after),
            changed: sources.before.iter().map(|file| Arc::clone(&file.path)).collect(),
            mentions: OnceCell::new(),
        }
    }

    /// The pairs whose function before was not sampled and may be executed by a benchmark.
    #[must_use]
    pub fn reached_unsampled(&self, profile: &IndexedProfile) -> BTreeSet<usize> {
        let mentions = self.mentions();
        let reached = reached(mentions, profile).into_keys();
        reached.filter_map(|place| mentions.places[place].pair).collect()
    }

    /// Who mentions whom in the version before. Read when first asked for: most changes need it not.
    pub(super) fn mentions(&self) -> &Mentions {
        self.mentions.get_or_init(|| {
            let pairs = (self.changes.pairs.as_slice(), self.standings.as_slice());
            Mentions::of(&self.changed, pairs, self.sample, self.before)
        })
    }

    /// Runs `then` with the function that a change is in, as a caller on one side. `None` where that side
    /// has no such function.
    pub fn as_caller<T>(
        &self,
        pair: usize,
        side: Side,
        profile: &IndexedProfile,
        then: impl FnOnce(&Caller<'_>) -> T,
    ) -> Option<T> {
        let (located, bodies) = self.located(pair, side)?;
        let source = bodies.source(&located.file)?;
        let standing = self.standings[pair].as_ref();
        let ids = standing.map_or_else(Vec::new, |standing| standing.sampled.ids(profile));
        Some(then(&Caller {
            located,
            source,
            ids: &ids,
            sampled_lines: standing.map(|standing| standing.sampled.function.lines),
        }))
    }

    /// How often the blocks of each changed function run in a benchmark; `None` where it is not executed or
    /// the sampled version did not have it.
    #[must_use]
    pub fn executions(&self, profile: &IndexedProfile, new_blocks: NewBlocks) -> Vec<Option<Executions>> {
        self.changes
            .pairs
            .iter()
            .zip(&self.standings)
            .enumerate()
            .map(|(index, (pair, standing))| {
                let assumed = self.assumed(index, new_blocks);
                standing.as_ref()?.executions(pair, profile, assumed)
            })
            .collect()
    }

    /// What is taken for granted of the blocks of a changed function.
    #[must_use]
    pub fn assumed(&self, pair: usize, new_blocks: NewBlocks) -> Assumed<'_> {
        Assumed {
            new_blocks,
            costs: self.costs,
            before: self.assumed_values(pair, Side::Before),
            after: self.assumed_values(pair, Side::After),
        }
    }

    /// What the names around a changed function mean on one side.
    #[must_use]
    pub fn assumed_values(&self, pair: usize, side: Side) -> Values<'_> {
        let source = self
            .located(pair, side)
            .and_then(|(located, bodies)| bodies.source(&located.file));
        Values { source, given: &[] }
    }

    /// The function of a pair on one side, with the bodies of that side.
    #[must_use]
    pub fn located(&self, pair: usize, side: Side) -> Option<(&LocatedFunction, &Bodies<'a>)> {
        let pair = &self.changes.pairs[pair];
        match side {
            Side::Before => pair.before.as_ref().map(|located| (located, &self.gone)),
            Side::After => pair.after.as_ref().map(|located| (located, &self.new)),
        }
    }

    /// The pair that a change is in, if it is in a function.
    #[must_use]
    pub fn pair_of(&self, change: usize) -> Option<usize> {
        match self.changes.changes[change].subject {
            Subject::Function(pair) => Some(pair),
            Subject::Item { .. } | Subject::Dependency { .. } | Subject::Build { .. } => None,
        }
    }
}

/// A sampled function became one function, not each that does something like it: of those that are not in its place the
/// most alike.
fn keep_the_most_alike(pairs: &[FunctionPair], standings: &mut [Option<Standing>]) {
    /// Whether it is in its place, how alike it is, the pair.
    type Claim = (bool, f64, usize);
    let mut claims: BTreeMap<(Arc<str>, u32), Vec<Claim>> = BTreeMap::new();
    for (index, (pair, standing)) in pairs.iter().zip(&*standings).enumerate() {
        let Some((before, standing)) = pair.before.as_ref().zip(standing.as_ref()) else {
            continue;
        };
        let sampled = &standing.sampled;
        let was = Described::new(Arc::clone(&sampled.function));
        let is_in_place = before.file == sampled.file && before.function.path == sampled.function.path;
        let likeness = Described::new(Arc::clone(&before.function)).likeness(&was);
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

fn bodies<'a>(alone: impl Iterator<Item = &'a LocatedFunction>, files: &'a [ParsedFile]) -> Bodies<'a> {
    let sources = files.iter().map(|file| (&*file.path, &*file.source)).collect();
    let all = files.iter().flat_map(|file| &file.functions);
    Bodies::new(alone, all, sources)
}

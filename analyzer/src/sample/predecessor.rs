//! A function of a later version → the function of the sampled version that became it: the one in its place, the one of
//! its name, else the one that does most alike and is no longer what it was.
//!
//! Only files that some benchmark executes are looked through: what was never executed says nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Sample, SampledFunction};
use crate::change::{FunctionFeatures, LocatedFunction};
use crate::sources::FileSource;
use crate::syntax::{ParseCache, SourceFile};

/// A function of a file that some benchmark executes.
#[derive(Debug)]
pub(super) struct PredecessorCandidate {
    file: Arc<str>,
    source: Arc<SourceFile>,
    described: FunctionFeatures,
}

/// A later version in whose place functions are looked for.
#[derive(Clone, Copy)]
pub struct LaterVersion<'a> {
    /// All files of that version.
    pub tree: &'a dyn FileSource,
    /// Parses each content once.
    pub parser: &'a ParseCache,
}

/// How many of the most alike are held against what became of them.
const CANDIDATES: usize = 4;

/// Bodies of so many nodes are not equal by chance.
const TELLING: usize = 12;

impl Sample {
    /// Finds a function of a later version: by its path in the same file, else by its full name in the profiles, else
    /// by what it does. `None` if the sampled version did not have it.
    #[must_use]
    pub fn find(&self, wanted: &LocatedFunction, later: LaterVersion<'_>) -> Option<SampledFunction> {
        let file = || Some(later.parser.get(&wanted.file, &later.tree.file(&wanted.file)?));
        self.in_file(wanted, file, later.parser)
            .or_else(|| self.by_name(wanted, later.parser))
            .or_else(|| self.by_likeness(wanted, later))
    }

    /// The same without a search for what does most alike: by its place, by its name, else by its very tokens.
    #[must_use]
    pub fn find_as_it_was(&self, wanted: &LocatedFunction, parser: &ParseCache) -> Option<SampledFunction> {
        let same_tokens = || {
            let found = self.candidates(parser).iter().find(|candidate| {
                let (was, is) = (&candidate.described.function, &wanted.function);
                let is_telling = was.name() == is.name() || was.size() >= TELLING;
                was.digest == is.digest && was.owner == is.owner && is_telling
            })?;
            let function = &found.described.function;
            Some(SampledFunction::new(&found.file, function, &found.source))
        };
        self.in_file(wanted, || None, parser)
            .or_else(|| self.by_name(wanted, parser))
            .or_else(same_tokens)
    }

    fn by_likeness(&self, wanted: &LocatedFunction, later: LaterVersion<'_>) -> Option<SampledFunction> {
        let described = FunctionFeatures::new(Arc::clone(&wanted.function));
        let mut alike: Vec<(f64, &PredecessorCandidate)> = self
            .candidates(later.parser)
            .iter()
            .filter(|candidate| described.is_likely_same(&candidate.described))
            .map(|candidate| (described.similarity(&candidate.described), candidate))
            .collect();
        // Stable: the first of equals by file and line.
        alike.sort_by(|one, two| two.0.total_cmp(&one.0));
        let (_, found) = alike
            .into_iter()
            .take(CANDIDATES)
            .find(|(likeness, candidate)| !is_still(candidate, later, *likeness))?;
        let function = &found.described.function;
        Some(SampledFunction::new(&found.file, function, &found.source))
    }

    /// Functions of the files that a benchmark executes, by file and line.
    fn candidates(&self, parser: &ParseCache) -> &[PredecessorCandidate] {
        self.candidates.get_or_init(|| {
            let mut files = BTreeSet::new();
            for indexed in &self.benchmarks {
                let profile = indexed.profile();
                let own = profile.functions.iter().filter(|f| !f.external);
                files.extend(own.filter_map(|f| f.file).map(|file| profile.file(file)));
            }
            let sources = files
                .into_iter()
                .filter_map(|file| Some((Arc::from(file), self.source(file, parser)?)));
            sources.flat_map(|(file, source)| described(&file, &source)).collect()
        })
    }
}

fn described(file: &Arc<str>, source: &Arc<SourceFile>) -> Vec<PredecessorCandidate> {
    let functions = source.functions.iter();
    functions
        .map(|function| PredecessorCandidate {
            file: Arc::clone(file),
            source: Arc::clone(source),
            described: FunctionFeatures::new(Arc::clone(function)),
        })
        .collect()
}

/// True if the later version has a function in the candidate's place that is at least as like it: then that is what
/// became of it. A function of which a part moved out is less like itself than that part is.
fn is_still(candidate: &PredecessorCandidate, later: LaterVersion<'_>, likeness: f64) -> bool {
    let Some(blob) = later.tree.file(&candidate.file) else {
        return false;
    };
    let source = later.parser.get(&candidate.file, &blob);
    let was = &candidate.described;
    source
        .functions
        .iter()
        .filter(|function| function.path == was.function.path)
        .any(|function| FunctionFeatures::new(Arc::clone(function)).similarity(was) >= likeness)
}

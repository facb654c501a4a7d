//! Sources and profiles → versions with one planted change each, for tests of the regression detector.
//!
//! The planted changes add useless work and keep results, so that a benchmark of the changed code still computes the
//! same values; except that values of the authors (constants, defaults, files that are compiled in, numbers in benchmarks)
//! become larger. They are text edits as a developer makes them: all other bytes are unchanged. The caller checks whether
//! they compile; they use only what the language has itself, and names that are in scope. Tests, functions that run while
//! compiling, and code inside macros are not edited, and of macros only the bodies of their rules.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod candidates;
mod definitions;
mod edit;
mod edit_sites;
mod execution_frequency;
mod grammar_sites;
#[cfg(test)]
mod grammar_tests;
mod handwritten;
mod item_candidates;
mod item_sites;
#[cfg(test)]
mod item_tests;
mod macro_bodies;
mod model;
mod new_items;
mod planted_code;
mod planted_kind;
mod signature;
mod snippet;
mod spans;
mod statements;
#[cfg(test)]
mod tests;
mod uses;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use model::{IntendedEffect, SeedHotness, SeededChange};
pub(crate) use planted_kind::PUBLISHED;
pub use planted_kind::{KINDS, PlantedDirection, PlantedKind, PlantingRefusal};

use crate::languages::{Language, language_of};
use crate::layout::SourceLayout;
use crate::sample::IndexedProfile;
use crate::sources::FileSource;
use crate::syntax::{SourceFile, TokenDigester};
use candidates::{SeedBuilder, SeedCandidate};
use definitions::SeedableDefinitionIndex;
pub(crate) use edit_sites::SeedableItems;
use execution_frequency::ExecutionFrequencies;
pub(crate) use grammar_sites::{SiteGrammar, errors};
use item_candidates::ItemCandidate;
pub(crate) use planted_code::{PlantedCode, PlantedLoop, Seeder, SnippetReturnKind};
pub(crate) use snippet::SnippetGenerator;

/// The version in which changes are planted.
#[derive(Clone, Copy)]
pub struct SeedBaseVersion<'a> {
    /// Its sources: paths relative to the repository's root, and contents.
    pub sources: &'a [(Arc<str>, Arc<str>)],
    /// All its files; only manifests and files that are compiled in are read.
    pub tree: &'a dyn FileSource,
    /// The profiles of its benchmarks. Without any, every function counts as unreached.
    pub profiles: &'a [IndexedProfile],
}

/// The kinds of change that can be planted in a version with files at these paths, in the order of [`KINDS`].
#[must_use]
pub fn kinds_of<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<PlantedKind> {
    let seeders = paths.filter_map(|path| language_of(path)?.support().seeder());
    let offered: BTreeSet<PlantedKind> = seeders.flat_map(|seeder| seeder.kinds).copied().collect();
    KINDS.into_iter().filter(|kind| offered.contains(kind)).collect()
}

/// True if changes can be planted in the file at a path.
#[must_use]
pub fn can_be_planted(path: &str) -> bool {
    language_of(path).is_some_and(|language| language.support().seeder().is_some())
}

/// The requested changes.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedRequest {
    /// The kinds of change, each one of [`KINDS`].
    pub kinds: Vec<PlantedKind>,
    /// The classes of execution frequency.
    pub places: Vec<SeedHotness>,
    /// The most changes of each kind in each class; fewer if the sources do not offer enough.
    pub each: usize,
    /// The seed for the choice among the candidates. The same seed chooses the same changes.
    pub seed: u64,
}

/// Plants changes of every requested kind in every requested class, in this order.
#[must_use]
pub fn plant_changes(version: &SeedBaseVersion<'_>, wanted: &SeedRequest) -> Vec<SeededChange> {
    let ground = SeedContext::new(version);
    let mut cells: BTreeMap<(usize, usize), Vec<SeedOption>> = BTreeMap::new();
    let statements = ground.candidates().into_iter().map(SeedOption::Statement);
    let items = item_candidates::item_candidates(&ground)
        .into_iter()
        .map(SeedOption::Item);
    for candidate in statements.chain(items) {
        let kind = wanted.kinds.iter().position(|kind| *kind == candidate.kind());
        let place = wanted.places.iter().position(|place| *place == candidate.place());
        if let (Some(kind), Some(place)) = (kind, place) {
            cells.entry((kind, place)).or_default().push(candidate);
        }
    }
    cells
        .into_values()
        .flat_map(|candidates| {
            ground.choose(candidates, wanted.each, wanted.seed, |candidate| {
                ground.plant(candidate, wanted.seed)
            })
        })
        .collect()
}

/// Plants loops that make a benchmark slower by given shares: `each` loops for every share, at places that run rarely
/// enough for a whole number of rounds to come close.
#[must_use]
pub fn plant_sized_changes(version: &SeedBaseVersion<'_>, shares: &[f64], each: usize, seed: u64) -> Vec<SeededChange> {
    let ground = SeedContext::new(version);
    let candidates: Vec<SeedOption> = ground
        .candidates()
        .into_iter()
        .filter(|candidate| candidate.kind == PlantedKind::LoopAddition)
        .map(SeedOption::Statement)
        .collect();
    shares
        .iter()
        .flat_map(|&share| {
            ground.choose(candidates.clone(), each, seed, |candidate| {
                ground.plant_sized(candidate, share)
            })
        })
        .collect()
}

/// One source with its editable items.
struct SeedSourceFile<'a> {
    path: &'a Arc<str>,
    text: &'a Arc<str>,
    language: Language,
    seeder: Seeder,
    /// True for a benchmark's own source.
    is_benchmark: bool,
    survey: SeedableItems,
    /// The parsed source for the change analysis; parsed when first requested.
    parsed: OnceCell<SourceFile>,
}

/// A change that could be planted.
#[derive(Debug, Clone)]
enum SeedOption {
    /// At a statement.
    Statement(SeedCandidate),
    /// In an item, or in a file that is compiled in.
    Item(ItemCandidate),
}

impl SeedOption {
    fn kind(&self) -> PlantedKind {
        match self {
            Self::Statement(candidate) => candidate.kind,
            Self::Item(candidate) => candidate.kind,
        }
    }

    fn place(&self) -> SeedHotness {
        match self {
            Self::Statement(candidate) => candidate.place,
            Self::Item(candidate) => candidate.place,
        }
    }
}

/// Everything known about a version.
struct SeedContext<'a> {
    files: Vec<SeedSourceFile<'a>>,
    layout: SourceLayout<'a>,
    tree: &'a dyn FileSource,
    heat: ExecutionFrequencies<'a>,
    definitions: SeedableDefinitionIndex,
    /// `core`, or `::core` if the crate has a module of this name.
    core: &'static str,
}

impl<'a> SeedContext<'a> {
    fn new(version: &SeedBaseVersion<'a>) -> Self {
        let mut sources: Vec<&'a (Arc<str>, Arc<str>)> = version.sources.iter().collect();
        sources.sort_by(|one, two| one.0.cmp(&two.0));
        let files: Vec<SeedSourceFile<'a>> = sources
            .into_iter()
            .filter_map(|(path, text)| {
                let language = language_of(path)?;
                let seeder = language.support().seeder()?;
                let is_benchmark = (seeder.is_benchmark)(path);
                let is_surveyed = is_benchmark || (seeder.is_measured)(path);
                Some(SeedSourceFile {
                    path,
                    text,
                    language,
                    seeder,
                    is_benchmark,
                    survey: is_surveyed.then(|| (seeder.items)(path, text)).flatten()?,
                    parsed: OnceCell::new(),
                })
            })
            .collect();
        let shadows_core = files.iter().any(|file| {
            let is_module = ["core.rs", "core/mod.rs"]
                .iter()
                .any(|end| **file.path == **end || file.path.ends_with(&format!("/{end}")));
            is_module || file.survey.shadows_core
        });
        let definitions = SeedableDefinitionIndex::new(files.iter().map(|file| &file.survey));
        Self {
            files,
            layout: SourceLayout::new(version.tree),
            tree: version.tree,
            heat: ExecutionFrequencies::new(version.profiles),
            definitions,
            core: if shadows_core { "::core" } else { "core" },
        }
    }

    /// Every change that could be planted, in source order.
    fn candidates(&self) -> Vec<SeedCandidate> {
        let measured = (0..self.files.len()).filter(|&file| !self.files[file].is_benchmark);
        measured.flat_map(|file| self.plants(file)).collect()
    }

    fn plants(&self, index: usize) -> Vec<SeedCandidate> {
        let file = &self.files[index];
        let mut found = Vec::new();
        for (host, function) in file.survey.hosts.iter().enumerate() {
            let reached = self.heat.function_executions(file.path, function.lines);
            for (statement, _) in function.statements.iter().enumerate() {
                candidates::candidates(self, (index, host, statement), &reached, &mut found);
            }
        }
        found
    }

    /// The first candidates that can be planted, in an order that the seed decides: from different functions as long as
    /// there are any.
    fn choose(
        &self,
        mut candidates: Vec<SeedOption>,
        most: usize,
        seed: u64,
        plant: impl Fn(&SeedOption) -> Option<SeededChange>,
    ) -> Vec<SeededChange> {
        candidates.sort_by_cached_key(|candidate| self.rank(candidate, seed));
        let mut hosts = BTreeSet::new();
        let (mut own, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for candidate in &candidates {
            match candidate {
                SeedOption::Item(_) => own.push(candidate),
                SeedOption::Statement(at) if hosts.insert((at.at.0, at.at.1)) => first.push(candidate),
                SeedOption::Statement(_) => again.push(candidate),
            }
        }
        // Items of the authors and new items take turns: the former are what people change, the latter always compile
        // and cost something.
        let mut own = own.into_iter().filter_map(&plant);
        let mut new = first.into_iter().chain(again).filter_map(&plant);
        let mut chosen = Vec::new();
        while chosen.len() < most {
            let pair = [own.next(), new.next()];
            if pair.iter().all(Option::is_none) {
                break;
            }
            chosen.extend(pair.into_iter().flatten());
        }
        chosen.truncate(most);
        chosen
    }

    fn rank(&self, candidate: &SeedOption, seed: u64) -> (u64, usize) {
        let (file, identity, statement) = match candidate {
            SeedOption::Statement(candidate) => (candidate.at.0, candidate.identity(), candidate.at.2),
            SeedOption::Item(candidate) => (candidate.file, candidate.identity(self), 0),
        };
        let mut digester = TokenDigester::new();
        digester.token(&seed.to_string());
        digester.token(self.files[file].path);
        for part in identity {
            digester.token(&part);
        }
        (digester.finish().0, statement)
    }

    fn plant(&self, candidate: &SeedOption, seed: u64) -> Option<SeededChange> {
        let rounds = candidates::ROUNDS[(self.rank(candidate, !seed).0 % candidates::ROUNDS.len() as u64) as usize];
        match candidate {
            SeedOption::Statement(candidate) => SeedBuilder::new(self, candidate).build(rounds),
            SeedOption::Item(candidate) => candidate.build(self, rounds),
        }
    }

    fn plant_sized(&self, candidate: &SeedOption, share: f64) -> Option<SeededChange> {
        let SeedOption::Statement(candidate) = candidate else {
            return None;
        };
        let (file, host, statement) = candidate.at;
        let file = &self.files[file];
        let function = &file.survey.hosts[host];
        let aim = self.heat.intended_effect(
            file.path,
            function,
            &function.statements[statement],
            (share, file.seeder.repeat),
        )?;
        let mut seed = SeedBuilder::new(self, candidate).build(aim.rounds)?;
        seed.aim = Some(aim);
        Some(seed)
    }

    /// The full name of a function.
    fn name(&self, file: usize, path: &[String]) -> Arc<str> {
        let file = &self.files[file];
        self.layout.module(file.path, file.language).name(path)
    }
}

//! Sources and profiles in, versions of them with one planted change each out: what a regression test of the
//! regression detector needs.
//!
//! The planted changes do work that nobody asked for and leave results alone, so that a benchmark of the changed
//! code still computes what it did. They are text edits as a developer makes them: everything else stays byte for
//! byte. Whether they compile is for the caller to find out; they use nothing but `core` and names that are in
//! scope. Not edited: what is not Rust, tests, `const` functions, and code inside macros.

mod definitions;
mod edit;
mod heat;
mod model;
mod plant;
mod signature;
mod sites;
mod snippet;
mod spans;
#[cfg(test)]
mod tests;
mod walk;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use model::{Aim, KINDS, Place, Seed};

use crate::change::ChangeKind;
use crate::layout::Layout;
use crate::sample::IndexedProfile;
use crate::sources::Tree;
use crate::syntax::{self, Digester, Language, SourceFile};
use definitions::Definitions;
use heat::Heat;
use plant::{Candidate, Plant};
use sites::Survey;

/// The version that changes are planted in.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// Its sources: paths relative to the repository's root, and contents. What is not Rust is passed over.
    pub sources: &'a [(Arc<str>, Arc<str>)],
    /// All its files; asked for manifests only.
    pub tree: &'a dyn Tree,
    /// What its benchmarks executed. Without any, every function is unreached.
    pub profiles: &'a [IndexedProfile],
}

/// Which changes are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Of these kinds, each one of [`KINDS`].
    pub kinds: Vec<ChangeKind>,
    /// At these places.
    pub places: Vec<Place>,
    /// At most so many of each kind at each place; fewer where the sources do not offer more.
    pub each: usize,
    /// Chooses among what the sources offer. The same number chooses the same.
    pub seed: u64,
}

/// Plants changes of every wanted kind at every wanted place, in this order.
#[must_use]
pub fn seeds(version: &Version<'_>, wanted: &Wanted) -> Vec<Seed> {
    let ground = Ground::new(version);
    let mut cells: BTreeMap<(usize, usize), Vec<Candidate>> = BTreeMap::new();
    for candidate in ground.candidates() {
        let kind = wanted.kinds.iter().position(|kind| *kind == candidate.kind);
        let place = wanted.places.iter().position(|place| *place == candidate.place);
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

/// Plants loops whose cost makes a benchmark that many times slower: `each` for every share, at places that run
/// rarely enough that a whole number of rounds comes close.
#[must_use]
pub fn sized(version: &Version<'_>, shares: &[f64], each: usize, seed: u64) -> Vec<Seed> {
    let ground = Ground::new(version);
    let candidates: Vec<Candidate> = ground
        .candidates()
        .into_iter()
        .filter(|candidate| candidate.kind == ChangeKind::LoopAddition)
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

/// One source with what can be edited in it.
struct File<'a> {
    path: &'a Arc<str>,
    text: &'a Arc<str>,
    survey: Survey,
    /// As the change analysis sees it; parsed when first asked for.
    parsed: OnceCell<SourceFile>,
}

/// Everything that is known of a version.
struct Ground<'a> {
    files: Vec<File<'a>>,
    layout: Layout<'a>,
    heat: Heat<'a>,
    definitions: Definitions,
    /// `core`, or `::core` where the crate has a module of this name.
    core: &'static str,
}

impl<'a> Ground<'a> {
    fn new(version: &Version<'a>) -> Self {
        let mut sources: Vec<&'a (Arc<str>, Arc<str>)> =
            version.sources.iter().filter(|(path, _)| is_code(path)).collect();
        sources.sort_by(|one, two| one.0.cmp(&two.0));
        let files: Vec<File<'a>> = sources
            .into_iter()
            .filter_map(|(path, text)| {
                Some(File {
                    path,
                    text,
                    survey: Survey::of(text)?,
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
        let definitions = Definitions::new(files.iter().map(|file| &file.survey));
        Self {
            files,
            layout: Layout::new(version.tree),
            heat: Heat::new(version.profiles),
            definitions,
            core: if shadows_core { "::core" } else { "core" },
        }
    }

    /// Every change that could be planted, in the order of the sources.
    fn candidates(&self) -> Vec<Candidate> {
        (0..self.files.len()).flat_map(|file| self.plants(file)).collect()
    }

    fn plants(&self, index: usize) -> Vec<Candidate> {
        let file = &self.files[index];
        let mut found = Vec::new();
        for (host, function) in file.survey.hosts.iter().enumerate() {
            let reached = self.heat.reached(file.path, function);
            for (statement, _) in function.statements.iter().enumerate() {
                plant::candidates(self, (index, host, statement), &reached, &mut found);
            }
        }
        found
    }

    /// Of the candidates in an order that the seed decides, the first that can be planted: of different functions
    /// while there are any.
    fn choose(
        &self,
        mut candidates: Vec<Candidate>,
        most: usize,
        seed: u64,
        plant: impl Fn(&Candidate) -> Option<Seed>,
    ) -> Vec<Seed> {
        candidates.sort_by_cached_key(|candidate| self.rank(candidate, seed));
        let mut chosen = Vec::new();
        let mut hosts = BTreeSet::new();
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for candidate in candidates {
            if hosts.insert((candidate.at.0, candidate.at.1)) {
                first.push(candidate);
            } else {
                again.push(candidate);
            }
        }
        for candidate in first.iter().chain(&again) {
            if chosen.len() >= most {
                break;
            }
            chosen.extend(plant(candidate));
        }
        chosen
    }

    fn rank(&self, candidate: &Candidate, seed: u64) -> (u64, usize) {
        let (file, host, statement) = candidate.at;
        let mut digester = Digester::new();
        digester.token(&seed.to_string());
        digester.token(self.files[file].path);
        digester.token(&format!("{:?} {host} {statement}", candidate.kind));
        digester.token(&format!("{:?}", candidate.variant));
        (digester.finish().0, statement)
    }

    fn plant(&self, candidate: &Candidate, seed: u64) -> Option<Seed> {
        let rounds = plant::ROUNDS[(self.rank(candidate, !seed).0 % plant::ROUNDS.len() as u64) as usize];
        Plant::new(self, candidate).seed(rounds)
    }

    fn plant_sized(&self, candidate: &Candidate, share: f64) -> Option<Seed> {
        let (file, host, statement) = candidate.at;
        let file = &self.files[file];
        let function = &file.survey.hosts[host];
        let aim = self
            .heat
            .aim(file.path, function, &function.statements[statement], share)?;
        let mut seed = Plant::new(self, candidate).seed(aim.rounds)?;
        seed.aim = Some(aim);
        Some(seed)
    }

    /// The full name of a function.
    fn name(&self, file: usize, path: &[String]) -> Arc<str> {
        self.layout.module(self.files[file].path, Language::Rust).name(path)
    }
}

/// True for Rust sources that a benchmark may execute and that are part of what it measures: not tests, not the
/// benchmarks themselves, not what runs at build time.
fn is_code(path: &str) -> bool {
    /// Where cargo looks for targets that measure or show the library.
    const BESIDE: [&str; 3] = ["benches", "examples", "fuzz"];
    let is_rust = syntax::language_of(path) == Some(Language::Rust);
    let is_beside = path.split('/').any(|part| BESIDE.contains(&part));
    let is_build = path == "build.rs" || path.ends_with("/build.rs");
    is_rust && !is_beside && !is_build && !syntax::is_for_tests(path, Language::Rust)
}

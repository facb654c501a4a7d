//! The changed functions and files of a version → how much of them the benchmarks of the sample execute. For whoever reads a
//! score: a skip says little about code that no benchmark reaches.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::VersionSources;
use crate::change::ChangeSubject;
use crate::cost::{BenchmarkAssessment, SampleMatch, ScoringContext};
use crate::languages::{is_measured_code, language_of};
use crate::layout::SourceLayout;

/// How much of a version's changes the benchmarks of the sample reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BenchmarkReach {
    /// Number of functions that changed or went, those of tests left out. New ones are not counted: the sample lacks them.
    pub functions: usize,
    /// Number of those that a benchmark executes, in its profile or as far as the score expects it.
    pub executed: usize,
    /// Crates with changed functions or sources of which no benchmark executes anything, by name.
    pub unreached_crates: Vec<String>,
    /// Benchmarks of the sample that have no profile, by name: what only they execute is not seen.
    pub unprofiled_benchmarks: Vec<String>,
}

impl BenchmarkReach {
    /// Looks up every changed function in the profiles, and in what is expected of it.
    pub(super) fn of<'a>(
        version: &VersionSources<'_>,
        scene: &ScoringContext<'_>,
        assessed: impl Iterator<Item = &'a BenchmarkAssessment>,
    ) -> Self {
        let expected: BTreeSet<usize> = assessed
            .flat_map(|assessment| &assessment.contributions)
            .filter(|part| part.executions.expected > 0.0)
            .filter_map(|part| scene.pair_of(part.change))
            .collect();
        let changed: BTreeSet<usize> = (scene.changes.changes.iter())
            .filter_map(|change| match change.subject {
                ChangeSubject::Function(pair) => Some(pair),
                ChangeSubject::Item { .. }
                | ChangeSubject::Dependency { .. }
                | ChangeSubject::Build { .. }
                | ChangeSubject::Data { .. } => None,
            })
            .filter(|&pair| {
                let before = scene.changes.pairs[pair].before.as_ref();
                before.is_some_and(|before| !before.function.test_only)
            })
            .collect();
        let is_executed = |pair: &usize| {
            let standing = scene.standings[*pair].as_ref();
            let profiles = &scene.sample.benchmarks;
            let is_in_profile = |standing: &SampleMatch| {
                let mut ids = profiles
                    .iter()
                    .map(|profile| standing.sampled.ids_with_closures(profile));
                ids.any(|ids| !ids.is_empty())
            };
            expected.contains(pair) || standing.is_some_and(is_in_profile)
        };
        let sides = (scene.changes.pairs.iter()).flat_map(|pair| pair.before.iter().chain(&pair.after));
        let changed_crates = sides
            .filter(|side| !side.function.test_only && is_measured_code(&side.file))
            .filter_map(|side| Some(language_of(&side.file)?.package_of(&side.name).to_owned()));
        let layout = SourceLayout::new(version.after);
        let package = |path: &str| layout.module(path, language_of(path)?).segments.into_iter().next();
        let unused = (scene.changes.unused.iter()).filter(|path| is_measured_code(path));
        let crates: BTreeSet<String> = changed_crates.chain(unused.filter_map(|path| package(path))).collect();
        let reached = scene.sample.executed_packages();
        Self {
            functions: changed.len(),
            executed: changed.iter().filter(|pair| is_executed(pair)).count(),
            unreached_crates: crates.into_iter().filter(|name| !reached.contains(name)).collect(),
            unprofiled_benchmarks: scene.sample.unprofiled.clone(),
        }
    }
}

//! Versions of a benchmark's own source → where it is no longer the same benchmark, so that costs before and after are
//! not compared (Rizel compares only benchmarks that are not modified over the versions: Sandoval Alcocer, Bergel,
//! Ducasse and Denker, *Performance Evolution Blueprint*, VISSOFT 2013, section IV.A).
//!
//! A benchmark's own source are the functions that it executes and that only tests or benchmarks are made of. A harness
//! outside of the repository is the same for all versions.

use std::collections::BTreeSet;
use std::sync::Arc;

use analyzer::change::is_beside_benchmarks;
use analyzer::outline::{FunctionDefinition, ProfileNames, SourceOutline};
use profile::Profile;

use super::{TrackRequest, VersionCosts, stored_profile};
use crate::error::EngineError;
use crate::function_moves::FunctionMoves;

/// The functions of tests and benchmarks that differ from the measured version before, at each place where some do.
pub(super) struct BenchmarkRewrites(Vec<(usize, BTreeSet<Arc<str>>)>);

impl BenchmarkRewrites {
    /// Reads them off the sources of all versions.
    pub(super) fn of(
        request: &TrackRequest<'_>,
        known: &[VersionCosts],
        outlines: &[SourceOutline],
    ) -> Result<Self, EngineError> {
        let measured: Vec<usize> = (0..known.len())
            .filter(|&at| known[at].measured == Some(known[at].commit))
            .collect();
        let repository = request.sampling.repository;
        let mut all = Vec::new();
        for pair in measured.windows(2) {
            let sides = [pair[0], pair[1]].map(|at| (known[at].commit, &outlines[at]));
            let moves = FunctionMoves::between(repository, sides, &request.scoring.parser, &ProfileNames::new())?;
            let functions = rewritten(sides[0].1, sides[1].1, &moves);
            if !functions.is_empty() {
                all.push((pair[1], functions));
            }
        }
        Ok(Self(all))
    }

    /// The places at which a benchmark executes one of them.
    pub(super) fn of_benchmark(
        &self,
        request: &TrackRequest<'_>,
        known: &[VersionCosts],
        benchmark: &str,
    ) -> Result<Vec<usize>, EngineError> {
        let mut places = Vec::new();
        for (at, functions) in &self.0 {
            let executed = stored_profile(request, known[*at].commit, benchmark)?;
            if executed.is_some_and(|profile| executes(&profile, functions)) {
                places.push(*at);
            }
        }
        Ok(places)
    }
}

/// The functions of tests and benchmarks that are other code after than before, by their names after.
fn rewritten(before: &SourceOutline, after: &SourceOutline, moves: &FunctionMoves) -> BTreeSet<Arc<str>> {
    let before = moves.under_names_after(before);
    let differs = |name: &Arc<str>| before.digests(name) != after.digests(name) && !moves.is_same(name);
    (after.functions())
        .filter(|(name, definitions)| definitions.iter().any(|one| is_of_benchmarks(one)) && differs(name))
        .map(|(name, _)| Arc::clone(name))
        .collect()
}

/// True if a benchmark executes one of these functions.
fn executes(profile: &Profile, functions: &BTreeSet<Arc<str>>) -> bool {
    let own = profile.functions.iter().filter(|function| !function.external);
    own.map(|function| enclosing(&function.name))
        .any(|name| functions.contains(name))
}

fn is_of_benchmarks(definition: &FunctionDefinition) -> bool {
    definition.test_only || is_beside_benchmarks(&definition.file)
}

/// The function that a closure stands in.
fn enclosing(name: &str) -> &str {
    name.find("::{").map_or(name, |at| &name[..at])
}

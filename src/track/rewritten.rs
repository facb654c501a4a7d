//! Versions of a benchmark's own source → where it is no longer the same benchmark, so that costs before and after are
//! not compared (Rizel compares only benchmarks that are not modified over the versions: Sandoval Alcocer, Bergel,
//! Ducasse and Denker, *Performance Evolution Blueprint*, VISSOFT 2013, section IV.A).
//!
//! A benchmark's own source are the functions that it executes and that only tests or benchmarks are made of. A harness
//! outside of the repository is the same for all versions.

use std::collections::BTreeSet;
use std::sync::Arc;

use analyzer::outline::{Definition, Outline};
use profile::Profile;

use super::proof::is_benchmark;

/// The functions of tests and benchmarks that differ between two versions, by name.
pub(super) fn rewritten(before: &Outline, after: &Outline) -> BTreeSet<Arc<str>> {
    let of_both = before.functions().chain(after.functions());
    of_both
        .filter(|(name, definitions)| {
            definitions.iter().any(|one| is_of_benchmarks(one))
                && before.digests(name) != after.digests(name)
        })
        .map(|(name, _)| Arc::clone(name))
        .collect()
}

/// True if a benchmark executes one of these functions.
pub(super) fn executes(profile: &Profile, functions: &BTreeSet<Arc<str>>) -> bool {
    let own = profile.functions.iter().filter(|function| !function.external);
    own.map(|function| enclosing(&function.name))
        .any(|name| functions.contains(name))
}

fn is_of_benchmarks(definition: &Definition) -> bool {
    definition.test_only || is_benchmark(&definition.file)
}

/// The function that a closure stands in.
fn enclosing(name: &str) -> &str {
    name.find("::{").map_or(name, |at| &name[..at])
}

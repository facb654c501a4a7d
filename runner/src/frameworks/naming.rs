//! Benchmarks of several programs → the same benchmarks with unique names.

use std::collections::{BTreeMap, BTreeSet};

use super::Benchmark;
use crate::build::{BenchmarkExecutable, ExecutableKind};

/// Puts the target, and where needed the package, before each name that another program uses too.
pub(super) fn name_uniquely(found: Vec<(&BenchmarkExecutable, Benchmark)>) -> Vec<Benchmark> {
    let mut users: BTreeMap<String, BTreeSet<(String, ExecutableKind)>> = BTreeMap::new();
    let mut targets: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (executable, benchmark) in &found {
        let user = (format!("{} {}", executable.package, executable.target), executable.kind);
        users.entry(benchmark.name.clone()).or_default().insert(user);
        *targets
            .entry((executable.target.clone(), benchmark.name.clone()))
            .or_default() += 1;
    }
    let mut seen = BTreeSet::new();
    let mut named = Vec::new();
    for (executable, mut benchmark) in found {
        if users.get(&benchmark.name).is_some_and(|users| users.len() > 1) {
            let shared = targets
                .get(&(executable.target.clone(), benchmark.name.clone()))
                .is_some_and(|count| *count > 1);
            let package = if shared {
                format!("{}/", executable.package)
            } else {
                String::new()
            };
            benchmark.name = format!("{package}{}/{}", executable.target, benchmark.name);
        }
        // A framework that lists a name twice runs both together: one benchmark.
        if seen.insert(benchmark.name.clone()) {
            named.push(benchmark);
        }
    }
    named
}

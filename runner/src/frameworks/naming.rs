//! Benchmarks of several programs → the same benchmarks with unique names; names as programs take them.

use std::collections::{BTreeMap, BTreeSet};

use super::Benchmark;
use crate::build::BenchmarkExecutable;

/// A text with a backslash before each of some letters, so that a program takes it as it stands.
pub(super) fn escaped(text: &str, signs: &str) -> String {
    let mut asked = String::new();
    for letter in text.chars() {
        if signs.contains(letter) {
            asked.push('\\');
        }
        asked.push(letter);
    }
    asked
}

/// Prefixes each name that another program uses too: with the target, with the package if needed, and with the path of
/// the target's source where even these are the same.
pub(super) fn name_uniquely(found: Vec<(&BenchmarkExecutable, Benchmark)>) -> Vec<Benchmark> {
    let mut users: BTreeMap<String, BTreeSet<&BenchmarkExecutable>> = BTreeMap::new();
    for (executable, benchmark) in &found {
        users.entry(benchmark.name.clone()).or_default().insert(executable);
    }
    let mut seen = BTreeSet::new();
    let mut named = Vec::new();
    for (executable, mut benchmark) in found {
        if let Some(prefix) = unique_prefix(executable, &users[&benchmark.name]) {
            benchmark.name = format!("{prefix}/{}", benchmark.name);
        }
        // A framework that lists a name twice runs both together, as one benchmark.
        if seen.insert(benchmark.name.clone()) {
            named.push(benchmark);
        }
    }
    named
}

/// The shortest prefix that none of the other programs has; `None` if there is no other.
fn unique_prefix(executable: &BenchmarkExecutable, users: &BTreeSet<&BenchmarkExecutable>) -> Option<String> {
    let others: Vec<_> = users.iter().filter(|other| **other != executable).collect();
    if others.is_empty() {
        return None;
    }
    let prefixes: [fn(&BenchmarkExecutable) -> String; 3] = [
        |program| program.target.clone(),
        |program| format!("{}/{}", program.package, program.target),
        |program| format!("{}/{}", program.package, program.source.display()),
    ];
    let is_unique =
        |prefix: &&fn(&BenchmarkExecutable) -> String| (others.iter()).all(|other| prefix(other) != prefix(executable));
    let prefix = prefixes.iter().find(is_unique).unwrap_or(&prefixes[2]);
    Some(prefix(executable))
}

//! A built suite → what each benchmark's program was built with, and to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use machine_code::{CodeDigest, MachineCode};
use profile::Profile;
use verdict::{ExecutedCode, ProgramIdentity};

use super::BenchmarkSuite;
use crate::build::OutsideInputs;

/// The functions that benchmarks executed when they were sampled.
#[derive(Debug, Clone, Default)]
pub struct SampledFunctions {
    /// Commit of the sample.
    pub sample: String,
    /// Canonical names by benchmark.
    pub functions: BTreeMap<String, BTreeSet<String>>,
}

impl SampledFunctions {
    /// Those of a sample without profiles.
    #[must_use]
    pub fn at(sample: String) -> Self {
        Self {
            sample,
            functions: BTreeMap::new(),
        }
    }

    /// Adds the functions of a benchmark's profile.
    pub fn add(&mut self, profile: &Profile) {
        let names = profile.functions.iter().map(|function| function.name.clone());
        self.functions.insert(profile.benchmark.clone(), names.collect());
    }
}

impl BenchmarkSuite {
    /// The identities of the programs, by benchmark; none of those that were built with something unknown. Reads each
    /// program once.
    #[must_use]
    pub fn program_identities(&self) -> BTreeMap<String, ProgramIdentity> {
        let Some(dependencies) = dependencies_digest(&self.outside) else {
            return BTreeMap::new();
        };
        let mut codes: BTreeMap<&Path, Option<String>> = BTreeMap::new();
        (self.benchmarks.iter())
            .map(|benchmark| {
                let code = codes
                    .entry(&benchmark.program)
                    .or_insert_with(|| code_digest(&benchmark.program));
                let identity = ProgramIdentity {
                    dependencies: dependencies.clone(),
                    code: code.clone(),
                    executed: None,
                };
                (benchmark.name.clone(), identity)
            })
            .collect()
    }

    /// The machine code that benchmarks can reach from the functions that they executed when they were sampled. Reads each
    /// program once.
    #[must_use]
    pub fn executed_code(&self, sampled: &SampledFunctions) -> BTreeMap<String, ExecutedCode> {
        let mut by_program: BTreeMap<&Path, Vec<(&str, &BTreeSet<String>)>> = BTreeMap::new();
        for benchmark in &self.benchmarks {
            if let Some(functions) = sampled.functions.get(&benchmark.name) {
                let of_program = by_program.entry(&benchmark.program).or_default();
                of_program.push((&benchmark.name, functions));
            }
        }
        let executed = |code: CodeDigest| ExecutedCode {
            sample: sampled.sample.clone(),
            code: code.to_string(),
        };
        let mut all = BTreeMap::new();
        for (program, benchmarks) in by_program {
            let functions = benchmarks.iter().map(|(_, functions)| *functions);
            let digests = with_code(program, |code| machine_code::digest_reachable(code, functions));
            let digests = digests.into_iter().flatten().map(|digest| digest.map(executed));
            let named = benchmarks.iter().map(|(name, _)| (*name).to_owned()).zip(digests);
            all.extend(named.filter_map(|(name, executed)| Some((name, executed?))));
        }
        all
    }
}

/// The packages of all lock files together. Where the lock files are does not matter.
fn dependencies_digest(outside: &OutsideInputs) -> Option<String> {
    if !outside.is_complete || outside.lockfiles.is_empty() {
        return None;
    }
    let mut packages: Vec<&str> = (outside.lockfiles.values())
        .map(|digest| digest.packages.as_str())
        .collect();
    packages.sort_unstable();
    let digest = blake3::hash(packages.join("\n").as_bytes());
    Some(digest.to_hex()[..DIGITS].to_owned())
}

/// Hexadecimal digits that distinguish sets of packages.
const DIGITS: usize = 32;

fn code_digest(program: &Path) -> Option<String> {
    with_code(program, |code| machine_code::digest_program(code).to_string())
}

/// The answer of a program's machine code; `None` where that cannot be read.
fn with_code<T>(program: &Path, answer: impl FnOnce(&MachineCode<'_>) -> T) -> Option<T> {
    let bytes = std::fs::read(program).ok()?;
    Some(answer(&machine_code::read_program(&bytes).ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::build::LockfileDigest;

    fn outside(locks: &[(&str, &str)]) -> OutsideInputs {
        let digest = |packages: &str| LockfileDigest {
            text: String::new(),
            packages: packages.to_owned(),
        };
        OutsideInputs {
            lockfiles: (locks.iter())
                .map(|(path, packages)| (path.into(), digest(packages)))
                .collect(),
            ..OutsideInputs::nothing()
        }
    }

    #[test]
    fn other_packages_have_another_digest_and_another_folder_has_not() {
        let one = dependencies_digest(&outside(&[("/a/Cargo.lock", "1"), ("/b/Cargo.lock", "2")])).unwrap();
        let moved = outside(&[("/c/Cargo.lock", "2"), ("/d/Cargo.lock", "1")]);
        assert_eq!(dependencies_digest(&moved).unwrap(), one);
        let other = outside(&[("/a/Cargo.lock", "1"), ("/b/Cargo.lock", "3")]);
        assert_ne!(dependencies_digest(&other).unwrap(), one);
    }

    #[test]
    fn what_was_built_with_something_unknown_has_no_identity() {
        assert_eq!(dependencies_digest(&outside(&[])), None);
        let incomplete = OutsideInputs {
            is_complete: false,
            ..outside(&[("/a/Cargo.lock", "1")])
        };
        assert_eq!(dependencies_digest(&incomplete), None);
    }
}

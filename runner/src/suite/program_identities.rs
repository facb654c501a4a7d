//! A built suite → what each benchmark's program was built with, and to.

use std::collections::BTreeMap;
use std::path::Path;

use verdict::ProgramIdentity;

use super::BenchmarkSuite;
use crate::build::OutsideInputs;

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
                };
                (benchmark.name.clone(), identity)
            })
            .collect()
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
    let bytes = std::fs::read(program).ok()?;
    let code = machine_code::read_program(&bytes).ok()?;
    Some(machine_code::digest_program(&code).to_string())
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

//! The comparison of machine code, checked against instruction counts over real histories: equal code must have equal
//! counts.
//!
//! ```text
//! LITO_HISTORIES=DIR cargo test -p lito-runner histories -- --ignored --nocapture
//! ```
//! `DIR` holds clones, each named like a folder of `config/demo` (`semver`, `httparse`, `memchr`, `hashbrown`).
//! `LITO_VERSIONS` is the number of commits of each that are built, newest first, of those that touch `src`; 12 by
//! default.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use machine_code::{self, CodeEquivalence, CodeScope};

use crate::benchmark::BenchmarkSubject;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::fixture::CargoFixture;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::profilers::callgrind::{self, ProfilerRequest};

const DEFAULT_VERSIONS: usize = 12;

/// A benchmark at one version.
struct CountedProgram {
    program: Vec<u8>,
    total: u64,
    executed: BTreeSet<String>,
}

/// Answers of one kind, and the counts beside them.
#[derive(Default)]
struct SamenessTally {
    same_and_equal: u32,
    same_and_moved: u32,
    different_and_equal: u32,
    different_and_moved: u32,
    unknown: u32,
}

#[test]
#[ignore = "builds and measures real histories: minutes"]
fn what_is_the_same_counts_the_same() {
    let histories = PathBuf::from(std::env::var_os("LITO_HISTORIES").unwrap());
    let versions = std::env::var("LITO_VERSIONS").ok();
    let versions = versions.map_or(DEFAULT_VERSIONS, |text| text.parse().unwrap());
    let mut moved_though_same = Vec::new();
    for entry in ["semver", "httparse", "memchr", "hashbrown"] {
        let clone = histories.join(entry);
        if !clone.is_dir() {
            continue;
        }
        let mut rows: BTreeMap<&str, SamenessTally> = BTreeMap::new();
        let mut previous: BTreeMap<String, CountedProgram> = BTreeMap::new();
        let fixture = CargoFixture::new(&[]);
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/demo").join(entry);
        command(
            "cp",
            &[
                "-r",
                &demo.to_string_lossy(),
                &fixture.path("harness").to_string_lossy(),
            ],
        );
        for commit in commits(&clone, versions) {
            let tree = fixture.path("tree");
            std::fs::remove_dir_all(&tree).unwrap();
            std::fs::create_dir(&tree).unwrap();
            let work_tree = format!("--work-tree={}", tree.display());
            let folder = clone.to_string_lossy();
            command(
                "git",
                &[
                    "-C",
                    &folder,
                    &work_tree,
                    "checkout",
                    "-q",
                    "-f",
                    &commit,
                    "--",
                    ".",
                    ":!benchmarks",
                ],
            );
            let measured = measure(&fixture);
            println!("{entry} {commit} {} benchmarks", measured.len());
            for (name, head) in &measured {
                let Some(base) = previous.get(name) else {
                    continue;
                };
                let moved = base.total != head.total;
                for (scope, answer) in answers(name, base, head) {
                    let row = rows.entry(scope).or_default();
                    match (&answer, moved) {
                        (CodeEquivalence::Same { .. }, false) => row.same_and_equal += 1,
                        (CodeEquivalence::Same { .. }, true) => {
                            row.same_and_moved += 1;
                            moved_though_same.push(format!(
                                "{scope}: {entry} {commit} {name}: {} → {}",
                                base.total, head.total
                            ));
                        }
                        (CodeEquivalence::Different { functions }, _) => {
                            let shown: Vec<String> = functions.iter().take(3).map(ToString::to_string).collect();
                            let change = head.total as f64 / base.total as f64 - 1.0;
                            println!("  {name} {scope} {change:+.4}: {}", shown.join("; "));
                            if moved {
                                row.different_and_moved += 1;
                            } else {
                                row.different_and_equal += 1;
                            }
                        }
                        (CodeEquivalence::Unknown { why }, _) => {
                            println!("  {name} {scope}: not known: {why}");
                            row.unknown += 1;
                        }
                    }
                }
            }
            previous = measured;
        }
        for (scope, row) in rows {
            println!(
                "{entry}, {scope}: same {} (moved {}), different {} (equal counts {}), not known {}",
                row.same_and_equal + row.same_and_moved,
                row.same_and_moved,
                row.different_and_equal + row.different_and_moved,
                row.different_and_equal,
                row.unknown
            );
        }
    }
    assert!(moved_though_same.is_empty(), "{}", moved_though_same.join("\n"));
}

fn answers(name: &str, base: &CountedProgram, head: &CountedProgram) -> [(&'static str, CodeEquivalence); 3] {
    let (one, other) = (
        machine_code::read_program(&base.program),
        machine_code::read_program(&head.program),
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    let roots = BTreeSet::from([format!("{}::subject", name.replace('-', "_"))]);
    let sampled = CodeScope::Sampled {
        roots: &roots,
        executed: &base.executed,
        changed: &BTreeSet::new(),
    };
    [
        (
            "program",
            machine_code::compare_programs(&one, &other, CodeScope::Program),
        ),
        (
            "from the subject",
            machine_code::compare_programs(&one, &other, CodeScope::From(&roots)),
        ),
        ("profiled", machine_code::compare_programs(&one, &other, sampled)),
    ]
}

/// The oldest first.
fn commits(clone: &Path, versions: usize) -> Vec<String> {
    let folder = clone.to_string_lossy();
    let count = format!("-{versions}");
    let list = [
        "-C",
        &folder,
        "log",
        "--first-parent",
        "--format=%h",
        &count,
        "HEAD",
        "--",
        "src",
        "Cargo.toml",
        "build.rs",
    ];
    let mut commits: Vec<String> = command("git", &list).lines().map(str::to_owned).collect();
    commits.reverse();
    commits
}

fn command(program: &str, arguments: &[&str]) -> String {
    let invocation = Invocation::new(program, "/", Duration::from_secs(60)).arguments(arguments);
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success(), "{invocation}: {}", finished.stderr.text());
    finished.stdout.text()
}

fn measure(fixture: &CargoFixture) -> BTreeMap<String, CountedProgram> {
    let definition = BenchmarkDefinition {
        harness: Some("../harness".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    let built = match fixture.build(&definition) {
        Ok(built) => built,
        Err(error) => {
            println!("  {error}");
            return BTreeMap::new();
        }
    };
    let subject = BenchmarkSubject::Function("subject".to_owned());
    let directory = fixture.path("tree");
    (built.executables.iter())
        .filter_map(|executable| {
            let request = ProfilerRequest {
                benchmark: &executable.target,
                program: &executable.path,
                counting: None,
                arguments: &[],
                directory: &directory,
                environment: &[],
                subject: &subject,
                roots: &attribution::callgrind::PathRemapping::for_project(&directory.to_string_lossy()),
                time_limit: Duration::from_secs(300),
                interpreter: None,
                shared_start: None,
                interruption: &InterruptionFlag::default(),
            };
            let profile = match callgrind::profile(&request) {
                Ok(profile) => profile,
                Err(error) => {
                    println!("  {error}");
                    return None;
                }
            };
            let measured = CountedProgram {
                program: std::fs::read(&executable.path).unwrap(),
                total: profile.total,
                executed: profile.functions.into_iter().map(|function| function.name).collect(),
            };
            Some((executable.target.clone(), measured))
        })
        .collect()
}

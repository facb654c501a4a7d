#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::benchmark::{Adapter, TimeSpan};
use crate::environment::Fingerprint;
use crate::git::tests::Fixture;
use crate::process::{self, Invocation, ProcessError};
use crate::store::{DEFAULT_URL, ObjectKey, Outcome, SampleRecord, SampleState};
use crate::toolchain;

const MANIFEST: &str = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

fn tests_of(names: &[(&str, &str)]) -> String {
    names
        .iter()
        .map(|(name, body)| format!("#[test] fn {name}() {{ {body} }}\n"))
        .collect()
}

/// A repository whose versions hold these integration tests.
fn repository(versions: &[&str]) -> (Fixture, Vec<CommitId>) {
    let fixture = Fixture::new();
    fixture.write("Cargo.toml", MANIFEST);
    fixture.write("src/lib.rs", "");
    let commits = versions.iter().map(|version| {
        fixture.write("tests/whole.rs", version);
        fixture.commit("version")
    });
    let commits = commits.collect();
    (fixture, commits)
}

struct Run {
    result: Result<Vec<Sampled>, SampleError>,
    events: Vec<String>,
}

struct Setting {
    repository: Repository,
    store: Store,
    cache: Cache,
    interruption: Interruption,
    definitions: Vec<Definition>,
}

/// The limit of each benchmark. One of them reaches it; the others need milliseconds, on a busy machine more.
const LIMIT: Duration = Duration::from_secs(5);

impl Setting {
    fn of(fixture: &Fixture) -> Self {
        let repository = fixture.open();
        let limit = TimeSpan(LIMIT);
        Self {
            store: Store::open(&repository, DEFAULT_URL).unwrap(),
            cache: Cache::below(&fixture.beside("cache"), &fixture.dir()).unwrap(),
            interruption: Interruption::default(),
            definitions: vec![Definition {
                time_limit: Some(limit),
                ..Definition::new(Adapter::CargoTest)
            }],
            repository,
        }
    }

    fn sample(&self, commits: &[CommitId], profiling: Profiling<'_>) -> Run {
        let plan = Plan {
            repository: &self.repository,
            store: &self.store,
            commits,
            definitions: &self.definitions,
            cache: &self.cache,
            workers: 2,
            failed_before: FailedBefore::Skip,
            profiler: "valgrind-0",
            probes: None,
            profiling,
            interruption: &self.interruption,
        };
        let mut events = Vec::new();
        let result = sample(&plan, &mut |event| {
            events.push(match event {
                Event::Version { index, total, .. } => format!("version {index} of {total}"),
                Event::Building { .. } => "building".to_owned(),
                Event::Listed { benchmarks, stored, .. } => format!("listed {benchmarks}, {stored} stored"),
                Event::Profiled { done, total, .. } => format!("profiled {done} of {total}"),
                Event::VersionDone { .. } => "done".to_owned(),
            });
        });
        Run { result, events }
    }

    fn record(&self, commit: CommitId) -> SampleRecord {
        let mut samples = self.store.sample(commit).unwrap().samples;
        assert_eq!(samples.len(), 1);
        samples.remove(0)
    }
}

/// Runs the benchmark as it is; its profile is its name.
fn native(benchmark: &Benchmark, _: &Prepared<'_>) -> Result<Taken, Untaken> {
    let invocation =
        Invocation::new(&benchmark.program, &benchmark.directory, benchmark.time_limit).arguments(&benchmark.arguments);
    match process::run(&invocation, &Interruption::default()) {
        Ok(finished) if finished.status.success() => Ok(Taken {
            bytes: benchmark.name.clone().into_bytes(),
            total: 1,
        }),
        Ok(finished) => Err(Untaken::Failed {
            reason: finished.ending(),
        }),
        Err(ProcessError::TimedOut { limit, .. }) => Err(Untaken::TimedOut { limit }),
        Err(other) => Err(Untaken::Failed {
            reason: other.to_string(),
        }),
    }
}

#[test]
fn benchmarks_that_fail_or_hang_are_recorded_and_the_others_go_on() {
    let version = tests_of(&[
        ("fails", "panic!()"),
        ("hangs", "std::thread::sleep(std::time::Duration::from_secs(1000))"),
        ("works", ""),
    ]);
    let (fixture, commits) = repository(&[&version]);
    let setting = Setting::of(&fixture);
    let run = setting.sample(&commits, &native);
    let sampled = &run.result.unwrap()[0];
    assert_eq!((sampled.profiled, sampled.failed, sampled.reused), (1, 2, 0));
    assert_eq!(sampled.state, VersionState::Sampled);
    let record = setting.record(commits[0]);
    assert_eq!(record.state, SampleState::Complete);
    assert!(record.is_baseline());
    assert_eq!(
        record.benchmarks["fails"],
        Outcome::Failed {
            reason: "exited with code 101".to_owned()
        }
    );
    assert_eq!(
        record.benchmarks["hangs"],
        Outcome::TimedOut {
            seconds: LIMIT.as_secs()
        }
    );
    assert_eq!(
        record.benchmarks["works"],
        Outcome::Profiled {
            profile: ObjectKey::of(b"works"),
            total: 1
        }
    );
    assert_eq!(setting.store.object(ObjectKey::of(b"works")).unwrap(), b"works");
    let expected = ["version 0 of 1", "building", "listed 3, 0 stored"];
    assert_eq!(run.events[..3], expected);
    assert_eq!(run.events.last().unwrap(), "done");
    assert!(!setting.cache.tree().exists(), "the checkout stayed behind");
}

#[test]
fn a_version_that_does_not_build_is_recorded_and_neither_stops_the_others_nor_is_built_again() {
    let good = tests_of(&[("works", "")]);
    let (fixture, commits) = repository(&[&good, "nonsense", &format!("{good}// more")]);
    let setting = Setting::of(&fixture);
    let states = |run: Run| {
        run.result
            .unwrap()
            .into_iter()
            .map(|sampled| sampled.state)
            .collect::<Vec<_>>()
    };
    let first = states(setting.sample(&commits, &native));
    assert!(
        matches!(&first[1], VersionState::DoesNotBuild { reason } if reason.contains("nonsense")),
        "{first:?}"
    );
    assert_eq!((&first[0], &first[2]), (&VersionState::Sampled, &VersionState::Sampled));
    assert!(matches!(
        setting.record(commits[1]).state,
        SampleState::BuildFailed { .. }
    ));
    let again = setting.sample(&commits, &native);
    assert!(
        !again.events.iter().any(|event| event == "building"),
        "{:?}",
        again.events
    );
    let again = states(again);
    assert_eq!(
        again,
        [
            VersionState::AlreadySampled,
            first[1].clone(),
            VersionState::AlreadySampled
        ]
    );
}

#[test]
fn a_sample_that_was_cut_short_is_no_baseline_and_is_completed_without_repeating_anything() {
    let (fixture, commits) = repository(&[&tests_of(&[("a", ""), ("b", ""), ("c", ""), ("d", "")])]);
    let setting = Setting::of(&fixture);
    let taken = AtomicUsize::new(0);
    let breaks = |benchmark: &Benchmark, version: &Prepared<'_>| {
        if taken.fetch_add(1, Ordering::SeqCst) >= 2 {
            return Err(Untaken::Machine {
                reason: "valgrind is gone".to_owned(),
            });
        }
        native(benchmark, version)
    };
    let error = setting.sample(&commits, &breaks).result.unwrap_err();
    assert!(error.to_string().contains("valgrind is gone"), "{error}");
    let record = setting.record(commits[0]);
    assert_eq!(record.state, SampleState::InProgress);
    assert!(!record.is_baseline());
    let stored = record.benchmarks.len();
    assert!((1..=2).contains(&stored), "{record:?}");

    taken.store(0, Ordering::SeqCst);
    let counts = |benchmark: &Benchmark, version: &Prepared<'_>| {
        taken.fetch_add(1, Ordering::SeqCst);
        native(benchmark, version)
    };
    let sampled = setting.sample(&commits, &counts).result.unwrap().remove(0);
    assert_eq!(taken.load(Ordering::SeqCst), 4 - stored);
    assert_eq!((sampled.profiled, sampled.reused), (4, stored));
    assert!(setting.record(commits[0]).is_baseline());
}

#[test]
fn an_interruption_keeps_what_is_stored() {
    let (fixture, commits) = repository(&[&tests_of(&[("a", ""), ("b", ""), ("c", "")])]);
    let setting = Setting::of(&fixture);
    let interrupts = |benchmark: &Benchmark, version: &Prepared<'_>| {
        let taken = native(benchmark, version);
        setting.interruption.raise();
        taken
    };
    let error = setting.sample(&commits, &interrupts).result.unwrap_err();
    assert!(matches!(error, SampleError::Interrupted));
    let record = setting.record(commits[0]);
    assert_eq!(record.state, SampleState::InProgress);
    assert!((1..=2).contains(&record.benchmarks.len()), "{record:?}");
}

#[test]
fn no_benchmark_in_any_version_is_an_error_that_names_what_was_looked_for() {
    let (fixture, commits) = repository(&["// nothing", "// still nothing"]);
    let setting = Setting::of(&fixture);
    let error = setting.sample(&commits, &native).result.unwrap_err();
    assert!(matches!(error, SampleError::NoBenchmark(_)));
    assert!(error.to_string().contains("test whole of subject"), "{error}");
    assert!(setting.store.sample(commits[0]).unwrap().samples.is_empty());
}

#[test]
fn a_changed_harness_or_definition_is_another_environment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("harness/src")).unwrap();
    std::fs::write(folder.path().join("harness/src/main.rs"), "1").unwrap();
    let compiler = toolchain::Compiler {
        version: "rustc 1".to_owned(),
        host: "x".to_owned(),
    };
    let fingerprint = Fingerprint::here(&compiler, "valgrind-0");
    let definition = Definition {
        harness: Some("harness".into()),
        ..Definition::new(Adapter::CargoBench)
    };
    let id = |definitions: &[Definition]| environment(&fingerprint, definitions, folder.path()).id();
    let before = id(std::slice::from_ref(&definition));
    assert_eq!(before, id(std::slice::from_ref(&definition)));
    assert_ne!(before, id(&[]));
    assert_ne!(
        before,
        id(&[Definition {
            features: vec!["fast".into()],
            ..definition.clone()
        }])
    );
    std::fs::write(folder.path().join("harness/src/main.rs"), "2").unwrap();
    assert_ne!(before, id(&[definition]));
}

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};

use std::time::Duration;

use profile::format::binary;
use profile::{CostUnit, Profile};

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions, TimeSpan};
use crate::build::BuildContext;
use crate::environment::{EnvironmentFingerprint, MachineFacts};
use crate::frameworks::Benchmark;
use crate::git::tests::GitFixture;
use crate::process::{self, Invocation, ProcessError};
use crate::profilers::callgrind::CallgrindProfiler;
use crate::profilers::{
    ProfiledCallTree, ProfiledRun, ProfilerBuild, ProfilerCounter, ProfilerError, TimelineRecorder,
};
use crate::store::{DEFAULT_URL, ObjectKey, SampleOutcome, SampleRecord, SampleState};
use crate::suite::SuiteError;
use crate::suite::{self, SuitePrograms};
use crate::toolchain;

const MANIFEST: &str = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

fn tests_of(names: &[(&str, &str)]) -> String {
    names
        .iter()
        .map(|(name, body)| format!("#[test] fn {name}() {{ {body} }}\n"))
        .collect()
}

/// A repository whose versions hold these integration tests.
fn repository(versions: &[&str]) -> (GitFixture, Vec<CommitId>) {
    let fixture = GitFixture::new();
    fixture.write("Cargo.toml", MANIFEST);
    fixture.write("src/lib.rs", "");
    let commits = versions.iter().map(|version| {
        fixture.write("tests/whole.rs", version);
        fixture.commit("version")
    });
    let commits = commits.collect();
    (fixture, commits)
}

struct SampleRun {
    result: Result<Vec<SampledVersion>, SampleError>,
    events: Vec<String>,
}

struct SampleFixture {
    repository: Repository,
    store: Store,
    cache: RepositoryCache,
    interruption: InterruptionFlag,
    definitions: BenchmarkDefinitions,
}

/// The limit of each benchmark. One of them reaches it; the others need milliseconds, or more on a busy machine.
const LIMIT: Duration = Duration::from_secs(5);

impl SampleFixture {
    fn of(fixture: &GitFixture) -> Self {
        let repository = fixture.open();
        let limit = TimeSpan(LIMIT);
        Self {
            store: Store::open(&repository, DEFAULT_URL).unwrap(),
            cache: RepositoryCache::below(&fixture.beside("cache"), &fixture.dir()).unwrap(),
            interruption: InterruptionFlag::default(),
            definitions: [BenchmarkDefinition {
                time_limit: Some(limit),
                ..BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)
            }]
            .into(),
            repository,
        }
    }

    fn sample(&self, commits: &[CommitId], profiling: TakesProfile<'_>) -> SampleRun {
        self.sample_within(None, commits, profiling)
    }

    fn sample_within(&self, budget: Option<Duration>, commits: &[CommitId], profiling: TakesProfile<'_>) -> SampleRun {
        let plan = SamplePlan {
            budget,
            repository: &self.repository,
            store: &self.store,
            commits,
            definitions: &self.definitions,
            cache: &self.cache,
            workers: 2,
            failed_before: FailureRetryPolicy::Skip,
            profiler: &TestProfiler(profiling),
            interruption: &self.interruption,
        };
        let mut events = Vec::new();
        let result = sample(&plan, &mut |event| {
            events.push(match event {
                SampleEvent::Version { index, total, .. } => format!("version {index} of {total}"),
                SampleEvent::Waiting { holder } => format!("waiting for {holder}"),
                SampleEvent::Building { .. } => "building".to_owned(),
                SampleEvent::Listed { benchmarks, stored, .. } => format!("listed {benchmarks}, {stored} stored"),
                SampleEvent::Profiled { done, total, .. } => format!("profiled {done} of {total}"),
                SampleEvent::VersionDone { .. } => "done".to_owned(),
            });
        });
        SampleRun { result, events }
    }

    fn record(&self, commit: CommitId) -> SampleRecord {
        let mut samples = self.store.sample(commit).unwrap().samples;
        assert_eq!(samples.len(), 1);
        samples.remove(0)
    }
}

/// A function of a test that takes the profile of a benchmark.
type TakesProfile<'a> = &'a (dyn Fn(&Benchmark) -> Result<Profile, ProfilerError> + Send + Sync);

/// A profiler that takes profiles with a function of the test.
struct TestProfiler<'a>(TakesProfile<'a>);

impl Profiler for TestProfiler<'_> {
    fn name(&self) -> &'static str {
        "test"
    }

    fn version(&self) -> &str {
        "valgrind-0"
    }

    fn unit(&self) -> CostUnit {
        CostUnit::Operations
    }

    fn counters(&self) -> &'static [ProfilerCounter] {
        &[]
    }

    fn changes_sources(&self) -> bool {
        false
    }

    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError> {
        Ok(ProfilerBuild {
            suite: suite::build_suite(definitions, context, SuitePrograms::Measured)?,
            ..ProfilerBuild::default()
        })
    }

    fn profile(
        &self,
        benchmark: &Benchmark,
        _: &ProfilerBuild,
        _: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError> {
        (self.0)(benchmark).map(ProfiledRun::from)
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        _: &ProfilerBuild,
        _: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        Err(failed(benchmark))
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        None
    }
}

fn failed(benchmark: &Benchmark) -> ProfilerError {
    ProfilerError::SubjectNotExecuted {
        program: benchmark.program.clone(),
        subject: benchmark.subject.in_words(),
    }
}

/// A profile of a benchmark by its name: one instruction.
fn profile_of(benchmark: &str) -> Profile {
    Profile {
        benchmark: benchmark.to_owned(),
        unit: CostUnit::Instructions,
        profiler: "test".to_owned(),
        exact_counts: true,
        total: 1,
        files: Vec::new(),
        functions: Vec::new(),
        sites: Vec::new(),
        lines: Vec::new(),
    }
}

/// Runs the benchmark without a profiler.
fn native(benchmark: &Benchmark) -> Result<Profile, ProfilerError> {
    let program = benchmark.program.clone();
    let invocation =
        Invocation::new(&program, &benchmark.directory, benchmark.time_limit).arguments(&benchmark.arguments);
    match process::run(&invocation, &InterruptionFlag::default()) {
        Ok(finished) if finished.status.success() => Ok(profile_of(&benchmark.name)),
        Ok(finished) => Err(ProfilerError::ProgramFailed {
            program,
            status: finished.status,
            stderr: String::new(),
        }),
        Err(ProcessError::TimedOut { limit, .. }) => Err(ProfilerError::TimedOut { program, limit }),
        Err(other) => panic!("{other}"),
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
    let setting = SampleFixture::of(&fixture);
    let run = setting.sample(&commits, &native);
    let sampled = &run.result.unwrap()[0];
    assert_eq!((sampled.profiled, sampled.failures.len(), sampled.reused), (1, 2, 0));
    assert_eq!(sampled.state, SampledVersionState::Sampled);
    let record = setting.record(commits[0]);
    assert_eq!(record.state, SampleState::Complete);
    assert!(record.is_baseline());
    assert!(
        matches!(&record.benchmarks["fails"], SampleOutcome::Failed { reason } if reason.contains("101")),
        "{record:?}"
    );
    assert_eq!(
        record.benchmarks["hangs"],
        SampleOutcome::TimedOut {
            seconds: LIMIT.as_secs()
        }
    );
    let bytes = binary::encode(&profile_of("works"));
    let SampleOutcome::Profiled {
        profile, total, inputs, ..
    } = &record.benchmarks["works"]
    else {
        panic!("{record:?}");
    };
    assert_eq!((*profile, *total), (ObjectKey::of(&bytes), 1));
    let inputs = setting.store.object(inputs.unwrap()).unwrap();
    let inputs = profile::inputs::binary::decode(&inputs).unwrap();
    assert!(inputs.compiled.is_complete && !inputs.opened.is_complete, "{inputs:?}");
    assert!(
        inputs.compiled.units_with("tests/whole.rs").next().is_some(),
        "{inputs:?}"
    );
    assert_eq!(setting.store.object(ObjectKey::of(&bytes)).unwrap(), bytes);
    let expected = ["version 0 of 1", "building", "listed 3, 0 stored"];
    assert_eq!(run.events[..3], expected);
    assert_eq!(run.events.last().unwrap(), "done");
    assert!(!setting.cache.tree().exists(), "the checkout stayed behind");
}

#[test]
fn what_a_budget_leaves_out_is_stored_as_such_and_taken_by_the_next_sampling() {
    let version = tests_of(&[("a", ""), ("b", ""), ("c", "")]);
    let (fixture, commits) = repository(&[&version]);
    let setting = SampleFixture::of(&fixture);
    let run = setting.sample_within(Some(Duration::ZERO), &commits, &native);
    let sampled = &run.result.unwrap()[0];
    assert_eq!((sampled.profiled, sampled.left_out.len()), (1, 2));
    let record = setting.record(commits[0]);
    assert_eq!((record.is_baseline(), record.left_out().count()), (true, 2));
    assert_eq!(record.unprofiled().count(), 0, "they were not tried");
    let run = setting.sample(&commits, &native);
    let sampled = &run.result.unwrap()[0];
    assert_eq!((sampled.profiled, sampled.left_out.len(), sampled.reused), (3, 0, 1));
    assert_eq!(setting.record(commits[0]).left_out().count(), 0);
}

#[test]
fn a_version_that_does_not_build_is_recorded_and_neither_stops_the_others_nor_is_built_again() {
    let good = tests_of(&[("works", "")]);
    let (fixture, commits) = repository(&[&good, "nonsense", &format!("{good}// more")]);
    let setting = SampleFixture::of(&fixture);
    let states = |run: SampleRun| {
        run.result
            .unwrap()
            .into_iter()
            .map(|sampled| sampled.state)
            .collect::<Vec<_>>()
    };
    let first = states(setting.sample(&commits, &native));
    assert!(
        matches!(&first[1], SampledVersionState::DoesNotBuild { reason } if reason.contains("nonsense")),
        "{first:?}"
    );
    assert_eq!(
        (&first[0], &first[2]),
        (&SampledVersionState::Sampled, &SampledVersionState::Sampled)
    );
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
            SampledVersionState::AlreadySampled,
            first[1].clone(),
            SampledVersionState::AlreadySampled
        ]
    );
}

#[test]
fn a_sampling_that_has_nothing_to_write_removes_what_a_killed_one_left() {
    let (fixture, commits) = repository(&[&tests_of(&[("works", "")])]);
    SampleFixture::of(&fixture).sample(&commits, &native).result.unwrap();
    let setting = SampleFixture::of(&fixture);
    let abandoned = setting.repository.common_dir().join("objects/tmp_objdir-lito-killed");
    std::fs::create_dir(&abandoned).unwrap();
    let again = setting.sample(&commits, &native).result.unwrap();
    assert_eq!(again[0].state, SampledVersionState::AlreadySampled);
    assert!(!abandoned.exists());
}

#[test]
fn a_sample_that_was_cut_short_is_no_baseline_and_is_completed_without_repeating_anything() {
    let (fixture, commits) = repository(&[&tests_of(&[("a", ""), ("b", ""), ("c", ""), ("d", "")])]);
    let setting = SampleFixture::of(&fixture);
    let taken = AtomicUsize::new(0);
    let breaks = |benchmark: &Benchmark| {
        if taken.fetch_add(1, Ordering::SeqCst) >= 2 {
            return Err(ProfilerError::ValgrindFailed {
                program: benchmark.program.clone(),
                message: "valgrind is gone".to_owned(),
            });
        }
        native(benchmark)
    };
    let error = setting.sample(&commits, &breaks).result.unwrap_err();
    assert!(error.to_string().contains("valgrind is gone"), "{error}");
    let record = setting.record(commits[0]);
    assert_eq!(record.state, SampleState::InProgress);
    assert!(!record.is_baseline());
    let stored = record.benchmarks.len();
    assert!((1..=2).contains(&stored), "{record:?}");

    taken.store(0, Ordering::SeqCst);
    let counts = |benchmark: &Benchmark| {
        taken.fetch_add(1, Ordering::SeqCst);
        native(benchmark)
    };
    let sampled = setting.sample(&commits, &counts).result.unwrap().remove(0);
    assert_eq!(taken.load(Ordering::SeqCst), 4 - stored);
    assert_eq!((sampled.profiled, sampled.reused), (4, stored));
    assert!(setting.record(commits[0]).is_baseline());
}

#[test]
fn an_interruption_keeps_what_is_stored() {
    let (fixture, commits) = repository(&[&tests_of(&[("a", ""), ("b", ""), ("c", "")])]);
    let setting = SampleFixture::of(&fixture);
    let interrupts = |benchmark: &Benchmark| {
        let taken = native(benchmark);
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
fn a_version_without_benchmarks_is_told_with_what_was_looked_for_and_not_stored() {
    let (fixture, commits) = repository(&["// nothing", "// still nothing"]);
    let setting = SampleFixture::of(&fixture);
    for version in setting.sample(&commits, &native).result.unwrap() {
        let SampledVersionState::NoBenchmark { reason } = version.state else {
            panic!("{version:?}");
        };
        assert!(reason.contains("test whole of subject"), "{reason}");
    }
    assert!(setting.store.sample(commits[0]).unwrap().samples.is_empty());
}

#[test]
fn a_changed_harness_or_definition_is_another_environment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("harness/src")).unwrap();
    std::fs::write(folder.path().join("harness/src/main.rs"), "1").unwrap();
    let compiler = toolchain::RustCompiler {
        version: "rustc 1".to_owned(),
        host: "x".to_owned(),
    };
    let profiler = CallgrindProfiler::presenting("valgrind-0", MachineFacts::new());
    let fingerprint = EnvironmentFingerprint::here(&compiler, &profiler, folder.path(), &InterruptionFlag::default());
    let definition = BenchmarkDefinition {
        harness: Some("harness".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    let below = |name: &str| RepositoryCache::below(&folder.path().join(name), folder.path()).unwrap();
    let [cache, elsewhere, far] = [below("cache"), below("elsewhere/cache"), below(&"far/away/".repeat(15))];
    let in_cache = |cache, definitions: &[BenchmarkDefinition]| {
        environment(&fingerprint, definitions, (folder.path(), cache)).id()
    };
    assert_eq!(
        in_cache(&cache, &[]),
        in_cache(&elsewhere, &[]),
        "wherever the cache is"
    );
    assert_ne!(in_cache(&cache, &[]), in_cache(&far, &[]), "paths of another length");
    let id = |definitions: &[BenchmarkDefinition]| in_cache(&cache, definitions);
    let before = id(std::slice::from_ref(&definition));
    assert_eq!(before, id(std::slice::from_ref(&definition)));
    assert_ne!(before, id(&[]));
    assert_ne!(
        before,
        id(&[BenchmarkDefinition {
            features: vec!["fast".into()],
            ..definition.clone()
        }])
    );
    std::fs::write(folder.path().join("harness/src/main.rs"), "2").unwrap();
    assert_ne!(before, id(&[definition]));
}

//! Everything that is taken of a version on one visit, with profilers whose builds are counted.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use profile::call_tree::folded_stacks;
use profile::timeline::{FunctionActivity, Timeline};
use profile::{CostUnit, Profile};

use super::call_trees::{CallTreesPlan, VersionCallTrees};
use super::sample::{SamplePlan, SampledVersion, SampledVersionState};
use super::timelines::{TimelineOutcome, TimelinesPlan};
use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::frameworks::Benchmark;
use crate::git::tests::GitFixture;
use crate::profilers::{ProfiledCallTree, ProfiledRun, ProfilerCounter, ProfilerError, TimelineRecorder};
use crate::store::{DEFAULT_URL, Store};
use crate::suite::{self, SuitePrograms};

const MANIFEST: &str = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const LIBRARY: &str = "pub fn one() -> u32 { 1 }\n";
const TESTS: &str = "#[test] fn a() { subject::one(); }\n#[test] fn b() { subject::one(); }\n";

/// A line that the profiler of time frames writes into the sources.
const PROBE: &str = "// probed\n";

/// A file that no version has: it is gone once a version is checked out again.
const MARK: &str = "mark-of-the-first-run";

/// A profiler that runs nothing, and counts its builds and runs.
struct CountingProfiler {
    name: &'static str,
    changes_sources: bool,
    builds: AtomicUsize,
    profiles: AtomicUsize,
    trees: AtomicUsize,
    /// The benchmark that has no call tree.
    without_tree: Option<&'static str>,
    library: PathBuf,
}

impl CountingProfiler {
    fn new(name: &'static str, changes_sources: bool, cache: &RepositoryCache) -> Self {
        Self {
            name,
            changes_sources,
            builds: AtomicUsize::new(0),
            profiles: AtomicUsize::new(0),
            trees: AtomicUsize::new(0),
            without_tree: None,
            library: cache.tree().join("src/lib.rs"),
        }
    }

    /// Builds, profiles and trees since the last look.
    fn counts(&self) -> [usize; 3] {
        [&self.builds, &self.profiles, &self.trees].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

impl Profiler for CountingProfiler {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> &str {
        "1"
    }

    fn unit(&self) -> CostUnit {
        CostUnit::Operations
    }

    fn counters(&self) -> &'static [ProfilerCounter] {
        &[]
    }

    fn changes_sources(&self) -> bool {
        self.changes_sources
    }

    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError> {
        self.builds.fetch_add(1, Ordering::Relaxed);
        let source = std::fs::read_to_string(&self.library).unwrap();
        assert!(
            !source.contains(PROBE),
            "{} builds sources that are not the version's",
            self.name
        );
        if self.changes_sources {
            std::fs::write(&self.library, source + PROBE).unwrap();
        }
        Ok(ProfilerBuild {
            suite: suite::build_suite(definitions, context, SuitePrograms::Measured)?,
            tree: context.tree.to_owned(),
            ..ProfilerBuild::default()
        })
    }

    fn profile(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        _: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError> {
        self.profiles.fetch_add(1, Ordering::Relaxed);
        std::fs::write(build.tree.join(MARK), "").unwrap();
        Ok(ProfiledRun::from(Profile {
            benchmark: benchmark.name.clone(),
            unit: CostUnit::Operations,
            profiler: self.name.to_owned(),
            exact_counts: true,
            total: 1,
            files: Vec::new(),
            functions: Vec::new(),
            sites: Vec::new(),
            lines: Vec::new(),
        }))
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        _: &ProfilerBuild,
        _: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        self.trees.fetch_add(1, Ordering::Relaxed);
        if self.without_tree == Some(benchmark.name.as_str()) {
            return Err(ProfilerError::SubjectNotExecuted {
                program: benchmark.program.clone(),
                subject: benchmark.subject.in_words(),
            });
        }
        Ok(ProfiledCallTree {
            tree: folded_stacks::read(b"benchmark;one 1\n").unwrap().tree,
            total: 1,
            counted: 1,
            divided: 0,
            cut: None,
            complete: true,
        })
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        Some(TimelineRecorder {
            version: "1",
            record: |_, _, _| {
                Ok(Timeline {
                    unit: CostUnit::Operations,
                    total: 1,
                    frame: 1,
                    functions: vec![FunctionActivity {
                        name: "one".to_owned(),
                        shares: vec![100],
                    }],
                })
            },
        })
    }
}

struct VisitFixture {
    git: GitFixture,
    repository: Repository,
    store: Store,
    cache: RepositoryCache,
    definitions: BenchmarkDefinitions,
    interruption: InterruptionFlag,
    plain: CountingProfiler,
    probing: CountingProfiler,
}

/// Everything that a visit took.
struct Taken {
    sample: SampledVersion,
    trees: VersionCallTrees,
    frames: std::collections::BTreeMap<String, TimelineOutcome>,
}

impl VisitFixture {
    fn new() -> Self {
        let git = GitFixture::new();
        git.write("Cargo.toml", MANIFEST);
        git.write("tests/whole.rs", TESTS);
        let repository = git.open();
        let cache = RepositoryCache::below(&git.beside("cache"), &git.dir()).unwrap();
        Self {
            store: Store::open(&repository, DEFAULT_URL).unwrap(),
            plain: CountingProfiler::new("plain", false, &cache),
            probing: CountingProfiler::new("probing", true, &cache),
            definitions: [BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)].into(),
            interruption: InterruptionFlag::default(),
            repository,
            cache,
            git,
        }
    }

    fn version(&self, library: &str) -> CommitId {
        self.git.write("src/lib.rs", library);
        self.git.commit("version")
    }

    fn plan(&self) -> SamplePlan<'_> {
        SamplePlan {
            repository: &self.repository,
            store: &self.store,
            commits: &[],
            definitions: &self.definitions,
            cache: &self.cache,
            workers: 2,
            budget: None,
            failed_before: FailureRetryPolicy::Skip,
            profiler: &self.plain,
            interruption: &self.interruption,
        }
    }

    fn visitor(&self) -> VersionVisitor<'_> {
        VersionVisitor::new(self.plan().visit_context())
    }

    fn sample(&self, visitor: &mut VersionVisitor<'_>, commit: CommitId) -> SampledVersion {
        sample::sample_version(&self.plan(), visitor, commit, &mut |_| {}).unwrap()
    }

    fn trees(&self, visitor: &mut VersionVisitor<'_>, commit: CommitId) -> VersionCallTrees {
        let plan = CallTreesPlan {
            context: self.plan().visit_context(),
            profiler: &self.plain,
            workers: 2,
            failed_before: FailureRetryPolicy::Skip,
        };
        call_trees::take_version(&plan, visitor, commit, &|_| true, &mut |_| {}).unwrap()
    }

    fn take(&self, visitor: &mut VersionVisitor<'_>, commit: CommitId) -> Taken {
        let sample = self.sample(visitor, commit);
        let trees = self.trees(visitor, commit);
        let plan = TimelinesPlan {
            context: self.plan().visit_context(),
            profiler: &self.probing,
            workers: 2,
            failed_before: FailureRetryPolicy::Skip,
        };
        let names = BTreeSet::from(["a", "b"].map(str::to_owned));
        let frames = timelines::take_version(&plan, visitor, commit, &names, &mut |_| {}).unwrap();
        Taken { sample, trees, frames }
    }
}

#[test]
fn one_visit_checks_out_once_and_builds_once_for_each_profiler() {
    let setting = VisitFixture::new();
    let commits = [
        setting.version(LIBRARY),
        setting.version("pub fn one() -> u32 { 2 - 1 }\n"),
    ];
    let mut visitor = setting.visitor();
    for commit in commits {
        let taken = setting.take(&mut visitor, commit);
        assert_eq!(
            (taken.sample.profiled, taken.trees.trees.len(), taken.frames.len()),
            (2, 2, 2)
        );
        assert_eq!(
            (setting.plain.counts(), setting.probing.counts()),
            ([1, 2, 2], [1, 0, 0])
        );
        let mark = setting.cache.tree().join(MARK);
        assert!(mark.exists(), "the version was checked out a second time");
    }
    drop(visitor);

    let mut again = setting.visitor();
    for commit in commits {
        let taken = setting.take(&mut again, commit);
        assert_eq!((taken.sample.reused, taken.trees.reused), (2, 2));
    }
    assert_eq!((setting.plain.counts(), setting.probing.counts()), ([0; 3], [0; 3]));
    assert!(
        !setting.cache.tree().exists(),
        "nothing is missing, so nothing is checked out"
    );
}

#[test]
fn a_stop_between_the_sample_and_the_trees_loses_neither_and_repeats_none() {
    let setting = VisitFixture::new();
    let commit = setting.version(LIBRARY);
    setting.sample(&mut setting.visitor(), commit);
    assert_eq!(setting.plain.counts(), [1, 2, 0]);
    setting.trees(&mut setting.visitor(), commit);
    assert_eq!(setting.plain.counts(), [1, 0, 2]);
    let taken = setting.take(&mut setting.visitor(), commit);
    assert_eq!(taken.sample.state, SampledVersionState::AlreadySampled);
    assert_eq!((setting.plain.counts(), setting.probing.counts()), ([0; 3], [1, 0, 0]));
}

#[test]
fn a_version_that_does_not_build_is_tried_once_for_each_profiler_and_the_next_is_taken() {
    let setting = VisitFixture::new();
    let broken = setting.version("pub fn one() -> u32 { nothing }\n");
    let mended = setting.version(LIBRARY);
    let mut visitor = setting.visitor();
    let taken = setting.take(&mut visitor, broken);
    assert!(
        matches!(&taken.sample.state, SampledVersionState::DoesNotBuild { reason } if reason.contains("nothing")),
        "{:?}",
        taken.sample
    );
    assert!(taken.trees.unbuilt.unwrap().contains("nothing"));
    assert!(matches!(&taken.frames["a"], TimelineOutcome::Failed { reason } if reason.contains("nothing")));
    assert_eq!(
        (setting.plain.counts(), setting.probing.counts()),
        ([1, 0, 0], [1, 0, 0])
    );
    let taken = setting.take(&mut visitor, mended);
    assert_eq!((taken.sample.profiled, taken.trees.trees.len()), (2, 2));
}

#[test]
fn a_benchmark_that_fails_under_one_kind_of_run_has_the_results_of_the_others() {
    let mut setting = VisitFixture::new();
    setting.plain.without_tree = Some("a");
    let commit = setting.version(LIBRARY);
    let taken = setting.take(&mut setting.visitor(), commit);
    assert_eq!((taken.sample.profiled, taken.sample.failures.len()), (2, 0));
    assert!(taken.trees.trees["a"].is_err() && taken.trees.trees["b"].is_ok());
    assert!(
        taken
            .frames
            .values()
            .all(|frames| matches!(frames, TimelineOutcome::Taken(_)))
    );
    setting.plain.counts();
    let again = setting.take(&mut setting.visitor(), commit);
    assert_eq!((again.trees.trees, setting.plain.counts()), (taken.trees.trees, [0; 3]));
}

#[test]
fn what_a_profiler_wrote_into_the_sources_is_never_built_for_another() {
    let setting = VisitFixture::new();
    let commit = setting.version(LIBRARY);
    let mut visitor = setting.visitor();
    // Each build asserts that the sources are the version's.
    for (profiler, builds) in [
        (&setting.plain, 1),
        (&setting.probing, 1),
        (&setting.probing, 0),
        (&setting.plain, 1),
        (&setting.probing, 1),
    ] {
        visitor.built_for(commit, profiler, &mut |_| {}).unwrap();
        assert_eq!(profiler.counts()[0], builds, "{}", profiler.name);
    }
}

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use profile::probes::{
    ProbeFunction, ProbeMode, ProbeRegion, ProbeSourceRoot, ProbeTable, ProbedSources as Sources, UnprobedLine,
};

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions};
use crate::build::RepositoryCache;
use crate::git::Repository;
use crate::git::tests::GitFixture;
use crate::process::InterruptionFlag;
use crate::profilers::probes::ProbesProfiler;

const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// A program with probes written by hand; [`TimelinesFixture`]'s instrumenter changes nothing.
fn program(operations_before: u32) -> String {
    format!(
        "fn main() {{ subject() }}\nfn subject() {{\n    let _a = lito_probe::f(0);\n    \
         lito_probe::p(1, {operations_before});\n    late();\n}}\n\
         fn late() {{ let _a = lito_probe::f(1); lito_probe::p(1, 20); }}\n"
    )
}

fn hand_written(roots: &[ProbeSourceRoot], _: &BTreeSet<UnprobedLine>) -> Sources {
    let function = |name: &str| ProbeFunction {
        name: name.to_owned(),
        file: "src/main.rs".to_owned(),
        line: 1,
        external: false,
        how: ProbeMode::Whole,
        routine: false,
    };
    Sources {
        files: roots.iter().map(|_| Default::default()).collect(),
        table: ProbeTable {
            functions: vec![function("k::subject"), function("k::late")],
            regions: vec![ProbeRegion::default(); 2],
            routines: Vec::new(),
        },
        unread: Vec::new(),
    }
}

struct TimelinesFixture {
    fixture: GitFixture,
    repository: Repository,
    cache: RepositoryCache,
    definitions: BenchmarkDefinitions,
    interruption: InterruptionFlag,
    /// Number of times that sources received probes: once for each build.
    builds: AtomicUsize,
}

impl TimelinesFixture {
    fn new() -> Self {
        let fixture = GitFixture::new();
        fixture.write("Cargo.toml", MANIFEST);
        fixture.write("src/main.rs", program(20));
        fixture.commit("first");
        Self {
            repository: fixture.open(),
            cache: RepositoryCache::below(&fixture.beside("cache"), &fixture.dir()).unwrap(),
            definitions: [BenchmarkDefinition {
                name: Some("run".to_owned()),
                build: Some(["cargo", "build", "--release"].map(str::to_owned).to_vec()),
                run: Some(vec!["target/release/k".to_owned()]),
                subject: Some("k::subject".to_owned()),
                ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
            }]
            .into(),
            interruption: InterruptionFlag::default(),
            builds: AtomicUsize::new(0),
            fixture,
        }
    }

    fn version(&self, operations_before: u32) -> CommitId {
        self.fixture.write("src/main.rs", program(operations_before));
        self.fixture.commit("version")
    }

    fn take(
        &self,
        commits: &[CommitId],
        benchmarks: &[&str],
        failed_before: FailureRetryPolicy,
    ) -> Result<Vec<BTreeMap<String, TimelineOutcome>>, TimelinesError> {
        let builds = &self.builds;
        let counted = |roots: &[ProbeSourceRoot], without: &BTreeSet<UnprobedLine>| {
            builds.fetch_add(1, Ordering::Relaxed);
            hand_written(roots, without)
        };
        let plan = TimelinesPlan {
            context: VisitContext {
                repository: &self.repository,
                definitions: &self.definitions,
                cache: &self.cache,
                interruption: &self.interruption,
            },
            profiler: &ProbesProfiler::new(&counted),
            workers: 2,
            failed_before,
        };
        let benchmarks = benchmarks.iter().map(|name| (*name).to_owned()).collect();
        take(&plan, commits, &benchmarks, &mut |_| {})
    }

    fn builds(&self) -> usize {
        self.builds.swap(0, Ordering::Relaxed)
    }
}

fn late(outcome: &TimelineOutcome) -> (u64, usize) {
    let TimelineOutcome::Taken(timeline) = outcome else {
        panic!("{outcome:?}")
    };
    let shares = timeline.shares("k::late").unwrap();
    (timeline.total, shares.iter().filter(|share| **share == 100).count())
}

#[test]
fn what_was_taken_is_neither_built_nor_run_again() {
    let setting = TimelinesFixture::new();
    let commits = [setting.version(20), setting.version(40)];
    let first = setting.take(&commits, &["run"], FailureRetryPolicy::Skip).unwrap();
    let found: Vec<_> = first.iter().map(|version| late(&version["run"])).collect();
    assert_eq!(found, [(40, 20), (60, 20)]);
    assert_eq!(setting.builds(), 2);

    let again = setting.take(&commits, &["run"], FailureRetryPolicy::Retry).unwrap();
    assert_eq!((again, setting.builds()), (first, 0));

    // Other definitions may give another meaning to the same name.
    let mut other = setting;
    let mut late_only = other.definitions[0].clone();
    late_only.subject = Some("k::late".to_owned());
    other.definitions = [late_only].into();
    let of_late = other.take(&commits[1..], &["run"], FailureRetryPolicy::Skip).unwrap();
    assert_eq!((late(&of_late[0]["run"]), other.builds()), ((20, 20), 1));
}

#[test]
fn a_version_without_the_benchmark_says_so_and_is_tried_again_only_if_asked() {
    let setting = TimelinesFixture::new();
    let commit = setting.version(20);
    let reason = |outcomes: &[BTreeMap<String, TimelineOutcome>], name: &str| match &outcomes[0][name] {
        TimelineOutcome::Failed { reason } => reason.clone(),
        TimelineOutcome::Taken(_) => panic!("{name} was taken"),
    };
    let outcomes = setting
        .take(&[commit], &["run", "other"], FailureRetryPolicy::Skip)
        .unwrap();
    assert_eq!(late(&outcomes[0]["run"]), (40, 20));
    assert!(reason(&outcomes, "other").contains("no benchmark of this name"));
    assert_eq!(setting.builds(), 1);
    let again = setting.take(&[commit], &["other"], FailureRetryPolicy::Skip).unwrap();
    assert_eq!(
        (reason(&again, "other"), setting.builds()),
        (reason(&outcomes, "other"), 0)
    );
    setting.take(&[commit], &["other"], FailureRetryPolicy::Retry).unwrap();
    assert_eq!(setting.builds(), 1);
}

#[test]
fn a_version_that_does_not_build_has_a_reason_and_the_next_one_its_timeline() {
    let setting = TimelinesFixture::new();
    setting.fixture.write("src/main.rs", "fn main() { missing() }\n");
    let broken = setting.fixture.commit("broken");
    let mended = setting.version(60);
    let outcomes = setting
        .take(&[broken, mended], &["run"], FailureRetryPolicy::Skip)
        .unwrap();
    let TimelineOutcome::Failed { reason } = &outcomes[0]["run"] else {
        panic!("{outcomes:?}")
    };
    assert!(reason.contains("missing"), "{reason}");
    assert_eq!(late(&outcomes[1]["run"]), (80, 20));
}

#[test]
fn a_damaged_file_is_taken_again() {
    let setting = TimelinesFixture::new();
    let commit = setting.version(20);
    let first = setting.take(&[commit], &["run"], FailureRetryPolicy::Skip).unwrap();
    let kept = || {
        let mut at = setting.cache.root().join("timelines-1");
        // Environment, version, benchmark.
        for _ in 0..3 {
            let mut entries = std::fs::read_dir(&at).unwrap();
            at = entries.next().unwrap().unwrap().path();
            assert!(entries.next().is_none(), "nothing is left beside {at:?}");
        }
        at
    };
    let bytes = std::fs::read(kept()).unwrap();
    std::fs::write(kept(), &bytes[..bytes.len() - 1]).unwrap();
    setting.builds();
    let again = setting.take(&[commit], &["run"], FailureRetryPolicy::Skip).unwrap();
    assert_eq!((again, setting.builds()), (first, 1));
    kept();
}

#[test]
fn an_interruption_leaves_what_is_known() {
    let setting = TimelinesFixture::new();
    let commits = [setting.version(20), setting.version(40)];
    setting.take(&commits[..1], &["run"], FailureRetryPolicy::Skip).unwrap();
    setting.interruption.raise();
    let stopped = setting.take(&commits, &["run"], FailureRetryPolicy::Skip);
    assert!(stopped.unwrap_err().is_interruption());
}

//! A repository of two versions whose benchmarks are measured for real.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sides::{self, MeasuredSides, MeasuredSidesError, SideBuildEvent, SideBuildPlan};
use super::{Deadline, RunConditions};
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions};
use crate::build::RepositoryCache;
use crate::frameworks::{Benchmark, BenchmarkSubject, FrameworkHandle};
use crate::git::tests::GitFixture as History;
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::profilers::callgrind::CallgrindProfiler;

/// A version: path → content.
pub(crate) type FixtureFiles<'a> = &'a [(&'a str, &'a str)];

pub(crate) const MANIFEST: &str =
    "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

pub(crate) struct BaseHeadFixture {
    history: History,
    pub(crate) repository: Repository,
    pub(crate) cache: RepositoryCache,
    pub(crate) base: CommitId,
    pub(crate) head: CommitId,
    pub(crate) definitions: BenchmarkDefinitions,
    pub(crate) interruption: InterruptionFlag,
    pub(crate) draft: bool,
    pub(crate) fresh: bool,
}

impl BaseHeadFixture {
    /// A package `subject` at two versions, each with additional files; the definitions are of commands or tests.
    pub(crate) fn new(base: FixtureFiles<'_>, head: FixtureFiles<'_>, definitions: Vec<BenchmarkDefinition>) -> Self {
        let history = History::new();
        history.write("Cargo.toml", MANIFEST);
        history.write("src/lib.rs", "");
        let commit = |files: FixtureFiles<'_>| {
            for (path, content) in files {
                history.write(path, content);
            }
            history.commit("version")
        };
        let (base, head) = (commit(base), commit(head));
        let repository = history.open();
        let cache = RepositoryCache::below(&history.beside("cache"), &history.dir()).unwrap();
        Self {
            repository,
            cache,
            base,
            head,
            definitions: definitions.into(),
            interruption: InterruptionFlag::default(),
            draft: false,
            fresh: false,
            history,
        }
    }

    /// Another version, on top of the last one.
    pub(crate) fn commit(&self, files: FixtureFiles<'_>) -> CommitId {
        for (path, content) in files {
            self.history.write(path, content);
        }
        self.history.commit("version")
    }

    /// A path beside the repository, which holds the cache.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.history.beside(name)
    }

    pub(crate) fn build(&self) -> Result<MeasuredSides, MeasuredSidesError> {
        self.build_telling(&mut |_| {})
    }

    pub(crate) fn build_telling(
        &self,
        progress: &mut dyn FnMut(&SideBuildEvent),
    ) -> Result<MeasuredSides, MeasuredSidesError> {
        let plan = SideBuildPlan {
            repository: &self.repository,
            base: self.base,
            head: self.head,
            definitions: &self.definitions,
            cache: &self.cache,
            profiler: &CallgrindProfiler::new("valgrind-0".to_owned()),
            interruption: &self.interruption,
            draft: self.draft,
            fresh: self.fresh,
        };
        sides::build(&plan, progress)
    }

    pub(crate) fn conditions(&self) -> RunConditions<'_> {
        RunConditions {
            deadline: Deadline::NEVER,
            shared_start: None,
            interruption: &self.interruption,
        }
    }
}

/// A command `tool` that is built from `src/bin/tool.rs`.
pub(crate) fn tool() -> BenchmarkDefinition {
    BenchmarkDefinition {
        name: Some("tool".to_owned()),
        build: Some(["cargo", "build", "--release"].map(str::to_owned).to_vec()),
        run: Some(vec!["target/release/tool".to_owned()]),
        ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
    }
}

/// A shell script as a benchmark of a framework; its second argument stands for the framework's `--test`.
pub(crate) fn script(folder: &Path, framework: &str, text: &str) -> Benchmark {
    let path = folder.join("script.sh");
    std::fs::write(&path, text).unwrap();
    Benchmark {
        name: "script".to_owned(),
        framework: FrameworkHandle::of_name(framework),
        program: "/bin/sh".into(),
        counting: None,
        arguments: vec![path.into(), "--test".into()],
        directory: folder.to_owned(),
        environment: Vec::new(),
        subject: BenchmarkSubject::Process,
        time_limit: Duration::from_secs(60),
        interpreter: None,
        shared_start: None,
    }
}

//! CTest: the tests of a build of CMake, each a whole process, where a command names `ctest` and gives no name.
//!
//! `ctest --show-only=json-v1` tells the command of each test, which lito runs itself.

mod list;

use super::cmake_sources::{CmakeSources, build_folder};
use super::found_suites::{FoundSuite, RepositorySources};
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};
use crate::benchmark::CTEST;
use crate::build::ExecutableKind;

pub(super) struct CtestFramework;

/// The commands of CMake that add tests.
const ADDS_TESTS: [&str; 3] = ["add_test", "catch_discover_tests", "gtest_discover_tests"];

impl BenchmarkFramework for CtestFramework {
    fn name(&self) -> &'static str {
        "ctest"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    /// They stand in the files of CMake.
    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.kind == ExecutableKind::Suite && program.path.file_name().is_some_and(|name| name == CTEST)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::tests(program)
    }

    fn suites_in(&self, sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
        let tests = CmakeSources::of(sources).filter(|cmake| cmake.named(&ADDS_TESTS).next().is_some());
        let suite = |cmake: CmakeSources| FoundSuite {
            framework: self.name(),
            places: vec!["CMakeLists.txt".to_owned()],
            build: cmake.build("TEST", &[]),
            run: [CTEST, "--test-dir", &build_folder()].map(str::to_owned).into(),
            env: Vec::new(),
            is_of_tests: true,
        };
        tests.map(suite).into_iter().collect()
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}

//! Tests that share one start of valgrind: their profiles are those of a start for each.

use std::path::PathBuf;
use std::time::Duration;

use attribution::callgrind::ProfiledBuild;
use attribution::callgrind::system_calls::RequestedPaths;
use profile::Profile;
use tempfile::TempDir;

use super::super::shared_start::{build_library, profile_together, summarize_together};
use super::super::{TraceDetail, execution_summary, profile_program};
use super::{OwnedProfilerRequest, TestBuild, TestPrograms};
use crate::benchmark::BenchmarkSubject;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::profilers::callgrind::ProfilerRequest;

const TESTS: &str = r#"
use std::sync::OnceLock;

static TABLE: OnceLock<Vec<u64>> = OnceLock::new();

#[inline(never)]
fn filled() -> Vec<u64> {
    (0..1000).map(|number| number * number).collect()
}

#[inline(never)]
fn table() -> &'static [u64] {
    TABLE.get_or_init(filled)
}

#[test]
fn fills_the_table() {
    assert_eq!(table()[2], 4);
}

#[test]
fn fills_it_as_well() {
    assert_eq!(table()[3], 9);
}

#[test]
fn sorts() {
    let mut words: Vec<String> = (0..50).map(|number| format!("{}", number * 7919 % 101)).collect();
    words.sort();
    assert_eq!(words.len(), 50);
}

#[test]
fn fails() {
    std::panic::set_hook(Box::new(|_| {}));
    assert_eq!(table()[1], 2);
}

#[test]
fn dies() {
    std::process::abort();
}

#[test]
#[should_panic]
fn panics() {
    std::panic::set_hook(Box::new(|_| {}));
    panic!("as it should");
}

#[test]
fn starts_a_thread() {
    let thread = std::thread::spawn(|| table()[1]);
    assert_eq!(table()[2] + thread.join().unwrap(), 5);
}

#[test]
fn starts_a_program() {
    assert!(std::process::Command::new("true").status().unwrap().success());
}

#[test]
fn takes_long() {
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn sees_no_trace_of_the_library() {
    let loaded = std::env::var("LD_PRELOAD").unwrap();
    assert!(loaded.contains("vgpreload") && !loaded.contains("lito"), "{loaded}");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    assert_eq!(arguments, ["--test-threads=1", "--exact", "sees_no_trace_of_the_library"]);
    std::fs::read_to_string("read.txt").unwrap();
}
"#;

struct SharedFixture {
    programs: TestPrograms,
    program: PathBuf,
    library: PathBuf,
    _cache: TempDir,
}

impl SharedFixture {
    fn new() -> Self {
        let programs = TestPrograms::new(TESTS);
        let folder = programs.folder.path();
        std::fs::write(folder.join("read.txt"), "").unwrap();
        let program = folder.join("tests");
        let compiler = crate::toolchain::compiler_program();
        let invocation = Invocation::new(compiler, folder, Duration::from_secs(300))
            .arguments(["--edition=2021", "--test", "--crate-name=count", "-Ccodegen-units=1"])
            .arguments(["-Copt-level=3", "-Cdebuginfo=1", "src/main.rs", "-o"])
            .arguments([&program]);
        let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
        assert!(finished.status.success(), "{}", finished.stderr.text());
        let cache = TempDir::new().unwrap();
        let library = cache.path().join("lito-shared-start-test.so");
        build_library(cache.path(), &library, &InterruptionFlag::default()).unwrap();
        Self {
            programs,
            program,
            library,
            _cache: cache,
        }
    }

    fn asked(&self, test: &str) -> OwnedProfilerRequest {
        let mut asked = OwnedProfilerRequest::new(&self.programs, self.program.clone(), "");
        asked.subject = BenchmarkSubject::Pattern("test::__rust_begin_short_backtrace*".to_owned());
        asked.arguments = ["--test-threads=1", "--exact", test].map(Into::into).to_vec();
        asked.time_limit = Duration::from_secs(if test == "takes_long" { 2 } else { 60 });
        asked.shared_start = Some(self.library.clone());
        asked
    }

    fn together(&self, asked: &[OwnedProfilerRequest]) -> Vec<Option<(Profile, RequestedPaths)>> {
        let requests: Vec<ProfilerRequest<'_>> = asked.iter().map(|asked| self.programs.request(asked)).collect();
        (profile_together(&requests, &self.program, (ProfiledBuild::Optimised, false)).into_iter())
            .map(|run| run.map(|run| (run.profile, run.requested)))
            .collect()
    }

    fn alone(&self, test: &str) -> (Profile, RequestedPaths) {
        let asked = self.asked(test);
        let (request, build) = (self.programs.request(&asked), ProfiledBuild::Optimised);
        let run = profile_program(&request, request.program, build, TraceDetail::CostsAndJumps).unwrap();
        (run.profile, run.requested)
    }
}

fn calls(profile: &Profile, function: &str) -> Option<u64> {
    let found = profile.functions.iter().find(|f| f.name == function);
    found.map(|function| function.calls)
}

#[test]
fn profiles_of_one_start_are_those_of_a_start_for_each() {
    let fixture = SharedFixture::new();
    let tests = [
        "fills_the_table",
        "fails",
        "fills_it_as_well",
        "dies",
        "sorts",
        "takes_long",
        "panics",
        "starts_a_thread",
        "starts_a_program",
        "sees_no_trace_of_the_library",
    ];
    let together = fixture.together(&tests.map(|test| fixture.asked(test)));
    let profiled = |test: &str| together[tests.iter().position(|other| *other == test).unwrap()].as_ref();
    // Another start decides about them.
    for test in ["fails", "dies", "takes_long"] {
        assert!(profiled(test).is_none(), "{test}");
    }
    for test in ["fills_the_table", "fills_it_as_well", "sorts"] {
        let (profile, requested) = profiled(test).unwrap_or_else(|| panic!("{test} has no profile"));
        let (expected, expected_requests) = fixture.alone(test);
        assert_eq!(profile.total, expected.total, "{test}");
        assert_eq!(*profile, expected, "{test}");
        assert_eq!(requested.is_complete, expected_requests.is_complete, "{test}");
    }
    // The system decides which thread fills the table, and whether one waits for the other.
    let (threaded, _) = profiled("starts_a_thread").unwrap();
    assert_eq!(
        calls(threaded, "count::table"),
        calls(&fixture.alone("starts_a_thread").0, "count::table")
    );
    // The static case: in one process, only the first of them would fill the table.
    for test in ["fills_the_table", "fills_it_as_well"] {
        let (profile, _) = profiled(test).unwrap();
        assert_eq!(calls(profile, "count::filled"), Some(1), "{test}");
    }
    let (started, requested) = profiled("starts_a_program").unwrap();
    assert_eq!(started.total, fixture.alone("starts_a_program").0.total);
    assert!(!requested.is_complete, "nobody saw what the program opens");
    let (_, requested) = profiled("sees_no_trace_of_the_library").unwrap();
    let read = fixture.programs.folder.path().join("read.txt");
    assert!(requested.paths.contains(&read), "{requested:?}");
    assert!(!profiled("sorts").unwrap().1.paths.contains(&read));
    fixture.alone("sees_no_trace_of_the_library");
    // The unwinder goes through the loaded libraries.
    assert_eq!(profiled("panics").unwrap().0.total, fixture.alone("panics").0.total);
}

#[test]
fn without_the_library_every_test_needs_a_start_of_its_own() {
    let fixture = SharedFixture::new();
    for library in [None, Some("/nowhere/lito-shared-start.so".into())] {
        let without = ["sorts", "takes_long"].map(|test| OwnedProfilerRequest {
            shared_start: library.clone(),
            ..fixture.asked(test)
        });
        assert!(fixture.together(&without).iter().all(Option::is_none), "{library:?}");
    }
}

/// Benchmarks that read the clock around what counts, each in a function of its own.
const CLOCKED: &str = r#"
use std::time::Instant;

#[inline(never)]
fn work(n: u64) -> u64 {
    (0..std::hint::black_box(n)).map(|i| i ^ 5).sum()
}

#[inline(never)]
fn input(n: u64) -> u64 {
    work(n) % 7 + n
}

#[inline(never)]
fn first(n: u64) -> u64 {
    let n = input(n);
    let start = Instant::now();
    let sum = work(n);
    std::hint::black_box((start, Instant::now()));
    sum
}

#[inline(never)]
fn second(n: u64) -> u64 {
    let start = Instant::now();
    let sum = work(n) + work(n / 2);
    std::hint::black_box((start, Instant::now()));
    sum
}

#[inline(never)]
fn threaded(n: u64) -> u64 {
    std::thread::spawn(move || work(n)).join().unwrap();
    second(n)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let n = arguments[2].parse().unwrap();
    let sum = match &*arguments[1] {
        "first" => first(n),
        "second" => second(n),
        "threaded" => threaded(n),
        other => panic!("{other}"),
    };
    assert!(sum > 0);
}
"#;

#[test]
fn subjects_in_different_functions_share_a_start_and_tell_their_set_up() {
    let fixture = SharedFixture::new();
    let programs = TestPrograms::new(CLOCKED);
    let program = programs.build(TestBuild::Optimised);
    let asked = [("first", 900), ("second", 700), ("threaded", 400), ("first", 300)].map(|(name, size)| {
        let mut asked = OwnedProfilerRequest::new(&programs, program.clone(), "");
        asked.subject = BenchmarkSubject::Clocked {
            within: vec![format!("count::{}", name.replace("threaded", "second"))],
            depth: 1,
        };
        asked.arguments = vec![name.into(), size.to_string().into()];
        asked.shared_start = Some(fixture.library.clone());
        asked
    });
    let requests = asked.each_ref().map(|asked| programs.request(asked));
    let build = ProfiledBuild::Optimised;
    let together = profile_together(&requests, &program, (build, true));
    for ((request, run), work) in requests.iter().zip(&together).zip([1, 2, 0, 1]) {
        let Some(run) = run else {
            assert_eq!(work, 0, "only what has threads needs a start of its own");
            continue;
        };
        let alone = profile_program(request, &program, build, TraceDetail::CostsAndJumps).unwrap();
        assert_eq!(run.profile.total, alone.profile.total);
        assert_eq!(calls(&run.profile, "count::work"), Some(work));
        assert_eq!(calls(&run.profile, "count::input"), None);
        let process = run.process.as_ref().unwrap();
        assert!(calls(process, "count::main").is_some());
        let input = request.arguments[0] == "first";
        assert_eq!(calls(process, "count::input"), input.then_some(1));
    }
    assert!(together[2].is_none());
}

#[test]
fn counts_of_one_start_are_those_of_a_start_for_each() {
    let fixture = SharedFixture::new();
    let asked = ["fills_the_table", "fills_it_as_well", "sorts"].map(|test| fixture.asked(test));
    let requests = asked.each_ref().map(|asked| fixture.programs.request(asked));
    let together = summarize_together(&requests, &fixture.program);
    for (request, counted) in requests.iter().zip(together) {
        let alone = execution_summary(request).unwrap();
        assert_eq!(
            counted.map(|counted| (counted.total, counted.functions)),
            Some((alone.total, alone.functions))
        );
    }
}

/// A program whose functions of libraries are looked for when they are first called: inside what counts.
const BOUND_LATE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char text[64];

__attribute__((noinline)) static size_t work(const char *of) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    snprintf(text, sizeof text, "%s %d", of, 7);
    size_t length = strlen(text) + (size_t) strtol(of, NULL, 10);
    clock_gettime(CLOCK_MONOTONIC, &time);
    return length;
}

__attribute__((noinline)) size_t first(const char *of) {
    return work(of);
}

__attribute__((noinline)) size_t second(const char *of) {
    return work(of) + 1;
}

__attribute__((noinline)) static const char *input(const char *of) {
    return strdup(of);
}

int main(int count, char **arguments) {
    if (count < 3) return 1;
    const char *of = input(arguments[2]);
    return (strcmp(arguments[1], "first") == 0 ? first(of) : second(of)) == 0;
}
"#;

#[test]
fn functions_of_libraries_are_looked_for_before_what_counts() {
    let fixture = SharedFixture::new();
    let folder = fixture.programs.folder.path();
    let [source, program] = ["late.c", "late"].map(|name| folder.join(name));
    std::fs::write(&source, BOUND_LATE).unwrap();
    let invocation = Invocation::new("cc", folder, Duration::from_secs(300))
        .arguments(["-O2", "-g", "-fno-builtin", "-Wl,-z,lazy", "-o"])
        .arguments([&program, &source]);
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success(), "{}", finished.stderr.text());
    let asked = ["first", "second"].map(|name| {
        let mut asked = OwnedProfilerRequest::new(&fixture.programs, program.clone(), "");
        asked.subject = BenchmarkSubject::Clocked {
            within: vec![name.to_owned()],
            depth: 1,
        };
        asked.arguments = vec![name.into(), "12".into()];
        asked.shared_start = Some(fixture.library.clone());
        asked
    });
    let requests = asked.each_ref().map(|asked| fixture.programs.request(asked));
    let together = summarize_together(&requests, &program);
    for (request, counted) in requests.iter().zip(together) {
        let (alone, counted) = (execution_summary(request).unwrap(), counted.unwrap());
        assert_eq!((counted.total, &counted.functions), (alone.total, &alone.functions));
        assert_eq!(counted.of_process, alone.of_process);
        // Neither what comes before the subject nor the loader is part of it.
        assert_eq!(alone.functions, ["work".to_owned()].into());
        assert!(alone.of_process.unwrap().contains("input"));
        assert!(
            !alone
                .libraries
                .iter()
                .any(|library| library.to_string_lossy().contains("ld-linux")),
            "{:?}",
            alone.libraries
        );
    }
}

//! The profiler on programs whose counts are known by hand, and on every way in which a run can fail.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attribution::callgrind::trace::CallgrindError;
use attribution::callgrind::{DebugInfoError, PathRemapping};
use profile::Profile;
use tempfile::TempDir;

use super::{ProfilerRequest, execution_summary, profile};
use crate::benchmark::BenchmarkSubject;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::profilers::ProfilerError;
use crate::waiting::{comes_true, ends};

mod contexts;
mod function_options;
mod heap;
mod set_up;
mod shared_start;
mod two_runs;

/// How a test program is built.
#[derive(Clone, Copy)]
enum TestBuild {
    Optimised,
    Counting,
    NoDebugInfo,
}

struct TestPrograms {
    folder: TempDir,
}

impl TestPrograms {
    fn new(source: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/main.rs"), source).unwrap();
        Self { folder }
    }

    fn build(&self, how: TestBuild) -> PathBuf {
        let (name, flags): (_, &[&str]) = match how {
            TestBuild::Optimised => ("optimised", &["-Copt-level=3", "-Cdebuginfo=1"]),
            TestBuild::Counting => ("counting", &["-Copt-level=0", "-Cdebuginfo=1"]),
            TestBuild::NoDebugInfo => ("bare", &["-Copt-level=3", "-Cstrip=debuginfo"]),
        };
        let program = self.folder.path().join(name);
        let compiler = crate::toolchain::compiler_program();
        let invocation = Invocation::new(compiler, self.folder.path(), Duration::from_secs(300))
            .arguments(["--edition=2021", "--crate-name=count", "-Ccodegen-units=1"])
            .arguments(flags)
            .arguments(["-o".as_ref(), program.as_os_str()])
            .arguments(["src/main.rs"]);
        let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
        assert!(finished.status.success(), "{}", finished.stderr.text());
        program
    }

    fn request<'a>(&'a self, asked: &'a OwnedProfilerRequest) -> ProfilerRequest<'a> {
        ProfilerRequest {
            benchmark: "count",
            program: &asked.program,
            counting: asked.counting.as_deref(),
            arguments: &asked.arguments,
            directory: self.folder.path(),
            environment: &[],
            subject: &asked.subject,
            roots: &asked.roots,
            time_limit: asked.time_limit,
            interpreter: None,
            shared_start: asked.shared_start.as_deref(),
            interruption: &asked.interruption,
        }
    }
}

struct OwnedProfilerRequest {
    program: PathBuf,
    counting: Option<PathBuf>,
    arguments: Vec<OsString>,
    subject: BenchmarkSubject,
    roots: PathRemapping,
    time_limit: Duration,
    shared_start: Option<PathBuf>,
    interruption: InterruptionFlag,
}

impl OwnedProfilerRequest {
    fn new(programs: &TestPrograms, program: PathBuf, subject: &str) -> Self {
        crate::needs::program("valgrind");
        Self {
            program,
            counting: None,
            arguments: Vec::new(),
            subject: BenchmarkSubject::Function(subject.to_owned()),
            roots: PathRemapping::for_project(&programs.folder.path().to_string_lossy()),
            time_limit: Duration::from_secs(120),
            shared_start: None,
            interruption: InterruptionFlag::default(),
        }
    }
}

/// A line of a program that states an expected result.
struct ProfileExpectation<'s> {
    words: Vec<&'s str>,
    needs_counting: bool,
}

fn rules(source: &str) -> Vec<ProfileExpectation<'_>> {
    (source.lines())
        .filter_map(|line| {
            let (rule, needs_counting) = match line.strip_prefix("//= ") {
                Some(rule) => (rule, false),
                None => (line.strip_prefix("//+ ")?, true),
            };
            Some(ProfileExpectation {
                words: rule.split_whitespace().collect(),
                needs_counting,
            })
        })
        .collect()
}

fn marks(source: &str) -> HashMap<&str, u32> {
    (source.lines().zip(1..))
        .filter_map(|(line, number)| Some((line.rsplit_once("// @")?.1.trim(), number)))
        .collect()
}

fn is_near(actual: u64, wanted: &str) -> bool {
    match wanted.strip_prefix('~') {
        Some(wanted) => {
            let wanted: u64 = wanted.parse().unwrap();
            actual.abs_diff(wanted) <= (wanted / 100).max(1)
        }
        None => actual == wanted.parse::<u64>().unwrap(),
    }
}

fn broken_rules(profile: &Profile, source: &str, subject: &str, counting: bool) -> Vec<String> {
    let named = |wanted: &str| {
        let end = format!("::{wanted}");
        (profile.functions.iter())
            .filter(move |f| f.name == end[2..] || f.name.ends_with(&end))
            .collect::<Vec<_>>()
    };
    let marks = marks(source);
    let mut broken = Vec::new();
    for rule in rules(source) {
        if rule.needs_counting && !counting {
            continue;
        }
        let (got, wanted) = match rule.words[..] {
            ["calls", name, wanted] => (named(name).iter().map(|f| f.calls).sum(), wanted),
            ["absent", name] => (named(name).iter().map(|f| f.calls).sum(), "0"),
            ["executions", mark, wanted] => {
                let line =
                    (profile.lines.iter()).find(|l| profile.file(l.file) == "src/main.rs" && l.line == marks[mark]);
                (line.map_or(0, |l| l.executions), wanted)
            }
            ["sums"] => {
                let own: u64 = profile.functions.iter().map(|f| f.self_cost).sum();
                assert_eq!(own, profile.total, "self costs add up");
                for function in &profile.functions {
                    assert!(function.inclusive <= profile.total, "{}", function.name);
                    assert!(function.self_cost <= function.inclusive, "{}", function.name);
                }
                let top = (named(subject).iter().map(|f| f.inclusive)).max();
                assert!(top.unwrap_or(0) * 100 >= profile.total * 99, "{subject}: {top:?}");
                continue;
            }
            ["subject", _] => continue,
            _ => panic!("unknown rule {:?}", rule.words),
        };
        if !is_near(got, wanted) {
            broken.push(format!("{}: {got}", rule.words.join(" ")));
        }
    }
    broken
}

/// Profiles a program both ways and checks its rules.
fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/counts")
        .join(name);
    let source = fs::read_to_string(&path).unwrap();
    let rules = rules(&source);
    let subject = (rules.iter().find(|rule| rule.words[0] == "subject")).map_or("count::subject", |rule| rule.words[1]);
    assert!(rules.len() > 2, "{name} has rules");

    let programs = TestPrograms::new(&source);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), subject);
    let single = profile(&programs.request(&asked)).unwrap();
    asked.counting = Some(programs.build(TestBuild::Counting));
    let counted = profile(&programs.request(&asked)).unwrap();
    let none: [String; 0] = [];
    assert_eq!(broken_rules(&single, &source, subject, false), none, "{name}, one run");
    assert_eq!(broken_rules(&counted, &source, subject, true), none, "{name}, counted");
}

macro_rules! counts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(concat!(stringify!($name), ".rs"));
            }
        )*
    };
}

mod counts_are_right_in {
    use super::check;

    counts! {
        closures copies drops folded inlining loops matches method mutual recursive_subject traits unrolled
    }
}

const PLAIN: &str = "
use std::hint::black_box;
#[inline(never)]
fn subject(n: u64) -> u64 {
    (0..n).fold(0, |t, i| t ^ black_box(i))
}
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(\"fail\") => {
            eprintln!(\"no such table\");
            std::process::exit(3);
        }
        Some(\"hang\") => {
            if let Some(begun) = std::env::args().nth(2) {
                std::fs::write(begun, \"\").unwrap();
            }
            loop {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        }
        Some(\"skip\") => {}
        Some(\"leave\") => {
            let child = std::process::Command::new(\"sleep\").arg(\"600\").spawn().unwrap();
            std::fs::write(\"left\", child.id().to_string()).unwrap();
            println!(\"{}\", subject(black_box(5)));
        }
        _ => println!(\"{}\", subject(black_box(500))),
    }
}
";

fn fails(how: TestBuild, change: impl FnOnce(&mut OwnedProfilerRequest)) -> ProfilerError {
    let programs = TestPrograms::new(PLAIN);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(how), "count::subject");
    change(&mut asked);
    profile(&programs.request(&asked)).unwrap_err()
}

#[test]
fn the_whole_process_can_be_the_subject() {
    let programs = TestPrograms::new(PLAIN);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "count::subject");
    let subject = profile(&programs.request(&asked)).unwrap();
    asked.subject = BenchmarkSubject::Pattern("count::sub*".to_owned());
    assert_eq!(profile(&programs.request(&asked)).unwrap(), subject);
    asked.subject = BenchmarkSubject::Process;
    let process = profile(&programs.request(&asked)).unwrap();
    assert!(
        process.total > subject.total * 10,
        "{} {}",
        process.total,
        subject.total
    );
    assert!(process.functions.iter().any(|f| f.name == "count::main" && !f.external));
    let own: u64 = process.functions.iter().map(|f| f.self_cost).sum();
    assert_eq!(own, process.total);
}

#[test]
fn the_total_alone_is_the_profiles_total() {
    let programs = TestPrograms::new(PLAIN);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "count::subject");
    let counted = execution_summary(&programs.request(&asked)).unwrap();
    assert_eq!(counted.total, profile(&programs.request(&asked)).unwrap().total);
    let [function] = &counted.functions.iter().collect::<Vec<_>>()[..] else {
        panic!("{counted:?}");
    };
    assert_eq!(profile::function_name::canonical(function), "count::subject");
    assert!(counted.libraries.is_empty());
    asked.subject = BenchmarkSubject::Process;
    let process = execution_summary(&programs.request(&asked)).unwrap();
    assert_eq!(process.total, profile(&programs.request(&asked)).unwrap().total);
    assert!(process.functions.len() > 10 && process.functions.contains(*function));
    let is_c = |library: &PathBuf| library.to_string_lossy().contains("libc");
    assert!(process.libraries.iter().any(is_c), "{:?}", process.libraries);
}

#[test]
fn a_program_that_starts_another_in_its_place_is_told_from_one_that_stops() {
    let programs = TestPrograms::new(PLAIN);
    let mut asked = OwnedProfilerRequest::new(&programs, "/bin/sh".into(), "");
    asked.subject = BenchmarkSubject::Process;
    asked.arguments = vec!["-c".into(), "exec true".into()];
    let error = execution_summary(&programs.request(&asked)).unwrap_err();
    assert!(error.to_string().contains("in `run`"), "{error}");
}

#[test]
fn a_program_that_fails_is_named_with_its_last_words() {
    let error = fails(TestBuild::Optimised, |asked| {
        asked.arguments = vec!["fail".into()];
    });
    let ProfilerError::ProgramFailed { status, stderr, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(status.code(), Some(3));
    assert_eq!(stderr, "no such table");
}

#[test]
fn a_program_that_hangs_is_stopped() {
    let error = fails(TestBuild::Optimised, |asked| {
        asked.arguments = vec!["hang".into()];
        asked.time_limit = Duration::from_secs(2);
    });
    assert!(matches!(error, ProfilerError::TimedOut { .. }), "{error}");
}

#[test]
fn a_run_under_the_profiler_stops_when_the_user_wishes() {
    let interruption = InterruptionFlag::default();
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            comes_true(|| begun.exists());
            interruption.raise();
        });
        fails(TestBuild::Optimised, |asked| {
            asked.arguments = vec!["hang".into(), begun.clone().into()];
            asked.interruption = interruption.clone();
        })
    });
    assert!(matches!(error, ProfilerError::Interrupted { .. }), "{error}");
    assert!(begun.exists(), "the run had begun");
}

#[test]
fn a_program_that_leaves_children_has_no_profile_and_they_are_ended() {
    let programs = TestPrograms::new(PLAIN);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "count::subject");
    asked.arguments = vec!["leave".into()];
    let error = profile(&programs.request(&asked)).unwrap_err();
    assert!(matches!(error, ProfilerError::LeftRunning { .. }), "{error}");
    let child = fs::read_to_string(programs.folder.path().join("left")).unwrap();
    assert!(ends(&child), "{child} lives");
}

#[test]
fn a_missing_valgrind_says_how_to_install_it() {
    let programs = TestPrograms::new(PLAIN);
    let asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "count::subject");
    let environment = [("PATH".into(), "/nowhere".into())];
    let request = ProfilerRequest {
        environment: &environment,
        ..programs.request(&asked)
    };
    let error = profile(&request).unwrap_err();
    assert!(matches!(error, ProfilerError::ValgrindMissing { .. }), "{error}");
}

#[test]
fn a_truncated_output_is_an_error_of_its_own() {
    let programs = TestPrograms::new(PLAIN);
    let asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "count::subject");
    let request = programs.request(&asked);
    let output = programs.folder.path().join("out");
    fs::write(&output, "positions: instr line\nevents: Ir\nob=x\nfn=f\n0x1 1 5\n").unwrap();
    let run = super::CallgrindRun {
        request: &request,
        program: request.program,
        detail: super::TraceDetail::Costs,
    };
    let error = run.read_trace(&output).unwrap_err();
    let truncated = matches!(
        error,
        ProfilerError::Output {
            source: CallgrindError::Truncated { line: 5 },
            ..
        }
    );
    assert!(truncated, "{error}");
}

#[test]
fn a_missing_program_is_an_error_of_its_own() {
    let error = fails(TestBuild::Optimised, |asked| asked.program.push("none"));
    assert!(matches!(error, ProfilerError::Io { .. }), "{error}");
}

#[test]
fn a_program_without_line_tables_says_how_to_get_them() {
    // The remaining tables of the standard library must not pass for the program's.
    let error = fails(TestBuild::NoDebugInfo, |_| {});
    let missing = matches!(
        error,
        ProfilerError::DebugInfo {
            source: DebugInfoError::Missing,
            ..
        }
    );
    assert!(missing && error.to_string().contains("debug = 1"), "{error}");
}

#[test]
fn an_unknown_subject_is_answered_with_near_names() {
    let error = fails(TestBuild::Optimised, |asked| {
        asked.subject = BenchmarkSubject::Function("count::subjet".to_owned());
    });
    let ProfilerError::SubjectNotFound { near, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(near[0], "count::subject");
}

#[test]
fn a_subject_that_is_never_called_is_an_error() {
    let error = fails(TestBuild::Optimised, |asked| {
        asked.arguments = vec!["skip".into()];
    });
    assert!(matches!(error, ProfilerError::SubjectNotExecuted { .. }), "{error}");
}

#[test]
fn a_file_that_is_no_program_is_an_error() {
    let error = fails(TestBuild::Optimised, |asked| {
        fs::write(&asked.program, "hello").unwrap();
    });
    assert!(matches!(error, ProfilerError::DebugInfo { .. }), "{error}");
}

/// Makes the test below count this program and print the count, in a process of its own.
const COUNTED_HERE: &str = "LITO_TEST_COUNTED_PROGRAM";

#[test]
#[expect(clippy::print_stdout, reason = "the process that counts tells the one that asks")]
fn forty_more_variables_of_a_job_change_no_count() {
    // Reads all variables, as a loader does, and puts on the stack what its alignment decides about.
    let programs = TestPrograms::new(
        "fn main() { let all = std::env::vars_os().count(); let copy = [all as u8; 4097]; std::process::exit((copy[7] == 0) as i32) }",
    );
    if let Some(program) = std::env::var_os(COUNTED_HERE) {
        let mut asked = OwnedProfilerRequest::new(&programs, program.into(), "");
        asked.subject = BenchmarkSubject::Process;
        println!("total {}", execution_summary(&programs.request(&asked)).unwrap().total);
        return;
    }
    let program = programs.build(TestBuild::Optimised);
    let name = "profilers::callgrind::tests::forty_more_variables_of_a_job_change_no_count";
    let total = |variables: &[(String, String)]| {
        let own = std::env::current_exe().unwrap();
        let invocation = Invocation::new(own, "/", Duration::from_secs(300))
            .arguments(["--exact", name, "--nocapture"])
            .variable(COUNTED_HERE, &program);
        let invocation = (variables.iter()).fold(invocation, |run, (name, value)| run.variable(name, value));
        let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
        let text = finished.stdout.text();
        let total = text
            .lines()
            .find_map(|line| Some(line.split_once("total ")?.1.to_owned()));
        total.unwrap_or_else(|| panic!("{text} {}", finished.stderr.text()))
    };
    let injected: Vec<(String, String)> = (0..40)
        .map(|at| (format!("GITHUB_INJECTED_{at}"), "x".repeat(at * 3)))
        .collect();
    assert_eq!(total(&[]), total(&injected));
}

#[test]
fn a_program_that_lacks_a_variable_is_told_apart() {
    let programs = TestPrograms::new("fn main() { std::env::var(\"NEEDED_BY_THIS_BENCHMARK\").unwrap(); }");
    let program = programs.build(TestBuild::Optimised);
    let mut asked = OwnedProfilerRequest::new(&programs, program, "");
    asked.subject = BenchmarkSubject::Process;
    let error = execution_summary(&programs.request(&asked)).unwrap_err().to_string();
    assert!(error.contains("`pass_env` in lito.toml"), "{error}");
    let needed = [("NEEDED_BY_THIS_BENCHMARK".into(), "1".into())];
    let request = ProfilerRequest {
        environment: &needed,
        ..programs.request(&asked)
    };
    assert!(execution_summary(&request).unwrap().total > 0);
}

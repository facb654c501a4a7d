//! Time frames and calling contexts of programs whose probes are written by hand, so that every operation is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use proptest::prelude::*;

use super::super::{run, sources};
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::Benchmark;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::profilers::ProfilerError;
use profile::probes::{ProbeFunction, ProbeMode, ProbeRegion, ProbeTable};
use profile::timeline::Timeline;

/// The runtime's own recorder of frames.
#[path = "../runtime/timeline.rs"]
#[allow(clippy::all, clippy::pedantic, rust_2018_idioms, unreachable_pub)]
mod recorder;

/// A function `K` of the program is function `K` of [`table`]; `p(1, N)` stands for N operations.
const PROGRAM: &str = r#"
use lito_probe::{e, f, p};

fn subject(body: impl FnOnce()) { let _probe = f(0); body() }
fn a(body: impl FnOnce()) { let _probe = f(1); body() }
fn b(body: impl FnOnce()) { let _probe = f(2); body() }
fn copy(body: impl FnOnce()) { let _probe = f(3); body() }
fn copy_of_another_type(body: impl FnOnce()) { let _probe = f(4); body() }
fn recursive(depth: u32) {
    let _probe = f(5);
    p(1, 2);
    if depth > 0 { recursive(depth - 1) }
    p(1, 2);
}
fn work(operations: u32) { for _ in 0..operations { p(1, 1) } }

fn main() {
    match std::env::args().nth(1).unwrap().as_str() {
        "nothing" => {}
        "half" => subject(|| { work(30); a(|| work(30)) }),
        "half of many" => subject(|| { p(1, 5_000_000); a(|| p(1, 5_000_000)) }),
        "many short calls" => subject(|| for _ in 0..50_000 { p(1, 75); a(|| p(1, 25)) }),
        "nested" => subject(|| {
            p(1, 10);
            a(|| { p(1, 10); b(|| p(1, 10)); p(1, 10) });
            p(1, 10);
        }),
        "recursion" => subject(|| { p(1, 6); recursive(4); p(1, 4) }),
        "one name" => subject(|| {
            p(1, 4);
            copy(|| { p(1, 4); copy_of_another_type(|| p(1, 4)); p(1, 4) });
            p(1, 4);
            copy_of_another_type(|| p(1, 4));
        }),
        "contexts" => {
            a(|| p(1, 100));
            subject(|| {
                p(1, 3);
                for _ in 0..2 { a(|| { p(1, 5); b(|| p(1, 7)) }) }
                b(|| p(1, 11));
                e(2);
                copy(|| copy_of_another_type(|| p(1, 13)));
                recursive(1);
            });
        }
        "not divisible" => subject(|| { p(1, 82); a(|| p(1, 1)) }),
        "outside" => {
            a(|| p(1, 100));
            subject(|| { p(1, 6); a(|| p(1, 6)) });
            a(|| p(1, 100));
            subject(|| { a(|| p(1, 4)); p(1, 4) });
            p(1, 100);
        }
        "ends inside" => subject(|| { p(1, 6); a(|| { p(1, 2); std::process::exit(0) }) }),
        "threads" => {
            subject(|| p(1, 10));
            std::thread::spawn(|| subject(|| { p(1, 10); a(|| p(1, 10)) })).join().unwrap();
        }
        "panics" => subject(|| {
            p(1, 4);
            let _ = std::panic::catch_unwind(|| a(|| { p(1, 4); std::panic::resume_unwind(Box::new(())) }));
            p(1, 4);
        }),
        other => panic!("{other}"),
    }
}
"#;

fn table() -> ProbeTable {
    let names = ["k::subject", "k::a", "k::b", "k::T::copy", "k::T::copy", "k::recursive"];
    let function = |name: &str| ProbeFunction {
        name: name.to_owned(),
        file: "src/lib.rs".to_owned(),
        line: 1,
        external: false,
        how: ProbeMode::Whole,
        routine: false,
    };
    let region = ProbeRegion {
        lines: vec![(1, 1)],
        ..ProbeRegion::default()
    };
    ProbeTable {
        functions: names.map(function).to_vec(),
        regions: vec![ProbeRegion::default(), region],
        routines: Vec::new(),
    }
}

fn compile(arguments: &[&str], folder: &Path) {
    let compiler = crate::toolchain::compiler_program();
    let invocation = Invocation::new(compiler, folder, Duration::from_secs(300))
        .arguments(["--edition=2021", "-Copt-level=1"])
        .arguments(arguments);
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success(), "{}", finished.stderr.text());
}

/// The built program: built once per process, at a path that no other process uses.
fn program() -> PathBuf {
    static BUILT: OnceLock<(std::fs::File, PathBuf)> = OnceLock::new();
    let (_, program) = BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-cache/timeline");
        let runtime = folder.join("runtime");
        sources::write_runtime(&runtime).unwrap();
        let turn = std::fs::File::create(folder.join("turn")).unwrap();
        turn.lock().unwrap();
        std::fs::write(folder.join("main.rs"), PROGRAM).unwrap();
        let library = ["--crate-type=lib", "--crate-name=lito_probe", "runtime/lib.rs"];
        compile(&library, &folder);
        let extern_crate = "--extern=lito_probe=liblito_probe.rlib";
        compile(&[extern_crate, "main.rs"], &folder);
        (turn, folder.canonicalize().unwrap().join("main"))
    });
    program.clone()
}

fn benchmark(scenario: &str, subject: BenchmarkSubject) -> Benchmark {
    Benchmark {
        program: program(),
        arguments: vec![scenario.into()],
        ..super::benchmark(subject)
    }
}

fn try_of(scenario: &str, subject: BenchmarkSubject) -> Result<Timeline, ProfilerError> {
    run::timeline(&benchmark(scenario, subject), &table(), &InterruptionFlag::default())
}

fn of(scenario: &str) -> Timeline {
    let timeline = try_of(scenario, BenchmarkSubject::Function("k::subject".to_owned())).unwrap();
    let all = vec![100; timeline.frames()];
    assert_eq!(timeline.shares("k::subject"), Some(all.as_slice()), "{scenario}");
    timeline
}

/// Runs of equal shares: the share and the number of frames.
fn runs(timeline: &Timeline, name: &str) -> Vec<(u8, usize)> {
    let mut runs: Vec<(u8, usize)> = Vec::new();
    for share in timeline.shares(name).unwrap_or_default() {
        match runs.last_mut() {
            Some((last, count)) if last == share => *count += 1,
            _ => runs.push((*share, 1)),
        }
    }
    runs
}

#[test]
fn a_function_that_runs_in_the_second_half_is_active_in_the_second_half_of_the_frames() {
    let short = of("half");
    assert_eq!((short.total, short.frame), (60, 1));
    assert_eq!(runs(&short, "k::a"), [(0, 30), (100, 30)]);

    let long = of("half of many");
    // 80 frames of 2^16 would end at 5,242,880; frames of 2^17 reach that far. 5,000,000 is 19,264 into the 39th.
    assert_eq!((long.total, long.frame, long.frames()), (10_000_000, 131_072, 77));
    assert_eq!(runs(&long, "k::a"), [(0, 38), (85, 1), (100, 38)]);
}

#[test]
fn short_calls_add_up_to_their_share_of_every_frame() {
    let timeline = of("many short calls");
    assert_eq!((timeline.total, timeline.frames()), (5_000_000, 77));
    assert_eq!(runs(&timeline, "k::a"), [(25, 77)]);
}

#[test]
fn a_caller_is_active_while_what_it_calls_is() {
    let timeline = of("nested");
    assert_eq!((timeline.total, timeline.frame), (50, 1));
    assert_eq!(runs(&timeline, "k::a"), [(0, 10), (100, 30), (0, 10)]);
    assert_eq!(runs(&timeline, "k::b"), [(0, 20), (100, 10), (0, 20)]);
}

#[test]
fn recursion_counts_once() {
    let timeline = of("recursion");
    assert_eq!(timeline.total, 30);
    assert_eq!(runs(&timeline, "k::recursive"), [(0, 6), (100, 20), (0, 4)]);
}

#[test]
fn functions_of_one_name_are_active_while_one_of_them_is() {
    let timeline = of("one name");
    let expected = [(0, 4), (100, 12), (0, 4), (100, 4)];
    assert_eq!(runs(&timeline, "k::T::copy"), expected);
}

#[test]
fn the_last_frame_of_a_total_that_is_not_divisible_is_shorter_and_full_all_the_same() {
    let timeline = of("not divisible");
    assert_eq!((timeline.total, timeline.frame, timeline.frames()), (83, 2, 42));
    assert_eq!(timeline.length_of(41), 1);
    assert_eq!(runs(&timeline, "k::a"), [(0, 41), (100, 1)]);
}

#[test]
fn time_passes_inside_the_subject_only() {
    let timeline = of("outside");
    assert_eq!((timeline.total, timeline.frame), (20, 1));
    assert_eq!(runs(&timeline, "k::a"), [(0, 6), (100, 10), (0, 4)]);

    let whole = try_of("outside", BenchmarkSubject::Process).unwrap();
    assert_eq!((whole.total, whole.frame, whole.frames()), (320, 4, 80));
    let expected = [(100, 25), (0, 1), (50, 1), (100, 27), (0, 26)];
    assert_eq!(runs(&whole, "k::a"), expected);
}

#[test]
fn a_process_that_ends_inside_of_a_function_and_one_that_unwinds_lose_nothing() {
    let ended = of("ends inside");
    assert_eq!(runs(&ended, "k::a"), [(0, 6), (100, 2)]);
    let unwound = of("panics");
    assert_eq!(runs(&unwound, "k::a"), [(0, 4), (100, 4), (0, 4)]);
}

#[test]
fn of_several_threads_the_one_that_executes_most_is_shown() {
    let timeline = of("threads");
    assert_eq!(timeline.total, 20);
    assert_eq!(runs(&timeline, "k::a"), [(0, 10), (100, 10)]);
}

#[test]
fn a_run_without_the_subject_has_no_timeline() {
    let error = try_of("nothing", BenchmarkSubject::Function("subject".to_owned()));
    assert!(
        matches!(error, Err(ProfilerError::SubjectNotExecuted { .. })),
        "{error:?}"
    );
}

#[test]
fn a_timeline_repeats_and_its_recording_leaves_the_counts_as_they_are() {
    for scenario in ["many short calls", "recursion", "ends inside", "threads"] {
        assert_eq!(of(scenario), of(scenario));
        let texts = |with_timeline: bool| {
            let folder = tempfile::tempdir().unwrap();
            let mut invocation = Invocation::new(program(), folder.path(), Duration::from_secs(60))
                .arguments([scenario])
                .variable("LITO_PROBE_OUTPUT", folder.path().join("counts"));
            if with_timeline {
                invocation = invocation.variable("LITO_PROBE_TIMELINE", folder.path().join("rows"));
            }
            process::run(&invocation, &InterruptionFlag::default()).unwrap();
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let texts = entries.map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).unwrap())
            });
            texts.collect::<BTreeMap<String, String>>()
        };
        let (without, with) = (texts(false), texts(true));
        assert_eq!(without.keys().collect::<Vec<_>>(), ["counts"]);
        assert_eq!(with.keys().collect::<Vec<_>>(), ["counts", "rows"]);
        assert_eq!(without["counts"], with["counts"], "{scenario}");
        // A row's frames add up to its inclusive cost.
        if scenario != "threads" {
            let last = |text: &str, kind: &str| {
                let mut lines = text.lines().filter(|line| line.starts_with(kind));
                lines.next_back().unwrap().to_owned()
            };
            let numbers =
                |line: String| -> Vec<u64> { line.split(' ').skip(1).map(|number| number.parse().unwrap()).collect() };
            let function = numbers(last(&with["counts"], "f"));
            let row = numbers(last(&with["rows"], "r"));
            assert_eq!(
                (row[0], row[1..].iter().sum()),
                (function[0], function[2]),
                "{scenario}"
            );
        }
    }
}

#[test]
fn a_context_is_a_function_with_all_its_callers() {
    let subject = BenchmarkSubject::Function("k::subject".to_owned());
    let benchmark = benchmark("contexts", subject);
    let contexts = run::call_tree(&benchmark, &table(), &InterruptionFlag::default()).unwrap();
    let mut paths: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for node in &contexts.tree.nodes {
        let name = &contexts.tree.functions[node.function.0 as usize].name;
        let above = node.parent.map(|parent| format!("{} ", paths[parent.0 as usize]));
        paths.push(above.unwrap_or_default() + name.rsplit("::").next().unwrap());
        let calls = node.calls.map_or(0, |calls| calls.count);
        found.push(format!("{} {calls} {}", paths[paths.len() - 1], node.self_cost));
    }
    let expected = [
        "benchmark 0 0",
        "benchmark subject 1 3",
        "benchmark subject copy 1 0",
        "benchmark subject copy copy 1 13",
        "benchmark subject a 2 10",
        "benchmark subject a b 2 14",
        "benchmark subject b 2 11",
        "benchmark subject recursive 1 4",
        "benchmark subject recursive recursive 1 4",
    ];
    assert_eq!(found, expected);
    assert_eq!((contexts.total, contexts.counted), (59, 59));
    assert!(contexts.complete);
}

#[derive(Debug, Clone)]
enum RecorderStep {
    Enter(u32),
    Leave,
    Work(u64),
}

fn step() -> impl Strategy<Value = RecorderStep> {
    prop_oneof![
        (0u32..4).prop_map(RecorderStep::Enter),
        Just(RecorderStep::Leave),
        (0u64..60).prop_map(RecorderStep::Work),
    ]
}

/// The active rows 0 to 2 at each operation: functions 2 and 3 are one row.
const ROWS: [u32; 4] = [0, 1, 2, 2];

proptest! {
    #[test]
    fn frames_are_what_counting_each_operation_by_itself_gives(steps in proptest::collection::vec(step(), 0..200)) {
        let rows: &'static [u32] = &ROWS;
        let mut recorder = recorder::TimelineRecorder::new(rows);
        let (mut stack, mut each): (Vec<u32>, Vec<[bool; 3]>) = (Vec::new(), Vec::new());
        for step in &steps {
            match step {
                RecorderStep::Enter(function) => {
                    recorder.enter(*function, each.len() as u64);
                    stack.push(*function);
                }
                RecorderStep::Leave => if let Some(function) = stack.pop() {
                    recorder.leave(function, each.len() as u64);
                },
                RecorderStep::Work(operations) => for _ in 0..*operations {
                    each.push([0, 1, 2].map(|row| stack.iter().any(|f| ROWS[*f as usize] == row)));
                },
            }
        }
        let mut text = String::new();
        recorder.write(each.len() as u64, &mut text);
        let mut expected = String::new();
        if !each.is_empty() {
            let mut length = 1;
            while each.len().div_ceil(length) > 80 { length *= 2; }
            expected = format!("t {} {length}\n", each.len());
            for row in 0..3 {
                let frames = each.chunks(length).map(|frame| frame.iter().filter(|on| on[row]).count());
                let frames: Vec<String> = frames.map(|count| count.to_string()).collect();
                if each.iter().any(|on| on[row]) {
                    expected.push_str(&format!("r {row} {}\n", frames.join(" ")));
                }
            }
        }
        // A row that was on the stack while nothing was executed has a line of zeros.
        let kept = text.lines().filter(|line| line.starts_with('t') || line.split(' ').skip(2).any(|n| n != "0"));
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        prop_assert_eq!(kept, expected);
    }
}

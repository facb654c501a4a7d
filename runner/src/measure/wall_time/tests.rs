#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::fixture::{CargoFixture, manifest};
use crate::measure::fixture::{BaseHeadFixture, script, tool};
use crate::measure::{Deadline, MOST_RETRIES};
use crate::process::InterruptionFlag;
use crate::waiting::{comes_true, ends};

fn timed(benchmark: &Benchmark) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    let interruption = InterruptionFlag::default();
    let conditions = RunConditions {
        deadline: Deadline::NEVER,
        shared_start: None,
        interruption: &interruption,
    };
    time_start(benchmark, &conditions)
}

fn run_script(framework: &str, text: &str) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    let folder = tempfile::tempdir().unwrap();
    timed(&script(folder.path(), framework, text))
}

fn reason(result: Result<TrialResult<ProcessStart>, MeasurementError>) -> String {
    match result {
        Err(MeasurementError::Failed { reason, retries }) => {
            assert_eq!(retries, MOST_RETRIES);
            reason
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_process_takes_its_wall_time() {
    let ProcessStart(values) = run_script("binary", "sleep 0.2").unwrap().value;
    assert!(values[0] >= 2e8, "{values:?}");
}

#[test]
fn a_failure_is_retried_and_tells_the_programs_words() {
    let reason = reason(run_script("command", "echo x >> runs; echo no table >&2; exit 3"));
    assert!(
        reason.contains("exited with code 3") && reason.contains("no table"),
        "{reason}"
    );
}

#[test]
fn flaky_programs_are_counted_as_such() {
    let flaky = "test -e once && exec sleep 0.1; touch once; exit 1";
    assert_eq!(run_script("command", flaky).unwrap().retries, 1);
}

#[test]
fn a_program_that_hangs_is_stopped_once_and_all_its_children_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = "echo x >> runs; sleep 600 & echo $! > left; wait";
    // A busy machine needs a longer limit to get as far as that child.
    let left = [1, 5, 30].into_iter().find_map(|seconds| {
        let _ = std::fs::remove_file(folder.path().join("runs"));
        let limit = Duration::from_secs(seconds);
        let hanging = Benchmark {
            time_limit: limit,
            ..script(folder.path(), "command", text)
        };
        assert_eq!(timed(&hanging), Err(MeasurementError::TimedOut { limit }));
        let process = std::fs::read_to_string(folder.path().join("left")).ok()?;
        process.ends_with('\n').then_some(process)
    });
    assert_eq!(std::fs::read_to_string(folder.path().join("runs")).unwrap(), "x\n");
    assert!(ends(
        &left.expect("no limit was long enough for the script to start a child")
    ));
}

#[test]
fn a_program_that_leaves_children_has_no_time_and_they_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let leaving = script(folder.path(), "command", "sleep 600 & echo $! > left; sleep 0.1");
    let error = timed(&leaving).unwrap_err();
    assert!(
        matches!(&error, MeasurementError::Failed { reason, .. } if reason.contains("it left the process `sleep` running")),
        "{error:?}"
    );
    assert!(ends(&std::fs::read_to_string(folder.path().join("left")).unwrap()));
}

#[test]
fn the_deadline_ends_a_run_and_no_other_begins() {
    let folder = tempfile::tempdir().unwrap();
    let interruption = InterruptionFlag::default();
    let long = script(folder.path(), "command", "echo x >> runs; sleep 600");
    // A busy machine needs a later deadline to start the program before it.
    let runs = [300, 3_000, 30_000].into_iter().find_map(|milliseconds| {
        let conditions = RunConditions {
            deadline: Deadline::after(Duration::from_millis(milliseconds)),
            shared_start: None,
            interruption: &interruption,
        };
        for _ in 0..2 {
            assert_eq!(time_start(&long, &conditions), Err(MeasurementError::OutOfTime));
        }
        std::fs::read_to_string(folder.path().join("runs")).ok()
    });
    assert_eq!(runs.as_deref(), Some("x\n"));
}

#[test]
fn the_user_can_stop_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let interruption = InterruptionFlag::default();
    let conditions = RunConditions {
        deadline: Deadline::NEVER,
        shared_start: None,
        interruption: &interruption,
    };
    let long = script(folder.path(), "criterion", "touch begun; sleep 600");
    let begun = folder.path().join("begun");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            comes_true(|| begun.exists());
            interruption.raise();
        });
        assert_eq!(time_start(&long, &conditions), Err(MeasurementError::Interrupted));
    });
    assert!(begun.exists(), "the run had begun");
}

#[test]
fn endless_output_does_no_harm() {
    let taken = run_script("command", "head -c 50000000 /dev/zero; sleep 0.1");
    assert_eq!(taken.unwrap().retries, 0);
}

#[test]
fn garbage_where_times_are_expected_is_a_failure_that_shows_it() {
    for (framework, words) in [
        ("divan", "it printed no table of times: what is this"),
        ("libtest", "it printed no bench time: what is this"),
        (
            "criterion",
            "criterion wrote 0 sample files instead of one: what is this",
        ),
    ] {
        let reason = reason(run_script(framework, "echo what is this"));
        assert_eq!(reason, words);
    }
    let folder = "mkdir -p \"$CRITERION_HOME\"/a/new";
    let garbage = format!("{folder}; echo '{{' > \"$CRITERION_HOME\"/a/new/sample.json");
    assert!(reason(run_script("criterion", &garbage)).contains("reading criterion's samples"));
    let infinite = "echo 'bench: inf ns/iter (+/- 0)'";
    assert_eq!(reason(run_script("libtest", infinite)), "its times are no times");
}

#[test]
fn a_criterion_that_takes_whole_seconds_only_is_given_these() {
    let old = "case \"$*\" in *0.2*) echo \"error: The argument '0.2' isn't a valid value\"; exit 1;; esac
        mkdir -p \"$CRITERION_HOME\"/a/new
        echo '{\"sampling_mode\":\"Flat\",\"iters\":[2.0],\"times\":[7.0]}' > \"$CRITERION_HOME\"/a/new/sample.json";
    let taken = run_script("criterion", old).unwrap();
    assert_eq!((taken.value, taken.retries), (ProcessStart(vec![3.5]), 0));
}

#[test]
fn a_missing_program_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Benchmark {
        program: "/no/such/program".into(),
        ..script(folder.path(), "command", "")
    };
    assert!(reason(timed(&missing)).contains("/no/such/program"));
}

fn find<'a>(benchmarks: &'a [Benchmark], name: &str) -> &'a Benchmark {
    let found = benchmarks.iter().find(|benchmark| benchmark.name == name);
    found.unwrap_or_else(|| panic!("{name}: {benchmarks:?}"))
}

#[test]
fn criterions_samples_are_read_exactly() {
    let manifest = manifest(
        "[dev-dependencies]\ncriterion = { version = \"0.8\", default-features = false }\n\
         [[bench]]\nname = \"ways\"\nharness = false\n",
    );
    let bench = r#"
        use criterion::*; use std::time::Duration;
        fn all(c: &mut Criterion) {
            c.bench_function("known", |b| b.iter_custom(|n| {
                std::thread::sleep(Duration::from_micros(n));
                Duration::from_nanos(n * 1234)
            }));
            let mut group = c.benchmark_group("a group/x");
            group.bench_with_input(BenchmarkId::new("with input", 1000), &1, |b, v| b.iter(|| v + 1));
            group.finish();
        }
        criterion_group!(benches, all);
        criterion_main!(benches);
    "#;
    let fixture =
        CargoFixture::with_shared_cache("criterion", &[("Cargo.toml", &manifest), ("benches/ways.rs", bench)]);
    let benchmarks = fixture
        .list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench))
        .benchmarks;
    let known = find(&benchmarks, "known");
    assert_eq!(known.framework.name(), "criterion");
    let ProcessStart(values) = timed(known).unwrap().value;
    assert!(values.len() >= 10 && values.iter().all(|value| *value == 1234.0));
    let other = timed(find(&benchmarks, "a group/x/with input/1000"));
    assert!(other.unwrap().value.0.len() >= 10);
    assert!(!fixture.path("tree/target").exists());
}

#[test]
fn divans_table_is_read() {
    let manifest = manifest("[dev-dependencies]\ndivan = \"0.1.21\"\n[[bench]]\nname = \"ways\"\nharness = false\n");
    let bench = r#"
        use divan::{Bencher, black_box, counter::BytesCount}; use subject::*; use std::time::Duration;
        fn main() { divan::main() }
        #[divan::bench(args = ["a b", "x/y"])]
        fn named(b: Bencher, _: &str) {
            let v = setup(1000);
            b.counter(BytesCount::of_slice(&v)).bench(|| work(black_box(&v)))
        }
        mod inner {
            #[divan::bench] fn slow() { std::thread::sleep(super::Duration::from_millis(30)) }
        }
    "#;
    let fixture = CargoFixture::with_shared_cache("divan", &[("Cargo.toml", &manifest), ("benches/ways.rs", bench)]);
    let benchmarks = fixture
        .list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench))
        .benchmarks;
    let value = |name| {
        let benchmark = find(&benchmarks, name);
        assert_eq!(benchmark.framework.name(), "divan");
        timed(benchmark).unwrap().value.0[0]
    };
    // Nothing hashes an element in less than a tenth of a nanosecond.
    assert!(value("ways::named::a b") > 100.0);
    assert!(value("ways::inner::slow") >= 30e6);
}

#[test]
fn the_standard_harness_times_bench_functions_and_tests_are_whole_processes() {
    let bench = "#![feature(test)]\nextern crate test;\n\
        #[bench] fn slow(b: &mut test::Bencher) { b.iter(|| std::thread::sleep(std::time::Duration::from_millis(1))) }\n";
    let fixture = CargoFixture::new(&[
        ("benches/standard.rs", bench),
        ("tests/whole.rs", "#[test] fn whole() {}"),
    ]);
    let list = |adapter| {
        let mut listing = fixture.list(&BenchmarkDefinition::new(adapter));
        listing.benchmarks.remove(0)
    };
    let slow = list(BenchmarkAdapter::CargoBench);
    assert_eq!(slow.framework.name(), "libtest");
    let ProcessStart(values) = timed(&slow).unwrap().value;
    assert!(values.len() == 1 && values[0] >= 1e6, "{values:?}");
    // Building the tests removes the benches.
    let whole = list(BenchmarkAdapter::CargoTest);
    assert_eq!(whole.framework.name(), "libtest");
    assert!(!timed(&whole).unwrap().value.0.is_empty());
}

#[test]
fn rounds_run_one_start_after_another_in_the_order_of_their_seed() {
    let says = |word: &str| {
        format!(
            "fn main() {{ use std::io::Write;
                let log = std::env::current_dir().unwrap().join(\"../log\");
                let mut file = std::fs::File::options().create(true).append(true).open(log).unwrap();
                file.write_all(b\"{word}\\n\").unwrap();
                std::thread::sleep(std::time::Duration::from_millis(60)); }}"
        )
    };
    let (base, head) = (says("base"), says("head"));
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &base)],
        &[("src/bin/tool.rs", &head)],
        vec![tool()],
    );
    let mut sides = versions.build().unwrap();
    let mut wanted = RoundsRequest {
        benchmark: "tool",
        first: 0,
        count: 4,
        seed: 7,
    };
    let taken = time_rounds(&mut sides, &wanted, &versions.conditions()).unwrap();
    assert_eq!((taken.value.len(), taken.retries), (4, 0));
    for round in &taken.value {
        for start in [&round.base, &round.control, &round.head] {
            assert_eq!(start.0.len(), 1);
        }
    }
    let log = std::fs::read_to_string(versions.cache.root().join("log")).unwrap();
    let expected: Vec<&str> = (0..4)
        .flat_map(|number| order(7, "tool", number))
        .map(|turn| if turn == RoundStart::Head { "head" } else { "base" })
        .collect();
    assert_eq!(log.lines().collect::<Vec<_>>(), expected);
    wanted.benchmark = "none";
    let error = time_rounds(&mut sides, &wanted, &versions.conditions()).unwrap_err();
    assert!(matches!(error.why, MeasurementError::Failed { .. }));
}

#[test]
fn no_start_finds_what_another_left() {
    let leaves = |version: &str| {
        format!(
            "fn main() {{
                // {version}
                let left = std::path::Path::new(\"left\");
                assert!(!left.exists());
                std::thread::sleep(std::time::Duration::from_millis(60));
                std::fs::write(left, \"\").unwrap(); }}"
        )
    };
    let (base, head) = (leaves("one"), leaves("two"));
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &base)],
        &[("src/bin/tool.rs", &head)],
        vec![tool()],
    );
    let mut sides = versions.build().unwrap();
    let wanted = RoundsRequest {
        benchmark: "tool",
        first: 0,
        count: 4,
        seed: 7,
    };
    let taken = time_rounds(&mut sides, &wanted, &versions.conditions()).unwrap();
    assert_eq!((taken.value.len(), taken.retries), (4, 0));
}

#[test]
fn the_side_that_fails_is_named() {
    let fails = "fn main() { std::process::exit(7) }";
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", "fn main() {}")],
        &[("src/bin/tool.rs", fails)],
        vec![tool()],
    );
    let mut sides = versions.build().unwrap();
    let wanted = RoundsRequest {
        benchmark: "tool",
        first: 0,
        count: 1,
        seed: 0,
    };
    let error = time_rounds(&mut sides, &wanted, &versions.conditions()).unwrap_err();
    assert_eq!(error.which, BaseOrHead::Head);
    assert!(error.to_string().contains("at the head: "), "{error}");
}

#[test]
fn every_order_comes_up_equally_often_and_again() {
    let mut counts = std::collections::BTreeMap::new();
    for number in 0..6000 {
        let order = order(1, "a", number).map(|turn| turn as u8);
        *counts.entry(order).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    // 1000 each on average, with a standard deviation of 29.
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    let ten = |seed, name| (0..10).map(|number| order(seed, name, number)).collect::<Vec<_>>();
    assert_eq!(ten(1, "a"), ten(1, "a"));
    assert_ne!(ten(1, "a"), ten(2, "a"));
    assert_ne!(ten(1, "a"), ten(1, "b"));
}

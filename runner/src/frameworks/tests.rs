#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use crate::fixture::{CargoFixture, manifest};
use crate::process::{self, FinishedProcess, Invocation};
use crate::suite::{self, SuitePrograms};

fn names(listing: &BenchmarkDiscovery) -> Vec<&str> {
    listing
        .benchmarks
        .iter()
        .map(|benchmark| benchmark.name.as_str())
        .collect()
}

fn run(benchmark: &Benchmark) -> FinishedProcess {
    let invocation = Invocation::new(&benchmark.program, &benchmark.directory, Duration::from_secs(60))
        .arguments(&benchmark.arguments);
    let invocation = (benchmark.environment.iter()).fold(invocation, |run, (name, value)| run.variable(name, value));
    process::run(&invocation, &InterruptionFlag::default()).unwrap()
}

#[test]
fn bench_functions_are_listed_and_run_once() {
    let bench = "#![feature(test)]\nextern crate test;\n\
        #[bench] fn plain(b: &mut test::Bencher) { let v = subject::setup(9); b.iter(|| { println!(\"ran\"); subject::work(&v) }) }\n\
        mod deep { #[bench] fn er(b: &mut test::Bencher) { b.iter(|| 1) } }\n\
        #[bench] #[ignore] fn skipped(b: &mut test::Bencher) { b.iter(|| 1) }\n";
    let fixture = CargoFixture::new(&[("benches/standard.rs", bench)]);
    let listing = fixture.list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench));
    assert_eq!(names(&listing), ["deep::er", "plain"]);
    assert_eq!(listing.benchmarks[1].framework.name(), "libtest");
    let finished = run(&listing.benchmarks[1]);
    assert!(finished.status.success());
    assert!(
        finished.stdout.text().contains("running 1 test"),
        "{}",
        finished.stdout.text()
    );
}

#[test]
fn tests_serve_as_benchmarks() {
    let library = "#[cfg(test)] mod tests {\n\
        #[test] fn works() {}\n#[test] #[ignore] fn skipped() {}\n#[test] #[should_panic] fn panics() { panic!() } }\n";
    let fixture = CargoFixture::new(&[
        ("src/lib.rs", library),
        (
            "tests/whole.rs",
            "#[test] fn runs() {}\n#[test] fn fails() { panic!() }",
        ),
    ]);
    let definition = BenchmarkDefinition {
        exclude: vec!["panics".into()],
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)
    };
    let listing = fixture.list(&definition);
    assert_eq!(names(&listing), ["fails", "runs", "tests::panics", "tests::works"]);
    assert_eq!(
        listing.benchmarks[1].subject,
        BenchmarkSubject::Pattern("test::__rust_begin_short_backtrace*".into())
    );
    let success: Vec<bool> = listing
        .benchmarks
        .iter()
        .map(|benchmark| run(benchmark).status.success())
        .collect();
    assert_eq!(success, [false, true, true, true]);
}

#[test]
fn a_program_without_a_known_framework_is_named_and_does_not_hide_the_others() {
    let manifest = manifest("[[bench]]\nname = \"odd\"\nharness = false\n[[bench]]\nname = \"usual\"\n");
    let usual = "#![feature(test)]\nextern crate test;\n#[bench] fn b(b: &mut test::Bencher) { b.iter(|| 1) }";
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("benches/odd.rs", "fn main() { println!(\"garbage\") }"),
        ("benches/usual.rs", usual),
    ]);
    let listing = fixture.list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench));
    assert_eq!(names(&listing), ["b"]);
    assert_eq!(listing.failures.len(), 1);
    assert!(
        listing.failures[0].reason.contains("criterion"),
        "{:?}",
        listing.failures
    );
}

#[test]
fn a_name_that_two_programs_share_gets_its_target() {
    let bench = "#![feature(test)]\nextern crate test;\n#[bench] fn same(b: &mut test::Bencher) { b.iter(|| 1) }";
    let fixture = CargoFixture::new(&[("benches/one.rs", bench), ("benches/two.rs", bench)]);
    assert_eq!(
        names(&fixture.list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench))),
        ["one/same", "two/same"]
    );
}

#[test]
fn binaries_of_a_harness_are_benchmarks_with_their_function_subject() {
    let fixture = CargoFixture::new(&[]);
    fixture.write(
        "harness/Cargo.toml",
        "[package]\nname = \"h\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[dependencies]\nsubject = \"*\"\n",
    );
    let main = "fn main() { std::hint::black_box(subject(&subject::setup(9))); }";
    let marked = format!("#[inline(never)] pub fn subject(v: &[u32]) -> u32 {{ subject::work(v) }}\n{main}");
    fixture.write("harness/src/bin/with-subject.rs", &marked);
    fixture.write(
        "harness/src/bin/whole.rs",
        "fn main() { println!(\"{}\", subject::work(&[1])) }",
    );
    let definition = BenchmarkDefinition {
        harness: Some("../harness".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    let listing = fixture.list(&definition);
    assert_eq!(names(&listing), ["whole", "with-subject"]);
    assert_eq!(listing.benchmarks[0].subject, BenchmarkSubject::Process);
    assert_eq!(
        listing.benchmarks[1].subject,
        BenchmarkSubject::Function("with_subject::subject".into())
    );
    assert!(run(&listing.benchmarks[1]).status.success());
}

#[test]
fn a_command_is_built_and_found_in_the_shared_folder() {
    let fixture = CargoFixture::new(&[(
        "src/bin/tool.rs",
        "fn main() { println!(\"{:?}\", std::env::args().nth(1)) }",
    )]);
    let definition = BenchmarkDefinition {
        name: Some("the tool".into()),
        build: Some(["cargo", "build", "--release"].map(str::to_owned).to_vec()),
        run: Some(["target/release/tool", "an argument"].map(str::to_owned).to_vec()),
        subject: Some("tool::main".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
    };
    let listing = fixture.list(&definition);
    assert_eq!(names(&listing), ["the tool"]);
    assert_eq!(
        listing.benchmarks[0].subject,
        BenchmarkSubject::Function("tool::main".into())
    );
    assert_eq!(run(&listing.benchmarks[0]).stdout.text(), "Some(\"an argument\")\n");
    assert!(!fixture.path("tree/target").exists());
}

#[test]
fn programs_take_no_backtraces_unless_a_definition_asks_for_them() {
    let fixture = CargoFixture::new(&[]);
    let asked = |own: &[(&str, &str)]| {
        let definition = BenchmarkDefinition {
            name: Some("the shell".into()),
            run: Some(
                ["sh", "-c", "printf $RUST_BACKTRACE$RUST_LIB_BACKTRACE"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
            env: (own.iter())
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
        };
        let listing = fixture.list(&definition);
        run(&listing.benchmarks[0]).stdout.text().to_owned()
    };
    assert_eq!(asked(&[]), "00");
    assert_eq!(asked(&[("RUST_BACKTRACE", "full")]), "full0");
}

/// Instructions of the library's `work` on a thousand elements, counted in its machine code: 15 for each four, and up
/// to 40 around the loop, call and return included.
const WORK: std::ops::RangeInclusive<u64> = 3_750..=3_790;

/// Cost of reading the clock, calling the routine and keeping its result.
const FRAME_COST: u64 = 350;

fn profile(benchmark: &Benchmark) -> profile::Profile {
    crate::needs::program("valgrind");
    let request = crate::profilers::callgrind::ProfilerRequest {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: benchmark.counting.as_deref(),
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &attribution::callgrind::PathRemapping::default(),
        time_limit: benchmark.time_limit,
        interpreter: None,
        shared_start: None,
        interruption: &InterruptionFlag::default(),
    };
    crate::profilers::callgrind::profile(&request).unwrap()
}

/// Each benchmark calls `work` once on a thousand elements, after a set-up that costs a hundred times as much.
fn assert_only_the_subject_counts(fixture: &CargoFixture, programs: SuitePrograms, expected: &[&str]) {
    let definition = BenchmarkDefinition::new(BenchmarkAdapter::CargoBench);
    let suite = fixture
        .with_build_context(|site| suite::build_suite(&[definition].into(), site, programs))
        .unwrap();
    assert_eq!(suite.failures, []);
    let names: Vec<&str> = suite.benchmarks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, expected);
    for benchmark in &suite.benchmarks {
        let profile = profile(benchmark);
        let work = profile
            .functions
            .iter()
            .find(|function| function.name == "subject::work");
        let work = work.unwrap_or_else(|| panic!("{}: {:?}", benchmark.name, profile.functions));
        let counted = programs == SuitePrograms::MeasuredAndCounting;
        assert_eq!(benchmark.counting.is_some(), counted, "{}", benchmark.name);
        assert!(!(counted && work.estimated), "{}", benchmark.name);
        assert_eq!(work.calls, 1, "{}", benchmark.name);
        assert!(WORK.contains(&work.inclusive), "{}: {}", benchmark.name, work.inclusive);
        let rest = profile.total - work.inclusive;
        assert!(
            rest < FRAME_COST,
            "{}: {rest} instructions besides the subject",
            benchmark.name
        );
        assert!(
            !profile
                .functions
                .iter()
                .any(|function| function.name == "subject::setup"),
            "{}",
            benchmark.name
        );
    }
}

#[test]
fn criterions_subject_is_the_routine_in_every_way_to_iterate() {
    let manifest = manifest(
        "[dev-dependencies]\ncriterion = { version = \"0.8\", default-features = false }\n\
         [[bench]]\nname = \"ways\"\nharness = false\n",
    );
    let bench = r#"
        use criterion::*; use std::hint::black_box; use std::time::Instant; use subject::*;
        fn input() -> Vec<u32> { setup(100_000)[..1000].to_vec() }
        fn all(c: &mut Criterion) {
            c.bench_function("iter", |b| { let v = input(); b.iter(|| work(black_box(&v))) });
            c.bench_function("batched small", |b| b.iter_batched(input, |v| work(&v), BatchSize::SmallInput));
            c.bench_function("batched/ref (x)", |b| b.iter_batched_ref(input, |v| work(v), BatchSize::LargeInput));
            c.bench_function("per_iteration", |b| b.iter_batched(input, |v| work(&v), BatchSize::PerIteration));
            c.bench_function("sétup ☂", |b| b.iter_with_setup(input, |v| work(&v)));
            c.bench_function("large_drop", |b| { let v = input(); b.iter_with_large_drop(|| work(black_box(&v))) });
            c.bench_function("custom", |b| b.iter_custom(|n| {
                let v = input();
                let start = Instant::now();
                for _ in 0..n { black_box(work(&v)); }
                start.elapsed()
            }));
            let mut group = c.benchmark_group("a group/x");
            group.bench_with_input(BenchmarkId::new("with input", 1000), &input(), |b, v| b.iter(|| work(black_box(v))));
            group.finish();
            if std::env::var_os("NAMED_BY_THE_CLOCK").is_some() {
                c.bench_function(&format!("at {:?}", Instant::now()), |b| b.iter(|| 1));
            }
        }
        criterion_group!(benches, all);
        criterion_main!(benches);
    "#;
    let fixture =
        CargoFixture::with_shared_cache("criterion", &[("Cargo.toml", &manifest), ("benches/ways.rs", bench)]);
    let expected = [
        "a group/x/with input/1000",
        "batched small",
        "batched/ref (x)",
        "custom",
        "iter",
        "large_drop",
        "per_iteration",
        "sétup ☂",
    ];
    assert_only_the_subject_counts(&fixture, SuitePrograms::MeasuredAndCounting, &expected);
    let listing = fixture.list(&BenchmarkDefinition {
        env: BTreeMap::from([("NAMED_BY_THE_CLOCK".to_owned(), "1".to_owned())]),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    });
    assert_eq!(names(&listing), expected, "without the one whose name changes");
    let [left_out] = &listing.failures[..] else {
        panic!("{listing:?}");
    };
    assert!(left_out.reason.contains("change from run to run"), "{left_out:?}");
}

#[test]
fn divans_subject_is_the_benched_function_without_calibration_and_inputs() {
    let manifest = manifest("[dev-dependencies]\ndivan = \"0.1.21\"\n[[bench]]\nname = \"ways\"\nharness = false\n");
    let bench = r#"
        use divan::{Bencher, black_box}; use subject::*;
        fn main() { divan::main() }
        fn input() -> Vec<u32> { setup(100_000)[..1000].to_vec() }
        #[divan::bench(args = ["a b", "x/y"])]
        fn named(b: Bencher, _: &str) { let v = input(); b.bench(|| work(black_box(&v))) }
        mod inner {
            use super::*;
            #[divan::bench] fn values(b: Bencher) { b.with_inputs(input).bench_values(|v| work(&v)) }
            #[divan::bench] fn refs(b: Bencher) { b.with_inputs(input).bench_refs(|v| work(v)) }
        }
    "#;
    let fixture = CargoFixture::with_shared_cache("divan", &[("Cargo.toml", &manifest), ("benches/ways.rs", bench)]);
    let expected = [
        "ways::inner::refs",
        "ways::inner::values",
        "ways::named::a b",
        "ways::named::x/y",
    ];
    // Divan's own preparations take a quarter of a minute in the counting program.
    assert_only_the_subject_counts(&fixture, SuitePrograms::Measured, &expected);
}

#[test]
fn codspeeds_copies_of_the_frameworks_are_measured_like_the_originals() {
    let manifest = manifest(
        "[dev-dependencies]\ncriterion = { package = \"codspeed-criterion-compat\", version = \"6\", default-features = false }\n\
         divan = { package = \"codspeed-divan-compat\", version = \"6\" }\n\
         [[bench]]\nname = \"c\"\nharness = false\n[[bench]]\nname = \"d\"\nharness = false\n",
    );
    let criterion = r#"
        use criterion::*; use std::hint::black_box; use subject::*;
        fn input() -> Vec<u32> { setup(100_000)[..1000].to_vec() }
        fn all(c: &mut Criterion) {
            c.bench_function("iter", |b| { let v = input(); b.iter(|| work(black_box(&v))) });
            c.bench_function("batched", |b| b.iter_batched(input, |v| work(&v), BatchSize::SmallInput));
            c.bench_function("batched_ref", |b| b.iter_batched_ref(input, |v| work(v), BatchSize::LargeInput));
        }
        criterion_group!(benches, all);
        criterion_main!(benches);
    "#;
    let divan = r#"
        use divan::{Bencher, black_box}; use subject::*;
        fn main() { divan::main() }
        fn input() -> Vec<u32> { setup(100_000)[..1000].to_vec() }
        #[divan::bench] fn plain(b: Bencher) { let v = input(); b.bench(|| work(black_box(&v))) }
        #[divan::bench] fn values(b: Bencher) { b.with_inputs(input).bench_values(|v| work(&v)) }
    "#;
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("benches/c.rs", criterion),
        ("benches/d.rs", divan),
    ];
    let fixture = CargoFixture::with_shared_cache("codspeed", &files);
    let expected = ["batched", "batched_ref", "d::plain", "d::values", "iter"];
    assert_only_the_subject_counts(&fixture, SuitePrograms::Measured, &expected);
}

/// These know no list, no run of one benchmark, or no run of one iteration.
#[test]
fn frameworks_that_drive_themselves_are_listed_and_run_once() {
    let targets = ["old-copy", "turns", "cached", "groups"]
        .map(|name| format!("[[bench]]\nname = \"{name}\"\nharness = false\n"))
        .concat();
    let manifest = manifest(&format!(
        "[dev-dependencies]\nbencher = \"0.1.5\"\ntango-bench = \"0.9\"\niai = \"0.1.1\"\n\
         gungraun = \"0.20\"\n{targets}"
    ));
    let input = "fn input(_: u32) -> Vec<u32> { setup(100_000)[..1000].to_vec() }";
    let bencher = "use bencher::{Bencher, benchmark_group, benchmark_main}; use subject::*;
        fn part(b: &mut Bencher) { let v = input(0); b.iter(|| work(bencher::black_box(&v))) }
        fn timed_set_up(b: &mut Bencher) {
            let start = std::time::Instant::now();
            let v = input(0);
            bencher::black_box(start.elapsed());
            b.iter(|| work(bencher::black_box(&v)))
        }
        mod inner { use super::*;
            pub fn a_part(b: &mut Bencher) { let v = input(0); b.iter(|| work(bencher::black_box(&v)) + 1) } }
        benchmark_group!(one, part, timed_set_up); benchmark_group!(two, inner::a_part);
        benchmark_main!(one, two);";
    let tango = "use tango_bench::{benchmark_fn, tango_benchmarks, IntoBenchmarks}; use subject::*;
        fn all() -> impl IntoBenchmarks { [
            benchmark_fn(\"turn[1]\", |b| { let v = input(0); b.iter(move || work(std::hint::black_box(&v))) }),
            benchmark_fn(\"turn1\", |b| { b.iter(|| 1) }) ] }
        tango_benchmarks!(all());";
    // It measures the whole function, set-up included.
    let iai = "fn cached_long() -> u32 { subject::work(iai::black_box(&[7; 1000])) }
        fn cached() -> u32 { subject::work(iai::black_box(&[7; 10])) }
        iai::main!(cached, cached_long);";
    let gungraun = "use gungraun::{library_benchmark, library_benchmark_group, main}; use subject::*;
        #[library_benchmark(setup = input)]
        #[bench::first(1)]
        #[bench::second(2)]
        fn grouped(v: Vec<u32>) -> (u32, Vec<u32>) { (work(&v), v) }
        #[library_benchmark]
        fn alone() -> u32 { work(std::hint::black_box(&[7; 10])) }
        library_benchmark_group!(name = group; benchmarks = alone, grouped);
        main!(library_benchmark_groups = group);";
    let with_input = |bench: &str| format!("{bench}\n{input}\n");
    let files = [
        ("Cargo.toml", manifest),
        ("benches/old-copy.rs", with_input(bencher)),
        ("benches/turns.rs", with_input(tango)),
        ("benches/cached.rs", iai.to_owned()),
        ("benches/groups.rs", with_input(gungraun)),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, content)| (*path, content.as_str())).collect();
    let fixture = CargoFixture::with_shared_cache("self-driven", &files);
    let listing = fixture.list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoBench));
    assert_eq!(listing.failures, []);
    assert_eq!(
        names(&listing),
        [
            "cached",
            "cached_long",
            "group::alone",
            "group::grouped::first",
            "group::grouped::second",
            "inner::a_part",
            "part",
            "timed_set_up",
            "turn1",
            "turn[1]",
        ]
    );
    for benchmark in &listing.benchmarks {
        let profile = profile(benchmark);
        let work = profile
            .functions
            .iter()
            .find(|function| function.name == "subject::work");
        match benchmark.name.as_str() {
            "cached" | "group::alone" => assert!(work.unwrap().inclusive < 100, "{benchmark:?}"),
            "turn1" => assert!(work.is_none(), "{benchmark:?}"),
            // Its set-up, from its first reading of the clock on, is taken for part of the routine.
            "timed_set_up" => assert_eq!(work.unwrap().calls, 1, "{benchmark:?}"),
            _ => {
                let work = work.unwrap_or_else(|| panic!("{}: {:?}", benchmark.name, profile.functions));
                assert_eq!(work.calls, 1, "{}", benchmark.name);
                assert!(WORK.contains(&work.inclusive), "{}: {}", benchmark.name, work.inclusive);
                let rest = profile.total - work.inclusive;
                assert!(
                    rest < 600,
                    "{}: {rest} instructions besides the subject",
                    benchmark.name
                );
            }
        }
        let start = TimedStart {
            benchmark,
            limit: Duration::from_secs(60),
            interruption: &InterruptionFlag::default(),
        };
        let times = benchmark.framework.time(&start).unwrap();
        assert!(
            !times.is_empty() && times.iter().all(|time| *time >= 0.0),
            "{}: {times:?}",
            benchmark.name
        );
    }
}

#[test]
fn the_subject_of_a_bench_function_is_what_it_iterates() {
    let bench = "#![feature(test)]\nextern crate test;\nuse subject::*;\n\
        #[bench] fn plain(b: &mut test::Bencher) {\n\
            let v = setup(100_000); b.iter(|| work(test::black_box(&v[..1000]))) }\n";
    let fixture = CargoFixture::new(&[("benches/standard.rs", bench)]);
    assert_only_the_subject_counts(&fixture, SuitePrograms::MeasuredAndCounting, &["plain"]);
}

#[test]
fn the_subject_of_a_test_is_the_whole_test() {
    let test = "#[test] fn whole() { let v = subject::setup(1000); assert_ne!(subject::work(&v), 1) }";
    let fixture = CargoFixture::new(&[("tests/all.rs", test)]);
    let listing = fixture.list(&BenchmarkDefinition::new(BenchmarkAdapter::CargoTest));
    let profile = profile(&listing.benchmarks[0]);
    assert!((16_000..18_000).contains(&profile.total), "{}", profile.total);
}

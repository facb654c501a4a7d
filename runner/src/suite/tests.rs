#![allow(clippy::unwrap_used)]

use super::*;
use std::path::Path;
use std::time::{Duration, SystemTime};

use attribution::callgrind::PathRemapping;
use profile::Profile;

use crate::benchmark::BenchmarkAdapter;
use crate::fixture::{CargoFixture, manifest};
use crate::process::{self, InterruptionFlag, Invocation};
use crate::profilers::callgrind::{self, ProfilerRequest};

#[test]
fn without_benches_the_tests_are_found() {
    let fixture = CargoFixture::new(&[("tests/whole.rs", "#[test] fn runs() {}")]);
    let suite = fixture
        .with_build_context(|site| build_suite(&BenchmarkDefinitions::default(), site, SuitePrograms::Measured))
        .unwrap();
    assert_eq!(
        suite
            .benchmarks
            .iter()
            .map(|benchmark| benchmark.name.as_str())
            .collect::<Vec<_>>(),
        ["runs"]
    );
    assert!(suite.tests_stand_in);
}

#[test]
fn a_bench_target_whose_code_a_feature_turns_on_is_said_to_be_empty() {
    let bench = "#![feature(test)]\nextern crate test;\n#[bench]\nfn adds(bencher: &mut test::Bencher) {\n    \
                 bencher.iter(|| test::black_box(2) + 2);\n}\n";
    let sometimes = format!("#![cfg(feature = \"more\")]\n{bench}");
    let suite_with = |other: (&str, &str)| {
        let fixture = CargoFixture::new(&[("src/lib.rs", ""), ("benches/sometimes.rs", &sometimes), other]);
        let definitions = BenchmarkDefinitions::default();
        let suite = fixture.with_build_context(|site| build_suite(&definitions, site, SuitePrograms::Measured));
        suite.unwrap()
    };
    let beside_others = suite_with(("benches/always.rs", bench));
    assert_eq!(beside_others.empty_targets, ["sometimes"]);
    assert!(!beside_others.tests_stand_in && beside_others.failures.is_empty());
    let beside_tests = suite_with(("tests/whole.rs", "#[test] fn runs() {}"));
    assert_eq!(beside_tests.empty_targets, ["sometimes"]);
    assert!(beside_tests.tests_stand_in);
}

#[test]
fn a_package_of_benches_beside_the_workspace_is_found_before_tests() {
    let bench = "#![feature(test)]\nextern crate test;\n#[bench]\nfn adds(bencher: &mut test::Bencher) {\n    \
                 bencher.iter(|| subject::add(test::black_box(2)));\n}\n";
    let manifest = "[package]\nname = \"speed\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n\
                    [dependencies]\nsubject = { path = \"..\" }\n";
    let fixture = CargoFixture::new(&[
        ("src/lib.rs", "pub fn add(of: u64) -> u64 { of + 1 }"),
        ("tests/whole.rs", "#[test] fn runs() {}"),
        ("bench/Cargo.toml", manifest),
        ("bench/src/lib.rs", ""),
        ("bench/benches/speed.rs", bench),
    ]);
    let suite = fixture
        .with_build_context(|site| {
            build_suite(
                &BenchmarkDefinitions::default(),
                site,
                SuitePrograms::MeasuredAndCounting,
            )
        })
        .unwrap();
    assert!(!suite.tests_stand_in);
    let [adds] = &suite.benchmarks[..] else {
        panic!("{suite:?}");
    };
    assert_eq!(adds.name, "adds");
    let profile = profile_of(adds, &fixture.path("tree"));
    let add = (profile.functions.iter()).find(|function| function.name == "subject::add");
    let add = add.expect("the library is measured");
    assert_eq!(add.file.map(|file| profile.file(file)), Some("src/lib.rs"));
    assert!(!add.external);
    let compiled = &suite.compiled["adds"];
    assert!(compiled.units_with("src/lib.rs").next().is_some(), "{compiled:?}");
    assert!(
        compiled.units_with("bench/benches/speed.rs").next().is_some(),
        "{compiled:?}"
    );
}

#[test]
fn benches_of_an_unknown_framework_are_named_and_not_replaced_by_tests() {
    let manifest = manifest("[[bench]]\nname = \"own\"\nharness = false\n");
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("benches/own.rs", "fn main() {}"),
        ("tests/whole.rs", "#[test] fn runs() {}"),
    ]);
    let error = fixture
        .with_build_context(|site| build_suite(&BenchmarkDefinitions::default(), site, SuitePrograms::Measured))
        .unwrap_err();
    assert!(matches!(error, SuiteError::NoneRunnable { .. }), "{error}");
    let text = error.to_string();
    for part in ["- own: ", "adapter = \"command\"", "adapter = \"cargo-test\""] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn no_benchmark_at_all_names_everything_that_was_looked_for() {
    let fixture = CargoFixture::new(&[]);
    let error = fixture
        .with_build_context(|site| build_suite(&BenchmarkDefinitions::default(), site, SuitePrograms::Measured))
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, SuiteError::NoBenchmark { .. }));
    assert!(
        text.contains("bench targets") && text.contains("libtest test subject"),
        "{text}"
    );
}

#[test]
fn benches_that_do_not_build_are_not_replaced_by_tests() {
    let manifest = manifest("[[bench]]\nname = \"broken\"\nharness = false\n");
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("benches/broken.rs", "nonsense"),
        ("tests/whole.rs", "#[test] fn runs() {}"),
    ]);
    let error = fixture
        .with_build_context(|site| build_suite(&BenchmarkDefinitions::default(), site, SuitePrograms::Measured))
        .unwrap_err();
    assert!(
        matches!(&error, SuiteError::Build(error) if error.is_the_versions_fault()),
        "{error}"
    );
}

#[test]
fn one_definition_that_fails_leaves_the_others() {
    let fixture = CargoFixture::new(&[("tests/whole.rs", "#[test] fn runs() {}")]);
    let broken = BenchmarkDefinition {
        name: Some("broken".into()),
        build: Some(vec!["false".into()]),
        run: Some(vec!["true".into()]),
        ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
    };
    let definitions = [broken, BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)].into();
    let suite = fixture
        .with_build_context(|site| build_suite(&definitions, site, SuitePrograms::Measured))
        .unwrap();
    assert_eq!(suite.benchmarks.len(), 1);
    assert_eq!(suite.failures[0].target, "broken");
}

/// A harness whose subject calls the library's `step` a thousand times, and a command that prints the library's answer.
fn counted(fixture: &CargoFixture) -> BenchmarkDefinitions {
    fixture.write(
        "harness/Cargo.toml",
        "[package]\nname = \"h\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nsubject = \"*\"\n",
    );
    fixture.write(
        "harness/src/bin/stepping.rs",
        "#[inline(never)] fn subject(n: u64) -> u64 { (0..n).fold(0, |sum, i| sum ^ subject::step(i)) }\n\
         fn main() { println!(\"{}\", subject(std::hint::black_box(1000))) }",
    );
    fixture.write(
        "tree/src/bin/tool.rs",
        "fn main() { println!(\"{}\", subject::ANSWER) }",
    );
    let harness = BenchmarkDefinition {
        harness: Some("../harness".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    let command = BenchmarkDefinition {
        name: Some("the tool".into()),
        build: Some(["cargo", "build", "--release"].map(str::to_owned).to_vec()),
        run: Some(vec!["target/release/tool".to_owned()]),
        ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
    };
    [harness, command].into()
}

fn library(answer: &str) -> String {
    format!(
        "pub const ANSWER: &str = \"{answer}\";\n\
         #[inline(always)] pub fn step(i: u64) -> u64 {{ i.rotate_left(7) ^ 5 }}"
    )
}

fn output(program: &Path) -> String {
    let invocation = Invocation::new(program, "/", Duration::from_secs(10));
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    finished.stdout.text().trim().to_owned()
}

fn profile_of(benchmark: &Benchmark, tree: &Path) -> Profile {
    crate::needs::program("valgrind");
    let request = ProfilerRequest {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: benchmark.counting.as_deref(),
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &PathRemapping::for_project(&tree.to_string_lossy()),
        time_limit: benchmark.time_limit,
        interpreter: None,
        shared_start: None,
        interruption: &InterruptionFlag::default(),
    };
    callgrind::profile(&request).unwrap()
}

#[test]
fn each_benchmark_has_a_counting_program_of_its_own_version() {
    let fixture = CargoFixture::new(&[]);
    let definitions = counted(&fixture);
    for answer in ["one", "two"] {
        fixture.write("tree/src/lib.rs", &library(answer));
        // The modification time that a checkout from an archive leaves: older than the build of the previous version.
        let file = std::fs::File::open(fixture.path("tree/src/lib.rs")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
        let suite = fixture
            .with_build_context(|site| build_suite(&definitions, site, SuitePrograms::MeasuredAndCounting))
            .unwrap();
        let [stepping, tool] = &suite.benchmarks[..] else {
            panic!("{suite:?}");
        };
        let counting = tool.counting.as_deref().unwrap();
        assert_ne!(counting, tool.program);
        assert_eq!([output(&tool.program), output(counting)], [answer, answer]);
        let profile = profile_of(stepping, &fixture.path("tree"));
        let step = profile
            .functions
            .iter()
            .find(|function| function.name == "subject::step")
            .unwrap();
        assert!(profile.exact_counts && !step.estimated);
        assert_eq!((step.calls, step.inlined_calls), (1000, 1000));
        assert_eq!(step.file.map(|file| profile.file(file)), Some("src/lib.rs"));
    }
}

#[test]
fn a_test_of_the_library_s_name_has_its_own_counting_program() {
    let fixture = CargoFixture::new(&[]);
    let body = |call: &str| format!("#[test] fn adds() {{ assert_eq!({call}(std::hint::black_box(2)), 3); }}\n");
    let library = "pub fn add(of: u64) -> u64 { of + 1 }\n";
    fixture.write(
        "tree/src/lib.rs",
        &format!("{library}#[cfg(test)] use add as own; #[cfg(test)] {}", body("own")),
    );
    fixture.write("tree/tests/subject.rs", &body("subject::add"));
    let definitions = [BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)].into();
    let suite = fixture
        .with_build_context(|site| build_suite(&definitions, site, SuitePrograms::MeasuredAndCounting))
        .unwrap();
    let names: Vec<&str> = suite
        .benchmarks
        .iter()
        .map(|benchmark| benchmark.name.as_str())
        .collect();
    assert_eq!(names, ["subject/src/lib.rs/adds", "subject/tests/subject.rs/adds"]);
    for benchmark in &suite.benchmarks {
        let profile = profile_of(benchmark, &fixture.path("tree"));
        assert!(profile.exact_counts, "{}", benchmark.name);
    }
}

#[test]
fn a_counting_build_that_fails_leaves_the_estimates() {
    let fixture = CargoFixture::new(&[
        (
            "build.rs",
            "fn main() { assert_ne!(std::env::var(\"OPT_LEVEL\").unwrap(), \"0\") }",
        ),
        ("src/lib.rs", &library("one")),
    ]);
    let definitions = counted(&fixture);
    let suite = fixture
        .with_build_context(|site| build_suite(&definitions, site, SuitePrograms::MeasuredAndCounting))
        .unwrap();
    assert_eq!(suite.failures, []);
    assert_eq!(suite.benchmarks.len(), 2);
    for benchmark in &suite.benchmarks {
        assert_eq!(benchmark.counting, None, "{}", benchmark.name);
    }
    let profile = profile_of(&suite.benchmarks[0], &fixture.path("tree"));
    assert!(!profile.exact_counts && profile.total > 0);
}

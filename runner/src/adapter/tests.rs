#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixture::{Fixture, manifest};

fn names(listing: &Listing) -> Vec<&str> {
    listing
        .benchmarks
        .iter()
        .map(|benchmark| benchmark.name.as_str())
        .collect()
}

fn run(benchmark: &Benchmark) -> Finished {
    let invocation = Invocation::new(
        &benchmark.program,
        &benchmark.directory,
        Duration::from_secs(60),
    )
    .arguments(&benchmark.arguments);
    process::run(&invocation, &Interruption::default()).unwrap()
}

#[test]
fn bench_functions_are_listed_and_run_once() {
    let bench = "#![feature(test)]\nextern crate test;\n\
        #[bench] fn plain(b: &mut test::Bencher) { let v = subject::setup(9); b.iter(|| { println!(\"ran\"); subject::work(&v) }) }\n\
        mod deep { #[bench] fn er(b: &mut test::Bencher) { b.iter(|| 1) } }\n\
        #[bench] #[ignore] fn skipped(b: &mut test::Bencher) { b.iter(|| 1) }\n";
    let fixture = Fixture::new(&[("benches/standard.rs", bench)]);
    let listing = fixture.list(&Definition::new(Adapter::CargoBench));
    assert_eq!(names(&listing), ["deep::er", "plain"]);
    assert_eq!(listing.benchmarks[1].framework, "libtest");
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
    let fixture = Fixture::new(&[
        ("src/lib.rs", library),
        (
            "tests/whole.rs",
            "#[test] fn runs() {}\n#[test] fn fails() { panic!() }",
        ),
    ]);
    let definition = Definition {
        exclude: vec!["panics".into()],
        ..Definition::new(Adapter::CargoTest)
    };
    let listing = fixture.list(&definition);
    assert_eq!(
        names(&listing),
        ["fails", "runs", "tests::panics", "tests::works"]
    );
    assert_eq!(
        listing.benchmarks[1].subject,
        Subject::Pattern("test::__rust_begin_short_backtrace*".into())
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
    let manifest =
        manifest("[[bench]]\nname = \"odd\"\nharness = false\n[[bench]]\nname = \"usual\"\n");
    let usual = "#![feature(test)]\nextern crate test;\n#[bench] fn b(b: &mut test::Bencher) { b.iter(|| 1) }";
    let fixture = Fixture::new(&[
        ("Cargo.toml", &manifest),
        ("benches/odd.rs", "fn main() { println!(\"garbage\") }"),
        ("benches/usual.rs", usual),
    ]);
    let listing = fixture.list(&Definition::new(Adapter::CargoBench));
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
    let fixture = Fixture::new(&[("benches/one.rs", bench), ("benches/two.rs", bench)]);
    assert_eq!(
        names(&fixture.list(&Definition::new(Adapter::CargoBench))),
        ["one/same", "two/same"]
    );
}

#[test]
fn binaries_of_a_harness_are_benchmarks_with_their_function_subject() {
    let fixture = Fixture::new(&[]);
    fixture.write(
        "harness/Cargo.toml",
        "[package]\nname = \"h\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[dependencies]\nsubject = \"*\"\n",
    );
    let main = "fn main() { std::hint::black_box(subject(&subject::setup(9))); }";
    let marked =
        format!("#[inline(never)] pub fn subject(v: &[u32]) -> u32 {{ subject::work(v) }}\n{main}");
    fixture.write("harness/src/bin/with-subject.rs", &marked);
    fixture.write(
        "harness/src/bin/whole.rs",
        "fn main() { println!(\"{}\", subject::work(&[1])) }",
    );
    let definition = Definition {
        harness: Some("../harness".into()),
        ..Definition::new(Adapter::CargoBench)
    };
    let listing = fixture.list(&definition);
    assert_eq!(names(&listing), ["whole", "with-subject"]);
    assert_eq!(listing.benchmarks[0].subject, Subject::Process);
    assert_eq!(
        listing.benchmarks[1].subject,
        Subject::Function("with_subject::subject".into())
    );
    assert!(run(&listing.benchmarks[1]).status.success());
}

#[test]
fn a_command_is_built_and_found_in_the_shared_folder() {
    let fixture = Fixture::new(&[(
        "src/bin/tool.rs",
        "fn main() { println!(\"{:?}\", std::env::args().nth(1)) }",
    )]);
    let definition = Definition {
        name: Some("the tool".into()),
        build: Some(["cargo", "build", "--release"].map(str::to_owned).to_vec()),
        run: Some(
            ["target/release/tool", "an argument"]
                .map(str::to_owned)
                .to_vec(),
        ),
        subject: Some("tool::main".into()),
        ..Definition::new(Adapter::Command)
    };
    let listing = fixture.list(&definition);
    assert_eq!(names(&listing), ["the tool"]);
    assert_eq!(
        listing.benchmarks[0].subject,
        Subject::Function("tool::main".into())
    );
    assert_eq!(
        run(&listing.benchmarks[0]).stdout.text(),
        "Some(\"an argument\")\n"
    );
    assert!(!fixture.path("tree/target").exists());
}

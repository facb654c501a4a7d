#![allow(clippy::unwrap_used)]

use super::*;
use crate::benchmark::TimeSpan;
use crate::fixture::{CargoFixture, manifest};
use crate::process::{self, Invocation};

/// A bench target with its own main function, which prints the library's answer.
const PRINTING: &str = "fn main() { println!(\"{}\", subject::answer()) }";
const PRINTING_TARGET: &str = "[[bench]]\nname = \"printing\"\nharness = false\n";

fn output(executable: &BenchmarkExecutable) -> String {
    let invocation = Invocation::new(&executable.path, "/", std::time::Duration::from_secs(10));
    process::run(&invocation, &InterruptionFlag::default())
        .unwrap()
        .stdout
        .text()
}

pub(super) fn benches() -> BenchmarkDefinition {
    BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
}

#[test]
fn a_change_is_built_even_if_its_files_look_old() {
    let manifest = manifest(PRINTING_TARGET);
    let fixture = CargoFixture::new(&[("Cargo.toml", &manifest), ("benches/printing.rs", PRINTING)]);
    for answer in ["one", "two"] {
        fixture.write(
            "tree/src/lib.rs",
            &format!("pub fn answer() -> &'static str {{ \"{answer}\" }}"),
        );
        // The modification time that a checkout from an archive leaves.
        let file = std::fs::File::open(fixture.path("tree/src/lib.rs")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
            .unwrap();
        let built = fixture.build(&benches()).unwrap();
        assert_eq!(built.executables.len(), 1, "{built:?}");
        assert_eq!(output(&built.executables[0]).trim(), answer);
    }
}

#[test]
fn one_broken_target_does_not_take_the_others_with_it() {
    let manifest = manifest(&format!(
        "{PRINTING_TARGET}[[bench]]\nname = \"broken\"\nharness = false\n"
    ));
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", "pub fn answer() -> u8 { 1 }"),
        ("benches/printing.rs", PRINTING),
        ("benches/broken.rs", "fn main() { no_such_function() }"),
    ]);
    let built = fixture.build(&benches()).unwrap();
    assert_eq!(
        built.executables.iter().map(|e| e.target.as_str()).collect::<Vec<_>>(),
        ["printing"]
    );
    assert_eq!(built.failures.len(), 1);
    assert_eq!(built.failures[0].target, "broken");
    assert!(
        built.failures[0].reason.contains("no_such_function"),
        "{:?}",
        built.failures
    );
}

#[test]
fn a_version_that_does_not_build_says_why() {
    let manifest = manifest(PRINTING_TARGET);
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", "pub fn answer() -> u8 { \"text\" }"),
        ("benches/printing.rs", PRINTING),
    ]);
    let error = fixture.build(&benches()).unwrap_err();
    assert!(error.is_the_versions_fault());
    let text = error.to_string();
    assert!(
        text.contains("mismatched types") && text.contains("src/lib.rs:1"),
        "{text}"
    );
    fixture.write("tree/Cargo.toml", "[package]\nname = 5\n");
    let error = fixture.build(&benches()).unwrap_err();
    assert!(
        error.is_the_versions_fault() && error.to_string().contains("Cargo.toml"),
        "{error}"
    );
}

#[test]
fn a_build_that_never_ends_is_stopped_and_is_the_versions_fault() {
    let manifest = manifest(PRINTING_TARGET);
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", "pub fn answer() -> u8 { 1 }"),
        (
            "build.rs",
            "fn main() { std::thread::sleep(std::time::Duration::from_secs(1000)) }",
        ),
        ("benches/printing.rs", PRINTING),
    ]);
    let limit = TimeSpan(std::time::Duration::from_secs(3));
    let error = fixture
        .build(&BenchmarkDefinition {
            build_limit: Some(limit),
            ..benches()
        })
        .unwrap_err();
    assert!(
        error.is_the_versions_fault() && error.to_string().contains("time limit"),
        "{error}"
    );
}

#[test]
fn nothing_to_build_names_what_was_looked_for() {
    let fixture = CargoFixture::new(&[]);
    let error = fixture.build(&benches()).unwrap_err();
    assert!(matches!(error, BuildError::Nothing { .. }));
    let text = error.to_string();
    assert!(text.contains("bench targets") && text.contains("subject"), "{text}");
    let named = BenchmarkDefinition {
        packages: vec!["absent".into()],
        ..benches()
    };
    assert!(fixture.build(&named).unwrap_err().to_string().contains("absent"));
}

#[test]
fn features_that_a_target_requires_are_enabled() {
    let manifest = manifest(&format!(
        "{PRINTING_TARGET}required-features = [\"extra\"]\n[features]\nextra = []\n"
    ));
    let library = "#[cfg(feature = \"extra\")] pub fn answer() -> u8 { 1 }";
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", library),
        ("benches/printing.rs", PRINTING),
    ]);
    assert_eq!(fixture.build(&benches()).unwrap().executables.len(), 1);
}

#[test]
fn a_package_is_told_from_another_version_of_it_among_its_dependencies() {
    let manifest = manifest(&format!(
        "{PRINTING_TARGET}[dev-dependencies]\nother = {{ path = \"../other\" }}\n"
    ));
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", "pub fn answer() -> &'static str { \"this\" }"),
        ("benches/printing.rs", PRINTING),
    ]);
    fixture.write(
        "other/Cargo.toml",
        "[package]\nname = \"other\"\nversion = \"1.0.0\"\n[dependencies]\nsubject = { path = \"../old\" }\n",
    );
    fixture.write("other/src/lib.rs", "");
    fixture.write("old/Cargo.toml", "[package]\nname = \"subject\"\nversion = \"0.0.1\"\n");
    fixture.write("old/src/lib.rs", "");
    let built = fixture.build(&benches()).unwrap();
    assert_eq!(output(&built.executables[0]).trim(), "this");
}

#[test]
fn a_harness_outside_the_tree_measures_each_version_whatever_its_edition_and_number() {
    let fixture = CargoFixture::new(&[]);
    fixture.write(
        "harness/Cargo.toml",
        "[package]\nname = \"h\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[dependencies]\nsubject = \"9\"\n",
    );
    fixture.write(
        "harness/src/bin/an-answer.rs",
        "fn main() { println!(\"{}\", subject::answer()) }",
    );
    let definition = BenchmarkDefinition {
        harness: Some("../harness".into()),
        ..benches()
    };
    for (number, edition) in [
        ("0.1.0", "edition = \"2015\"\n"),
        ("0.2.0-rc.1", ""),
        ("9.0.0", "edition = \"2021\"\n"),
    ] {
        fixture.write(
            "tree/Cargo.toml",
            &format!("[package]\nname = \"subject\"\nversion = \"{number}\"\n{edition}"),
        );
        fixture.write(
            "tree/src/lib.rs",
            &format!("pub fn answer() -> &'static str {{ \"{number}\" }}"),
        );
        let built = fixture.build(&definition).unwrap();
        assert_eq!(built.executables.len(), 1);
        assert_eq!(built.executables[0].kind, ExecutableKind::Binary);
        assert_eq!(output(&built.executables[0]).trim(), number);
    }
    let original = std::fs::read_to_string(fixture.path("harness/Cargo.toml")).unwrap();
    assert!(
        original.contains("subject = \"9\""),
        "the user's file was edited: {original}"
    );
}

#[test]
fn a_harness_that_is_not_there_is_named() {
    let fixture = CargoFixture::new(&[]);
    let error = fixture
        .build(&BenchmarkDefinition {
            harness: Some("../absent".into()),
            ..benches()
        })
        .unwrap_err();
    assert!(
        matches!(error, BuildError::Harness { .. }) && error.to_string().contains("absent"),
        "{error}"
    );
    assert!(!error.is_the_versions_fault());
}

#[test]
fn a_machines_fault_is_not_blamed_on_the_version() {
    let full = "error: failed to write `/x`\n\nCaused by:\n  No space left on device (os error 28)\n";
    assert!(
        matches!(diagnostics::classify_build_failure(full, "exited with code 101", BuildPurpose::Costs), BuildError::Machine { reason } if reason.contains("No space"))
    );
    let network = "error: failed to get `serde`\n\nCaused by:\n  failed to download from `https://example.org`\n";
    assert!(
        !diagnostics::classify_build_failure(network, "exited with code 101", BuildPurpose::Costs)
            .is_the_versions_fault()
    );
    let offline = "error: no matching package named `serde` found\nAs a reminder, you're using offline mode\n";
    assert!(
        !diagnostics::classify_build_failure(offline, "exited with code 101", BuildPurpose::Costs)
            .is_the_versions_fault()
    );
    let silent = diagnostics::classify_build_failure("", "was killed by signal 9", BuildPurpose::Costs);
    assert_eq!(silent.to_string(), "does not build: the build was killed by signal 9");
    let resolution = "error: failed to select a version\n\nCaused by:\n  no matching package\n";
    assert_eq!(
        diagnostics::classify_build_failure(resolution, "exited with code 101", BuildPurpose::Costs).to_string(),
        "does not build: error: failed to select a version\nno matching package"
    );
}

#[test]
fn a_failed_build_with_probes_names_every_place_that_it_failed_at() {
    let said = "warning: unused\n --> src/a.rs:1:1\n\nerror[E0308]: mismatched types\n  --> src/lib.rs:12:5\n   |\n\n\
                error: no\n  --> src/m.rs:3:1\n\n";
    let reason = |purpose| diagnostics::classify_build_failure(said, "exited with code 101", purpose).to_string();
    assert!(!reason(BuildPurpose::Costs).contains("src/m.rs"));
    let all = reason(BuildPurpose::Probes(ProbedRuns::All));
    assert!(
        all.contains("--> src/lib.rs:12:5") && all.ends_with("--> src/m.rs:3:1"),
        "{all}"
    );
    assert!(!all.contains("src/a.rs"), "{all}");
}

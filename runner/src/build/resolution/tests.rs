#![allow(clippy::unwrap_used)]

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, DependencyPolicy};
use crate::build::{BenchmarkExecutable, BuildOutput};
use crate::fixture::CargoFixture;
use crate::process::InterruptionFlag;

/// 2024-07-31T17:21:53Z.
const BEGINNING: i64 = 1_722_446_513;

const DAY: i64 = 86_400;

/// A subject and a harness, with a folder of published packages in place of the registry.
struct RegistryFixture {
    fixture: CargoFixture,
}

impl RegistryFixture {
    fn new() -> Self {
        let fixture = CargoFixture::new(&[]);
        let vendor = fixture.path("vendor");
        // Cargo reads it from the harness's copy upwards.
        fixture.write(
            ".cargo/config.toml",
            &format!(
                "[source.crates-io]\nreplace-with = \"vendor\"\n[source.vendor]\ndirectory = \"{}\"\n",
                vendor.display()
            ),
        );
        fixture.write(
            "harness/Cargo.toml",
            "[package]\nname = \"h\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nsubject = \"9\"\n",
        );
        fixture.write(
            "harness/src/main.rs",
            "fn main() { println!(\"{}\", subject::answer()) }",
        );
        Self { fixture }
    }

    fn publish(&self, name: &str, version: &str) {
        let folder = format!("vendor/{name}-{version}");
        let file = |file: &str, text: &str| self.fixture.write(&format!("{folder}/{file}"), text);
        file(
            "Cargo.toml",
            &format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n"),
        );
        file(
            "src/lib.rs",
            &format!("pub fn number() -> &'static str {{ \"{version}\" }}"),
        );
        file(".cargo-checksum.json", "{\"files\":{}}");
    }

    /// Commits the subject at a version, some days after the beginning; its answer is that day and its dependency's
    /// number.
    fn commit(&mut self, days: i64, number: &str, dependencies: &str) {
        self.fixture.committed_at = Some(BEGINNING + days * DAY);
        self.fixture.write(
            "tree/Cargo.toml",
            &format!(
                "[package]\nname = \"subject\"\nversion = \"{number}\"\nedition = \"2021\"\n[dependencies]\n{dependencies}\n"
            ),
        );
        let library = format!("pub fn answer() -> String {{ format!(\"day {days} with {{}}\", dep::number()) }}");
        self.fixture.write("tree/src/lib.rs", &library);
        // The modification time that a checkout from an archive leaves.
        let file = std::fs::File::open(self.fixture.path("tree/src/lib.rs")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
    }

    fn build(&self, definition: &BenchmarkDefinition) -> BuildOutput {
        self.fixture.build(definition).unwrap()
    }

    /// The version's answer, its packages, and how they were resolved.
    fn resolved(&self) -> (String, Vec<String>, ResolutionMethod) {
        let built = self.build(&as_of_version());
        let [program] = built.executables.as_slice() else {
            panic!("one program: {built:?}")
        };
        let resolution = built.resolution.unwrap();
        (output(program), resolution.packages, resolution.how)
    }
}

fn as_of_version() -> BenchmarkDefinition {
    BenchmarkDefinition {
        harness: Some("../harness".into()),
        resolve: Some(DependencyPolicy::AsOfVersion),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    }
}

fn output(program: &BenchmarkExecutable) -> String {
    let invocation = Invocation::new(&program.path, "/", Duration::from_secs(10));
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    finished.stdout.text().trim().to_owned()
}

fn kept(since: &str) -> ResolutionMethod {
    ResolutionMethod::Kept {
        since: since.to_owned(),
    }
}

fn as_of(time: &str) -> ResolutionMethod {
    ResolutionMethod::AsOf { time: time.to_owned() }
}

#[test]
fn dependencies_change_only_where_a_version_asks_for_others() {
    let mut history = RegistryFixture::new();
    let (first, fifth) = ("2024-07-31T17:21:53Z", "2024-08-05T17:21:53Z");
    history.publish("dep", "1.0.0");
    history.commit(0, "0.1.0", "dep = \"1\"");
    let old = vec!["dep 1.0.0".to_owned()];
    let at_first = ("day 0 with 1.0.0".to_owned(), old.clone(), as_of(first));
    assert_eq!(history.resolved(), at_first);
    assert_eq!(history.resolved(), at_first, "once more");

    history.publish("dep", "1.1.0");
    history.commit(1, "0.2.0", "dep = \"1\"");
    assert_eq!(
        history.resolved(),
        ("day 1 with 1.0.0".to_owned(), old.clone(), kept(first)),
        "the version asks for the same"
    );
    history.commit(2, "0.2.0", "dep = \">=1.0\"");
    assert_eq!(
        history.resolved(),
        ("day 2 with 1.0.0".to_owned(), old, kept(first)),
        "it asks for something else that the old one is"
    );

    history.commit(5, "0.3.0", "dep = \"1.1\"");
    let new = vec!["dep 1.1.0".to_owned()];
    assert_eq!(
        history.resolved(),
        ("day 5 with 1.1.0".to_owned(), new.clone(), as_of(fifth))
    );
    history.commit(6, "0.3.0", "dep = \"1.1.0\"");
    assert_eq!(history.resolved().2, kept(fifth));

    history.commit(0, "0.1.0", "dep = \"1\"");
    assert_eq!(history.resolved(), at_first, "an old version is as it was");
}

#[test]
fn a_dependency_that_need_not_change_stays_where_another_one_must() {
    let mut history = RegistryFixture::new();
    for name in ["dep", "other"] {
        history.publish(name, "1.0.0");
    }
    history.commit(0, "0.1.0", "dep = \"1\"\nother = \"1\"");
    assert_eq!(history.resolved().1, ["dep 1.0.0", "other 1.0.0"]);
    for name in ["dep", "other", "third"] {
        history.publish(name, "1.1.0");
    }
    history.commit(1, "0.2.0", "dep = \"1.1\"\nother = \"1\"\nthird = \"1\"");
    let (answer, packages, how) = history.resolved();
    assert_eq!(answer, "day 1 with 1.1.0");
    assert_eq!(packages, ["dep 1.1.0", "other 1.0.0", "third 1.1.0"]);
    assert_eq!(how, as_of("2024-08-01T17:21:53Z"));
}

#[test]
fn an_older_version_is_not_tried_with_what_a_younger_one_has() {
    let mut history = RegistryFixture::new();
    history.publish("dep", "1.0.0");
    history.commit(9, "0.9.0", "dep = \"1\"");
    history.resolved();
    history.commit(3, "0.3.0", "dep = \">=1\"");
    assert_eq!(history.resolved().2, as_of("2024-08-03T17:21:53Z"));
}

#[test]
fn every_purpose_is_built_with_the_same_dependencies() {
    let mut history = RegistryFixture::new();
    history.publish("dep", "1.0.0");
    history.commit(0, "0.1.0", "dep = \"1\"");
    let definition = as_of_version();
    let measured = history.build(&definition);
    history.publish("dep", "1.1.0");
    let counting = history
        .fixture
        .with_build_context(|site| crate::build::build(&definition, &site.for_counts()).unwrap());
    assert_eq!(counting.resolution, measured.resolution);
    assert_eq!(output(&counting.executables[0]), "day 0 with 1.0.0");
    // Probes add a package.
    history.fixture.write(
        "runtime/Cargo.toml",
        "[package]\nname = \"runtime\"\nversion = \"0.1.0\"\n",
    );
    history.fixture.write("runtime/src/lib.rs", "");
    history.commit(0, "0.1.0", "dep = \"1\"\nruntime = { path = \"../runtime\" }");
    assert_eq!(history.build(&definition).resolution, measured.resolution);
}

#[test]
fn a_harness_that_is_resolved_otherwise_again_finds_the_newest() {
    let mut history = RegistryFixture::new();
    history.publish("dep", "1.0.0");
    history.commit(0, "0.1.0", "dep = \"1\"");
    history.build(&as_of_version());
    history.publish("dep", "1.1.0");
    let newest = BenchmarkDefinition {
        resolve: None,
        ..as_of_version()
    };
    let built = history.build(&newest);
    assert_eq!(built.resolution, None);
    assert_eq!(output(&built.executables[0]), "day 0 with 1.1.0");
    assert_eq!(history.resolved().0, "day 0 with 1.0.0");
}

#[test]
fn a_version_whose_dependencies_do_not_exist_is_at_fault_itself() {
    let mut history = RegistryFixture::new();
    history.publish("dep", "1.0.0");
    history.commit(0, "0.1.0", "dep = \"2\"");
    let error = history.fixture.build(&as_of_version()).unwrap_err();
    assert!(error.is_the_versions_fault(), "{error}");
    assert!(error.to_string().contains("dep"), "{error}");
}

#[test]
fn what_is_no_commit_has_the_newest() {
    let mut history = RegistryFixture::new();
    history.publish("dep", "1.0.0");
    history.commit(0, "0.1.0", "dep = \"1\"");
    history.fixture.committed_at = None;
    let (_, _, how) = history.resolved();
    assert!(matches!(how, ResolutionMethod::Newest { .. }), "{how:?}");
    history.publish("dep", "1.1.0");
    let (answer, ..) = history.resolved();
    assert_eq!(answer, "day 0 with 1.1.0", "it is not remembered");
}

#[test]
fn packages_from_folders_alone_are_no_dependencies() {
    let mut history = RegistryFixture::new();
    history.fixture.write(
        "tree/dep/Cargo.toml",
        "[package]\nname = \"dep\"\nversion = \"0.1.0\"\n",
    );
    history
        .fixture
        .write("tree/dep/src/lib.rs", "pub fn number() -> u8 { 7 }");
    for (days, number) in [(0, "0.1.0"), (1, "0.2.0")] {
        history.commit(days, number, "dep = { path = \"dep\" }");
        let (answer, packages, _) = history.resolved();
        assert_eq!(answer, format!("day {days} with 7"));
        assert_eq!(packages, [""; 0]);
    }
}

#[test]
fn times_are_written_as_cargo_reads_them() {
    // The expected values are those of `date -u -d @… +%FT%TZ`.
    for (seconds, expected) in [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (951_868_799, "2000-02-29T23:59:59Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_415_684_228, "2014-11-11T05:37:08Z"),
        (BEGINNING, "2024-07-31T17:21:53Z"),
        (1_735_689_599, "2024-12-31T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(written(seconds), expected);
    }
}

#![allow(clippy::unwrap_used)]

mod runtime;

use std::path::PathBuf;

use super::*;
use crate::benchmark::BenchmarkSubject;
use crate::build::RepositoryCache;
use crate::fixture::{CargoFixture, manifest};
use crate::frameworks::{Benchmark, FrameworkHandle};
use crate::process::InterruptionFlag;
use crate::profilers::ProfilerError;
use profile::probes::{ProbeFunction, ProbeMode, ProbeRegion, ProbeTable, ProbedSources as Sources};

/// The folders as they are read: the version's tree with some files.
fn folders(fixture: &CargoFixture) -> ProbedFolders {
    fixture
        .with_build_context(|site| ProbedFolders::read(&crate::benchmark::BenchmarkDefinitions::default(), site))
        .unwrap()
}

#[test]
fn a_complaint_is_of_the_file_that_the_compiler_names_wherever_it_ran() {
    let fixture = CargoFixture::new(&[]);
    fixture.write("tree/Cargo.toml", &manifest(""));
    fixture.write("tree/a/src/lib.rs", "");
    fixture.write("tree/a/src/m.rs", "");
    fixture.write("tree/b/src/lib.rs", "");
    fixture.write("tree/a/src/both.rs", "");
    fixture.write("tree/b/src/both.rs", "");
    let tree = fixture.path("tree");
    let folders = folders(&fixture);
    let found = |line: &str| place(line, folders.all(), &tree);
    let at = |path: &str, line| Some((0, path.to_owned(), line));
    assert_eq!(found("   --> a/src/lib.rs:12:5"), at("a/src/lib.rs", 12));
    let absolute = format!("--> {}/b/src/lib.rs:3:1", tree.display());
    assert_eq!(found(&absolute), at("b/src/lib.rs", 3));
    assert_eq!(found("--> src/m.rs:7:1"), at("a/src/m.rs", 7));
    assert_eq!(found("--> src/both.rs:7:1"), None, "either may be meant");
    assert_eq!(found("--> /elsewhere/a/src/lib.rs:7:1"), None);
    assert_eq!(found("error: no place"), None);
}

#[test]
fn a_version_without_probes_that_fails_is_tried_no_more_than_once() {
    let fixture = CargoFixture::new(&[]);
    fixture.write("tree/Cargo.toml", &manifest(""));
    fixture.write("tree/src/lib.rs", "#[test] fn works() { missing() }\n");
    let attempts = std::sync::Mutex::new(0);
    let instrument = |roots: &[profile::probes::ProbeSourceRoot], _: &BTreeSet<UnprobedLine>| {
        *attempts.lock().unwrap() += 1;
        Sources {
            files: roots.iter().map(|_| Default::default()).collect(),
            ..Sources::default()
        }
    };
    let definitions = [crate::benchmark::BenchmarkDefinition::new(
        crate::benchmark::BenchmarkAdapter::CargoTest,
    )]
    .into();
    let error = fixture
        .with_build_context(|site| build_with_probes(&definitions, site, &instrument, ProbedRuns::All))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("with probes in it") && error.contains("missing"),
        "{error}"
    );
    // The compiler's error names a location once; removing its probes changes nothing.
    assert_eq!(*attempts.lock().unwrap(), 2);
}

fn benchmark(subject: BenchmarkSubject) -> Benchmark {
    Benchmark {
        name: "x".to_owned(),
        framework: FrameworkHandle::of_name("command"),
        program: PathBuf::from("true"),
        counting: None,
        arguments: Vec::new(),
        directory: PathBuf::from("/"),
        environment: Vec::new(),
        subject,
        time_limit: std::time::Duration::from_secs(20),
        interpreter: None,
        shared_start: None,
    }
}

fn table() -> ProbeTable {
    let function = |name: &str, how| ProbeFunction {
        name: name.to_owned(),
        file: "src/lib.rs".to_owned(),
        line: 1,
        external: false,
        how,
        routine: false,
    };
    ProbeTable {
        functions: vec![
            function("k::parse", ProbeMode::Whole),
            function("k::fixed", ProbeMode::Not("a const function cannot hold probes")),
        ],
        regions: vec![ProbeRegion::default()],
        routines: Vec::new(),
    }
}

#[test]
fn a_subject_without_a_probe_is_an_error_that_says_why() {
    let ask = |subject: &str| {
        let benchmark = benchmark(BenchmarkSubject::Function(subject.to_owned()));
        run::profile(&benchmark, &table(), &InterruptionFlag::default())
            .unwrap_err()
            .to_string()
    };
    assert!(
        ask("k::pares").contains("did you mean `k::parse`?"),
        "{}",
        ask("k::pares")
    );
    assert!(ask("fixed").contains("const function"), "{}", ask("fixed"));
}

#[test]
fn a_program_that_counts_nothing_gives_no_profile() {
    let error = run::profile(
        &benchmark(BenchmarkSubject::Process),
        &table(),
        &InterruptionFlag::default(),
    );
    assert!(
        matches!(error, Err(ProfilerError::SubjectNotExecuted { .. })),
        "{error:?}"
    );
}

#[test]
fn the_runtime_has_a_folder_of_its_own_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let cache = RepositoryCache::below(folder.path(), folder.path()).unwrap();
    sources::write_runtime(&cache.probe_runtime()).unwrap();
    let manifest = std::fs::read_to_string(cache.probe_runtime().join("Cargo.toml")).unwrap();
    assert!(manifest.parse::<toml::Table>().unwrap().contains_key("workspace"));
}

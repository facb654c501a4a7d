//! Benchmarks that came after the sample: what they may execute is a risk, whatever the sampled ones execute.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::sample::SampleInputs;
use analyzer::score::{CostModel, DecisionReason, NearestSample, ScoreDecision, VersionScore, score};
use profile::inputs::{CompilationUnit, CompiledInputs, InputRecord, OpenedFiles, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, differences, library, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

const BENCHMARKS: &str = "use criterion::Criterion;\nfn parse(c: &mut Criterion) {\n    c.bench_function(\"parse\", |b| \
                          b.iter(|| k::work(1)));\n}\ncriterion::criterion_group!(benches, parse);\n";

/// A library with a benchmark of `work`; `idle` is executed by none. Beside it a package that nothing depends on.
fn project() -> ScoringTestFiles {
    library("pub fn work(x: u64) -> u64 {\n    x * 2\n}\npub fn idle(x: u64) -> u64 {\n    x + 1\n}\n")
        .with("benches/parse.rs", BENCHMARKS)
        .with("other/Cargo.toml", "[package]\nname = \"other\"\nversion = \"0.1.0\"\n")
        .with("other/src/lib.rs", "pub fn apart(x: u64) -> u64 {\n    x + 1\n}\n")
        .with("README.md", "text\n")
}

/// The score of a change on a sample of `sampled`, in which the benchmark executes `work`.
fn scored(sampled: &ScoringTestFiles, before: &ScoringTestFiles, after: &ScoringTestFiles) -> VersionScore {
    let line = sampled.line_of("fn work");
    let profile = ScoringTestProfile::new("parse", TOTAL).function("k::work", line, 1_000, (800_000, 800_000));
    let mut unit = CompilationUnit::new("k", "k", UnitKind::Library);
    unit.files = BTreeSet::from(["src/lib.rs".to_owned(), "benches/parse.rs".to_owned()]);
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            units: vec![unit],
            settings: BTreeSet::from(["Cargo.toml".to_owned()]),
        },
        opened: OpenedFiles {
            is_complete: true,
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: None,
    };
    let records = BTreeMap::from([("parse".to_owned(), Arc::new(record))]);
    let sample = sample(sampled, vec![profile]).with_inputs(SampleInputs::new(records));
    let changed = || {
        let changes = differences(sampled, after);
        changes.iter().map(|change| change.path.to_string()).collect()
    };
    let nearest = NearestSample {
        sample: &sample,
        distance: 2,
        changed_since: &changed,
    };
    with_version((before, after), |version| {
        score(version, Some(nearest), &options(CostModel::Lito))
    })
}

fn slower_idle(files: &ScoringTestFiles) -> ScoringTestFiles {
    files.replaced("    x + 1\n", "    (0..x).map(|i| i ^ x).sum()\n")
}

fn with_newer(files: &ScoringTestFiles, path: &str) -> ScoringTestFiles {
    let newer = BENCHMARKS.replace("\"parse\"", "\"idle\"").replace("work", "idle");
    files.clone().with(path, &newer)
}

#[test]
fn what_no_benchmark_executes_is_skipped_while_none_is_newer() {
    let sampled = project();
    let score = scored(&sampled, &sampled, &slower_idle(&sampled));
    assert_eq!(score.decision, ScoreDecision::Skip);
    assert!(score.newer_benchmarks.is_empty());
}

#[test]
fn code_that_a_newer_benchmark_may_execute_is_a_risk() {
    let sampled = project();
    for path in ["benches/idle.rs", "perf/idle.rs"] {
        let before = with_newer(&sampled, path);
        let score = scored(&sampled, &before, &slower_idle(&before));
        assert_eq!(score.decision, ScoreDecision::Benchmark, "{path}");
        assert!(score.probability > 0.4, "{path}");
        assert_eq!(score.newer_benchmarks, [path]);
        assert_eq!(
            score.reason,
            DecisionReason::NewerBenchmarks {
                source: path.to_owned()
            }
        );
        assert!(score.benchmarks.iter().all(|benchmark| !benchmark.selected), "{path}");
    }
}

#[test]
fn a_benchmark_that_came_into_a_known_source_is_newer_too() {
    let sampled = project();
    let before = sampled.replaced(
        "criterion::criterion_group!(benches, parse);",
        "fn idle(c: &mut Criterion) {\n    c.bench_function(\"idle\", |b| b.iter(|| k::idle(1)));\n}\n\
         criterion::criterion_group!(benches, parse, idle);",
    );
    let score = scored(&sampled, &before, &slower_idle(&before));
    assert_eq!(score.newer_benchmarks, ["benches/parse.rs"]);
}

#[test]
fn benchmarks_that_moved_or_went_are_not_newer() {
    let sampled = project();
    let moved = ScoringTestFiles::default()
        .with("Cargo.toml", sampled.content("Cargo.toml"))
        .with("src/lib.rs", sampled.content("src/lib.rs"))
        .with("benches/moved.rs", BENCHMARKS);
    assert_eq!(
        scored(&sampled, &moved, &slower_idle(&moved)).decision,
        ScoreDecision::Skip
    );
}

#[test]
fn documents_and_packages_that_it_cannot_be_built_from_are_no_risk() {
    let sampled = project();
    let before = with_newer(&sampled, "benches/idle.rs");
    for after in [
        before.clone().with("README.md", "more\n"),
        before
            .clone()
            .with("other/src/lib.rs", "pub fn apart(x: u64) -> u64 {\n    x * x\n}\n"),
    ] {
        assert_eq!(scored(&sampled, &before, &after).decision, ScoreDecision::Skip);
    }
}

#[test]
fn a_command_that_came_into_the_settings_may_execute_anything() {
    let sampled = project();
    let settings = "[[benchmarks]]\nadapter = \"command\"\nname = \"whole\"\nrun = [\"target/release/k\"]\n";
    let before = sampled.clone().with("lito.toml", settings);
    let score = scored(&sampled, &before, &slower_idle(&before));
    assert_eq!(score.newer_benchmarks, ["lito.toml"]);
    let sampled_one = before.replaced("\"whole\"", "\"parse\"");
    assert_eq!(
        scored(&sampled, &sampled_one, &slower_idle(&sampled_one)).decision,
        ScoreDecision::Skip
    );
    let gate = before
        .clone()
        .with("lito.toml", &format!("{settings}\n[gate]\nthreshold = \"3%\"\n"));
    assert_eq!(
        scored(&before, &gate, &slower_idle(&gate)).decision,
        ScoreDecision::Skip
    );
}

#[test]
fn a_described_benchmark_is_another_one_if_it_is_built_or_run_in_another_way() {
    let sampled = project().with(
        "lito.toml",
        "[[benchmarks]]\nadapter = \"command\"\nname = \"parse\"\nbuild = [\"cc\", \"-O1\"]\nrun = [\"./k\"]\n",
    );
    let decision = |before: &ScoringTestFiles| scored(&sampled, before, &slower_idle(before)).decision;
    assert_eq!(decision(&sampled), ScoreDecision::Skip);
    for (old, new) in [
        ("-O1", "-DFAST"),
        ("[\"./k\"]", "[\"./k\", \"large\"]"),
        ("name = \"parse\"\n", ""),
        ("name =", "subject = \"k::idle\"\nname ="),
    ] {
        let before = sampled.replaced(old, new);
        assert_eq!(decision(&before), ScoreDecision::Benchmark, "{new}");
    }
    // The settings alone move nothing: both versions are measured by the same ones.
    let alone = scored(&sampled, &sampled, &sampled.replaced("-O1", "-O2"));
    assert_eq!(alone.decision, ScoreDecision::Skip);
    for (old, new) in [
        ("name =", "time_limit = \"9s\"\nname ="),
        ("[[benchmarks]]\n", "# Measured.\n[[benchmarks]]\n"),
    ] {
        assert_eq!(decision(&sampled.replaced(old, new)), ScoreDecision::Skip, "{new}");
    }
}

#[test]
fn settings_that_describe_what_is_found_without_them_describe_nothing_new() {
    let sampled = project();
    let with = |benchmarks: &str| sampled.clone().with("lito.toml", benchmarks);
    let decision = |before: &ScoringTestFiles| scored(&sampled, before, &slower_idle(before)).decision;
    assert_eq!(decision(&with("[gate]\naudit = \"1%\"\n")), ScoreDecision::Skip);
    let found = "[[benchmarks]]\nadapter = \"cargo-bench\"\n";
    assert_eq!(decision(&with(found)), ScoreDecision::Skip);
    let with_feature = format!("{found}features = [\"fast\"]\n");
    assert_eq!(decision(&with(&with_feature)), ScoreDecision::Benchmark);
}

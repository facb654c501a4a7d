//! Changed files that are settled by what a sample recorded of its benchmarks' inputs, and the traps of concluding from
//! absence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::cost::ChangeClass;
use analyzer::sample::SampleInputs;
use analyzer::score::{CostModel, NearestSample, VersionScore, score};
use profile::inputs::{CompilationUnit, CompiledInputs, InputRecord, OpenedFiles, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

fn paths(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// A complete record of a library of these files.
fn record(files: &[&str], opened: &[&str]) -> InputRecord {
    let mut unit = CompilationUnit::new("k", "k", UnitKind::Library);
    unit.files = paths(files);
    InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            units: vec![unit],
            settings: paths(&["Cargo.toml", "Cargo.lock", ".cargo/config.toml"]),
        },
        opened: OpenedFiles {
            is_complete: true,
            files: paths(opened),
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: None,
    }
}

/// A crate whose `work` is executed, with files beside it that are not compiled.
fn project() -> ScoringTestFiles {
    library("pub fn work(x: u64) -> u64 {\n    x * 2\n}\n")
        .with("src/odd.rs", "pub fn odd(x: u64) -> u64 {\n    x + 1\n}\n")
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 1\n}\n")
        .with("native/fast.c", "int f() { return 1; }\n")
        .with("data/table.weird", "1\n")
        .with("README.md", "text\n")
}

/// The score of a change on a sample of `sampled` with these records; benchmark `a` spends 80% in `work`, `b` 10%.
fn scored(
    sampled: &ScoringTestFiles,
    records: &[(&str, &InputRecord)],
    (before, after): (&ScoringTestFiles, &ScoringTestFiles),
) -> VersionScore {
    let line = sampled.line_of("fn work");
    let recorded = vec![
        ScoringTestProfile::new("a", TOTAL).function("k::work", line, 1_000, (800_000, 800_000)),
        ScoringTestProfile::new("b", TOTAL).function("k::work", line, 1_000, (100_000, 100_000)),
    ];
    let records: BTreeMap<String, Arc<InputRecord>> = records
        .iter()
        .map(|(name, record)| ((*name).to_owned(), Arc::new((*record).clone())))
        .collect();
    let sample = sample(sampled, recorded).with_inputs(SampleInputs::new(records));
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    with_version((before, after), |version| {
        score(version, Some(nearest), &options(CostModel::Lito))
    })
}

/// Whether a change of a project is settled by absence from the records, with what else the commit or an earlier one did.
fn is_unused(path: &str, then: &ScoringTestFiles, change: (&ScoringTestFiles, &ScoringTestFiles)) -> bool {
    let record = record(&["src/lib.rs"], &[]);
    let score = scored(then, &[("a", &record), ("b", &record)], change);
    score.unused == [path]
}

/// The share of a benchmark that a file's change touches.
fn touched(score: &VersionScore, benchmark: &str) -> f64 {
    let found = score.benchmarks.iter().find(|found| found.name == benchmark);
    let touched = &found.expect("a benchmark of the sample").terms.touched;
    touched.get(&ChangeClass::Input).copied().unwrap_or(0.0)
}

#[test]
fn what_is_in_no_record_cannot_matter() {
    let before = project();
    for (path, content) in [
        ("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    syntax error\n}\n"),
        ("native/fast.c", "int f() { return 2; }\n"),
        ("data/table.weird", "2\n"),
        ("README.md", "more text\n"),
    ] {
        let after = before.clone().with(path, content);
        assert!(is_unused(path, &before, (&before, &after)), "{path}");
        let record = record(&["src/lib.rs"], &[]);
        let score = scored(&before, &[("a", &record), ("b", &record)], (&before, &after));
        assert!(
            score.degraded.is_empty() && score.probability == 0.0,
            "{path}: {score:?}"
        );
    }
}

#[test]
fn a_record_that_is_missing_or_not_complete_settles_nothing() {
    let before = project();
    let after = before.clone().with("native/fast.c", "int f() { return 2; }\n");
    let whole = record(&["src/lib.rs"], &[]);
    let mut partly_compiled = whole.clone();
    partly_compiled.compiled.is_complete = false;
    let mut partly_opened = whole.clone();
    partly_opened.opened.is_complete = false;
    for records in [
        vec![("a", &whole)],
        vec![("a", &whole), ("b", &partly_compiled)],
        vec![("a", &whole), ("b", &partly_opened)],
    ] {
        let score = scored(&before, &records, (&before, &after));
        assert!(score.unused.is_empty() && !score.degraded.is_empty(), "{score:?}");
    }
}

/// The record of a program that a command built.
fn nothing_compiled(opened: &[&str]) -> InputRecord {
    InputRecord {
        compiled: CompiledInputs::default(),
        ..record(&[], opened)
    }
}

#[test]
fn what_a_command_may_have_built_from_an_unknown_file_is_run() {
    let before = project()
        .with("Makefile", "all:\n\tcc -O2 native/fast.c\n")
        .with("tools/generate.py", "print(1)\n")
        .with("tests/test_m.py", "print(1)\n");
    let (command, cargo) = (nothing_compiled(&[]), record(&["src/lib.rs"], &[]));
    for path in ["native/fast.c", "data/table.weird", "Makefile", "tools/generate.py"] {
        let after = before.clone().with(path, "other\n");
        let score = scored(&before, &[("a", &cargo), ("b", &command)], (&before, &after));
        let selected: Vec<&str> = (score.benchmarks.iter())
            .filter(|benchmark| benchmark.selected)
            .map(|benchmark| &*benchmark.name)
            .collect();
        assert_eq!(selected, ["b"], "{path}: {score:#?}");
        let listed: Vec<&str> = score.degraded.iter().map(|degraded| &*degraded.file).collect();
        assert_eq!(listed, [path]);
    }
    for path in ["README.md", "tests/test_m.py"] {
        let after = before.clone().with(path, "other\n");
        let score = scored(&before, &[("a", &cargo), ("b", &command)], (&before, &after));
        assert!(
            score.degraded.is_empty() && score.probability == 0.0,
            "{path}: {score:#?}"
        );
    }
}

#[test]
fn what_a_command_built_from_is_compared_where_the_profile_shows_the_language() {
    let before = project();
    let after = before
        .clone()
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    let command = nothing_compiled(&[]);
    let score = scored(&before, &[("a", &command), ("b", &command)], (&before, &after));
    assert!(score.degraded.is_empty(), "{score:#?}");
    assert!(
        score.benchmarks.iter().all(|benchmark| !benchmark.selected),
        "{score:#?}"
    );
}

#[test]
fn a_file_that_came_after_the_sample_is_not_settled_by_its_absence() {
    let sampled = project();
    let before = sampled.clone().with("native/new.c", "int g() { return 1; }\n");
    let after = before.clone().with("native/new.c", "int g() { return 2; }\n");
    assert!(!is_unused("native/new.c", &sampled, (&before, &after)));
}

#[test]
fn a_module_that_the_same_commit_declares_is_compiled_now() {
    let before = project();
    let declared = before.replaced("pub fn work", "mod extra;\npub fn work");
    let after = declared.with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(!is_unused("src/extra.rs", &before, (&before, &after)));
}

#[test]
fn a_module_that_was_declared_between_the_sample_and_the_commit_is_compiled_now() {
    let sampled = project();
    let before = sampled.replaced("pub fn work", "#[path = \"extra.rs\"]\nmod more;\npub fn work");
    let after = before
        .clone()
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(!is_unused("src/extra.rs", &sampled, (&before, &after)));
}

#[test]
fn a_module_below_a_newly_declared_one_is_compiled_now() {
    let sampled = project()
        .with("src/outer.rs", "#[path = \"odd.rs\"]\nmod hidden;\n")
        .with("src/deep/inner.rs", "pub fn inner(x: u64) -> u64 {\n    x + 1\n}\n");
    let before = sampled.replaced("pub fn work", "mod outer;\npub fn work");
    let changed = before
        .clone()
        .with("src/odd.rs", "pub fn odd(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(
        !is_unused("src/odd.rs", &sampled, (&before, &changed)),
        "declared by what is declared"
    );
    let folder = sampled.replaced("pub fn work", "mod deep;\npub fn work");
    let changed = folder
        .clone()
        .with("src/deep/inner.rs", "pub fn inner(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(
        !is_unused("src/deep/inner.rs", &sampled, (&folder, &changed)),
        "a folder's name is its module's"
    );
}

#[test]
fn a_feature_that_the_same_commit_turns_on_may_compile_anything() {
    let before = project().replaced("pub fn work", "#[cfg(feature = \"more\")]\nmod extra;\npub fn work");
    let edited = before
        .clone()
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(
        is_unused("src/extra.rs", &before, (&before, &edited)),
        "the feature is off"
    );
    let manifest = format!("{MANIFEST}[features]\ndefault = [\"more\"]\nmore = []\n");
    let turned_on = edited.clone().with("Cargo.toml", &manifest);
    assert!(!is_unused("src/extra.rs", &before, (&before, &turned_on)));
    let by_configuration = edited.with(".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"more\"]\n");
    assert!(!is_unused("src/extra.rs", &before, (&before, &by_configuration)));
}

#[test]
fn another_release_number_description_or_lock_file_compiles_nothing_more() {
    let before = project().with("Cargo.lock", "version = 4\n");
    let after = before
        .clone()
        .with(
            "Cargo.toml",
            &format!("{}keywords = [\"k\"]\n", MANIFEST.replace("0.1.0", "0.2.0")),
        )
        .with(
            "Cargo.lock",
            "version = 4\n[[package]]\nname = \"k\"\nversion = \"0.2.0\"\n",
        )
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    assert!(is_unused("src/extra.rs", &before, (&before, &after)));
}

#[test]
fn a_dependency_or_a_member_that_came_compiles_no_file_of_the_repository() {
    let before = project();
    let edited = "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n";
    let is_settled = |manifest: &str| {
        let after = before.clone().with("Cargo.toml", &format!("{MANIFEST}{manifest}"));
        is_unused("src/extra.rs", &before, (&before, &after.with("src/extra.rs", edited)))
    };
    assert!(is_settled(
        "[dependencies]\nfast = \"1\"\n[workspace]\nmembers = [\"tools\"]\n"
    ));
    assert!(!is_settled("[dependencies]\nextra = { path = \"src\" }\n"));
    assert!(!is_settled("[features]\ndefault = [\"more\"]\n"));
    assert!(!is_settled("[lib]\npath = \"src/extra.rs\"\n"));
    assert!(!is_settled("not a manifest"));
}

#[test]
fn a_mention_that_stands_as_it_did_compiles_nothing_more() {
    let sampled = project().replaced("pub fn work", "#[cfg(feature = \"more\")]\nmod extra;\npub fn work");
    let edited = sampled
        .clone()
        .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
    let beside = edited.replaced("x * 2", "x * 3");
    assert!(!is_unused("src/lib.rs", &sampled, (&sampled, &beside)));
    let changed = |after: &ScoringTestFiles| is_unused("src/extra.rs", &sampled, (&edited, after));
    let again = |text: &ScoringTestFiles| text.replaced("x + 2", "x + 4");
    assert!(changed(&again(&edited)));
    assert!(!changed(&again(&edited.replaced("#[cfg(feature = \"more\")]\n", ""))));
}

#[test]
fn a_file_that_came_is_settled_only_in_a_package_of_its_own() {
    let before = project();
    let package = before
        .clone()
        .with("tools/Cargo.toml", &MANIFEST.replace("\"k\"", "\"tools\""));
    let with = |path: &str| package.clone().with(path, "pub type Row = Vec<u8>;\n");
    let is_settled = |path: &str, after: &ScoringTestFiles| {
        let record = record(&["src/lib.rs"], &[]);
        let score = scored(&before, &[("a", &record), ("b", &record)], (&package, after));
        score.unused.iter().any(|unused| unused == path)
    };
    assert!(is_settled("tools/src/lib.rs", &with("tools/src/lib.rs")));
    assert!(!is_settled("src/tools.rs", &with("src/tools.rs")));
    let other_features = format!("{MANIFEST}[features]\ndefault = [\"more\"]\n");
    assert!(is_settled(
        "tools/src/lib.rs",
        &with("tools/src/lib.rs").with("Cargo.toml", &other_features)
    ));
    let depends = format!("{MANIFEST}[dependencies]\ntools = {{ path = \"tools\" }}\n");
    assert!(!is_settled(
        "tools/src/lib.rs",
        &with("tools/src/lib.rs").with("Cargo.toml", &depends)
    ));
    let pulled_in = with("tools/src/row.rs").replaced(
        "pub fn work",
        "#[path = \"../tools/src/row.rs\"]\nmod row;\npub fn work",
    );
    assert!(!is_settled("tools/src/row.rs", &pulled_in));
}

#[test]
fn a_file_that_a_build_script_may_read_is_not_settled_by_its_absence() {
    let with_script = |script: &str| project().with("build.rs", script);
    let is_settled = |script: &str, path: &str, content: &str| {
        let before = with_script(script);
        let mut record = record(&["src/lib.rs"], &[]);
        let mut unit = CompilationUnit::new("k", "build-script-build", UnitKind::BuildScript);
        unit.files = paths(&["build.rs"]);
        record.compiled.units.push(unit);
        record.compiled.units.sort();
        let after = before.clone().with(path, content);
        scored(&before, &[("a", &record), ("b", &record)], (&before, &after)).unused == [path]
    };
    let names_it = "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); cc(\"native/fast.c\"); }";
    assert!(!is_settled(names_it, "native/fast.c", "int f() { return 2; }\n"));
    assert!(is_settled(names_it, "README.md", "more\n"));
    let walks = "fn main() { for file in std::fs::read_dir(root()) {} }";
    assert!(!is_settled(walks, "native/fast.c", "int f() { return 2; }\n"));
    let includes = "include!(\"src/extra.rs\"); fn main() {}";
    assert!(!is_settled(
        includes,
        "src/extra.rs",
        "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n"
    ));
}

#[test]
fn a_changed_build_script_or_procedural_macro_may_compile_anything() {
    for kind in [UnitKind::BuildScript, UnitKind::ProceduralMacro] {
        let before = project().with("generate.rs", "fn main() {}");
        let mut record = record(&["src/lib.rs"], &[]);
        let mut unit = CompilationUnit::new("k", "generate", kind);
        unit.files = paths(&["generate.rs"]);
        record.compiled.units.push(unit);
        record.compiled.units.sort();
        let edited = before
            .clone()
            .with("src/extra.rs", "pub fn extra(x: u64) -> u64 {\n    x + 2\n}\n");
        let records = [("a", &record), ("b", &record)];
        assert_eq!(scored(&before, &records, (&before, &edited)).unused, ["src/extra.rs"]);
        let both = edited.with("generate.rs", "fn main() { println!(\"cargo:rustc-cfg=more\"); }");
        assert!(
            scored(&before, &records, (&before, &both)).unused.is_empty(),
            "{kind:?}"
        );
    }
}

#[test]
fn a_file_that_a_benchmark_opens_puts_all_of_it_at_stake_whatever_its_name() {
    let before = project();
    let (reads, other) = (
        record(&["src/lib.rs"], &["README.md", "src/extra.rs"]),
        record(&["src/lib.rs"], &[]),
    );
    for path in ["README.md", "src/extra.rs"] {
        let after = before.clone().with(path, "fn changed() {}\n");
        let score = scored(&before, &[("a", &reads), ("b", &other)], (&before, &after));
        assert_eq!((touched(&score, "a"), touched(&score, "b")), (1.0, 0.0), "{path}");
        let input = score.changes.iter().find_map(|change| change.input_of.as_ref());
        assert_eq!(
            input.map(|input| input.read_by.clone()),
            Some(paths(&["a"])),
            "{path}: {score:?}"
        );
        assert_eq!(score.probability, score.benchmarks[0].probability);
        assert!(score.benchmarks[0].selected && score.benchmarks[0].name == "a");
    }
}

#[test]
fn a_name_in_the_code_is_no_evidence_where_a_record_says_who_opens_a_file() {
    let before = project().replaced("x * 2", "if x == 7 { panic!(\"see README.md\") } x * 2");
    let after = before.clone().with("README.md", "more\n");
    let record = record(&["src/lib.rs"], &[]);
    let score = scored(&before, &[("a", &record), ("b", &record)], (&before, &after));
    assert_eq!(
        (touched(&score, "a"), score.unused.as_slice()),
        (0.0, &["README.md".to_owned()][..])
    );
    let mut unsure = record.clone();
    unsure.opened.is_complete = false;
    let score = scored(&before, &[("a", &unsure), ("b", &record)], (&before, &after));
    assert_eq!(touched(&score, "a"), 0.8, "without a complete record its name decides");
}

#[test]
fn included_documentation_is_no_risk_and_included_data_is_one_for_the_code_that_mentions_it() {
    let compiled = record(&["src/lib.rs", "README.md"], &[]);
    let records = [("a", &compiled), ("b", &compiled)];
    let document = project().replaced("pub fn work", "#![doc = include_str!(\"../README.md\")]\npub fn work");
    let after = document.clone().with("README.md", "more\n");
    assert_eq!(touched(&scored(&document, &records, (&document, &after)), "a"), 0.0);
    let data = project().replaced("x * 2", "x * include_str!(\"../README.md\").len() as u64");
    let after = data.clone().with("README.md", "more\n");
    assert_eq!(touched(&scored(&data, &records, (&data, &after)), "a"), 0.8);
    let unnamed = project();
    let after = unnamed.clone().with("README.md", "more\n");
    let score = scored(&unnamed, &records, (&unnamed, &after));
    assert_eq!(
        touched(&score, "a"),
        0.8,
        "the whole crate, where nobody says who uses it"
    );
}

#[test]
fn what_a_build_script_watches_is_a_risk_for_its_package() {
    let before = project();
    let mut record = record(&["src/lib.rs"], &[]);
    let mut unit = CompilationUnit::new("k", "build-script-run", UnitKind::BuildScript);
    unit.watched = paths(&["data"]);
    record.compiled.units.push(unit);
    record.compiled.units.sort();
    let after = before.clone().with("data/table.weird", "2\n");
    let score = scored(&before, &[("a", &record), ("b", &record)], (&before, &after));
    assert_eq!((touched(&score, "a"), touched(&score, "b")), (0.8, 0.1));
    assert!(score.degraded.is_empty(), "{score:?}");
}

#[test]
fn a_file_that_comes_into_a_listed_folder_is_noticed() {
    let before = project();
    let mut lists = record(&["src/lib.rs"], &[]);
    lists.opened.folders = paths(&["data"]);
    let records = [("a", &lists), ("b", &lists)];
    let after = before.clone().with("data/more.txt", "1\n");
    assert_eq!(touched(&scored(&before, &records, (&before, &after)), "a"), 1.0);
    let changed = before.clone().with("data/table.weird", "2\n");
    assert_eq!(
        scored(&before, &records, (&before, &changed)).unused,
        ["data/table.weird"]
    );
}

#[test]
fn a_source_that_is_put_into_the_program_as_it_is_counts_with_its_comments() {
    let commented = "// a comment\npub fn extra(x: u64) -> u64 {\n    x + 1\n}\n";
    for (embeds, expected) in [("include_str!(\"extra.rs\").len() as u64", true), ("2", false)] {
        let source = format!("pub fn work(x: u64) -> u64 {{\n    x * {embeds}\n}}\n");
        let before = project().with("src/lib.rs", &source);
        let after = before.clone().with("src/extra.rs", commented);
        let record = record(&["src/lib.rs", "src/extra.rs"], &[]);
        let score = scored(&before, &[("a", &record), ("b", &record)], (&before, &after));
        assert_eq!(touched(&score, "a") > 0.0, expected, "{embeds}: {score:?}");
    }
}

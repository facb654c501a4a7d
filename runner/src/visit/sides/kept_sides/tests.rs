#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;
use crate::build::RepositoryCache;
use crate::measure::fixture::{BaseHeadFixture, MANIFEST, tool};
use crate::process::{self, InterruptionFlag, Invocation};
use crate::visit::sides::SideBuildEvent::{self, Building, Built, Reused};
use crate::visit::sides::{BaseOrHead::Base, BaseOrHead::Head, MeasuredSides};

/// A repository whose builds are counted: each runs a build script that adds a byte to a file outside.
struct CountedBuilds {
    outside: tempfile::TempDir,
    versions: BaseHeadFixture,
}

/// The program `tool`, which prints a text.
fn prints(text: &str) -> String {
    format!("fn main() {{ println!(\"{text}\") }}")
}

impl CountedBuilds {
    fn new(definitions: Vec<BenchmarkDefinition>) -> Self {
        Self::with(&[], definitions)
    }

    fn with(files: &[(&str, &str)], definitions: Vec<BenchmarkDefinition>) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let script = format!(
            "use std::io::Write;\nfn main() {{\n    let mut file = std::fs::File::options().create(true)\
             .append(true).open({:?}).unwrap();\n    file.write_all(b\"x\").unwrap();\n}}\n",
            outside.path().join("builds")
        );
        let (one, head) = (prints("one"), prints("two"));
        let base: Vec<(&str, &str)> = [("build.rs", script.as_str()), ("src/bin/tool.rs", &one)]
            .into_iter()
            .chain(files.iter().copied())
            .collect();
        let versions = BaseHeadFixture::new(&base, &[("src/bin/tool.rs", &head)], definitions);
        Self { outside, versions }
    }

    /// Adds a version of the package `part` to a folder in place of the registry. Its number is its version.
    fn publish_part(&self, version: &str) {
        let beside = |name: &str, text: &str| {
            let path = self.versions.beside(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let file = |name: &str, text: &str| beside(&format!("vendor/part-{version}/{name}"), text);
        file(
            "Cargo.toml",
            &format!("[package]\nname = \"part\"\nversion = \"{version}\"\nedition = \"2021\"\n"),
        );
        file(
            "src/lib.rs",
            &format!("pub fn number() -> &'static str {{ \"{version}\" }}"),
        );
        file(".cargo-checksum.json", "{\"files\":{}}");
        beside(
            "cache/.cargo/config.toml",
            &format!(
                "[source.crates-io]\nreplace-with = \"vendor\"\n[source.vendor]\ndirectory = {:?}\n",
                self.versions.beside("vendor")
            ),
        );
    }

    fn builds(&self) -> usize {
        std::fs::read(self.outside.path().join("builds")).map_or(0, |bytes| bytes.len())
    }

    /// Builds, and gives the sides, the events and the number of builds.
    fn compare(&self) -> (MeasuredSides, Vec<SideBuildEvent>, usize) {
        let before = self.builds();
        let mut events = Vec::new();
        let sides = self
            .versions
            .build_telling(&mut |event| events.push(event.clone()))
            .unwrap();
        (sides, events, self.builds() - before)
    }

    /// The events and the number of builds of another comparison.
    fn again(&self) -> (Vec<SideBuildEvent>, usize) {
        let (_, events, builds) = self.compare();
        (events, builds)
    }

    fn kept(&self) -> Vec<PathBuf> {
        let folder = self.versions.cache.root().join(FOLDER);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut kept: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        kept.sort();
        kept
    }
}

fn both_built() -> Vec<SideBuildEvent> {
    vec![Building(Head), Built(Head, 1), Building(Base), Built(Base, 1)]
}

fn both_reused() -> Vec<SideBuildEvent> {
    vec![Reused(Head, 1), Reused(Base, 1)]
}

fn output(side: &MeasuredSide) -> String {
    let benchmark = &side.suite.benchmarks[0];
    let invocation = Invocation::new(&benchmark.program, &benchmark.directory, Duration::from_secs(10));
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    finished.stdout.text().trim().to_owned()
}

#[test]
fn a_second_comparison_takes_the_programs_of_the_first_and_builds_nothing() {
    let counted = CountedBuilds::new(vec![tool()]);
    let (sides, events, builds) = counted.compare();
    assert_eq!((events, builds), (both_built(), 2));
    let first = BaseOrHead::BOTH.map(|which| sides.side(which).clone());
    assert!(first.iter().all(|side| !side.reused));
    let programs = first
        .clone()
        .map(|side| std::fs::read(&side.suite.benchmarks[0].program).unwrap());
    drop(sides);
    for _ in 0..2 {
        let (mut sides, events, builds) = counted.compare();
        assert_eq!((events, builds), (both_reused(), 0));
        for (which, (before, program)) in BaseOrHead::BOTH.into_iter().zip(first.iter().zip(&programs)) {
            let side = sides.side(which);
            assert_eq!(
                (&side.suite, side.commit, side.reused),
                (&before.suite, before.commit, true)
            );
            assert_eq!(&std::fs::read(&side.suite.benchmarks[0].program).unwrap(), program);
        }
        assert_eq!(output(sides.switch_to(Base).unwrap()), "one");
        assert_eq!(output(sides.switch_to(Head).unwrap()), "two");
        let length = |which| sides.side(which).suite.benchmarks[0].program.as_os_str().len();
        assert_eq!(length(Base), length(Head), "the stack begins at one place");
    }
}

#[test]
fn the_tests_of_a_package_are_taken_with_everything_that_is_known_of_them() {
    let tests = BenchmarkDefinition::new(BenchmarkAdapter::CargoTest);
    let counted = CountedBuilds::with(&[("tests/whole.rs", "#[test] fn stays() {}\n")], vec![tests]);
    let (sides, _, _) = counted.compare();
    let mut first = sides.side(Head).suite.clone();
    assert!(first.build_time.take().is_some(), "a side that is kept took no time");
    assert!(first.compiled["stays"].is_complete, "{first:?}");
    drop(sides);
    let (sides, events, builds) = counted.compare();
    assert_eq!((events, builds), (both_reused(), 0));
    assert_eq!(sides.side(Head).suite, first);
}

#[test]
fn a_base_that_was_the_head_is_taken_and_only_the_new_head_is_built() {
    let mut counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let third = counted.versions.commit(&[("src/bin/tool.rs", &prints("three"))]);
    counted.versions.base = std::mem::replace(&mut counted.versions.head, third);
    let (mut sides, events, builds) = counted.compare();
    assert_eq!(events, [Building(Head), Built(Head, 1), Reused(Base, 1)]);
    assert_eq!(builds, 1);
    assert_eq!(output(sides.switch_to(Base).unwrap()), "two");
    assert_eq!(output(sides.switch_to(Head).unwrap()), "three");
}

#[test]
fn another_definition_is_built_again() {
    let mut counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let flags = ("RUSTFLAGS".to_owned(), "-C debug-assertions=on".to_owned());
    let mut with_flags = counted.versions.definitions[0].clone();
    with_flags.env.extend([flags]);
    counted.versions.definitions = [with_flags].into();
    assert_eq!(counted.again(), (both_built(), 2));
}

#[test]
fn another_choice_of_benchmarks_is_built_again() {
    let mut counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let choice = crate::benchmark::BenchmarkChoice {
        names: vec!["*".to_owned()],
        ..Default::default()
    };
    counted.versions.definitions = counted.versions.definitions.choosing(choice);
    assert_eq!(counted.again(), (both_built(), 2));
}

#[test]
fn other_flags_from_above_the_checkout_are_built_again() {
    let counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let configuration = counted
        .versions
        .cache
        .root()
        .parent()
        .unwrap()
        .join(".cargo/config.toml");
    std::fs::create_dir_all(configuration.parent().unwrap()).unwrap();
    std::fs::write(
        configuration,
        "[build]\nrustflags = [\"-C\", \"debug-assertions=on\"]\n",
    )
    .unwrap();
    assert_eq!(counted.again(), (both_built(), 2));
    assert_eq!(counted.again(), (both_reused(), 0));
}

#[test]
fn another_toolchain_or_profiler_has_another_key() {
    let counted = CountedBuilds::new(vec![tool()]);
    let versions = &counted.versions;
    let profiler = crate::profilers::callgrind::CallgrindProfiler::new("valgrind-0".to_owned());
    let plan = SideBuildPlan {
        repository: &versions.repository,
        base: versions.base,
        head: versions.head,
        definitions: &versions.definitions,
        cache: &versions.cache,
        profiler: &profiler,
        interruption: &versions.interruption,
        draft: false,
        fresh: false,
    };
    let keys = |fact: &str, value: &str| {
        let environment = Environment([(fact.to_owned(), value.to_owned())].into());
        KeptSides::open(plan, [environment.clone(), environment]).keys
    };
    let all = [
        keys("compiler", "rustc 1.95.0"),
        keys("compiler", "rustc 1.96.0"),
        keys("profiler", "valgrind-3.19.0"),
    ];
    let distinct: BTreeSet<String> = all.into_iter().flatten().map(Option::unwrap).collect();
    assert_eq!(distinct.len(), 6, "each commit in each environment");
}

#[test]
fn a_changed_harness_is_built_again() {
    let bench = BenchmarkDefinition {
        harness: Some("harness".into()),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    let counted = CountedBuilds::with(&[("src/lib.rs", "pub fn one() -> u32 { 1 }")], vec![bench]);
    let harness = counted.versions.repository.workdir().unwrap().join("harness");
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(harness.join("src")).unwrap();
        std::fs::write(harness.join(name), text).unwrap();
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"harness\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nsubject = \"1\"\n",
    );
    write("src/main.rs", "fn main() { println!(\"{}\", subject::one()) }");
    write("data.txt", "a");
    assert_eq!(counted.again(), (both_built(), 2));
    assert_eq!(counted.again(), (both_reused(), 0));
    write("data.txt", "b");
    assert_eq!(counted.again(), (both_built(), 2));
    // The programs of the first harness are kept, but its copy holds the data of the second.
    write("data.txt", "a");
    assert_eq!(counted.again(), (both_built(), 2));
    assert_eq!(counted.again(), (both_reused(), 0));
    // Nobody knows with which of two contents it was built.
    write("data.txt", "c");
    let kept = counted.kept();
    let sides = counted.versions.build_telling(&mut |event| {
        if *event == Building(Head) {
            write("data.txt", "d");
        }
    });
    drop(sides.unwrap());
    assert_eq!(counted.kept(), kept);
}

#[test]
fn a_changed_input_outside_the_version_is_built_again() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("data.txt");
    let program = format!("fn main() {{ print!(\"{{}}\", include_str!({file:?})) }}");
    std::fs::write(&file, "a").unwrap();
    let files: &[(&str, &str)] = &[("src/main.rs", &program)];
    let of_a_command = BenchmarkDefinition {
        run: Some(vec!["target/release/subject".to_owned()]),
        ..tool()
    };
    let tests = BenchmarkDefinition::new(BenchmarkAdapter::CargoTest);
    for (definition, more) in [(of_a_command, ""), (tests, "\n#[test] fn stays() {}\n")] {
        std::fs::write(&file, "a").unwrap();
        let text = format!("{program}{more}");
        let files: Vec<(&str, &str)> = files.iter().map(|(path, _)| (*path, text.as_str())).collect();
        let counted = CountedBuilds::with(&files, vec![definition]);
        assert_eq!(counted.again(), (both_built(), 2));
        assert_eq!(counted.again(), (both_reused(), 0));
        std::fs::write(&file, "b").unwrap();
        assert_eq!(counted.again(), (both_built(), 2));
    }
}

#[test]
fn programs_of_other_dependencies_are_not_compared_with_kept_ones() {
    let manifest = format!("{MANIFEST}[dependencies]\npart = \"1\"\n");
    let program = "fn main() { println!(\"{}\", part::number()) }";
    let mut counted = CountedBuilds::with(&[("Cargo.toml", &manifest), ("src/bin/tool.rs", program)], vec![tool()]);
    // The head has the same program, and one file more.
    counted.versions.head = counted
        .versions
        .commit(&[("src/bin/tool.rs", program), ("other.txt", "")]);
    counted.publish_part("1.0.0");
    assert_eq!(counted.again(), (both_built(), 2));
    counted.publish_part("1.0.1");
    assert_eq!(counted.again(), (both_reused(), 0), "both were built with the same");
    let third = counted.versions.commit(&[("other.txt", "x")]);
    let oldest = counted.versions.base;
    counted.versions.base = std::mem::replace(&mut counted.versions.head, third);
    let (mut sides, events, builds) = counted.compare();
    let tried = [Building(Head), Built(Head, 1), Reused(Base, 1)];
    assert_eq!(events, [&tried[..], &both_built()].concat());
    assert_eq!(builds, 3);
    for which in BaseOrHead::BOTH {
        assert_eq!(output(sides.switch_to(which).unwrap()), "1.0.1");
    }
    drop(sides);
    assert_eq!(counted.again(), (both_reused(), 0));
    // The first base is still that of the older dependency.
    counted.versions.base = oldest;
    assert_eq!(counted.again(), (both_built(), 2));
}

#[test]
fn a_lock_file_that_each_version_has_is_part_of_its_sources() {
    let manifest = format!("{MANIFEST}[dependencies]\npart = \"1\"\n");
    let program = "fn main() { println!(\"{}\", part::number()) }";
    let lock = |version: &str| {
        format!(
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\n\
             version = 4\n\n[[package]]\nname = \"part\"\nversion = \"{version}\"\n\
             source = \"registry+https://github.com/rust-lang/crates.io-index\"\n\n[[package]]\nname = \"subject\"\n\
             version = \"0.1.0\"\ndependencies = [\n \"part\",\n]\n"
        )
    };
    let files = [("Cargo.toml", manifest.as_str()), ("Cargo.lock", &lock("1.0.0"))];
    let mut counted = CountedBuilds::with(&files, vec![tool()]);
    counted.versions.head = counted.versions.commit(&[("src/bin/tool.rs", program)]);
    counted.publish_part("1.0.0");
    counted.publish_part("1.0.1");
    counted.again();
    let third = counted.versions.commit(&[("Cargo.lock", &lock("1.0.1"))]);
    counted.versions.base = std::mem::replace(&mut counted.versions.head, third);
    let (mut sides, events, builds) = counted.compare();
    assert_eq!(events, [Building(Head), Built(Head, 1), Reused(Base, 1)]);
    assert_eq!(builds, 1);
    assert_eq!(output(sides.switch_to(Base).unwrap()), "1.0.0");
    assert_eq!(output(sides.switch_to(Head).unwrap()), "1.0.1");
}

#[test]
fn damaged_and_half_written_sides_are_built_again() {
    let counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let program = |side: &Path| side.join(PROGRAMS).join("plain/release/tool");
    let damages: [fn(&Path, &Path); 5] = [
        |_, record| std::fs::write(record, "{}").unwrap(),
        |_, record| {
            let text = std::fs::read(record).unwrap();
            std::fs::write(record, &text[..text.len() / 2]).unwrap();
        },
        |_, record| std::fs::remove_file(record).unwrap(),
        |program, _| {
            let mut bytes = std::fs::read(program).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(program, bytes).unwrap();
        },
        |program, _| std::fs::remove_file(program).unwrap(),
    ];
    for damage in damages {
        for side in counted.kept() {
            damage(&program(&side), &side.join(RECORD));
        }
        assert_eq!(counted.again(), (both_built(), 2));
        assert_eq!(counted.again(), (both_reused(), 0));
    }
    // A killed process left this one.
    let unfinished = counted.versions.cache.root().join(FOLDER).join(UNFINISHED);
    std::fs::create_dir_all(unfinished.join(PROGRAMS)).unwrap();
    assert_eq!(counted.again(), (both_reused(), 0));
    assert!(!unfinished.exists());
}

#[test]
fn what_is_asked_for_anew_is_built_and_what_is_not_committed_is_not_kept() {
    let mut counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    counted.versions.fresh = true;
    assert_eq!(counted.again(), (both_built(), 2));
    counted.versions.fresh = false;
    assert_eq!(counted.again(), (both_reused(), 0), "the new ones are kept");
    counted.versions.draft = true;
    counted.versions.head = counted.versions.commit(&[("src/bin/tool.rs", &prints("draft"))]);
    let (kept, half) = (counted.kept(), vec![Building(Head), Built(Head, 1), Reused(Base, 1)]);
    for _ in 0..2 {
        assert_eq!(counted.again(), (half.clone(), 1));
    }
    assert_eq!(counted.kept(), kept);
}

#[test]
fn a_side_that_fails_is_tried_again() {
    let counted = CountedBuilds::with(&[], vec![tool()]);
    let mut versions = counted.versions;
    versions.head = versions.commit(&[("src/bin/tool.rs", "nonsense")]);
    let kept = |cache: &RepositoryCache| std::fs::read_dir(cache.root().join(FOLDER)).unwrap().count();
    for _ in 0..2 {
        assert!(versions.build().unwrap().side(Head).unbuilt.is_some());
        assert_eq!(kept(&versions.cache), 1, "the base");
    }
}

#[test]
fn a_program_that_may_read_the_build_folder_is_built_again() {
    let script = "fn main() { std::fs::write(std::env::var(\"OUT_DIR\").unwrap() + \"/data\", \"made\").unwrap() }";
    let reads = "fn main() { print!(\"{}\", std::fs::read_to_string(concat!(env!(\"OUT_DIR\"), \"/data\")).unwrap()) }";
    let takes = "fn main() { print!(\"{}\", include_str!(concat!(env!(\"OUT_DIR\"), \"/data\"))) }";
    for (program, is_kept) in [(reads, false), (takes, true)] {
        let counted = CountedBuilds::new(vec![tool()]);
        let versions = &counted.versions;
        let base = versions.commit(&[("build.rs", script), ("src/bin/tool.rs", program)]);
        let head = versions.commit(&[("other.txt", "")]);
        let mut counted = counted;
        (counted.versions.base, counted.versions.head) = (base, head);
        assert_eq!(counted.again().0, both_built());
        let expected = if is_kept { both_reused() } else { both_built() };
        assert_eq!(counted.again().0, expected, "{program}");
        assert_eq!(counted.kept().is_empty(), !is_kept);
    }
}

#[test]
fn a_command_that_may_read_anything_is_run_again() {
    let script = BenchmarkDefinition {
        build: Some(["sh", "-c", "cargo build --release"].map(str::to_owned).to_vec()),
        ..tool()
    };
    let counted = CountedBuilds::new(vec![script]);
    for _ in 0..2 {
        assert_eq!(counted.again(), (both_built(), 2));
    }
    assert!(counted.kept().is_empty());
}

#[test]
fn the_sides_of_two_comparisons_are_kept_and_the_oldest_go() {
    let mut counted = CountedBuilds::new(vec![tool()]);
    counted.again();
    let first = counted.versions.base;
    for number in 0..4 {
        let next = counted
            .versions
            .commit(&[("src/bin/tool.rs", &prints(&format!("number {number}")))]);
        counted.versions.base = std::mem::replace(&mut counted.versions.head, next);
        assert_eq!(counted.again().1, 1, "the base was the head before");
        assert!(counted.kept().len() <= MOST_SIDES);
    }
    assert_eq!(counted.kept().len(), MOST_SIDES);
    counted.versions.base = first;
    assert_eq!(
        counted.again(),
        (vec![Reused(Head, 1), Building(Base), Built(Base, 1)], 1)
    );
}

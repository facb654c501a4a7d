#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;
use crate::measure::fixture::{BaseHeadFixture, MANIFEST, tool};
use crate::process::{self, Invocation};

fn prints(text: &str) -> String {
    format!("fn main() {{ println!(\"{text} {{}}\", std::fs::read_to_string(\"data\").unwrap()) }}")
}

fn output(side: &MeasuredSide, name: &str) -> String {
    let benchmark = side.benchmark(name).unwrap();
    let invocation = Invocation::new(&benchmark.program, &benchmark.directory, Duration::from_secs(10));
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    finished.stdout.text().trim().to_owned()
}

fn tests(names: &[&str]) -> String {
    names.iter().map(|name| format!("#[test] fn {name}() {{}}\n")).collect()
}

#[test]
fn both_programs_are_kept_and_run_with_the_files_of_their_version() {
    let (one, two) = (prints("one"), prints("two"));
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &one), ("data", "a")],
        &[("src/bin/tool.rs", &two), ("data", "b")],
        vec![tool()],
    );
    let mut steps = Vec::new();
    let mut sides = versions.build_telling(&mut |step| steps.push(step.clone())).unwrap();
    use BaseOrHead::{Base, Head};
    use SideBuildEvent::{Building, Built};
    assert_eq!(steps, [Building(Head), Built(Head, 1), Building(Base), Built(Base, 1)]);
    for _ in 0..2 {
        assert_eq!(output(sides.switch_to(Base).unwrap(), "tool"), "one a");
        assert_eq!(output(sides.switch_to(Head).unwrap(), "tool"), "two b");
    }
    assert_eq!(
        sides.benchmarks(),
        BTreeMap::from([("tool".to_owned(), BenchmarkPresence::Both)])
    );
    let length = |which| {
        let program = &sides.side(which).benchmark("tool").unwrap().program;
        program.as_os_str().len()
    };
    assert_eq!(length(Base), length(Head), "the stack begins at one place");
}

#[test]
fn nothing_is_left_behind_and_what_a_killed_run_left_goes() {
    let one = prints("one");
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &one), ("data", "a")],
        &[("data", "b")],
        vec![tool()],
    );
    let folder = versions.cache.root().join("sides");
    std::fs::create_dir_all(folder.join("base/of/old")).unwrap();
    let sides = versions.build().unwrap();
    assert!(folder.join("base").is_dir() && !folder.join("base/of").exists());
    assert!(
        matches!(
            versions.build(),
            Err(MeasuredSidesError::Visit(VisitError::Worktree(
                WorktreeError::InUse { .. }
            )))
        ),
        "two at once"
    );
    drop(sides);
    assert!(!folder.exists() && !versions.cache.tree().exists());
}

#[test]
fn one_version_against_itself_is_built_twice() {
    let one = prints("one");
    let mut versions = BaseHeadFixture::new(&[("src/bin/tool.rs", &one), ("data", "a")], &[], vec![tool()]);
    versions.head = versions.base;
    let mut sides = versions.build().unwrap();
    assert_eq!(output(sides.switch_to(BaseOrHead::Head).unwrap(), "tool"), "one a");
    let program = |which| sides.side(which).benchmark("tool").unwrap().program.clone();
    let (base, head) = (program(BaseOrHead::Base), program(BaseOrHead::Head));
    assert_ne!(base, head);
    assert_eq!(std::fs::read(base).unwrap(), std::fs::read(head).unwrap());
}

#[test]
fn what_one_version_lacks_is_told_from_what_it_fails_to_build() {
    let manifest = format!("{MANIFEST}[[test]]\nname = \"odd\"\n");
    let versions = BaseHeadFixture::new(
        &[
            ("Cargo.toml", &manifest),
            ("tests/odd.rs", &tests(&["breaks"])),
            ("tests/whole.rs", &tests(&["stays", "goes"])),
        ],
        &[
            ("tests/odd.rs", "nonsense"),
            ("tests/whole.rs", &tests(&["stays", "comes"])),
        ],
        vec![BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)],
    );
    let mut benchmarks = versions.build().unwrap().benchmarks();
    let breaks = benchmarks.remove("breaks").unwrap();
    assert!(
        matches!(&breaks, BenchmarkPresence::HeadFails { reason } if reason.contains("nonsense")),
        "{breaks:?}"
    );
    let rest = [
        ("comes", BenchmarkPresence::Added),
        ("goes", BenchmarkPresence::Removed),
        ("stays", BenchmarkPresence::Both),
    ];
    assert_eq!(
        benchmarks,
        rest.map(|(name, presence)| (name.to_owned(), presence)).into()
    );
}

#[test]
fn a_side_that_does_not_build_says_why() {
    let works = prints("one");
    for (base, head) in [(works.as_str(), "nonsense"), ("nonsense", works.as_str())] {
        let versions = BaseHeadFixture::new(
            &[("src/bin/tool.rs", base), ("data", "a")],
            &[("src/bin/tool.rs", head)],
            vec![tool()],
        );
        let sides = versions.build().unwrap();
        let presence = sides.benchmarks().remove("tool").unwrap();
        let (broken, reason) = match &presence {
            BenchmarkPresence::BaseFails { reason } => (BaseOrHead::Base, reason),
            BenchmarkPresence::HeadFails { reason } => (BaseOrHead::Head, reason),
            other => panic!("{other:?}"),
        };
        assert_eq!(broken == BaseOrHead::Base, base == "nonsense");
        assert!(reason.contains("nonsense"), "{reason}");
        assert_eq!(sides.side(broken).unbuilt.as_ref(), Some(reason));
    }
}

#[test]
fn a_version_without_benchmarks_adds_or_removes_them_and_two_are_an_error() {
    let whole = tests(&["new"]);
    let tests = vec![BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)];
    let mut versions = BaseHeadFixture::new(&[], &[("tests/whole.rs", &whole)], tests);
    let presence = |versions: &BaseHeadFixture| versions.build().unwrap().benchmarks()["new"].clone();
    assert_eq!(presence(&versions), BenchmarkPresence::Added);
    std::mem::swap(&mut versions.base, &mut versions.head);
    assert_eq!(presence(&versions), BenchmarkPresence::Removed);
    versions.base = versions.head;
    assert!(matches!(versions.build(), Err(MeasuredSidesError::NoBenchmark(_))));
}

#[test]
fn what_is_built_beside_the_build_folder_is_not_comparable() {
    let elsewhere = BenchmarkDefinition {
        build: Some(["cp", "data", "made"].map(str::to_owned).to_vec()),
        run: Some(["cat", "made"].map(str::to_owned).to_vec()),
        ..tool()
    };
    let unbuilt = BenchmarkDefinition {
        name: Some("plain".to_owned()),
        build: None,
        run: Some(["cat", "data"].map(str::to_owned).to_vec()),
        ..tool()
    };
    let versions = BaseHeadFixture::new(&[("data", "a")], &[("data", "b")], vec![elsewhere, unbuilt]);
    let benchmarks = versions.build().unwrap().benchmarks();
    assert!(
        matches!(&benchmarks["tool"], BenchmarkPresence::NotComparable { reason } if reason.contains("CARGO_TARGET_DIR")),
        "{benchmarks:?}"
    );
    assert_eq!(benchmarks["plain"], BenchmarkPresence::Both);
}

#[test]
fn versions_whose_values_mean_different_things_are_not_comparable() {
    let of = |subject: &str| BenchmarkDefinition {
        subject: Some(subject.to_owned()),
        ..tool()
    };
    let one = prints("one");
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &one), ("data", "a")],
        &[("data", "b")],
        vec![of("tool::main")],
    );
    let mut sides = versions.build().unwrap();
    sides.head.suite.benchmarks[0].subject = crate::frameworks::BenchmarkSubject::Process;
    let presence = &sides.benchmarks()["tool"];
    assert!(
        matches!(presence, BenchmarkPresence::NotComparable { reason } if reason.contains("tool::main")),
        "{presence:?}"
    );
}

#[test]
fn an_interruption_ends_building_and_leaves_nothing() {
    let one = prints("one");
    let versions = BaseHeadFixture::new(
        &[("src/bin/tool.rs", &one), ("data", "a")],
        &[("data", "b")],
        vec![tool()],
    );
    let user = versions.interruption.clone();
    let result = versions.build_telling(&mut |step| {
        if *step == SideBuildEvent::Building(BaseOrHead::Head) {
            user.raise();
        }
    });
    assert!(
        matches!(result, Err(MeasuredSidesError::Visit(VisitError::Interrupted))),
        "{result:?}"
    );
    let root = versions.cache.root();
    assert!(!root.join("sides").exists() && !versions.cache.tree().exists());
}

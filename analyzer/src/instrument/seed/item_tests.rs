//! Changes of items are planted where executed code uses the item, and edit that item alone.

#![allow(clippy::unwrap_used)]

use profile::{CostUnit, Profile, ProfileFileId, ProfileFunction, ProfileLine};

use super::tests::{SeedFixtureFiles, library, sources};
use super::*;
use crate::sources::Blob;

/// A library with an item of each kind, all of them used by `run`.
const SOURCE: &str = r##"//! A library.

use core::ops::{Add, Deref};

const ROUNDS: usize = 0x10;
const ALL_ROUNDS: usize = ROUNDS + 1;
const UNUSED_ROUNDS: usize = 9;
const WIDTH: usize = 4;
const SMALL: u8 = 200;
static TEXT: &str = include_str!("words.txt");
static GONE: &str = include_str!("../../outside.txt");

#[derive(Debug, Clone, PartialEq)]
pub struct Token<T> {
    text: T,
    at: usize,
}

#[derive(Clone)]
enum Side {
    Left(u32),
    Right { at: u32 },
    Neither,
}

pub struct Guard(u32);

pub struct Ticket<'a>(&'a [u32]);

pub struct Owner {
    name: String,
}

impl Owner {
    const LIMIT: u32 = 7;

    fn into_name(self) -> String {
        self.name
    }
}

impl<T> Deref for Token<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.text
    }
}

impl Add for Guard {
    type Output = u32;

    fn add(self, other: Self) -> u32 {
        self.0 + other.0
    }
}

pub struct Counter {
    at: u32,
}

impl Default for Counter {
    fn default() -> Self {
        Counter { at: 3 }
    }
}

impl Iterator for Counter {
    type Item = u32;

    fn next(&mut self) -> Option<Self::Item> {
        self.at += 1;
        Some(self.at)
    }
}

const fn step() -> u32 {
    5
}

macro_rules! sum {
    ($one:expr, $two:expr) => {
        $one.max($two) + 1
    };
    ($one:ident) => {{
        $one + 2
    }};
    ($($all:ident),*) => { $($all)* };
}

macro_rules! items {
    ($name:ident) => { struct $name; };
}

items!(Made);

pub fn run(values: &[u32]) -> u32 {
    let mut total = 0;
    for round in 0..ALL_ROUNDS {
        total += round as u32;
    }
    let buffer = [0u32; WIDTH];
    let guard = Guard(1);
    let ticket = Ticket(values);
    let owner = Owner { name: String::new() };
    let mut counter = Counter::default();
    total += counter.next().unwrap_or(0);
    total += sum!(total, step());
    total += TEXT.len() as u32 + GONE.len() as u32;
    total += values.get(usize::from(SMALL)).copied().unwrap_or(Owner::LIMIT);
    total + u32::from_le(Owner::LIMIT)
}

pub fn idle() -> usize {
    UNUSED_ROUNDS.min(4)
}
"##;

/// A benchmark of `run`.
const BENCHMARK: &str =
    "const SIZE: usize = 100;\n\nfn measured() {\n    for _ in 0..SIZE {\n        run(&[1], 30);\n    }\n}\n";

fn line_of(text: &str, part: &str) -> u32 {
    u32::try_from(text.lines().position(|line| line.contains(part)).unwrap() + 1).unwrap()
}

/// A profile in which everything but `idle` is executed once in ten units.
fn executed() -> IndexedProfile {
    let function = |name: &str, file, line, calls| ProfileFunction {
        name: name.to_owned(),
        file: Some(ProfileFileId(file)),
        line,
        external: false,
        calls,
        inlined_calls: 0,
        inclusive: 1_000,
        self_cost: 1_000,
        estimated: false,
    };
    let at = |part: &str| line_of(SOURCE, part);
    let (first, last) = (at("pub fn run"), at("pub fn idle") - 1);
    let line = |file, line| ProfileLine {
        file: ProfileFileId(file),
        line,
        executions: 1_000,
        self_cost: 1,
        estimated: false,
    };
    let of_library = (first..last).map(|number| line(0, number));
    let of_benchmark = (4..6).map(|number| line(1, number));
    IndexedProfile::new(Profile {
        benchmark: "run".to_owned(),
        unit: CostUnit::Instructions,
        profiler: "by hand".to_owned(),
        exact_counts: true,
        total: 10_000,
        files: vec!["src/lib.rs".to_owned(), "benches/run.rs".to_owned()],
        functions: vec![
            function("lib::run", 0, first, 1_000),
            function("lib::Counter::next", 0, at("fn next"), 1_000),
            function("lib::Token::deref", 0, at("fn deref"), 1_000),
            function("lib::Guard::add", 0, at("fn add"), 1_000),
            function("lib::Token::clone", 0, at("#[derive(Debug, Clone"), 1_000),
            function("lib::Side::clone", 0, at("#[derive(Clone)]"), 1_000),
            function("run::measured", 1, 3, 1_000),
        ],
        sites: Vec::new(),
        lines: of_library.chain(of_benchmark).collect(),
    })
}

fn files() -> SeedFixtureFiles {
    let mut files = library(SOURCE);
    files.0.insert("benches/run.rs".into(), BENCHMARK.into());
    files.0.insert("src/words.txt".into(), "one\ntwo".into());
    files
}

/// The changes of the authors' own items of a kind.
fn planted(kind: PlantedKind) -> Vec<SeededChange> {
    let files = files();
    let sources: Vec<_> = sources(&files)
        .into_iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .collect();
    let profiles = [executed()];
    let version = SeedBaseVersion {
        sources: &sources,
        tree: &files,
        profiles: &profiles,
    };
    let wanted = SeedRequest {
        kinds: vec![kind],
        places: SeedHotness::ALL.to_vec(),
        each: usize::MAX,
        seed: 1,
    };
    plant_changes(&version, &wanted)
}

/// The changes of a kind that start from the version itself.
fn of_items(kind: PlantedKind) -> Vec<SeededChange> {
    planted(kind).into_iter().filter(|seed| seed.before.is_none()).collect()
}

fn names(kind: PlantedKind) -> Vec<String> {
    let mut names: Vec<String> = of_items(kind).iter().map(|seed| seed.function.to_string()).collect();
    names.sort();
    names
}

/// What a change takes out of the source, and what it puts in: whole lines, without indentation.
fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (before, after) = (lines(before), lines(after));
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).cloned().collect()
    };
    (only(&before, &after), only(&after, &before))
}

#[test]
fn a_constant_is_doubled_where_it_decides_how_much_executed_code_does() {
    // `ROUNDS` through `ALL_ROUNDS`. `SMALL` has no room for twice its value, and only idle code uses the other one.
    assert_eq!(
        names(PlantedKind::ConstantValue),
        ["reader::Owner::LIMIT", "reader::ROUNDS"]
    );
    let rounds = of_items(PlantedKind::ConstantValue);
    let rounds = rounds.iter().find(|seed| seed.function.ends_with("::ROUNDS")).unwrap();
    let (gone, come) = difference(SOURCE, &rounds.after);
    assert_eq!(gone, ["const ROUNDS: usize = 0x10;"]);
    assert_eq!(come, ["const ROUNDS: usize = 32;"]);
    assert_eq!(rounds.place, SeedHotness::Hot);
    assert_eq!(rounds.direction(), PlantedDirection::Either);
}

#[test]
fn a_constant_in_the_length_of_an_array_is_a_change_of_the_length() {
    assert_eq!(names(PlantedKind::ArrayLength), ["reader::WIDTH"]);
}

#[test]
fn a_const_function_and_a_default_give_larger_values() {
    assert_eq!(names(PlantedKind::ConstFunction), ["reader::step"]);
    assert_eq!(names(PlantedKind::DefaultValue), ["reader::Counter::default"]);
    let (gone, come) = difference(SOURCE, &of_items(PlantedKind::DefaultValue)[0].after);
    assert_eq!(
        (gone, come),
        (
            vec!["Counter { at: 3 }".to_owned()],
            vec!["Counter { at: 6 }".to_owned()]
        )
    );
}

#[test]
fn drop_is_added_to_a_type_that_is_made_in_executed_code_and_stays_whole() {
    // The fields of `Owner` and of `Guard`, which is added up, may be moved out of them, and nothing makes a `Token`.
    assert_eq!(names(PlantedKind::DropAddition), ["reader::Ticket"]);
    let (gone, come) = difference(SOURCE, &of_items(PlantedKind::DropAddition)[0].after);
    assert_eq!(gone, [""; 0]);
    let text = come.join("\n");
    assert!(
        text.starts_with("impl<'a> Drop for Ticket<'a> {\nfn drop(&mut self) {\nlet _ = extra_work("),
        "{text}"
    );
}

#[test]
fn a_derive_is_written_by_hand_where_its_code_is_executed() {
    let seeds = of_items(PlantedKind::DeriveByHand);
    let side = seeds.iter().find(|seed| seed.function.ends_with("Side")).unwrap();
    let (gone, come) = difference(SOURCE, &side.after);
    assert_eq!(gone, ["#[derive(Clone)]"]);
    let text = come.join("\n");
    assert!(text.contains("impl Clone for Side {"), "{text}");
    assert!(text.contains("let _ = extra_work("), "{text}");
    let arm = "Self::Right { at: value_0 } => {\nSelf::Right {\nat: Clone::clone(value_0),";
    assert!(text.contains(arm), "{text}");
    assert!(text.contains("Self::Neither {} => Self::Neither {},"), "{text}");
    let token = seeds
        .iter()
        .find(|seed| seed.function.ends_with("Token") && seed.description.starts_with("`PartialEq`"))
        .unwrap();
    let (gone, come) = difference(SOURCE, &token.after);
    assert_eq!(gone, ["#[derive(Debug, Clone, PartialEq)]"]);
    let text = come.join("\n");
    assert!(
        text.starts_with("#[derive(Debug, Clone)]\nimpl<T> PartialEq for Token<T>\nwhere\nT: PartialEq,"),
        "{text}"
    );
    assert!(
        text.contains("self.text == other.text && self.at == other.at"),
        "{text}"
    );
}

#[test]
fn deref_and_operators_do_more_in_their_own_bodies() {
    assert_eq!(names(PlantedKind::DerefImplementation), ["reader::Token::deref"]);
    assert_eq!(names(PlantedKind::OperatorImplementation), ["reader::Guard::add"]);
    let seed = &of_items(PlantedKind::DerefImplementation)[0];
    assert!(
        seed.after
            .contains("fn deref(&self) -> &T {\n        let _ = extra_work("),
        "{}",
        seed.after
    );
}

#[test]
fn a_method_shadows_the_one_of_its_trait_and_calls_it() {
    assert_eq!(names(PlantedKind::MethodShadowing), ["reader::Counter::next"]);
    let (gone, come) = difference(SOURCE, &of_items(PlantedKind::MethodShadowing)[0].after);
    assert_eq!(gone, [""; 0]);
    let text = come.join("\n");
    assert!(text.contains("impl Counter {"), "{text}");
    assert!(
        text.contains("pub fn next(&mut self) -> Option<<Self as Iterator>::Item> {"),
        "{text}"
    );
    assert!(text.contains("<Self as Iterator>::next(self)"), "{text}");
}

#[test]
fn the_rules_of_a_macro_that_compute_get_a_loop() {
    assert_eq!(names(PlantedKind::MacroBody), ["reader::sum"]);
    let after = &of_items(PlantedKind::MacroBody)[0].after;
    assert!(after.contains("{ for round in 0.."), "{after}");
    assert!(after.contains("} $one.max($two) + 1 }"), "{after}");
    assert!(after.contains("=> {{ for round in 0.."), "{after}");
    assert!(
        after.contains("=> { $($all)* };"),
        "a repetition may be anything: {after}"
    );
    assert!(after.contains("=> { struct $name; };"), "{after}");
}

#[test]
fn a_file_that_is_compiled_in_is_doubled() {
    let seeds = planted(PlantedKind::DataFile);
    let found: Vec<(&str, &str, &str)> = seeds
        .iter()
        .map(|seed| (&*seed.file, &*seed.function, seed.after.as_str()))
        .collect();
    assert_eq!(found, [("src/words.txt", "words.txt", "one\ntwo\none\ntwo")]);
}

#[test]
fn of_a_benchmark_only_its_numbers_are_changed() {
    let seeds = planted(PlantedKind::BenchmarkInput);
    let mut come: Vec<String> = seeds
        .iter()
        .flat_map(|seed| difference(BENCHMARK, &seed.after).1)
        .collect();
    come.sort();
    assert_eq!(come, ["const SIZE: usize = 200;", "run(&[1], 45);", "run(&[2], 30);"]);
    for kind in KINDS {
        let elsewhere = planted(kind)
            .into_iter()
            .filter(|seed| seed.file.starts_with("benches"));
        assert!(
            elsewhere.count() == 0 || kind == PlantedKind::BenchmarkInput,
            "{kind:?}"
        );
    }
}

#[test]
fn what_no_benchmark_executes_is_no_site() {
    let files = files();
    let sources: Vec<_> = sources(&files)
        .into_iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .collect();
    let version = SeedBaseVersion {
        sources: &sources,
        tree: &files,
        profiles: &[],
    };
    let wanted = SeedRequest {
        kinds: KINDS.to_vec(),
        places: vec![SeedHotness::Hot, SeedHotness::Warm, SeedHotness::Cold],
        each: usize::MAX,
        seed: 1,
    };
    assert_eq!(plant_changes(&version, &wanted), []);
}

#[test]
fn new_items_change_beside_a_statement_that_stays_as_it_is() {
    for item in new_items::NewItem::ALL {
        let seeds = planted(item.kind());
        let seed = seeds
            .iter()
            .find(|seed| seed.description.starts_with(item.words()))
            .unwrap();
        let before = seed.before.as_deref().unwrap();
        assert_ne!(before, seed.after, "{item:?}");
        for side in [before, seed.after.as_str()] {
            let parsed = crate::syntax::SourceParser::default().parse(&seed.file, side.as_bytes());
            assert!(parsed.problems.is_empty(), "{item:?}: {:?}", parsed.problems);
            let (gone, come) = difference(SOURCE, side);
            assert_eq!(gone, [""; 0], "{item:?}");
            assert!(come.iter().any(|line| line.contains("fn extra_work(")), "{item:?}");
        }
        // The function that the statement stands in is the same on both sides.
        let host = seed.function.rsplit("::").next().unwrap();
        let body = |side: &str| -> String {
            let start = side.find(&format!("fn {host}(")).unwrap();
            side[start..].lines().take_while(|line| *line != "}").collect()
        };
        assert_eq!(body(before), body(&seed.after), "{item:?}");
    }
}

#[test]
fn every_kind_of_change_is_planted_or_refused_and_every_planted_kind_is_seen_as_one() {
    use crate::change::ChangeKind;
    let all = [
        ChangeKind::CallAddition,
        ChangeKind::CallDeletion,
        ChangeKind::CallSwap,
        ChangeKind::CompleteChange,
        ChangeKind::LoopAddition,
        ChangeKind::FieldValue,
        ChangeKind::ConditionalAddition,
        ChangeKind::ConditionExpression,
        ChangeKind::CallScope,
        ChangeKind::Parameter,
        ChangeKind::Operation,
        ChangeKind::Type,
        ChangeKind::Constant,
        ChangeKind::BuildSetting,
        ChangeKind::Macro,
    ];
    for kind in KINDS {
        let is_of = |change: &ChangeKind| PlantedKind::of_change(*change).unwrap().contains(&kind);
        assert!(all.iter().any(is_of), "{kind:?}");
        let json = serde_json::to_string(&kind).unwrap();
        assert_eq!(json, format!("\"{}\"", kind.name()), "the name in the contract");
        assert_eq!(PlantedKind::named(kind.name()), Some(kind));
    }
    assert_eq!(
        PlantedKind::of_change(ChangeKind::LoopDeletion),
        Err(PlantingRefusal::TakesAway)
    );
}

/// A file that cannot be read is no site.
struct WithoutData(SeedFixtureFiles);

impl FileSource for WithoutData {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.file(path).filter(|_| path != "src/words.txt")
    }
}

#[test]
fn a_file_that_is_not_in_the_repository_is_no_site() {
    let files = WithoutData(files());
    let sources: Vec<_> = sources(&files.0)
        .into_iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .collect();
    let profiles = [executed()];
    let version = SeedBaseVersion {
        sources: &sources,
        tree: &files,
        profiles: &profiles,
    };
    let wanted = SeedRequest {
        kinds: vec![PlantedKind::DataFile],
        places: SeedHotness::ALL.to_vec(),
        each: 1,
        seed: 1,
    };
    assert_eq!(plant_changes(&version, &wanted), []);
}

//! The cost that a change without a place of its own in the execution touches, and how much of it can move.

use analyzer::change::ChangeKind;
use analyzer::cost::{ChangeClass, ChangeSensitivity, PriceList};
use analyzer::score::{BenchmarkEffect, CostModel, VersionScore};

use crate::support::{ScoringTestFiles, ScoringTestProfile, effect, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
const WIDTH: usize = 16;
macro_rules! twice { ($x:expr) => { $x + $x } }
pub struct Grid { cells: Vec<u64> }
impl Grid {
    pub fn fill(&mut self) {
        fill_all(self);
    }
}
pub fn sized(cells: [u64; WIDTH]) -> u64 {
    memchr::find(cells)
}
pub fn doubled(x: u64) -> u64 {
    let f = || x;
    twice!(x)
}
pub fn plain(x: u64) -> u64 {
    x
}
";

/// Each function has another self cost; `fill` and `doubled` spend in a library and in another function, too.
fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::Grid::fill", line("fn fill"), 3, (90_000, 10_000))
        .function("k::sized", line("fn sized"), 4, (20_000, 20_000))
        .function("k::doubled", line("fn doubled"), 5, (100_000, 40_000))
        .function("k::doubled::{closure}", line("let f"), 5, (8_000, 8_000))
        .function("k::plain", line("fn plain"), 6, (160_000, 160_000))
        .function("memchr::find", 9, 50, (100_000, 70_000))
        .function("memchr::find_last", 99, 20, (6_000, 5_000))
        .function("memchr-more::find", 9, 50, (1_000, 1_000))
        .site("k::Grid::fill", line("fill_all"), "memchr::find", (2, 60_000))
        .site("k::Grid::fill", line("fill_all"), "k::plain", (2, 20_000))
        .site("k::doubled", line("twice!(x)"), "memchr::find", (2, 30_000))
}

fn after(from: &str, to: &str) -> VersionScore {
    let before = library(SOURCE);
    let changed = before.replaced(from, to);
    scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &changed))
}

/// So much of the cost may be saved or added, over so many calls.
fn may_move(effect: &BenchmarkEffect, calls: u64, cost: f64, of: impl Fn(&ChangeSensitivity) -> f64) {
    let share = cost / TOTAL as f64 * of(&PriceList::shipped().sensitivity);
    assert!((effect.high - share).abs() < 1e-9, "{effect:?} {share}");
    assert!((effect.low + share).abs() < 1e-9, "{effect:?} {share}");
    assert_eq!((effect.cost, effect.executions), (0.0, calls));
}

#[test]
fn a_constant_can_move_the_work_of_the_functions_that_name_it() {
    // It is named on the line of the signature.
    let score = after("usize = 16", "usize = 32");
    let effect = effect(&score, ChangeKind::Constant);
    may_move(effect, 4, 20_000.0, |sensitivity| {
        sensitivity.constant + sensitivity.value
    });
}

#[test]
fn a_macro_can_move_the_work_of_the_functions_that_use_it_and_their_closures() {
    let score = after("$x + $x", "$x + $x + $x");
    let effect = effect(&score, ChangeKind::Macro);
    // It may write something else now, so the calls of `doubled` count as well.
    may_move(effect, 10, 1.0, |sensitivity| {
        48_000.0 * sensitivity.r#macro + 100_000.0 * sensitivity.redefined
    });
}

#[test]
fn a_type_can_move_its_methods_and_what_they_spend_in_libraries() {
    let score = after("cells: Vec<u64>", "cells: Vec<u64>, more: u8");
    let effect = effect(&score, ChangeKind::Type);
    // 10,000 of its own and 60,000 in memchr; what it spends in `plain` is the project's.
    may_move(effect, 3, 70_000.0, |sensitivity| sensitivity.r#type);
}

#[test]
fn a_field_of_another_type_can_move_all_that_has_the_type() {
    for field in ["Vec<u32>", "Vec<[u64; 100]>", "more::Vec<u64>"] {
        let score = after("cells: Vec<u64>", &format!("cells: {field}"));
        let effect = effect(&score, ChangeKind::Type);
        may_move(effect, 3, 1.0, |sensitivity| {
            70_000.0 * sensitivity.r#type + 90_000.0 * sensitivity.redefined
        });
    }
    for attribute in ["#[repr(C)]", "#[repr(align(64))]"] {
        let score = after("pub struct Grid", &format!("{attribute}\npub struct Grid"));
        may_move(effect(&score, ChangeKind::Type), 3, 1.0, |sensitivity| {
            70_000.0 * sensitivity.r#type + 90_000.0 * sensitivity.redefined
        });
    }
    // The same type by another path.
    for field in ["std::vec::Vec<u64>", "::alloc::vec::Vec<u64>"] {
        let score = after("cells: Vec<u64>", &format!("cells: {field}"));
        may_move(effect(&score, ChangeKind::Type), 3, 70_000.0, |sensitivity| {
            sensitivity.r#type
        });
    }
}

#[test]
fn an_implementation_that_came_can_hardly_move_what_was_there() {
    let score = after(
        "pub fn plain",
        "impl Named for Grid { fn name(&self) {} }\npub fn plain",
    );
    let moved = score
        .changes
        .iter()
        .filter(|change| change.function.as_deref().is_some_and(|f| f.contains("Grid")))
        .find_map(|change| change.effects.first())
        .expect("the implementation can move something");
    may_move(moved, 3, 70_000.0, |sensitivity| sensitivity.implementation);
}

#[test]
fn a_drop_that_came_can_move_all_that_uses_the_type() {
    let score = after(
        "pub fn plain",
        "impl Drop for Grid { fn drop(&mut self) {} }\npub fn plain",
    );
    assert!(score.benchmarks[0].terms.touched[&ChangeClass::Redefined] >= 0.09);
}

#[test]
fn a_dependency_can_move_what_is_spent_in_its_package_alone() {
    let manifest = |version: &str| {
        format!("[package]\nname = \"k\"\nversion = \"0.1.0\"\n[dependencies]\nmemchr = \"{version}\"\n")
    };
    let before = library(SOURCE).with("Cargo.toml", &manifest("=1.0.0"));
    let changed = library(SOURCE).with("Cargo.toml", &manifest("=1.1.0"));
    let score = scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &changed));
    let effect = effect(&score, ChangeKind::Dependency);
    // The calls of the package from outside of it.
    may_move(effect, 70, 90_000.0, |sensitivity| sensitivity.dependency);
}

#[test]
fn a_file_that_cannot_be_analysed_can_move_half_of_what_is_spent_in_it() {
    let share = |score: &VersionScore| {
        assert!(!score.degraded.is_empty(), "{score:?}");
        let prediction = &score.benchmarks[0];
        assert!((prediction.high + prediction.low).abs() < 1e-9);
        prediction.high
    };
    let shipped = PriceList::shipped().sensitivity;
    // All functions and the closure, with what they spend in libraries.
    let known = after("Vec<u64> }", "Vec<u64> )");
    let exposed = (10_000 + 20_000 + 40_000 + 8_000 + 160_000 + 90_000) as f64 / TOTAL as f64;
    let ratio = share(&known) / (exposed * shipped.degraded);
    assert!((0.999..1.05).contains(&ratio), "{known:?}");
    let before = library(SOURCE);
    let unknown = scored(
        CostModel::Lito,
        &before,
        vec![profile(&before)],
        (&before, &library(SOURCE).with("src/other.rs", "fn broken( {")),
    );
    assert!(
        (share(&unknown) - PriceList::shipped().unknown_file * shipped.degraded).abs() < 1e-9,
        "{unknown:?}"
    );
}

#[test]
fn an_attribute_of_the_crate_and_a_build_setting_can_move_everything() {
    let score = after("const WIDTH", "#![no_builtins]\nconst WIDTH");
    let attribute = effect(&score, ChangeKind::Attribute);
    may_move(attribute, 1, TOTAL as f64, |sensitivity| sensitivity.file_attribute);
    let before = library(SOURCE);
    let set = |setting: &str| {
        let changed = before.replaced("[package]", &format!("{setting}\n[package]"));
        scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &changed))
    };
    let slower = set("[profile.release]\nopt-level = 1");
    may_move(
        effect(&slower, ChangeKind::BuildSetting),
        1,
        TOTAL as f64,
        |sensitivity| sensitivity.optimisation,
    );
    let costs = PriceList::shipped();
    let debuggable = set("[profile.release]\ndebug = true");
    may_move(effect(&debuggable, ChangeKind::BuildSetting), 1, TOTAL as f64, |_| {
        costs.build_setting("profile.release.debug")
    });
}

#[test]
fn changes_that_can_move_most_come_first_and_so_do_their_benchmarks() {
    let before = library(SOURCE);
    let changed = before
        .replaced("usize = 16", "usize = 32")
        .replaced("$x + $x", "$x + $x + $x");
    let rarely = ScoringTestProfile::new("a", 100 * TOTAL).function(
        "k::doubled",
        before.line_of("fn doubled"),
        1,
        (1_000, 1_000),
    );
    let score = scored(
        CostModel::Lito,
        &before,
        vec![rarely, profile(&before)],
        (&before, &changed),
    );
    let order: Vec<(ChangeKind, Vec<&str>)> = score
        .changes
        .iter()
        .map(|change| {
            let benchmarks = change.effects.iter().map(|e| e.benchmark.as_str());
            (change.kind, benchmarks.collect())
        })
        .collect();
    assert_eq!(
        order,
        [(ChangeKind::Macro, vec!["b", "a"]), (ChangeKind::Constant, vec!["b"])]
    );
}

#[test]
fn a_macro_can_move_the_functions_that_it_makes() {
    let made = "macro_rules! getter { ($n:ident) => {\n    fn $n(x: u64) -> u64 {\n        x + 1\n    }\n} }\ngetter!(first);\n";
    let before = library(made);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::first", before.line_of("fn $n"), 7, (300_000, 300_000))
        .function("k::second", before.line_of("getter!(first)"), 2, (100_000, 100_000));
    let changed = before.replaced("($n:ident)", "($n:ident $(,)?)");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
    let effect = effect(&score, ChangeKind::Macro);
    may_move(effect, 9, 400_000.0, |sensitivity| {
        sensitivity.r#macro + sensitivity.redefined
    });
}

#[test]
fn a_call_in_a_function_that_a_macro_writes_costs_what_the_callee_costs() {
    let made = "macro_rules! getter { ($n:ident) => {\n    fn $n(x: u64) -> u64 {\n        x + 1\n    }\n} }\n\
                impl Table { getter!(first); }\nfn work(x: u64) -> u64 { x }\n";
    let before = library(made);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::Table::first", before.line_of("fn $n"), 1_000, (300_000, 300_000))
        .function("k::work", before.line_of("fn work"), 10, (1_000, 1_000));
    let changed = before.replaced("x + 1", "work(x) + 1");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
    let effect = effect(&score, ChangeKind::CallAddition);
    assert_eq!((effect.executions, effect.unit_cost), (1_000, 100.0));
}

//! Functions that were renamed, moved or split since the sample: their profile is that of what they were.

use analyzer::cost::ChangeClass;
use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = start(xs.len() as u64);
    for x in xs {
        total += *x;
        total ^= mix(total, 5) >> 3;
        if total > 99 {
            total -= reduce(*x);
        }
    }
    finish(total)
}
fn cold(xs: &[u64]) -> u64 {
    let mut least = start(0);
    for x in xs {
        least = least.min(*x) + mix(1, 2);
    }
    least
}
";

fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::run", line("fn run("), 10, (800_000, 800_000))
        .line(line("total += *x;"), 1000)
        .line(line("total -= reduce"), 100)
}

/// Sampled at `SOURCE`; then `moved`; then one more operation in the loop.
fn after(moved: &ScoringTestFiles) -> BenchmarkPrediction {
    let sampled = library(SOURCE);
    let changed = moved.replaced("total += *x;", "total += *x * 3;");
    let recorded = vec![profile(&sampled)];
    let mut score = scored(CostModel::Lito, &sampled, recorded, (moved, &changed));
    assert_eq!(score.changes.len(), 1, "{score:?}");
    score.benchmarks.remove(0)
}

fn is_found(prediction: &BenchmarkPrediction) {
    let touched = &prediction.terms.touched;
    assert_eq!(touched.get(&ChangeClass::Unsampled), None, "{prediction:?}");
    assert!((touched[&ChangeClass::Rebuilt] - 0.8).abs() < 1e-9, "{prediction:?}");
    assert!(prediction.terms.expected > 0.0, "{prediction:?}");
}

#[test]
fn a_renamed_function_is_found_by_what_it_does() {
    let renamed = library(SOURCE).replaced("fn run(", "fn sum_of_all(");
    is_found(&after(&renamed));
    // With another body in part.
    is_found(&after(&renamed.replaced("finish(total)", "total")));
}

#[test]
fn a_function_that_moved_to_another_file_and_type_is_found() {
    let (function, rest) = SOURCE.split_at(SOURCE.find("fn cold").expect("it is there"));
    let function = function.replace("pub fn run(", "impl Sum {\n    pub fn run_all(&self, ");
    let moved = library(rest).with("src/sum.rs", &format!("pub struct Sum;\n{function}}}\n"));
    is_found(&after(&moved));
}

#[test]
fn the_part_that_does_the_work_of_a_split_function_is_found() {
    let split = SOURCE.replace(
        "pub fn run(xs: &[u64]) -> u64 {",
        "pub fn run(xs: &[u64]) -> u64 {\n    run_inner(xs)\n}\nfn run_inner(xs: &[u64]) -> u64 {",
    );
    is_found(&after(&library(&split)));
}

#[test]
fn a_copy_of_a_function_that_is_still_there_is_not_that_function() {
    let (function, _) = SOURCE.split_at(SOURCE.find("fn cold").expect("it is there"));
    let copy = function
        .replace("fn run(", "fn run_backwards(")
        .replace("total += *x;", "total += *x + 0;");
    let both = library(&format!("{SOURCE}{copy}"));
    let changed = both.replaced("total += *x + 0;", "total += *x + 1;");
    // Nothing that is executed mentions it, and nothing is gone whose place it could have taken.
    assert_eq!(touched_after(&both, &changed), None);
}

/// Sampled at `SOURCE`: what unsampled functions touch.
fn touched_after(later: &ScoringTestFiles, changed: &ScoringTestFiles) -> Option<f64> {
    let sampled = library(SOURCE);
    let recorded = vec![profile(&sampled)];
    let score = scored(CostModel::Lito, &sampled, recorded, (later, changed));
    let touched = &score.benchmarks[0].terms.touched;
    // Those that give another value put more at risk.
    let of_functions = [ChangeClass::Unsampled, ChangeClass::Value];
    assert!(touched.keys().all(|class| of_functions.contains(class)));
    touched.get(&ChangeClass::Unsampled).copied()
}

#[test]
fn a_new_function_touches_what_executed_ones_that_mention_it_can_have_given_to_it() {
    let mentioning = SOURCE.replace("total += *x;", "total += fast(*x);");
    let fast = "mod fast;\nuse fast::fast;\n";
    let later = library(&format!("{fast}{mentioning}")).with(
        "src/fast.rs",
        "pub fn fast(x: u64) -> u64 {\n    by_table!(deep, x)\n}\n\
         fn deep(x: u64) -> u64 {\n    x * 3\n}\n\
         fn idle(x: u64) -> u64 {\n    x / 3\n}\n",
    );
    // Through a macro, from a function that was not sampled either.
    let touched = touched_after(&later, &later.replaced("x * 3", "x * 3 + x / 7"));
    assert!((touched.unwrap_or(0.0) - 0.8).abs() < 1e-9, "{touched:?}");
    let idle = touched_after(&later, &later.replaced("x / 3", "x / 3 + x / 7"));
    assert_eq!(idle, None);
}

#[test]
fn a_new_function_has_nothing_of_what_the_function_that_mentions_it_still_calls() {
    let sampled = library(&SOURCE.replace("fn cold", "fn mix(x: u64, y: u64) {}\nfn cold"));
    let (run, mix) = (sampled.line_of("fn run("), sampled.line_of("fn mix("));
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", run, 10, (800_000, 100_000))
        .function("k::mix", mix, 1000, (700_000, 700_000))
        .site("k::run", sampled.line_of("total ^= mix"), "k::mix", (1000, 700_000));
    let later = sampled
        .replaced("total += *x;", "total += fast(*x);")
        .replaced("fn cold", "fn fast(x: u64) -> u64 { x * 3 }\nfn cold");
    let changed = later.replaced("x * 3", "x * 3 + x / 7");
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&later, &changed));
    let touched = score.benchmarks[0].terms.touched[&ChangeClass::Unsampled];
    assert!((touched - 0.1).abs() < 1e-9, "{touched}");
}

#[test]
fn a_loop_in_a_new_function_is_not_limited_by_what_its_caller_cost() {
    let sampled = library(SOURCE);
    let run = sampled.line_of("fn run(");
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", run, 10, (20_000, 20_000))
        .line(sampled.line_of("total += *x;"), 1000);
    let later = sampled
        .replaced("total += *x;", "total += fast(*x);")
        .replaced("fn cold", "fn fast(x: u64) -> u64 {\n    x * 3\n}\nfn cold");
    let looped = later.replaced(
        "    x * 3\n",
        "    let mut y = x;\n    for i in 0..1000 {\n        y ^= i;\n    }\n    y\n",
    );
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&later, &looped));
    let touched = &score.benchmarks[0].terms.touched;
    assert!(touched[&ChangeClass::Work] > 0.03, "{touched:?}");
    assert!(score.benchmarks[0].selected, "{score:?}");
}

#[test]
fn a_method_that_the_compiler_calls_runs_where_a_value_of_its_type_is_made() {
    let sampled = library(SOURCE);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", sampled.line_of("fn run("), 10, (20_000, 20_000))
        .line(sampled.line_of("total += *x;"), 1000);
    let held = "struct Held(u64);\nimpl Deref for Held {\n    fn deref(&self) -> &u64 {\n        spin(1);\n        &self.0\n    }\n}\n\
        fn spin(rounds: u64) {\n    for i in 0..rounds {\n        i * i;\n    }\n}\n";
    let later = sampled
        .replaced("total += *x;", "total += *Held(*x);")
        .replaced("fn cold", &format!("{held}fn cold"));
    let score = scored(
        CostModel::Lito,
        &sampled,
        vec![recorded],
        (&later, &later.replaced("spin(1)", "spin(1000)")),
    );
    assert!(score.benchmarks[0].selected, "{score:?}");
}

#[test]
fn functions_of_the_name_of_one_that_is_gone_have_its_cost() {
    let sampled = library(SOURCE);
    let later = library("pub mod sums;\n").with(
        "src/sums.rs",
        "pub fn run(xs: &[u64]) -> u64 {\n    each(xs)\n}\n\
         fn each(xs: &[u64]) -> u64 {\n    xs.len() as u64 * 2\n}\n",
    );
    let changed = later.replaced("as u64 * 2", "as u64 * 3 / 4");
    let score = scored(CostModel::Lito, &sampled, vec![profile(&sampled)], (&later, &changed));
    let touched = score.benchmarks[0].terms.touched[&ChangeClass::Unsampled];
    assert!((touched - 0.8).abs() < 1e-9, "{touched}");
}

#[test]
fn a_function_that_nothing_mentions_may_have_taken_over_a_little_of_what_is_gone() {
    let fresh = library("pub mod fresh;\n").with("src/fresh.rs", "pub fn f(x: u64) -> u64 {\n    g(x) + 1\n}\n");
    let changed = fresh.replaced("g(x) + 1", "g(x) + 2");
    let touched = touched_after(&fresh, &changed);
    let expected = analyzer::cost::PriceList::shipped().unknown_file;
    assert!((touched.unwrap_or(0.0) - expected).abs() < 1e-9, "{touched:?}");
}

#[test]
fn changes_in_a_new_function_are_priced_by_the_calls_of_it() {
    let later = library(SOURCE)
        .replaced("total += *x;", "total += fast(*x);")
        .replaced("fn cold", "fn fast(x: u64) -> u64 {\n    x * 3\n}\nfn cold");
    let sampled = library(SOURCE);
    let expected = |changed: &str| {
        let changed = later.replaced("x * 3", changed);
        let recorded = vec![profile(&sampled)];
        let score = scored(CostModel::Lito, &sampled, recorded, (&later, &changed));
        score.benchmarks[0].terms.expected
    };
    // Called 1,000 times, once each time the loop runs.
    let (dearer, much_dearer) = (expected("x * 3 + x"), expected("x * 3 + x * x * x * x"));
    assert!(
        0.001 < dearer && dearer < much_dearer && much_dearer < 0.1,
        "{dearer} {much_dearer}"
    );
    assert!(expected("x") < 0.0);
}

#[test]
fn of_several_definitions_the_one_at_the_same_place_is_meant() {
    let source = "#[cfg(a)]\npub fn work(x: u64) -> u64 {\n    x\n}\n#[cfg(not(a))]\npub fn work(x: u64) -> u64 {\n    x * 2\n}\n";
    let sampled = library(source);
    let recorded = || vec![ScoringTestProfile::new("b", TOTAL).function("k::work", 6, 1_000, (800_000, 800_000))];
    let before = sampled.replaced("    x * 2\n", "    let y = x + 1;\n    y * 2\n");
    let after = before.replaced("    y * 2\n", "    (0..y).map(slow).sum()\n");
    let score = scored(CostModel::Lito, &sampled, recorded(), (&before, &after));
    assert!(score.benchmarks[0].selected, "{score:?}");
    // The other definition changes, and is not compiled.
    let before = sampled.replaced("    x\n", "    let y = x + 1;\n    y\n");
    let after = before.replaced("    y\n", "    (0..y).map(slow).sum()\n");
    let score = scored(CostModel::Lito, &sampled, recorded(), (&before, &after));
    assert!(!score.benchmarks[0].selected, "{score:?}");
    // With another number of definitions, one that is executed is meant.
    let before = library(&format!(
        "#[cfg(b)]\npub fn work(x: u64) -> u64 {{\n    y\n}}\n{source}"
    ));
    let before = before.replaced("    x * 2\n", "    let y = x + 1;\n    y * 2\n");
    let after = before.replaced("    y * 2\n", "    (0..y).map(slow).sum()\n");
    let score = scored(CostModel::Lito, &sampled, recorded(), (&before, &after));
    assert!(score.benchmarks[0].selected, "{score:?}");
}

/// A crate or package of the modules `a`, `b`, `c` and `d`. `run` moves from `a` to `b`, and is all that executes. True if that is run.
fn is_move_run(ending: &str, function: &str, (from, left): (&str, &str), (to, gets): (&str, &str)) -> bool {
    let (base, folder) = match ending {
        "rs" => (library("pub mod a;\npub mod b;\npub mod c;\npub mod d;\n"), "src"),
        _ => (
            ScoringTestFiles::default().with("k/__init__.py", "from . import a, b\n"),
            "k",
        ),
    };
    let step = |by: &str| match ending {
        "rs" => format!("pub fn step(x: u64) -> u64 {{\n    x * {by}\n}}\npub const LIMIT: u64 = {by};\n"),
        _ => format!("def step(x):\n    return x * {by}\nLIMIT = {by}\n"),
    };
    let file = |module: &str| format!("{folder}/{module}.{ending}");
    let base = base.with(&file("c"), &step("1")).with(&file("d"), &step("2"));
    let before = base
        .clone()
        .with(&file("a"), &format!("{from}{function}"))
        .with(&file("b"), to);
    let after = base
        .with(&file("a"), left)
        .with(&file("b"), &format!("{gets}{function}"));
    let name = if ending == "rs" { "k::a::run" } else { "k.a.run" };
    let first = from.lines().count() as u32 + 1;
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function(name, first, 10, (900_000, 900_000))
        .in_file(&file("a"));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

const MOVED: &str = "pub fn run(xs: &[u64]) -> u64 {\n    let mut total = 0;\n    for x in xs {\n        total += step(*x) * LIMIT;\n    }\n    \
                     total\n}\n";

#[test]
fn a_function_that_moves_to_a_module_in_which_its_names_mean_something_else_is_run() {
    let own =
        |step: &str, limit: u32| format!("const LIMIT: u64 = {limit};\nfn step(x: u64) -> u64 {{\n    {step}\n}}\n");
    let import = |module: &str| format!("use crate::{module}::{{LIMIT, step}};\n");
    let is_run = |from: &str, to: &str| is_move_run("rs", MOVED, (from, from), (to, to));
    assert!(is_run(&own("x", 3), &own("x", 300)));
    assert!(is_run(&own("x", 3), &own("slow(x)", 3)));
    assert!(is_run(&import("c"), &import("d")));
    assert!(is_run("use crate::c::*;\n", "use crate::d::*;\n"));
    assert!(is_run(&import("c"), "use crate::c::LIMIT;\nuse crate::d::step;\n"));

    // Neither a pattern, nor a cast, nor a field binds what has its name.
    for body in [
        "match x { LIMIT => 1, _ => 2 }",
        "x | LIMIT",
        "x as Count as u64",
        "x | step(x)",
        "Sum { step: step(x) }.step",
    ] {
        let of = |by: u64| {
            format!(
                "const LIMIT: u64 = {by};\ntype Count = [u64; {by}];\nfn step(x: u64) -> u64 {{\n    x + {by}\n}}\n"
            )
        };
        let function = format!("pub fn run(x: u64) -> u64 {{\n    {body}\n}}\n");
        assert!(
            is_move_run("rs", &function, (&of(3), &of(3)), (&of(300), &of(300))),
            "{body}"
        );
    }

    let python = "def run(xs):\n    total = 0\n    for x in xs:\n        total += step(x) * LIMIT\n    return total\n";
    let own = |step: &str, limit: u32| format!("LIMIT = {limit}\ndef step(x):\n    return {step}\n");
    let import = |module: &str| format!("from .{module} import LIMIT, step\n");
    let is_run = |from: &str, to: &str| is_move_run("py", python, (from, from), (to, to));
    assert!(is_run(&own("x", 3), &own("x", 300)));
    assert!(is_run(&own("x", 3), &own("slow(x)", 3)));
    assert!(is_run(&import("c"), &import("d")));
}

#[test]
fn a_function_that_moves_and_keeps_the_meaning_of_its_names_is_no_change() {
    let own = "pub const LIMIT: u64 = 3;\npub fn step(x: u64) -> u64 {\n    x\n}\n";
    let imported = "use crate::c::{LIMIT, step};\n";
    for ((from, left), (to, gets)) in [
        // Imported in both, in one of them by another way, from where they stayed, and moved along.
        ((imported, ""), ("", imported)),
        ((imported, ""), ("", "use crate::c::*;\n")),
        ((own, own), ("", "use super::a::{LIMIT, step};\n")),
        ((own, own), ("", "use super::a::*;\n")),
        ((own, ""), ("", own)),
    ] {
        assert!(!is_move_run("rs", MOVED, (from, left), (to, gets)), "{from} → {gets}");
    }
    let with_types = "pub fn run(of: &[u64]) -> HashMap<u64, Vec<u64>> {\n    let mut counts = HashMap::new();\n    of.iter().map(|step| \
                      counts.insert(*step, vec![]));\n    assert!(of.len() < 9);\n    Option::Some(counts).unwrap()\n}\n";
    let map = "use std::collections::HashMap;\n";
    let others = "use std::collections::HashMap;\nuse std::fmt;\npub fn other() {}\n";
    assert!(!is_move_run("rs", with_types, (map, ""), (others, others)));
    // Its own names, and those that it binds.
    let with_locals = "pub fn run(xs: &[u64], step: u64) -> u64 {\n    let mut limit = 0;\n    for other in xs {\n        limit += other * \
                       step;\n    }\n    xs.iter().map(|one| one + limit).sum()\n}\n";
    let named = "pub fn step() {}\npub mod limit {}\npub fn other() {}\npub fn one() {}\npub fn iter() {}\n";
    assert!(!is_move_run("rs", with_locals, ("", ""), (named, named)));

    let python = "def run(xs):\n    return [step(x) * LIMIT for x in sorted(xs)]\n";
    let own = "LIMIT = 3\ndef step(x):\n    return x\n";
    for (from, gets) in [
        ("from .c import LIMIT, step\n", "from .c import LIMIT, step\n"),
        (own, own),
    ] {
        assert!(!is_move_run("py", python, (from, ""), ("", gets)), "{from} → {gets}");
    }
}

#[test]
fn a_file_that_came_since_the_sample_may_hold_all_that_executes() {
    let own = |limit: u32| format!("const LIMIT: u64 = {limit};\nfn step(x: u64) -> u64 {{\n    x\n}}\n");
    let sampled = library("pub mod x;\n").with("src/x.rs", &format!("{}{MOVED}", own(3)));
    let base = library("pub mod a;\npub mod b;\n");
    let before = base
        .clone()
        .with("src/a.rs", &format!("{}{MOVED}", own(3)))
        .with("src/b.rs", &own(300));
    let recorded = || {
        ScoringTestProfile::new("b", TOTAL)
            .function("k::x::run", 5, 10, (900_000, 900_000))
            .in_file("src/x.rs")
    };
    let moved = base
        .with("src/a.rs", &own(3))
        .with("src/b.rs", &format!("{}{MOVED}", own(300)));
    let broken = before.replaced("let mut total = 0;", "let mut total = 0 0;");
    for after in [&moved, &broken] {
        let score = scored(CostModel::Lito, &sampled, vec![recorded()], (&before, after));
        assert!(score.benchmarks[0].selected, "{score:?}");
    }
}

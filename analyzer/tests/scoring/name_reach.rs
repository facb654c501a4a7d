//! Names whose value or meaning changes: which executed functions they reach.

use analyzer::cost::ChangeClass;
use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

/// `work` is executed, and all that a benchmark does.
fn work(body: &str) -> String {
    format!("pub fn work(x: u64) -> u64 {{\n    {body}\n}}\n")
}

/// The share of the benchmark that a class touches, where the sample was taken at `sampled`.
fn touched(
    sampled: &ScoringTestFiles,
    (before, after): (&ScoringTestFiles, &ScoringTestFiles),
    of: ChangeClass,
) -> f64 {
    let recorded =
        ScoringTestProfile::new("b", TOTAL).function("k::work", sampled.line_of("fn work"), 1_000, (800_000, 800_000));
    let score = scored(CostModel::Lito, sampled, vec![recorded], (before, after));
    score.benchmarks[0].terms.touched.get(&of).copied().unwrap_or(0.0)
}

#[test]
fn a_constant_reaches_through_constants_of_files_in_which_nothing_is_executed() {
    let before = library(&format!("mod size;\n{}", work("x * size::ALL")))
        .with("src/size.rs", "mod parts;\npub const ALL: u64 = 2 * parts::HALF;\n")
        .with(
            "src/size/parts.rs",
            "pub const HALF: u64 = 8;\npub const OTHER: u64 = 8;\n",
        );
    let smaller = before.replaced("HALF: u64 = 8", "HALF: u64 = 7");
    assert_eq!(touched(&before, (&before, &smaller), ChangeClass::Value), 0.8);
    let other = before.replaced("OTHER: u64 = 8", "OTHER: u64 = 7");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Value), 0.0);
}

#[test]
fn a_constant_reaches_through_any_number_of_constants() {
    let chain: String = (1..10)
        .map(|n| format!("const C{n}: u64 = C{} + 1;\n", n - 1))
        .collect();
    let before = library(&format!("const C0: u64 = 8;\n{chain}{}", work("x * C9")));
    let smaller = before.replaced("C0: u64 = 8", "C0: u64 = 7");
    assert_eq!(touched(&before, (&before, &smaller), ChangeClass::Value), 0.8);
}

#[test]
fn a_constant_reaches_functions_that_began_to_mention_it_after_the_sample() {
    let sampled = library(&format!("pub const STEPS: u64 = 8;\n{}", work("x * 8")));
    let before = sampled.replaced("x * 8", "x * STEPS");
    let smaller = before.replaced("STEPS: u64 = 8", "STEPS: u64 = 7");
    assert_eq!(touched(&sampled, (&before, &smaller), ChangeClass::Value), 0.8);
}

#[test]
fn a_value_that_a_macro_is_given_reaches_what_the_macro_writes() {
    let before = library(
        "pub const STEPS: u64 = 8;\n\
         macro_rules! worker {\n    ($n:expr) => {\n        pub fn work(x: u64) -> u64 {\n            x * $n\n        }\n    };\n}\n\
         worker!(STEPS);\n",
    );
    let smaller = before.replaced("STEPS: u64 = 8", "STEPS: u64 = 7");
    assert_eq!(touched(&before, (&before, &smaller), ChangeClass::Value), 0.8);
}

#[test]
fn an_import_under_another_name_carries_on() {
    let before = library(&format!("mod size;\nuse size::ALL as TIMES;\n{}", work("x * TIMES")))
        .with("src/size.rs", "pub const ALL: u64 = 8;\n");
    let smaller = before.replaced("ALL: u64 = 8", "ALL: u64 = 7");
    assert_eq!(touched(&before, (&before, &smaller), ChangeClass::Value), 0.8);
}

/// A library beside its package of procedural macros.
fn with_macros(library_source: &str) -> ScoringTestFiles {
    library(library_source)
        .with(
            "macros/Cargo.toml",
            "[package]\nname = \"macros\"\nversion = \"0.1.0\"\n[lib]\nproc-macro = true\n",
        )
        .with(
            "macros/src/lib.rs",
            "#[proc_macro]\npub fn rounds(_: TokenStream) -> TokenStream {\n    literal(\"100\")\n}\n\
             #[proc_macro_derive(Record)]\npub fn derive_record(input: TokenStream) -> TokenStream {\n    \
             record(input)\n}\nfn literal(text: &str) -> TokenStream {\n    text.parse().unwrap()\n}\n",
        )
}

#[test]
fn the_code_of_a_procedural_macro_reaches_whoever_names_the_macro() {
    let before = with_macros(&work("x * macros::rounds!()"));
    let other = before.replaced("literal(\"100\")", "literal(\"10000\")");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.8);
    let helper = before.replaced("text.parse()", "twice(text).parse()");
    assert_eq!(touched(&before, (&before, &helper), ChangeClass::Redefined), 0.8);
    let comment = before.replaced("fn literal", "// A number.\nfn literal");
    assert_eq!(touched(&before, (&before, &comment), ChangeClass::Redefined), 0.0);
}

#[test]
fn a_derived_type_hands_the_macro_on_to_who_uses_it() {
    let before = with_macros(&format!(
        "#[derive(\n    Record,\n)]\nstruct Row;\n{}",
        work("Row.cells() * x")
    ));
    let other = before.replaced("record(input)", "slow_record(input)");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.8);
    let unused = with_macros(&format!("#[derive(Clone)]\nstruct Row;\n{}", work("x")));
    let other = unused.replaced("record(input)", "slow_record(input)");
    assert_eq!(touched(&unused, (&unused, &other), ChangeClass::Redefined), 0.0);
}

#[test]
fn an_invocation_that_came_reaches_the_types_that_it_may_give_methods_to() {
    let row = "pub struct Row;\nmod faster;\n";
    let before = library(&format!("{row}{}", work("Row.cells() * x"))).with("src/faster.rs", "");
    let inside = before
        .clone()
        .with("src/faster.rs", "use crate::Row;\nimpl Row {\n    faster!();\n}\n");
    assert_eq!(touched(&before, (&before, &inside), ChangeClass::Redefined), 0.8);
    let given = before.clone().with("src/faster.rs", "faster!(crate::Row);\n");
    assert_eq!(touched(&before, (&before, &given), ChangeClass::Redefined), 0.8);
    let other = before.clone().with("src/faster.rs", "faster!(crate::Column);\n");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.0);
}

#[test]
fn a_module_that_is_compiled_from_another_file_is_another_module() {
    let before = library(&format!("#[path = \"one.rs\"]\nmod part;\n{}", work("part::run(x)")))
        .with("src/one.rs", "pub fn run(x: u64) -> u64 {\n    x\n}\n")
        .with("src/two.rs", "pub fn run(x: u64) -> u64 {\n    x * x\n}\n");
    let other = before.replaced("one.rs", "two.rs");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.8);
}

#[test]
fn an_import_is_its_files_own_unless_it_hands_the_name_on() {
    let text = "mod other;\nuse std::collections::HashMap as Map;\n";
    let before = library(&format!("{text}{}", work("Map::size(x)"))).with(
        "src/other.rs",
        "use std::collections::HashMap as Map;\nfn idle() -> Map {\n    Map::new()\n}\n",
    );
    let own = before.replaced(
        "mod other;\nuse std::collections::HashMap",
        "mod other;\nuse std::collections::BTreeMap",
    );
    assert_eq!(touched(&before, (&before, &own), ChangeClass::Redefined), 0.8);
    let of_the_other = before.clone().with(
        "src/other.rs",
        "use std::collections::BTreeMap as Map;\nfn idle() -> Map {\n    Map::new()\n}\n",
    );
    assert_eq!(touched(&before, (&before, &of_the_other), ChangeClass::Redefined), 0.0);
}

#[test]
fn an_import_by_another_path_to_the_same_definition_is_no_other_one() {
    let libraries = "pub use std::collections;\nextern crate alloc as heap;\nmod row;\npub use row::Row;\n";
    let before = library(&format!(
        "{libraries}use std::collections::BTreeMap as Map;\nuse crate::row::Row as Cells;\n{}",
        work("Map::size(x) + Cells::size(x)")
    ))
    .with("src/row.rs", "pub struct Row;\n");
    let redefined =
        |from: &str, to: &str| touched(&before, (&before, &before.replaced(from, to)), ChangeClass::Redefined);
    let map = "use std::collections::BTreeMap as Map";
    assert_eq!(redefined(map, "use crate::collections::BTreeMap as Map"), 0.0);
    assert_eq!(redefined(map, "use heap::collections::btree_map::BTreeMap as Map"), 0.0);
    assert_eq!(redefined(map, "use crate::collections::HashMap as Map"), 0.8);
    let row = "use crate::row::Row as Cells";
    assert_eq!(redefined(row, "use crate::Row as Cells"), 0.0);
    assert_eq!(redefined(row, "use crate::collections::Row as Cells"), 0.8);
}

#[test]
fn an_import_inside_a_function_means_that_function_only() {
    let before = library(&format!(
        "mod part;\nfn idle() -> u64 {{\n    1\n}}\n{}",
        work("STEPS * x")
    ))
    .replaced("mod part;", "mod part;\nuse part::STEPS;")
    .with("src/part.rs", "pub const STEPS: u64 = 1;\n");
    let import = "use crate::part::other::STEPS;";
    let inside = before.replaced("    1\n", &format!("    {import}\n    STEPS\n"));
    assert_eq!(touched(&before, (&before, &inside), ChangeClass::Redefined), 0.0);
    let in_the_file = before.replaced("use part::STEPS;", import);
    assert_eq!(touched(&before, (&before, &in_the_file), ChangeClass::Redefined), 0.8);
}

#[test]
fn a_crate_that_is_no_longer_announced_is_the_same_crate() {
    let before = library(&format!("extern crate fast;\n{}", work("fast::run(x)")));
    let after = before.replaced("extern crate fast;\n", "");
    assert_eq!(touched(&before, (&before, &after), ChangeClass::Redefined), 0.0);
    let other = before.replaced("extern crate fast;", "extern crate slow as fast;");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.8);
}

#[test]
fn a_method_of_a_type_that_nothing_executed_has_reaches_nothing() {
    let source = "struct Row;\nstruct Idle;\ntrait Cells {\n    fn cells(&self) -> u64 {\n        1\n    }\n}\n\
        impl Cells for Row {}\nimpl Cells for Idle {}\nfn idle() -> Idle {\n    Idle\n}\n";
    let before = library(&format!("{source}{}", work("Row.cells() * x")));
    let overridden = |owner: &str| {
        let own = "fn cells(&self) -> u64 {\n        2\n    }";
        let after = before.replaced(
            &format!("impl Cells for {owner} {{}}"),
            &format!("impl Cells for {owner} {{\n    {own}\n}}"),
        );
        touched(&before, (&before, &after), ChangeClass::Redefined)
    };
    assert_eq!(overridden("Row"), 0.8);
    assert_eq!(overridden("Idle"), 0.0);
}

#[test]
fn what_stands_among_examples_reaches_no_benchmark() {
    let before = library(&format!("pub struct Row;\n{}", work("Row.cells() * x"))).with(
        "examples/show.rs",
        "type Row = Vec<u8>;\nfn main() {\n    Row::new();\n}\n",
    );
    let other = before.replaced("type Row = Vec<u8>", "type Row = Vec<u64>");
    assert_eq!(touched(&before, (&before, &other), ChangeClass::Redefined), 0.0);
}

#[test]
fn a_case_with_another_number_reaches_and_one_that_came_does_not() {
    let source = "pub enum Level {\n    Low = 100,\n}\n";
    let before = library(&format!("{source}{}", work("x * Level::Low as u64")));
    let lower = before.replaced("Low = 100", "Low = 90");
    assert_eq!(touched(&before, (&before, &lower), ChangeClass::Value), 0.8);
    let more = before.replaced("Low = 100,", "Low = 100,\n    High = 200,");
    assert_eq!(touched(&before, (&before, &more), ChangeClass::Value), 0.0);
}

#[test]
fn a_case_carries_its_enumeration_where_it_is_imported() {
    let reached = |import: &str, written: &str| {
        let source = "mod level {\n    pub enum Level {\n        Low = 100,\n    }\n}\n";
        let before = library(&format!("{source}{import}\n{}", work(&format!("x * {written} as u64"))));
        let lower = before.replaced("Low = 100", "Low = 90");
        touched(&before, (&before, &lower), ChangeClass::Value)
    };
    assert_eq!(reached("use level::Level;", "Level::Low"), 0.8);
    assert_eq!(reached("use level::Level::*;", "Low"), 0.8);
    assert_eq!(reached("use level::Level::Low;", "Low"), 0.8);
    assert_eq!(reached("use level::Level::Low as Least;", "Least"), 0.8);
    assert_eq!(reached("use level::Other::Low;", "Low"), 0.0);
}

#[test]
fn a_build_script_reaches_what_it_sets_and_what_it_writes() {
    let reached = |script: &str, source: &str| {
        let before = library(source).with("build.rs", &script.replace("ROUNDS", "100"));
        let after = before.clone().with("build.rs", &script.replace("ROUNDS", "90"));
        touched(&before, (&before, &after), ChangeClass::Value)
    };
    let script = |body: &str| format!("fn main() {{\n    let n = ROUNDS;\n    {body}\n}}\n");
    let written = script("write(env(\"OUT_DIR\"), n);");
    let include = "mod table {\n    include!(concat!(env!(\"OUT_DIR\"), \"/table.rs\"));\n}\n";
    assert_eq!(reached(&written, &format!("{include}{}", work("table::run(x)"))), 1.0);
    assert_eq!(reached(&written, &work("x")), 0.0);
    let variable = script("println!(\"cargo:rustc-env=LIMIT={n}\");");
    assert_eq!(reached(&variable, &work("limit(env!(\"LIMIT\"), x)")), 0.8);
    for condition in [
        "if n > ROUNDS {\n        println!(\"cargo:rustc-cfg=fast\");\n    }",
        "set(\"fast\");\n    println!(\"cargo:rustc-cfg={}\", n);",
    ] {
        let condition = script(condition);
        let source = format!("#[cfg(fast)]\nmod quick;\n{}", work("x"));
        assert_eq!(reached(&condition, &source), 1.0, "{condition}");
        assert_eq!(reached(&condition, &format!("// fast\n{}", work("x"))), 0.0);
    }
    let as_before = script("println!(\"cargo:rustc-cfg=fast\");");
    assert_eq!(
        reached(&as_before, &format!("#[cfg(fast)]\nmod quick;\n{}", work("x"))),
        0.0
    );
}

#[test]
fn a_value_that_the_compiler_puts_in_is_one_that_the_function_works_with() {
    let before = library(&work("x * option_env!(\"ROUNDS\").map_or(1, |text| text.len() as u64)"));
    let other = before.replaced("ROUNDS", "STEPS");
    assert!(touched(&before, (&before, &other), ChangeClass::Value) >= 0.8);
}

#[test]
fn a_module_below_takes_an_import_over_by_a_path_from_the_crate() {
    let before =
        library("mod part;\nuse std::collections::HashMap as Map;\n").with("src/part.rs", &work("crate::Map::size(x)"));
    let other = before.replaced("HashMap", "BTreeMap");
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::part::work", 1, 1_000, (800_000, 800_000))
        .in_file("src/part.rs");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &other));
    assert_eq!(
        score.benchmarks[0].terms.touched.get(&ChangeClass::Redefined),
        Some(&0.8)
    );
}

/// The score of a change where the executed code is that of a benchmark's program.
fn of_a_program(before: &ScoringTestFiles, after: &ScoringTestFiles) -> Option<f64> {
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("speed::run", 3, 1_000, (800_000, 800_000))
        .in_file("benches/speed.rs");
    let score = scored(CostModel::Lito, before, vec![recorded], (before, after));
    score.benchmarks[0].terms.touched.get(&ChangeClass::Value).copied()
}

#[test]
fn what_a_benchmark_takes_from_folders_beside_it_reaches_it() {
    let before = library("")
        .with(
            "benches/speed.rs",
            "#[path = \"sizes/all.rs\"]\nmod all;\npub fn run(x: u64) -> u64 {\n    x * all::ROUNDS * support::TIMES\n}\n",
        )
        .with("benches/sizes/all.rs", "pub const ROUNDS: u64 = 8;\n")
        .with("benches/support/src/lib.rs", "pub const TIMES: u64 = 8;\n")
        .with("examples/show.rs", "pub const ROUNDS: u64 = 8;\n");
    for path in ["benches/sizes/all.rs", "benches/support/src/lib.rs"] {
        let smaller = before.content(path).replace("= 8", "= 7");
        assert_eq!(
            of_a_program(&before, &before.clone().with(path, &smaller)),
            Some(0.8),
            "{path}"
        );
    }
    let other = before.clone().with("examples/show.rs", "pub const ROUNDS: u64 = 7;\n");
    assert_eq!(of_a_program(&before, &other), None);
}

#[test]
fn a_condition_that_comes_into_a_small_function_gives_its_callers_another_value() {
    let source = format!("const fn rounds() -> u64 {{\n    100\n}}\n{}", work("x * rounds()"));
    let before = library(&source);
    let other = before.replaced("    100\n", "    if cfg!(windows) { 100 } else { 1000 }\n");
    assert!(touched(&before, (&before, &other), ChangeClass::Value) >= 0.8);
}

#[test]
fn a_method_shadows_that_of_a_trait_that_is_newer_than_the_sample() {
    let sampled = library(&work("x"));
    let source =
        "struct Row;\ntrait Cells {\n    fn cells(&self) -> u64 {\n        1\n    }\n}\nimpl Cells for Row {}\n";
    let before = library(&format!("{source}{}", work("x * Row.cells()")));
    let after = before.replaced(
        "struct Row;\n",
        "struct Row;\nimpl Row {\n    fn cells(&self) -> u64 {\n        2\n    }\n}\n",
    );
    assert_eq!(touched(&sampled, (&before, &after), ChangeClass::Redefined), 0.8);
}

#[test]
fn a_method_shadows_that_of_a_trait_which_a_type_implements_by_hand() {
    let files = library(
        "pub struct Row(u64);\nimpl PartialOrd for Row {\n    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {\n        \
         Some(self.cmp(other))\n    }\n}\nimpl Ord for Row {\n    fn cmp(&self, other: &Self) -> Ordering {\n        \
         self.0.cmp(&other.0)\n    }\n}\n",
    );
    let (compares, implements) = (files.line_of("fn partial_cmp"), files.line_of("fn cmp"));
    let recorded = || {
        ScoringTestProfile::new("b", TOTAL)
            .function("k::Row::partial_cmp", compares, 1_000, (800_000, 200_000))
            .function("k::Row::cmp", implements, 1_000, (600_000, 600_000))
            .site("k::Row::partial_cmp", compares + 1, "k::Row::cmp", (1_000, 600_000))
    };
    let after = files.clone().with(
        "src/shadow.rs",
        "use super::Row;\nimpl Row {\n    pub fn cmp(&self, other: &Self) -> Ordering {\n        slow(Ord::cmp(self, other))\n    \
         }\n}\n",
    );
    let after = after.replaced("pub struct Row(u64);\n", "mod shadow;\npub struct Row(u64);\n");
    let inside = files.replaced(
        "impl Ord for Row {",
        "impl Row {\n    pub fn cmp(&self, other: &Self) -> Ordering {\n        slow(Ord::cmp(self, other))\n    }\n}\nimpl Ord \
         for Row {",
    );
    for after in [after, inside] {
        let score = scored(CostModel::Lito, &files, vec![recorded()], (&files, &after));
        let touched = &score.benchmarks[0].terms.touched;
        assert_eq!(touched.get(&ChangeClass::Redefined), Some(&0.8), "{score:?}");
    }
}

#[test]
fn a_derive_written_by_hand_for_a_type_that_is_newer_than_the_sample_reaches_its_users() {
    let sampled = library(&format!(
        "fn other(x: &Cell) -> Cell {{\n    x.clone()\n}}\n{}",
        work("x")
    ));
    let derived = "#[derive(Clone)]\nstruct Row(u64);\n";
    let by_hand = "struct Row(u64);\nimpl Clone for Row {\n    fn clone(&self) -> Self {\n        let mut sum = 0;\n        for \
                   round in 0..16 {\n            sum ^= round;\n        }\n        Row(self.0 ^ sum)\n    }\n}\n";
    let rest = sampled
        .content("src/lib.rs")
        .replace("    x\n", "    Row(x).clone().0\n");
    let before = library(&format!("{derived}{rest}"));
    let after = library(&format!("{by_hand}{rest}"));
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::work", sampled.line_of("fn work"), 1_000, (800_000, 800_000))
        .function("k::other", sampled.line_of("fn other"), 1, (100, 50))
        .function("Cell::clone", 1, 1, (50, 50));
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&before, &after));
    let touched = &score.benchmarks[0].terms.touched;
    assert_eq!(touched.get(&ChangeClass::Redefined), Some(&0.8), "{score:?}");
    let priced = score.benchmarks[0].predicted * TOTAL as f64;
    assert!(priced > 16.0 * 1_000.0, "16 rounds in each of 1,000 calls: {priced}");
}

/// The share that a class touches where a function of 1% of the benchmark is all that a change reaches.
fn touched_of_a_cold_function(source: &str, other: (&str, &str), class: ChangeClass) -> f64 {
    let before = library(source);
    let recorded = ScoringTestProfile::new("b", TOTAL).function(
        "k::work",
        before.line_of("fn work"),
        10,
        (TOTAL / 100, TOTAL / 100),
    );
    let after = before.replaced(other.0, other.1);
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    *score.benchmarks[0].terms.touched.get(&class).unwrap_or(&0.0)
}

#[test]
fn a_value_that_grows_may_make_cold_code_cost_as_many_times_more() {
    let constant = format!("const ROUNDS: u64 = 2;\n{}", work("(0..ROUNDS).map(|i| i ^ x).sum()"));
    for (was, is, expected) in [
        ("= 2;", "= 3;", 0.015),
        ("= 2;", "= 60;", 0.3),
        ("= 2;", "= 5_000;", 1.0),
    ] {
        let touched = touched_of_a_cold_function(&constant, (was, is), ChangeClass::Value);
        assert!((touched - expected).abs() < 1e-9, "{is}: {touched}");
    }
    let array = format!(
        "static TABLE: [u64; 4] = [0; 4];\n{}",
        work("TABLE.iter().map(|i| i ^ x).sum()")
    );
    let touched = touched_of_a_cold_function(&array, ("; 4", "; 400"), ChangeClass::Value);
    assert_eq!(touched, 1.0);
    let rounds = format!(
        "const fn rounds() -> u64 {{\n    2\n}}\n{}",
        work("(0..rounds()).map(|i| i ^ x).sum()")
    );
    let touched = touched_of_a_cold_function(&rounds, ("    2\n", "    90\n"), ChangeClass::Value);
    assert!((touched - 0.45).abs() < 1e-9, "{touched}");
}

#[test]
fn a_method_that_takes_the_place_of_a_traits_is_priced_by_its_source() {
    let files = library(
        "pub struct Row(u64);\nimpl PartialOrd for Row {\n    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {\n        \
         Some(self.cmp(other))\n    }\n}\nimpl Ord for Row {\n    fn cmp(&self, other: &Self) -> Ordering {\n        \
         self.0.cmp(&other.0)\n    }\n}\n",
    );
    let (compares, implements) = (files.line_of("fn partial_cmp"), files.line_of("fn cmp"));
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::Row::partial_cmp", compares, 1_000, (10_000, 2_000))
        .function("k::Row::cmp", implements, 1_000, (8_000, 8_000))
        .site("k::Row::partial_cmp", compares + 1, "k::Row::cmp", (1_000, 8_000));
    let after = files.replaced(
        "impl Ord for Row {",
        "impl Row {\n    pub fn cmp(&self, other: &Self) -> Ordering {\n        let mut all = 0;\n        for round in 0..200 {\n            \
         all ^= round * self.0;\n        }\n        Ord::cmp(self, other)\n    }\n}\nimpl Ord for Row {",
    );
    let score = scored(CostModel::Lito, &files, vec![recorded], (&files, &after));
    let benchmark = &score.benchmarks[0];
    assert!(benchmark.predicted > 0.2 && benchmark.selected, "{benchmark:?}");
}

#[test]
fn a_function_that_its_file_has_for_itself_reaches_none_of_the_same_name_elsewhere() {
    let is_run = |scope: &str, including: &str| {
        let unused = format!(
            "{scope} int depth(int n) {{\n    return n < 40 ? n : 40;\n}}\n{scope} int render(int n) {{\n    return depth(n);\n}}\nint xml(int n) {{\n    return render(n);\n}}\n"
        );
        let executed = format!(
            "{including}{scope} int render(int n) {{\n    return n * n;\n}}\nint html(int n) {{\n    return render(n);\n}}\n"
        );
        let before = ScoringTestFiles::default()
            .with("xml.c", &unused)
            .with("html.c", &executed);
        let after = before.replaced("n < 40", "n < 41");
        let line = |text: &str| {
            let at = executed
                .lines()
                .position(|line| line.contains(text))
                .expect("a line holds it");
            u32::try_from(at + 1).expect("a short file")
        };
        let recorded = ScoringTestProfile::new("b", TOTAL)
            .function("html", line("int html"), 1, (TOTAL, 1_000))
            .in_file("html.c")
            .function("render", line("int render"), 1_000, (999_000, 999_000))
            .in_file("html.c")
            .site("html", line("return render"), "render", (1_000, 999_000));
        let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
        score.benchmarks[0].selected
    };
    assert!(is_run("", ""));
    assert!(is_run("static", "#include \"xml.c\"\n"));
    assert!(!is_run("static", ""));
}

#[test]
fn the_start_of_another_program_hands_nothing_on() {
    let is_run = |start: &str| {
        let tool = format!(
            "int depth(int n) {{\n    return n < 40 ? n : 40;\n}}\nint {start}(void) {{\n    return depth(3);\n}}\n"
        );
        let bench = format!("int {start}(void) {{\n    return 9;\n}}\n");
        let before = ScoringTestFiles::default()
            .with("tool.c", &tool)
            .with("bench.c", &bench);
        [
            ("n < 40", "n < 41"),
            (
                "return depth(3)",
                "for (int i = 0; i < 9; i++)\n        if (depth(i) > 5)\n            return 1;\n    return 2",
            ),
        ]
        .map(|(was, is)| {
            let after = before.replaced(was, is);
            let recorded = ScoringTestProfile::new("b", TOTAL)
                .function(start, 1, 1, (TOTAL, TOTAL))
                .in_file("bench.c");
            let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
            score.benchmarks[0].selected
        })
    };
    assert_eq!(is_run("start"), [true, true]);
    assert_eq!(is_run("main"), [false, false]);
}

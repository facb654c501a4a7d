//! Code that stays as it is while a name in it leads to another definition: it is run.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

/// The function that is executed, in the file of `user`.
const RUN: &str = "pub fn run(xs: &[u64]) -> u64 {\n    let mut total = 0;\n    for x in xs {\n        total += step(*x) * LIMIT + x.grown();\n    }\n    \
                   total\n}\n";

fn step(by: u32) -> String {
    format!("pub fn step(x: u64) -> u64 {{\n    x * {by}\n}}\n")
}

fn limit(value: u32) -> String {
    format!("pub const LIMIT: u64 = {value};\n")
}

fn grown(name: &str, by: u32) -> String {
    format!(
        "pub trait {name} {{\n    fn grown(&self) -> u64;\n}}\nimpl {name} for u64 {{\n    fn grown(&self) -> u64 {{\n        self + {by}\n    }}\n}}\n"
    )
}

/// A crate of the modules `a`, `b` and `user`.
fn crate_of([a, b, user]: [&str; 3]) -> ScoringTestFiles {
    library("pub mod a;\npub mod b;\npub mod user;\n")
        .with("src/a.rs", a)
        .with("src/b.rs", b)
        .with("src/user.rs", user)
}

/// True if the version is run after which the modules are others, where `run` and all of `a` and `b` are executed.
fn is_run(before: [&str; 3], after: [&str; 3]) -> bool {
    let (before, after) = (crate_of(before), crate_of(after));
    let line = |text: &str, of: &str| text.lines().position(|line| line.contains(of)).unwrap_or(0) as u32 + 1;
    let user = before.content("src/user.rs");
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k::user::run", line(user, "fn run("), 10, (900_000, 900_000))
        .in_file("src/user.rs");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn a_definition_that_leaves_a_module_which_has_another_from_a_glob_is_run() {
    let user = format!("use crate::a::*;\n{RUN}");
    let b = [step(2), limit(2), grown("Grown", 2)].concat();
    let a = |own: &[String]| format!("pub use crate::b::*;\n{}", own.concat());
    let all = a(&[step(1), limit(1), grown("Grown", 1)]);
    for (left, moved) in [
        (a(&[limit(1), grown("Grown", 1)]), step(1)),
        (a(&[step(1), grown("Grown", 1)]), limit(1)),
        (a(&[step(1), limit(1)]), grown("Grown", 1)),
        (
            a(&[step(1).replace("step", "stride"), limit(1), grown("Grown", 1)]),
            String::new(),
        ),
    ] {
        let with_moved = format!("{b}pub mod kept {{\n{moved}}}\n");
        assert!(is_run([&all, &b, &user], [&left, &with_moved, &user]), "{left}");
        assert!(is_run([&left, &with_moved, &user], [&all, &b, &user]), "back: {left}");
    }
}

#[test]
fn a_definition_that_moves_and_is_handed_on_from_where_it_was_is_not_run() {
    let user = format!("use crate::a::*;\n{RUN}");
    let all = [step(1), limit(1), grown("Grown", 1)].concat();
    for moved in [step(1), limit(1), grown("Grown", 1)] {
        let name = ["step", "LIMIT", "Grown"]
            .into_iter()
            .find(|name| moved.contains(&format!(" {name}")));
        let name = name.expect("it has a name");
        let left = format!("pub use crate::b::{name};\n{}", all.replace(&moved, ""));
        assert!(!is_run([&all, "", &user], [&left, &moved, &user]), "{name}");
    }
}

#[test]
fn an_import_that_hides_what_a_glob_gives_is_run() {
    let [a, b] = [1, 2].map(|by| [step(by), limit(by), grown("Grown", by)].concat());
    let user = |imports: &str| format!("use crate::a::*;\n{imports}{RUN}");
    for name in ["step", "LIMIT", "Grown"] {
        let hidden = user(&format!("use crate::b::{name};\n"));
        assert!(is_run([&a, &b, &user("")], [&a, &b, &hidden]), "{name}");
    }
}

#[test]
fn methods_of_another_trait_in_scope_are_run() {
    let (a, b) = (grown("Grown", 1), grown("Longer", 2));
    let user = |import: &str| format!("use crate::{import};\n{RUN}");
    assert!(is_run([&a, &b, &user("a::Grown")], [&a, &b, &user("b::Longer")]));
    assert!(is_run(
        [&a, &b, &user("a::Grown as _")],
        [&a, &b, &user("b::Longer as _")]
    ));
    assert!(!is_run([&a, &b, &user("a::Grown")], [&a, &b, &user("a::Grown as _")]));
    let plain = b.replace("grown", "length");
    assert!(!is_run(
        [&a, &plain, &user("a::Grown")],
        [&a, &plain, &user("{a::Grown, b::Longer}")]
    ));
}

#[test]
fn a_trait_of_the_module_hides_one_that_it_imports_with_everything_else() {
    let [a, b] = [1, 2].map(|by| [step(by), limit(by), grown("Grown", by)].concat());
    let base = |a: &str, b: &str| {
        [
            format!("pub use crate::b::*;\n{a}"),
            format!("pub use crate::a::*;\n{b}"),
        ]
    };
    let rest = "";
    let [before_a, before_b] = base(&format!("{a}{RUN}"), &b);
    let [after_a, after_b] = base(&a, &format!("{b}{RUN}"));
    let crate_of = |a: &str, b: &str| crate_of([a, b, rest]);
    let (before, after) = (crate_of(&before_a, &before_b), crate_of(&after_a, &after_b));
    let line = before_a
        .lines()
        .position(|line| line.contains("fn run("))
        .expect("it is there") as u32
        + 1;
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k::a::run", line, 10, (900_000, 900_000))
        .in_file("src/a.rs");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    assert!(score.benchmarks.iter().any(|benchmark| benchmark.selected), "{score:?}");
}

#[test]
fn code_that_moves_past_a_definition_of_its_macro_is_run() {
    let [first, second] = [1, 2].map(|by| format!("macro_rules! more {{\n    () => {{ {by} }};\n}}\n"));
    let run = RUN.replace("LIMIT", "more!()");
    let user = |parts: [&str; 3]| parts.concat();
    let is_run = |before: [&str; 3], after: [&str; 3]| is_run(["", "", &user(before)], ["", "", &user(after)]);
    assert!(is_run([&first, &run, &second], [&first, &second, &run]));
    assert!(is_run([&first, &second, &run], [&second, &first, &run]));
    assert!(is_run(["", &run, &first], [&first, &run, ""]));
    assert!(is_run([&first, "", &run], [&first, &second, &run]));
    // A constant that has its value from it.
    let limit = "const LIMIT: u64 = more!();\n";
    for (before, after) in [
        ([&*first, limit, &second], [&*first, &second, limit]),
        ([&first, "", limit], [&first, &second, limit]),
    ] {
        let [before, after] = [before, after].map(|parts| parts.concat() + RUN);
        assert!(is_run([&before, "", ""], [&after, "", ""]), "{after}");
    }
    assert!(!is_run(
        [&first, "struct Other;\n", &run],
        ["struct Other;\n", &first, &run]
    ));
}

#[test]
fn two_functions_of_one_name_that_trade_places_in_python_are_run() {
    let define = |body: &str| format!("def step(x):\n    return {body}\n");
    let run = "def run(xs):\n    return sum(step(x) for x in xs)\n";
    let source = |bodies: [&str; 2]| {
        let defined = bodies.map(define).concat();
        ScoringTestFiles::default().with("k/__init__.py", &format!("{defined}{run}"))
    };
    let [before, after] = [source(["x * 1", "slow(x)"]), source(["slow(x)", "x * 1"])];
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k.run", 5, 10, (900_000, 400_000))
        .function("k.step", 3, 1_000, (500_000, 500_000))
        .in_file("k/__init__.py");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    assert!(score.benchmarks.iter().any(|benchmark| benchmark.selected), "{score:?}");
}

#[test]
fn the_last_of_two_methods_with_one_text_that_changes_in_python_is_run() {
    let class = |base: &str, by: u32| format!("class Step{base}:\n    def of(self, x):\n        return x + {by}\n");
    let run = "def run(xs):\n    return sum(Step().of(x) for x in xs)\n";
    let source = |last: u32| {
        let classes = class("", 3) + &class("(Step)", last);
        ScoringTestFiles::default().with("k/__init__.py", &format!("{classes}{run}"))
    };
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k.run", 7, 10, (900_000, 400_000))
        .function("k.Step.of", 5, 1_000, (500_000, 500_000))
        .in_file("k/__init__.py");
    let score = scored(CostModel::Lito, &source(3), vec![recorded], (&source(3), &source(1)));
    assert!(
        score.benchmarks.iter().any(|benchmark| benchmark.selected),
        "{score:#?}"
    );
}

#[test]
fn an_implementation_that_moves_to_where_its_constant_is_another_is_run() {
    let grown = "pub trait Grown {\n    const BY: u64;\n    fn grown(&self) -> u64;\n}\n";
    let own = "impl crate::a::Grown for u64 {\n    const BY: u64 = LIMIT;\n    fn grown(&self) -> u64 {\n        self + Self::BY\n    }\n}\n";
    let [a, user] = [
        limit(1) + grown,
        format!("{}{}use crate::a::Grown;\n{RUN}", limit(2), step(3)),
    ];
    assert!(is_run([&(a.clone() + own), "", &user], [&a, "", &(user.clone() + own)]));
    let user = user.replace(&limit(2), "use crate::a::LIMIT;\n");
    assert!(!is_run(
        [&(a.clone() + own), "", &user],
        [&a, "", &(user.clone() + own)]
    ));
}

#[test]
fn a_method_that_moves_to_another_implementation_of_its_trait_is_run() {
    let grown = "pub trait Grown: Copy + Into<u64> {\n    fn grown(&self) -> u64 {\n        let of: u64 = (*self).into();\n        of + 1\n    }\n}\n";
    let own = "    fn grown(&self) -> u64 {\n        7\n    }\n";
    let of = |name: &str, own: &str| format!("impl Grown for {name} {{\n    const NAME: &str = \"{name}\";\n{own}}}\n");
    let user = format!("use crate::a::Grown;\n{}{}{RUN}", limit(2), step(3));
    let [before, after] =
        [(own, ""), ("", own)].map(|(long, short)| format!("{grown}{}{}", of("u64", long), of("u32", short)));
    assert!(is_run([&before, "", &user], [&after, "", &user]));
}

#[test]
fn a_function_with_another_name_that_leaves_one_of_a_glob_in_its_place_is_run() {
    let own = |name: &str| {
        let used = "use crate::a::*;\nuse crate::a::LIMIT;\nuse crate::b::Grown;\n";
        format!("{}{used}{RUN}", step(3).replace("step", name))
    };
    let b = [step(2), limit(2), grown("Grown", 2)].concat();
    let a = format!("pub use crate::b::*;\n{}", limit(1));
    assert!(is_run([&a, &b, &own("step")], [&a, &b, &own("stride")]));
}

#[test]
fn a_method_of_a_trait_that_its_type_has_by_itself_after_is_run() {
    let of = "pub struct Count(pub u64);\npub trait Other {\n    fn grown(&self) -> u64;\n}\n";
    let method = "    fn grown(&self) -> u64 {\n        7\n    }\n";
    let [before, after] = ["impl Other for Count", "impl Count"].map(|head| format!("{of}{head} {{\n{method}}}\n"));
    let grown = grown("Grown", 2)
        .replace("for u64", "for crate::a::Count")
        .replace("self + ", "self.0 + ");
    let user = format!(
        "use crate::a::Count;\nuse crate::b::Grown;\n{}{}{}",
        limit(1),
        step(1),
        RUN.replace("x.grown()", "Count(*x).grown()")
    );
    assert!(is_run([&before, &grown, &user], [&after, &grown, &user]));
}

#[test]
fn a_method_that_hides_one_of_the_type_which_a_value_stands_for_is_run() {
    let probe = "pub struct Meter(pub u64);\nimpl Meter {\n    pub fn grown(&self) -> u64 {\n        self.0\n    }\n}\n\
                 pub struct Probe(pub Meter);\nimpl std::ops::Deref for Probe {\n    type Target = Meter;\n    fn deref(&self) -> &Meter {\n        &self.0\n    }\n}\n";
    let run = RUN
        .replace("xs: &[u64]", "xs: &[Probe]")
        .replace("step(*x) * LIMIT + ", "");
    let user = format!("use crate::a::Probe;\n{run}");
    let hidden = |name: &str| {
        format!("{probe}impl Probe {{\n    pub fn {name}(&self) -> u64 {{\n        (0..self.0.0).sum()\n    }}\n}}\n")
    };
    assert!(is_run([probe, "", &user], [&hidden("grown"), "", &user]));
    assert!(!is_run([probe, "", &user], [&hidden("other"), "", &user]));
    let plain = hidden("grown").replace("impl std::ops::Deref for Probe", "impl Reach for Probe");
    let before = probe.replace("impl std::ops::Deref for Probe", "impl Reach for Probe");
    assert!(!is_run([&before, "", &user], [&plain, "", &user]));
}

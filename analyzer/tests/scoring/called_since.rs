//! Functions that the sampled version had, that no benchmark executed then, and that executed code reaches since.

use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

/// At the sampled version: `run` and what it calls are executed, nothing slow is.
const LIBRARY: &str = "\
mod fast;
mod slow;
mod other;
use fast::step;
use fast::*;
use slow::Slow;
macro_rules! by_macro {
    ($x:expr) => { fast::step($x) };
}
const BY_CONSTANT: fn(u64) -> u64 = fast::step;
type ByAlias = fast::Fast;
struct State {
    kept: fast::Fast,
}
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += *x;
        total ^= fast::other(*x);
        if *x > 1_000_000 {
            total ^= rare(*x);
        }
    }
    total
}
pub fn imported(x: u64) -> u64 {
    step(x)
}
pub fn globbed(x: u64) -> u64 {
    glob_step(x)
}
pub fn from_macro(x: u64) -> u64 {
    by_macro!(x)
}
pub fn from_constant(x: u64) -> u64 {
    BY_CONSTANT(x)
}
pub fn from_alias(x: u64) -> u64 {
    ByAlias::make(x)
}
impl State {
    pub fn work(&self, x: u64) -> u64 {
        self.kept.of(x)
    }
}
fn rare(x: u64) -> u64 {
    x / 8
}
fn hands_on(x: u64) -> u64 {
    deep(x)
}
fn deep(x: u64) -> u64 {
    x / 9
}
";

const FAST: &str = "\
pub struct Fast;
pub fn step(x: u64) -> u64 {
    x
}
pub fn glob_step(x: u64) -> u64 {
    x
}
pub fn other(x: u64) -> u64 {
    x
}
impl Fast {
    pub fn make(x: u64) -> u64 {
        x
    }
    pub fn of(&self, x: u64) -> u64 {
        x
    }
}
";

const SLOW: &str = "\
pub struct Slow;
pub fn step(x: u64) -> u64 {
    x / 3
}
pub fn glob_step(x: u64) -> u64 {
    x / 4
}
pub fn other(x: u64) -> u64 {
    x / 7
}
impl Slow {
    pub fn make(x: u64) -> u64 {
        x / 5
    }
    pub fn of(&self, x: u64) -> u64 {
        x / 6
    }
}
impl Drop for Slow {
    fn drop(&mut self) {
        record(7);
    }
}
";

fn sampled() -> ScoringTestFiles {
    library(LIBRARY).with("src/fast.rs", FAST).with("src/slow.rs", SLOW)
}

fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", files.line_of("fn run("), 1000, (800_000, 300_000))
        .line(files.line_of("total += *x;"), 10_000);
    [
        ("k::imported", "fn imported("),
        ("k::globbed", "fn globbed("),
        ("k::from_macro", "fn from_macro("),
        ("k::from_constant", "fn from_constant("),
        ("k::from_alias", "fn from_alias("),
        ("k::State::work", "fn work("),
    ]
    .into_iter()
    .fold(profile, |profile, (name, line)| {
        profile.function(name, files.line_of(line), 10_000, (50_000, 50_000))
    })
}

/// The prediction for a change of a function that is slow, after a change since the sample.
fn predicted(since: (&str, &str), then: (&str, &str)) -> BenchmarkPrediction {
    let sampled = sampled();
    let later = sampled.replaced(since.0, since.1);
    let changed = later.replaced(then.0, then.1);
    let mut score = scored(CostModel::Lito, &sampled, vec![profile(&sampled)], (&later, &changed));
    score.benchmarks.remove(0)
}

/// A loop of so many rounds in place of an operation.
fn with_loop(operation: &str) -> String {
    format!("(0..5_000).map(|y| y ^ ({operation})).sum()")
}

#[test]
fn a_function_of_the_sample_that_is_called_since_is_at_risk() {
    let ways = [
        ("a call", ("total += *x;", "total += slow::step(*x);"), "x / 3"),
        (
            "a call of the other one",
            ("fast::other(*x)", "slow::other(*x)"),
            "x / 7",
        ),
        (
            "a call further down",
            ("total += *x;", "total += hands_on(*x);"),
            "x / 9",
        ),
        ("a method", ("total += *x;", "total += Slow.of(*x);"), "x / 6"),
        ("an import", ("use fast::step;", "use slow::step;"), "x / 3"),
        (
            "an import by another name",
            ("use fast::step;", "use slow::glob_step as step;"),
            "x / 4",
        ),
        ("an import of everything", ("use fast::*;", "use slow::*;"), "x / 4"),
        ("a macro", ("fast::step($x)", "slow::step($x)"), "x / 3"),
        ("a constant", ("= fast::step;", "= slow::step;"), "x / 3"),
        ("another name of a type", ("= fast::Fast;", "= slow::Slow;"), "x / 5"),
        ("a condition", ("*x > 1_000_000", "*x > 1"), "x / 8"),
        (
            "a field of another type",
            ("kept: fast::Fast", "kept: slow::Slow"),
            "x / 6",
        ),
    ];
    let is_missed = |since, operation: &str| !predicted(since, (operation, &with_loop(operation))).selected;
    let missed = ways
        .into_iter()
        .filter(|&(_, since, operation)| is_missed(since, operation));
    assert_eq!(missed.collect::<Vec<_>>(), []);
}

#[test]
fn a_block_that_did_not_run_is_at_risk_once_its_condition_is_another_one() {
    let work = "total ^= (0..5_000).map(|y| y ^ *x).sum::<u64>();";
    let prediction = predicted(("*x > 1_000_000", "*x > 1"), ("total ^= rare(*x);", work));
    assert!(prediction.high > 1.0, "{prediction:?}");
    // Under the same condition it does not run: the function is compiled anew, no more.
    let prediction = predicted(("total += *x;", "total += *x * 3;"), ("total ^= rare(*x);", work));
    assert!(prediction.high < 0.1, "{prediction:?}");
}

#[test]
fn a_method_of_the_sample_that_the_compiler_calls_since_is_at_risk() {
    let prediction = predicted(
        ("total += *x;", "total += *x; drop_late(Slow);"),
        ("record(7);", "for n in 0..5_000 { record(n * 7); }"),
    );
    assert!(prediction.selected, "{prediction:?}");
}

#[test]
fn a_function_that_the_sample_shows_to_be_idle_stays_so_while_nothing_else_leads_to_it() {
    let changes_since = [
        ("total += *x;", "total += *x * 3;"),
        ("total += *x;", "total += other::helper(*x);"),
        ("fn deep(x: u64)", "fn deep(mut x: u64)"),
        ("x / 4", "x / 44"),
    ];
    for since in changes_since {
        let prediction = predicted(since, ("x / 3", &with_loop("x / 3")));
        assert_eq!(prediction.probability, 0.0, "{since:?}: {prediction:?}");
    }
}

#[test]
fn another_name_of_a_type_in_another_file_leads_to_its_methods() {
    let lib = LIBRARY.replace("type ByAlias = fast::Fast;\n", "mod names;\nuse names::ByAlias;\n");
    let sampled = library(&lib)
        .with("src/fast.rs", FAST)
        .with("src/slow.rs", SLOW)
        .with("src/names.rs", "pub type ByAlias = crate::fast::Fast;\n");
    let later = sampled.replaced("crate::fast::Fast", "crate::slow::Slow");
    let changed = later.replaced("x / 5", &with_loop("x / 5"));
    let score = scored(CostModel::Lito, &sampled, vec![profile(&sampled)], (&later, &changed));
    assert!(score.benchmarks[0].selected, "{score:?}");
}

//! Which function a call is taken to mean, and on what evidence.

use analyzer::resolve::CalleeEvidence;
use analyzer::score::{CostModel, ScoredChange};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const SOURCE: &str = "\
use crate::depot::fetch;
pub struct Desk { store: Store, other: Other }
impl Desk {
    pub fn run(&self, given: &Store, thing: Thing, x: u64) -> u64 {
        let mut total = 0;
        total += thing.seen(x);
        total += name_of(x).seen(x);
        total
    }
}
";

/// Three functions named `look`, the last of which was never entered, at 10, 500 and 0 units a call; three
/// named `fetch`, two named `helper`; `seen` called from two lines of `run`.
fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let run = files.line_of("pub fn run(");
    let of = "k::Desk::run";
    ScoringTestProfile::new("b", 1_000_000)
        .function(of, run, 1, (1_000_000, 100_000))
        .function("k::Store::look", 101, 100, (1_000, 1_000))
        .function("k::Other::look", 102, 300, (150_000, 150_000))
        .function("k::Third::look", 103, 0, (0, 0))
        .function("k::depot::within::fetch", 104, 10, (2_000, 2_000))
        .function("k::shop::fetch", 105, 10, (3_000, 3_000))
        .function("k::Desk::helper", 106, 10, (4_000, 4_000))
        .function("k::Store::helper", 107, 10, (5_000, 5_000))
        .function("k::One::seen", 108, 1, (7_000, 7_000))
        .function("k::Two::seen", 109, 1, (9_000, 9_000))
        .function("k::Three::seen", 110, 9, (9_000, 9_000))
        .line(run + 1, 1)
        .line(run + 2, 1)
        .line(run + 3, 1)
        .site(of, run + 2, "k::One::seen", (1, 7_000))
        .site(of, run + 3, "k::Two::seen", (1, 9_000))
        .site(of, run + 3, "k::Three::seen", (0, 0))
}

/// The change in which a name is called after an edit of the source, the first line moved down by two.
fn called(name: &str, edits: &[(&str, &str)]) -> ScoredChange {
    let sampled = library(SOURCE);
    let shifted = format!("\n\n{SOURCE}");
    let mut source = shifted.clone();
    for (from, to) in edits {
        assert!(source.contains(from), "{from:?} is not in the source");
        source = source.replace(from, to);
    }
    let score = scored(
        CostModel::Lito,
        &sampled,
        vec![profile(&sampled)],
        (&library(&shifted), &library(&source)),
    );
    let mut found: Vec<ScoredChange> = score
        .changes
        .into_iter()
        .filter(|change| {
            let callee = change.callee.as_deref();
            callee.is_some_and(|callee| callee.rsplit(':').next() == Some(name))
        })
        .collect();
    assert_eq!(found.len(), 1, "{name} after {edits:?}: {found:?}");
    found.remove(0)
}

/// The function that a call added at the end of `run`, after a statement, resolves to.
fn added(name: &str, statement: &str) -> (String, CalleeEvidence) {
    let change = called(
        name,
        &[("        total\n", &format!("        {statement}\n        total\n"))],
    );
    (
        change.callee.expect("a call has a callee"),
        change.resolved_by.expect("a call is resolved somehow"),
    )
}

fn is(name: &str, evidence: CalleeEvidence) -> (String, CalleeEvidence) {
    (name.to_owned(), evidence)
}

#[test]
fn a_receiver_whose_type_the_source_shows_chooses_the_method() {
    for (statement, expected) in [
        ("total += self.store.look(x);", "k::Store::look"),
        ("total += self.other.look(x);", "k::Other::look"),
        ("total += given.look(x);", "k::Store::look"),
        ("let made: Other = make(); total += made.look(x);", "k::Other::look"),
        ("total += Other::new().look(x);", "k::Other::look"),
    ] {
        assert_eq!(
            added("look", statement),
            is(expected, CalleeEvidence::ReceiverType),
            "{statement}"
        );
    }
    assert_eq!(
        added("helper", "total += self.helper(x);"),
        is("k::Desk::helper", CalleeEvidence::ReceiverType)
    );
}

#[test]
fn a_written_path_chooses_the_function() {
    for (name, statement, expected) in [
        ("look", "total += Other::look(&self.other, x);", "k::Other::look"),
        ("helper", "total += Self::helper(x);", "k::Desk::helper"),
        ("helper", "total += crate::Store::helper(x);", "k::Store::helper"),
        ("fetch", "total += shop::fetch(x);", "k::shop::fetch"),
        ("fetch", "total += super::shop::fetch(x);", "k::shop::fetch"),
        // An import may go through a re-export: `within` is a private module.
        ("fetch", "total += fetch(x);", "k::depot::within::fetch"),
    ] {
        assert_eq!(
            added(name, statement),
            is(expected, CalleeEvidence::ExplicitPath),
            "{statement}"
        );
    }
}

#[test]
fn where_only_the_name_is_known_every_function_of_that_name_is_a_candidate() {
    for statement in [
        // The type that a function other than a constructor returns is not known.
        "total += Store::open().look(x);",
        "total += thing_of(x).look(x);",
        // A type parameter may stand for any type.
        "total += T::look(thing, x);",
        "let t: T = make(); total += t.look(x);",
    ] {
        let (_, evidence) = added("look", statement);
        assert_eq!(evidence, CalleeEvidence::ProfileName, "{statement}");
    }
    let change = called(
        "look",
        &[(
            "        total\n",
            "        total += thing_of(x).look(x);\n        total\n",
        )],
    );
    // 151,000 units in 400 calls: each candidate weighs by its calls.
    assert_eq!(change.effects[0].unit_cost, 377.5);
    let (low, high) = (change.effects[0].low, change.effects[0].high);
    assert!(low < 0.0001 && high >= 0.0005, "{low} {high}");
}

#[test]
fn a_type_that_the_profile_has_not_seen_is_not_taken_for_another() {
    for statement in [
        "let made: Missing = make(); total += made.look(x);",
        "total += Missing::look(x);",
        "let made: u64 = make(); total += made.look(x);",
        // In the profile, but never entered.
        "let made: Third = make(); total += made.look(x);",
    ] {
        let (callee, evidence) = added("look", statement);
        assert_eq!(evidence, CalleeEvidence::Unknown, "{statement}");
        assert!(!callee.starts_with("k::"), "{callee}");
    }
}

#[test]
fn a_library_function_has_the_prior_of_its_type() {
    let unit = |statement: &str, name: &str| {
        let line = format!("        {statement}\n        total\n");
        let change = called(name, &[("        total\n", &line)]);
        assert_eq!(change.resolved_by, Some(CalleeEvidence::Prior), "{statement}");
        change.effects[0].unit_cost
    };
    let of_map = unit("let mut rows: HashMap<u64, u64> = make(); rows.insert(x, x);", "insert");
    let of_vec = unit("let rows: Vec<u64> = make(); rows.len();", "len");
    assert!(of_map > of_vec && of_vec > 0.0, "{of_map} {of_vec}");
}

#[test]
fn a_call_on_a_line_where_the_profile_saw_one_is_that_one() {
    // Whatever the type of its receiver seems to be: a trait object or a pointer hides the method's own.
    let first = called("seen", &[("        total += thing.seen(x);\n", "")]);
    assert_eq!(
        (first.callee.as_deref(), first.resolved_by),
        (Some("k::One::seen"), Some(CalleeEvidence::SameSite))
    );
    assert_eq!(first.effects[0].unit_cost, 7_000.0);
    let second = called("seen", &[("        total += name_of(x).seen(x);\n", "")]);
    // A site without a call is no evidence.
    assert_eq!(
        (second.callee.as_deref(), second.effects[0].unit_cost),
        (Some("k::Two::seen"), 9_000.0)
    );
}

#[test]
fn a_call_elsewhere_in_the_function_may_be_any_that_the_profile_saw_there() {
    let change = called(
        "seen",
        &[(
            "        total\n",
            "        total += other_of(x).seen(x + 1);\n        total\n",
        )],
    );
    assert_eq!(change.resolved_by, Some(CalleeEvidence::SameFunction));
    assert_eq!(change.effects[0].unit_cost, 8_000.0);
}

#[test]
fn a_new_function_is_meant_only_if_it_takes_what_is_given() {
    let definitions = "\
impl Few { pub fn pick(&self, a: u64) -> u64 { a } }
impl Many { pub fn pick(&self, a: u64, b: u64, c: u64) -> u64 { a + b + c } }
mod free { pub fn pick(a: u64, b: u64) -> u64 { a + b } }
pub struct Desk";
    let meant = |statement: &str| {
        let line = format!("        {statement}\n        total\n");
        let change = called("pick", &[("        total\n", &line), ("pub struct Desk", definitions)]);
        (change.callee, change.resolved_by)
    };
    let body = |name: &str| (Some(name.to_owned()), Some(CalleeEvidence::Body));
    assert_eq!(meant("total += it(x).pick(x);"), body("k::Few::pick"));
    assert_eq!(meant("total += it(x).pick(x, x, x);"), body("k::Many::pick"));
    assert_eq!(meant("total += free::pick(x, x);"), body("k::free::pick"));
    // The receiver as the first argument of a path.
    assert_eq!(meant("total += Few::pick(it, x);"), body("k::Few::pick"));
    // No method takes two arguments, and no function of that path four.
    for statement in [
        "total += it(x).pick(x, x);",
        "total += free::pick(x);",
        "total += Many::pick(it, x);",
    ] {
        assert_eq!(meant(statement).1, Some(CalleeEvidence::Unknown), "{statement}");
    }
}

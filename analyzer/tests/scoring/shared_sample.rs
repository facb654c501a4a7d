//! Versions that are scored one after the other on one sample get the scores that each gets on a sample of its own: what
//! the sample keeps of their files never stands for other files.

use analyzer::sample::Sample;
use analyzer::score::{CostModel, NearestSample, ScoreOptions, score};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, options, sample, with_version};

const RUN: &str = "\
mod a;
mod b;
use a::step;
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total ^= step(*x);
    }
    total
}
";
const A: &str = "\
pub struct Kept;
impl Kept {
    pub fn of(x: u64) -> u64 { x / 3 }
}
pub fn step(x: u64) -> u64 { x + 1 }
pub fn idle(x: u64) -> u64 { deep(x) + 7 }
fn deep(x: u64) -> u64 { x * 5 % 11 }
";
const B: &str = "\
pub struct Kept;
impl Kept {
    pub fn of(x: u64) -> u64 { x / 9 }
}
pub const TABLE: fn(u64) -> u64 = step;
pub fn step(x: u64) -> u64 { x * x + 2 }
pub fn late(x: u64) -> u64 { step(x) ^ 1 }
";

/// Edits of a version: a file, a text, and the one that takes its place wherever it stands. Some undo others.
const EDITS: [(&str, &str); 16] = [
    ("use a::step", "use b::step"),
    ("use b::step", "use a::step"),
    ("step(*x)", "a::idle(*x)"),
    ("a::idle(*x)", "step(*x)"),
    ("a::idle(*x)", "b::TABLE(*x)"),
    ("b::TABLE(*x)", "b::late(*x) ^ a::Kept::of(*x)"),
    ("a::Kept", "b::Kept"),
    ("name = \"k\"", "name = \"other\""),
    ("name = \"other\"", "name = \"k\""),
    ("x * 5 % 11", "x * 5 % 13"),
    ("x * 5 % 13", "made(x)\n}\nfn made(x: u64) -> u64 {\n    x * 5 % 11"),
    ("fn(u64) -> u64 = step", "fn(u64) -> u64 = late"),
    ("step(x) ^ 1", "step(x) ^ crate::a::idle(x)"),
    ("x / 9", "x / 9 + 1"),
    ("x / 9 + 1", "x / 9"),
    ("pub fn late", "pub fn early(x: u64) -> u64 { late(x) }\npub fn late"),
];

const FILES: [&str; 4] = ["Cargo.toml", "src/lib.rs", "src/a.rs", "src/b.rs"];

fn sampled() -> ScoringTestFiles {
    library(RUN).with("src/a.rs", A).with("src/b.rs", B)
}

/// A sample in which `run` and `a::step` are executed.
fn fresh() -> Sample {
    let profile = ScoringTestProfile::new("bench", 1_000_000)
        .function("k::run", 4, 10, (1_000_000, 400_000))
        .function("k::a::step", 5, 100_000, (600_000, 600_000))
        .in_file("src/a.rs")
        .site("k::run", 7, "k::a::step", (100_000, 600_000));
    sample(&sampled(), vec![profile])
}

fn score_on(sample: &Sample, scoring: &ScoreOptions, change: (&ScoringTestFiles, &ScoringTestFiles)) -> String {
    let nearest = NearestSample {
        sample,
        distance: 1,
        changed_since: &|| FILES.map(str::to_owned).to_vec(),
    };
    with_version(change, |version| {
        format!("{:#?}", score(version, Some(nearest), scoring))
    })
}

/// A version after some edits, chosen by a number; `None` if none of them applies.
fn edited(version: &ScoringTestFiles, number: u32) -> Option<ScoringTestFiles> {
    let (from, to) = EDITS[(number >> 16) as usize % EDITS.len()];
    let holds = |path: &&&str| version.content(path).contains(from);
    FILES.iter().find(holds).map(|_| version.replaced(from, to))
}

#[test]
fn versions_that_share_a_sample_are_scored_as_if_each_had_its_own() {
    let (shared, scoring) = (fresh(), options(CostModel::Lito));
    let mut before = sampled();
    let mut number: u32 = 1;
    let mut scores = std::collections::BTreeSet::new();
    for step in 0..600 {
        // A linear congruential generator: the same edits in every run.
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if step % 40 == 39 {
            before = sampled();
        }
        let Some(after) = edited(&before, number) else {
            continue;
        };
        let alone = score_on(&fresh(), &options(CostModel::Lito), (&before, &after));
        assert_eq!(score_on(&shared, &scoring, (&before, &after)), alone, "step {step}");
        scores.insert(alone);
        before = after;
    }
    assert!(scores.len() > 40, "only {} scores differ", scores.len());
    let reached = scores.iter().filter(|score| score.contains("Unsampled")).count();
    assert!(
        reached > 0,
        "no version changes a function that is reached since the sample"
    );
}

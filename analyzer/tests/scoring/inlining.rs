//! The cost that depends on where a changed function is inlined.

use analyzer::cost::{ChangeClass, PriceList};
use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += small(*x);
    }
    total
}
pub fn rarely(xs: &[u64]) -> u64 {
    xs.len() as u64
}
fn small(x: u64) -> u64 {
    x * 3
}
";

/// `small` is called a thousand times: inlined into `run`, with a library function inlined into it in turn, or not.
fn profile(files: &ScoringTestFiles, inlined: bool) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", line("fn run("), 1, (TOTAL, 300_000))
        .function("k::rarely", line("fn rarely("), 1, (10, 10))
        .function("core::read", 5, 1000, (50_000, 50_000))
        .function("k::small", line("fn small("), 1000, (150_000, 100_000));
    let recorded = if inlined { recorded.inlined() } else { recorded };
    let recorded = recorded.site("k::run", line("+= small("), "k::small", (1000, 150_000));
    let recorded = if inlined { recorded.inlined_site() } else { recorded };
    recorded
        .site("k::small", line("x * 3"), "core::read", (1000, 50_000))
        .inlined_site()
}

fn after(inlined: bool, (from, to): (&str, &str)) -> BenchmarkPrediction {
    let before = library(SOURCE);
    let changed = before.replaced(from, to);
    let recorded = vec![profile(&before, inlined)];
    let mut score = scored(CostModel::Lito, &before, recorded, (&before, &changed));
    score.benchmarks.remove(0)
}

fn about(found: Option<&f64>, expected: f64) {
    assert!(
        found.is_some_and(|found| (found - expected).abs() < 1e-9),
        "{found:?} is not {expected}"
    );
}

const FRAMES: f64 = 1000.0 / TOTAL as f64;

#[test]
fn a_function_is_compiled_with_what_the_library_puts_into_it() {
    let prediction = after(true, ("x * 3", "x * 5"));
    about(prediction.terms.touched.get(&ChangeClass::Rebuilt), 0.15);
}

#[test]
fn the_function_and_what_it_is_merged_with_hang_on_its_inlining() {
    let costs = PriceList::shipped();
    let frames = FRAMES * costs.call_overhead.expected;
    // Itself, and `run` into which it is inlined.
    let all = frames + 0.15 + 0.3;
    let touched = |to| {
        let prediction = after(true, ("x * 3", to));
        prediction.terms.touched[&ChangeClass::Inlining]
    };
    about(Some(&touched("x * 5")), costs.inlining.least * all);
    let larger = touched("x * 3 + x / 2");
    assert!(costs.inlining.least * all < larger && larger < all);
    let longer = format!("x * 3{}", " + x / 2".repeat(60));
    about(Some(&touched(&longer)), all);
    let prediction = after(true, ("fn small", "#[inline(never)]\nfn small"));
    about(prediction.terms.touched.get(&ChangeClass::Inlining), all);
}

#[test]
fn a_function_that_is_called_as_such_may_be_inlined_and_save_its_frames() {
    let costs = PriceList::shipped();
    let prediction = after(false, ("fn small", "#[inline(always)]\nfn small"));
    let frames = FRAMES * costs.call_overhead.expected;
    about(prediction.terms.touched.get(&ChangeClass::Inlining), frames);
}

#[test]
fn a_second_call_site_may_end_the_inlining_of_the_only_one() {
    let costs = PriceList::shipped();
    let another = ("xs.len() as u64", "xs.len() as u64 + small(1)");
    let frames = FRAMES * costs.call_overhead.expected;
    let touched = |inlined| after(inlined, another).terms.touched[&ChangeClass::Inlining];
    // Beside it, `rarely` itself may be inlined, and save its one frame.
    let ratio = touched(true) / (frames + 0.1);
    assert!((1.0..1.001).contains(&ratio), "{ratio}");
    // Where it was not inlined there is nothing to lose.
    assert!(touched(false) < 1e-5, "{}", touched(false));
}

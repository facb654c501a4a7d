//! A bound that a loop, a call or a part of a whole had: without it, little work may become any amount.

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};
use analyzer::score::CostModel;

const TOTAL: u64 = 1_000_000;

/// `few` is short because it looks at few of many, and costs a thousandth of the benchmark; `idle` is never executed.
const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    dear(xs) + few(xs, 10)
}
fn dear(xs: &[u64]) -> u64 {
    xs.iter().sum()
}
fn few(xs: &[u64], first: usize) -> u64 {
    let most = xs.len().min(16);
    let mut sum = 0;
    let mut at = 1;
    while at < most {
        sum += xs[at];
        at *= 2;
        if xs[0] == 9 {
            break;
        }
    }
    let had = std::mem::take(&mut sum);
    sum ^= part(&xs[..10]) ^ had;
    let left = first.saturating_sub(most);
    sum + rest(left) + xs.iter().take(first).sum::<u64>()
}
fn part(xs: &[u64]) -> u64 {
    xs.iter().max().copied().unwrap_or(0)
}
fn rest(n: usize) -> u64 {
    (0..n).map(|at| at as u64).sum()
}
fn idle(xs: &[u64]) -> u64 {
    let mut step = xs.len();
    while step > 0 {
        step /= 4;
    }
    0
}
";

fn is_run(edits: &[(&str, &str)]) -> bool {
    let before = library(SOURCE);
    let mut after = before.clone();
    for (from, to) in edits {
        assert!(after.content("src/lib.rs").contains(from), "nothing holds {from}");
        after = after.replaced(from, to);
    }
    let line = |text: &str| before.line_of(text);
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", line("fn run("), 1, (TOTAL, 1_000))
        .function("k::dear", line("fn dear("), 1, (998_000, 998_000))
        .function("k::few", line("fn few("), 1, (1_000, 500))
        .function("k::part", line("fn part("), 1, (300, 300))
        .function("k::rest", line("fn rest("), 1, (200, 200))
        .line(line("sum += xs[at]"), 4)
        .line(line("break;"), 1)
        .site("k::run", line("dear(xs) +"), "k::dear", (1, 998_000))
        .site("k::run", line("dear(xs) +"), "k::few", (1, 1_000))
        .site("k::few", line("part(&"), "k::part", (1, 300))
        .site("k::few", line("rest(left)"), "k::rest", (1, 200));
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &after));
    score.benchmarks.iter().any(|one| one.selected)
}

#[test]
fn a_bound_that_goes_or_changes_may_let_little_code_do_any_work() {
    for edit in [
        ("at *= 2", "at += 2"),
        ("at *= 2", "at = at * 2 % 3"),
        (".min(16)", ".max(16)"),
        (".min(16)", ""),
        ("&xs[..10]", "&xs[10..]"),
        ("&xs[..10]", "&xs[..]"),
        ("first.saturating_sub(most)", "most.saturating_sub(first)"),
        ("            break;\n", ""),
        ("        if xs[0] == 9 {\n            break;\n        }\n", ""),
        (".take(first)", ".skip(first)"),
        (".take(first)", ""),
    ] {
        assert!(is_run(&[edit]), "{edit:?}");
    }
}

#[test]
fn bounds_that_stay_are_no_risk_however_they_are_written() {
    for edits in [
        &[("at *= 2", "at = at * 2")][..],
        &[("at *= 2", "at <<= 1")],
        &[
            ("let mut at", "let mut i"),
            ("while at", "while i"),
            ("xs[at]", "xs[i]"),
            ("at *= 2", "i *= 2"),
        ],
        // It takes the whole, and bounds nothing.
        &[("std::mem::take(&mut sum)", "std::mem::replace(&mut sum, 0)")],
        &[("xs[0] == 9", "xs[0] == 8")],
        &[(
            "if xs[0] == 9 {\n            break;",
            "if xs[0] == 9 {\n            return sum;",
        )],
        // No loop asks for it.
        &[("sum += xs[at]", "sum ^= xs[at]")],
        // Where nothing was bounded, a bound saves work at most.
        &[("sum ^= part", "sum ^= 9.min(sum); sum ^= part")],
        // It never runs.
        &[("step /= 4", "step -= 1")],
    ] {
        assert!(!is_run(edits), "{edits:?}");
    }
}

/// The same function in another language, which costs a thousandth of the benchmark.
fn is_run_in(file: &str, source: &str, (from, to): (&str, &str)) -> bool {
    let before = ScoringTestFiles::default().with(file, source);
    let after = before.replaced(from, to);
    let held = source
        .lines()
        .position(|line| line.contains(from))
        .expect("a line holds it");
    let line = u32::try_from(held + 1).expect("a short file");
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::dear", 1, 1, (TOTAL, TOTAL - 1_000))
        .in_file("dear.c")
        .function("k::few", 1, 1, (1_000, 1_000))
        .in_file(file)
        .line_beside(line, 10);
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &after));
    score.benchmarks.iter().any(|one| one.selected)
}

#[test]
fn steps_and_parts_are_bounds_in_every_language() {
    let c = "long few(long n) {\n    long sum = 0;\n    while (n > 0) {\n        sum++;\n        n >>= 1;\n    }\n    return sum;\n}\n";
    let python = "def few(xs):\n    n = len(xs)\n    while n:\n        n //= 2\n    return total(xs[:10])\n";
    assert!(is_run_in("few.c", c, ("n >>= 1", "n--")));
    assert!(!is_run_in("few.c", c, ("n >>= 1", "n = n >> 1")));
    let probes = "Slot &few(Key key) {\n    size_t at = hash(key) & mask;\n    while (slots[at].full && slots[at].key != key)\n        at = (at + 1) & mask;\n    return slots[at];\n}\n";
    assert!(is_run_in(
        "few.cpp",
        probes,
        ("hash(key) & mask", "(hash(key) >> 32) & mask")
    ));
    assert!(is_run_in("few.py", python, ("n //= 2", "n -= 1")));
    assert!(!is_run_in("few.py", python, ("n //= 2", "n = n // 2")));
    assert!(is_run_in("few.py", python, ("xs[:10]", "xs[10:]")));
}

#[test]
fn a_number_that_grows_by_a_summand_instead_of_a_factor_may_let_any_work_follow() {
    let cpp = "void few(Buffer &out, size_t need) {\n    grow(out, out.room * 2);\n    grow(out, out.size() << out.bits);\n    out.most = need * 4;\n    out.cells[need * 2] = 0;\n}\n";
    for edit in [("out.room * 2", "out.room + 1"), ("need * 4", "need + 4")] {
        assert!(is_run_in("few.cpp", cpp, edit), "{edit:?}");
    }
    for edit in [
        ("out.room * 2", "out.room * 3"),
        // A place among others.
        ("need * 2", "need + 2"),
    ] {
        assert!(!is_run_in("few.cpp", cpp, edit), "{edit:?}");
    }
    let python = "def few(n, xs):\n    if n < 2:\n        return xs\n    return few(n // 2, xs)\n";
    assert!(is_run_in("few.py", python, ("n // 2", "n - 2")));
}

#[test]
fn a_value_that_is_copied_to_add_to_it_may_make_any_work_of_little() {
    let cpp = "std::string few(const Parts &parts) {\n    std::string text;\n    int sum = 0;\n    for (const auto &part : parts) {\n        text += part;\n        sum += size(part);\n    }\n    return text;\n}\n";
    assert!(is_run_in("few.cpp", cpp, ("text += part", "text = text + part")));
    assert!(!is_run_in("few.cpp", cpp, ("sum += size", "sum = sum + size")));
    let python = "def few(parts):\n    rows = []\n    sum = 0\n    for part in parts:\n        rows += part\n        rows.append(part)\n        sum += part.size\n    return rows\n";
    assert!(is_run_in("few.py", python, ("rows += part", "rows = rows + part")));
    assert!(is_run_in(
        "few.py",
        python,
        ("rows.append(part)", "rows = rows + [part]")
    ));
    assert!(!is_run_in(
        "few.py",
        python,
        ("sum += part.size", "sum = sum + part.size")
    ));
    let rust = "pub fn few(parts: &[String]) -> String {\n    let mut text = String::new();\n    for part in parts {\n        text += part;\n    }\n    text\n}\n";
    assert!(!is_run_in("src/lib.rs", rust, ("text += part", "text = text + part")));
}

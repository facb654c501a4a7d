#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;
use crate::BenchmarkVerdict;

fn claim(text: &str) -> Claim {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// A gating entry that was measured.
fn measured(name: &str, metric: Metric, outcome: BenchmarkOutcome, [low, high]: [f64; 2]) -> BenchmarkVerdict {
    let change = f64::midpoint(low, high);
    BenchmarkVerdict {
        base: Some(1000.0),
        head: Some(1000.0 * (1.0 + change)),
        change: Some(change),
        low: Some(low),
        high: Some(high),
        significant: matches!(outcome, BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement),
        starts: 10,
        ..BenchmarkVerdict::without_values(name, metric, outcome)
    }
}

/// Measured instructions.
fn counted(name: &str, outcome: BenchmarkOutcome, bounds: [f64; 2]) -> BenchmarkVerdict {
    measured(name, Metric::Instructions, outcome, bounds)
}

fn unmeasured(name: &str, outcome: BenchmarkOutcome) -> BenchmarkVerdict {
    BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
}

fn judged(text: &str, entries: &[BenchmarkVerdict]) -> JudgedClaim {
    let claim = claim(text);
    let start = claim.benchmarks.trim_end_matches('*').to_owned();
    judge_claim(&claim, entries, |name| name.starts_with(&start))
}

#[track_caller]
fn answers(text: &str, entries: &[BenchmarkVerdict], outcome: ClaimOutcome) {
    let answer = judged(text, entries);
    assert_eq!(answer.outcome, outcome, "{text}: {answer:#?}");
}

#[test]
fn a_claim_names_benchmarks_a_direction_and_a_percentage() {
    let moved = |direction, percent| ClaimedEffect::Moved {
        direction,
        at_least: ClaimedPercent::new(percent).unwrap(),
    };
    let read = claim("parse/* faster 10%");
    assert_eq!(read.benchmarks, "parse/*");
    assert_eq!(read.effect, moved(ClaimedDirection::Faster, 10.0));
    assert_eq!(read.metric, None);
    for same in [
        "parse/* FASTER by 10 %",
        "  `parse/*`  faster at least 10%",
        "\"parse/*\" Faster By At Least 10.0%",
    ] {
        assert_eq!(claim(same), read, "{same}");
    }
    let read = claim("parse Version slower 0.5% in wall-time");
    assert_eq!(read.benchmarks, "parse Version");
    assert_eq!(read.effect, moved(ClaimedDirection::Slower, 0.5));
    assert_eq!(read.metric, Some(Metric::WallTime));
    assert_eq!(
        claim("make_unchanged faster unchanged").benchmarks,
        "make_unchanged faster"
    );
}

#[test]
fn a_claim_can_be_that_nothing_changes() {
    let unchanged = |percent: Option<f64>| ClaimedEffect::Unchanged {
        within: percent.and_then(ClaimedPercent::new),
    };
    assert_eq!(claim("render unchanged").effect, unchanged(None));
    assert_eq!(claim("render unchanged 2%").effect, unchanged(Some(2.0)));
    assert_eq!(
        claim("render unchanged within 2% in peak bytes").effect,
        unchanged(Some(2.0))
    );
    assert_eq!(
        claim("render unchanged in allocations").metric,
        Some(Metric::Allocations)
    );
}

#[test]
fn every_metric_can_be_named_as_json_and_as_pages_write_it() {
    for metric in Metric::ALL {
        for name in [metric.name().to_owned(), metric.to_string()] {
            assert_eq!(claim(&format!("a smaller 1% in {name}")).metric, Some(metric));
        }
    }
}

#[test]
fn a_text_that_is_not_a_claim_says_why() {
    let named = |text: &str| text.to_owned();
    let refused = [
        ("", ClaimError::NoEffect),
        ("parse/* quicker 10%", ClaimError::NoEffect),
        ("faster 10%", ClaimError::NoBenchmark),
        ("`` faster 10%", ClaimError::NoBenchmark),
        ("parse faster", ClaimError::NoPercent),
        ("parse faster at 10%", ClaimError::NoPercent),
        ("parse faster in wall time", ClaimError::NoPercent),
        ("parse unchanged within", ClaimError::NoPercent),
        ("parse faster 10", ClaimError::NotAPercentage(named("10"))),
        ("parse faster 2x", ClaimError::NotAPercentage(named("2x"))),
        ("parse faster 0%", ClaimError::NotAPercentage(named("0%"))),
        ("parse faster -5%", ClaimError::NotAPercentage(named("-5%"))),
        ("parse faster inf%", ClaimError::NotAPercentage(named("inf%"))),
        ("parse faster 101%", ClaimError::NotAPercentage(named("101%"))),
        ("parse slower 9999999%", ClaimError::NotAPercentage(named("9999999%"))),
        ("parse smaller 10%", ClaimError::NoMetric),
        ("parse larger 10%", ClaimError::NoMetric),
        ("parse faster 10% in cycles", ClaimError::UnknownMetric(named("cycles"))),
        ("parse faster 10% in", ClaimError::UnknownMetric(named(""))),
        (
            "parse faster 10% on my machine",
            ClaimError::Unexpected(named("on my machine")),
        ),
    ];
    for (text, why) in refused {
        assert_eq!(text.parse::<Claim>(), Err(why), "{text}");
    }
    let long = format!("{} faster 10%", "x".repeat(LONGEST_CLAIM));
    assert_eq!(long.parse::<Claim>(), Err(ClaimError::TooLong));
    let kept = RequestedClaim::read(&"ü".repeat(LONGEST_CLAIM), ClaimSource::PullRequest);
    assert_eq!(kept.text.len(), LONGEST_CLAIM);
}

#[test]
fn the_bounds_of_the_change_decide() {
    use BenchmarkOutcome::Improvement;
    let one = |bounds| [counted("parse", Improvement, bounds)];
    answers("parse faster 10%", &one([-0.20, -0.12]), ClaimOutcome::Confirmed);
    answers("parse faster 10%", &one([-0.20, -0.05]), ClaimOutcome::CannotBeTold);
    answers("parse faster 10%", &one([-0.08, -0.05]), ClaimOutcome::Refuted);
    answers("parse slower 10%", &one([-0.20, -0.12]), ClaimOutcome::Refuted);
    answers("parse unchanged", &one([-0.20, -0.12]), ClaimOutcome::Refuted);
    answers(
        "parse unchanged within 15%",
        &one([-0.20, -0.12]),
        ClaimOutcome::CannotBeTold,
    );
    answers(
        "parse unchanged within 30%",
        &one([-0.20, -0.12]),
        ClaimOutcome::Confirmed,
    );
}

#[test]
fn a_tenth_of_a_thousand_is_ten_per_cent() {
    let change = 900.0 / 1000.0 - 1.0;
    let entries = [counted("parse", BenchmarkOutcome::Improvement, [change, change])];
    answers("parse faster 10%", &entries, ClaimOutcome::Confirmed);
    answers("parse faster 10.001%", &entries, ClaimOutcome::Refuted);
}

#[test]
fn one_benchmark_refutes_and_all_confirm() {
    use BenchmarkOutcome::{Improvement, Inconclusive};
    let good = counted("parse/a", Improvement, [-0.2, -0.2]);
    let open = counted("parse/b", Inconclusive, [-0.2, 0.2]);
    let bad = counted("parse/c", Improvement, [-0.05, -0.05]);
    let text = "parse/* faster 10%";
    answers(text, std::slice::from_ref(&good), ClaimOutcome::Confirmed);
    answers(text, &[good.clone(), open.clone()], ClaimOutcome::CannotBeTold);
    answers(text, &[good.clone(), open, bad.clone()], ClaimOutcome::Refuted);
    // Others are not what the claim is about.
    let elsewhere = BenchmarkVerdict {
        name: String::from("print"),
        ..bad
    };
    answers(text, &[good, elsewhere.clone()], ClaimOutcome::Confirmed);
    answers(text, &[elsewhere], ClaimOutcome::Malformed);
}

#[test]
fn the_same_machine_code_is_evidence() {
    let entries = [unmeasured("parse", BenchmarkOutcome::SameCode)];
    answers("parse unchanged", &entries, ClaimOutcome::Confirmed);
    answers("parse unchanged in peak bytes", &entries, ClaimOutcome::Confirmed);
    answers("parse unchanged within 1%", &entries, ClaimOutcome::Confirmed);
    answers("parse faster 10%", &entries, ClaimOutcome::Refuted);
    let finding = &judged("parse faster 10%", &entries).findings[0];
    assert_eq!((finding.low, finding.high), (Some(0.0), Some(0.0)));
}

#[test]
fn without_a_measurement_nothing_can_be_told() {
    use BenchmarkOutcome::{Added, Failed, Inconclusive, Removed, Skipped};
    for outcome in [Added, Failed, Inconclusive, Removed, Skipped] {
        for text in ["parse faster 10%", "parse unchanged", "parse unchanged in allocations"] {
            answers(text, &[unmeasured("parse", outcome)], ClaimOutcome::CannotBeTold);
        }
    }
}

#[test]
fn another_metric_is_no_evidence() {
    let entries = [counted("parse", BenchmarkOutcome::Improvement, [-0.2, -0.2])];
    answers("parse faster 10% in wall time", &entries, ClaimOutcome::CannotBeTold);
    let reason = judged("parse faster 10% in wall time", &entries).findings[0].reason;
    assert_eq!(reason, ClaimReason::OtherMetrics);
}

#[test]
fn faster_is_about_all_gating_metrics_of_speed() {
    use BenchmarkOutcome::{Improvement, Pass, Regression};
    let instructions = counted("parse", Improvement, [-0.2, -0.2]);
    let time = measured("parse", Metric::WallTime, Pass, [-0.01, 0.01]);
    let memory = measured("parse", Metric::AllocatedBytes, Regression, [0.5, 0.5]);
    let aside = BenchmarkVerdict {
        gating: false,
        ..time.clone()
    };
    answers(
        "parse faster 10%",
        &[instructions.clone(), memory.clone()],
        ClaimOutcome::Confirmed,
    );
    answers("parse faster 10%", &[instructions.clone(), time], ClaimOutcome::Refuted);
    let entries = [instructions, aside, memory];
    answers("parse faster 10%", &entries, ClaimOutcome::Confirmed);
    answers("parse faster 10% in wall time", &entries, ClaimOutcome::Refuted);
    answers("parse unchanged", &entries, ClaimOutcome::Refuted);
    answers("parse larger 40% in allocated bytes", &entries, ClaimOutcome::Confirmed);
}

#[test]
fn a_change_that_the_verdict_does_not_count_proves_no_change() {
    let small = [counted("parse", BenchmarkOutcome::Pass, [-0.0005, -0.0005])];
    answers("parse faster 0.01%", &small, ClaimOutcome::CannotBeTold);
    answers("parse faster 10%", &small, ClaimOutcome::Refuted);
    answers("parse unchanged", &small, ClaimOutcome::Confirmed);
    answers("parse unchanged within 0.01%", &small, ClaimOutcome::CannotBeTold);
}

#[test]
fn few_rounds_of_wall_time_tell_nothing() {
    let rounds = |starts| BenchmarkVerdict {
        starts,
        ..measured("parse", Metric::WallTime, BenchmarkOutcome::Inconclusive, [-0.04, 0.01])
    };
    answers("parse faster 10%", &[rounds(3)], ClaimOutcome::CannotBeTold);
    answers("parse faster 10%", &[rounds(10)], ClaimOutcome::Refuted);
}

#[test]
fn from_nothing_is_more_than_any_percentage() {
    let entry = |outcome| BenchmarkVerdict {
        base: Some(0.0),
        head: Some(4096.0),
        change: None,
        low: None,
        high: None,
        ..measured("parse", Metric::AllocatedBytes, outcome, [0.0, 0.0])
    };
    let grown = [entry(BenchmarkOutcome::Regression)];
    answers("parse larger 1000% in allocated bytes", &grown, ClaimOutcome::Confirmed);
    answers("parse smaller 1% in allocated bytes", &grown, ClaimOutcome::Refuted);
    answers("parse unchanged 5% in allocated bytes", &grown, ClaimOutcome::Refuted);
    let open = [entry(BenchmarkOutcome::Inconclusive)];
    answers("parse larger 10% in allocated bytes", &open, ClaimOutcome::CannotBeTold);
}

#[test]
fn a_subject_that_was_not_reached_is_not_faster() {
    let gone = BenchmarkVerdict {
        head: Some(0.0),
        ..counted("parse", BenchmarkOutcome::Inconclusive, [-1.0, -1.0])
    };
    answers(
        "parse faster 10%",
        std::slice::from_ref(&gone),
        ClaimOutcome::CannotBeTold,
    );
    answers("parse slower 10%", &[gone], ClaimOutcome::CannotBeTold);
}

fn texts(description: &str) -> Vec<String> {
    (claims_of_description(description).into_iter())
        .map(|claim| claim.text)
        .collect()
}

#[test]
fn a_pull_request_claims_in_lines_of_its_text() {
    let description = "Speeds up the parser, see lito: below.\r\n\r\n\
        lito: parse/* faster 10%\r\n\
        - Lito: `render/*` unchanged.\n\
        \x20 * [x] LITO:print slower 2%\n\
        1. `lito: a b faster 3%`\n\
        > lito: quoted faster 1%\n\
        ```\nlito: in code unchanged\n```\n\
        The lito: word alone\n";
    let expected = [
        "parse/* faster 10%",
        "`render/*` unchanged",
        "print slower 2%",
        "a b faster 3%",
        "in code unchanged",
    ];
    assert_eq!(texts(description), expected);
    let claims = claims_of_description(description);
    assert!(
        claims
            .iter()
            .all(|claim| claim.claim.is_ok() && claim.source == ClaimSource::PullRequest)
    );
}

#[test]
fn the_hints_of_a_template_claim_nothing() {
    let template = "<!--\nlito: parse/* faster 10%\n-->\nlito: a unchanged\n<!-- lito: b unchanged\nlito: c unchanged";
    assert_eq!(texts(template), ["a unchanged"]);
}

#[test]
fn no_more_claims_are_read_than_anybody_makes() {
    let many = "lito: a unchanged\n".repeat(10 * MOST_CLAIMS);
    let claims = claims_of_description(&many);
    assert_eq!(claims.len(), MOST_CLAIMS + 1);
    assert!(claims[..MOST_CLAIMS].iter().all(|claim| claim.claim.is_ok()));
    assert_eq!(claims[MOST_CLAIMS].claim, Err(ClaimError::TooMany));
}

fn any_effect() -> impl Strategy<Value = (ClaimedEffect, Option<Metric>)> {
    let percent = (1u32..=100_000).prop_map(|percent| ClaimedPercent::new(f64::from(percent) / 1000.0).unwrap());
    let direction = prop::sample::select(vec![
        ClaimedDirection::Faster,
        ClaimedDirection::Slower,
        ClaimedDirection::Smaller,
        ClaimedDirection::Larger,
    ]);
    let metric = prop::sample::select(Metric::ALL.to_vec());
    (
        direction,
        prop::option::of(percent),
        any::<bool>(),
        prop::option::of(metric),
    )
        .prop_map(|(direction, percent, unchanged, metric)| match percent {
            Some(at_least) if !unchanged => {
                let metric = match direction {
                    ClaimedDirection::Faster | ClaimedDirection::Slower => metric,
                    ClaimedDirection::Smaller | ClaimedDirection::Larger => metric.or(Some(Metric::PeakBytes)),
                };
                (ClaimedEffect::Moved { direction, at_least }, metric)
            }
            within => (ClaimedEffect::Unchanged { within }, metric),
        })
}

fn any_bounds() -> impl Strategy<Value = [f64; 2]> {
    (-1.0..2.0f64, 0.0..0.5f64).prop_map(|(low, width)| [low, low + width])
}

fn any_measured() -> impl Strategy<Value = BenchmarkOutcome> {
    use BenchmarkOutcome::{Improvement, Inconclusive, Pass, Regression};
    prop::sample::select(vec![Improvement, Inconclusive, Pass, Regression])
}

fn answer(effect: ClaimedEffect, outcome: BenchmarkOutcome, bounds: [f64; 2]) -> ClaimOutcome {
    let claim = Claim {
        benchmarks: String::from("parse"),
        effect,
        metric: Some(Metric::Instructions),
    };
    judge_claim(&claim, &[counted("parse", outcome, bounds)], |name| name == "parse").outcome
}

proptest! {
    #[test]
    fn a_claim_reads_as_it_is_written(name in "[^ ]\\PC{0,20}[^ ]|\\PC", (effect, metric) in any_effect()) {
        let written = Claim { benchmarks: name, effect, metric };
        prop_assert_eq!(&written.to_string().parse::<Claim>(), &Ok(written.clone()), "{}", written);
    }

    #[test]
    fn no_text_makes_the_reader_fail(text in any::<String>(), line in "(lito:|[-*] |`|faster|[0-9]%| in | |x|\n|<!--|-->){0,20}") {
        let _ = text.parse::<Claim>();
        for text in [text, line] {
            prop_assert!(claims_of_description(&text).len() <= MOST_CLAIMS + 1);
        }
    }

    /// Also for claims without bounds: those of the verdict's own rule.
    #[test]
    fn more_doubt_never_decides_a_claim(
        (effect, _) in any_effect(),
        outcome in any_measured(),
        [low, high] in any_bounds(),
        [down, up] in [0.0..1.0f64, 0.0..1.0f64],
    ) {
        let narrow = answer(effect, outcome, [low, high]);
        let wide = answer(effect, outcome, [(low - down).max(-1.0).min(low), high + up]);
        prop_assert!(wide == narrow || wide == ClaimOutcome::CannotBeTold, "{:?} became {:?}", narrow, wide);
    }

    /// A claim and one that excludes it are never both true.
    #[test]
    fn no_change_is_in_two_places(percent in 1u32..90, outcome in any_measured(), bounds in any_bounds()) {
        let claimed = |text: String| answer(claim(&text).effect, outcome, bounds) == ClaimOutcome::Confirmed;
        let claims = [
            claimed(format!("parse faster {percent}%")),
            claimed(format!("parse slower {percent}%")),
            claimed(format!("parse unchanged within {}%", f64::from(percent) - 0.5)),
        ];
        prop_assert!(claims.iter().filter(|&&confirmed| confirmed).count() <= 1, "{:?}", claims);
    }

    /// A larger change is claimed with less right.
    #[test]
    fn who_claims_less_is_confirmed_sooner(
        percent in 1u32..90, more in 1u32..10, outcome in any_measured(), bounds in any_bounds(),
    ) {
        let of = |percent: u32| answer(claim(&format!("parse faster {percent}%")).effect, outcome, bounds);
        if of(percent + more) == ClaimOutcome::Confirmed {
            prop_assert_eq!(of(percent), ClaimOutcome::Confirmed);
        }
        if of(percent) == ClaimOutcome::Refuted {
            prop_assert_eq!(of(percent + more), ClaimOutcome::Refuted);
        }
    }

    #[test]
    fn no_entry_makes_the_decision_fail(
        (effect, metric) in any_effect(),
        numbers in prop::array::uniform5(prop::option::of(any::<f64>())),
        outcome in any_measured(),
        significant in any::<bool>(),
    ) {
        let [base, head, change, low, high] = numbers;
        let mut entry = counted("parse", outcome, [0.0, 0.0]);
        (entry.base, entry.head, entry.change, entry.low, entry.high) = (base, head, change, low, high);
        entry.significant = significant;
        let claim = Claim { benchmarks: String::from("*"), effect, metric };
        let judged = judge_claim(&claim, &[entry], |_| true);
        prop_assert_eq!(judged.findings.len(), 1);
    }
}

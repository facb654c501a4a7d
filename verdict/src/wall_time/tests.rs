#![allow(clippy::unwrap_used)]
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

const ALONE: WallTimeCriteria = WallTimeCriteria {
    benchmarks: 1,
    minimum_change: None,
};

/// A machine that slows down and recovers, with starts that differ by `noise` (a standard deviation) and now and then
/// by a lot.
struct SimulatedMachine {
    random: ChaCha8Rng,
    noise: f64,
}

impl SimulatedMachine {
    fn new(seed: u64, noise: f64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            noise,
        }
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn start(&mut self, time: f64) -> ProcessStart {
        let normal = (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0;
        let stall = if self.uniform() < 0.05 { 1.3 } else { 1.0 };
        ProcessStart(vec![time * stall * (self.noise * normal).exp()])
    }

    fn rounds(&mut self, count: usize, ratio: f64) -> Vec<MeasurementRound> {
        (0..count)
            .map(|_| {
                let speed = 1e6 * (1.0 + self.uniform());
                MeasurementRound {
                    base: self.start(speed),
                    control: self.start(speed),
                    head: self.start(speed * ratio),
                }
            })
            .collect()
    }

    /// As the caller's loop does it.
    fn measure(&mut self, ratio: f64, terms: WallTimeCriteria) -> InterimResult {
        let mut rounds = Vec::new();
        let mut standing = analyze_rounds(&rounds, terms);
        while standing.state == InterimDecision::Undecided && rounds.len() < MOST_ROUNDS {
            rounds.extend(self.rounds(1, ratio));
            standing = analyze_rounds(&rounds, terms);
        }
        standing
    }
}

fn outcomes(ratio: f64, noise: f64, trials: u64, terms: WallTimeCriteria) -> Vec<BenchmarkOutcome> {
    (0..trials)
        .map(|seed| {
            let standing = SimulatedMachine::new(seed, noise).measure(ratio, terms);
            final_findings(&[standing])[0].outcome
        })
        .collect()
}

fn count(outcomes: &[BenchmarkOutcome], wanted: BenchmarkOutcome) -> usize {
    outcomes.iter().filter(|outcome| **outcome == wanted).count()
}

#[test]
fn the_fewest_rounds_can_reach_the_level_and_one_less_can_not() {
    let p_of = |rounds| analyze_rounds(&SimulatedMachine::new(3, 0.0).rounds(rounds, 2.0), ALONE).p;
    assert!(p_of(FEWEST_ROUNDS) <= FALSE_DISCOVERIES);
    assert!(p_of(FEWEST_ROUNDS - 1) > FALSE_DISCOVERIES);
}

#[test]
fn asking_after_each_round_does_not_inflate_the_level() {
    let trials = 600;
    let least_p = |seed| {
        let rounds = SimulatedMachine::new(seed, 0.05).rounds(MOST_ROUNDS, 1.0);
        (1..=MOST_ROUNDS)
            .map(|count| analyze_rounds(&rounds[..count], ALONE).p)
            .fold(1.0, f64::min)
    };
    let low = (0..trials).filter(|seed| least_p(*seed) <= 0.1).count();
    // At most 60 are expected, and three standard deviations more are 82.
    assert!(low <= 82, "{low} of {trials}");
    assert!(low >= 10, "{low} of {trials}: the test can't reach its level");
}

#[test]
fn intervals_after_each_round_hold_the_ratio_together() {
    let trials = 400;
    let always_held = |seed: &u64| {
        let rounds = SimulatedMachine::new(*seed, 0.03).rounds(MOST_ROUNDS, 1.05);
        (1..=MOST_ROUNDS).all(|count| {
            let standing = analyze_rounds(&rounds[..count], ALONE);
            standing.low <= 1.05 && 1.05 <= standing.high
        })
    };
    let held = (0..trials).filter(always_held).count();
    // 95% of 400 are 380; 367 is three standard deviations below.
    assert!(held >= 367, "{held} of {trials}");
}

#[test]
fn identical_code_raises_no_alarm_however_noisy_the_machine() {
    for (noise, trials) in [(0.005, 20), (0.15, 8)] {
        let outcomes = outcomes(1.0, noise, trials, ALONE);
        assert_eq!(count(&outcomes, BenchmarkOutcome::Regression), 0, "noise {noise}");
        assert_eq!(count(&outcomes, BenchmarkOutcome::Improvement), 0, "noise {noise}");
        if noise < 0.01 {
            assert_eq!(count(&outcomes, BenchmarkOutcome::Pass), 20);
        }
    }
}

#[test]
fn a_real_tenth_is_found_both_ways() {
    let worse = outcomes(1.1, 0.03, 10, ALONE);
    assert_eq!(count(&worse, BenchmarkOutcome::Regression), 10);
    let better = outcomes(1.0 / 1.1, 0.03, 10, ALONE);
    assert_eq!(count(&better, BenchmarkOutcome::Improvement), 10);
}

#[test]
fn a_clear_change_is_told_soon_and_a_small_one_needs_more() {
    let clear = SimulatedMachine::new(1, 0.002).measure(1.5, ALONE);
    assert_eq!(
        (clear.rounds, clear.state),
        (FEWEST_ROUNDS, InterimDecision::Decided(BenchmarkOutcome::Regression))
    );
    let still = SimulatedMachine::new(3, 0.005).measure(1.0, ALONE);
    assert_eq!(still.state, InterimDecision::Decided(BenchmarkOutcome::Pass));
    assert!(still.rounds <= 12, "{still:?}");
    let smaller = SimulatedMachine::new(1, 0.03).measure(1.05, ALONE);
    assert_eq!(smaller.state, InterimDecision::Decided(BenchmarkOutcome::Regression));
    assert!(smaller.rounds > FEWEST_ROUNDS, "{smaller:?}");
    let noisy = SimulatedMachine::new(3, 0.15).measure(1.03, ALONE);
    assert_eq!((noisy.rounds, noisy.state), (80, InterimDecision::Undecided));
    assert_eq!(final_findings(&[noisy])[0].outcome, BenchmarkOutcome::Inconclusive);
}

#[test]
fn among_many_benchmarks_an_alarm_needs_more_evidence() {
    let many = WallTimeCriteria {
        benchmarks: 20,
        ..ALONE
    };
    let alone = SimulatedMachine::new(1, 0.002).measure(1.5, ALONE);
    let standing = SimulatedMachine::new(1, 0.002).measure(1.5, many);
    assert_eq!(standing.state, InterimDecision::Decided(BenchmarkOutcome::Regression));
    assert!(standing.rounds > alone.rounds);
    // Stopped by its budget: not enough among twenty, enough alone.
    let early = analyze_rounds(&SimulatedMachine::new(1, 0.002).rounds(FEWEST_ROUNDS, 1.5), many);
    let still = analyze_rounds(&SimulatedMachine::new(4, 0.005).rounds(10, 1.0), many);
    let mut all = vec![early.clone()];
    all.extend(vec![still; 19]);
    let finding = &final_findings(&all)[0];
    assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
    assert!(
        matches!(
            finding.reason,
            FindingReason::Timed(TimingReason::NotSignificant { benchmarks: 20, .. })
        ),
        "{:?}",
        finding.reason
    );
    assert_eq!(final_findings(&[early])[0].outcome, BenchmarkOutcome::Regression);
}

#[test]
fn an_effect_within_what_the_base_does_to_itself_is_no_alarm() {
    // The control is 6% off every time, the head 7% and 1% from the two.
    let rounds: Vec<MeasurementRound> = (0..40)
        .map(|round| {
            let base = 1e6 + f64::from(round);
            MeasurementRound {
                base: ProcessStart(vec![base]),
                control: ProcessStart(vec![base * 1.06]),
                head: ProcessStart(vec![base * 1.07]),
            }
        })
        .collect();
    let standing = analyze_rounds(&rounds, ALONE);
    assert!((standing.noise - 0.06).abs() < 1e-9);
    let finding = &final_findings(&[standing])[0];
    assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
    let FindingReason::Timed(TimingReason::BelowThreshold { change, threshold }) = finding.reason else {
        panic!("{finding:?}");
    };
    assert_eq!(change.rounds, 40);
    assert!(change.estimate > 0.02 && change.estimate < 0.06, "{change:?}");
    assert!(matches!(threshold, TimingThreshold::BaseNoise(noise) if (noise - 0.06).abs() < 1e-9));
}

#[test]
fn the_user_raises_the_minimum_and_never_lowers_it() {
    let rounds = SimulatedMachine::new(8, 0.002).rounds(20, 1.05);
    let judged = |minimum| {
        let standing = analyze_rounds(
            &rounds,
            WallTimeCriteria {
                minimum_change: Some(minimum),
                ..ALONE
            },
        );
        final_findings(&[standing])[0].outcome
    };
    assert_eq!(judged(0.0), BenchmarkOutcome::Regression);
    assert_eq!(judged(0.10), BenchmarkOutcome::Pass);
    let slight = analyze_rounds(&SimulatedMachine::new(8, 0.001).rounds(20, 1.005), ALONE);
    assert_eq!(slight.state, InterimDecision::Decided(BenchmarkOutcome::Pass));
}

#[test]
fn too_few_rounds_tell_nothing() {
    let standing = analyze_rounds(&SimulatedMachine::new(1, 0.001).rounds(5, 2.0), ALONE);
    assert_eq!(standing.state, InterimDecision::Undecided);
    assert_eq!(
        final_findings(&[standing])[0].reason,
        FindingReason::Timed(TimingReason::TooFewRounds { rounds: 5, needed: 6 })
    );
    let finding = &final_findings(&[analyze_rounds(&[], ALONE)])[0];
    assert_eq!((finding.outcome, finding.base), (BenchmarkOutcome::Inconclusive, None));
}

#[test]
fn rounds_without_a_control_tell_nothing() {
    let mut rounds = SimulatedMachine::new(2, 0.001).rounds(10, 1.05);
    for round in &mut rounds {
        round.control.0.clear();
    }
    let finding = &final_findings(&[analyze_rounds(&rounds, ALONE)])[0];
    assert_eq!(finding.reason, FindingReason::Timed(TimingReason::NoRound));
}

fn start() -> impl Strategy<Value = ProcessStart> {
    prop::collection::vec(
        prop_oneof![
            6 => 1.0f64..1e9,
            1 => Just(0.0),
            1 => Just(f64::NAN),
            1 => Just(f64::INFINITY),
            1 => Just(f64::MIN_POSITIVE),
            1 => Just(f64::MAX),
            1 => Just(-5.0),
        ],
        0..4,
    )
    .prop_map(ProcessStart)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_rounds_give_numbers_that_json_can_not_write(
        rounds in prop::collection::vec((start(), start(), start()), 0..24),
    ) {
        let rounds: Vec<MeasurementRound> =
            rounds.into_iter().map(|(base, control, head)| MeasurementRound { base, control, head }).collect();
        let finding = final_findings(&[analyze_rounds(&rounds, ALONE)]).remove(0);
        for number in [finding.base, finding.head, finding.change, finding.low, finding.high].into_iter().flatten() {
            prop_assert!(number.is_finite(), "{:?}", finding);
        }
    }

    #[test]
    fn what_a_round_decided_is_what_is_settled(
        seed in any::<u64>(),
        ratio in 0.85f64..1.15,
        noise in 0.001f64..0.05,
        others in 0usize..8,
    ) {
        let terms = WallTimeCriteria { benchmarks: others + 1, ..ALONE };
        let standing = SimulatedMachine::new(seed, noise).measure(ratio, terms);
        let state = standing.state;
        // The others say nothing, which is the hardest for the false discovery rate.
        let mut all = vec![standing];
        all.extend(vec![analyze_rounds(&[], terms); others]);
        let settled = final_findings(&all)[0].outcome;
        match state {
            InterimDecision::Decided(outcome) => prop_assert_eq!(settled, outcome),
            InterimDecision::Undecided => prop_assert!(settled != BenchmarkOutcome::Pass),
        }
    }

    #[test]
    fn reciprocal_times_have_the_mirrored_verdict(seed in any::<u64>(), ratio in 0.9f64..1.1) {
        let rounds = SimulatedMachine::new(seed, 0.02).rounds(20, ratio);
        let reciprocal = |start: &ProcessStart| ProcessStart(start.0.iter().map(|time| 1e12 / time).collect());
        let mirrored: Vec<MeasurementRound> = rounds
            .iter()
            .map(|round| MeasurementRound {
                base: reciprocal(&round.base),
                control: reciprocal(&round.control),
                head: reciprocal(&round.head),
            })
            .collect();
        let (forth, back) = (analyze_rounds(&rounds, ALONE), analyze_rounds(&mirrored, ALONE));
        prop_assert!((forth.estimate * back.estimate - 1.0).abs() < 1e-9);
        prop_assert!((forth.low * back.high - 1.0).abs() < 1e-9);
        prop_assert!((forth.noise - back.noise).abs() < 1e-9);
        prop_assert!((forth.p / back.p - 1.0).abs() < 1e-9);
        let expected = match forth.state {
            InterimDecision::Decided(BenchmarkOutcome::Regression) => InterimDecision::Decided(BenchmarkOutcome::Improvement),
            InterimDecision::Decided(BenchmarkOutcome::Improvement) => InterimDecision::Decided(BenchmarkOutcome::Regression),
            other => other,
        };
        prop_assert_eq!(back.state, expected);
    }
}

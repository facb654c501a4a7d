#![allow(clippy::unwrap_used)]
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

const ALONE: WallTimeCriteria = WallTimeCriteria {
    benchmarks: 1,
    minimum_change: None,
    seed: 1,
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
        while let (InterimDecision::Undecided, Some(next)) = (standing.state, next_look(rounds.len())) {
            let more = next - rounds.len();
            rounds.extend(self.rounds(more, ratio));
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
fn each_look_can_reach_the_level_and_together_they_spend_it_once() {
    let mut spent = 0.0;
    for (rounds, share) in LOOKS {
        let agreeing: Vec<f64> = (1..=rounds).map(|step| step as f64).collect();
        assert!(signed_rank_p(&agreeing) / share <= FALSE_DISCOVERIES);
        spent += share;
    }
    assert_eq!(spent, 1.0);
    assert_eq!(
        [0, 9, 10, 79, 80].map(next_look),
        [Some(10), Some(10), Some(20), Some(80), None]
    );
}

#[test]
fn looking_again_and_again_does_not_inflate_the_level() {
    let trials = 400;
    let low = (0..trials)
        .filter(|seed| {
            let mut machine = SimulatedMachine::new(*seed, 0.05);
            let ratios: Vec<f64> = (0..80)
                .map(|_| machine.start(1.0).0[0].ln() - machine.start(1.0).0[0].ln())
                .collect();
            p_over_looks(&ratios) <= 0.05
        })
        .count();
    // 5% of 400 are 20, and three standard deviations more 33; the least of the four p-values, as it is, would be that
    // low in one trial in eight.
    assert!(low <= 33, "{low} of {trials}");
    assert!(low >= 2, "{low} of {trials}: the test can't reach its level");
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
fn a_clear_change_is_told_at_the_first_look_and_a_small_one_needs_more() {
    let clear = SimulatedMachine::new(3, 0.01).measure(1.2, ALONE);
    assert_eq!(
        (clear.rounds, clear.state),
        (10, InterimDecision::Decided(BenchmarkOutcome::Regression))
    );
    let still = SimulatedMachine::new(3, 0.005).measure(1.0, ALONE);
    assert_eq!(
        (still.rounds, still.state),
        (10, InterimDecision::Decided(BenchmarkOutcome::Pass))
    );
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
    let standing = SimulatedMachine::new(3, 0.01).measure(1.2, many);
    assert_eq!(
        (standing.rounds, standing.state),
        (20, InterimDecision::Decided(BenchmarkOutcome::Regression))
    );
    // Stopped by its budget at the first look: not enough among twenty, enough alone.
    let early = analyze_rounds(&SimulatedMachine::new(3, 0.01).rounds(10, 1.2), many);
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
    // The control is 6% off every time, the head 5%.
    let rounds: Vec<MeasurementRound> = (0..40)
        .map(|round| {
            let base = 1e6 + f64::from(round);
            MeasurementRound {
                base: ProcessStart(vec![base]),
                control: ProcessStart(vec![base * 1.06]),
                head: ProcessStart(vec![base * 1.05]),
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
    assert!((change.estimate - 0.05).abs() < 1e-9);
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
    let standing = analyze_rounds(&SimulatedMachine::new(1, 0.001).rounds(9, 2.0), ALONE);
    assert_eq!((standing.p, standing.state), (1.0, InterimDecision::Undecided));
    assert_eq!(
        final_findings(&[standing])[0].reason,
        FindingReason::Timed(TimingReason::TooFewRounds { rounds: 9, needed: 10 })
    );
    let finding = &final_findings(&[analyze_rounds(&[], ALONE)])[0];
    assert_eq!((finding.outcome, finding.base), (BenchmarkOutcome::Inconclusive, None));
}

#[test]
fn without_a_control_the_minimum_alone_counts() {
    let mut rounds = SimulatedMachine::new(2, 0.001).rounds(10, 1.05);
    for round in &mut rounds {
        round.control.0.clear();
    }
    let standing = analyze_rounds(&rounds, ALONE);
    assert_eq!(standing.noise, 0.0);
    assert_eq!(standing.state, InterimDecision::Decided(BenchmarkOutcome::Regression));
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
    fn what_a_look_decided_is_what_is_settled(
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
    fn exchanged_sides_have_the_mirrored_verdict(seed in any::<u64>(), ratio in 0.9f64..1.1) {
        let mut rounds = SimulatedMachine::new(seed, 0.02).rounds(20, ratio);
        for round in &mut rounds {
            round.control.0.clear();
        }
        let swapped: Vec<MeasurementRound> = rounds
            .iter()
            .map(|round| MeasurementRound { base: round.head.clone(), control: ProcessStart::default(), head: round.base.clone() })
            .collect();
        let (forth, back) = (analyze_rounds(&rounds, ALONE), analyze_rounds(&swapped, ALONE));
        prop_assert!((forth.estimate * back.estimate - 1.0).abs() < 1e-9);
        prop_assert!((forth.low * back.high - 1.0).abs() < 1e-9);
        prop_assert_eq!(forth.p, back.p);
        let mirrored = match forth.state {
            InterimDecision::Decided(BenchmarkOutcome::Regression) => InterimDecision::Decided(BenchmarkOutcome::Improvement),
            InterimDecision::Decided(BenchmarkOutcome::Improvement) => InterimDecision::Decided(BenchmarkOutcome::Regression),
            other => other,
        };
        prop_assert_eq!(back.state, mirrored);
    }
}

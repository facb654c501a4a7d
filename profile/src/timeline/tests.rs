#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn timeline(total: u64, frame: u64, functions: &[(&str, &[u8])]) -> Timeline {
    let activity = |(name, shares): &(&str, &[u8])| FunctionActivity {
        name: (*name).to_owned(),
        shares: shares.to_vec(),
    };
    Timeline {
        unit: CostUnit::Operations,
        total,
        frame,
        functions: functions.iter().map(activity).collect(),
    }
}

/// 22 operations in frames of 8: the last has 6.
fn sample() -> Timeline {
    timeline(
        22,
        8,
        &[("k::a", &[100, 100, 100]), ("k::b", &[0, 25, 50]), ("k::c", &[1, 0, 0])],
    )
}

#[test]
fn the_last_frame_is_as_long_as_the_run_goes_on() {
    let timeline = sample();
    assert_eq!(timeline.frames(), 3);
    let lengths: Vec<u64> = (0..4).map(|frame| timeline.length_of(frame)).collect();
    assert_eq!(lengths, [8, 8, 6, 0]);
    assert_eq!(timeline.shares("k::b"), Some([0, 25, 50].as_slice()));
    assert_eq!(timeline.shares("k::d"), None);
}

#[test]
fn merged_frames_are_weighted_by_length_and_drop_rows_without_shares() {
    let merged = sample().with_frame_length(16);
    // (0·8 + 25·8) / 16 = 12.5; the last frame stays alone. 1% of the first half is half a percent of both.
    assert_eq!(
        merged,
        timeline(22, 16, &[("k::a", &[100, 100]), ("k::b", &[13, 50]), ("k::c", &[1, 0])])
    );
    // (0·8 + 25·8 + 50·6) / 22 = 22.7; 1·8 / 22 = 0.36.
    let whole = timeline(22, 32, &[("k::a", &[100]), ("k::b", &[23])]);
    assert_eq!(sample().with_frame_length(32), whole);
}

#[test]
fn frames_are_not_cut() {
    for length in [0, 1, 4, 8, 12, 17] {
        assert_eq!(sample().with_frame_length(length), sample(), "{length}");
    }
}

#[test]
fn percents_are_rounded_and_never_above_a_hundred() {
    assert_eq!(percent(0, 1000), 0);
    assert_eq!(percent(4, 1000), 0);
    assert_eq!(percent(5, 1000), 1);
    assert_eq!(percent(994, 1000), 99);
    assert_eq!(percent(995, 1000), 100);
    assert_eq!(percent(u64::MAX, u64::MAX), 100);
    assert_eq!(percent(3, 2), 100);
    assert_eq!(percent(0, 0), 0);
}

#[test]
fn a_stored_timeline_is_read_back() {
    let bytes = encode(&sample());
    assert_eq!(decode(&bytes), Ok(sample()));
    assert_eq!(encode(&decode(&bytes).unwrap()), bytes);
}

#[test]
fn a_timeline_that_breaks_its_promises_is_none() {
    let broken = [
        timeline(0, 8, &[]),
        timeline(22, 0, &[]),
        timeline(22, 12, &[]),
        timeline(u64::MAX, 8, &[]),
        timeline(22, 8, &[("k::a", &[100, 100])]),
        timeline(22, 8, &[("k::a", &[101, 0, 0])]),
        timeline(22, 8, &[("k::a", &[0, 0, 0])]),
        timeline(22, 8, &[("k::b", &[1, 0, 0]), ("k::a", &[1, 0, 0])]),
        timeline(22, 8, &[("k::a", &[1, 0, 0]), ("k::a", &[1, 0, 0])]),
    ];
    for timeline in broken {
        assert!(decode(&encode(&timeline)).is_err(), "{timeline:?}");
    }
}

proptest! {
    #[test]
    fn damaged_bytes_are_an_error(at in 0usize..1000, change in 1u8..=255, cut in 0usize..1000) {
        let bytes = encode(&sample());
        let mut damaged = bytes.clone();
        let at = at % bytes.len();
        damaged[at] ^= change;
        prop_assert!(decode(&damaged).is_err());
        prop_assert!(decode(&bytes[..cut % bytes.len()]).is_err());
    }

    #[test]
    fn any_bytes_are_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn merging_keeps_the_mean(
        shares in proptest::collection::vec(0u8..=100, 1..=MOST_FRAMES),
        last in 1u64..=16,
        factor in 1u32..8,
    ) {
        let total = (shares.len() as u64 - 1) * 16 + last;
        let before = timeline(total, 16, &[("k::a", &shares)]);
        let mean = |timeline: &Timeline| -> f64 {
            let shares = timeline.shares("k::a").unwrap_or(&[]);
            let active = shares.iter().enumerate();
            let active = active.map(|(at, share)| f64::from(*share) * timeline.length_of(at) as f64);
            active.sum::<f64>() / total as f64
        };
        let after = before.with_frame_length(16 << factor);
        prop_assert!((mean(&before) - mean(&after)).abs() <= 0.5, "{} {}", mean(&before), mean(&after));
        prop_assert!(after.functions.is_empty() || decode(&encode(&after)) == Ok(after));
    }
}

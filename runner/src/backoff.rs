//! A number of earlier attempts → the pause before the next one: exponential backoff with jitter. Does not sleep, and
//! does not decide whether to try again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Doublings after which a pause grows no further.
const MOST_DOUBLINGS: u32 = 16;

/// The pause after `rounds` earlier pauses: `first`, doubled each round up to `longest`, less a random part of up to a
/// half. The random part keeps processes that failed together from trying again together.
pub(crate) fn backoff_pause(first: Duration, longest: Duration, rounds: u32) -> Duration {
    let pause = first.saturating_mul(1 << rounds.min(MOST_DOUBLINGS)).min(longest);
    // The keys of the standard library's hash maps are random, which is sufficient for jitter.
    let share = RandomState::new().hash_one(rounds) % 1024;
    let half = pause / 2;
    half + half.mul_f64(f64::from(u16::try_from(share).unwrap_or(0)) / 1024.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::backoff_pause;

    #[test]
    fn a_pause_is_in_the_upper_half_of_the_doubled_first_pause() {
        let first = Duration::from_millis(8);
        let longest = Duration::from_millis(100);
        for (rounds, expected) in [(0, 8), (1, 16), (3, 64), (4, 100), (40, 100)] {
            let pause = backoff_pause(first, longest, rounds);
            let expected = Duration::from_millis(expected);
            assert!(expected / 2 <= pause && pause <= expected, "{rounds}: {pause:?}");
        }
    }

    #[test]
    fn pauses_of_one_round_differ() {
        let pauses: Vec<Duration> = (0..20)
            .map(|_| backoff_pause(Duration::from_secs(1), Duration::from_secs(1), 0))
            .collect();
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
    }
}

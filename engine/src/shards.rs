//! Versions in, the parts of several machines out: each part is a stretch of the history, and all stretches are expected to
//! cost alike.
//!
//! A machine that goes from one version to the next builds only what changed between them. `2/4` stands for the second of
//! four machines that know of no costs: then all versions count alike, and the place in the history alone decides. Not
//! what is stored: machines that start at different moments see different stores, and would take a version twice, or none
//! would.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// More machines than this are a slip of the finger.
pub const MOST: u32 = 256;

/// One machine of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1 on.
    index: u32,
    /// Number of machines.
    of: u32,
}

impl Shard {
    /// All parts, in order.
    pub fn all(of: u32) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |index| Shard { index, of })
    }

    /// Its part.
    pub fn part<V>(self, versions: &[V]) -> &[V] {
        let stretches = stretches(&vec![1.0; versions.len()], self.of);
        &versions[stretches[self.index as usize - 1].clone()]
    }
}

/// Divides versions of these costs into `of` stretches, as alike in cost as whole versions allow: the border after the
/// k-th stretch lies where the costs up to it are closest to k shares of all. Stretches may be empty.
pub fn stretches(costs: &[f64], of: u32) -> Vec<Range<usize>> {
    let total: f64 = costs.iter().sum();
    let share = total / f64::from(of.max(1));
    let mut borders = vec![0];
    let (mut border, mut spent) = (0, 0.0);
    for stretch in 1..of {
        let wanted = share * f64::from(stretch);
        // A version belongs to the stretch that most of it lies in.
        while border < costs.len() && spent + costs[border] / 2.0 < wanted {
            spent += costs[border];
            border += 1;
        }
        borders.push(border);
    }
    borders.push(costs.len());
    borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "write `1/4` for the first of four machines";
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_plain.then(|| text.parse::<u32>().ok()).flatten()
        };
        let (index, of) = text
            .split_once('/')
            .and_then(|(index, of)| Some((number(index)?, number(of)?)))
            .ok_or_else(|| format!("it is not a part of a whole; {FORM}"))?;
        if of > MOST {
            return Err(format!("more than {MOST} machines; {FORM}"));
        }
        if index == 0 {
            return Err(format!("machines are counted from 1; {FORM}"));
        }
        if index > of {
            return Err(format!("there is no machine {index} of {of}; {FORM}"));
        }
        Ok(Self { index, of })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_version_is_in_exactly_one_part(versions in 0..500_usize, of in 1..=MOST) {
            let versions: Vec<usize> = (0..versions).collect();
            let parts: Vec<&[usize]> = Shard::all(of).map(|shard| shard.part(&versions)).collect();
            prop_assert_eq!(&parts.concat(), &versions);
            let sizes = || parts.iter().map(|part| part.len());
            prop_assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
        }

        #[test]
        fn no_stretch_costs_more_than_its_share_by_more_than_a_version(
            costs in proptest::collection::vec(0.0..100.0, 0..200),
            of in 1..=MOST,
        ) {
            let stretches = stretches(&costs, of);
            prop_assert_eq!(stretches.len(), of as usize);
            prop_assert_eq!(stretches.iter().map(Range::len).sum::<usize>(), costs.len());
            prop_assert!(stretches.windows(2).all(|pair| pair[0].end == pair[1].start));
            let share = costs.iter().sum::<f64>() / f64::from(of);
            let costliest = costs.iter().copied().fold(0.0, f64::max);
            for stretch in stretches {
                let cost: f64 = costs[stretch].iter().sum();
                prop_assert!(cost <= share + costliest + 1e-6, "{cost} of {share}");
            }
        }

        #[test]
        fn what_is_shown_is_read_again(of in 1..=MOST, index in 0..MOST) {
            let shard = Shard { index: index % of + 1, of };
            prop_assert_eq!(shard.to_string().parse(), Ok(shard));
        }

        #[test]
        fn no_text_makes_a_part_of_nothing(text in "[0-9/+ -]{0,8}") {
            if let Ok(shard) = text.parse::<Shard>() {
                prop_assert!(1 <= shard.index && shard.index <= shard.of && shard.of <= MOST);
            }
        }
    }

    #[test]
    fn what_is_no_part_is_refused_with_its_reason() {
        for (text, why) in [
            ("0/3", "counted from 1"),
            ("4/3", "no machine 4 of 3"),
            ("1/0", "no machine 1 of 0"),
            ("1", "1/4"),
            ("", "1/4"),
            ("a/b", "1/4"),
            ("-1/3", "1/4"),
            ("+1/3", "1/4"),
            ("1/3/5", "1/4"),
            ("1/4294967297", "1/4"),
            ("1/1000", "more than 256"),
        ] {
            let refused = text.parse::<Shard>().unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn each_machine_takes_a_stretch_of_the_history() {
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!(shard.part(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), [3, 4, 5]);
    }

    #[test]
    fn a_stretch_of_costly_versions_is_shorter() {
        assert_eq!(
            stretches(&[30.0, 30.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0], 2),
            [0..2, 2..8]
        );
        assert_eq!(stretches(&[], 2), [0..0, 0..0]);
    }
}

//! Versions in, the part of one machine of several out: `2/4` stands for the second of four.
//!
//! Machines take turns along the history, instead of a stretch each: old versions, which fail sooner or build longer, are
//! shared out evenly, and a machine that is lost leaves gaps that its neighbours' samples are near, not a stretch without
//! any. What a stretch would gain, dependencies that stay built, is little: between two sampled versions lie twenty others.
//! The place in the history alone decides, and not what is stored: machines that start at different moments see
//! different stores, and would take a version twice, or none would.

use std::fmt;
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
    pub fn part<'v, V>(self, versions: &'v [V]) -> impl Iterator<Item = &'v V> + use<'v, V> {
        versions.iter().skip(self.index as usize - 1).step_by(self.of as usize)
    }
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
            let mut taken: Vec<usize> = Shard::all(of).flat_map(|shard| shard.part(&versions)).copied().collect();
            taken.sort_unstable();
            prop_assert_eq!(&taken, &versions);
            let sizes: Vec<usize> = Shard::all(of).map(|shard| shard.part(&versions).count()).collect();
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
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
    fn machines_take_turns() {
        let shard: Shard = "2/3".parse().unwrap();
        let part: Vec<i32> = shard.part(&[0, 1, 2, 3, 4, 5, 6]).copied().collect();
        assert_eq!(part, [1, 4]);
    }
}

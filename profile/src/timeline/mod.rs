//! When each function was active in one run: shares of time frames of one length (Sandoval et al., "Performance
//! Evolution Matrix", VISSOFT 2019, section III.D).
//!
//! Time is what the run had executed, in the unit of its costs, so that a timeline repeats as exactly as they do. Who
//! recorded it is not known here.

mod binary;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use binary::{LARGEST, TimelineDecodeError, decode, encode};

use crate::model::CostUnit;

/// The most frames of a timeline: enough to see phases in a cell's width. Recording merges neighbours when it has
/// twice as many frames as the least that is shown, so that a run of 80 units or more has 41 to 80.
pub const MOST_FRAMES: usize = 80;

/// One run of a benchmark, in frames.
///
/// The length of a frame is a power of two, so that the frames of two timelines can be made equally long without
/// cutting one; see [`in_frames_of`](Self::in_frames_of).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// What time is counted in.
    pub unit: CostUnit,
    /// Length of the run, above 0.
    pub total: u64,
    /// Length of each frame but the last, which ends with the run.
    pub frame: u64,
    /// Every function that was active for at least half a percent of some frame. Sorted by name, each name once.
    pub functions: Vec<FunctionActivity>,
}

/// When one function was active: on the stack, callees included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionActivity {
    /// As in a profile; all functions of one name are one.
    pub name: String,
    /// For each frame how much of it the function was active, rounded to percents: 0 to 100. Not all are 0.
    pub shares: Vec<u8>,
}

impl Timeline {
    /// The number of frames: 1 to [`MOST_FRAMES`].
    #[must_use]
    pub fn frames(&self) -> usize {
        frames(self.total, self.frame)
    }

    /// The length of a frame of this timeline; the last one may be shorter.
    #[must_use]
    pub fn length_of(&self, frame: usize) -> u64 {
        let before = (frame as u64).saturating_mul(self.frame);
        self.total.saturating_sub(before).min(self.frame)
    }

    /// The shares of a function, one a frame; `None` if it is in none.
    #[must_use]
    pub fn shares(&self, name: &str) -> Option<&[u8]> {
        let at = self
            .functions
            .binary_search_by(|activity| activity.name.as_str().cmp(name));
        at.ok().map(|at| self.functions[at].shares.as_slice())
    }

    /// The same run in longer frames: neighbours are merged, each weighed by its length, and rounded again, which moves
    /// a share by at most 1. Unchanged if the length is not a power of two above that of the frames.
    ///
    /// Two versions are shown on one axis in the longer of their frames.
    #[must_use]
    pub fn with_frame_length(&self, length: u64) -> Self {
        if !length.is_power_of_two() || length <= self.frame {
            return self.clone();
        }
        let merged = usize::try_from(length / self.frame).unwrap_or(usize::MAX);
        let lengths: Vec<u64> = (0..self.frames()).map(|at| self.length_of(at)).collect();
        let shares = |shares: &[u8]| {
            let pairs: Vec<(u8, u64)> = shares.iter().copied().zip(lengths.iter().copied()).collect();
            let merged = pairs.chunks(merged).map(|chunk| {
                let length: u128 = chunk.iter().map(|(_, length)| u128::from(*length)).sum();
                let active: u128 = chunk
                    .iter()
                    .map(|(share, length)| u128::from(*share) * u128::from(*length))
                    .sum();
                rounded(active, length)
            });
            merged.collect::<Vec<u8>>()
        };
        let activities = self.functions.iter().map(|activity| FunctionActivity {
            name: activity.name.clone(),
            shares: shares(&activity.shares),
        });
        Self {
            unit: self.unit,
            total: self.total,
            frame: length,
            functions: activities.filter(FunctionActivity::is_seen).collect(),
        }
    }
}

impl FunctionActivity {
    /// True if it rounds to at least one percent of some frame.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.shares.iter().any(|share| *share > 0)
    }
}

/// How many frames of a length a run has.
#[must_use]
pub fn frames(total: u64, frame: u64) -> usize {
    usize::try_from(total.div_ceil(frame.max(1))).unwrap_or(usize::MAX)
}

/// How much of a frame something takes up, in percents, half of one rounded up.
#[must_use]
pub fn percent(active: u64, length: u64) -> u8 {
    rounded(u128::from(active) * 100, u128::from(length))
}

/// Hundredths over a length above 0, as percents of at most 100.
fn rounded(hundredths: u128, length: u128) -> u8 {
    let length = length.max(1);
    u8::try_from(((2 * hundredths + length) / (2 * length)).min(100)).unwrap_or(100)
}

//! A model of when each function was active in one run: shares of time frames of one length (Sandoval et al.,
//! "Performance Evolution Matrix", VISSOFT 2019, section III.D).
//!
//! Time is the cost executed so far, in the unit of the run, so that timelines repeat as exactly as costs do. Does not
//! know how a timeline was recorded.

mod binary;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use binary::{LARGEST, TimelineDecodeError, decode, encode};

use crate::model::CostUnit;

/// Most frames of a timeline: enough to see phases in the width of a table cell. Recording merges neighbouring frames
/// once there are twice as many as the fewest shown, so that a run of 80 units or more has 41 to 80.
pub const MOST_FRAMES: usize = 80;

/// One run of a benchmark, in frames.
///
/// The length of a frame is a power of two, so that two timelines can be converted to the same length without splitting
/// a frame; see [`with_frame_length`](Self::with_frame_length).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Unit of time.
    pub unit: CostUnit,
    /// Length of the run, above 0.
    pub total: u64,
    /// Length of each frame except the last, which ends with the run.
    pub frame: u64,
    /// Functions that were active for at least half a percent of some frame, sorted by name; names are unique.
    pub functions: Vec<FunctionActivity>,
}

/// Activity of one function: the time that it or one of its callees was executing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionActivity {
    /// As in a profile; functions of one name are joined.
    pub name: String,
    /// For each frame, the share of it in which the function was active, rounded to percent: 0 to 100. At least one is
    /// above 0.
    pub shares: Vec<u8>,
}

impl Timeline {
    /// The number of frames: 1 to [`MOST_FRAMES`].
    #[must_use]
    pub fn frames(&self) -> usize {
        frames(self.total, self.frame)
    }

    /// Length of a frame; the last one may be shorter.
    #[must_use]
    pub fn length_of(&self, frame: usize) -> u64 {
        let before = (frame as u64).saturating_mul(self.frame);
        self.total.saturating_sub(before).min(self.frame)
    }

    /// Shares of a function, one per frame; `None` if it is not in the timeline.
    #[must_use]
    pub fn shares(&self, name: &str) -> Option<&[u8]> {
        let at = self
            .functions
            .binary_search_by(|activity| activity.name.as_str().cmp(name));
        at.ok().map(|at| self.functions[at].shares.as_slice())
    }

    /// Converts the run to longer frames: neighbours are merged, weighted by length, and rounded again, which moves a
    /// share by at most 1. Unchanged if the length is not a power of two above the current one.
    ///
    /// Two versions are shown on one axis with the longer of their frames.
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
    /// True if at least one share is above 0.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.shares.iter().any(|share| *share > 0)
    }
}

/// Number of frames of a run.
#[must_use]
pub fn frames(total: u64, frame: u64) -> usize {
    usize::try_from(total.div_ceil(frame.max(1))).unwrap_or(usize::MAX)
}

/// Share of a frame in percent; halves are rounded up.
#[must_use]
pub fn percent(active: u64, length: u64) -> u8 {
    rounded(u128::from(active) * 100, u128::from(length))
}

/// A number of hundredths over a length above 0, as percent up to 100.
fn rounded(hundredths: u128, length: u128) -> u8 {
    let length = length.max(1);
    u8::try_from(((2 * hundredths + length) / (2 * length)).min(100)).unwrap_or(100)
}

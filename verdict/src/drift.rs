//! Earlier counts of one benchmark in one metric → the older version that slow creep is held against.
//!
//! A hundred steps that are each within the threshold are together a loss. So a head is compared with more than its
//! base: with an anchor, the oldest count since the benchmark last moved visibly. A rise that was told of moves the
//! anchor: each loss is told once, at the version that takes it beyond the threshold.

/// A count of an earlier version, on the line of first parents that leads to the base.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierCount {
    /// The version.
    pub version: String,
    /// Versions from it to the base: 0 is the base itself.
    pub age: u32,
    /// The count, in the metric's unit; the highest of several, so that a low one by chance is no anchor.
    pub count: f64,
    /// True if the verdict on this version was a regression or an improvement in this metric.
    pub moved: bool,
}

/// A loss that somebody accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedLoss {
    /// The version whose loss was accepted.
    pub version: String,
    /// Versions from the version that it was compared with to the base.
    pub age: u32,
    /// The accepted change, relative.
    pub change: f64,
}

/// A version that the head is compared with besides its base.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftAnchor {
    /// The version.
    pub version: String,
    /// Versions from it to the head, the head included.
    pub versions: u32,
    /// Its count, in the metric's unit.
    pub count: f64,
}

/// The older counts that a head is held against.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftHistory {
    anchor: DriftAnchor,
    /// Accepted losses after the anchor. They count once the base has them: an accepted pull request may never be merged.
    accepted: Vec<DriftAnchor>,
}

/// A rise since an older version.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The older version.
    pub since: DriftAnchor,
    /// The rise relative to its count; `None` from zero.
    pub change: Option<f64>,
    /// The rise, in the metric's unit.
    pub difference: f64,
}

impl DriftHistory {
    /// Chooses the anchor among the earlier counts, oldest first: the oldest since the last version that moved, by its
    /// verdict. A jump beyond `threshold` between two neighbours whose benchmark is not the same one (`is_same` is asked
    /// for the older and the newer version) starts anew as well: the two counts cannot be compared. A benchmark that was
    /// changed and costs what it did before is held against the same anchor: touching it is no way to be rid of that.
    ///
    /// `None` without a count.
    pub fn of(
        counts: &[EarlierCount],
        accepted: &[AcceptedLoss],
        threshold: f64,
        mut is_same: impl FnMut(&str, &str) -> bool,
    ) -> Option<Self> {
        let mut start = 0;
        for at in 1..counts.len() {
            let (older, newer) = (&counts[at - 1], &counts[at]);
            let jumped = (newer.count - older.count).abs() > threshold * older.count;
            if newer.moved || (jumped && !is_same(&older.version, &newer.version)) {
                start = at;
            }
        }
        let since = &counts[start.min(counts.len())..];
        let oldest = since.first()?;
        let accepted = accepted.iter().filter_map(|loss| {
            let before = since.iter().rev().find(|count| count.age >= loss.age)?;
            Some(DriftAnchor {
                version: loss.version.clone(),
                versions: loss.age.saturating_add(1),
                count: before.count * (1.0 + loss.change),
            })
        });
        Some(Self {
            anchor: DriftAnchor {
                version: oldest.version.clone(),
                versions: oldest.age.saturating_add(1),
                count: oldest.count,
            },
            accepted: accepted.filter(|anchor| anchor.count.is_finite()).collect(),
        })
    }

    /// The anchor for a base of this count: the highest accepted one that the base has reached, within the threshold.
    fn anchor_for(&self, base: f64, threshold: f64) -> &DriftAnchor {
        let reached = (self.accepted.iter()).filter(|accepted| base >= accepted.count * (1.0 - threshold));
        reached.fold(&self.anchor, |highest, accepted| {
            if accepted.count > highest.count {
                accepted
            } else {
                highest
            }
        })
    }
}

/// The rise from the anchor to the head's count; `None` if it is within the threshold.
#[must_use]
pub(crate) fn drift_of(history: &DriftHistory, base: f64, head: f64, threshold: f64) -> Option<Drift> {
    let anchor = history.anchor_for(base, threshold);
    let difference = head - anchor.count;
    let change = (anchor.count > 0.0).then(|| difference / anchor.count);
    let beyond = change.map_or(difference > 0.0, |change| change > threshold);
    beyond.then(|| Drift {
        since: anchor.clone(),
        change,
        difference,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const THRESHOLD: f64 = 0.01;

    /// Counts of the versions `v0`, `v1` ..., of which the last is the base.
    fn line(counts: &[f64]) -> Vec<EarlierCount> {
        let last = counts.len() - 1;
        (counts.iter().enumerate())
            .map(|(at, &count)| EarlierCount {
                version: format!("v{at}"),
                age: u32::try_from(last - at).unwrap(),
                count,
                moved: false,
            })
            .collect()
    }

    fn anchor(counts: &[EarlierCount]) -> DriftAnchor {
        DriftHistory::of(counts, &[], THRESHOLD, |_, _| true).unwrap().anchor
    }

    #[test]
    fn the_oldest_count_is_the_anchor_while_nothing_moved() {
        let oldest = anchor(&line(&[1000.0, 1004.0, 1008.0]));
        assert_eq!(
            oldest,
            DriftAnchor {
                version: String::from("v0"),
                versions: 3,
                count: 1000.0
            }
        );
        assert_eq!(DriftHistory::of(&[], &[], THRESHOLD, |_, _| true), None);
    }

    #[test]
    fn a_move_that_was_told_moves_the_anchor() {
        let mut counts = line(&[1000.0, 1004.0, 1200.0, 1201.0]);
        counts[2].moved = true;
        assert_eq!(anchor(&counts).version, "v2");
        counts[3].moved = true;
        assert_eq!(anchor(&counts).version, "v3");
    }

    #[test]
    fn a_jump_starts_anew_only_where_the_benchmark_itself_changed() {
        let counts = line(&[1000.0, 1001.0, 2000.0, 2001.0]);
        let mut asked = Vec::new();
        let mut of = |same: bool| {
            let is_same = |older: &str, newer: &str| {
                asked.push(format!("{older} {newer}"));
                same
            };
            DriftHistory::of(&counts, &[], THRESHOLD, is_same)
                .unwrap()
                .anchor
                .version
        };
        assert_eq!(
            of(true),
            "v0",
            "a loss that no verdict told of is held against the oldest"
        );
        assert_eq!(of(false), "v2");
        assert_eq!(asked, ["v1 v2", "v1 v2"], "only of jumps");
    }

    #[test]
    fn an_accepted_loss_counts_once_the_base_has_it() {
        let accepted = AcceptedLoss {
            version: String::from("pull"),
            age: 1,
            change: 0.3,
        };
        let history = DriftHistory::of(&line(&[1000.0, 1000.0, 1000.0]), &[accepted], THRESHOLD, |_, _| true).unwrap();
        assert_eq!(history.anchor_for(1000.0, THRESHOLD).version, "v0", "never merged");
        let merged = history.anchor_for(1300.0, THRESHOLD);
        assert_eq!((merged.version.as_str(), merged.versions), ("pull", 2));
        assert!((merged.count - 1300.0).abs() < 1e-9);
        assert_eq!(drift_of(&history, 1300.0, 1301.0, THRESHOLD), None);
        assert_eq!(
            drift_of(&history, 1300.0, 1320.0, THRESHOLD).unwrap().since.version,
            "pull"
        );
    }

    #[test]
    fn a_loss_that_was_accepted_before_the_anchor_says_nothing_any_more() {
        let accepted = AcceptedLoss {
            version: String::from("pull"),
            age: 2,
            change: 0.3,
        };
        let mut counts = line(&[1000.0, 1300.0, 900.0, 900.0]);
        counts[2].moved = true;
        let history = DriftHistory::of(&counts, &[accepted], THRESHOLD, |_, _| true).unwrap();
        assert_eq!(history.accepted, []);
    }

    #[test]
    fn a_rise_from_nothing_has_no_quotient() {
        let history = DriftHistory::of(&line(&[0.0, 1000.0]), &[], THRESHOLD, |_, _| true).unwrap();
        let drift = drift_of(&history, 1000.0, 2000.0, THRESHOLD).unwrap();
        assert_eq!((drift.change, drift.difference), (None, 2000.0));
        assert_eq!(drift_of(&history, 0.0, 0.0, THRESHOLD), None);
    }
}

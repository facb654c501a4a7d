//! The measured versions of a project in, what each moved against the one before out.
//!
//! D = (μ\[i, b\] − μ\[i−1, b\]) / μ\[i−1, b\] (Sandoval et al., section 4.2, equations 1 and 2), for consecutive versions
//! only: a version that did not build has no difference, and neither has the one after it.

use super::{JudgedBy, MeasuredBenchmark, MeasuredVersion, Project};

/// One benchmark that has a count at a version and at the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Movement<'a> {
    pub(super) benchmark: &'a str,
    /// D: relative, 0.05 for 5% more instructions.
    pub(super) change: f64,
    pub(super) base: &'a MeasuredBenchmark,
    pub(super) head: &'a MeasuredBenchmark,
}

/// A version against the one before.
#[derive(Debug, Clone)]
pub(super) struct Contrast<'a> {
    /// Index of the version among the measured ones; its base is the one before.
    pub(super) position: usize,
    pub(super) version: &'a MeasuredVersion,
    /// By benchmark, at least one.
    pub(super) movements: Vec<Movement<'a>>,
    /// D of the sum over these benchmarks.
    pub(super) total: f64,
}

/// A version that has no difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// What people call it.
    pub version: String,
    /// Why.
    pub why: String,
}

/// What a version did to what it is judged by, at a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) regressed: bool,
    pub(super) improved: bool,
}

impl Moved {
    pub(super) fn of(change: f64, threshold: f64) -> Self {
        Self {
            regressed: change >= threshold,
            improved: change <= -threshold,
        }
    }

    /// In either direction.
    pub(super) fn any(self) -> bool {
        self.regressed || self.improved
    }
}

impl Contrast<'_> {
    pub(super) fn moved(&self, threshold: f64, judged_by: JudgedBy) -> Moved {
        match judged_by {
            JudgedBy::SuiteTotal => Moved::of(self.total, threshold),
            JudgedBy::AnyBenchmark => {
                self.movements
                    .iter()
                    .fold(Moved::default(), |sum, movement| {
                        let one = Moved::of(movement.change, threshold);
                        Moved {
                            regressed: sum.regressed || one.regressed,
                            improved: sum.improved || one.improved,
                        }
                    })
            }
        }
    }
}

/// Every version but the first, oldest first: with its difference, or why it has none.
pub(super) fn contrasts(project: &Project) -> (Vec<Contrast<'_>>, Vec<Unusable>) {
    let (mut usable, mut unusable) = (Vec::new(), Vec::new());
    for (index, pair) in project.measured.windows(2).enumerate() {
        let (base, version) = (&pair[0], &pair[1]);
        match contrast(index + 1, base, version) {
            Ok(contrast) => usable.push(contrast),
            Err(why) => unusable.push(Unusable {
                version: version.version.clone(),
                why,
            }),
        }
    }
    (usable, unusable)
}

fn contrast<'a>(
    position: usize,
    base: &'a MeasuredVersion,
    version: &'a MeasuredVersion,
) -> Result<Contrast<'a>, String> {
    for (who, side) in [("it", version), ("the version before", base)] {
        if let Some(why) = &side.unbuilt {
            return Err(format!("{who} has no benchmarks: {why}"));
        }
    }
    let mut movements = Vec::new();
    let (mut before, mut after) = (0u128, 0u128);
    for (name, head) in &version.benchmarks {
        let Some(other) = base.benchmarks.get(name) else {
            continue;
        };
        let (Some(count), Some(other_count)) = (head.instructions, other.instructions) else {
            continue;
        };
        // A subject of no instructions was never entered: there is nothing to be relative to.
        if other_count == 0 {
            continue;
        }
        before += u128::from(other_count);
        after += u128::from(count);
        movements.push(Movement {
            benchmark: name,
            change: relative(other_count as f64, count as f64),
            base: other,
            head,
        });
    }
    if movements.is_empty() {
        return Err(String::from(
            "no benchmark has a count at it and at the version before",
        ));
    }
    Ok(Contrast {
        position,
        version,
        movements,
        total: relative(before as f64, after as f64),
    })
}

fn relative(before: f64, after: f64) -> f64 {
    (after - before) / before
}

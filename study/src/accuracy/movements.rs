//! The measured versions of a project → the movement of each from the version before.
//!
//! D = (μ\[i, b\] − μ\[i−1, b\]) / μ\[i−1, b\] (Sandoval et al., section 4.2, equations 1 and 2), where i−1 is the last
//! version before i that has counts. A version that does not build has no difference; the next version includes its
//! changes.

use super::{ComparisonBase, MeasuredBenchmark, MeasuredVersion, MovementCriterion, ProjectResults};

/// One benchmark that has a count at a version and at its base.
#[derive(Debug, Clone, Copy)]
pub(super) struct BenchmarkMovement<'a> {
    pub(super) benchmark: &'a str,
    /// D: relative, 0.05 for 5% more instructions.
    pub(super) change: f64,
    pub(super) base: &'a MeasuredBenchmark,
    pub(super) head: &'a MeasuredBenchmark,
}

/// A version compared with its base.
#[derive(Debug, Clone)]
pub(super) struct VersionContrast<'a> {
    /// Index of the version among the measured ones.
    pub(super) position: usize,
    /// Index of the base, an earlier version: the one just before if that has counts.
    pub(super) base: usize,
    pub(super) version: &'a MeasuredVersion,
    /// The benchmarks; at least one.
    pub(super) movements: Vec<BenchmarkMovement<'a>>,
    /// D of the sum over these benchmarks.
    pub(super) total: f64,
}

/// A version that has no difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableVersion {
    /// The display name.
    pub version: String,
    /// The reason.
    pub why: String,
}

/// The directions in which a version moved by a criterion, at a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MovementDirections {
    pub(super) regressed: bool,
    pub(super) improved: bool,
}

impl MovementDirections {
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

impl VersionContrast<'_> {
    pub(super) fn moved(&self, threshold: f64, judged_by: MovementCriterion) -> MovementDirections {
        match judged_by {
            MovementCriterion::SuiteTotal => MovementDirections::of(self.total, threshold),
            MovementCriterion::AnyBenchmark => {
                self.movements
                    .iter()
                    .fold(MovementDirections::default(), |sum, movement| {
                        let one = MovementDirections::of(movement.change, threshold);
                        MovementDirections {
                            regressed: sum.regressed || one.regressed,
                            improved: sum.improved || one.improved,
                        }
                    })
            }
        }
    }
}

/// Every version that has a base, oldest first: its difference, or the reason why it has none.
pub(super) fn compare_versions(project: &ProjectResults) -> (Vec<VersionContrast<'_>>, Vec<UnusableVersion>) {
    let (mut usable, mut unusable) = (Vec::new(), Vec::new());
    let mut last_counted = None;
    for (position, version) in project.measured.iter().enumerate() {
        let before = &project.measured[..position];
        let base = match &version.against {
            ComparisonBase::LastCounted => last_counted,
            ComparisonBase::Commit(commit) => before.iter().rposition(|other| other.commit == *commit),
            ComparisonBase::Nothing => None,
        };
        if version.has_counts() {
            last_counted = Some(position);
        }
        if position == 0 || version.against == ComparisonBase::Nothing {
            continue;
        }
        match contrast(&project.measured, base, position) {
            Ok(contrast) => usable.push(contrast),
            Err(why) => unusable.push(UnusableVersion {
                version: version.version.clone(),
                why,
            }),
        }
    }
    (usable, unusable)
}

fn contrast(measured: &[MeasuredVersion], base: Option<usize>, position: usize) -> Result<VersionContrast<'_>, String> {
    let version = &measured[position];
    if let Some(why) = &version.unbuilt {
        return Err(format!("it has no benchmarks: {why}"));
    }
    if !version.has_counts() {
        let failures = version.benchmarks.values().find_map(|b| b.failed.as_ref());
        let why = failures.map_or_else(String::new, |why| format!(": {why}"));
        return Err(format!("no benchmark has a count at it{why}"));
    }
    let Some(base_position) = base else {
        return Err(String::from("there is no count before it to compare with"));
    };
    let base = &measured[base_position];
    let mut movements = Vec::new();
    let (mut before, mut after) = (0u128, 0u128);
    for (name, head) in &version.benchmarks {
        let Some(other) = base.benchmarks.get(name) else {
            continue;
        };
        let (Some(count), Some(other_count)) = (head.instructions, other.instructions) else {
            continue;
        };
        // A benchmark of zero instructions was never entered: a relative change is not defined.
        if other_count == 0 {
            continue;
        }
        before += u128::from(other_count);
        after += u128::from(count);
        movements.push(BenchmarkMovement {
            benchmark: name,
            change: relative(other_count as f64, count as f64),
            base: other,
            head,
        });
    }
    if movements.is_empty() {
        return Err(String::from(
            "no benchmark has a count both at it and at the version that it is compared with",
        ));
    }
    Ok(VersionContrast {
        position,
        base: base_position,
        version,
        movements,
        total: relative(before as f64, after as f64),
    })
}

fn relative(before: f64, after: f64) -> f64 {
    (after - before) / before
}

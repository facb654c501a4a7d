//! How often each kind of change occurs, and how often versions with it moved (the paper's Table 6).
//!
//! A version has changes of many kinds, and all of them count if it moved: the table shows a correlation, not a cause.

use std::collections::BTreeMap;

use super::measured_predicted::EvaluatedProject;
use super::movements::MovementDirections;
use analyzer::change::ChangeKind;

/// One kind of change in one study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeKindRow {
    /// `commits` or `releases`.
    pub scope: String,
    /// The kind.
    pub kind: ChangeKind,
    /// Changes of this kind.
    pub changes: u64,
    /// Changes that some benchmark executes.
    pub executed: u64,
    /// Versions with such an executed change.
    pub versions: usize,
    /// Versions among these that only regressed.
    pub regressed: usize,
    /// Versions that only improved.
    pub improved: usize,
    /// Versions that regressed in some benchmarks and improved in others.
    pub both: usize,
}

/// A row for each kind that occurs.
pub(super) fn kinds<'j>(
    scope: &str,
    projects: impl Iterator<Item = &'j EvaluatedProject<'j>>,
    threshold: f64,
) -> Vec<ChangeKindRow> {
    let mut rows: BTreeMap<ChangeKind, ChangeKindRow> = BTreeMap::new();
    for joint in projects.flat_map(|joined| &joined.versions) {
        let moved = joint.moved(threshold, super::MovementCriterion::AnyBenchmark);
        for (kind, [changes, executed]) in &joint.on.kinds {
            let row = rows.entry(*kind).or_insert_with(|| ChangeKindRow {
                scope: scope.to_owned(),
                kind: *kind,
                changes: 0,
                executed: 0,
                versions: 0,
                regressed: 0,
                improved: 0,
                both: 0,
            });
            row.changes += u64::from(*changes);
            row.executed += u64::from(*executed);
            if *executed == 0 {
                continue;
            }
            row.versions += 1;
            match moved {
                MovementDirections {
                    regressed: true,
                    improved: true,
                } => row.both += 1,
                MovementDirections { regressed: true, .. } => row.regressed += 1,
                MovementDirections { improved: true, .. } => row.improved += 1,
                MovementDirections { .. } => {}
            }
        }
    }
    rows.into_values().collect()
}

//! The seconds of earlier samples → those expected of others: as many as at the nearest one.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use runner::git::CommitId;

/// The file of the seconds that samples took, one version a line, in lito's folder of the repository.
const FILE: &str = "sampling-seconds";

/// Remembers seconds, for later jobs. They decide nothing but who takes which version, so a failure is none.
pub(super) fn remember(folder: &Path, seconds: &[(CommitId, f64)]) {
    let lines: String = seconds
        .iter()
        .map(|(commit, seconds)| format!("{commit} {seconds:.1}\n"))
        .collect();
    let file = OpenOptions::new().create(true).append(true).open(folder.join(FILE));
    let _ = file.and_then(|mut file| file.write_all(lines.as_bytes()));
}

/// The expected seconds of each version of a history, in its order; all alike where nothing is known.
pub(super) fn expected(folder: &Path, history: &[CommitId]) -> Vec<f64> {
    let known = parsed(&fs::read_to_string(folder.join(FILE)).unwrap_or_default());
    from_nearest(
        &history
            .iter()
            .map(|commit| known.get(commit).copied())
            .collect::<Vec<_>>(),
    )
}

fn parsed(lines: &str) -> BTreeMap<CommitId, f64> {
    lines
        .lines()
        .filter_map(|line| {
            let (commit, seconds) = line.split_once(' ')?;
            let seconds: f64 = seconds.parse().ok()?;
            (seconds.is_finite() && seconds > 0.0).then_some((commit.parse().ok()?, seconds))
        })
        .collect()
}

/// Fills gaps with the nearest value, of two equally near ones with the earlier.
fn from_nearest(known: &[Option<f64>]) -> Vec<f64> {
    let places: Vec<(usize, f64)> = (known.iter().enumerate())
        .filter_map(|(at, value)| Some((at, (*value)?)))
        .collect();
    (0..known.len())
        .map(|at| {
            let next = places.partition_point(|(place, _)| *place < at);
            let around = places[next.saturating_sub(1)..places.len().min(next + 1)].iter();
            around
                .min_by_key(|(place, _)| place.abs_diff(at))
                .map_or(1.0, |(_, value)| *value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_version_is_expected_to_take_what_the_nearest_known_one_took() {
        let known = [None, Some(10.0), None, None, Some(40.0), None];
        assert_eq!(from_nearest(&known), [10.0, 10.0, 10.0, 40.0, 40.0, 40.0]);
        assert_eq!(from_nearest(&[None, None]), [1.0, 1.0]);
        assert!(from_nearest(&[]).is_empty());
    }

    #[test]
    fn the_last_seconds_of_a_version_count_and_damaged_lines_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [1, 2].map(|digit| CommitId([digit; 20]));
        remember(folder.path(), &[(one, 5.0), (other, 7.04)]);
        remember(folder.path(), &[(one, 6.0)]);
        let path = folder.path().join(FILE);
        fs::write(
            &path,
            fs::read_to_string(&path).unwrap() + "x 1\n\n" + &format!("{one} NaN\n{one} -1"),
        )
        .unwrap();
        assert_eq!(expected(folder.path(), &[one, other]), [6.0, 7.0]);
    }
}

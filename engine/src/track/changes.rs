//! The points of one benchmark → where its cost changes: change points of the whole series, and jumps between
//! neighbours.
//!
//! Counts repeat to within [`COUNT_NOISE_FLOOR`]: smaller differences are not a change, by either method.

use profile::COUNT_NOISE_FLOOR;
use report::track::{ChangeDetectionMethod, TrackChange, TrackPoint};
use verdict::statistics::{e_divisive, median};

/// Where the permutations begin: the same points always have the same change points.
const SEED: u64 = 1;

/// The changes, by place, one a place. Nothing is compared across the places at which the benchmark is `rewritten`.
pub(super) fn changes(points: &[TrackPoint], rewritten: &[usize]) -> Vec<TrackChange> {
    let starts = std::iter::once(0).chain(rewritten.iter().copied());
    let ends = rewritten.iter().copied().chain([points.len()]);
    let stretches = starts.zip(ends);
    stretches
        .flat_map(|(start, end)| {
            let mut changes = of_one_source(&points[start..end]);
            for change in &mut changes {
                change.since += start;
                change.at += start;
            }
            changes
        })
        .collect()
}

fn of_one_source(points: &[TrackPoint]) -> Vec<TrackChange> {
    let costs = points.iter().enumerate();
    let (places, costs): (Vec<usize>, Vec<f64>) = costs
        .filter_map(|(place, point)| Some((place, point.cost()? as f64)))
        .unzip();
    let mut changes: Vec<TrackChange> = jumps(&costs).collect();
    for point in change_points(&costs) {
        match changes.iter_mut().find(|jump| jump.at == point.at) {
            // The reader sees the step; that it stays is a mark on it.
            Some(jump) => jump.method = ChangeDetectionMethod::EDivisive,
            None => changes.push(point),
        }
    }
    changes.sort_by_key(|change| change.at);
    for change in &mut changes {
        change.since = places[change.since];
        change.at = places[change.at];
    }
    changes
}

/// Where E-divisive divides the series, and the medians before and after are apart by more than [`COUNT_NOISE_FLOOR`]. The smallest
/// step falls first, and its two segments become one, until all that are left are beyond it.
fn change_points(costs: &[f64]) -> Vec<TrackChange> {
    let mut starts = e_divisive(costs, SEED);
    loop {
        let steps: Vec<TrackChange> = (0..starts.len())
            .map(|index| {
                let from = index.checked_sub(1).map_or(0, |before| starts[before]);
                let to = starts.get(index + 1).copied().unwrap_or(costs.len());
                let at = starts[index];
                TrackChange {
                    since: at - 1,
                    at,
                    before: median(&costs[from..at]).unwrap_or_default(),
                    after: median(&costs[at..to]).unwrap_or_default(),
                    method: ChangeDetectionMethod::EDivisive,
                }
            })
            .collect();
        let smallest =
            (steps.iter().enumerate()).min_by(|(_, a), (_, b)| a.relative().abs().total_cmp(&b.relative().abs()));
        match smallest {
            Some((index, step)) if step.relative().abs() <= COUNT_NOISE_FLOOR => {
                starts.remove(index);
            }
            _ => return steps,
        }
    }
}

/// Neighbours that are apart by more than [`COUNT_NOISE_FLOOR`].
fn jumps(costs: &[f64]) -> impl Iterator<Item = TrackChange> + '_ {
    let pairs = costs.windows(2).enumerate();
    let changes = pairs.map(|(place, pair)| TrackChange {
        since: place,
        at: place + 1,
        before: pair[0],
        after: pair[1],
        method: ChangeDetectionMethod::Jump,
    });
    changes.filter(|change| change.relative().abs() > COUNT_NOISE_FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(costs: &[u64]) -> Vec<TrackPoint> {
        costs.iter().map(|cost| TrackPoint::Measured(*cost)).collect()
    }

    fn found(points: &[TrackPoint]) -> Vec<(usize, ChangeDetectionMethod)> {
        let all = changes(points, &[]);
        all.iter().map(|change| (change.at, change.method)).collect()
    }

    #[test]
    fn a_step_that_stays_is_one_change_with_the_number_of_the_step() {
        let mut series = points(&[1000; 12]);
        series.extend(points(&[1100; 12]));
        series[3] = TrackPoint::Gap(0);
        series[4] = TrackPoint::Carried(1000);
        // The median of the segment after is lower.
        series[12] = TrackPoint::Measured(1150);
        let all = changes(&series, &[]);
        let step = all[0];
        assert_eq!((step.since, step.at), (11, 12));
        assert_eq!((step.before, step.after), (1000.0, 1150.0));
        assert_eq!(step.method, ChangeDetectionMethod::EDivisive);
    }

    #[test]
    fn a_slow_rise_without_a_step_is_a_change_point_of_its_segments() {
        let series: Vec<TrackPoint> = (0..60).map(|at| TrackPoint::Measured(100_000 + 200 * at)).collect();
        let all = changes(&series, &[]);
        assert!(!all.is_empty());
        for change in all {
            assert_eq!(change.method, ChangeDetectionMethod::EDivisive);
            assert!(change.relative() > COUNT_NOISE_FLOOR, "{change:?}");
        }
    }

    #[test]
    fn what_counts_do_not_repeat_is_no_change() {
        let mut series = points(&[100_000; 12]);
        series.extend(points(&[100_400; 12]));
        assert_eq!(found(&series), []);
    }

    #[test]
    fn one_odd_version_is_two_jumps() {
        let mut series = points(&[1000; 20]);
        series[7] = TrackPoint::Measured(1500);
        assert_eq!(
            found(&series),
            [(7, ChangeDetectionMethod::Jump), (8, ChangeDetectionMethod::Jump)]
        );
    }

    #[test]
    fn a_benchmark_that_was_rewritten_is_not_compared_with_what_it_was() {
        let series = points(&[1000, 1000, 2000, 2000, 3000]);
        let places = |rewritten: &[usize]| -> Vec<usize> {
            let all = changes(&series, rewritten);
            all.iter().map(|change| change.at).collect()
        };
        assert_eq!(places(&[]), [2, 4]);
        assert_eq!(places(&[2]), [4]);
        assert!(places(&[2, 4]).is_empty());
        assert_eq!(places(&[1]), [2, 4]);
    }

    #[test]
    fn across_a_gap_the_jump_is_where_costs_are_known_again() {
        let series = [
            TrackPoint::Measured(1000),
            TrackPoint::Gap(0),
            TrackPoint::Measured(2000),
        ];
        assert_eq!(found(&series), [(2, ChangeDetectionMethod::Jump)]);
        let change = changes(&series, &[])[0];
        assert_eq!(change.since, 0);
        assert!(change.is_across_a_gap());
        assert_eq!(found(&[]), []);
    }
}

//! Scores and outcomes → how well the scores rank the outcomes: areas, curves, intervals.
//!
//! Ties are ties everywhere: the order of equal scores never matters.

/// An area under the ROC curve with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RocArea {
    /// P(a hit has a higher score than a miss) + ½ P(they tie).
    pub area: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// One point of a curve: everything from a score on is selected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankPoint {
    /// Selected share of all.
    pub selected: f64,
    /// Selected share of the hits.
    pub recall: f64,
    /// Selected share of the misses.
    pub false_rate: f64,
    /// Share of hits among the selected.
    pub precision: f64,
}

/// Normal quantile of a two-sided 95% interval.
const Z95: f64 = 1.959_963_984_540_054;

/// The area by the rank sum (Mann and Whitney), its standard error by Hanley and McNeil, *The meaning and use of the
/// area under a ROC curve*, Radiology 143 (1982). `None` without a hit or without a miss.
pub(super) fn area(scored: &[(f64, bool)]) -> Option<RocArea> {
    let hits = scored.iter().filter(|(_, hit)| *hit).count() as f64;
    let misses = scored.len() as f64 - hits;
    if hits == 0.0 || misses == 0.0 {
        return None;
    }
    let (mut below, mut sum) = (0.0, 0.0);
    for group in groups(scored).iter().rev() {
        sum += group.hits * (below + group.misses / 2.0);
        below += group.misses;
    }
    let area: f64 = sum / (hits * misses);
    let (q1, q2) = (area / (2.0 - area), 2.0 * area * area / (1.0 + area));
    let variance = (area * (1.0 - area) + (hits - 1.0) * (q1 - area * area) + (misses - 1.0) * (q2 - area * area))
        / (hits * misses);
    let half = Z95 * variance.max(0.0).sqrt();
    Some(RocArea {
        area,
        low: (area - half).max(0.0),
        high: (area + half).min(1.0),
    })
}

/// Average precision: Σ over the distinct scores, highest first, of the recall gained times the precision there.
/// `None` without a hit.
pub(super) fn average_precision(scored: &[(f64, bool)]) -> Option<f64> {
    let mut previous = 0.0;
    let mut sum = 0.0;
    for point in curve(scored)? {
        sum += (point.recall - previous) * point.precision;
        previous = point.recall;
    }
    Some(sum)
}

/// A point for each distinct score, highest first. `None` without a hit.
pub(super) fn curve(scored: &[(f64, bool)]) -> Option<Vec<RankPoint>> {
    let hits = scored.iter().filter(|(_, hit)| *hit).count() as f64;
    if hits == 0.0 {
        return None;
    }
    let misses = scored.len() as f64 - hits;
    let (mut found, mut alarms) = (0.0, 0.0);
    Some(
        groups(scored)
            .iter()
            .map(|group| {
                found += group.hits;
                alarms += group.misses;
                RankPoint {
                    selected: (found + alarms) / scored.len() as f64,
                    recall: found / hits,
                    false_rate: if misses == 0.0 { 0.0 } else { alarms / misses },
                    precision: found / (found + alarms),
                }
            })
            .collect(),
    )
}

/// The highest cutoff that selects at least the share `wanted` of the hits. Hits with score 0 are never selected: if
/// there are too many of them, the cutoff is the smallest positive score among the hits. `None` if no hit has a score
/// above 0.
pub(super) fn cutoff(scored: &[(f64, bool)], wanted: f64) -> Option<f64> {
    let mut hits: Vec<f64> = scored.iter().filter(|(_, hit)| *hit).map(|(score, _)| *score).collect();
    hits.sort_by(|a, b| b.total_cmp(a));
    let needed = (hits.len() as f64 * wanted).ceil().max(1.0) as usize;
    let positive = hits.partition_point(|score| *score > 0.0);
    hits.get(needed.min(positive).checked_sub(1)?).copied()
}

struct TiedScoreGroup {
    hits: f64,
    misses: f64,
}

/// Groups of equal scores, highest first.
fn groups(scored: &[(f64, bool)]) -> Vec<TiedScoreGroup> {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|chunk| {
            let hits = chunk.iter().filter(|(_, hit)| *hit).count();
            TiedScoreGroup {
                hits: hits as f64,
                misses: (chunk.len() - hits) as f64,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_perfect_ranking_has_area_one_and_a_reversed_one_none() {
        let perfect = [(0.9, true), (0.8, true), (0.3, false), (0.1, false)];
        assert_eq!(area(&perfect).unwrap().area, 1.0);
        assert_eq!(average_precision(&perfect), Some(1.0));
        let reversed = perfect.map(|(score, hit)| (-score, hit));
        assert_eq!(area(&reversed).unwrap().area, 0.0);
    }

    #[test]
    fn ties_count_half() {
        assert_eq!(area(&[(1.0, true), (1.0, false)]).unwrap().area, 0.5);
        // Hits 3 and 1, misses 2, 1, 0: of six pairs 3 + (½ + 1) are in order.
        let scored = [(3.0, true), (1.0, true), (2.0, false), (1.0, false), (0.0, false)];
        assert!((area(&scored).unwrap().area - 4.5 / 6.0).abs() < 1e-12);
        // ½ at precision 1, ½ at precision 2/4.
        assert!((average_precision(&scored).unwrap() - 0.75).abs() < 1e-12);
    }

    #[test]
    fn the_interval_is_the_published_one() {
        // Hanley and McNeil (1982), table II: area 0.893 with 51 abnormal and 58 normal images, standard error 0.032.
        // Any scores with that area do: here the hits lie above 0.893 of the misses on average.
        let mut scored: Vec<(f64, bool)> = (0..58).map(|n| (f64::from(n), false)).collect();
        let above = 0.893_f64 * 58.0;
        for hit in 0..51 {
            let whole = if f64::from(hit) < (above - above.floor()) * 51.0 {
                above.ceil()
            } else {
                above.floor()
            };
            scored.push((whole - 0.5, true));
        }
        let area = area(&scored).unwrap();
        assert!((area.area - 0.893).abs() < 0.001, "{area:?}");
        let error = (area.high - area.low) / 2.0 / Z95;
        assert!((error - 0.032).abs() < 0.0015, "{error}");
    }

    #[test]
    fn without_both_outcomes_there_is_no_area() {
        assert_eq!(area(&[(1.0, true)]), None);
        assert_eq!(area(&[(1.0, false)]), None);
        assert_eq!(average_precision(&[(1.0, false)]), None);
    }

    #[test]
    fn a_cutoff_reaches_the_wanted_recall_and_no_more() {
        let scored: Vec<(f64, bool)> = (1..=10).map(|n| (f64::from(n), true)).collect();
        assert_eq!(cutoff(&scored, 0.9), Some(2.0));
        assert_eq!(cutoff(&scored, 0.97), Some(1.0));
        assert_eq!(cutoff(&[(0.0, true), (0.4, true)], 1.0), Some(0.4));
        assert_eq!(cutoff(&[(0.0, true)], 1.0), None);
        assert_eq!(cutoff(&[(0.5, false)], 1.0), None);
    }

    proptest! {
        #[test]
        fn a_rising_transformation_changes_nothing(
            scored in prop::collection::vec((0u8..20, any::<bool>()), 2..60),
        ) {
            let plain: Vec<_> = scored.iter().map(|(s, h)| (f64::from(*s), *h)).collect();
            let bent: Vec<_> = plain.iter().map(|(s, h)| (s.exp(), *h)).collect();
            prop_assert_eq!(area(&plain), area(&bent));
            prop_assert_eq!(average_precision(&plain), average_precision(&bent));
        }

        #[test]
        fn swapping_the_outcomes_mirrors_the_area(
            scored in prop::collection::vec((0u8..20, any::<bool>()), 2..60),
        ) {
            let plain: Vec<_> = scored.iter().map(|(s, h)| (f64::from(*s), *h)).collect();
            let swapped: Vec<_> = plain.iter().map(|(s, h)| (*s, !h)).collect();
            if let (Some(one), Some(other)) = (area(&plain), area(&swapped)) {
                prop_assert!((one.area + other.area - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn a_curve_rises_to_everything(
            scored in prop::collection::vec((0u8..20, any::<bool>()), 1..60),
        ) {
            let plain: Vec<_> = scored.iter().map(|(s, h)| (f64::from(*s), *h)).collect();
            if let Some(points) = curve(&plain) {
                let rises = points
                    .windows(2)
                    .all(|w| w[0].recall <= w[1].recall && w[0].selected < w[1].selected);
                prop_assert!(rises);
                prop_assert_eq!(points.last().map(|p| p.recall), Some(1.0));
            }
        }
    }
}

//! Predicted probabilities compared with observed frequencies.

use verdict::statistics::{ConfidenceInterval, proportion_interval};

/// Edges of the bins: narrow where most versions are.
const EDGES: [f64; 11] = [0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0];

/// One bin of predictions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReliabilityBin {
    /// Lowest probability in it, inclusive; the last bin also holds its upper edge.
    pub from: f64,
    /// Its upper edge.
    pub to: f64,
    /// Number of predictions.
    pub count: usize,
    /// Mean of the predicted probabilities.
    pub predicted: f64,
    /// Share that moved.
    pub observed: f64,
    /// Interval of that share, if the predictions were independent.
    pub interval: ConfidenceInterval,
}

/// The reliability of predicted probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliabilityDiagram {
    /// `commits` or `releases`.
    pub scope: String,
    /// The predicted unit: `versions` or `pairs`.
    pub of: &'static str,
    /// Mean of (p − outcome)²: 0 is perfect.
    pub brier: f64,
    /// The same score for a constant prediction of the share that moved: the value to beat.
    pub brier_of_share: f64,
    /// Bins with a prediction, lowest first.
    pub bins: Vec<ReliabilityBin>,
}

/// The diagram of probabilities and outcomes. `None` without any prediction.
pub(super) fn reliability(scope: &str, of: &'static str, predicted: &[(f64, bool)]) -> Option<ReliabilityDiagram> {
    if predicted.is_empty() {
        return None;
    }
    let count = predicted.len() as f64;
    let outcome = |hit: bool| if hit { 1.0 } else { 0.0 };
    let mean = |figure: &dyn Fn(f64, f64) -> f64| {
        predicted.iter().map(|(p, hit)| figure(*p, outcome(*hit))).sum::<f64>() / count
    };
    let share = mean(&|_, hit| hit);
    let bins = EDGES
        .windows(2)
        .filter_map(|edge| {
            let inside: Vec<&(f64, bool)> = predicted
                .iter()
                .filter(|(p, _)| (edge[0]..edge[1]).contains(p) || (edge[1] == 1.0 && *p >= 1.0))
                .collect();
            if inside.is_empty() {
                return None;
            }
            let n = inside.len();
            let hits = inside.iter().filter(|(_, hit)| *hit).count();
            Some(ReliabilityBin {
                from: edge[0],
                to: edge[1],
                count: n,
                predicted: inside.iter().map(|(p, _)| p).sum::<f64>() / n as f64,
                observed: hits as f64 / n as f64,
                interval: proportion_interval(
                    u32::try_from(hits).unwrap_or(u32::MAX),
                    u32::try_from(n).unwrap_or(u32::MAX),
                    0.95,
                ),
            })
        })
        .collect();
    Some(ReliabilityDiagram {
        scope: scope.to_owned(),
        of,
        brier: mean(&|p, hit| (p - hit).powi(2)),
        brier_of_share: share * (1.0 - share),
        bins,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_comes_true_as_often_as_predicted_lies_on_the_diagonal() {
        let predicted: Vec<(f64, bool)> = (0..10).map(|n| (0.3, n < 3)).collect();
        let found = reliability("commits", "versions", &predicted).unwrap();
        assert_eq!(found.bins.len(), 1);
        assert!((found.bins[0].observed - 0.3).abs() < 1e-12);
        assert!((found.bins[0].predicted - 0.3).abs() < 1e-12);
        // (3 · 0.7² + 7 · 0.3²) / 10
        assert!((found.brier - 0.21).abs() < 1e-12);
        assert!((found.brier_of_share - 0.21).abs() < 1e-12);
    }

    #[test]
    fn certainty_has_a_bin() {
        let found = reliability("commits", "versions", &[(1.0, true), (0.0, false)]).unwrap();
        assert_eq!(found.bins.len(), 2);
        assert_eq!(found.brier, 0.0);
    }
}

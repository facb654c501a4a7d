//! Rates, areas and shares → the text of a cell.

use crate::accuracy::{EvaluationRate, RocArea};

/// The text for a missing value.
pub(super) const NONE: &str = "–";

/// A share with one decimal: `83.3%`, `100%`.
pub(super) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return String::from(NONE);
    }
    let shown = format!("{:.1}", share * 100.0);
    format!("{}%", shown.trim_end_matches(".0"))
}

/// A share with two decimals, where a hundredth of a per cent matters: `0.03%`, `12.00%`.
pub(super) fn fine_percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A share that may be missing.
pub(super) fn maybe_percent(share: Option<f64>) -> String {
    share.map_or_else(|| String::from(NONE), percent)
}

/// A rate: `83.3%`.
pub(super) fn rate(rate: &EvaluationRate) -> String {
    maybe_percent(rate.value())
}

/// A rate with its interval: `83.3% (67–94)`.
pub(super) fn rate_with_interval(of: &EvaluationRate) -> String {
    match (of.value(), of.interval) {
        (Some(_), Some(i)) => {
            format!("{} ({:.0}–{:.0})", rate(of), i.low * 100.0, i.high * 100.0)
        }
        _ => rate(of),
    }
}

/// Hits and their share: `188 (16.7%)`.
pub(super) fn hits(rate: &EvaluationRate) -> String {
    match rate.value() {
        Some(value) => format!("{} ({})", count(rate.hits), percent(value)),
        None => count(rate.hits),
    }
}

/// A count; an expected value with one decimal.
pub(super) fn count(count: f64) -> String {
    if count.fract() == 0.0 {
        format!("{count:.0}")
    } else {
        format!("{count:.1}")
    }
}

/// An area with its interval: `0.97 (0.95–0.99)`.
pub(super) fn area(area: Option<RocArea>) -> String {
    area.map_or_else(
        || String::from(NONE),
        |a| format!("{:.3} ({:.2}–{:.2})", a.area, a.low, a.high),
    )
}

/// An area without its interval.
pub(super) fn area_only(area: Option<RocArea>) -> String {
    area.map_or_else(|| String::from(NONE), |a| format!("{:.3}", a.area))
}

/// A figure with two decimals.
pub(super) fn fine(figure: Option<f64>) -> String {
    figure.map_or_else(|| String::from(NONE), |f| format!("{f:.2}"))
}

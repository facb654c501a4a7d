//! Numbers into estimates, intervals and probabilities, each by a published method that its function names.
//!
//! Knows nothing of benchmarks' verdicts, and draws no randomness of its own: whoever resamples gives the seed.

mod e_divisive;
mod false_discovery_rate;
mod median_interval;
mod proportion;
mod quantile;
mod random_draws;
mod ranked_rounds;

pub use e_divisive::{SEGMENT_AT_LEAST, e_divisive};
pub use false_discovery_rate::adjust_p_values;
pub use median_interval::median_interval;
pub use proportion::proportion_interval;
pub use quantile::{median, quantile};
pub use ranked_rounds::RankedRounds;

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceInterval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

//! Numbers into estimates, intervals and probabilities, each by a published method that its function names.
//!
//! Knows nothing of benchmarks' verdicts, and draws no randomness of its own: whoever resamples gives the seed.

mod bootstrap;
mod e_divisive;
mod false_discovery_rate;
mod location;
mod proportion;
mod quantile;
mod signed_rank;

pub use bootstrap::{ConfidenceInterval, ResamplingOptions, ratio_interval};
pub use e_divisive::{SEGMENT_AT_LEAST, e_divisive};
pub use false_discovery_rate::adjust_p_values;
pub use location::{log_ratios, pseudomedian};
pub use proportion::proportion_interval;
pub use quantile::{median, quantile};
pub use signed_rank::{EXACT_UP_TO, signed_rank_p};

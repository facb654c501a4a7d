//! One start of a test → the nanoseconds of what it measures.

use super::command_line::{results, timed};
use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, shown};

/// The mean of the calls of a benchmark, or the time of a test, in nanoseconds.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let arguments = timed(&start.benchmark.arguments, MEASURED.as_secs_f64())
        .ok_or_else(|| TimingError::Failed("its command does not start pytest".to_owned()))?;
    let text = start.run(arguments, &[])?.stdout.text();
    let times: Option<Vec<f64>> = results(&text).and_then(|json| serde_json::from_str(json).ok());
    times
        .filter(|times| !times.is_empty())
        .ok_or_else(|| TimingError::Failed(format!("it printed no time: {}", shown(&text))))
}

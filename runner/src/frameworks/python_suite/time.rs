//! One start of a benchmark → the nanoseconds of what it measures.

use super::command_line::{results, timed};
use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, shown};

/// The means of the calls that our program measures, in nanoseconds.
pub(super) fn time_start(program: &str, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let arguments = timed(program, &start.benchmark.arguments, MEASURED.as_secs_f64())
        .ok_or_else(|| TimingError::Failed("its command does not start the suite".to_owned()))?;
    let text = start.run(arguments, &[])?.stdout.text();
    let times: Option<Vec<f64>> = results(&text).and_then(|json| serde_json::from_str(json).ok());
    times
        .filter(|times| !times.is_empty())
        .ok_or_else(|| TimingError::Failed(format!("it printed no time: {}", shown(&text))))
}

//! The standard test harness's `#[bench]` functions → the nanoseconds per iteration that it prints.

use crate::frameworks::process_time::time_processes;
use crate::frameworks::timing::{TimedStart, TimingError, shown};
use crate::frameworks::units::nanoseconds_per_iteration;

/// The times of one start, in nanoseconds per iteration.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    // Bench functions are run once with `--test`. Tests are not, and the harness does not time them.
    if !start.benchmark.arguments.iter().any(|argument| argument == "--test") {
        return time_processes(start);
    }
    let arguments = start.arguments_replacing_test(&["--bench".to_owned()]);
    let finished = start.run(arguments, &[])?;
    let text = finished.stdout.text();
    let value = nanoseconds_per_iteration(&text)
        .ok_or_else(|| TimingError::Failed(format!("it printed no bench time: {}", shown(&text))))?;
    Ok(vec![value])
}

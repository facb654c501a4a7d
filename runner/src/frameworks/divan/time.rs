//! Divan's programs → the median time of an iteration, from the table that it prints.
//!
//! Divan writes no file. The median is used: the fastest is only one sample, and mean and slowest depend on the
//! scheduler. Each start gives one value.

use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, only_one, shown};
use crate::frameworks::units::nanoseconds;

/// Column of the median, after the fastest and the slowest; the first column follows the benchmark's name.
const MEDIAN: usize = 2;

/// Columns of a row: fastest, slowest, median, mean, samples, iterations.
const COLUMNS: usize = 6;

/// The longest that divan may run, in multiples of the intended time: slow benchmarks then take few samples.
const MOST_MULTIPLES: f64 = 5.0;

/// The times of one start, in nanoseconds for an iteration.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let least = MEASURED.as_secs_f64();
    let options = [
        "--bench".to_owned(),
        "--color".to_owned(),
        "never".to_owned(),
        "--min-time".to_owned(),
        least.to_string(),
        "--max-time".to_owned(),
        (least * MOST_MULTIPLES).to_string(),
    ];
    let arguments = start.arguments_replacing_test(&options);
    let finished = start.run(arguments, &[])?;
    let text = finished.stdout.text();
    let value =
        median(&text).ok_or_else(|| TimingError::Failed(format!("it printed no table of times: {}", shown(&text))))?;
    Ok(vec![value])
}

/// The median of the only row with times.
fn median(text: &str) -> Option<f64> {
    only_one(text.lines().filter_map(row))
}

/// The median of `├─ name    1.2 ns  │ 3.4 ns  │ 2.1 ns  │ 2.2 ns  │ 100  │ 6400`. The tree's own `│` are before the
/// name, and a name may contain some, so columns are counted from the end.
fn row(line: &str) -> Option<f64> {
    let columns: Vec<&str> = line.split('│').collect();
    let columns = columns.get(columns.len().checked_sub(COLUMNS)?..)?;
    let counts = columns.get(COLUMNS - 2..)?;
    let is_count = |text: &&str| !text.trim().is_empty() && text.trim().bytes().all(|b| b.is_ascii_digit());
    if !counts.iter().all(is_count) {
        return None;
    }
    nanoseconds(columns.get(MEDIAN)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
ways           fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ inner                     │               │               │               │         │
   ╰─ values   1.221 µs      │ 31.69 µs      │ 1.23 µs       │ 1.55 µs       │ 100     │ 400
";

    #[test]
    fn the_median_of_the_only_row_is_taken() {
        assert_eq!(median(TABLE), Some(1230.0));
        let throughput = format!(
            "{TABLE}               3.2 GB/s      │ 1 GB/s        │ 3 GB/s        │ 2 GB/s        │         │\n"
        );
        assert_eq!(median(&throughput), Some(1230.0));
    }

    #[test]
    fn no_row_or_two_are_no_answer() {
        assert_eq!(median(""), None);
        assert_eq!(median("hello │ a │ b │ c │ d │ e\n"), None);
        assert_eq!(median(&TABLE.repeat(2)), None);
    }
}

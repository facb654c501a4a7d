//! Divan's programs → the median time of an iteration, from the table that it prints.
//!
//! Divan writes no file. Of its columns the median is taken: the fastest is one sample, mean and slowest belong to the
//! scheduler. One value a start.

use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, shown};

/// Units of time as divan prints them, in nanoseconds.
const UNITS: [(&str, f64); 8] = [
    ("ps", 1e-3),
    ("ns", 1.0),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
];

/// Column of the median, after the fastest and the slowest; the first is drawn behind the benchmark's name.
const MEDIAN: usize = 2;

/// Columns of a row: fastest, slowest, median, mean, samples, iterations.
const COLUMNS: usize = 6;

/// How long divan may go on at most, in multiples of how long it should: then slow benchmarks take few samples.
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
    let mut rows = text.lines().filter_map(row);
    match (rows.next(), rows.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

/// The median of `├─ name    1.2 ns  │ 3.4 ns  │ 2.1 ns  │ 2.2 ns  │ 100  │ 6400`. The tree's own `│` stand before the
/// name, so columns are counted from the end; a name may have some of its own.
fn row(line: &str) -> Option<f64> {
    let columns: Vec<&str> = line.split('│').collect();
    let columns = columns.get(columns.len().checked_sub(COLUMNS)?..)?;
    let counts = columns.get(COLUMNS - 2..)?;
    let is_count = |text: &&str| !text.trim().is_empty() && text.trim().bytes().all(|b| b.is_ascii_digit());
    if !counts.iter().all(is_count) {
        return None;
    }
    time(columns.get(MEDIAN)?)
}

/// `1.234 µs` in nanoseconds.
fn time(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
    let number: f64 = number.parse().ok()?;
    Some(number * scale)
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
    fn every_unit_is_known() {
        for (text, value) in [
            ("812 ps", 0.812),
            ("1.5 ns", 1.5),
            ("2 ms", 2e6),
            ("1.25 s", 1.25e9),
            ("2 m", 120e9),
        ] {
            let value: f64 = value;
            assert!((time(text).unwrap_or(0.0) - value).abs() <= value * 1e-12, "{text}");
        }
        for text in ["", "12", "12 parsecs", "x ns", "1,2 ns"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn no_row_or_two_are_no_answer() {
        assert_eq!(median(""), None);
        assert_eq!(median("hello │ a │ b │ c │ d │ e\n"), None);
        assert_eq!(median(&TABLE.repeat(2)), None);
    }
}

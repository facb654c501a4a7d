//! The report of a program of Google Benchmark → the nanoseconds per iteration.

use serde::Deserialize;

use super::{ITERATIONS, REPETITIONS};
use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, shown};
use crate::frameworks::units::nanoseconds;

/// The part of the report that is read.
#[derive(Deserialize)]
struct Report {
    benchmarks: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    real_time: f64,
    time_unit: String,
    /// `aggregate` for means and the like.
    #[serde(default)]
    run_type: String,
}

/// The times of one start, in nanoseconds per iteration: one for each repetition that the source asks for.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let is_number = |argument: &&std::ffi::OsString| {
        let text = argument.to_string_lossy();
        !text.starts_with(ITERATIONS) && !text.starts_with(REPETITIONS)
    };
    let mut arguments: Vec<_> = start.benchmark.arguments.iter().filter(is_number).cloned().collect();
    arguments.push(format!("{ITERATIONS}{}", MEASURED.as_secs_f64()).into());
    arguments.push("--benchmark_format=json".into());
    let text = start.run(arguments, &[])?.stdout.text();
    times(&text).ok_or_else(|| TimingError::Failed(format!("it printed no times as JSON: {}", shown(&text))))
}

fn times(text: &str) -> Option<Vec<f64>> {
    // A program may print something before.
    let report: Report = serde_json::from_str(text.get(text.find('{')?..)?).ok()?;
    let rows = report.benchmarks.iter().filter(|row| row.run_type != "aggregate");
    let times: Option<Vec<f64>> = rows
        .map(|row| nanoseconds(&format!("{} {}", row.real_time, row.time_unit)))
        .collect();
    times.filter(|times| !times.is_empty())
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn each_repetition_has_a_time_and_means_are_left_out() {
        let row = |time: &str, run: &str| {
            format!(
                "{{\"name\": \"a\", \"run_type\": \"{run}\", \"real_time\": {time}, \"cpu_time\": 1, \"time_unit\": \"us\"}}"
            )
        };
        let report = |rows: &[String]| format!("note\n{{\"context\": {{}}, \"benchmarks\": [{}]}}\n", rows.join(","));
        let both = report(&[row("1.5", "iteration"), row("2e1", "iteration"), row("9", "aggregate")]);
        assert_eq!(times(&both), Some(vec![1500.0, 20_000.0]));
        for text in ["", "no", "{}", &report(&[]), &report(&[row("1", "aggregate")])] {
            assert_eq!(times(text), None, "{text}");
        }
    }
}

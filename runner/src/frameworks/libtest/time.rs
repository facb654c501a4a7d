//! The standard test harness's `#[bench]` functions → the nanoseconds that it prints for an iteration.

use crate::frameworks::process_time::time_processes;
use crate::frameworks::timing::{TimedStart, TimingError, shown};

/// The times of one start, in nanoseconds for an iteration.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    // Bench functions are run once with `--test`; tests are not, and the harness does not time them.
    if !start.benchmark.arguments.iter().any(|argument| argument == "--test") {
        return time_processes(start);
    }
    let arguments = start.arguments_replacing_test(&["--bench".to_owned()]);
    let finished = start.run(arguments, &[])?;
    let text = finished.stdout.text();
    let value = per_iteration(&text)
        .ok_or_else(|| TimingError::Failed(format!("it printed no time of a bench: {}", shown(&text))))?;
    Ok(vec![value])
}

/// The number in `bench:       1,234.56 ns/iter (+/- 7)`, the only one such line; commas separate thousands.
fn per_iteration(text: &str) -> Option<f64> {
    let mut found = text.lines().filter_map(|line| {
        let (_, rest) = line.rsplit_once("bench:")?;
        let (number, _) = rest.split_once(" ns/iter")?;
        number.trim().replace(',', "").parse().ok()
    });
    match (found.next(), found.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_separators() {
        let line = |time: &str| format!("running 1 test\ntest a ... bench: {time} (+/- 5)\n\n");
        for (time, value) in [
            ("          12 ns/iter", 12.0),
            ("   1,234,567.89 ns/iter", 1_234_567.89),
            ("0.31 ns/iter", 0.31),
        ] {
            assert_eq!(per_iteration(&line(time)), Some(value));
        }
        let two = line("1 ns/iter").repeat(2);
        for text in ["", "bench: much ns/iter", "bench: 12 s", two.as_str()] {
            assert_eq!(per_iteration(text), None, "{text}");
        }
    }
}

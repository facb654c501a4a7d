//! Programs without a clock of their own → the wall time of each run, from start to end.

use std::time::Duration;

use super::timing::{TimedStart, TimingError};

/// Programs that end sooner are run again until all runs of the start together took this long.
pub const SHORTEST_START: Duration = Duration::from_millis(50);

/// Most runs of a program in one start.
pub const MOST_RUNS: usize = 10;

/// The wall time of each run of one start, in nanoseconds.
pub(super) fn time_processes(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let mut runs = Vec::new();
    while needs_another(&runs) {
        runs.push(start.run(start.benchmark.arguments.clone(), &[])?.wall);
    }
    Ok(runs.iter().map(|run| run.as_secs_f64() * 1e9).collect())
}

fn needs_another(runs: &[Duration]) -> bool {
    runs.iter().sum::<Duration>() < SHORTEST_START && runs.len() < MOST_RUNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_programs_are_run_several_times_a_start_and_long_ones_once() {
        let short = SHORTEST_START / 4;
        assert!(needs_another(&[]) && needs_another(&[short; 3]));
        assert!(!needs_another(&[short; 4]) && !needs_another(&[SHORTEST_START]));
        assert!(!needs_another(&[Duration::ZERO; MOST_RUNS]));
    }
}

//! Programs without a clock of their own → the wall time of each run, from start to end.

use std::time::Duration;

use super::{MOST_RUNS, SHORTEST_START, finish};
use crate::frameworks::Benchmark;
use crate::measure::{MeasurementError, RunLimits};

pub(super) fn start(
    benchmark: &Benchmark,
    limit: Duration,
    conditions: &RunLimits<'_>,
) -> Result<Vec<f64>, MeasurementError> {
    let mut runs = Vec::new();
    while needs_another(&runs) {
        let arguments = benchmark.arguments.clone();
        runs.push(finish(benchmark, arguments, &[], limit, conditions)?.wall);
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

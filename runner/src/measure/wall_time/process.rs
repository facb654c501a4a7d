//! Programs without a clock of their own → the wall time of each run, from start to end.

use std::time::Duration;

use super::{MOST_RUNS, SHORTEST_START, finish};
use crate::adapter::Benchmark;
use crate::measure::{Conditions, Unmeasured};

pub(super) fn start(
    benchmark: &Benchmark,
    limit: Duration,
    conditions: &Conditions<'_>,
) -> Result<Vec<f64>, Unmeasured> {
    let mut together = Duration::ZERO;
    let mut values = Vec::new();
    while together < SHORTEST_START && values.len() < MOST_RUNS {
        let arguments = benchmark.arguments.clone();
        let finished = finish(benchmark, arguments, &[], limit, conditions)?;
        together += finished.wall;
        values.push(finished.wall.as_secs_f64() * 1e9);
    }
    Ok(values)
}

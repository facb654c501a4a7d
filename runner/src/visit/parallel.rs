//! Benchmarks → what a function makes of each, several at a time.

use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;

/// Calls `run` on each benchmark, `workers` at a time, and `finished` with each result in this thread. After the first
/// error of `finished` no other benchmark begins; results of those that still run are dropped.
///
/// # Errors
/// That first error. An interruption is not an error: check the flag.
pub fn run_in_parallel<R: Send, E>(
    benchmarks: &[&Benchmark],
    workers: usize,
    interruption: &InterruptionFlag,
    run: impl Fn(&Benchmark) -> R + Sync,
    mut finished: impl FnMut(&Benchmark, R) -> Result<(), E>,
) -> Result<(), E> {
    let queue = Mutex::new(benchmarks.iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, benchmarks.len().max(1)) {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                while !interruption.is_raised()
                    && let Some(benchmark) = next()
                    && sender.send((*benchmark, run(benchmark))).is_ok()
                {}
            });
        }
        drop(sender);
        let mut result = Ok(());
        for (benchmark, came) in &receiver {
            result = finished(benchmark, came);
            if result.is_err() {
                // Nobody takes what is still in the queue.
                while next().is_some() {}
                break;
            }
        }
        drop(receiver);
        result
    })
}

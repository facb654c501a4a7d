//! Benchmarks, or batches of them → the result of a function on each, several at a time.

use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use crate::process::InterruptionFlag;

/// Calls `run` on each item, `workers` at a time, and `finished` with each result in this thread. After the first error
/// of `finished`, no other item begins; results of running ones are dropped.
///
/// # Errors
/// That first error. An interruption is not an error: check the flag.
pub fn run_in_parallel<'i, T: Sync + ?Sized, R: Send, E>(
    items: &[&'i T],
    workers: usize,
    interruption: &InterruptionFlag,
    run: impl Fn(&'i T) -> R + Sync,
    mut finished: impl FnMut(&'i T, R) -> Result<(), E>,
) -> Result<(), E> {
    let queue = Mutex::new(items.iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, items.len().max(1)) {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                while !interruption.is_raised()
                    && let Some(item) = next()
                    && sender.send((*item, run(item))).is_ok()
                {}
            });
        }
        drop(sender);
        let mut result = Ok(());
        for (item, came) in &receiver {
            result = finished(item, came);
            if result.is_err() {
                // Empties the queue, so that no other item begins.
                while next().is_some() {}
                break;
            }
        }
        drop(receiver);
        result
    })
}

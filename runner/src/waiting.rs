//! A condition → whether it becomes true. Tests wait this way instead of sleeping for a time that a busy machine
//! exceeds.

use std::time::{Duration, Instant};

/// The longest wait for something that takes milliseconds on an idle machine.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(10);

/// Whether a condition becomes true within [`LONGEST_WAIT`].
pub(crate) fn comes_true(mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if started.elapsed() > LONGEST_WAIT {
            return false;
        }
        std::thread::sleep(INTERVAL);
    }
}

/// Whether a process with this id ends.
pub(crate) fn ends(process: &str) -> bool {
    let command_line = format!("/proc/{}/cmdline", process.trim());
    // A process that ended has no command line, whether or not its parent has noticed.
    comes_true(|| std::fs::read(&command_line).map_or(true, |line| line.is_empty()))
}

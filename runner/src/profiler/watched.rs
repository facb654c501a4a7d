//! Runs a program in a process group of its own, for a limited time, and leaves nothing of it behind.
//!
//! Unix only. A process that leaves its group (a daemon) is not followed.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessGroup};

/// Between two looks at a running program: small against any profiled run, no load on the machine.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What a program gets to end itself after SIGTERM, before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// How a program ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself, or by a signal from elsewhere.
    Exited(ExitStatus),
    /// Because its time was up.
    TimedOut,
}

/// A program that was started.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) process: u32,
    pub(super) ended: Ended,
}

/// Starts a program, waits for its end, and ends what it leaves running in its group.
pub(super) fn run(command: Command, time_limit: Duration) -> io::Result<Ran> {
    let mut child = CommandWrap::from(command)
        .wrap(ProcessGroup::leader())
        .spawn()?;
    let process = child.id();
    let ended = match wait(child.as_mut(), time_limit)? {
        Some(status) => Ended::Exited(status),
        None => {
            // the group may be gone by now: nothing to signal is no error
            let _ = child.signal(libc::SIGTERM);
            let _ = wait(child.as_mut(), GRACE)?;
            Ended::TimedOut
        }
    };
    let _ = child.signal(libc::SIGKILL);
    child.wait()?;
    Ok(Ran { process, ended })
}

fn wait(child: &mut dyn ChildWrapper, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(LOOK_EVERY.min(left));
    }
}

//! Runs a program in a process group of its own, for a limited time, and leaves nothing of it behind.
//!
//! Unix only. A process that leaves its group (a daemon) is not followed.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessGroup};

use crate::process::{Interruption, end_with_parent};

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
    /// Because the user asked to stop.
    Interrupted,
}

/// A program that was started.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) process: u32,
    pub(super) ended: Ended,
}

/// Starts a program, waits for its end, and ends what it leaves running in its group.
pub(super) fn run(
    mut command: Command,
    time_limit: Duration,
    interruption: &Interruption,
) -> io::Result<Ran> {
    end_with_parent(&mut command);
    let mut child = CommandWrap::from(command)
        .wrap(ProcessGroup::leader())
        .spawn()?;
    let process = child.id();
    let ended = match wait(child.as_mut(), time_limit, interruption)? {
        Some(status) => Ended::Exited(status),
        None => {
            // the group may be gone by now: nothing to signal is no error
            let _ = child.signal(libc::SIGTERM);
            let _ = wait(child.as_mut(), GRACE, &Interruption::default())?;
            if interruption.is_raised() {
                Ended::Interrupted
            } else {
                Ended::TimedOut
            }
        }
    };
    let _ = child.signal(libc::SIGKILL);
    child.wait()?;
    Ok(Ran { process, ended })
}

fn wait(
    child: &mut dyn ChildWrapper,
    limit: Duration,
    interruption: &Interruption,
) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() || interruption.is_raised() {
            return Ok(None);
        }
        std::thread::sleep(LOOK_EVERY.min(left));
    }
}

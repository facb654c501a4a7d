//! A prepared command → a program that runs under a supervisor: its id, its streams, its end, and a way to end it.
//!
//! A second signal of the user ends this process at once, from within the signal handler: so the supervisors that run are
//! kept where a handler may read them, in atomics.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::supervisor::{self, ProgramEnd};

/// Supervisors that are known at the same time at most: far more than benchmarks run side by side. One more is told by the
/// system that this process ended.
const MOST: usize = 256;

/// The ids of the supervisors; 0 stands for a free place.
static SUPERVISORS: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];

/// A program that runs under a supervisor.
#[derive(Debug)]
pub(super) struct SupervisedProgram {
    supervisor: Child,
    place: Option<usize>,
    /// The program's process id.
    pub(super) process: u32,
    /// Receives how it ended once nothing of it is left, or why its supervisor does not tell.
    pub(super) end: Receiver<io::Result<ProgramEnd>>,
}

impl SupervisedProgram {
    /// Starts a program.
    ///
    /// # Errors
    /// It can't be started.
    #[allow(unsafe_code, clippy::disallowed_types)]
    pub(super) fn start(mut command: std::process::Command) -> io::Result<Self> {
        let (mut report, theirs) = io::pipe()?;
        let (lito, descriptor) = (system_id(std::process::id()), theirs.as_raw_fd());
        // SAFETY: `split` is called between fork and exec, in a child of this process.
        unsafe {
            command.pre_exec(move || supervisor::split(lito, descriptor));
        }
        let mut supervisor = command.spawn()?;
        let place = remember(system_id(supervisor.id()));
        drop(theirs);
        let mut process = [0; size_of::<libc::pid_t>()];
        if let Err(error) = report.read_exact(&mut process) {
            forget(place);
            supervisor.wait()?;
            return Err(error);
        }
        let (sender, end) = mpsc::sync_channel(1);
        thread::spawn(move || {
            // The receiver is gone only if nobody waits any more.
            let _ = sender.send(ProgramEnd::read(report));
        });
        Ok(Self {
            supervisor,
            place,
            process: libc::pid_t::from_ne_bytes(process).unsigned_abs(),
            end,
        })
    }

    /// Its standard output and its standard error, the first time that they are asked for.
    pub(super) fn streams(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.supervisor.stdout.take(), self.supervisor.stderr.take())
    }

    /// Asks the program to end.
    pub(super) fn end_politely(&self) {
        signal(system_id(self.supervisor.id()), supervisor::END_POLITELY);
    }

    /// Kills the program and everything that it started. The end is received when all of it is gone.
    pub(super) fn kill(&self) {
        signal(system_id(self.supervisor.id()), supervisor::KILL);
    }
}

impl Drop for SupervisedProgram {
    fn drop(&mut self) {
        // Once the supervisor is reaped, the system may give its id to another process.
        forget(self.place);
        // It is this process's child, and ends by itself.
        let _ = self.supervisor.wait();
    }
}

/// Has every supervisor that runs kill its program. Safe in a signal handler: reads atomics and sends signals.
pub(super) fn kill_all() {
    for place in &SUPERVISORS {
        let supervisor = place.load(Ordering::SeqCst);
        if supervisor > 0 {
            signal(supervisor, supervisor::KILL);
        }
    }
}

fn remember(supervisor: libc::pid_t) -> Option<usize> {
    let is_free = |place: &AtomicI32| {
        place
            .compare_exchange(0, supervisor, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    };
    SUPERVISORS.iter().position(is_free)
}

fn forget(place: Option<usize>) {
    if let Some(place) = place {
        SUPERVISORS[place].store(0, Ordering::SeqCst);
    }
}

fn system_id(process: u32) -> libc::pid_t {
    libc::pid_t::try_from(process).expect("process ids fit the system's pid_t")
}

#[allow(unsafe_code)]
fn signal(supervisor: libc::pid_t, signal: libc::c_int) {
    // SAFETY: sends a signal to a process that this process started and has not reaped.
    unsafe {
        libc::kill(supervisor, signal);
    }
}

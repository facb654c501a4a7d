//! The process between lito and a program: it starts the program, adopts whatever the program leaves behind, ends that,
//! and tells how the program ended.
//!
//! A process that starts a session of its own is in no group that lito could signal, and outlives a lito that is killed.
//! It can't leave its supervisor: Linux gives it to the nearest ancestor that adopts. So the supervisor ends only when
//! nothing of the program is left, and ends all of it when lito is killed. Other systems have no adoption: there the
//! supervisor ends the program's group.
//!
//! The supervisor is a fork of lito that executes nothing else. Between a fork and an `exec` only calls are allowed that
//! are allowed in signal handlers: everything here, except [`ProgramEnd::read`], allocates nothing and takes no lock.

use std::ffi::CStr;
use std::io::{self, Read};
use std::os::fd::RawFd;
use std::time::Duration;

/// Ends the program politely: its group receives SIGTERM.
pub(super) const END_POLITELY: libc::c_int = libc::SIGTERM;

/// Kills the program and everything that it started. Sent by the system if lito is killed.
pub(super) const KILL: libc::c_int = libc::SIGUSR1;

/// Time for what the program left behind to end by itself: the tail of a pipeline ends a little later than its head.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time for killed processes to disappear. One that waits for a device may not.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// The longest name that Linux gives a process, with its final zero.
const NAME: usize = 16;

/// How a program ended, as its supervisor tells it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ProgramEnd {
    /// As `wait4` gives it.
    pub(super) status: libc::c_int,
    /// Number of processes that the program left behind, without their own children.
    pub(super) left: u32,
    /// The name of one of them, ended by a zero.
    name: [u8; NAME],
    /// Wall time from the program's start to its end, in nanoseconds.
    wall: u64,
    /// Resource use of the program and the children it waited for.
    pub(super) usage: libc::rusage,
}

impl ProgramEnd {
    /// Reads the supervisor's last message.
    ///
    /// # Errors
    /// The supervisor died before it sent one.
    #[allow(unsafe_code)]
    pub(super) fn read(mut report: impl Read) -> io::Result<Self> {
        let mut bytes = [0; size_of::<Self>()];
        report.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::other("the process that looks after it was killed"),
            _ => error,
        })?;
        // SAFETY: the supervisor is a fork of this program and wrote a value of this type, which is plain numbers.
        Ok(unsafe { bytes.as_ptr().cast::<Self>().read_unaligned() })
    }

    /// Wall time from the program's start to its end.
    pub(super) fn wall(&self) -> Duration {
        Duration::from_nanos(self.wall)
    }

    /// The name of one of the processes that were left behind.
    pub(super) fn name_of_left(&self) -> String {
        let name = CStr::from_bytes_until_nul(&self.name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Splits the process that was forked for a program: the new child returns, to execute the program; this process becomes
/// its supervisor and never returns. `report` receives the program's id, and a [`ProgramEnd`] at the end.
///
/// # Errors
/// The system starts no further process.
///
/// # Safety
/// Only between fork and exec, in a child of `lito`.
#[allow(unsafe_code)]
pub(super) unsafe fn split(lito: libc::pid_t, report: RawFd) -> io::Result<()> {
    // SAFETY: system calls on local values, all of which are allowed here.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        // A lito that was started with SIGCHLD ignored would hear of no end. The program's exec undoes this.
        let mut heard: libc::sigaction = std::mem::zeroed();
        heard.sa_sigaction = ignore as *const () as libc::sighandler_t;
        libc::sigaction(libc::SIGCHLD, &raw const heard, std::ptr::null_mut());
        let adopts = adopt();
        match libc::fork() {
            -1 => {
                let error = io::Error::last_os_error();
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
                Err(error)
            }
            0 => {
                libc::setpgid(0, 0);
                end_with_parent(libc::SIGKILL);
                // Told by the program, which may kill its supervisor as soon as it is executed.
                tell(report, &libc::getpid());
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
                Ok(())
            }
            program => Supervisor {
                program,
                report,
                adopts,
                started: now(),
                end: None,
                left: None,
                kills: false,
            }
            .look_after(lito),
        }
    }
}

extern "C" fn ignore(_: libc::c_int) {}

struct Supervisor {
    program: libc::pid_t,
    report: RawFd,
    /// Whether the system gives this process the orphans of its descendants, and lists its children.
    adopts: bool,
    /// Nanoseconds of the monotonic clock.
    started: u64,
    end: Option<ProgramEnd>,
    /// The number of processes that had to be killed after the program's end, and the name of one.
    left: Option<(u32, [u8; NAME])>,
    kills: bool,
}

#[allow(unsafe_code)]
impl Supervisor {
    /// # Safety
    /// As [`split`].
    unsafe fn look_after(mut self, lito: libc::pid_t) -> ! {
        // SAFETY: as above.
        unsafe {
            // The program in the group of its own before anybody signals that group.
            libc::setpgid(self.program, self.program);
            // Lito waits for the end of its own pipes, one of which tells that the program was executed.
            close_all_but(self.report);
            name_this_process();
            end_with_parent(KILL);
            if libc::getppid() != lito {
                self.kill();
            }
            let mut awaited: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut awaited);
            for signal in [libc::SIGCHLD, libc::SIGALRM, END_POLITELY, KILL] {
                libc::sigaddset(&raw mut awaited, signal);
            }
            loop {
                let mut signal = 0;
                libc::sigwait(&raw const awaited, &raw mut signal);
                match signal {
                    libc::SIGCHLD => self.reap(),
                    END_POLITELY if self.end.is_none() => {
                        libc::kill(-self.program, libc::SIGTERM);
                    }
                    KILL => self.kill(),
                    libc::SIGALRM if self.kills => self.finish(),
                    libc::SIGALRM => {
                        self.left = count_children();
                        self.kill();
                    }
                    _ => {}
                }
            }
        }
    }

    /// Takes note of the processes that ended; finishes if none is left.
    unsafe fn reap(&mut self) {
        // SAFETY: as above; `siginfo_t` and `rusage` are plain numbers.
        unsafe {
            loop {
                let mut ended: libc::siginfo_t = std::mem::zeroed();
                let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                if libc::waitid(libc::P_ALL, 0, &raw mut ended, options) != 0 {
                    self.finish();
                }
                let process = ended.si_pid();
                if process == 0 {
                    break;
                }
                if process == self.program && !self.adopts {
                    // Not yet reaped, so its id still names this group and no other.
                    libc::kill(-self.program, libc::SIGKILL);
                }
                let mut status = 0;
                let mut usage: libc::rusage = std::mem::zeroed();
                libc::wait4(process, &raw mut status, 0, &raw mut usage);
                if process == self.program {
                    self.end = Some(ProgramEnd {
                        status,
                        left: 0,
                        name: [0; NAME],
                        wall: now().saturating_sub(self.started),
                        usage,
                    });
                    if !self.kills {
                        wake_after(PATIENCE);
                    }
                }
            }
            if self.kills {
                for_each_child(|child| {
                    libc::kill(child, libc::SIGKILL);
                });
            }
        }
    }

    /// Kills all that is there. What is adopted as a consequence is killed by [`Self::reap`].
    unsafe fn kill(&mut self) {
        self.kills = true;
        // SAFETY: as above.
        unsafe {
            wake_after(LAST_PATIENCE);
            if self.end.is_none() {
                libc::kill(-self.program, libc::SIGKILL);
            }
            for_each_child(|child| {
                libc::kill(child, libc::SIGKILL);
            });
        }
    }

    /// Tells the end of the program and ends this process.
    unsafe fn finish(&self) -> ! {
        // SAFETY: as above.
        unsafe {
            if let Some(mut end) = self.end {
                if let Some((left, name)) = self.left {
                    (end.left, end.name) = (left, name);
                }
                tell(self.report, &end);
            }
            libc::_exit(0);
        }
    }
}

/// Writes a value of plain numbers. It fits the pipe, so it is written whole or, if lito is gone, not at all.
#[allow(unsafe_code)]
unsafe fn tell<T>(report: RawFd, value: &T) {
    // SAFETY: reads the bytes of a value that is there.
    unsafe {
        libc::write(report, std::ptr::from_ref(value).cast(), size_of::<T>());
    }
}

/// Asks for the orphans of this process's descendants; false if the system does not give or list them.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
unsafe fn adopt() -> bool {
    // SAFETY: system calls without memory of this process.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) == 0 && libc::access(CHILDREN.as_ptr(), libc::R_OK) == 0 }
}

#[cfg(not(target_os = "linux"))]
unsafe fn adopt() -> bool {
    false
}

/// Sends this process a signal when the thread ends that started it.
#[allow(unsafe_code)]
unsafe fn end_with_parent(signal: libc::c_int) {
    #[cfg(target_os = "linux")]
    // SAFETY: one system call. If it is refused, all goes on without.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
}

#[allow(unsafe_code)]
unsafe fn name_this_process() {
    #[cfg(target_os = "linux")]
    // SAFETY: the system reads the name, which is static.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"lito-supervisor".as_ptr());
    }
}

/// The children of the thread that opens it, as decimal numbers.
#[cfg(target_os = "linux")]
const CHILDREN: &CStr = c"/proc/thread-self/children";

/// Visits the children of this process.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
unsafe fn for_each_child(mut visit: impl FnMut(libc::pid_t)) {
    // SAFETY: reads into a buffer of this function.
    unsafe {
        let file = libc::open(CHILDREN.as_ptr(), libc::O_RDONLY);
        let mut buffer = [0u8; 1024];
        let mut child: libc::pid_t = 0;
        loop {
            let count = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            let Some(read) = usize::try_from(count).ok().and_then(|count| buffer.get(..count)) else {
                break;
            };
            if read.is_empty() {
                break;
            }
            for byte in read {
                if byte.is_ascii_digit() {
                    child = child.wrapping_mul(10).wrapping_add(libc::pid_t::from(byte - b'0'));
                } else if child > 0 {
                    visit(std::mem::take(&mut child));
                }
            }
        }
        if child > 0 {
            visit(child);
        }
        libc::close(file);
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn for_each_child(_: impl FnMut(libc::pid_t)) {}

/// The number of this process's children and the name of the first; `None` if there is none.
#[allow(unsafe_code)]
unsafe fn count_children() -> Option<(u32, [u8; NAME])> {
    let (mut count, mut first) = (0, 0);
    // SAFETY: as above.
    unsafe {
        for_each_child(|child| {
            count += 1;
            if first == 0 {
                first = child;
            }
        });
        (count > 0).then(|| (count, name_of(first)))
    }
}

/// A process's name, from `/proc/ID/comm`.
#[allow(unsafe_code)]
unsafe fn name_of(process: libc::pid_t) -> [u8; NAME] {
    const START: &[u8] = b"/proc/";
    const END: &[u8] = b"/comm\0";
    let mut path = [0u8; 32];
    let mut length = START.len();
    path[..length].copy_from_slice(START);
    let mut unit = 1_000_000_000;
    while unit > 0 {
        let digit = process / unit % 10;
        if digit > 0 || length > START.len() {
            path[length] = b'0' + digit as u8;
            length += 1;
        }
        unit /= 10;
    }
    path[length..length + END.len()].copy_from_slice(END);
    let mut name = [0u8; NAME];
    // SAFETY: the path ends with a zero, and the system writes at most the length that it is given.
    unsafe {
        let file = libc::open(path.as_ptr().cast(), libc::O_RDONLY);
        libc::read(file, name.as_mut_ptr().cast(), NAME - 1);
        libc::close(file);
    }
    for byte in &mut name {
        if *byte == b'\n' {
            *byte = 0;
        }
    }
    name
}

/// Closes every file but one, also the standard streams.
#[allow(unsafe_code)]
unsafe fn close_all_but(kept: RawFd) {
    // SAFETY: nothing of this process uses the files any more.
    unsafe {
        #[cfg(target_os = "linux")]
        {
            let close = |first: RawFd, last: libc::c_uint| libc::syscall(libc::SYS_close_range, first, last, 0) == 0;
            if (kept == 0 || close(0, kept as libc::c_uint - 1)) && close(kept + 1, libc::c_uint::MAX) {
                return;
            }
        }
        // The limit may be a billion, and lito has no file above this.
        let most = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, 65_536);
        for file in 0..most as RawFd {
            if file != kept {
                libc::close(file);
            }
        }
    }
}

/// Sends this process SIGALRM after a time, in place of what was set before.
#[allow(unsafe_code)]
unsafe fn wake_after(time: Duration) {
    // SAFETY: plain numbers, read by the system.
    unsafe {
        let mut timer: libc::itimerval = std::mem::zeroed();
        timer.it_value.tv_sec = time.as_secs() as libc::time_t;
        timer.it_value.tv_usec = time.subsec_micros() as libc::suseconds_t;
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut());
    }
}

/// Nanoseconds of the monotonic clock.
#[allow(unsafe_code)]
unsafe fn now() -> u64 {
    // SAFETY: the system writes plain numbers.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
}

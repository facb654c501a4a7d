//! The process groups that run now → killed together when the user interrupts a second time, or when one ends.
//!
//! The second signal ends this process at once, from within the signal handler: so the groups are kept where a handler
//! may read them, in atomics.

use std::sync::atomic::{AtomicI32, Ordering};

/// Groups that are known at the same time at most: far more than benchmarks run side by side. One more still ends with
/// its time limit.
const MOST_GROUPS: usize = 256;

/// The ids of the groups; 0 stands for a free place.
static GROUPS: [AtomicI32; MOST_GROUPS] = [const { AtomicI32::new(0) }; MOST_GROUPS];

/// A group that runs. Forgotten when dropped, which must happen before its leader is reaped: after that the system may
/// give its id to another process.
#[derive(Debug)]
pub(super) struct RunningGroup {
    group: i32,
    place: Option<usize>,
}

impl RunningGroup {
    /// Remembers a group that was just started.
    pub(super) fn remember(group: i32) -> Self {
        let free = |place: &AtomicI32| {
            place
                .compare_exchange(0, group, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        Self {
            group,
            place: GROUPS.iter().position(free),
        }
    }

    /// Sends a signal to every process of the group.
    pub(super) fn signal(&self, signal: i32) {
        signal_group(self.group, signal);
    }
}

impl Drop for RunningGroup {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            GROUPS[place].store(0, Ordering::SeqCst);
        }
    }
}

/// Kills every group that runs. Safe in a signal handler: reads atomics and sends signals.
pub(super) fn kill_all() {
    for place in &GROUPS {
        let group = place.load(Ordering::SeqCst);
        if group > 0 {
            signal_group(group, libc::SIGKILL);
        }
    }
}

#[allow(unsafe_code)]
fn signal_group(group: i32, signal: i32) {
    // SAFETY: sends a signal to a group that this process created; an empty group is not worth reporting.
    unsafe {
        libc::killpg(group, signal);
    }
}

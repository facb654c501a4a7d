//! What each stage decided and cost, as it is reported.

use std::time::Instant;

use profile::verdict::{Stage, StageName};

/// The stages so far.
pub(super) struct Stages {
    begun: Instant,
    last: Instant,
    done: Vec<Stage>,
}

/// What went into a stage and what came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed {
    /// Benchmarks that reached it.
    pub(super) of: usize,
    /// Of these, how many it handed on.
    pub(super) on: usize,
}

impl Stages {
    /// The clock starts.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            last: now,
            done: Vec::new(),
        }
    }

    /// A stage is over: the time since the last one's end is its own. One that nothing reached did not take place.
    pub(super) fn end(&mut self, name: StageName, passed: Passed) {
        let now = Instant::now();
        if passed.of == 0 && name > StageName::Build {
            return;
        }
        self.done.push(Stage {
            name,
            benchmarks: count(passed.of),
            selected: count(passed.on),
            seconds: (now - self.last).as_secs_f64(),
        });
        self.last = now;
    }

    /// All of them, and the seconds since the start.
    pub(super) fn finish(self) -> (Vec<Stage>, f64) {
        (self.done, self.begun.elapsed().as_secs_f64())
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

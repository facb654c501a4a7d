//! The limit of all measuring together → the limit of the next run.

use std::time::{Duration, Instant};

/// The moment at which measuring ends, even if work is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// No overall limit; each run still has its own.
    pub const NEVER: Self = Self(None);

    /// A deadline after this budget; never, if that is beyond the range of the clock.
    #[must_use]
    pub fn after(budget: Duration) -> Self {
        Self(Instant::now().checked_add(budget))
    }

    /// The remaining time; `None` without a limit.
    #[must_use]
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// True if no time is left.
    #[must_use]
    pub fn has_passed(self) -> bool {
        self.remaining().is_some_and(|left| left.is_zero())
    }

    /// The limit of a run whose own limit is `limit`, and whether the deadline shortens it.
    pub(super) fn limit_run(self, limit: Duration) -> (Duration, bool) {
        match self.remaining() {
            Some(left) if left < limit => (left, true),
            _ => (limit, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_of_both_limits_holds() {
        let hour = Duration::from_secs(3600);
        assert_eq!(Deadline::NEVER.limit_run(hour), (hour, false));
        assert_eq!(Deadline::after(hour * 2).limit_run(hour), (hour, false));
        let (left, shortened) = Deadline::after(hour).limit_run(hour * 2);
        assert!(left <= hour && shortened);
        assert!(Deadline::after(Duration::ZERO).has_passed());
        assert!(!Deadline::NEVER.has_passed() && !Deadline::after(hour).has_passed());
        assert_eq!(Deadline::after(Duration::MAX), Deadline::NEVER);
    }
}

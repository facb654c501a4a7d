//! Progress of a long operation → now and then a line, for a log or a pipe, where no bar can be drawn.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::progress::ProgressEvent;
use report::number_format;

/// The progress so far. Events may come from several threads.
#[derive(Debug)]
pub(crate) struct ProgressLines {
    every: Duration,
    state: Mutex<ProgressState>,
}

#[derive(Debug)]
struct ProgressState {
    done: usize,
    total: usize,
    item: String,
    started: Instant,
    told: Instant,
}

impl ProgressLines {
    /// Lines that are at least so far apart.
    pub(crate) fn new(every: Duration) -> Self {
        let now = Instant::now();
        Self {
            every,
            state: Mutex::new(ProgressState {
                done: 0,
                total: 0,
                item: String::new(),
                started: now,
                told: now,
            }),
        }
    }

    /// Notes an event. A line, if the last one is long enough ago.
    pub(crate) fn line(&self, event: ProgressEvent<'_>) -> Option<String> {
        self.line_at(event, Instant::now())
    }

    fn line_at(&self, event: ProgressEvent<'_>, now: Instant) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            ProgressEvent::WorkingOn(item) => item.clone_into(&mut state.item),
            ProgressEvent::MoreSteps(steps) => state.total += steps,
            ProgressEvent::StepDone => state.done += 1,
            ProgressEvent::Activity(_)
            | ProgressEvent::Note(_)
            | ProgressEvent::Detail(_)
            | ProgressEvent::Warning(_) => {}
        }
        if now.duration_since(state.told) < self.every {
            return None;
        }
        state.told = now;
        let spent = now.duration_since(state.started).as_secs_f64();
        let left = state.total.saturating_sub(state.done);
        let mut line = format!(
            "{} of {}",
            state.done,
            number_format::counted_noun(state.total, "version")
        );
        if state.done > 0 && left > 0 {
            let seconds = spent / state.done as f64 * left as f64;
            line.push_str(&format!(", {} left", number_format::duration(seconds)));
        }
        if !state.item.is_empty() {
            line.push_str(&format!(": {}", report::text::safe(&state.item)));
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_no_more_often_than_asked_for_and_tells_how_far_it_is() {
        let lines = ProgressLines::new(Duration::from_secs(30));
        let started = lines
            .state
            .lock()
            .map(|state| state.started)
            .unwrap_or_else(|_| Instant::now());
        let at = |seconds| started + Duration::from_secs(seconds);
        assert_eq!(lines.line_at(ProgressEvent::MoreSteps(4), at(0)), None);
        assert_eq!(lines.line_at(ProgressEvent::StepDone, at(10)), None);
        assert_eq!(
            lines.line_at(ProgressEvent::WorkingOn("a\u{1b}1"), at(30)).as_deref(),
            Some("1 of 4 versions, 1 min 30 s left: a\\u{1b}1")
        );
        assert_eq!(lines.line_at(ProgressEvent::StepDone, at(59)), None);
        assert_eq!(
            lines.line_at(ProgressEvent::Note("n"), at(60)).as_deref(),
            Some("2 of 4 versions, 1 min 0 s left: a\\u{1b}1")
        );
    }
}

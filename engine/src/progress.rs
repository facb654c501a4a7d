//! Progress of an operation: typed events for a callback. Where they go, and how they look, is unknown here:
//! [`report::progress`] words activities, the caller draws them.

pub use report::progress::{Activity, CodeDifference};

/// An event of an operation. Text may contain output of repositories and compilers: the caller escapes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProgressEvent<'a> {
    /// An activity of the engine.
    Activity(&'a Activity<'a>),
    /// The item that is worked on now, in the caller's words.
    WorkingOn(&'a str),
    /// More steps are announced: their number.
    MoreSteps(usize),
    /// One of the announced steps is done.
    StepDone,
    /// Something that every user wants to know.
    Note(&'a str),
    /// Something for users who ask for details.
    Detail(&'a str),
    /// Something that is not as it should be, though the operation goes on.
    Warning(&'a str),
}

/// A callback for progress events, cheap to copy. It may be called from several threads.
#[derive(Clone, Copy)]
pub struct Progress<'a>(&'a (dyn Fn(ProgressEvent<'_>) + Sync));

impl<'a> Progress<'a> {
    /// Reports to a callback.
    pub fn new(callback: &'a (dyn Fn(ProgressEvent<'_>) + Sync)) -> Self {
        Self(callback)
    }

    /// Reports to nobody.
    #[must_use]
    pub fn silent() -> Progress<'static> {
        Progress(&|_| {})
    }

    /// Reports an activity.
    pub fn activity(&self, activity: &Activity<'_>) {
        (self.0)(ProgressEvent::Activity(activity));
    }

    /// Reports the item that is worked on now.
    pub fn working_on(&self, item: &str) {
        (self.0)(ProgressEvent::WorkingOn(item));
    }

    /// Announces more steps.
    pub fn expect(&self, steps: usize) {
        (self.0)(ProgressEvent::MoreSteps(steps));
    }

    /// Reports that a step is done.
    pub fn step(&self) {
        (self.0)(ProgressEvent::StepDone);
    }

    /// Reports something that every user wants to know.
    pub fn note(&self, text: &str) {
        (self.0)(ProgressEvent::Note(text));
    }

    /// Reports something for users who ask for details.
    pub fn detail(&self, text: &str) {
        (self.0)(ProgressEvent::Detail(text));
    }

    /// Reports something that is not as it should be.
    pub fn warn(&self, text: &str) {
        (self.0)(ProgressEvent::Warning(text));
    }
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Progress")
    }
}

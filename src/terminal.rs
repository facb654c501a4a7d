//! Output streams: the result on the standard output, notes and progress on the standard error, and the width of both.
//! A pipe gets no progress bars, --quiet no notes.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use engine::progress::{Activity, ProgressEvent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use report::number_format;
use report::progress::ProgressLine;
use report::score::PageLayout;
use report::style::{FAINT, UNSURE, paint};

use crate::cli::TerminalArguments;
use crate::exit::Failure;

/// The narrowest page that is laid out. Lines may break on narrower terminals.
const NARROWEST: usize = 60;

/// The widest page: longer lines are hard to read.
const WIDEST: usize = 160;

/// Redraw interval of a bar, so that its clock runs while nothing finishes.
const TICK: Duration = Duration::from_millis(200);

/// The terminal, or the pipe in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    arguments: TerminalArguments,
    width: Option<usize>,
}

impl Terminal {
    /// Inspects the streams of this process.
    pub(crate) fn new(arguments: TerminalArguments) -> Self {
        let width = if io::stdout().is_terminal() {
            terminal_size::terminal_size()
        } else {
            None
        };
        let width = width.map(|(width, _)| usize::from(width.0).clamp(NARROWEST, WIDEST));
        Self { arguments, width }
    }

    /// The page that results are laid out on.
    pub(crate) fn page(&self) -> PageLayout {
        PageLayout { width: self.width }
    }

    /// Writes a part of the result.
    ///
    /// # Errors
    /// [`Failure::BrokenPipe`] if the reader is gone.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Prints a note, unless --quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.arguments.quiet {
            self.tell(text);
        }
    }

    /// Prints a detail, with --verbose.
    pub(crate) fn detail(&self, text: &str) {
        if self.arguments.verbose {
            self.tell(&paint(FAINT, text));
        }
    }

    /// Prints a warning, unless --quiet.
    pub(crate) fn warn(&self, text: &str) {
        if !self.arguments.quiet {
            self.tell(&format!("{} {text}", paint(UNSURE, "warning:")));
        }
    }

    /// Shows what an operation reports while no bar is drawn.
    pub(crate) fn show(&self, event: ProgressEvent<'_>) {
        match event {
            ProgressEvent::Activity(activity) => match activity.line() {
                ProgressLine::Current(_) => {}
                ProgressLine::Note(line) => self.note(&line),
                ProgressLine::Detail(line) => self.detail(&line),
                ProgressLine::Warning(line) => self.warn(&line),
            },
            ProgressEvent::Note(text) => self.note(text),
            ProgressEvent::Detail(text) => self.detail(text),
            ProgressEvent::Warning(text) => self.warn(text),
            ProgressEvent::WorkingOn(_) | ProgressEvent::MoreSteps(_) | ProgressEvent::StepDone => {}
        }
    }

    /// Asks a question and gives the line that was answered; `None` if nobody is there to answer, or with --quiet.
    ///
    /// # Errors
    /// The answer cannot be read.
    pub(crate) fn ask(&self, question: &str) -> Result<Option<String>, Failure> {
        if self.arguments.quiet || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(None);
        }
        // Without a line end, so that the answer stands behind it.
        let _ = write!(anstream::stderr(), "{question}");
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).map_err(|error| {
            Failure::environment(format_args!("reading the answer: {error}; use the option instead"))
        })?;
        Ok(Some(answer))
    }

    fn tell(&self, text: &str) {
        // If the standard error is closed, nobody watches.
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// A spinner for work of unknown length. Hidden if the standard error is not a terminal.
    pub(crate) fn waiting(&self, doing: &'static str) -> TerminalProgress {
        let bar = ProgressBar::with_draw_target(None, self.target());
        bar.set_style(
            ProgressStyle::with_template("{spinner} {prefix}  {elapsed:.dim}").expect("the template is a constant"),
        );
        bar.set_prefix(doing);
        self.started(bar)
    }

    fn target(&self) -> ProgressDrawTarget {
        if self.arguments.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        }
    }

    fn started(&self, bar: ProgressBar) -> TerminalProgress {
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        TerminalProgress { bar, terminal: *self }
    }

    /// A bar over `steps` of work, with the time left. Hidden if the standard error is not a terminal.
    pub(crate) fn progress(&self, steps: usize, doing: &'static str) -> TerminalProgress {
        let target = if self.arguments.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let style = ProgressStyle::with_template("{prefix:9} {bar:24} {pos}/{len}{left}  {wide_msg:.dim}")
            .expect("the template is a constant")
            .with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // Writing to the line of the bar cannot fail.
                let _ = out.write_str(&time_left(state.pos(), state.eta()));
            });
        bar.set_style(style.progress_chars("━╸ "));
        bar.set_prefix(doing);
        self.started(bar)
    }
}

/// The estimated time left, as the bar shows it; nothing before the first step is done, when nothing is known, and
/// nothing below a second.
fn time_left(done: u64, estimate: Duration) -> String {
    if done == 0 || estimate < Duration::from_secs(1) {
        return String::new();
    }
    format!("  {} left", number_format::duration(estimate.as_secs_f64()))
}

/// A progress bar. Vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
    terminal: Terminal,
}

impl TerminalProgress {
    /// The page that results are laid out on.
    pub(crate) fn page(&self) -> PageLayout {
        self.terminal.page()
    }

    /// Shows what an operation reports.
    pub(crate) fn show(&self, event: ProgressEvent<'_>) {
        match event {
            ProgressEvent::Activity(activity) => match activity.line() {
                ProgressLine::Current(line) => self.working_on(&line),
                ProgressLine::Note(line) => self.note(&line),
                ProgressLine::Detail(line) => self.detail(&line),
                ProgressLine::Warning(line) => self.warn(&line),
            },
            ProgressEvent::WorkingOn(item) => self.working_on(item),
            ProgressEvent::MoreSteps(steps) => self.expect(steps),
            ProgressEvent::StepDone => self.step(),
            ProgressEvent::Note(text) => self.note(text),
            ProgressEvent::Detail(text) => self.detail(text),
            ProgressEvent::Warning(text) => self.warn(text),
        }
    }

    /// True if no bar is drawn: the standard error is no terminal, or --quiet.
    pub(crate) fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Shows the item that is worked on.
    pub(crate) fn working_on(&self, what: &str) {
        self.bar.set_message(report::text::safe(what).into_owned());
    }

    /// Sets the position and the length of the bar.
    pub(crate) fn reached(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }

    /// Tells that another process is waited for.
    pub(crate) fn waiting_for(&self, process: u32) {
        self.show(ProgressEvent::Activity(&Activity::Waiting { process }));
    }

    /// Adds steps to the length of the bar.
    pub(crate) fn expect(&self, steps: usize) {
        self.bar.inc_length(steps as u64);
    }

    /// Advances the bar by one step.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Writes a part of the result above the bar.
    ///
    /// # Errors
    /// [`Failure::BrokenPipe`] if the reader is gone.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.bar.suspend(|| self.terminal.print(text))
    }

    /// Prints a warning above the bar.
    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| self.terminal.warn(&report::text::safe_lines(text)));
    }

    /// Prints a detail, with --verbose.
    pub(crate) fn detail(&self, text: &str) {
        self.bar.suspend(|| self.terminal.detail(&report::text::safe(text)));
    }

    /// Prints a note above the bar.
    pub(crate) fn note(&self, text: &str) {
        self.bar.suspend(|| self.terminal.note(text));
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_only_when_there_is_an_estimate() {
        assert_eq!(time_left(0, Duration::from_secs(90)), "");
        assert_eq!(time_left(3, Duration::ZERO), "");
        assert_eq!(time_left(3, Duration::from_secs(90)), "  1 min 30 s left");
    }
}

//! What stands around a result: notes and progress on the standard error, the result on the standard
//! output, and how wide both are. Hidden where nobody looks: no progress in a pipe, no notes with --quiet.

use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use engine::progress::ProgressEvent;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::progress::ProgressLine;
use report::score::PageLayout;
use report::style::{FAINT, UNSURE, paint};

use crate::cli::TerminalArguments;
use crate::exit::Failure;

/// Narrower pages are not catered for: lines may then break.
const NARROWEST: usize = 60;

/// Lines longer than this are hard to read; wider terminals keep their margin.
const WIDEST: usize = 160;

/// How often a bar is redrawn while nothing finishes, so that its clock runs.
const TICK: Duration = Duration::from_millis(200);

/// Where output goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    arguments: TerminalArguments,
    width: Option<usize>,
}

impl Terminal {
    /// As the process finds it.
    pub(crate) fn new(arguments: TerminalArguments) -> Self {
        let width = if io::stdout().is_terminal() {
            terminal_size::terminal_size()
        } else {
            None
        };
        let width = width.map(|(width, _)| usize::from(width.0).clamp(NARROWEST, WIDEST));
        Self { arguments, width }
    }

    /// The page that results are written on.
    pub(crate) fn page(&self) -> PageLayout {
        PageLayout { width: self.width }
    }

    /// Writes a part of the result.
    ///
    /// # Errors
    /// [`Failure::BrokenPipe`] where the reader is gone.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Says what happened, to whoever watches.
    pub(crate) fn note(&self, text: &str) {
        if !self.arguments.quiet {
            self.tell(text);
        }
    }

    /// Says what is being done, to whoever asked with -v.
    pub(crate) fn detail(&self, text: &str) {
        if self.arguments.verbose {
            self.tell(&paint(FAINT, text));
        }
    }

    /// Says what is not as it should be, though the command goes on.
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

    fn tell(&self, text: &str) {
        // Where the standard error is closed, nobody watches.
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// A sign of life during work whose length nobody knows; invisible where nobody watches.
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

    /// A bar over `steps` of work, with the time left; invisible where nobody watches.
    pub(crate) fn progress(&self, steps: usize, doing: &'static str) -> TerminalProgress {
        let target = if self.arguments.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let style = ProgressStyle::with_template("{prefix:9} {bar:24} {pos}/{len}  {eta} left  {wide_msg:.dim}")
            .expect("the template is a constant");
        bar.set_style(style.progress_chars("━╸ "));
        bar.set_prefix(doing);
        self.started(bar)
    }
}

/// Work that takes a while. Vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
    terminal: Terminal,
}

impl TerminalProgress {
    /// The page that results are written on.
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

    /// Says what is being worked on.
    pub(crate) fn working_on(&self, what: &str) {
        self.bar.set_message(report::text::safe(what).into_owned());
    }

    /// So much is done, of so much in all.
    pub(crate) fn reached(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }

    /// So many more steps are to be done.
    pub(crate) fn expect(&self, steps: usize) {
        self.bar.inc_length(steps as u64);
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Writes a part of the result without the bar getting in its way.
    ///
    /// # Errors
    /// [`Failure::BrokenPipe`] where the reader is gone.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.bar.suspend(|| self.terminal.print(text))
    }

    /// Says what is not as it should be without the bar getting in its way.
    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| {
            let lines: Vec<_> = text.lines().map(report::text::safe).collect();
            self.terminal.warn(&lines.join("\n"));
        });
    }

    /// Says what is being done, to whoever asked with -v.
    pub(crate) fn detail(&self, text: &str) {
        self.bar.suspend(|| self.terminal.detail(&report::text::safe(text)));
    }

    /// Says what happened without the bar getting in its way.
    pub(crate) fn note(&self, text: &str) {
        self.bar.suspend(|| self.terminal.note(text));
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

//! `lito score`: a revision or a range into predictions, written as they come.

use analyzer::score::{Decision, Scoring, VersionScore};
use report::score;
use runner::git::Repository;
use runner::store::Store;

use crate::cli::{Format, ScoreArguments};
use crate::exit::{Exit, Failure};
use crate::terminal::{Progress, Terminal};
use engine::samples::Samples;
use engine::scoring;
use engine::settings::Settings;

/// Scores what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &ScoreArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let versions = repository.range(&arguments.revision)?;
    let store = Store::open(repository, &settings.store.url)?;
    let mut samples = Samples::new(repository, &store)?;
    let threshold = arguments.threshold.unwrap_or(settings.gate.threshold);
    let scoring = scoring::with(arguments.model.into(), threshold.share());
    let progress = terminal.progress(versions.len(), "scoring");
    let single = versions.len() == 1 && !arguments.revision.contains("..");
    let mut writer = Writer {
        arguments,
        scoring: &scoring,
        progress: &progress,
        single,
        written: 0,
        selected: 0,
    };
    writer.begin()?;
    scoring::score_versions(repository, &versions, &mut samples, &scoring, |version| {
        writer.write(&version)
    })?;
    writer.end()?;
    for passed_over in samples.set_aside() {
        terminal.warn(&format!(
            "{}; it is passed over, `lito store verify` names what to sample again",
            report::text::safe(&passed_over)
        ));
    }
    Ok(Exit::Passed)
}

/// Writes one version after the other.
struct Writer<'a> {
    arguments: &'a ScoreArguments,
    scoring: &'a Scoring,
    progress: &'a Progress,
    /// One revision was asked for, not a range: it gets a page, not a line.
    single: bool,
    written: usize,
    selected: usize,
}

impl Writer<'_> {
    fn begin(&self) -> Result<(), Failure> {
        match self.arguments.output.format {
            Format::Json => self
                .progress
                .print(&score::json_head(self.scoring.model, self.scoring.threshold)),
            Format::Human if !self.single && !self.arguments.explain => self.progress.print(&score::line_heading()),
            Format::Markdown if !self.single => self.progress.print(score::markdown_head()),
            Format::Human | Format::Markdown => Ok(()),
        }
    }

    fn write(&mut self, version: &VersionScore) -> Result<(), Failure> {
        let page = self.progress.page();
        let text = match self.arguments.output.format {
            Format::Json if self.written == 0 => score::json_version(version),
            Format::Json => format!("{}{}", score::json_separator(), score::json_version(version)),
            Format::Human if self.arguments.explain || self.single => {
                let gap = if self.written == 0 { "" } else { "\n" };
                let explanation = if self.arguments.explain {
                    score::explanation(version, page)
                } else {
                    self.hint(version)
                };
                format!(
                    "{gap}{}{explanation}",
                    score::human_version(version, self.scoring.threshold, page)
                )
            }
            Format::Human => score::human_line(version, page),
            Format::Markdown if self.single => score::markdown_version(version),
            Format::Markdown => score::markdown_line(version),
        };
        self.written += 1;
        self.selected += usize::from(version.decision == Decision::Benchmark);
        self.progress.print(&text)?;
        self.progress.step();
        Ok(())
    }

    fn end(&self) -> Result<(), Failure> {
        match self.arguments.output.format {
            Format::Json => self.progress.print(score::json_tail()),
            Format::Human if !self.single => self
                .progress
                .print(&format!("\n{}", score::human_summary(self.written, self.selected))),
            Format::Human | Format::Markdown => Ok(()),
        }
    }

    fn hint(&self, version: &VersionScore) -> String {
        if version.changes.is_empty() {
            return String::new();
        }
        score::explain_hint(version.changes.len())
    }
}

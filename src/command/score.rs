//! `lito score`: predicts the versions of a range, and writes each prediction as soon as it is made.

use analyzer::score::{ScoreDecision, ScoreOptions, VersionScore};
use report::score;
use runner::git::Repository;
use runner::store::Store;

use super::draft::Draft;
use super::note_uncommitted;
use crate::cli::{OutputFormat, ScoreArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::sample_loader::SampleLoader;
use engine::scoring;
use engine::settings::Settings;

/// Scores the versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &ScoreArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let draft = Draft::of(repository, &arguments.draft)?;
    let (repository, versions) = match &draft {
        Some(draft) => {
            draft.note_if_unchanged(terminal);
            (draft.repository(), draft.head.into_iter().collect())
        }
        None => {
            let versions = repository.range(&arguments.revision)?;
            if let Some(&newest) = versions.last() {
                note_uncommitted(repository, newest, terminal);
            }
            (repository, versions)
        }
    };
    let store = Store::open(repository, &settings.store.url)?;
    let mut samples = SampleLoader::new(repository, &store)?;
    let threshold = arguments.threshold.unwrap_or(settings.gate.threshold);
    let scoring = scoring::scoring_for_model(
        arguments.model.into(),
        threshold.share(),
        (repository, &settings.benchmarks),
    );
    let progress = terminal.progress(versions.len(), "scoring");
    let single = draft.is_some() || versions.len() == 1 && !arguments.revision.contains("..");
    let mut writer = ScoreWriter {
        arguments,
        scoring: &scoring,
        progress: &progress,
        single,
        written: 0,
        selected: 0,
    };
    writer.begin()?;
    scoring::score_versions(repository, &versions, &mut samples, &scoring, |mut version| {
        if let Some(draft) = &draft {
            draft.name.clone_into(&mut version.commit);
        }
        writer.write(&version)
    })?;
    writer.end()?;
    for passed_over in samples.skipped_record_warnings() {
        terminal.warn(&format!(
            "{}; skipped: `lito store verify` names the versions to sample again",
            report::text::safe(&passed_over)
        ));
    }
    Ok(CommandExit::Passed)
}

/// Writes the scores of the versions, one after the other.
struct ScoreWriter<'a> {
    arguments: &'a ScoreArguments,
    scoring: &'a ScoreOptions,
    progress: &'a TerminalProgress,
    /// A single revision, which gets a page, not a line.
    single: bool,
    written: usize,
    selected: usize,
}

impl ScoreWriter<'_> {
    fn begin(&self) -> Result<(), Failure> {
        match self.arguments.output.format {
            OutputFormat::Json => self
                .progress
                .print(&score::json_head(self.scoring.model, self.scoring.threshold)),
            OutputFormat::Human if !self.single && !self.arguments.explain => {
                self.progress.print(&score::line_heading())
            }
            OutputFormat::Markdown if !self.single => self.progress.print(score::markdown_head()),
            OutputFormat::Human | OutputFormat::Markdown => Ok(()),
        }
    }

    fn write(&mut self, version: &VersionScore) -> Result<(), Failure> {
        let page = self.progress.page();
        let text = match self.arguments.output.format {
            OutputFormat::Json if self.written == 0 => score::json_version(version),
            OutputFormat::Json => format!("{}{}", score::json_separator(), score::json_version(version)),
            OutputFormat::Human if self.arguments.explain || self.single => {
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
            OutputFormat::Human => score::human_line(version, page),
            OutputFormat::Markdown if self.single => score::markdown_version(version),
            OutputFormat::Markdown => score::markdown_line(version),
        };
        self.written += 1;
        self.selected += usize::from(version.decision == ScoreDecision::Benchmark);
        self.progress.print(&text)?;
        self.progress.step();
        Ok(())
    }

    fn end(&self) -> Result<(), Failure> {
        match self.arguments.output.format {
            OutputFormat::Json => self.progress.print(score::json_tail()),
            OutputFormat::Human if !self.single => self
                .progress
                .print(&format!("\n{}", score::human_summary(self.written, self.selected))),
            OutputFormat::Human | OutputFormat::Markdown => Ok(()),
        }
    }

    fn hint(&self, version: &VersionScore) -> String {
        if version.changes.is_empty() {
            return String::new();
        }
        score::explain_hint(version.changes.len())
    }
}

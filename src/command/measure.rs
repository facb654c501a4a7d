//! `lito measure`: measures the benchmarks of two versions against each other.

use runner::git::Repository;

use super::note_uncommitted;
use super::verdict_answer::{self, VerdictRequest};
use crate::cli::MeasureArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::pipeline::SelectionRequest;
use engine::settings::Settings;

/// Measures the named benchmarks of both versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &MeasureArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let head = repository.resolve(&arguments.head)?;
    note_uncommitted(repository, head, terminal);
    let asked = VerdictRequest {
        base: repository.resolve(&arguments.base)?,
        head,
        draft: None,
        which: SelectionRequest::Named(&arguments.benchmarks),
        is_scored_again: false,
        claims: Vec::new(),
        measuring: &arguments.measuring,
    };
    let given = verdict_answer::judge_and_report(repository, settings, &asked, terminal)?;
    Ok(verdict_answer::exit_of_answer(&given.judgement.report))
}

//! `lito compare`: two executions into where they differ, in words, as data, and drawn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use profile::tree::{CallTree, Noise, folded};
use report::comparison::{self as shown_as, Comparison};
use report::view::{self, Better, View};
use runner::benchmark::glob_matches;
use runner::git::{CommitId, Repository};
use runner::profiler::Contexts;
use runner::trees::VersionTrees;

use super::{checkout, interruption};
use crate::cli::{CompareArguments, CompareFormat};
use crate::comparing::{Side, compare};
use crate::exit::{Exit, Failure};
use crate::outlines::{outlines, renamed};
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::trees;
use crate::views;

/// Compares versions of a repository.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &CompareArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let commits = versions(repository, arguments)?;
    let root = checkout(repository, "comparing")?;
    let interruption = interruption()?;
    let request = trees::Request {
        repository,
        definitions: &settings.benchmarks,
        root,
        interruption: &interruption,
    };
    let compared = views::compared(
        &request,
        commits,
        &arguments.benchmarks,
        arguments.against.as_deref(),
        terminal,
    )?;
    for missing in &compared.missing {
        terminal.warn(missing);
    }
    if let Some(file) = &arguments.output {
        views::write(&compared.view(), file, terminal)?;
    }
    if let Some(folder) = &arguments.stacks {
        write_stacks(folder, &compared.stacks())?;
    }
    answer(&compared.comparisons, "instructions", arguments, terminal)
}

//! Comparisons and tracks → the HTML report, with the labels and sources of the versions.

mod comparison_report;
mod track_report;

use std::collections::HashMap;
use std::path::Path;

use report::view::{self, HtmlReport, ViewVersion};
use runner::git::{CommitId, Repository};
use runner::whole_file;

use crate::error::EngineError;

pub use comparison_report::{html_report_of_comparisons, html_report_of_versions};
pub use track_report::{BenchmarkSeries, TrackComparisonBuilder, TrackExecutions, matrices};

/// The command that compares two versions of a report, with placeholders for versions and benchmark.
pub const COMPARE: &str = "lito compare {before} {after} --bench {benchmark}";

/// The command that compares two benchmarks on one version of a report.
pub const COMPARE_BENCHMARKS: &str = "lito compare {version} --bench {before} --against {after}";

/// Labels for versions of a repository.
pub struct VersionLabels {
    tags: HashMap<CommitId, String>,
}

impl VersionLabels {
    /// Reads the tags.
    pub fn of(repository: &Repository) -> Result<Self, EngineError> {
        Ok(Self {
            tags: repository.tags()?,
        })
    }

    /// A version's tag, or its short id.
    pub fn label(&self, commit: CommitId) -> String {
        (self.tags.get(&commit)).map_or_else(|| commit.short(), Clone::clone)
    }

    /// A version as the report shows it.
    pub fn version(&self, repository: &Repository, commit: CommitId) -> Result<ViewVersion, EngineError> {
        Ok(ViewVersion {
            commit: commit.to_string(),
            label: self.label(commit),
            summary: repository.summary(commit)?,
            time: repository.committed_at(commit)?,
        })
    }
}

/// The name of a checkout's project: its folder.
pub fn project(root: &Path) -> String {
    let folder = root.file_name().unwrap_or_default();
    folder.to_string_lossy().into_owned()
}

/// The command that is running, as it was typed.
pub fn command_line() -> String {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let program = words.next().unwrap_or_default();
    let program = Path::new(&program).file_stem().unwrap_or_default();
    let words: Vec<String> = std::iter::once(program.to_string_lossy().into_owned())
        .chain(words)
        .collect();
    words.join(" ")
}

/// Writes the report.
pub fn write(view: &HtmlReport<'_>, file: &Path) -> Result<(), EngineError> {
    whole_file::write(file, view::html(view)).map_err(|error| {
        EngineError::environment(format_args!(
            "writing the report: on {error}; name another file with --output"
        ))
    })
}

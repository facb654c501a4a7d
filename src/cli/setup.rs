//! Arguments of the commands that set lito up and try it: init, bench, import, demo.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::lito_source::LitoSource;
use super::{ChoiceArguments, FormatArguments};

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Write the workflows of this host [default: by the remote's host, else by the folders .github, .gitlab, .forgejo
    /// and .gitea and by .gitlab-ci.yml; none if nothing indicates a host].
    #[arg(long, value_name = "HOST")]
    pub(crate) ci: Option<CiArgument>,
    /// Write a git hook that scores each version before it is pushed. It keeps nothing from being pushed.
    #[arg(long)]
    pub(crate) hook: bool,
    /// The lito that the workflows install, pinned by commit: a repository on GitHub, or the address of any other
    /// [default: where this lito was built from].
    #[arg(long, visible_alias = "action", value_name = "OWNER/NAME@COMMIT|URL@COMMIT")]
    pub(crate) source: Option<LitoSource>,
    /// The name of --ci before it knew more than one host.
    #[arg(long, hide = true, value_name = "true|false", value_parser = workflows_renamed)]
    pub(crate) workflows: Option<String>,
}

/// The hosts that lito writes workflows for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiArgument {
    /// GitHub: .github/workflows/.
    Github,
    /// GitLab: .gitlab/lito.yml, for .gitlab-ci.yml to include.
    Gitlab,
    /// Forgejo, or Gitea: .forgejo/workflows/lito.yml.
    Forgejo,
    /// No workflow.
    None,
}

fn workflows_renamed(asked: &str) -> Result<String, String> {
    Err(String::from(match asked {
        "false" => "use `--ci none`",
        _ => "use `--ci github`",
    }))
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// List the benchmarks that lito finds, with their framework and command.
    List(BenchListArguments),
    /// Show which functions the benchmarks of the newest sample execute, and which none executes. Builds nothing.
    Coverage(CoverageArguments),
}

#[derive(Debug, Args)]
pub(crate) struct BenchListArguments {
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    /// The version; its newest sample is shown.
    #[arg(value_name = "REV", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Import the published releases of a crate, one commit each, oldest first.
    Crate(ImportArguments),
    /// Import the published releases of a Python package, one commit each, oldest first.
    Python(ImportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The crate or package.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Only the last N releases.
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Only this release and later ones.
    #[arg(long, value_name = "VERSION")]
    pub(crate) from: Option<String>,
    /// The folder of the new repository: empty, missing, or an earlier import.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The language: lito takes its first library.
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    pub(crate) language: DemoLanguage,
    /// The library: semver, httparse, memchr, hashbrown or smallvec (Rust), libdeflate (C), ada (C++) or tomli (Python).
    #[arg(long, visible_alias = "crate", value_name = "NAME", conflicts_with = "language")]
    pub(crate) library: Option<String>,
    /// Its last N releases.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) last: usize,
    /// Sample every K-th of them.
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub(crate) every: u32,
    /// Measure the skipped versions too, to see what was missed.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write a report that shows and explains the cost of each release: one HTML file.
    #[arg(long = "output", value_name = "FILE")]
    pub(crate) drawn: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// A language that the demonstration has a library of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoLanguage {
    /// Rust.
    Rust,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Python.
    Python,
}

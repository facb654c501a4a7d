//! Arguments of the commands that set lito up and try it: init, bench, import, demo.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::FormatArguments;

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Write the GitHub Actions workflows [default: if there is a .github folder or a remote on GitHub].
    #[arg(long, value_name = "true|false")]
    pub(crate) workflows: Option<bool>,
    /// Write a git hook that scores each version before it is pushed. It keeps nothing from being pushed.
    #[arg(long)]
    pub(crate) hook: bool,
    /// The action that the workflows use, pinned by commit [default: the commit this lito was built from].
    #[arg(long, value_name = "OWNER/NAME@COMMIT", value_parser = pinned_action)]
    pub(crate) action: Option<String>,
}

/// Accepts `owner/name@` and 40 hexadecimal digits: a tag could move to other code.
fn pinned_action(text: &str) -> Result<String, String> {
    let part = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && part.chars().all(fits)
    };
    let (name, commit) = text.split_once('@').unwrap_or((text, ""));
    let named = (name.split_once('/')).is_some_and(|(owner, name)| part(owner) && part(name));
    if !named || commit.len() != 40 || !commit.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(String::from(
            "expected OWNER/NAME@COMMIT with all 40 digits of the commit",
        ));
    }
    Ok(text.to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// List the benchmarks that lito finds, with their framework and command.
    List(FormatArguments),
    /// Show which functions the benchmarks of the newest sample execute, and which none executes. Builds nothing.
    Coverage(CoverageArguments),
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
    Crate(ImportCrateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ImportCrateArguments {
    /// The crate.
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
    /// The library: semver, httparse, memchr, hashbrown or smallvec.
    #[arg(long = "crate", value_name = "NAME", default_value = "semver")]
    pub(crate) library: String,
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

//! The command line: every command, argument and flag with its help. Parses; decides nothing.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Benchmark only the commits that can change a benchmark.
///
/// lito reads the source of each commit, compares it with profiles of an earlier version, predicts what the
/// commit costs each benchmark, and says which commits are worth running.
#[derive(Debug, Parser)]
#[command(
    name = "lito",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
#[command(after_help = "\
Exit codes: 0 passed or skipped, 1 regression, 2 usage or configuration, 3 environment, 4 inconclusive.")]
pub(crate) struct Arguments {
    /// The repository to work on.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    pub(crate) repo: PathBuf,
    #[command(flatten)]
    pub(crate) terminal: TerminalArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What is shown besides the result.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TerminalArguments {
    /// Show what is done while it is done.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show nothing but the result and errors.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that knows it, unless NO_COLOR is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented lito.toml for this repository.
    Init(InitArguments),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder.
    Man {
        /// The folder; it is made where it is missing.
        dir: PathBuf,
    },
    /// Print the JSON schema of lito.toml.
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Overwrite the lito.toml that is there.
    #[arg(long)]
    pub(crate) force: bool,
}

impl Color {
    /// Makes this the choice for everything that is printed from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_argument_has_its_help() {
        fn check(command: &clap::Command) {
            assert!(
                command.get_about().is_some(),
                "{} has no help",
                command.get_name()
            );
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} of {}",
                    argument.get_id(),
                    command.get_name()
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&Arguments::command());
    }
}

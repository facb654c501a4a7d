//! Arguments of `lito cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The most that a later job starts from, in MiB, if nothing is said: a fifth of what GitHub keeps of a repository.
const MOST_MEBIBYTES: &str = "2048";

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Print the key under which a host's cache has the built dependencies of HEAD.
    ///
    /// `key` is the beginning of every key with these lock files, `prefix` that of every key with this toolchain, system,
    /// version of lito and folder.
    Key,
    /// Write the built dependencies to a folder from which a later job can start, and print its key.
    ///
    /// Holds what was built from a registry or a git repository, and nothing of this repository.
    Export(CacheExportArguments),
    /// Start from a folder of `lito cache export`.
    ///
    /// Builds then execute what is in it: only for jobs that hold no secret and store nothing.
    Import(CacheImportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct CacheExportArguments {
    /// The folder: empty, missing, or one of an earlier export, which is replaced.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The largest size in MiB; if there is more, nothing is written.
    #[arg(long, value_name = "MIB", default_value = MOST_MEBIBYTES)]
    pub(crate) most: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CacheImportArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

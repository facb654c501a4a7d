//! Arguments of `lito store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use runner::benchmark::TimeSpan;

use super::FormatArguments;

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// List the sampled versions.
    List(FormatArguments),
    /// Show one profile.
    Show(StoreShowArguments),
    /// Check every entry of the store.
    Verify,
    /// Remove samples of versions that the repository no longer has, and old ones if asked to.
    Gc(StoreGcArguments),
    /// Fetch the store of a remote or a bucket and merge it.
    Fetch(StoreFetchArguments),
    /// Push the store to a remote or a bucket, and merge what it has besides.
    Push(StoreRemoteArguments),
    /// Write the store to a file for `lito store merge` on another machine.
    Export(StoreExportArguments),
    /// Merge files of `lito store export`, in any order.
    Merge(StoreMergeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct StoreGcArguments {
    /// Keep the samples of so many versions in each environment, the newest, and remove older ones.
    #[arg(long, value_name = "VERSIONS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: Option<u32>,
    /// Remove the samples of versions that were committed longer ago, such as 90d. With --keep, the newest stay at any
    /// age.
    #[arg(long, value_name = "AGE")]
    pub(crate) older_than: Option<TimeSpan>,
    /// List what would be removed, and remove nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoreRemoteArguments {
    /// A remote of the repository, a URL, or a bucket such as `s3://bucket/folder` [default: origin, or the only remote].
    /// LITO_STORE_TOKEN is sent to a remote over https; a bucket is reached as the AWS_ variables say.
    #[arg(value_name = "REMOTE")]
    pub(crate) remote: Option<String>,
    /// Time limit of one transfer; with a bucket, of one request.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: TimeSpan,
}

#[derive(Debug, Args)]
pub(crate) struct StoreFetchArguments {
    #[command(flatten)]
    pub(crate) from: StoreRemoteArguments,
    /// From a bucket, fetch only what a prediction needs: samples of so many versions, the nearest at or before --of.
    #[arg(long, value_name = "VERSIONS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) nearest: Option<u32>,
    /// The version that --nearest is about.
    #[arg(long, value_name = "REV", default_value = "HEAD", requires = "nearest")]
    pub(crate) of: String,
}

#[derive(Debug, Args)]
pub(crate) struct StoreExportArguments {
    /// The file. Overwritten if it exists.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct StoreMergeArguments {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Merge accepted regressions too. Only safe if no job that ran a contributor's code could write the files.
    #[arg(long)]
    pub(crate) acknowledgements: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoreShowArguments {
    /// The sampled version.
    #[arg(value_name = "REV")]
    pub(crate) revision: String,
    /// The benchmark.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmark: String,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

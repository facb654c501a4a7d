//! Arguments of `lito bisect`.

use clap::Args;

use super::FormatArguments;

#[derive(Debug, Args)]
pub(crate) struct BisectArguments {
    /// A version without the change.
    #[arg(value_name = "GOOD")]
    pub(crate) good: String,
    /// A later version with it.
    #[arg(value_name = "BAD", default_value = "HEAD", hide_default_value = true)]
    pub(crate) bad: String,
    /// The benchmark that moved.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmark: String,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

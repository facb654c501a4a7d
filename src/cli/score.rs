//! Arguments of `lito score`.

use clap::{Args, ValueEnum};
use engine::settings::Percent;

use super::{DraftArguments, FormatArguments};

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// A version, or a range of versions that excludes its start.
    #[arg(
        value_name = "REV | BASE..HEAD",
        default_value = "HEAD",
        hide_default_value = true,
        conflicts_with = "DraftArguments"
    )]
    pub(crate) revision: String,
    #[command(flatten)]
    pub(crate) draft: DraftArguments,
    /// The cost model.
    #[arg(long, default_value = "lito")]
    pub(crate) model: ModelArgument,
    /// Show how each number is made: the changes, their executions and their costs.
    #[arg(long)]
    pub(crate) explain: bool,
    /// The smallest change worth a benchmark [default: `gate.threshold` of lito.toml, 5%].
    #[arg(long, value_name = "PERCENT")]
    pub(crate) threshold: Option<Percent>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// Cost models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArgument {
    /// lito's own: prices new code from its source, and turns evidence into a probability.
    Lito,
    /// The published model (Sandoval Alcocer et al.), to the letter.
    Paper,
}

impl From<ModelArgument> for analyzer::score::CostModel {
    fn from(model: ModelArgument) -> Self {
        match model {
            ModelArgument::Lito => Self::Lito,
            ModelArgument::Paper => Self::Paper,
        }
    }
}

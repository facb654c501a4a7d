//! Arguments of `lito selftest`.

use analyzer::change::ChangeKind;
use analyzer::instrument::seed::{KINDS, PlantedKind, SeedHotness};
use clap::{Args, ValueEnum};
use runner::benchmark::TimeSpan;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;

use super::{FormatArguments, MeasuredArgument, ProfilerArgument};

#[derive(Debug, Args)]
pub(crate) struct SelftestArguments {
    /// Plant N changes of each kind in code of each hotness.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seeds: usize,
    /// Kinds of change, as JSON names them (`call_addition`, `drop_addition`, ...) [default: all].
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind_of_change)]
    pub(crate) kinds: Vec<PlantedKind>,
    /// Hotness of the code that changes are planted in [default: all].
    #[arg(long, value_name = "PLACE", value_delimiter = ',')]
    pub(crate) places: Vec<PlaceArgument>,
    /// Plant N changes of each known size: +1%, +2%, +5%, +10%.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) sized: usize,
    /// Compare HEAD with itself N times, to count false alarms.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) aa: usize,
    /// Seed of the random choice of places. The same seed chooses the same places.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// A metric to measure besides instructions; repeatable.
    #[arg(long = "metric", value_name = "NAME")]
    pub(crate) metrics: Vec<MeasuredArgument>,
    /// Time limit for measuring one change, builds excluded [default: `gate.budget` of lito.toml, 10m].
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<TimeSpan>,
    /// The profiler [default: callgrind, or probes if valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// How hot the code is that a change is planted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlaceArgument {
    /// Runs so often that one more small function is 5% of a benchmark.
    Hot,
    /// Runs often, but one more small function does not show.
    Warm,
    /// Runs rarely.
    Cold,
    /// No benchmark executes it.
    Unreached,
}

impl From<PlaceArgument> for SeedHotness {
    fn from(place: PlaceArgument) -> Self {
        match place {
            PlaceArgument::Hot => Self::Hot,
            PlaceArgument::Warm => Self::Warm,
            PlaceArgument::Cold => Self::Cold,
            PlaceArgument::Unreached => Self::Unreached,
        }
    }
}

/// A kind of change that can be planted.
fn kind_of_change(name: &str) -> Result<PlantedKind, String> {
    if let Some(kind) = PlantedKind::named(name) {
        return Ok(kind);
    }
    let named = StrDeserializer::<serde::de::value::Error>::new(name);
    // A kind that scores tell of, under the name that it has there.
    let planted = ChangeKind::deserialize(named).map(PlantedKind::of_change);
    let names = |kinds: &[PlantedKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    Err(match planted {
        Ok(Ok(kinds)) => format!("it is planted as {}", names(kinds)),
        Ok(Err(refusal)) => format!("it is not planted: {}", report::selftest::refusal(refusal)),
        Err(_) => format!("there are {}", names(&KINDS)),
    })
}

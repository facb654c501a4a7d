//! The command line: every command, argument and flag with its help. Parses; decides nothing.

mod compare;
mod track;

use std::path::PathBuf;

use analyzer::change::ChangeKind;
use analyzer::instrument::seed::{KINDS, SeedHotness};
use clap::{Args, Parser, Subcommand, ValueEnum};

use runner::benchmark::TimeSpan;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;

pub(crate) use compare::{CompareArguments, CompareFormat};
pub(crate) use track::{TrackArguments, TrackFormat};

use engine::profiling::Profiler;
use engine::settings::{GateMetric, Percent};
use engine::shards::Shard;

/// Benchmark only the commits that can change a benchmark.
///
/// lito reads the source of each commit, compares it with profiles of an earlier version, predicts what the
/// commit costs each benchmark, and says which commits are worth running.
#[derive(Debug, Parser)]
#[command(name = "lito", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "\
Exit codes: 0 passed or skipped, 1 regression, 2 usage or configuration, 3 environment, 4 inconclusive.")]
pub(crate) struct CliArguments {
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
    pub(crate) command: CliCommand,
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
    pub(crate) color: ColorArgument,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArgument {
    /// On a terminal that knows it, unless NO_COLOR is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Write a commented lito.toml for this repository, and the workflows of GitHub Actions.
    Init(InitArguments),
    /// Check the environment, the benchmarks and the store; each finding with its remedy.
    Doctor(FormatArguments),
    /// Show the benchmarks of this repository.
    #[command(subcommand, arg_required_else_help = true)]
    Bench(BenchCommand),
    /// Build a version, profile each of its benchmarks, and store the profiles.
    Sample(SampleArguments),
    /// Predict what a version, or each version of a range, costs the benchmarks. Builds and runs nothing.
    Score(ScoreArguments),
    /// Benchmark two versions against each other.
    Measure(MeasureArguments),
    /// Score a version, measure it if it is worth that, and give the verdict.
    Gate(GateArguments),
    /// Post a result to the pull request that it is about: a check, and a comment where something changed.
    ///
    /// The token is taken from GITHUB_TOKEN. What GitHub does not take is kept in posting.json, to be posted later.
    Post(PostArguments),
    /// Show what each benchmark cost over many versions, and where that jumped. Measures only what may have changed.
    Track(TrackArguments),
    /// Show where the difference between two versions comes from: calls, costs and source, context by context.
    ///
    /// Also compares two benchmarks of one version, and stacks that any other profiler wrote.
    Compare(CompareArguments),
    /// Plant changes that make this repository slower, and see whether they are found and nothing else is.
    Selftest(SelftestArguments),
    /// Hold predictions against exhaustive measurements: how many regressions are found, and at what cost.
    Evaluate(EvaluateArguments),
    /// Look into the profile store, check it, clean it up, bring it elsewhere and back.
    #[command(subcommand, arg_required_else_help = true)]
    Store(StoreCommand),
    /// Turn something published into a git history.
    #[command(subcommand, arg_required_else_help = true)]
    Import(ImportCommand),
    /// Do everything once, on the releases of a real library.
    Demo(DemoArguments),
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

/// How to write the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
    /// For comments and summaries.
    Markdown,
}

/// How to write the result.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArguments {
    /// How to write the result.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Overwrite the files that are there.
    #[arg(long)]
    pub(crate) force: bool,
    /// Whether to write the workflows of GitHub Actions [default: where there is a .github folder or a remote on GitHub].
    #[arg(long, value_name = "true|false")]
    pub(crate) workflows: Option<bool>,
    /// The action that the workflows use, pinned by commit [default: what this lito was built from].
    #[arg(long, value_name = "OWNER/NAME@COMMIT", value_parser = pinned_action)]
    pub(crate) action: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// List the benchmarks that lito finds, with their adapter and command.
    List(FormatArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// The version; with --last, the newest of the range.
    #[arg(value_name = "REV", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    /// Sample the last N versions up to REV instead of one.
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// With --last, every K-th of them [default: `sampling.every` of lito.toml, 20].
    #[arg(long, value_name = "K", requires = "last")]
    pub(crate) every: Option<u32>,
    /// With --last, only part I of N of these versions, as one of N machines that share the work.
    #[arg(long, value_name = "I/N", requires = "last", conflicts_with = "plan")]
    pub(crate) shard: Option<Shard>,
    /// With --last, say which versions these are and what the store holds of them. Builds nothing.
    #[arg(long, requires = "last")]
    pub(crate) plan: bool,
    /// With --plan, divide the versions among N machines.
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) shards: Option<u32>,
    /// With --plan, how to write it.
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "plan",
        default_value = "human",
        hide_default_value = true
    )]
    pub(crate) format: PlanFormat,
    /// Try versions again that did not build, and benchmarks that failed.
    #[arg(long)]
    pub(crate) retry: bool,
    /// What counts [default: callgrind, or probes where valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
}

/// How to write a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PlanFormat {
    /// For people.
    #[default]
    Human,
    /// For programs, as the matrix of a workflow.
    Json,
}

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfilerArgument {
    /// Callgrind, or probes where valgrind is missing.
    Auto,
    /// Valgrind's callgrind: instructions.
    Callgrind,
    /// Probes in the sources: operations. Needs nothing but a Rust toolchain.
    Probes,
}

impl From<ProfilerArgument> for Profiler {
    fn from(argument: ProfilerArgument) -> Self {
        match argument {
            ProfilerArgument::Auto => Self::Auto,
            ProfilerArgument::Callgrind => Self::Callgrind,
            ProfilerArgument::Probes => Self::Probes,
        }
    }
}

/// A kind of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuredArgument {
    /// Instructions of the subject; operations, where valgrind is missing.
    Instructions,
    /// Bytes and times that the subject allocates, and the most that it holds.
    Memory,
    /// Time that passes, base and head in turns.
    WallTime,
}

impl From<MeasuredArgument> for GateMetric {
    fn from(argument: MeasuredArgument) -> Self {
        match argument {
            MeasuredArgument::Instructions => Self::Instructions,
            MeasuredArgument::Memory => Self::Memory,
            MeasuredArgument::WallTime => Self::WallTime,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// A version, or a range of versions without its start.
    #[arg(value_name = "REV | BASE..HEAD", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    /// The cost model.
    #[arg(long, default_value = "lito")]
    pub(crate) model: ModelArgument,
    /// List the changes behind each number.
    #[arg(long)]
    pub(crate) explain: bool,
    /// A change from which a version is worth a benchmark [default: `gate.threshold` of lito.toml, 5%].
    #[arg(long, value_name = "PERCENT")]
    pub(crate) threshold: Option<Percent>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// Which cost model predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArgument {
    /// Prices new code by reading it, and weighs evidence.
    Lito,
    /// The published model (Sandoval Alcocer et al.), to the letter.
    Paper,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArguments {
    /// The version to compare with.
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// The version to judge.
    #[arg(value_name = "HEAD", default_value = "HEAD", hide_default_value = true)]
    pub(crate) head: String,
    /// Only benchmarks of this name; `*` stands for any text. May be given several times.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmarks: Vec<String>,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// The version to compare with [default: where HEAD left the default branch, or the version before it].
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// The version to judge.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub(crate) head: String,
    /// Take both from the event that started this job of GitHub Actions, and write the job's summary, annotations and the
    /// step's outputs.
    #[arg(long, conflicts_with_all = ["base", "head"])]
    pub(crate) github: bool,
    /// Measure no skipped version, whatever `gate.audit` of lito.toml says.
    #[arg(long)]
    pub(crate) no_audit: bool,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PostArguments {
    /// A verdict (verdict.json), or a posting that could not be delivered (posting.json). Without it, what the event that
    /// started this job of GitHub Actions is about.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The repository on GitHub, as OWNER/NAME.
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    pub(crate) repository: String,
    /// The pull request that FILE is about [default: the event's; without either, only the check is posted].
    #[arg(long, value_name = "N", requires = "file")]
    pub(crate) pull: Option<u64>,
    /// Write the verdict, and the posting until it is delivered, into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
}

/// How to measure, and where to write what was found.
#[derive(Debug, Args)]
pub(crate) struct MeasuringArguments {
    /// What to measure; may be given several times [default: `gate.metrics` of lito.toml].
    #[arg(long = "metric", value_name = "NAME")]
    pub(crate) metrics: Vec<MeasuredArgument>,
    /// How long measuring may take, builds excluded [default: `gate.budget` of lito.toml, 10m].
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<TimeSpan>,
    /// What counts [default: callgrind, or probes where valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    /// Measure again what an earlier run on the same versions left.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Write the verdict as JSON, markdown and SARIF into this folder too.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// How to write the result.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: VerdictFormat,
}

/// How to write a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
    /// For comments and summaries.
    Markdown,
    /// For code scanning: the changes that are blamed.
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct SelftestArguments {
    /// Plant N changes of each kind at each place.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seeds: usize,
    /// Of these kinds, as JSON names them (`call_addition`, ...) [default: the ten of the published study].
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind_of_change)]
    pub(crate) kinds: Vec<ChangeKind>,
    /// At these places [default: all].
    #[arg(long, value_name = "PLACE", value_delimiter = ',')]
    pub(crate) places: Vec<PlaceArgument>,
    /// Plant N changes of each known size: +1%, +2%, +5%, +10%.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) sized: usize,
    /// Compare the version with itself N times.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) aa: usize,
    /// What the choice of places begins with; the same number chooses the same.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What to measure besides instructions; may be given several times.
    #[arg(long = "metric", value_name = "NAME")]
    pub(crate) metrics: Vec<MeasuredArgument>,
    /// How long measuring one change may take, builds excluded [default: `gate.budget` of lito.toml, 10m].
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<TimeSpan>,
    /// What counts [default: callgrind, or probes where valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// How hot the code is that a change is planted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlaceArgument {
    /// Runs so often that a small function more is 5% of a benchmark.
    Hot,
    /// Runs often, but a small function more would not show.
    Warm,
    /// Runs rarely.
    Cold,
    /// No benchmark executes it.
    Unreached,
}

/// `owner/name@` and 40 hexadecimal digits: a tag could be moved to other code.
fn pinned_action(text: &str) -> Result<String, String> {
    let part = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && part.chars().all(fits)
    };
    let (name, commit) = text.split_once('@').unwrap_or((text, ""));
    let named = (name.split_once('/')).is_some_and(|(owner, name)| part(owner) && part(name));
    if !named || commit.len() != 40 || !commit.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(String::from(
            "an action is named OWNER/NAME@COMMIT, the commit with all its 40 digits",
        ));
    }
    Ok(text.to_owned())
}

/// A kind of change that can be planted.
fn kind_of_change(name: &str) -> Result<ChangeKind, String> {
    let named = StrDeserializer::<serde::de::value::Error>::new(name);
    let kind = ChangeKind::deserialize(named).map_err(|error| error.to_string())?;
    if KINDS.contains(&kind) {
        Ok(kind)
    } else {
        Err(String::from("changes of this kind are not planted"))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// List the sampled versions.
    List(FormatArguments),
    /// Show one profile.
    Show(StoreShowArguments),
    /// Check every entry of the store.
    Verify,
    /// Remove samples of versions that the history no longer holds.
    Gc,
    /// Get what the store of a remote holds.
    Fetch(StoreRemoteArguments),
    /// Bring what the store holds to a remote, and get what the remote's holds besides.
    Push(StoreRemoteArguments),
    /// Write the store into a file, for `lito store merge` on another machine.
    Export(StoreExportArguments),
    /// Get what files of `lito store export` hold; their order does not matter.
    Merge(StoreMergeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct StoreRemoteArguments {
    /// A remote of the repository, or an address [default: origin, or the only remote]. What LITO_STORE_TOKEN holds is
    /// sent to it, if git reaches it by https.
    #[arg(value_name = "REMOTE")]
    pub(crate) remote: Option<String>,
    /// How long one transfer may take.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: TimeSpan,
}

#[derive(Debug, Args)]
pub(crate) struct StoreExportArguments {
    /// The file; one that is there is overwritten.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct StoreMergeArguments {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Take what was accepted, too. Only where no job that ran a contributor's code could write the files.
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

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// The published releases of a crate, one commit each, oldest first.
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
    /// Where to make the repository: a folder that is empty, missing, or an earlier import.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The library: one of those that lito has benchmarks for.
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
    /// Draw what the releases cost and where that comes from: one HTML file.
    #[arg(long = "output", value_name = "FILE")]
    pub(crate) drawn: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    /// The list of projects to study; what is measured already is not measured again. Without it, the repository itself is
    /// evaluated on what its store holds.
    #[arg(value_name = "PROJECTS")]
    pub(crate) projects: Option<PathBuf>,
    /// Where results are kept; beside the list of projects in `results`, if nothing is said.
    #[arg(long, value_name = "DIR", requires = "projects")]
    pub(crate) results: Option<PathBuf>,
    /// Clones that are taken instead of the addresses in the list, each in a folder of its project's name.
    #[arg(long, value_name = "DIR", requires = "projects")]
    pub(crate) histories: Option<PathBuf>,
    /// Only this project: `releases/semver`, `commits/semver`, or all of one study: `commits`.
    #[arg(long, value_name = "PROJECT", requires = "projects")]
    pub(crate) only: Vec<String>,
    /// Distances between samples.
    #[arg(long, value_name = "K", value_delimiter = ',', requires = "projects", default_value = "5,10,20,50",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: Vec<u32>,
    /// Projects studied at the same time.
    #[arg(long, value_name = "N", requires = "projects", default_value_t = 2)]
    pub(crate) jobs: usize,
    /// Go no further than this step.
    #[arg(long, value_name = "STEP", requires = "projects", default_value = "tables")]
    pub(crate) until: StudyStepArgument,
    /// Make the tables from stored results alone.
    #[arg(long, value_name = "DIR", conflicts_with = "projects")]
    pub(crate) stored: Option<PathBuf>,
    /// Write what was learned from all projects into this file, in the form of analyzer/config/risk.toml.
    #[arg(long, value_name = "FILE")]
    pub(crate) fit: Option<PathBuf>,
    /// Write the tables as markdown, JSON and a page with figures into this folder, too.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// A step of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum StudyStepArgument {
    /// Every version measured.
    Measured,
    /// Every k-th version sampled.
    Sampled,
    /// Every version predicted.
    Predicted,
    /// Both held against each other.
    Tables,
}

impl ColorArgument {
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

impl From<ModelArgument> for analyzer::score::CostModel {
    fn from(model: ModelArgument) -> Self {
        match model {
            ModelArgument::Lito => Self::Lito,
            ModelArgument::Paper => Self::Paper,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CliArguments::command().debug_assert();
    }

    #[test]
    fn every_argument_has_its_help() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
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
        check(&CliArguments::command());
    }
}

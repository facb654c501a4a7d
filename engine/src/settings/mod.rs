//! `lito.toml` → settings with their defaults. An unknown key is an error that shows its line: a misspelt threshold
//! must not pass for the default.

mod problem;
mod value;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use runner::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions, DependencyPolicy, TimeSpan};
use runner::git::{BlobContent, CommitId, Repository};
use schemars::JsonSchema;
use serde::Deserialize;
use verdict::Metric;

pub use self::value::{BUILD_TIME_NEVER_GATES, Percent};
use crate::error::EngineError;

/// Name of the file, at the root of the repository.
pub const FILE: &str = "lito.toml";

/// Largest accepted file, in bytes.
const FILE_LIMIT: u64 = 1 << 20;

/// The settings of lito, read from `lito.toml` at the root of the repository.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "lito.toml")]
pub struct Settings {
    /// The benchmarks. Without any, they are discovered.
    pub benchmarks: BenchmarkDefinitions,
    /// How often versions are profiled.
    pub sampling: SamplingSettings,
    /// When a version is worth a benchmark.
    pub gate: GateSettings,
    /// Where profiles are kept.
    pub store: StoreSettings,
    /// The values that the costs of a judgement are held against.
    pub cost: CostSettings,
}

/// The costs of a judgement are held against these. Stated by the maintainer: nothing here is measured.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CostSettings {
    /// How long the benchmark framework's own full run of one version takes.
    pub full_run: Option<TimeSpan>,
    /// The price of a minute of the machine that measures.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "value::price")]
    pub price_per_minute: Option<f64>,
    /// The currency of the price, as it is to be shown.
    pub currency: String,
}

/// How often versions are profiled.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SamplingSettings {
    /// A sample is taken every this many versions. The published study used 20.
    #[schemars(range(min = 1))]
    #[serde(deserialize_with = "value::at_least_one")]
    pub every: u32,
    /// With `lito sample --drift`: a sample is taken when this share of a benchmark's cost lies in functions that changed
    /// since the last one.
    pub drift: Percent,
}

/// When a version is worth a benchmark.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GateSettings {
    /// A relative change, in either direction, from which a version is worth a benchmark.
    pub threshold: Percent,
    /// Time limit of all benchmarks of one version together.
    pub budget: TimeSpan,
    /// Share of the skipped versions that is benchmarked anyway, to measure how much the gate misses.
    pub audit: Percent,
    /// The metrics that are measured and may fail the gate. Wall time takes minutes; sizes are read off what is built and
    /// counted anyway.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "value::metrics")]
    pub metrics: Vec<GateMetric>,
    /// The smallest measured change that is reported as one; by default, every change that noise does not explain: for
    /// counts that repeat, from 0.1% on.
    pub tolerance: Option<Percent>,
    /// The check of a pull request from a fork, whose run reports the values: at best neutral (`advice`), or decided by
    /// them like any other (`decide`).
    pub forks: ForkMeasurements,
    /// The check of a version that the score flagged and nothing judged: its job failed, was cancelled or left no values, or
    /// a benchmark fails or is gone. GitHub lets a neutral check through.
    pub unjudged: UnjudgedCheck,
}

/// The weight of values that a fork's run reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForkMeasurements {
    /// They can fail the check, and not pass it.
    #[default]
    Advice,
    /// They decide it.
    Decide,
}

/// The check of a version that was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnjudgedCheck {
    /// It fails.
    #[default]
    Fail,
    /// It is neutral.
    Neutral,
}

/// A metric that the gate can measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateMetric {
    /// Instructions of the subject; operations if valgrind is missing.
    Instructions,
    /// Allocated bytes, number of allocations, and the most bytes held at once.
    Memory,
    /// Elapsed time; base and head run in turns.
    WallTime,
    /// Bytes of machine code of the functions that the subject executes.
    ExecutedCodeSize,
    /// Bytes that each program loads from its file.
    BinarySize,
}

impl GateMetric {
    /// The name under which a measured metric is asked for; `None` for one that never decides.
    #[must_use]
    pub fn of(metric: Metric) -> Option<Self> {
        match metric {
            Metric::Instructions | Metric::Operations => Some(Self::Instructions),
            Metric::AllocatedBytes | Metric::Allocations | Metric::PeakBytes => Some(Self::Memory),
            Metric::WallTime => Some(Self::WallTime),
            Metric::ExecutedCodeSize => Some(Self::ExecutedCodeSize),
            Metric::BinarySize => Some(Self::BinarySize),
            Metric::BuildTime => None,
        }
    }

    /// As `--metric` and `gate.metrics` take it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Memory => "memory",
            Self::WallTime => "wall-time",
            Self::ExecutedCodeSize => "executed-code-size",
            Self::BinarySize => "binary-size",
        }
    }
}

/// Where profiles are kept.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSettings {
    /// `git:REF`: a ref of the repository itself.
    pub url: String,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        Self {
            every: 20,
            drift: Percent::of_share(0.5),
        }
    }
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            threshold: Percent::of_share(0.05),
            budget: TimeSpan(Duration::from_secs(600)),
            audit: Percent::of_share(0.05),
            metrics: vec![GateMetric::Instructions, GateMetric::Memory],
            tolerance: None,
            forks: ForkMeasurements::Advice,
            unjudged: UnjudgedCheck::Fail,
        }
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            url: String::from("git:refs/lito/store"),
        }
    }
}

impl Settings {
    /// Reads the settings of the repository at `root`; the defaults if it has no `lito.toml`.
    ///
    /// # Errors
    /// [`EngineError::Request`] with file, line and key of an unknown setting.
    pub fn read(root: &Path) -> Result<Self, EngineError> {
        let path = root.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(EngineError::environment(format_args!(
                    "reading the settings: on {}: {error}; make it a readable file or remove it",
                    path.display()
                )));
            }
        };
        Self::decode(&bytes, &path.display().to_string())
    }

    /// The benchmarks of a harness, a folder beside the repository: those of its `lito.toml`, or else those of its package
    /// of Rust, with dependencies of this date.
    ///
    /// # Errors
    /// As [`Settings::read`].
    pub fn benchmarks_of_harness(
        harness: &Path,
        dependencies: Option<DependencyPolicy>,
    ) -> Result<BenchmarkDefinitions, EngineError> {
        let mut definitions = Self::read(harness)?.benchmarks.to_vec();
        if definitions.is_empty() {
            definitions.push(BenchmarkDefinition {
                resolve: dependencies,
                ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
            });
        }
        for definition in &mut definitions {
            definition.harness = Some(harness.to_owned());
        }
        Ok(definitions.into())
    }

    /// Reads the settings of a version from git objects; the defaults if it has no `lito.toml`.
    ///
    /// # Errors
    /// As [`Settings::read`]; also if the file is too large.
    pub fn of_version(repository: &Repository, version: CommitId) -> Result<Self, EngineError> {
        let place = format!("{FILE} of {}", version.short());
        match repository.file_at(version, FILE.as_bytes(), FILE_LIMIT)? {
            None => Ok(Self::default()),
            Some(BlobContent::Bytes(bytes)) => Self::decode(&bytes, &place),
            Some(BlobContent::TooLarge(_) | BlobContent::LfsPointer(_)) => Err(EngineError::request(format_args!(
                "reading the settings: on {place}: it is not a text file of at most {FILE_LIMIT} bytes; replace it with one"
            ))),
        }
    }

    fn decode(bytes: &[u8], place: &str) -> Result<Self, EngineError> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(EngineError::request(format_args!(
                "reading the settings: on {place}: it is not UTF-8; save it as UTF-8 text"
            )));
        };
        Self::parse(text).map_err(|problem| EngineError::request(problem.shown(place, text)))
    }

    fn parse(text: &str) -> Result<Self, problem::SettingsProblem> {
        let settings: Self = toml::from_str(text).map_err(|error| problem::SettingsProblem::of(&error))?;
        for (index, definition) in settings.benchmarks.iter().enumerate() {
            definition
                .validate()
                .map_err(|error| problem::SettingsProblem::in_table(error.to_string(), text, index))?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The text shown for a malformed file.
    fn shown(text: &str) -> String {
        Settings::parse(text).unwrap_err().shown("lito.toml", text)
    }

    #[test]
    fn the_documented_file_holds_the_defaults() {
        let documented = Settings::parse(include_str!("../../../config/lito.toml")).unwrap();
        assert_eq!(documented, Settings::default());
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
    }

    #[test]
    fn the_commented_examples_are_valid_too() {
        // Each line that begins with `#` and no space is an example.
        let text: String = include_str!("../../../config/lito.toml")
            .lines()
            .filter_map(|line| match line.strip_prefix('#') {
                Some(example) if !example.starts_with(' ') && !example.is_empty() => Some(format!("{example}\n")),
                _ => None,
            })
            .collect();
        let settings = Settings::parse(&text).unwrap();
        assert!(settings.benchmarks.len() >= 2, "{settings:?}");
    }

    #[test]
    fn an_unknown_key_shows_its_line_and_its_near_miss() {
        let expected = "\
reading the settings: on lito.toml:2:1: unknown key `treshold`; did you mean `threshold`?
  2 | treshold = \"5%\"
    | ^^^^^^^^";
        assert_eq!(shown("[gate]\ntreshold = \"5%\"\n"), expected);
    }

    #[test]
    fn a_key_far_from_all_others_lists_them() {
        let text = shown("[gate]\nxyzzyplugh = 1\n");
        assert!(
            text.contains("unknown key `xyzzyplugh`; use one of `threshold`, `budget`, `audit`"),
            "{text}"
        );
    }

    #[test]
    fn values_say_how_they_are_written() {
        assert!(shown("[gate]\nthreshold = 0.05\n").contains("2:13: a percentage is written as \"5%\""));
        assert!(shown("[gate]\nthreshold = \"-5%\"\n").contains("between 0% and 1000%"));
        assert!(shown("[gate]\nbudget = \"10 parsecs\"\n").contains("`60s`, `2m`, `1h` or `90d`"));
        assert!(shown("[sampling]\nevery = 0\n").contains("it must be 1 or more"));
        assert!(shown("[gate]\nmetrics = []\n").contains("name at least one"));
        assert!(shown("[gate]\nmetrics = [\"binary-sise\"]\n").contains("did you mean `binary-size`?"));
        assert!(shown("[[benchmarks]]\nadapter = \"cargo-bnech\"\n").contains("did you mean `cargo-bench`?"));
    }

    #[test]
    fn a_gate_on_build_times_is_refused_with_the_reason() {
        let text = shown("[gate]\nmetrics = [\"instructions\", \"build-time\"]\n");
        assert!(text.contains("lito.toml:2:28: each version is built once"), "{text}");
        assert!(text.contains("never gates") && text.contains("remove it"), "{text}");
    }

    #[test]
    fn sizes_may_be_asked_for() {
        let settings = Settings::parse("[gate]\nmetrics = [\"executed-code-size\", \"binary-size\"]\n").unwrap();
        let sizes = [Metric::ExecutedCodeSize, Metric::BinarySize].map(|metric| GateMetric::of(metric).unwrap());
        assert_eq!(settings.gate.metrics, sizes);
    }

    #[test]
    fn a_table_that_lacks_something_is_pointed_at() {
        let text = shown("[[benchmarks]]\nadapter = \"cargo-bench\"\n[[benchmarks]]\nadapter = \"command\"\n");
        assert!(
            text.contains("lito.toml:3:1: ") && text.contains("`run` is needed"),
            "{text}"
        );
    }

    #[test]
    fn broken_toml_shows_where() {
        assert!(shown("[gate\n").starts_with("reading the settings: on lito.toml:1:6: "));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("[gate]\naudit = \"1%\" # {}\nx\u{202e} = 1\n", "y".repeat(500));
        let shown = shown(&text);
        assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    }
}

//! The benchmark definitions of the settings file: the `[[benchmarks]]` tables of `lito.toml`, as values.
//!
//! Reads no file and runs nothing: [`crate::build`] and [`crate::frameworks`] turn a definition into programs.

mod definitions;
mod subject;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, PathBuf};
use std::str::FromStr;
use std::time::Duration;

pub(crate) use definitions::CTEST;
pub use definitions::{BenchmarkChoice, BenchmarkDefinitions};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::process::is_secret;
pub use subject::{BenchmarkSubject, ClockedEnd, MARK, TURN_COUNTING_ON};

/// The time limit of one run of a benchmark under the profiler if the definition sets none: a benchmark of 60 million
/// instructions takes about 3 s there.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(120);

/// The time limit of a build if the definition sets none.
pub const DEFAULT_BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// The placeholder in `run` for the number of iterations.
pub const ITERATIONS: &str = "{iterations}";

/// One `[[benchmarks]]` table: where benchmarks come from and how they are built and run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkDefinition {
    /// The adapter that builds, lists and runs these benchmarks.
    pub adapter: BenchmarkAdapter,
    /// Name of the benchmark, for the adapter `command` only; the others find names themselves. Without it, the program lists
    /// its benchmarks: one of Google Benchmark, the tests of one of GoogleTest or Catch2, or those of CTest, pytest, asv or pyperf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Command that builds the program, for the adapter `command`; run at the root of each version (of the harness
    /// where there is one). Without it, nothing is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Vec<String>>,
    /// Command that runs the benchmark once, for the adapter `command`. A program path with a slash is relative to
    /// where `build` runs; `target/…` means the shared build folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Vec<String>>,
    /// Canonical name of the function whose cost counts (`parse::run`); without it, the part that the benchmark
    /// framework measures, or the whole process for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Number of iterations that `{iterations}` in `run` asks for, for the adapter `command`. A second run asks for twice as
    /// many, and the difference counts: what both do once, such as the start of an interpreter, does not. A program that
    /// lists its benchmarks is asked for one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// Time limit of one run under the profiler, e.g. `60s`, `500ms`, `2m`; 120 s by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeSpan>,
    /// Time limit of a build; 30 minutes by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_limit: Option<TimeSpan>,
    /// A folder outside the versioned tree that is used for every version, relative to the repository's root. In a package
    /// of cargo, the dependency on a package of this repository is redirected to the version being measured. Other
    /// commands find the version by the variable `LITO_CHECKOUT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<PathBuf>,
    /// A folder of each version whose package is not part of the root's workspace (`bench`); the root by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// How the dependencies of the harness are resolved, the newest by default; only together with `harness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolve: Option<DependencyPolicy>,
    /// Cargo packages that hold the benchmarks; by default every member of the workspace that has benchmarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// Cargo features to enable, on top of those that the benchmark targets require.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Globs (`parse/*`) that select benchmarks; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Globs that exclude benchmarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Variables set for the build and for the runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Variables of lito's own environment that the runs are given, by name. Counted programs get only few others. Their
    /// values are part of the environment that counts belong to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// Globs of the benchmarks that were chosen among these on the command line; all if there is none.
    #[serde(skip)]
    pub chosen: Vec<String>,
}

/// The adapter that builds, lists and runs benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BenchmarkAdapter {
    /// Cargo's bench targets: benches of criterion, divan, gungraun, libtest and others, each recognised by the library that it is linked
    /// with; and the binaries of a harness without a bench target.
    CargoBench,
    /// Cargo's tests, each one a benchmark.
    CargoTest,
    /// Any command.
    Command,
}

/// How the dependencies of a harness are resolved: its own, and those of the version that it measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyPolicy {
    /// The versions in the harness's `Cargo.lock`, and the newest ones for packages that are not in it.
    #[default]
    Newest,
    /// The newest versions at the time of the version's commit. Versions with the same requirements get the same
    /// dependencies, and a version that accepts those of the one built before keeps them: dependencies change only if a
    /// version requires it. The harness's own `Cargo.lock` is not used.
    AsOfVersion,
}

impl BenchmarkAdapter {
    /// Its name in the settings file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CargoBench => "cargo-bench",
            Self::CargoTest => "cargo-test",
            Self::Command => "command",
        }
    }
}

impl BenchmarkDefinition {
    /// A definition with only an adapter.
    #[must_use]
    pub fn new(adapter: BenchmarkAdapter) -> Self {
        Self {
            adapter,
            name: None,
            build: None,
            run: None,
            subject: None,
            iterations: None,
            time_limit: None,
            build_limit: None,
            harness: None,
            directory: None,
            resolve: None,
            packages: Vec::new(),
            features: Vec::new(),
            filter: Vec::new(),
            exclude: Vec::new(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// The variables of this process that [`Self::pass_env`] names, with their values; those that are not set, and lito's own
    /// credentials, are left out.
    #[must_use]
    pub fn passed_variables(&self) -> BTreeMap<String, OsString> {
        let names = self.pass_env.iter().filter(|name| !is_secret(name.as_ref()));
        let of_name = |name: &String| Some((name.clone(), std::env::var_os(name)?));
        names.filter_map(of_name).collect()
    }

    /// The definitions that apply if there are no `[[benchmarks]]`: the bench targets, and the tests if those have
    /// none.
    #[must_use]
    pub fn defaults() -> [Self; 2] {
        [
            Self::new(BenchmarkAdapter::CargoBench),
            Self::new(BenchmarkAdapter::CargoTest),
        ]
    }

    /// The longest that one run may take under the profiler.
    #[must_use]
    pub fn run_limit(&self) -> Duration {
        self.time_limit.map_or(DEFAULT_TIME_LIMIT, |span| span.0)
    }

    /// The longest that a build may take.
    #[must_use]
    pub fn building_limit(&self) -> Duration {
        self.build_limit.map_or(DEFAULT_BUILD_LIMIT, |span| span.0)
    }

    /// Checks rules that the types can't express: fields that belong to another adapter, or are missing for this one.
    ///
    /// # Errors
    /// Names the field and what to do.
    pub fn validate(&self) -> Result<(), DefinitionError> {
        let error = |field, rule| {
            Err(DefinitionError {
                adapter: self.adapter.name(),
                field,
                rule,
            })
        };
        if self.resolve.is_some() && self.harness.is_none() {
            return error(
                "resolve",
                "chooses the dependencies of a harness, but no `harness` is set: set one, or leave the field out",
            );
        }
        if let Some(directory) = &self.directory {
            if self.harness.is_some() {
                return error(
                    "directory",
                    "is a folder of each version, and `harness` one outside: set one of them",
                );
            }
            let stays_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if !directory.components().all(stays_inside) {
                return error("directory", "leads out of the repository: give a folder in it");
            }
        }
        match self.adapter {
            BenchmarkAdapter::Command => {
                if self.directory.is_some() {
                    return error(
                        "directory",
                        "belongs to the cargo adapters: change the folder in `build` and `run`",
                    );
                }
                if self.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
                    return error("name", "is empty: give the benchmark a name, or leave the field out");
                }
                if self.run.as_ref().is_none_or(Vec::is_empty) {
                    return error("run", "is needed: give the command that runs the benchmark once");
                }
                if self.build.as_ref().is_some_and(Vec::is_empty) {
                    return error("build", "is empty: give the command, or leave the field out");
                }
                // Of CTest, the programs of the tests are kept.
                let is_kept = || {
                    let program = self.run.iter().flatten().next();
                    program.is_some_and(|program| program.starts_with("target/") || program == CTEST)
                };
                if self.name.is_none() && self.build.is_some() && !is_kept() {
                    return error(
                        "run",
                        "names a program outside the build folder, which cannot be kept for two versions: have `build` build into \
                         the folder that CARGO_TARGET_DIR names, and begin `run` with `target/`",
                    );
                }
                self.validate_iterations()?;
                if !self.packages.is_empty() || !self.features.is_empty() {
                    return error(
                        "packages and features",
                        "belong to the cargo adapters: put them into `build`",
                    );
                }
            }
            BenchmarkAdapter::CargoBench | BenchmarkAdapter::CargoTest => {
                if self.name.is_some() {
                    return error(
                        "name",
                        "belongs to the adapter `command`: use `filter` to choose benchmarks",
                    );
                }
                if self.iterations.is_some() {
                    return error(
                        "iterations",
                        "belongs to the adapter `command`: the frameworks say how often they run",
                    );
                }
                if self.run.is_some() || self.build.is_some() {
                    return error(
                        "build and run",
                        "belong to the adapter `command`: remove them, since cargo builds and runs benchmarks itself",
                    );
                }
            }
        }
        Ok(())
    }

    fn validate_iterations(&self) -> Result<(), DefinitionError> {
        let asks = |part: &String| part.contains(ITERATIONS);
        let rule = match self.iterations {
            None => return Ok(()),
            Some(0) => "is 0: give a number from 1 on",
            Some(_) if self.subject.is_some() => {
                "isolates what is measured, and so does `subject`: leave one of them out"
            }
            Some(_) if self.name.is_some() && !self.run.iter().flatten().skip(1).any(asks) => {
                "has no effect: write `{iterations}` into `run`, where the program takes their number"
            }
            Some(_) => return Ok(()),
        };
        Err(DefinitionError {
            adapter: self.adapter.name(),
            field: "iterations",
            rule,
        })
    }

    /// True if `filter` and `exclude` select this name.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        (self.filter.is_empty() || any_matches(&self.filter, name)) && !any_matches(&self.exclude, name)
    }

    /// True if this name was chosen on the command line, or none was.
    #[must_use]
    pub fn is_chosen(&self, name: &str) -> bool {
        self.chosen.is_empty() || any_matches(&self.chosen, name)
    }
}

/// A field that does not fit its adapter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading [[benchmarks]] with adapter = \"{adapter}\": `{field}` {rule}")]
pub struct DefinitionError {
    adapter: &'static str,
    field: &'static str,
    rule: &'static str,
}

/// True if a name matches one of the globs; see [`glob_matches`].
fn any_matches(globs: &[String], name: &str) -> bool {
    globs.iter().any(|glob| glob_matches(glob, name))
}

/// True if `name` matches `glob`, where `*` stands for any characters (none included, `/` included) and `?` for one.
#[must_use]
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut g, mut n) = (0, 0);
    // Position of the last star, and the end of the text that it matches so far: a mismatch extends it by one
    // character.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => match star {
                Some((at, swallowed)) => {
                    star = Some((at, swallowed + 1));
                    g = at + 1;
                    n = swallowed + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|&c| c == '*')
}

/// A length of time written with its unit: `500ms`, `60s`, `2m`, `1h`, `90d`, `1m30s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeSpan(pub Duration);

/// The reason why a text is not a [`TimeSpan`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading the time `{text}`: it is not a number with a unit; write `500ms`, `60s`, `2m`, `1h` or `90d`")]
pub struct TimeSpanError {
    text: String,
}

impl FromStr for TimeSpan {
    type Err = TimeSpanError;

    fn from_str(text: &str) -> Result<Self, TimeSpanError> {
        parse_span(text.trim())
            .map(Self)
            .ok_or_else(|| TimeSpanError { text: text.to_owned() })
    }
}

fn parse_span(mut rest: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: u64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let letters = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let milliseconds = match &after[..letters] {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        sum = sum.checked_add(Duration::from_millis(count.checked_mul(milliseconds)?))?;
        rest = &after[letters..];
    }
    Some(sum)
}

/// In the largest unit that needs no fraction.
impl fmt::Display for TimeSpan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_millis();
        let (unit, name) = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
            .into_iter()
            .find(|(unit, _)| milliseconds > 0 && milliseconds.is_multiple_of(*unit))
            .unwrap_or((1, "ms"));
        write!(formatter, "{}{name}", milliseconds / unit)
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for TimeSpan {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TimeSpan".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": r"^([0-9]+(ms|s|m|min|h|d))+$",
            "description": "A length of time with its unit: `500ms`, `60s`, `2m`, `1h`, `90d`, `1m30s`.",
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[derive(Deserialize)]
    struct BenchmarkTables {
        benchmarks: Vec<BenchmarkDefinition>,
    }

    #[test]
    fn the_documented_example_is_read() {
        let text = r#"
            [[benchmarks]]
            adapter = "command"
            name = "parse-large"
            build = ["cargo", "build", "--release"]
            run = ["target/release/parse", "data/large.md"]
            subject = "parse::run"
            time_limit = "60s"
            [[benchmarks]]
            adapter = "cargo-bench"
            harness = "../harness"
        "#;
        let settings: BenchmarkTables = toml::from_str(text).unwrap();
        let [command, harness] = settings.benchmarks.as_slice() else {
            panic!("two tables")
        };
        assert_eq!(command.run_limit(), Duration::from_secs(60));
        assert_eq!(command.subject.as_deref(), Some("parse::run"));
        assert_eq!(harness.harness.as_deref(), Some(std::path::Path::new("../harness")));
        assert_eq!(harness.run_limit(), DEFAULT_TIME_LIMIT);
        assert_eq!(command.validate(), Ok(()));
        assert_eq!(harness.validate(), Ok(()));
    }

    #[test]
    fn an_unknown_field_is_named() {
        let error = toml::from_str::<BenchmarkDefinition>("adapter = \"command\"\ntimelimit = \"1s\"").unwrap_err();
        assert!(error.to_string().contains("timelimit"), "{error}");
    }

    #[test]
    fn fields_of_another_adapter_are_refused() {
        let command = BenchmarkDefinition::new(BenchmarkAdapter::Command);
        assert!(command.validate().unwrap_err().to_string().contains("`run` is needed"));
        let unnamed = BenchmarkDefinition {
            name: Some(" ".into()),
            ..command
        };
        assert!(unnamed.validate().unwrap_err().to_string().contains("`name` is empty"));
        let bench = BenchmarkDefinition {
            run: Some(vec!["x".into()]),
            ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
        };
        assert!(bench.validate().is_err());
    }

    #[test]
    fn a_program_that_lists_its_benchmarks_is_built_where_versions_are_kept_apart() {
        let suite = |program: &str| BenchmarkDefinition {
            build: Some(vec!["make".into()]),
            run: Some(vec![program.into()]),
            iterations: Some(3),
            ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
        };
        assert_eq!(suite("target/bench").validate(), Ok(()));
        let error = suite("./bench").validate().unwrap_err().to_string();
        assert!(error.contains("`run`") && error.contains("CARGO_TARGET_DIR"), "{error}");
    }

    #[test]
    fn iterations_need_a_place_in_the_command() {
        let text =
            "adapter = \"command\"\nname = \"a\"\nrun = [\"python3\", \"a.py\", \"{iterations}\"]\niterations = 3";
        let definition: BenchmarkDefinition = toml::from_str(text).unwrap();
        assert_eq!(definition.validate(), Ok(()));
        let refused = |change: &dyn Fn(&mut BenchmarkDefinition)| {
            let mut changed = definition.clone();
            change(&mut changed);
            changed.validate().unwrap_err().to_string()
        };
        assert!(refused(&|changed| changed.iterations = Some(0)).contains("is 0"));
        assert!(refused(&|changed| changed.subject = Some("f".into())).contains("`subject`"));
        assert!(refused(&|changed| changed.run = Some(vec!["a".into()])).contains("has no effect"));
        let bench = BenchmarkDefinition {
            iterations: Some(1),
            ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
        };
        assert!(bench.validate().unwrap_err().to_string().contains("`iterations`"));
    }

    #[test]
    fn dependencies_are_chosen_for_a_harness_only() {
        let text = "adapter = \"cargo-bench\"\nharness = \"../h\"\nresolve = \"as-of-version\"";
        let definition: BenchmarkDefinition = toml::from_str(text).unwrap();
        assert_eq!(definition.resolve, Some(DependencyPolicy::AsOfVersion));
        assert_eq!(definition.validate(), Ok(()));
        let without = BenchmarkDefinition {
            harness: None,
            ..definition
        };
        let error = without.validate().unwrap_err().to_string();
        assert!(error.contains("`resolve`") && error.contains("no `harness`"), "{error}");
    }

    #[test]
    fn times_are_read_and_shown_in_their_unit() {
        for (text, milliseconds, shown) in [
            ("500ms", 500, "500ms"),
            ("60s", 60_000, "1m"),
            ("1m30s", 90_000, "90s"),
            ("1h", 3_600_000, "1h"),
            ("90d", 7_776_000_000, "90d"),
            ("36h", 129_600_000, "36h"),
        ] {
            let span: TimeSpan = text.parse().unwrap();
            assert_eq!(span.0.as_millis(), milliseconds);
            assert_eq!(span.to_string(), shown);
            assert_eq!(shown.parse::<TimeSpan>().unwrap(), span);
        }
        for text in [
            "",
            "s",
            "5",
            "5 s",
            "-1s",
            "1.5s",
            "99999999999999999999s",
            "18446744073709551615h",
        ] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }

    #[test]
    fn globs_choose_benchmarks() {
        let definition = BenchmarkDefinition {
            filter: vec!["parse/*".into(), "ünï?".into()],
            exclude: vec!["*/huge".into()],
            ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
        };
        assert!(definition.includes("parse/a b/c"));
        assert!(definition.includes("ünïc"));
        assert!(!definition.includes("parse/huge"));
        assert!(!definition.includes("print/small"));
        assert!(glob_matches("*a*b", "xaxxbxb") && !glob_matches("*a*b", "xaxxbx") && glob_matches("**", ""));
    }
}

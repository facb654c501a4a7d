//! `lito demo`: everything once, on the releases of a real library: imported, sampled every k, scored, the
//! flagged ones benchmarked, and what that cost against running everything.

mod harnesses;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use analyzer::cost::Costs as Assumptions;
use analyzer::score::{Decision, Model, Scoring, VersionScore};
use analyzer::syntax::ParseCache;
use report::demo::{self, Costs, Measured, Outcome, Version};
use report::number;
use runner::benchmark::{Adapter, Definition};
use runner::build::Cache;
use runner::crate_history::{ImportedRelease, Request};
use runner::environment;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::{FailedBefore, Sampled, VersionState};
use runner::store::{self, SampleState, Store};

use super::sample::{Sampling, every_nth};
use super::{import, interruption};
use crate::cli::{DemoArguments, Format, Profiler};
use crate::exit::{Exit, Failure};
use crate::samples::Samples;
use crate::scoring;
use crate::settings;
use crate::settings::Settings;
use crate::terminal::Terminal;

/// Measurements are kept apart from the samples, so that no prediction stands on what it is compared with.
const MEASUREMENTS: &str = "git:refs/lito/measurements";

/// Runs the demonstration.
pub(super) fn run(arguments: &DemoArguments, terminal: &Terminal) -> Result<Exit, Failure> {
    let Some(files) = harnesses::of(&arguments.library) else {
        return Err(Failure::usage(format_args!(
            "running the demo: on `{}`: lito has no benchmarks for it; choose one of {}, or use your own: `lito import \
             crate`, a harness in lito.toml, `lito sample`, `lito score`",
            arguments.library,
            harnesses::names().collect::<Vec<_>>().join(", ")
        )));
    };
    let interruption = interruption()?;
    environment::install_valgrind(&interruption).map_err(Failure::environment)?;
    let folder = Folder::prepare(&arguments.library, files)?;
    let request = Request {
        name: arguments.library.clone(),
        last: Some(arguments.last),
        dir: folder.repository.clone(),
    };
    let releases = import::releases(&request, &interruption, terminal)?.releases;
    terminal.note(&format!(
        "{}: {} in {}",
        arguments.library,
        number::of(releases.len(), "release"),
        folder.repository.display()
    ));
    let repository = Repository::open(&folder.repository)?;
    let stage = Stage {
        repository,
        releases,
        settings: folder.settings(),
        interruption,
        terminal,
    };
    let outcome = stage.play(arguments)?;
    terminal.print(&match arguments.output.format {
        Format::Human => demo::human(&outcome, terminal.page()),
        Format::Json => demo::json(&outcome),
        Format::Markdown => demo::markdown(&outcome),
    })?;
    Ok(Exit::Passed)
}

/// Where a demonstration takes place: below lito's cache, so that builds are shared between runs.
struct Folder {
    repository: PathBuf,
    harness: PathBuf,
}

impl Folder {
    /// Without the history of an earlier run, whose samples would make this one look cheaper than it is.
    fn prepare(library: &str, files: harnesses::Files) -> Result<Self, Failure> {
        let cache = Cache::of_repository(&Path::new("/demo").join(library))
            .map_err(Failure::environment)?;
        let folder = Self {
            repository: cache.root().join("repository"),
            harness: cache.root().join("harness"),
        };
        let refused = |path: &Path, error: std::io::Error| {
            Failure::environment(format_args!(
                "preparing the demo: on {}: {error}; set LITO_CACHE to a folder that can be written",
                path.display()
            ))
        };
        for stale in [&folder.repository, &folder.harness] {
            if stale.exists() {
                fs::remove_dir_all(stale).map_err(|error| refused(stale, error))?;
            }
        }
        for (path, text) in files {
            let path = folder.harness.join(path);
            let parent = path
                .parent()
                .expect("a file of a harness is below its folder");
            fs::create_dir_all(parent).map_err(|error| refused(parent, error))?;
            fs::write(&path, text).map_err(|error| refused(&path, error))?;
        }
        Ok(folder)
    }

    fn settings(&self) -> Settings {
        let harness = Definition {
            harness: Some(self.harness.clone()),
            ..Definition::new(Adapter::CargoBench)
        };
        Settings {
            benchmarks: vec![harness],
            ..Settings::default()
        }
    }
}

/// The history, and everything that it is worked on with.
struct Stage<'a> {
    repository: Repository,
    releases: Vec<ImportedRelease>,
    settings: Settings,
    interruption: Interruption,
    terminal: &'a Terminal,
}

/// The totals of a version's benchmarks, or why there are none.
type Totals = Result<BTreeMap<String, u64>, String>;

impl Stage<'_> {
    fn play(&self, arguments: &DemoArguments) -> Result<Outcome, Failure> {
        let commits: Vec<CommitId> = self.releases.iter().map(|release| release.commit).collect();
        let to_sample = every_nth(&commits, arguments.every);
        let sampled = self
            .sampling(&self.settings)
            .take(&to_sample, FailedBefore::Skip)?;
        let started = Instant::now();
        let scores = self.scores(&commits)?;
        let scoring = started.elapsed().as_secs_f64();
        let chosen = |score: &VersionScore| arguments.all || score.decision == Decision::Benchmark;
        let (totals, measured) = self.measure(&commits, &scores, chosen)?;
        let versions = scores
            .into_iter()
            .zip(commits.windows(2))
            .zip(&self.releases[1..])
            .map(|((score, pair), release)| Version {
                release: release.version.clone(),
                measured: if chosen(&score) {
                    compared(&totals[&pair[0]], &totals[&pair[1]])
                } else {
                    Measured::NotRun
                },
                score,
            })
            .collect();
        Ok(Outcome {
            library: arguments.library.clone(),
            threshold: self.settings.gate.threshold.share(),
            versions,
            costs: Costs {
                sampling: seconds(&sampled),
                scoring,
                measuring: seconds(&measured),
                versions_run: ran(&sampled) + ran(&measured),
                versions: commits.len(),
            },
        })
    }

    /// Of every version but the first, which has nothing to be compared with.
    fn scores(&self, commits: &[CommitId]) -> Result<Vec<VersionScore>, Failure> {
        let store = Store::open(&self.repository, &self.settings.store.url)?;
        let mut samples = Samples::new(&self.repository, &store)?;
        let scoring = Scoring {
            model: Model::Lito,
            threshold: self.settings.gate.threshold.share(),
            costs: Assumptions::shipped(),
            parser: ParseCache::default(),
        };
        let versions = commits.get(1..).unwrap_or_default();
        let progress = self.terminal.progress(versions.len(), "scoring");
        let mut scores = Vec::with_capacity(versions.len());
        scoring::score_versions(
            &self.repository,
            versions,
            &mut samples,
            &scoring,
            |score| {
                progress.step();
                scores.push(score);
                Ok(())
            },
        )?;
        Ok(scores)
    }

    /// The totals of the chosen versions and of the ones before them. What was sampled is not run again.
    fn measure(
        &self,
        commits: &[CommitId],
        scores: &[VersionScore],
        chosen: impl Fn(&VersionScore) -> bool,
    ) -> Result<(BTreeMap<CommitId, Totals>, Vec<Sampled>), Failure> {
        let wanted: BTreeSet<CommitId> = commits
            .windows(2)
            .zip(scores)
            .filter(|(_, score)| chosen(score))
            .flat_map(|(pair, _)| pair.iter().copied())
            .collect();
        let mut totals = BTreeMap::new();
        let mut missing = Vec::new();
        let samples = Store::open(&self.repository, &self.settings.store.url)?;
        for &commit in commits.iter().filter(|commit| wanted.contains(commit)) {
            match recorded(&samples, commit)? {
                Some(known) => {
                    totals.insert(commit, known);
                }
                None => missing.push(commit),
            }
        }
        if missing.is_empty() {
            return Ok((totals, Vec::new()));
        }
        let settings = Settings {
            store: settings::Store {
                url: String::from(MEASUREMENTS),
            },
            ..self.settings.clone()
        };
        let measured = self
            .sampling(&settings)
            .take(&missing, FailedBefore::Skip)?;
        let measurements = Store::open(&self.repository, MEASUREMENTS)?;
        for (commit, version) in missing.into_iter().zip(&measured) {
            let known = match &version.state {
                VersionState::NoBenchmark { reason } => Some(Err(reason.clone())),
                _ => recorded(&measurements, commit)?,
            };
            totals.insert(
                commit,
                known.unwrap_or_else(|| Err(String::from("nothing was recorded"))),
            );
        }
        Ok((totals, measured))
    }

    fn sampling<'s>(&'s self, settings: &'s Settings) -> Sampling<'s> {
        Sampling {
            repository: &self.repository,
            settings,
            root: self
                .repository
                .workdir()
                .unwrap_or(self.repository.common_dir()),
            interruption: &self.interruption,
            terminal: self.terminal,
            profiler: Profiler::Callgrind,
        }
    }
}

/// What a store has of a version; `None` where it has no finished record.
fn recorded(store: &Store, commit: CommitId) -> Result<Option<Totals>, Failure> {
    let found = store.sample(commit)?;
    let Some(record) = found
        .samples
        .into_iter()
        .find(|record| record.state != SampleState::InProgress)
    else {
        return Ok(None);
    };
    if let SampleState::BuildFailed { reason } = record.state {
        return Ok(Some(Err(format!(
            "does not build: {}",
            reason.lines().next().unwrap_or_default()
        ))));
    }
    let totals = record
        .benchmarks
        .into_iter()
        .filter_map(|(name, outcome)| match outcome {
            store::Outcome::Profiled { total, .. } => Some((name, total)),
            store::Outcome::Failed { .. } | store::Outcome::TimedOut { .. } => None,
        });
    Ok(Some(Ok(totals.collect())))
}

/// The relative change of each benchmark that both sides have.
fn compared(before: &Totals, after: &Totals) -> Measured {
    match (before, after) {
        (Err(why), _) => Measured::Failed(format!("the version before {why}")),
        (_, Err(why)) => Measured::Failed(why.clone()),
        (Ok(before), Ok(after)) => {
            let changes: Vec<(String, f64)> = after
                .iter()
                .filter_map(|(name, &now)| {
                    let then = *before.get(name).filter(|then| **then > 0)?;
                    Some((name.clone(), now as f64 / then as f64 - 1.0))
                })
                .collect();
            if changes.is_empty() {
                return Measured::Failed(String::from("no benchmark ran on both sides"));
            }
            Measured::Changes(changes)
        }
    }
}

fn seconds(sampled: &[Sampled]) -> f64 {
    sampled
        .iter()
        .map(|version| (version.building + version.profiling).as_secs_f64())
        .sum()
}

/// Versions that were built and run: those that do not build cost less than the others would.
fn ran(sampled: &[Sampled]) -> usize {
    sampled
        .iter()
        .filter(|version| version.profiled > version.reused)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(of: &[(&str, u64)]) -> Totals {
        Ok(of
            .iter()
            .map(|(name, total)| ((*name).to_owned(), *total))
            .collect())
    }

    #[test]
    fn only_what_both_sides_have_is_compared() {
        let before = totals(&[("a", 100), ("gone", 5), ("zero", 0)]);
        let after = totals(&[("a", 110), ("new", 7), ("zero", 3)]);
        let Measured::Changes(changes) = compared(&before, &after) else {
            panic!("both sides have `a`")
        };
        assert_eq!(changes.len(), 1);
        assert!((changes[0].1 - 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_side_that_failed_is_named() {
        let broken: Totals = Err(String::from("does not build: error"));
        let fine = totals(&[("a", 1)]);
        assert_eq!(
            compared(&broken, &fine),
            Measured::Failed(String::from("the version before does not build: error"))
        );
        assert_eq!(
            compared(&fine, &broken),
            Measured::Failed(String::from("does not build: error"))
        );
        assert!(matches!(
            compared(&fine, &totals(&[("b", 1)])),
            Measured::Failed(_)
        ));
    }
}

//! `lito demo`: everything once, on the releases of a real library: imported, sampled every k, scored, the
//! flagged ones benchmarked, and what that cost against running everything.

mod harnesses;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use report::demo::{self, DemoCosts, DemoMeasurement as Measurement, DemoReport, DemoTaskTotal, DemoVersion};
use report::number_format;
use runner::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use runner::build::RepositoryCache;
use runner::crate_history::{ImportRequest, ImportedRelease};
use runner::environment;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{FailureRetryPolicy, SampledVersion};
use runner::store::Store;
use verdict::Metric;
use verdict::{self, CascadeStageName, Verdict, VerdictReport};

use super::sample::{SampleCommandContext, every_nth};
use super::track::TrackCommandContext;
use super::{import, interruption};
use crate::cli::{DemoArguments, OutputFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::pipeline::{self, GateContext, GateJudgement, GateRequest, GateThoroughness, SelectionRequest};
use engine::profiling::Profiler;
use engine::progress::{Progress, ProgressEvent};
use engine::settings::{GateMetric, Settings};
use engine::track;

/// No version is left out for want of time.
const BUDGET: Duration = Duration::from_secs(3600);

/// Runs the demonstration.
pub(super) fn run(arguments: &DemoArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
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
    let folder = DemoFolder::prepare(&arguments.library, files)?;
    let request = ImportRequest {
        name: arguments.library.clone(),
        last: Some(arguments.last),
        from: None,
        dir: folder.repository.clone(),
    };
    let releases = import::releases(&request, &interruption, terminal)?.releases;
    terminal.note(&format!(
        "{}: {} in {}",
        arguments.library,
        number_format::counted_noun(releases.len(), "release"),
        folder.repository.display()
    ));
    let repository = Repository::open(&folder.repository)?;
    let stage = DemoRun {
        repository,
        releases,
        settings: folder.settings(),
        interruption,
        terminal,
    };
    let outcome = stage.play(arguments)?;
    if let Some(file) = &arguments.drawn {
        stage.draw(&arguments.library, file)?;
    }
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => demo::human(&outcome, terminal.page()),
        OutputFormat::Json => demo::json(&outcome),
        OutputFormat::Markdown => demo::markdown(&outcome),
    })?;
    Ok(CommandExit::Passed)
}

/// Where a demonstration takes place: below lito's cache, so that builds are shared between runs.
struct DemoFolder {
    repository: PathBuf,
    harness: PathBuf,
}

impl DemoFolder {
    /// Without the history of an earlier run, whose samples would make this one look cheaper than it is.
    fn prepare(library: &str, files: harnesses::HarnessFiles) -> Result<Self, Failure> {
        let cache = RepositoryCache::of_repository(&Path::new("/demo").join(library)).map_err(Failure::environment)?;
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
            let parent = path.parent().expect("a file of a harness is below its folder");
            fs::create_dir_all(parent).map_err(|error| refused(parent, error))?;
            fs::write(&path, text).map_err(|error| refused(&path, error))?;
        }
        Ok(folder)
    }

    fn settings(&self) -> Settings {
        let harness = BenchmarkDefinition {
            harness: Some(self.harness.clone()),
            ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
        };
        Settings {
            benchmarks: vec![harness],
            ..Settings::default()
        }
    }
}

/// The history, and everything that it is worked on with.
struct DemoRun<'a> {
    repository: Repository,
    releases: Vec<ImportedRelease>,
    settings: Settings,
    interruption: InterruptionFlag,
    terminal: &'a Terminal,
}

impl DemoRun<'_> {
    fn play(&self, arguments: &DemoArguments) -> Result<DemoReport, Failure> {
        let commits: Vec<CommitId> = self.releases.iter().map(|release| release.commit).collect();
        let to_sample = every_nth(&commits, arguments.every, &BTreeSet::new());
        let sampled = self.sampling().take(&to_sample, FailureRetryPolicy::Skip)?;
        let judgements = self.judge(&commits, arguments.all)?;
        let costs = costs(&judgements, seconds(&sampled), commits.len());
        let versions = judgements
            .into_iter()
            .zip(&self.releases[1..])
            .map(|(judgement, release)| DemoVersion {
                release: release.version.clone(),
                measured: measured(&judgement.report),
                score: judgement.score,
            })
            .collect();
        Ok(DemoReport {
            library: arguments.library.clone(),
            threshold: self.settings.gate.threshold.share(),
            versions,
            costs,
        })
    }

    /// Tracks all releases, and draws that.
    fn draw(&self, library: &str, file: &Path) -> Result<(), Failure> {
        let commits: Vec<CommitId> = self.releases.iter().map(|release| release.commit).collect();
        let tracking = TrackCommandContext {
            repository: &self.repository,
            settings: &self.settings,
            root: self.root(),
            interruption: &self.interruption,
            terminal: self.terminal,
            profiler: Profiler::Callgrind,
            which: track::TrackScope::MayHaveChanged,
            project: library.to_owned(),
        };
        tracking.take(&commits, &[], Some(file)).map(drop)
    }

    fn root(&self) -> &Path {
        (self.repository.workdir()).unwrap_or(self.repository.common_dir())
    }

    /// Of every version but the first, which has nothing to be compared with.
    fn judge(&self, commits: &[CommitId], all: bool) -> Result<Vec<GateJudgement>, Failure> {
        let store = Store::open(&self.repository, &self.settings.store.url)?;
        let progress = self.terminal.progress(commits.len().saturating_sub(1), "judging");
        let show = |event: ProgressEvent<'_>| progress.show(event);
        let place = GateContext {
            repository: &self.repository,
            settings: &self.settings,
            store: &store,
            profiler: Profiler::Auto,
            interruption: &self.interruption,
            progress: Progress::new(&show),
        };
        let pairs = commits.windows(2);
        pairs
            .map(|pair| {
                let question = GateRequest {
                    base: pair[0],
                    head: pair[1],
                    which: if all {
                        SelectionRequest::Named(&[])
                    } else {
                        SelectionRequest::Flagged { audit: 0.0 }
                    },
                    metrics: &[GateMetric::Instructions],
                    budget: BUDGET,
                    fresh: true,
                    thoroughness: GateThoroughness::Quick,
                };
                let judgement = pipeline::judge(&question, &place);
                progress.step();
                Ok(judgement?)
            })
            .collect()
    }

    fn sampling(&self) -> SampleCommandContext<'_> {
        SampleCommandContext {
            repository: &self.repository,
            settings: &self.settings,
            root: self.root(),
            interruption: &self.interruption,
            terminal: self.terminal,
            profiler: Profiler::Callgrind,
        }
    }
}

/// What measuring gave, as the table shows it.
fn measured(report: &VerdictReport) -> Measurement {
    if report.verdict == Verdict::Skipped {
        return Measurement::NotRun;
    }
    let changes: Vec<(String, f64)> = (report.benchmarks.iter())
        .filter(|entry| entry.metric == Metric::Instructions)
        .filter_map(|entry| match entry.verdict {
            // What is the same code did not move.
            verdict::BenchmarkOutcome::SameCode => Some((entry.name.clone(), 0.0)),
            _ => Some((entry.name.clone(), entry.change?)),
        })
        .collect();
    if changes.is_empty() {
        let reason = (report.benchmarks.iter())
            .find(|entry| entry.verdict != verdict::BenchmarkOutcome::Skipped)
            .map_or(&report.reason, |entry| &entry.reason);
        return Measurement::Failed(reason.clone());
    }
    Measurement::Changes(changes)
}

/// Where the time went.
fn costs(judgements: &[GateJudgement], sampling: f64, versions: usize) -> DemoCosts {
    let mut costs = DemoCosts {
        sampling,
        scoring: 0.0,
        building: DemoTaskTotal::default(),
        running: DemoTaskTotal::default(),
        versions,
        benchmarks: 0,
    };
    for GateJudgement { report, .. } in judgements {
        costs.benchmarks = costs.benchmarks.max(report.benchmarks.len());
        for stage in &report.stages {
            match stage.name {
                CascadeStageName::Source => costs.scoring += stage.seconds,
                // Both sides.
                CascadeStageName::Build => costs.building.add(2, stage.seconds),
                CascadeStageName::Counts => {
                    let counted = (report.benchmarks.iter()).filter(|entry| entry.metric == Metric::Instructions);
                    // Of both sides.
                    let runs = counted.map(|entry| 2 * entry.starts).sum();
                    costs.running.add(runs, stage.seconds);
                }
                CascadeStageName::WallTime => {}
            }
        }
    }
    costs
}

fn seconds(sampled: &[SampledVersion]) -> f64 {
    sampled
        .iter()
        .map(|version| (version.building + version.profiling).as_secs_f64())
        .sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use verdict::BenchmarkVerdict;

    use super::*;

    fn report(verdict: Verdict, outcomes: &[(&str, verdict::BenchmarkOutcome, Option<f64>)]) -> VerdictReport {
        let entries = outcomes.iter().map(|&(name, outcome, change)| BenchmarkVerdict {
            change,
            reason: String::from("why"),
            ..BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
        });
        VerdictReport {
            schema: String::new(),
            base: String::new(),
            head: String::new(),
            verdict,
            reason: String::from("because"),
            benchmarks: entries.collect(),
            stages: Vec::new(),
            audited: false,
            audit: None,
            environment: BTreeMap::new(),
            cost_seconds: 0.0,
        }
    }

    #[test]
    fn what_is_the_same_code_did_not_move_and_what_was_skipped_is_not_told() {
        use verdict::BenchmarkOutcome::{Pass, SameCode, Skipped};
        let report = report(
            Verdict::Pass,
            &[("a", Pass, Some(0.1)), ("b", SameCode, None), ("c", Skipped, None)],
        );
        let expected = vec![(String::from("a"), 0.1), (String::from("b"), 0.0)];
        assert_eq!(measured(&report), Measurement::Changes(expected));
    }

    #[test]
    fn a_version_that_could_not_be_measured_says_why() {
        let failed = report(Verdict::Inconclusive, &[("a", verdict::BenchmarkOutcome::Failed, None)]);
        assert_eq!(measured(&failed), Measurement::Failed(String::from("why")));
        assert_eq!(measured(&report(Verdict::Skipped, &[])), Measurement::NotRun);
    }
}

//! `lito demo`: everything once, on the releases of a real library: imported, sampled every k, scored, the
//! flagged ones benchmarked, and what that cost against running everything.

mod libraries;

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use report::demo::{self, DemoReport, DemoVersion};
use report::number_format;
use runner::build::RepositoryCache;
use runner::environment;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::release_history::{ImportRequest, ImportedRelease};
use runner::sample::FailureRetryPolicy;
use runner::store::Store;

use self::libraries::DemoLibrary;
use super::sample::SampleCommandContext;
use super::track::TrackCommandContext;
use super::{import, interruption};
use crate::cli::{DemoArguments, OutputFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::pipeline::{self, GateContext, GateJudgement, GateRequest, GateReuse, GateThoroughness, SelectionRequest};
use engine::profiling::Profiler;
use engine::progress::{Progress, ProgressEvent};
use engine::settings::{self, GateMetric, Settings};
use engine::skipping_audit::AuditDraw;
use engine::track;

/// No version is left out for want of time.
const BUDGET: Duration = Duration::from_secs(3600);

/// Runs the demonstration.
pub(super) fn run(arguments: &DemoArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let library = library(arguments)?;
    let interruption = interruption()?;
    environment::install_valgrind(&interruption).map_err(Failure::environment)?;
    let folder = DemoFolder::prepare(&library)?;
    let request = ImportRequest {
        registry: library.registry,
        name: library.package.to_owned(),
        last: Some(arguments.last),
        from: None,
        dir: folder.repository.clone(),
    };
    let releases = import::releases(&request, &interruption, terminal)?.releases;
    folder.configure(&library)?;
    terminal.note(&format!(
        "{}: {} in {}",
        library.name,
        number_format::counted_noun(releases.len(), "release"),
        folder.repository.display()
    ));
    let repository = Repository::open(&folder.repository)?;
    let stage = DemoRun {
        repository,
        releases,
        settings: Settings::read(&folder.repository)?,
        interruption,
        terminal,
    };
    let outcome = stage.play(library.name, arguments)?;
    if let Some(file) = &arguments.drawn {
        stage.draw(library.name, file)?;
    }
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => demo::human(&outcome, terminal.page()),
        OutputFormat::Json => demo::json(&outcome),
        OutputFormat::Markdown => demo::markdown(&outcome),
    })?;
    Ok(CommandExit::Passed)
}

/// The library that was asked for.
fn library(arguments: &DemoArguments) -> Result<DemoLibrary, Failure> {
    let Some(name) = &arguments.library else {
        return Ok(libraries::of_language(arguments.language));
    };
    libraries::of(name).ok_or_else(|| {
        Failure::usage(format_args!(
            "running the demo: on `{name}`: lito has no benchmarks for it; choose one of {}, or use your own: `lito import \
             crate`, a harness in lito.toml, `lito sample`, `lito score`",
            libraries::names().collect::<Vec<_>>().join(", ")
        ))
    })
}

/// Where a demonstration takes place: below lito's cache.
struct DemoFolder {
    repository: PathBuf,
    harness: PathBuf,
}

impl DemoFolder {
    /// Without the history and the builds of an earlier run, which would make this one look cheaper than it is.
    fn prepare(library: &DemoLibrary) -> Result<Self, Failure> {
        let cache =
            RepositoryCache::of_repository(&Path::new("/demo").join(library.name)).map_err(Failure::environment)?;
        let folder = Self {
            repository: cache.root().join("repository"),
            harness: cache.root().join("harness"),
        };
        let built = RepositoryCache::of_repository(&folder.repository).map_err(Failure::environment)?;
        for stale in [&folder.repository, &folder.harness, built.root()] {
            if stale.exists() {
                fs::remove_dir_all(stale).map_err(|error| refused(stale, &error))?;
            }
        }
        for (path, text) in library.harness {
            let path = folder.harness.join(path);
            let parent = path.parent().expect("a file of a harness is below its folder");
            fs::create_dir_all(parent).map_err(|error| refused(parent, &error))?;
            fs::write(&path, text).map_err(|error| refused(&path, &error))?;
        }
        Ok(folder)
    }

    /// Writes the settings into the repository, so that every other command works there too.
    fn configure(&self, library: &DemoLibrary) -> Result<(), Failure> {
        let own = library.harness.iter().find(|(path, _)| *path == settings::FILE);
        // A package of Rust says by itself what its benchmarks are.
        let definitions = own.map_or("[[benchmarks]]\nadapter = \"cargo-bench\"\n", |(_, text)| text);
        let text = definitions.replace("[[benchmarks]]", "[[benchmarks]]\nharness = \"../harness\"");
        let path = self.repository.join(settings::FILE);
        fs::write(&path, text).map_err(|error| refused(&path, &error))?;
        let exclude = self.repository.join(".git/info/exclude");
        let ignored = OpenOptions::new().append(true).open(&exclude);
        ignored
            .and_then(|mut file| writeln!(file, "/{}", settings::FILE))
            .map_err(|error| refused(&exclude, &error))
    }
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    Failure::environment(format_args!(
        "preparing the demo: on {}: {error}; set LITO_CACHE to a folder that can be written",
        path.display()
    ))
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
    fn play(&self, library: &str, arguments: &DemoArguments) -> Result<DemoReport, Failure> {
        let commits: Vec<CommitId> = self.releases.iter().map(|release| release.commit).collect();
        let to_sample = engine::sampling_plan::every_nth(&commits, arguments.every, &BTreeSet::new());
        let sampled = self.sampling().take(&to_sample, FailureRetryPolicy::Skip)?;
        let judgements = self.judge(&commits, arguments.all)?;
        let costs = engine::demo::costs(&judgements, engine::demo::sampling_seconds(&sampled), commits.len());
        let versions = judgements
            .into_iter()
            .zip(&self.releases[1..])
            .map(|(judgement, release)| DemoVersion {
                release: release.version.clone(),
                measured: engine::demo::measurement(&judgement.report),
                score: judgement.score,
            })
            .collect();
        Ok(DemoReport {
            library: library.to_owned(),
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
                        SelectionRequest::Flagged { audit: AuditDraw::NONE }
                    },
                    claims: &[],
                    metrics: &[GateMetric::Instructions],
                    budget: BUDGET,
                    draft: false,
                    is_scored_again: false,
                    reuse: GateReuse::Everything,
                    thoroughness: GateThoroughness::Gate,
                };
                let judgement = pipeline::judge_and_record(&question, &place);
                progress.step();
                Ok(judgement?)
            })
            .collect()
    }

    fn sampling(&self) -> SampleCommandContext<'_> {
        SampleCommandContext {
            repository: &self.repository,
            settings: &self.settings,
            definitions: &self.settings.benchmarks,
            budget: None,
            root: self.root(),
            interruption: &self.interruption,
            terminal: self.terminal,
            profiler: Profiler::Callgrind,
            workers: None,
        }
    }
}

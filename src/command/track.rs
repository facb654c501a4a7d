//! `lito track`: the costs of benchmarks over many versions, and where they jump.

use std::num::NonZero;
use std::path::Path;

use analyzer::score::CostModel;
use report::track::{self as shown_as, CostTrack};
use runner::build::RepositoryCache;
use runner::environment::EnvironmentFingerprint;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{FailureRetryPolicy, environment};
use runner::store::Store;
use runner::timelines::TimelinesEvent;
use runner::toolchain;

use super::compare;
use super::sample::{profiler_option, show_sampling_progress};
use super::sampling_job::{self, JobCommandContext};
use super::{checkout, interruption};
use crate::cli::{SampleFormat, TrackArguments, TrackFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use engine::outlines::outlines;
use engine::profiling;
use engine::profiling::Profiler;
use engine::sampling;
use engine::scoring;
use engine::settings::Settings;
use engine::track::{self, TrackEvent, TrackReportBuilder, TrackScope};
use engine::views;

/// Tracks the versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &TrackArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let newest = repository.resolve(&arguments.revision)?;
    let range = repository.first_parents(newest, arguments.last as usize)?;
    let root = checkout(repository, "tracking")?;
    let tracking = TrackCommandContext {
        repository,
        settings,
        root,
        interruption: &interruption()?,
        terminal,
        profiler: arguments.profiler.into(),
        which: match arguments.exhaustive {
            true => TrackScope::All,
            false => TrackScope::MayHaveChanged,
        },
        project: views::project(root),
    };
    let versions = every_nth(&range.commits, arguments.every);
    let store = Store::open(repository, &settings.store.url)?;
    BenchmarkNames {
        repository,
        store: &store,
        definitions: &settings.benchmarks,
    }
    .check(
        NamedBenchmarks::by_option(track::TRACKING, &arguments.benchmarks),
        &versions,
    )?;
    if let Some(executor) = arguments.tasks.executor {
        let job = JobCommandContext {
            repository,
            settings,
            terminal,
            root,
            store: &store,
            history: &range.commits,
            every: arguments.every,
            tasks: &arguments.tasks,
            options: &[profiler_option(arguments.profiler)],
            retry: false,
            format: SampleFormat::Human,
        };
        sampling_job::run(&job, executor, &versions)?;
    }
    let track = tracking.take(&versions, &arguments.benchmarks, arguments.output.as_deref())?;
    terminal.print(&match arguments.format {
        TrackFormat::Human => shown_as::human(&track, terminal.page().width),
        TrackFormat::Json => shown_as::json(&track),
        TrackFormat::Csv => shown_as::csv(&track),
        TrackFormat::Markdown => shown_as::markdown(&track),
    })?;
    for gap in shown_as::gaps(&track) {
        terminal.detail(&gap);
    }
    Ok(CommandExit::Passed)
}

/// Inputs of tracking.
pub(super) struct TrackCommandContext<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    /// The checkout that the builds belong to.
    pub(super) root: &'a Path,
    pub(super) interruption: &'a InterruptionFlag,
    pub(super) terminal: &'a Terminal,
    pub(super) profiler: Profiler,
    pub(super) which: TrackScope,
    /// Title of the report.
    pub(super) project: String,
}

impl TrackCommandContext<'_> {
    /// Tracks versions, given oldest first, and writes the report if a file is named. `globs` select the benchmarks to
    /// show; without any, all are shown.
    pub(super) fn take(
        &self,
        commits: &[CommitId],
        globs: &[String],
        output: Option<&Path>,
    ) -> Result<CostTrack, Failure> {
        let (repository, settings, terminal) = (self.repository, self.settings, self.terminal);
        let profiler = profiling::choose_profiler(self.profiler, self.interruption, |note| {
            terminal.note(note);
        })?;
        let store = Store::open(repository, &settings.store.url)?;
        let compiler = toolchain::compiler_for(&settings.benchmarks, self.root, self.interruption)?;
        let fingerprint = EnvironmentFingerprint::here(&compiler, profiler.profiler(), self.root, self.interruption);
        let cache = RepositoryCache::of_repository(self.root).map_err(Failure::environment)?;
        let scoring = scoring::scoring_for_model(
            CostModel::Lito,
            settings.gate.threshold.share(),
            (repository, &settings.benchmarks),
        );
        let request = track::TrackRequest {
            sampling: sampling::SamplingRequest {
                budget: None,
                repository,
                store: &store,
                definitions: &settings.benchmarks,
                root: self.root,
                workers: std::thread::available_parallelism().map_or(1, NonZero::get),
                failed_before: FailureRetryPolicy::Skip,
                profiler: &profiler,
                interruption: self.interruption,
            },
            scoring: &scoring,
            environment: environment(&fingerprint, &settings.benchmarks, (self.root, &cache)).id(),
            which: self.which,
            drawn: output.map(|_| globs),
        };
        let progress = terminal.progress(commits.len(), "tracking");
        let (points, executed) = track::points(&request, commits, &mut |told| match told {
            TrackEvent::Sampling(event) => show_sampling_progress(event, &progress),
            TrackEvent::Settled => progress.step(),
            TrackEvent::Tree(event) => compare::show_call_tree_progress(event, &progress),
            TrackEvent::Frames(event) => show_time_frame_progress(event, &progress),
        })?;
        drop(progress);
        let outlines = outlines(repository, commits, &scoring.parser)?;
        let track = track::cost_track(&request, &points, &outlines, profiler.unit(), globs)?;
        if track.benchmarks.is_empty() {
            return Err(Failure::environment(format_args!(
                "tracking: {}: no benchmark could be profiled: {}",
                report::number_format::counted_noun(commits.len(), "version"),
                (track.reasons.first()).map_or("there is none", String::as_str)
            )));
        }
        if let Some(file) = output {
            let drawn = TrackReportBuilder {
                request: &request,
                commits,
                known: &points,
                outlines: &outlines,
                track: &track,
                executed,
                project: &self.project,
            };
            let progress = terminal.waiting("drawing");
            let written = drawn.write(file);
            drop(progress);
            written?;
            terminal.note(&format!("the report is {}", file.display()));
        }
        Ok(track)
    }
}

/// Shows the progress of taking time frames.
fn show_time_frame_progress(event: &TimelinesEvent<'_>, progress: &TerminalProgress) {
    match event {
        TimelinesEvent::Waiting { holder } => progress.waiting_for(*holder),
        TimelinesEvent::Building { commit } => {
            progress.working_on(&format!("{}: building with probes", commit.short()));
        }
        TimelinesEvent::Ran { commit, benchmark } => {
            progress.working_on(&format!("{}: time frames of {benchmark}", commit.short()));
        }
    }
}

/// Every `every`-th version, the newest included.
fn every_nth(oldest_first: &[CommitId], every: u32) -> Vec<CommitId> {
    let newest_first = oldest_first.iter().rev().step_by((every as usize).max(1));
    let mut taken: Vec<CommitId> = newest_first.copied().collect();
    taken.reverse();
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_always_among_them() {
        let all: Vec<CommitId> = (0..7).map(|index| CommitId([index; 20])).collect();
        assert_eq!(every_nth(&all, 1), all);
        assert_eq!(every_nth(&all, 3), [all[0], all[3], all[6]]);
        assert_eq!(every_nth(&all, 4), [all[2], all[6]]);
        assert_eq!(every_nth(&all, 9), [all[6]]);
    }
}

//! `lito track`: versions into the costs of their benchmarks, and where these jumped.

use std::num::NonZero;

use analyzer::score::Model;
use report::track as shown_as;
use runner::environment::Fingerprint;
use runner::git::{CommitId, Repository};
use runner::sample::{FailedBefore, environment};
use runner::store::Store;
use runner::timelines;
use runner::toolchain;

use super::compare;
use super::sample::tell;
use super::{checkout, interruption};
use crate::cli::{TrackArguments, TrackFormat};
use crate::exit::{Exit, Failure};
use crate::outlines::outlines;
use crate::profiling;
use crate::sampling;
use crate::scoring;
use crate::settings::Settings;
use crate::terminal::{Progress, Terminal};
use crate::track::{self, Drawn, Step, Told, Which};

/// Tracks what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &TrackArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let newest = repository.resolve(&arguments.revision)?;
    let root = checkout(repository, "tracking")?;
    let range = repository.first_parents(newest, arguments.last as usize)?;
    let commits = every_nth(&range.commits, arguments.every);
    let interruption = interruption()?;
    let profiler = profiling::choose(arguments.profiler, &interruption, |note| {
        terminal.note(note);
    })?;
    let store = Store::open(repository, &settings.store.url)?;
    let fingerprint = Fingerprint::here(
        &toolchain::compiler(root, &interruption)?,
        profiler.version(),
    );
    let scoring = scoring::with(Model::Lito, settings.gate.threshold.share());
    let request = track::Request {
        sampling: sampling::Request {
            repository,
            store: &store,
            definitions: &settings.benchmarks,
            root,
            workers: std::thread::available_parallelism().map_or(1, NonZero::get),
            failed_before: FailedBefore::Skip,
            profiler: &profiler,
            interruption: &interruption,
        },
        scoring: &scoring,
        environment: environment(&fingerprint, &settings.benchmarks, root).id(),
        which: match arguments.exhaustive {
            true => Which::All,
            false => Which::MayHaveChanged,
        },
    };
    let progress = terminal.progress(commits.len(), "tracking");
    let points = track::points(&request, &commits, &mut |told| match told {
        Told::Sampling(event) => tell(event, &progress),
        Told::Settled => progress.step(),
    })?;
    drop(progress);
    let unit = profiler.unit();
    let outlines = outlines(repository, &commits, &scoring.parser)?;
    let track = track::track(&request, &points, &outlines, unit, &arguments.benchmarks)?;
    if track.benchmarks.is_empty() {
        return Err(Failure::environment(format_args!(
            "tracking: {}: no benchmark could be profiled: {}",
            report::number::of(commits.len(), "version"),
            (track.reasons.first()).map_or("there is none", String::as_str)
        )));
    }
    terminal.print(&match arguments.format {
        TrackFormat::Human => shown_as::human(&track, terminal.page().width),
        TrackFormat::Json => shown_as::json(&track),
        TrackFormat::Csv => shown_as::csv(&track),
        TrackFormat::Markdown => shown_as::markdown(&track),
    })?;
    if let Some(file) = &arguments.output {
        let drawn = Drawn {
            request: &request,
            commits: &commits,
            known: &points,
            outlines: &outlines,
            track: &track,
        };
        let progress = terminal.progress(drawn.steps(), "drawing");
        let written = drawn.write(file, &mut |step| tell_step(&step, &progress));
        drop(progress);
        written?;
        terminal.note(&format!("the report is {}", file.display()));
    }
    for gap in shown_as::gaps(&track) {
        terminal.detail(&gap);
    }
    Ok(Exit::Passed)
}

/// Says what is being done for a report.
fn tell_step(step: &Step<'_>, progress: &Progress) {
    match step {
        Step::Tree(event) => compare::tell(event, progress),
        Step::Frames(timelines::Step::Building { commit }) => {
            progress.working_on(&format!("{}: building with probes", commit.short()));
        }
        Step::Frames(timelines::Step::Ran { commit, benchmark }) => {
            progress.working_on(&format!("{}: time frames of {benchmark}", commit.short()));
        }
    }
}

/// Every `every`-th of the versions, the newest among them.
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

//! A track into its HTML report: what the store and the cache lack of it (calling context trees, time frames) is taken
//! now, of the versions that were measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use analyzer::outline::SourceOutline;
use profile::call_tree::FunctionRenames;
use report::track::CostTrack;
use report::view::{BetterDirection, HtmlReport};
use runner::build::RepositoryCache;
use runner::call_trees::{CallTreesEvent, VersionCallTrees};
use runner::git::CommitId;
use runner::timelines::{self, TimelineOutcome};
use runner::visit::VisitContext;

use super::{TrackRequest, VersionCosts, stored_profile};
use crate::call_trees;
use crate::error::EngineError;
use crate::outlines::{name_as_executed, renamed};
use crate::profiling::ProfilerChoice;
use crate::views::{self, BenchmarkSeries, TrackComparisonBuilder, TrackExecutions, VersionLabels};

/// Everything that a report is made of.
pub struct TrackReportBuilder<'a> {
    /// The request that was tracked.
    pub request: &'a TrackRequest<'a>,
    /// The versions, oldest first.
    pub commits: &'a [CommitId],
    /// The costs of the versions.
    pub known: &'a [VersionCosts],
    /// The sources of the versions.
    pub outlines: &'a [SourceOutline],
    /// The costs over time.
    pub track: &'a CostTrack,
    /// The name of the project in the report.
    pub project: &'a str,
}

/// An event while a report is made.
pub enum TrackReportStep<'a> {
    /// A call tree is taken.
    Tree(&'a CallTreesEvent<'a>),
    /// Time frames are taken.
    Frames(&'a timelines::TimelinesEvent<'a>),
}

impl TrackReportBuilder<'_> {
    /// How many versions are visited for their call trees.
    pub fn steps(&self) -> usize {
        self.measured().len()
    }

    /// Takes what is missing, and writes the report.
    pub fn write(&self, file: &Path, tell: &mut dyn FnMut(TrackReportStep<'_>)) -> Result<(), EngineError> {
        let series = self.series();
        let mut executed = self.executed(tell)?;
        let mut outlines = self.outlines.to_vec();
        let names = name_as_executed(&mut outlines, executed.functions());
        executed.rename_timelines(&names);
        let request = self.request;
        let repository = request.sampling.repository;
        let labels = VersionLabels::of(repository)?;
        let versions = (self.commits.iter())
            .map(|commit| labels.version(repository, *commit))
            .collect::<Result<Vec<_>, EngineError>>()?;
        let tracked = TrackComparisonBuilder {
            track: self.track,
            versions: &versions,
            series: &series,
            executed: &executed,
            outlines: &outlines,
        };
        let mut known_renames: BTreeMap<(usize, usize), FunctionRenames> = BTreeMap::new();
        let comparisons = tracked.comparisons(&mut |before, after| {
            if let Some(known) = known_renames.get(&(before, after)) {
                return Ok(known.clone());
            }
            let pair = (self.commits[before], self.commits[after]);
            let found = renamed(repository, pair, &request.scoring.parser)?;
            known_renames.insert((before, after), found.clone());
            Ok(found)
        })?;
        let view = HtmlReport {
            project: self.project.to_owned(),
            title: title(self.track, &versions),
            unit: self.track.unit,
            better: BetterDirection::Less,
            made_by: views::command_line(),
            compare_by: views::COMPARE.to_owned(),
            headline: tracked.headline(&comparisons),
            versions: versions.clone(),
            track: Some(self.track),
            matrices: views::matrices(&series, &executed, &outlines),
            comparisons: &comparisons,
            outlines: outlines.into_iter().enumerate().collect(),
        };
        views::write(&view, file)
    }

    /// The versions that were measured themselves, by place.
    fn measured(&self) -> Vec<usize> {
        (0..self.known.len())
            .filter(|&at| self.known[at].measured == Some(self.commits[at]))
            .collect()
    }

    /// For each benchmark that is shown, at which place each of its points was measured.
    fn series(&self) -> Vec<BenchmarkSeries> {
        let place = |commit: CommitId| self.commits.iter().position(|one| *one == commit);
        let measured = |known: &VersionCosts, name: &str| {
            known.costs.get(name)?.as_ref().ok()?;
            place(known.measured?)
        };
        (self.track.benchmarks.iter())
            .map(|benchmark| BenchmarkSeries {
                benchmark: benchmark.name.clone(),
                measured: (self.known.iter())
                    .map(|known| measured(known, &benchmark.name))
                    .collect(),
            })
            .collect()
    }

    /// Everything that is known of what the benchmarks executed; what is not known yet is taken.
    fn executed(&self, tell: &mut dyn FnMut(TrackReportStep<'_>)) -> Result<TrackExecutions, EngineError> {
        let names: BTreeSet<String> = (self.track.benchmarks.iter())
            .map(|benchmark| benchmark.name.clone())
            .collect();
        let places = self.measured();
        let commits: Vec<CommitId> = places.iter().map(|&at| self.commits[at]).collect();
        let mut executed = TrackExecutions::default();
        for (&at, &commit) in places.iter().zip(&commits) {
            for name in &names {
                let found = stored_profile(self.request, commit, name)?;
                (executed.profiles).extend(found.map(|profile| ((name.clone(), at), profile)));
            }
        }
        let trees = self.trees(&commits, &names, tell)?;
        for (&at, version) in places.iter().zip(trees) {
            let found = version.trees.into_iter();
            let found = found.filter_map(|(name, taken)| Some(((name, at), taken.ok()?)));
            executed.trees.extend(found);
        }
        let timelines = self.timelines(&commits, &names, tell)?;
        for (&at, version) in places.iter().zip(timelines) {
            let found = version.into_iter().filter_map(|(name, outcome)| match outcome {
                TimelineOutcome::Taken(timeline) => Some(((name, at), timeline)),
                TimelineOutcome::Failed { .. } => None,
            });
            executed.timelines.extend(found);
        }
        Ok(executed)
    }

    fn trees(
        &self,
        commits: &[CommitId],
        names: &BTreeSet<String>,
        tell: &mut dyn FnMut(TrackReportStep<'_>),
    ) -> Result<Vec<VersionCallTrees>, EngineError> {
        let sampling = &self.request.sampling;
        let request = call_trees::CallTreeRequest {
            repository: sampling.repository,
            definitions: sampling.definitions,
            root: sampling.root,
            profiler: sampling.profiler,
            interruption: sampling.interruption,
        };
        let is_wanted = |name: &str| names.contains(name);
        call_trees::collect_call_trees(&request, commits, &is_wanted, &mut |event| {
            tell(TrackReportStep::Tree(event));
        })
    }

    fn timelines(
        &self,
        commits: &[CommitId],
        names: &BTreeSet<String>,
        tell: &mut dyn FnMut(TrackReportStep<'_>),
    ) -> Result<Vec<BTreeMap<String, TimelineOutcome>>, EngineError> {
        let sampling = &self.request.sampling;
        let cache = RepositoryCache::of_repository(sampling.root).map_err(EngineError::environment)?;
        let probes = ProfilerChoice::probes();
        let plan = timelines::TimelinesPlan {
            context: VisitContext {
                repository: sampling.repository,
                definitions: sampling.definitions,
                cache: &cache,
                interruption: sampling.interruption,
            },
            profiler: probes.profiler(),
            workers: sampling.workers,
            failed_before: sampling.failed_before,
        };
        let taken = timelines::take(&plan, commits, names, &mut |step| tell(TrackReportStep::Frames(step)));
        taken.map_err(|error| match error {
            error if error.is_interruption() => EngineError::Interrupted,
            error => EngineError::environment(error),
        })
    }
}

/// How many versions of what, and which.
fn title(track: &CostTrack, versions: &[report::view::ViewVersion]) -> String {
    let ends = versions.first().zip(versions.last());
    let range = ends.map_or_else(String::new, |(first, last)| {
        format!(", {} to {}", first.label, last.label)
    });
    format!(
        "{} of {}{range}",
        report::number_format::counted_noun(track.benchmarks.len(), "benchmark"),
        report::number_format::counted_noun(versions.len(), "version"),
    )
}

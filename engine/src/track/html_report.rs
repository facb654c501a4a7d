//! A track, with the call trees and time frames that were taken for it → its HTML report. Measures nothing.

use std::path::Path;

use analyzer::outline::SourceOutline;
use report::track::CostTrack;
use report::view::{BetterDirection, HtmlReport};
use runner::git::CommitId;

use super::{TrackRequest, VersionCosts, stored_profile};
use crate::error::EngineError;
use crate::function_moves::NewestNames;
use crate::outlines::name_as_executed;
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
    /// The call trees and time frames of the versions that were measured.
    pub executed: TrackExecutions,
    /// The name of the project in the report.
    pub project: &'a str,
}

impl TrackReportBuilder<'_> {
    /// Writes the report.
    pub fn write(mut self, file: &Path) -> Result<(), EngineError> {
        let series = self.series();
        let mut executed = self.executed()?;
        let mut outlines = self.outlines.to_vec();
        let request = self.request;
        let repository = request.sampling.repository;
        let names = name_as_executed(&mut outlines, executed.functions());
        executed.rename_timelines(&names);
        let parser = &request.scoring.parser;
        let newest = NewestNames::of(repository, (self.commits, &outlines), parser, &names)?;
        let earlier_names = executed.rename_to_newest(&newest);
        for (at, outline) in outlines.iter_mut().enumerate() {
            outline.rename(&newest.renamed(at, outline));
        }
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
            newest: &newest,
        };
        let comparisons = tracked.comparisons();
        let view = HtmlReport {
            project: self.project.to_owned(),
            title: title(self.track, &versions),
            unit: self.track.unit,
            better: BetterDirection::Less,
            made_by: views::command_line(),
            compare_by: views::COMPARE.to_owned(),
            compare_benchmarks_by: views::COMPARE_BENCHMARKS.to_owned(),
            headline: tracked.headline(&comparisons),
            versions: versions.clone(),
            track: Some(self.track),
            matrices: views::matrices(&series, &executed, &outlines, &newest),
            earlier_names,
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

    /// Everything that is known of what the benchmarks executed: with the profiles of the store.
    fn executed(&mut self) -> Result<TrackExecutions, EngineError> {
        let mut executed = std::mem::take(&mut self.executed);
        for at in self.measured() {
            for benchmark in &self.track.benchmarks {
                let found = stored_profile(self.request, self.commits[at], &benchmark.name)?;
                (executed.profiles).extend(found.map(|profile| ((benchmark.name.clone(), at), profile)));
            }
        }
        Ok(executed)
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

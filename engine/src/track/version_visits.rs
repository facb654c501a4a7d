//! A version of a track → its sample, its call trees and its time frames, on one visit: it is checked out once, and each
//! profiler builds it once.
//!
//! Each result is stored or kept as soon as it is there, and none is taken again: a version of which everything is known
//! is not even checked out. Decides neither which versions are visited nor which benchmarks.

use std::collections::BTreeSet;

use runner::build::RepositoryCache;
use runner::call_trees::{self, CallTreesPlan};
use runner::git::CommitId;
use runner::sample::{self, SampleEvent, SampledVersion};
use runner::timelines::{self, TimelineOutcome, TimelinesPlan};
use runner::visit::VersionVisitor;

use super::TrackEvent;
use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::sampling::SamplingRequest;
use crate::views::TrackExecutions;

/// The visits of a track, one version after the other.
pub(super) struct VersionVisits<'a> {
    request: &'a SamplingRequest<'a>,
    cache: &'a RepositoryCache,
    visitor: VersionVisitor<'a>,
    /// Records time frames where the request's profiler does not.
    time_frames: ProfilerChoice,
}

impl<'a> VersionVisits<'a> {
    /// Visits that have checked nothing out yet.
    pub(super) fn new(request: &'a SamplingRequest<'a>, cache: &'a RepositoryCache) -> Self {
        Self {
            request,
            cache,
            visitor: VersionVisitor::new(request.plan(cache, request.store, &[]).visit_context()),
            time_frames: ProfilerChoice::time_frames(),
        }
    }

    /// Samples a version, except for what is stored.
    pub(super) fn sample(
        &mut self,
        commit: CommitId,
        tell: &mut dyn FnMut(&SampleEvent<'_>),
    ) -> Result<SampledVersion, EngineError> {
        let plan = self.request.plan(self.cache, self.request.store, &[]);
        Ok(sample::sample_version(&plan, &mut self.visitor, commit, tell)?)
    }

    /// Takes the call trees and the time frames of benchmarks of a version, except for those that are kept, and adds them
    /// to the others at this place of the track.
    pub(super) fn executions(
        &mut self,
        (at, commit): (usize, CommitId),
        benchmarks: &BTreeSet<String>,
        executed: &mut TrackExecutions,
        tell: &mut dyn FnMut(TrackEvent<'_>),
    ) -> Result<(), EngineError> {
        let request = self.request;
        let context = request.plan(self.cache, request.store, &[]).visit_context();
        let trees = CallTreesPlan {
            context,
            profiler: request.profiler.profiler(),
            workers: request.workers,
            failed_before: request.failed_before,
        };
        let is_wanted = |name: &str| benchmarks.contains(name);
        let taken = call_trees::take_version(&trees, &mut self.visitor, commit, &is_wanted, &mut |event| {
            tell(TrackEvent::Tree(event));
        })?;
        let found = taken.trees.into_iter();
        (executed.trees).extend(found.filter_map(|(name, taken)| Some(((name, at), taken.ok()?))));
        // Last, since what records them may change the sources.
        let own = request.profiler.profiler();
        let recording = (own.timelines().is_some()).then_some(own);
        let frames = TimelinesPlan {
            context,
            profiler: recording.unwrap_or_else(|| self.time_frames.profiler()),
            workers: request.workers,
            failed_before: request.failed_before,
        };
        let taken = timelines::take_version(&frames, &mut self.visitor, commit, benchmarks, &mut |event| {
            tell(TrackEvent::Frames(event));
        })?;
        let found = taken.into_iter().filter_map(|(name, outcome)| match outcome {
            TimelineOutcome::Taken(timeline) => Some(((name, at), timeline)),
            TimelineOutcome::Failed { .. } => None,
        });
        executed.timelines.extend(found);
        Ok(())
    }
}

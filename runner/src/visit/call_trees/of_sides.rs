//! Two versions of a comparison → the calling context trees of their benchmarks, of the programs that were measured.
//!
//! Programs that the comparison kept are run as they are, so that nothing is built for the trees. They are the optimised
//! ones: calls of inlined functions are estimates. Keeps no tree.

use super::{BenchmarkFilter, CallTreesError, CallTreesEvent, TreeRun, VersionCallTrees};
use crate::frameworks::Benchmark;
use crate::profilers::ProfilerBuild;
use crate::visit::VisitError;
use crate::visit::sides::{self, BaseOrHead, MeasuredSides, SideBuildEvent, SideBuildPlan};

/// Takes the trees of the benchmarks that a filter selects, base first, and reports progress. Builds the versions whose
/// programs are not kept. `workers` benchmarks run at the same time.
///
/// # Errors
/// As [`super::take`], or if the versions must not be compared.
pub fn take_measured(
    plan: &SideBuildPlan<'_>,
    workers: usize,
    filter: BenchmarkFilter<'_>,
    progress: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<Vec<VersionCallTrees>, CallTreesError> {
    let mut sides = sides::build(plan, &mut |event| match *event {
        SideBuildEvent::Waiting { holder } => progress(&CallTreesEvent::Waiting { holder }),
        SideBuildEvent::Building(which) => progress(&CallTreesEvent::Building {
            commit: match which {
                BaseOrHead::Base => plan.base,
                BaseOrHead::Head => plan.head,
            },
        }),
        SideBuildEvent::Built(..) | SideBuildEvent::Reused(..) => {}
    })?;
    let total = BaseOrHead::BOTH.len();
    (BaseOrHead::BOTH.into_iter().enumerate())
        .map(|(index, which)| {
            let commit = sides.side(which).commit;
            progress(&CallTreesEvent::Version { commit, index, total });
            let version = trees_of(plan, workers, &mut sides, which, filter, progress)?;
            progress(&CallTreesEvent::VersionDone { version: &version });
            Ok(version)
        })
        .collect()
}

fn trees_of(
    plan: &SideBuildPlan<'_>,
    workers: usize,
    sides: &mut MeasuredSides,
    which: BaseOrHead,
    filter: BenchmarkFilter<'_>,
    progress: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<VersionCallTrees, CallTreesError> {
    sides.switch_to(which).map_err(VisitError::from)?;
    let side = sides.side(which);
    let commit = side.commit;
    let failures = side.suite.failures.iter();
    let mut version = VersionCallTrees {
        commit,
        unbuilt: side.unbuilt.clone(),
        trees: failures
            .map(|failure| (failure.target.clone(), Err(failure.reason.clone())))
            .collect(),
        reused: 0,
    };
    let build = ProfilerBuild {
        suite: side.suite.clone(),
        tree: sides.tree().to_owned(),
        ..ProfilerBuild::default()
    };
    let wanted: Vec<&Benchmark> = (build.suite.benchmarks.iter())
        .filter(|benchmark| filter(&benchmark.name))
        .collect();
    progress(&CallTreesEvent::Listed {
        commit,
        wanted: wanted.len(),
        kept: 0,
    });
    let run = TreeRun {
        commit,
        profiler: plan.profiler,
        build: &build,
        workers,
        interruption: plan.interruption,
    };
    version.trees.extend(run.take(&wanted, &|_, _| Ok(()), progress)?);
    Ok(version)
}

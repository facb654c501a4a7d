//! A subject that is repeated as often as an argument says → two runs, and the difference between their results.
//!
//! Both runs start alike and end alike, so that the difference is what the further iterations execute. Nothing has to be
//! known of the program: it may be an interpreter, or have no symbols.

use super::{ExecutionSummary, ProfilerError, ProfilerRequest};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::{ProfiledCallTree, ProfiledRun};

/// The short run and the long run of a request, each of a whole process; `None` for any other subject.
pub(super) fn runs<'r>(request: &ProfilerRequest<'r>) -> Option<[ProfilerRequest<'r>; 2]> {
    let BenchmarkSubject::FurtherIterations { twice } = request.subject else {
        return None;
    };
    let once = ProfilerRequest {
        subject: &BenchmarkSubject::Process,
        ..request.clone()
    };
    let twice = ProfilerRequest {
        arguments: twice,
        ..once.clone()
    };
    Some([once, twice])
}

/// The result of the further iterations, from those of the short run and of the long one.
pub(super) fn difference<T: TwoRuns>(
    [once, twice]: &[ProfilerRequest<'_>; 2],
    mut run: impl FnMut(&ProfilerRequest<'_>) -> Result<T, ProfilerError>,
) -> Result<T, ProfilerError> {
    let (short, long) = (run(once)?, run(twice)?);
    if long.total() <= short.total() {
        return Err(ProfilerError::NoFurtherIterations {
            program: twice.program.to_owned(),
            arguments: (twice.arguments.iter())
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
        });
    }
    Ok(long.minus(short))
}

/// The result of a run that another one can be subtracted from.
pub(super) trait TwoRuns {
    /// Its cost.
    fn total(&self) -> u64;

    /// The further part of a run, beyond a shorter one.
    fn minus(self, shorter: Self) -> Self;
}

impl TwoRuns for ExecutionSummary {
    fn total(&self) -> u64 {
        self.total
    }

    /// The functions, libraries and paths are those of the long run: the iterations may be what needs any of them.
    fn minus(self, shorter: Self) -> Self {
        Self {
            total: self.total.saturating_sub(shorter.total),
            ..self
        }
    }
}

impl TwoRuns for ProfiledRun {
    fn total(&self) -> u64 {
        self.profile.total
    }

    fn minus(self, shorter: Self) -> Self {
        Self {
            profile: self.profile.minus(&shorter.profile),
            uncounted: self.uncounted.or(shorter.uncounted),
            unnamed: self.unnamed.or(shorter.unnamed),
            opened: self.opened,
            asked_names: self.asked_names,
        }
    }
}

impl TwoRuns for ProfiledCallTree {
    fn total(&self) -> u64 {
        self.total
    }

    fn minus(self, shorter: Self) -> Self {
        let tree = self.tree.minus(&shorter.tree);
        Self {
            total: tree.total(),
            counted: self.counted.saturating_sub(shorter.counted),
            divided: self.divided.saturating_sub(shorter.divided),
            cut: self.cut.or(shorter.cut),
            complete: self.complete && shorter.complete,
            tree,
        }
    }
}

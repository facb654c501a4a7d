//! A benchmark → how many instructions its subject executes, and the functions that contain them.
//!
//! Runs it once under callgrind, without attributing anything to sources; [`crate::profilers`] does that.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use attribution::callgrind::PathRemapping;
use profile::inputs::OpenedFiles;
use profile::probes::ProbeTable;

use super::retries::run_with_retries;
use super::{MeasurementError, RunConditions, TrialResult};
use crate::frameworks::{Benchmark, BenchmarkSubject};
use crate::opened_files::opened_below;
pub use crate::profilers::callgrind::ExecutionSummary;
use crate::profilers::callgrind::{self, ProfilerRequest};
use crate::profilers::{ProfilerError, ProfilerFailureKind, probes};

/// Counts one run of a benchmark. The checkout must be at its side: see [`super::sides::MeasuredSides::switch_to`].
///
/// Runs of one side may go on side by side: counts do not depend on it.
///
/// # Errors
/// [`MeasurementError`]; without valgrind it is [`MeasurementError::NoTool`].
pub fn count_instructions(
    benchmark: &Benchmark,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<ExecutionSummary>, MeasurementError> {
    run_with_retries(benchmark.time_limit, conditions, |time_limit| {
        let request = profiler_request(benchmark, time_limit, conditions);
        callgrind::execution_summary(&request).map_err(MeasurementError::from)
    })
}

/// The files of a checkout that a counted run opened. The checkout must be as it was during the run.
#[must_use]
pub fn opened_files(counted: &ExecutionSummary, tree: &Path) -> OpenedFiles {
    opened_below(tree, &counted.requested)
}

/// The code that one run of a benchmark executes from start to end, its set-up included: functions of the program
/// itself, by their names in its symbol table. Those that a count told are returned ([`ExecutionSummary::of_process`]); without them
/// the benchmark runs once more.
///
/// # Errors
/// As [`count_instructions`].
pub fn executed_functions(
    benchmark: &Benchmark,
    told: Option<BTreeSet<String>>,
    conditions: &RunConditions<'_>,
) -> Result<BTreeSet<String>, MeasurementError> {
    if let Some(told) = told {
        return Ok(told);
    }
    let whole = Benchmark {
        subject: BenchmarkSubject::Process,
        ..benchmark.clone()
    };
    Ok(count_instructions(&whole, conditions)?.value.functions)
}

/// Counts the operations of one run of a benchmark that was built with probes.
///
/// # Errors
/// [`MeasurementError`].
pub fn count_operations(
    benchmark: &Benchmark,
    table: &ProbeTable,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<u64>, MeasurementError> {
    run_with_retries(benchmark.time_limit, conditions, |time_limit| {
        let limited = Benchmark {
            time_limit,
            ..benchmark.clone()
        };
        probes::total_operations(&limited, table, conditions.interruption).map_err(MeasurementError::from)
    })
}

/// Nothing is attributed to sources, so that their roots have no effect.
static NO_ROOTS: PathRemapping = PathRemapping {
    project: Vec::new(),
    external: Vec::new(),
};

pub(super) fn profiler_request<'a>(
    benchmark: &'a Benchmark,
    time_limit: Duration,
    conditions: &RunConditions<'a>,
) -> ProfilerRequest<'a> {
    ProfilerRequest {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: None,
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &NO_ROOTS,
        time_limit,
        interpreter: benchmark.interpreter.as_ref(),
        shared_start: conditions.shared_start,
        interruption: conditions.interruption,
    }
}

impl From<ProfilerError> for MeasurementError {
    fn from(error: ProfilerError) -> Self {
        match error.kind() {
            ProfilerFailureKind::TimedOut { limit } => Self::TimedOut { limit },
            ProfilerFailureKind::Interrupted => Self::Interrupted,
            ProfilerFailureKind::Tool => Self::NoTool {
                reason: error.to_string(),
            },
            ProfilerFailureKind::Machine => Self::machine(&error),
            ProfilerFailureKind::Benchmark => Self::failed(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::measure::fixture::script;
    use crate::measure::memory::measure_heap;
    use crate::measure::{Deadline, MOST_RETRIES};
    use crate::process::InterruptionFlag;

    fn with<T>(
        text: &str,
        change: impl FnOnce(&mut Benchmark),
        measure: impl FnOnce(&Benchmark, &RunConditions<'_>) -> T,
    ) -> T {
        crate::needs::program("valgrind");
        let folder = tempfile::tempdir().unwrap();
        let interruption = InterruptionFlag::default();
        let conditions = RunConditions {
            deadline: Deadline::NEVER,
            shared_start: None,
            interruption: &interruption,
        };
        let mut benchmark = script(folder.path(), "command", text);
        change(&mut benchmark);
        measure(&benchmark, &conditions)
    }

    #[test]
    fn a_flaky_program_is_counted_and_weighed_in_the_end() {
        let flaky = "test -e once && exit 0; touch once; exit 1";
        let counted = with(flaky, |_| {}, count_instructions).unwrap();
        assert!(counted.value.total > 1000 && counted.retries == 1);
        let weighed = with(flaky, |_| {}, measure_heap).unwrap();
        assert!(weighed.value.bytes > 0 && weighed.retries == 1);
    }

    #[test]
    fn a_program_that_always_fails_is_given_up() {
        let wanted = |error: MeasurementError| match error {
            MeasurementError::Failed { reason, retries } => retries == MOST_RETRIES && reason.contains("no table"),
            _ => false,
        };
        let fails = "echo no table >&2; exit 3";
        assert!(wanted(with(fails, |_| {}, count_instructions).unwrap_err()));
        assert!(wanted(with(fails, |_| {}, measure_heap).unwrap_err()));
    }

    #[test]
    fn without_valgrind_another_way_may_be_tried() {
        let unreachable = |benchmark: &mut Benchmark| {
            benchmark.environment = vec![("PATH".into(), "/nowhere".into())];
        };
        let wanted = |error: MeasurementError| match error {
            MeasurementError::NoTool { reason } => reason.contains("apt-get install valgrind"),
            _ => false,
        };
        assert!(wanted(with("", unreachable, count_instructions).unwrap_err()));
        assert!(wanted(with("", unreachable, measure_heap).unwrap_err()));
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let limit = Duration::from_secs(2);
        let limited = |benchmark: &mut Benchmark| benchmark.time_limit = limit;
        let error = MeasurementError::TimedOut { limit };
        assert_eq!(with("sleep 600", limited, count_instructions).unwrap_err(), error);
        assert_eq!(with("sleep 600", limited, measure_heap).unwrap_err(), error);
    }
}

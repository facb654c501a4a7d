//! The benchmarks that our program lists, each with its way to run once.

use super::PythonSuite;
use super::command_line::{SuiteTask, results};
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::timing::shown;
use crate::frameworks::{FrameworkError, FrameworkProgram, SharedStartRun, SingleRun};
use crate::process::{self, Invocation};

/// The benchmarks of a suite.
pub(super) fn benchmarks(
    suite: &PythonSuite,
    program: &FrameworkProgram<'_>,
) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let Some(command) = suite.command(program) else {
        return Ok(Vec::new());
    };
    let invocation = Invocation {
        arguments: command.doing(suite.program, &SuiteTask::List),
        ..program.invocation(&[])
    };
    let printed = program.succeeded(&invocation, process::run(&invocation, program.interruption)?)?;
    let text = printed.stdout.text();
    let names: Vec<String> = results(&text)
        .and_then(|json| serde_json::from_str(json).ok())
        .ok_or_else(|| FrameworkError::Garbage {
            command: invocation.to_string(),
            reason: format!("it ends with `{}`", shown(&text)),
        })?;
    let times = program.iterations;
    let run_of = |benchmark: &str| {
        SingleRun::of(
            command.doing(suite.program, &SuiteTask::Count { benchmark, times }),
            BenchmarkSubject::Marked,
        )
    };
    Ok(names.into_iter().map(|name| (name.clone(), run_of(&name))).collect())
}

/// Benchmarks of one group share a start: each alone would load the same modules.
pub(super) fn shared_start(
    suite: &PythonSuite,
    program: &FrameworkProgram<'_>,
    benchmark: &str,
) -> Option<SharedStartRun> {
    let group = (suite.group)(benchmark)?;
    let times = program.iterations;
    Some(SharedStartRun {
        arguments: suite
            .command(program)?
            .doing(suite.program, &SuiteTask::Share { group, times }),
        name: benchmark.into(),
    })
}

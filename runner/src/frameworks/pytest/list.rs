//! The tests that our program lists → the benchmarks, each with its way to run once.

use super::command_line::{PytestCommand, PytestTask, results};
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::timing::shown;
use crate::frameworks::{FrameworkError, FrameworkProgram, SharedStartRun, SingleRun};
use crate::process::{self, Invocation};

/// The benchmarks of a suite.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let Some(command) = PytestCommand::read(program.arguments) else {
        return Ok(Vec::new());
    };
    let invocation = Invocation {
        arguments: command.doing(&PytestTask::List),
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
    let run_of = |test: &str| SingleRun {
        arguments: command.doing(&PytestTask::Count {
            test,
            times: program.iterations,
        }),
        subject: BenchmarkSubject::Marked,
    };
    Ok(names.into_iter().map(|name| (name.clone(), run_of(&name))).collect())
}

/// Tests of one file share a start: each alone would load the same modules.
pub(super) fn shared_start(program: &FrameworkProgram<'_>, test: &str) -> Option<SharedStartRun> {
    let (file, _) = test.split_once("::")?;
    let command = PytestCommand::read(program.arguments)?;
    let times = program.iterations;
    Some(SharedStartRun {
        arguments: command.doing(&PytestTask::Share { file, times }),
        name: test.into(),
    })
}

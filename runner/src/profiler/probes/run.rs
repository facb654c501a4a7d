//! One run of a program with probes → its counts → a profile, or only its total.

use std::path::{Path, PathBuf};

use profile::Profile;
use profile::probes::{Counts, FunctionIndex, How, Table};

use super::super::subject::nearest;
use super::super::valgrind::LINES_SHOWN;
use super::super::{ProfilerError, Subject, io_error};
use crate::adapter::Benchmark;
use crate::process::{self, Interruption, Invocation, ProcessError};

/// Runs a benchmark that was built with probes, once, and gives its profile.
///
/// What counts: of a [`Subject::Function`] its run; of a benchmark framework's [`Subject::Clocked`] the run of the
/// routines that the sources hand to the framework; of the others the whole process. Code outside the probed sources
/// counts as the calls of it.
///
/// # Errors
/// [`ProfilerError`]. Nothing that was started is left running, nothing that was written is left behind.
pub fn profile(
    benchmark: &Benchmark,
    table: &Table,
    interruption: &Interruption,
) -> Result<Profile, ProfilerError> {
    let counts = count(benchmark, table, interruption)?;
    Ok(profile::probes::profile(&benchmark.name, table, &counts))
}

/// The operations of a benchmark that was built with probes: the total of its [`profile()`], without the rest.
///
/// # Errors
/// As [`profile()`].
pub fn total(
    benchmark: &Benchmark,
    table: &Table,
    interruption: &Interruption,
) -> Result<u64, ProfilerError> {
    Ok(count(benchmark, table, interruption)?.total(table))
}

fn count(
    benchmark: &Benchmark,
    table: &Table,
    interruption: &Interruption,
) -> Result<Counts, ProfilerError> {
    let program = &benchmark.program;
    if program.is_absolute() && !program.is_file() {
        return Err(ProfilerError::ProgramMissing {
            program: program.clone(),
        });
    }
    let subjects = subjects(&benchmark.subject, table, program)?;
    let folder = tempfile::Builder::new()
        .prefix("lito-probes-")
        .tempdir()
        .map_err(io_error("creating a folder in", &std::env::temp_dir()))?;
    let output = folder.path().join("counts");
    let mut invocation = Invocation::new(program, &benchmark.directory, benchmark.time_limit)
        .arguments(&benchmark.arguments)
        .variable("LITO_PROBE_OUTPUT", &output);
    if let Some(subjects) = &subjects {
        let ids: Vec<String> = subjects.iter().map(u32::to_string).collect();
        invocation = invocation.variable("LITO_PROBE_SUBJECT", ids.join(","));
    }
    for (name, value) in &benchmark.environment {
        invocation = invocation.variable(name, value);
    }
    let finished = process::run(&invocation, interruption).map_err(|error| match error {
        ProcessError::TimedOut { limit, .. } => ProfilerError::TimedOut {
            program: program.clone(),
            limit,
        },
        ProcessError::Interrupted { .. } => ProfilerError::Interrupted {
            program: program.clone(),
        },
        ProcessError::Start { source, .. } => io_error("starting", program)(source),
        ProcessError::Wait { source, .. } => io_error("waiting for", program)(source),
    })?;
    if !finished.status.success() {
        return Err(ProfilerError::ProgramFailed {
            program: program.clone(),
            status: finished.status,
            stderr: finished.stderr.last_lines(LINES_SHOWN),
        });
    }
    let counts = read(folder.path(), &output, finished.process, program)?;
    if counts.total(table) == 0 {
        return Err(ProfilerError::SubjectNotExecuted {
            program: program.clone(),
            subject: benchmark.subject.to_string(),
        });
    }
    Ok(counts)
}

/// The process's own counts; if it left none, a script may have started the program: then those of all.
fn read(
    folder: &Path,
    output: &Path,
    process: u32,
    program: &Path,
) -> Result<Counts, ProfilerError> {
    let own = output.with_extension(process.to_string());
    let files: Vec<PathBuf> = if own.is_file() {
        vec![own]
    } else {
        let entries = std::fs::read_dir(folder).map_err(io_error("reading", folder))?;
        let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        all.sort();
        all
    };
    let mut sum = Counts::default();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(io_error("reading", &file))?;
        let counts = Counts::read(&text).map_err(|source| ProfilerError::Counts {
            program: program.to_owned(),
            source,
        })?;
        sum.add(&counts);
    }
    Ok(sum)
}

/// The functions whose run counts; `None` for the whole process.
fn subjects(
    subject: &Subject,
    table: &Table,
    program: &Path,
) -> Result<Option<Vec<FunctionIndex>>, ProfilerError> {
    let all = || (0u32..).zip(&table.functions);
    match subject {
        Subject::Process | Subject::Pattern(_) => Ok(None),
        Subject::Function(wanted) => {
            let end = format!("::{wanted}");
            let mut found: Vec<_> = all().filter(|(_, f)| f.name == *wanted).collect();
            if found.is_empty() {
                found = all().filter(|(_, f)| f.name.ends_with(&end)).collect();
            }
            let probed: Vec<u32> = found
                .iter()
                .filter(|(_, function)| !matches!(function.how, How::Not(_)))
                .map(|(index, _)| *index)
                .collect();
            if probed.is_empty() {
                let reason = found.iter().find_map(|(_, function)| match function.how {
                    How::Not(reason) => Some(reason),
                    _ => None,
                });
                let names = table.functions.iter().map(|function| function.name.clone());
                return Err(ProfilerError::SubjectNotProbed {
                    program: program.to_owned(),
                    subject: wanted.clone(),
                    reason: reason.unwrap_or("the project's sources have no such function"),
                    near: nearest(names, wanted),
                });
            }
            Ok(Some(probed))
        }
        Subject::Clocked { .. } => {
            let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
            let routines: Vec<u32> = all()
                .filter(|(_, f)| f.routine || table.routines.contains(&last(&f.name)))
                .filter(|(_, f)| !matches!(f.how, How::Not(_)))
                .map(|(index, _)| index)
                .collect();
            Ok(Some(routines).filter(|routines| !routines.is_empty()))
        }
    }
}

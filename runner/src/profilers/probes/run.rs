//! One run of a program with probes → its counts → a profile, or only its total; or its time frames → a timeline;
//! or its calling contexts → a tree.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use attribution::probes::{ProbeCounts, ProbeTextError, timeline_rows};
use profile::Profile;
use profile::probes::{ProbeFunctionIndex, ProbeMode, ProbeTable};
use profile::timeline::Timeline;

use crate::benchmark::BenchmarkSubject;
use crate::frameworks::Benchmark;
use crate::owned::OwnedFolder;
use crate::process::{self, InterruptionFlag, Invocation, ProcessError, ProcessSurroundings};
use crate::profilers::error::{LINES_SHOWN, has_left_nothing, io_error, with_hint};
use crate::profilers::suggestions::nearest_names;
use crate::profilers::{ProfiledCallTree, ProfilerError};

/// Runs a benchmark that was built with probes once and returns its profile.
///
/// The counted part depends on the subject. For a [`BenchmarkSubject::Function`] it is the function's run; for a
/// benchmark framework's [`BenchmarkSubject::Clocked`], the run of the routines that the sources pass to the framework;
/// for the others, the whole process. Code outside the probed sources counts as the calls to it.
///
/// # Errors
/// [`ProfilerError`]. No process is left running and no file is left behind.
pub(super) fn profile(
    benchmark: &Benchmark,
    table: &ProbeTable,
    interruption: &InterruptionFlag,
) -> Result<Profile, ProfilerError> {
    let counts = count(benchmark, table, interruption)?;
    Ok(attribution::probes::attribute_counts(&benchmark.name, table, &counts))
}

/// Returns the operations of a benchmark that was built with probes: the total of its `profile()` alone.
///
/// # Errors
/// As `profile()`.
pub fn total_operations(
    benchmark: &Benchmark,
    table: &ProbeTable,
    interruption: &InterruptionFlag,
) -> Result<u64, ProfilerError> {
    Ok(count(benchmark, table, interruption)?.total(table))
}

/// Runs a benchmark that was built with probes once and returns the time frames of the counted part of its
/// [`profile()`].
///
/// Shows one thread: if the run counts on several, the one that executes most.
///
/// # Errors
/// As [`profile()`].
pub(super) fn timeline(
    benchmark: &Benchmark,
    table: &ProbeTable,
    interruption: &InterruptionFlag,
) -> Result<Timeline, ProfilerError> {
    let run = ProbeRun::of(benchmark, table, interruption, ProbeRecording::Timeline)?;
    let texts = run.texts(TIMELINE)?;
    let timeline = attribution::probes::timeline(table, &texts).map_err(|source| run.unusable(source))?;
    timeline.ok_or_else(|| not_executed(benchmark))
}

/// Runs a benchmark that was built with probes once and returns the calling contexts of the counted part of its
/// [`profile()`], for functions that have probes. Calls are exact; the tree's total is the profile's.
///
/// # Errors
/// As [`profile()`].
pub(super) fn call_tree(
    benchmark: &Benchmark,
    table: &ProbeTable,
    interruption: &InterruptionFlag,
) -> Result<ProfiledCallTree, ProfilerError> {
    let run = ProbeRun::of(benchmark, table, interruption, ProbeRecording::Contexts)?;
    let found = attribution::probes::call_tree(table, &run.texts(CONTEXTS)?);
    let found = found.map_err(|source| run.unusable(source))?;
    if found.total == 0 {
        return Err(not_executed(benchmark));
    }
    Ok(ProfiledCallTree {
        tree: found.tree,
        total: found.total,
        counted: found.total,
        divided: 0,
        cut: None,
        complete: found.complete,
    })
}

fn count(
    benchmark: &Benchmark,
    table: &ProbeTable,
    interruption: &InterruptionFlag,
) -> Result<ProbeCounts, ProfilerError> {
    let run = ProbeRun::of(benchmark, table, interruption, ProbeRecording::Counts)?;
    let mut sum = ProbeCounts::default();
    for text in run.texts(COUNTS)? {
        sum.add(&ProbeCounts::read(&text).map_err(|source| run.unusable(source))?);
    }
    if sum.total(table) == 0 {
        return Err(not_executed(benchmark));
    }
    Ok(sum)
}

fn not_executed(benchmark: &Benchmark) -> ProfilerError {
    ProfilerError::SubjectNotExecuted {
        program: benchmark.program.clone(),
        subject: benchmark.subject.in_words(),
    }
}

/// Recordings of a run besides the counts.
#[derive(Clone, Copy)]
enum ProbeRecording {
    Counts,
    /// Time frames.
    Timeline,
    /// Calling contexts.
    Contexts,
}

/// Most bytes of a process's text that are read, a hundred times what a large library's tests leave.
const LARGEST_TEXT: u64 = 256 << 20;

/// Names of the files that a process writes; its id follows.
const COUNTS: &str = "counts";
const TIMELINE: &str = "timeline";
const CONTEXTS: &str = "contexts";

/// A finished run, and the files that it wrote.
struct ProbeRun<'a> {
    program: &'a Path,
    folder: OwnedFolder,
    process: u32,
}

impl<'a> ProbeRun<'a> {
    fn of(
        benchmark: &'a Benchmark,
        table: &ProbeTable,
        interruption: &InterruptionFlag,
        wanted: ProbeRecording,
    ) -> Result<Self, ProfilerError> {
        let program = &benchmark.program;
        if program.is_absolute() && !program.is_file() {
            return Err(ProfilerError::ProgramMissing {
                program: program.clone(),
            });
        }
        let subjects = subjects(&benchmark.subject, table, program)?;
        let folder =
            OwnedFolder::temporary("probes").map_err(io_error("creating a folder in", &std::env::temp_dir()))?;
        let mut invocation = Invocation::new(program, &benchmark.directory, benchmark.time_limit)
            .arguments(&benchmark.arguments)
            .surrounded_by(ProcessSurroundings::Fixed { words: 0 })
            .variable("LITO_PROBE_OUTPUT", folder.path().join(COUNTS));
        if let Some(subjects) = &subjects {
            invocation = invocation.variable("LITO_PROBE_SUBJECT", joined(subjects, ","));
        }
        match wanted {
            ProbeRecording::Counts => {}
            ProbeRecording::Timeline => {
                let path = folder.path().join(TIMELINE);
                std::fs::write(&path, joined(&timeline_rows(table), "\n")).map_err(io_error("writing", &path))?;
                invocation = invocation.variable("LITO_PROBE_TIMELINE", path);
            }
            ProbeRecording::Contexts => {
                let path = folder.path().join(CONTEXTS);
                invocation = invocation.variable("LITO_PROBE_CONTEXTS", path);
            }
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
        has_left_nothing(program, &finished)?;
        if !finished.status.success() {
            return Err(ProfilerError::ProgramFailed {
                program: program.clone(),
                status: finished.status,
                stderr: with_hint(finished.stderr.last_lines(LINES_SHOWN)),
            });
        }
        Ok(Self {
            program,
            folder,
            process: finished.process,
        })
    }

    /// The process's own text. If it wrote none, a script may have started the program: then the texts of all
    /// processes.
    fn texts(&self, name: &str) -> Result<Vec<String>, ProfilerError> {
        let folder = self.folder.path();
        let own = folder.join(format!("{name}.{}", self.process));
        let files: Vec<PathBuf> = if own.is_file() {
            vec![own]
        } else {
            let entries = std::fs::read_dir(folder).map_err(io_error("reading", folder))?;
            let entries = entries.flatten().map(|entry| entry.path());
            // Without its id, the file is an input of the processes.
            let is_one =
                |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name) && path.extension().is_some();
            let mut all: Vec<PathBuf> = entries.filter(is_one).collect();
            all.sort();
            all
        };
        files.iter().map(|file| text(file)).collect()
    }

    fn unusable(&self, source: ProbeTextError) -> ProfilerError {
        ProfilerError::Counts {
            program: self.program.to_owned(),
            source,
        }
    }
}

/// Text behind the limit is left out: then the last line is missing, which marks the text as cut.
fn text(path: &Path) -> Result<String, ProfilerError> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_TEXT).read_to_string(&mut text))
        .map_err(io_error("reading", path))?;
    Ok(text)
}

fn joined(ids: &[ProbeFunctionIndex], between: &str) -> String {
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    ids.join(between)
}

/// The functions whose run counts; `None` for the whole process.
fn subjects(
    subject: &BenchmarkSubject,
    table: &ProbeTable,
    program: &Path,
) -> Result<Option<Vec<ProbeFunctionIndex>>, ProfilerError> {
    let all = || (0u32..).zip(&table.functions);
    match subject {
        BenchmarkSubject::Process | BenchmarkSubject::Pattern(_) => Ok(None),
        BenchmarkSubject::Function(wanted) => {
            let end = format!("::{wanted}");
            let mut found: Vec<_> = all().filter(|(_, f)| f.name == *wanted).collect();
            if found.is_empty() {
                found = all().filter(|(_, f)| f.name.ends_with(&end)).collect();
            }
            let probed: Vec<u32> = found
                .iter()
                .filter(|(_, function)| !matches!(function.how, ProbeMode::Not(_)))
                .map(|(index, _)| *index)
                .collect();
            if probed.is_empty() {
                let reason = found.iter().find_map(|(_, function)| match function.how {
                    ProbeMode::Not(reason) => Some(reason),
                    _ => None,
                });
                let names = table.functions.iter().map(|function| function.name.clone());
                return Err(ProfilerError::SubjectNotProbed {
                    program: program.to_owned(),
                    subject: wanted.clone(),
                    reason: reason.unwrap_or("the project's sources have no such function"),
                    near: nearest_names(names, wanted),
                });
            }
            Ok(Some(probed))
        }
        BenchmarkSubject::FurtherIterations { .. } => Err(ProfilerError::SubjectNotProbed {
            program: program.to_owned(),
            subject: subject.to_string(),
            reason: "they are the difference of two runs, which probes do not take; install valgrind",
            near: Vec::new(),
        }),
        BenchmarkSubject::Marked => Err(ProfilerError::SubjectNotProbed {
            program: program.to_owned(),
            subject: subject.to_string(),
            reason: "probes see no marks; install valgrind",
            near: Vec::new(),
        }),
        BenchmarkSubject::FirstClocked { .. } => Err(ProfilerError::SubjectNotProbed {
            program: program.to_owned(),
            subject: subject.to_string(),
            reason: "its framework repeats it as often as time allows; install valgrind, which takes the first round alone",
            near: Vec::new(),
        }),
        BenchmarkSubject::Clocked { .. } => {
            let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
            let routines: Vec<u32> = all()
                .filter(|(_, f)| f.routine || table.routines.contains(&last(&f.name)))
                .filter(|(_, f)| !matches!(f.how, ProbeMode::Not(_)))
                .map(|(index, _)| index)
                .collect();
            Ok(Some(routines).filter(|routines| !routines.is_empty()))
        }
    }
}

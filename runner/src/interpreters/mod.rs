//! A program → the interpreter that runs it, the functions of the source that it executes, and the code by which it enters
//! them.
//!
//! Each interpreter is named only in its folder here. Whoever profiles a program asks for its functions; nothing here
//! knows a profiler.

mod cpython;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attribution::callgrind::interpreted::InterpretedProgram;
use serde::{Deserialize, Serialize};

use crate::process::InterruptionFlag;

/// An interpreter, and the folders of its libraries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interpreter {
    /// The interpreter, as the program was started with it.
    pub program: PathBuf,
    /// Its name and version, for messages: `Python 3.12.1`.
    pub version: String,
    /// Variables of every run, so that counts repeat.
    pub environment: Vec<(OsString, OsString)>,
    /// True if its programs can have callgrind count a part of their run alone.
    #[serde(default)]
    pub turns_counting_on: bool,
    /// How a profiler learns the names of its functions, or the reason why it does not.
    pub functions: Result<FunctionNaming, String>,
}

impl Interpreter {
    /// Adds the variables of every run to a program's own, which count more.
    pub(crate) fn set_up(&self, environment: &mut Vec<(OsString, OsString)>) {
        // A later one of the same name counts.
        environment.splice(..0, self.environment.iter().cloned());
    }
}

/// How an interpreter names its functions for a profiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionNaming {
    /// Variables of a run under a profiler: they make the interpreter write a perf map.
    pub environment: Vec<(OsString, OsString)>,
    /// Folders of its libraries, and how they are named in a profile.
    pub libraries: Vec<(String, String)>,
    /// True if it may enter functions that construct objects without the code that the perf map names.
    pub enters_constructors_otherwise: bool,
}

/// The start of a program: itself or its interpreter, with all arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterpretedStart {
    /// The program to start.
    pub program: PathBuf,
    /// All of its arguments.
    pub arguments: Vec<OsString>,
    /// The interpreter that runs the program's functions.
    pub interpreter: Interpreter,
}

/// A program with its arguments, as a benchmark names it.
#[derive(Debug, Clone, Copy)]
pub struct StartedProgram<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The folder that it runs in.
    pub directory: &'a Path,
    /// Variables added to the environment.
    pub environment: &'a [(OsString, OsString)],
}

/// Finds the interpreter of a program: the program itself, one that it starts in its place, or that of a script's first
/// line. Asks it for its version; `None` for a program of another kind.
#[must_use]
pub fn find_interpreter(of: &StartedProgram<'_>, interruption: &InterruptionFlag) -> Option<InterpretedStart> {
    cpython::find(of, interruption)
}

/// The functions of a run by process number, and the perf map's removal: see [`functions_of_process`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessFunctions {
    /// The functions.
    Named(InterpretedProgram),
    /// The interpreter left no map that can be used, for this reason.
    Unnamed(String),
}

/// The functions that a process executed, from the perf map that the interpreter wrote for it. The map stays: see
/// [`remove_maps`].
#[must_use]
pub fn functions_of_process(
    interpreter: &Interpreter,
    process: u32,
    of: &StartedProgram<'_>,
    interruption: &InterruptionFlag,
) -> ProcessFunctions {
    cpython::functions_of_process(interpreter, process, of, interruption)
}

/// How often lines of the source run, by absolute path and line.
pub(crate) type LineCounts = BTreeMap<(String, u32), u64>;

/// The part of a run whose lines count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedPart {
    /// All of it.
    Whole,
    /// The code between two marks of [`crate::benchmark::MARK`].
    Marked,
}

/// A run of a program without a profiler, by which its source is observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ObservedRun {
    /// How often its lines run.
    pub(crate) lines: LineCounts,
    /// The names of attributes and modules that it asks for as texts; `None` where they are not all known.
    pub(crate) asked_names: Option<BTreeSet<String>>,
}

/// An observed run of a program; `None` if it does not end well, or its interpreter does not tell of lines.
pub(crate) fn observed_run(
    naming: &FunctionNaming,
    of: (&StartedProgram<'_>, CountedPart),
    time_limit: Duration,
    interruption: &InterruptionFlag,
) -> Option<ObservedRun> {
    cpython::Observation::of(naming, of, time_limit, interruption)?.run()
}

/// The same of the forks of a program, which `processes` tells when it has ended; `None` for a fork of which nothing is told.
pub(crate) fn observed_forks(
    naming: &FunctionNaming,
    of: (&StartedProgram<'_>, CountedPart),
    time_limit: Duration,
    interruption: &InterruptionFlag,
    processes: impl FnOnce() -> Option<Vec<Option<u32>>>,
) -> Option<Vec<Option<ObservedRun>>> {
    let observation = cpython::Observation::of(naming, of, time_limit, interruption)?;
    let forks = processes()?.into_iter().map(|process| observation.fork(process?));
    Some(forks.collect())
}

/// Removes the perf maps that this user's processes of these numbers wrote.
pub fn remove_maps(processes: impl IntoIterator<Item = u32>) {
    for process in processes {
        cpython::perf_map_file::remove(process);
    }
}

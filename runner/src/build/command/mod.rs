//! A command of the user that builds → its outcome, and everything that its processes asked the file system for.
//!
//! The command runs under strace where that is possible. A build that fails there is tried again without: some programs do not
//! work under a tracer.

mod compiler_macros;
mod compiler_runs;
mod earlier_compilers;
mod git_runs;
mod make_runs;
mod preprocessed;
mod strace_call;
mod strace_log;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use attribution::callgrind::system_calls::RequestedPaths;
use profile::inputs::OpenedFiles;
use serde::{Deserialize, Serialize};

pub use compiler_macros::PreprocessedMacros;
use compiler_runs::{ProgramRun, is_compiler_test};
use earlier_compilers::EarlierCompilers;
use strace_log::TracedCommand;

use super::{
    BuildContext, BuildError, BuildOutput, BuildPurpose, CHECKOUT_VARIABLE, OutsideInputs, cargo, diagnostics, flags,
    outside_inputs, repository_path,
};
use crate::benchmark::BenchmarkDefinition;
use crate::opened_files::opened_below;
use crate::owned::{OwnedFolder, remove_abandoned_once};
use crate::process::{self, FinishedProcess, InterruptionFlag, Invocation};

/// Options with which strace writes what [`strace_log`] reads: all processes, descriptors with their paths, the longest argument
/// that the system allows, command lines with all of their words, and only the calls below. The kernel stops a process at no other
/// call. With the words of a command line strace writes the environment too, which the log does not outlive.
const STRACE: [&str; 11] = [
    "-f",
    "-qq",
    "-y",
    "--seccomp-bpf",
    "-s",
    "131072",
    "-e",
    "abbrev=!execve,execveat",
    "-e",
    "signal=none",
    "-e",
];

/// Calls by path, calls that make a process, and those that lead to files in another way.
const CALLS: &str =
    "trace=%file,%process,fchdir,getdents,getdents64,connect,io_uring_setup,open_by_handle_at,setns,unshare";

/// Begins the name of a folder in the cache for what strace and preprocessors write.
const LOGS: &str = ".trace-";

/// The time limit of a first trace, of a program that does nothing.
const FIRST_TRACE: Duration = Duration::from_secs(10);

/// Everything in a version that a command of the user depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandInputs {
    /// The files that its processes asked for.
    pub opened: OpenedFiles,
    /// Those among them, and of the missing ones, that it looked for and never tried to open.
    #[serde(default)]
    pub looked_at: BTreeSet<String>,
    /// Programs below the checkout that it executed, such as generators of code: paths in the checkout.
    pub tools: BTreeSet<String>,
    /// True if it may have compiled Rust, which is built in another way for counting.
    #[serde(default = "may_compile_rust")]
    pub compiles_rust: bool,
    /// The macros of the sources of C and C++ that it compiled; `None` where they are not all known.
    #[serde(default)]
    pub macros: Option<PreprocessedMacros>,
}

const fn may_compile_rust() -> bool {
    true
}

/// Programs that compile Rust.
const COMPILERS_OF_RUST: [&str; 2] = ["cargo", "rustc"];

impl CommandInputs {
    /// Those of no command.
    fn nothing() -> Self {
        Self {
            opened: OpenedFiles {
                is_complete: true,
                ..OpenedFiles::default()
            },
            ..Self::default()
        }
    }

    fn of(traced: &TracedCommand, tree: &Path) -> Self {
        let executed = traced.executed.iter().filter(|program| !is_script(program));
        let below = executed.filter_map(|program| Some(repository_path(program.strip_prefix(tree).ok()?)));
        let mut requested = traced.requested.clone();
        if traced.lists_files {
            requested.listed.extend(folders_of(tree));
        }
        let makes = traced.make_runs.iter().filter(|make| !make.is_generated(tree));
        requested
            .listed
            .extend(makes.flat_map(|make| make.listed.iter().cloned()));
        let opened = opened_below(tree, &requested);
        let read = RequestedPaths {
            paths: traced.opened.clone(),
            ..RequestedPaths::default()
        };
        let read = opened_below(tree, &read);
        let seen = opened.files.iter().chain(&opened.missing);
        let is_only_seen = |path: &&String| !read.files.contains(*path) && !read.missing.contains(*path);
        Self {
            looked_at: seen.filter(is_only_seen).cloned().collect(),
            opened,
            compiles_rust: (traced.executed.iter())
                .filter_map(|program| program.file_name())
                .any(|name| COMPILERS_OF_RUST.iter().any(|known| name == *known)),
            tools: below.filter(|program| !is_compiler_test(Path::new(program))).collect(),
            macros: None,
        }
    }
}

/// A checkout and all folders in it but git's own.
fn folders_of(tree: &Path) -> Vec<PathBuf> {
    let mut folders = vec![tree.to_owned()];
    let mut at = 0;
    while let Some(folder) = folders.get(at) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let below =
            entries.filter(|entry| entry.file_name() != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
        folders.extend(below);
        at += 1;
    }
    folders
}

/// True for a file that another program executes, which opens it as its input.
fn is_script(program: &Path) -> bool {
    let mut start = [0; 2];
    File::open(program)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok()
        && start == *b"#!"
}

/// Runs the command of a definition.
///
/// # Errors
/// See [`BuildError`].
pub(super) fn build(
    definition: &BenchmarkDefinition,
    directory: &Path,
    site: &BuildContext<'_>,
) -> Result<BuildOutput, BuildError> {
    let mut built = BuildOutput {
        directory: directory.to_owned(),
        ..BuildOutput::default()
    };
    let Some((program, arguments)) = definition.build.as_deref().and_then(<[String]>::split_first) else {
        built.outside = OutsideInputs::nothing();
        built.command = Some(CommandInputs::nothing());
        return Ok(built);
    };
    if Path::new(program).file_name().is_some_and(|name| name == "cargo") {
        cargo::clean_workspace_members(definition, directory, site)?;
    }
    let target = site.command_target();
    std::fs::create_dir_all(&target).map_err(|source| BuildError::Write {
        path: target.clone(),
        source,
    })?;
    let flags = flags::build_flags(directory, site, &definition.env);
    let mut invocation = Invocation::new(program, directory, definition.building_limit()).arguments(arguments);
    invocation = flags
        .apply_to_command(invocation, &definition.env)
        .variable("CARGO_TARGET_DIR", &target);
    if definition.harness.is_some() {
        invocation = invocation.variable(CHECKOUT_VARIABLE, site.tree);
    }
    let earlier = EarlierCompilers::take(&target).map_err(|source| BuildError::Write {
        path: target.clone(),
        source,
    })?;
    if site.records_commands && site.purpose == BuildPurpose::Costs && can_trace(site.interruption) {
        built.command = run_traced(&invocation, earlier, site)?;
    }
    if built.command.is_none() {
        let finished = process::run(&invocation, site.interruption).map_err(diagnostics::process_error)?;
        if !finished.status.success() {
            return Err(failure(&finished, site.purpose));
        }
    }
    built.outside = outside_inputs::of_command(definition, directory, site);
    Ok(built)
}

fn failure(finished: &FinishedProcess, purpose: BuildPurpose) -> BuildError {
    diagnostics::classify_build_failure(&finished.stderr.text(), &finished.ending(), purpose)
}

/// Runs a command under strace; `None` if it failed, or left no log.
fn run_traced(
    invocation: &Invocation,
    earlier: EarlierCompilers,
    site: &BuildContext<'_>,
) -> Result<Option<CommandInputs>, BuildError> {
    remove_abandoned_once(site.cache.root(), LOGS);
    let folder = OwnedFolder::create(site.cache.root(), LOGS);
    // The environments in it are for no other user.
    let log = folder.and_then(|folder| Ok((tempfile::NamedTempFile::new_in(folder.path())?, folder)));
    let Ok((log, folder)) = log else {
        return Ok(None);
    };
    let finished =
        process::run(&under_strace(invocation, log.path()), site.interruption).map_err(diagnostics::process_error)?;
    if !finished.status.success() {
        return Ok(None);
    }
    let traced = File::open(log.path()).and_then(|log| strace_log::read(BufReader::new(log), &invocation.directory));
    let Ok(traced) = traced else {
        return Ok(None);
    };
    let mut inputs = CommandInputs::of(&traced, site.tree);
    if let Ok(all) = earlier.with(&traced.compilers) {
        let is_of_command = |run: &&ProgramRun| {
            let is_opened = |path: &Path| {
                let below = path.strip_prefix(site.tree).ok();
                below.is_none_or(|path| inputs.opened.files.contains(&repository_path(path)))
            };
            traced.compilers.contains(run) || run.compiles_one_of(is_opened)
        };
        let compilers: Vec<&ProgramRun> = all.iter().filter(is_of_command).collect();
        inputs.macros = compiler_macros::of_command(&compilers, &inputs.opened, invocation, folder.path(), site)
            .map_err(diagnostics::process_error)?;
    }
    Ok(Some(inputs))
}

fn under_strace(invocation: &Invocation, log: &Path) -> Invocation {
    let options = STRACE.into_iter().chain([CALLS, "-o"]).map(OsString::from);
    let command = [log.into(), "--".into(), invocation.program.clone()];
    let arguments = options.chain(command).chain(invocation.arguments.iter().cloned());
    Invocation {
        program: "strace".into(),
        arguments: arguments.collect(),
        ..invocation.clone()
    }
}

/// True if strace is there and may trace. Asked once.
pub(crate) fn can_trace(interruption: &InterruptionFlag) -> bool {
    static CAN_TRACE: OnceLock<bool> = OnceLock::new();
    *CAN_TRACE.get_or_init(|| {
        let program = Invocation::new("true", "/", FIRST_TRACE);
        let traced = under_strace(&program, Path::new("/dev/null"));
        process::run(&traced, interruption).is_ok_and(|finished| finished.status.success())
    })
}

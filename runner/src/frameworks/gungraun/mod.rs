//! Gungraun, and iai-callgrind as it was called before: `cargo bench` programs that hand their benchmarks to a runner,
//! which starts the program under valgrind once for each.
//!
//! The runner is another program of the library's own version. A script stands in for it and keeps what it gets, so that
//! it need not be installed. The subject is the benchmarked function, without the set-up of its arguments: the macro
//! keeps it from being inlined. A run is not timed by the library: the wall time is that of the process.

mod groups;

use super::process_time::time_processes;
use super::stand_in::StandIn;
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};
use crate::benchmark::BenchmarkSubject;
use groups::{GroupBenchmark, IdPlace};

/// The library under one of its names.
pub(super) struct GungraunFramework {
    name: &'static str,
    /// Its crate, as symbols name it.
    library: &'static str,
    runner: &'static str,
    /// The option that runs one benchmark.
    run: &'static str,
    /// The module that the macro wraps around a benchmarked function.
    wrapper: &'static str,
}

/// Its name today.
pub(super) static GUNGRAUN: GungraunFramework = GungraunFramework {
    name: "gungraun",
    library: "gungraun",
    runner: "gungraun-runner",
    run: "--gungraun-run",
    wrapper: "__gungraun_wrapper_mod",
};

/// Its name until 2025.
pub(super) static IAI_CALLGRIND: GungraunFramework = GungraunFramework {
    name: "iai-callgrind",
    library: "iai_callgrind",
    runner: "iai-callgrind-runner",
    run: "--iai-run",
    wrapper: "__iai_callgrind_wrapper_mod",
};

/// Keeps the arguments, one a line, and the description of the benchmarks.
const RUNNER: &str = r#"#!/bin/sh
printf '%s\n' "$@" > "$LITO_FOLDER/arguments"
cat > "$LITO_FOLDER/groups"
"#;

impl BenchmarkFramework for GungraunFramework {
    fn name(&self) -> &'static str {
        self.name
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.has_crate(self.library)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        let runner = StandIn::new(self.runner, RUNNER)?;
        runner.ask(program, &["--bench"])?;
        let arguments = String::from_utf8_lossy(&runner.file("arguments")).into_owned();
        let mut arguments = arguments.lines();
        let version = self.version(arguments.next().unwrap_or_default());
        if arguments.next() != Some("--lib-bench") {
            return Err(FrameworkError::Unreadable {
                program: program.path.to_owned(),
                reason: format!(
                    "it holds benchmarks of whole programs, of which {} leaves the run to its runner; describe them with \
                     adapter = \"command\" in lito.toml",
                    self.name
                ),
            });
        }
        let found = groups::benchmarks(&runner.file("groups"), version.id_place(), &self.functions(program));
        let found = found.map_err(|reason| FrameworkError::Garbage {
            command: program.invocation(&["--bench"]).to_string(),
            reason,
        })?;
        Ok(found
            .iter()
            .map(|found| (found.name(), self.run_of(program, version, found)))
            .collect())
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time_processes(start)
    }
}

impl GungraunFramework {
    /// The form of what a version of the library hands over and takes.
    fn version(&self, number: &str) -> LibraryVersion {
        let mut numbers = number.split('.').map_while(|number| number.parse::<u64>().ok());
        let number = [(); 3].map(|()| numbers.next().unwrap_or(0));
        match self.library {
            "iai_callgrind" if number < [0, 16, 0] => LibraryVersion::IdFirst,
            "iai_callgrind" => LibraryVersion::GroupNamed,
            _ if number < [0, 17, 1] => LibraryVersion::GroupNamed,
            _ if number < [0, 20, 0] => LibraryVersion::GroupNumbered,
            _ => LibraryVersion::WithMode,
        }
    }

    /// The groups and the benchmarked functions of a program.
    fn functions(&self, program: &FrameworkProgram<'_>) -> groups::ProgramFunctions {
        let inside = format!("::{}::", self.wrapper);
        let names = || program.symbols.names();
        groups::ProgramFunctions {
            groups: (names().filter_map(|name| name.strip_suffix("::__run")?.rsplit("::").next()))
                .map(str::to_owned)
                .collect(),
            functions: (names().filter_map(|name| Some(name.split_once(&inside)?.1)))
                .map(str::to_owned)
                .collect(),
        }
    }

    fn run_of(&self, program: &FrameworkProgram<'_>, version: LibraryVersion, found: &GroupBenchmark) -> SingleRun {
        let function = &found.function;
        let mut arguments = vec![self.run.to_owned()];
        match version {
            LibraryVersion::IdFirst | LibraryVersion::GroupNamed => arguments.push(found.group.clone()),
            LibraryVersion::GroupNumbered => arguments.push(found.group_index.to_string()),
            LibraryVersion::WithMode => arguments.extend([VALGRIND_MODE.to_owned(), found.group_index.to_string()]),
        }
        arguments.extend([found.function_index.to_string(), found.index.to_string()]);
        SingleRun::of(
            arguments.into_iter().map(Into::into).collect(),
            BenchmarkSubject::Pattern(format!(
                "{}::*{function}::{}::{function}",
                program.crate_name(),
                self.wrapper
            )),
        )
    }
}

/// How versions differ, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LibraryVersion {
    /// The name of a benchmark stands before the name of its function; as in the next one otherwise.
    IdFirst,
    /// Run by the name of the group, the index of the function and that of the benchmark.
    GroupNamed,
    /// Run by three indices.
    GroupNumbered,
    /// The mode before them.
    WithMode,
}

impl LibraryVersion {
    fn id_place(self) -> IdPlace {
        match self {
            Self::IdFirst => IdPlace::BeforeFunction,
            Self::GroupNamed | Self::GroupNumbered | Self::WithMode => IdPlace::BehindFunction,
        }
    }
}

/// The mode of a single run, as under any of valgrind's tools.
const VALGRIND_MODE: &str = "d:d:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_run_in_its_own_form() {
        for (library, number, version) in [
            (&IAI_CALLGRIND, "0.10.2", LibraryVersion::IdFirst),
            (&IAI_CALLGRIND, "0.16.1", LibraryVersion::GroupNamed),
            (&GUNGRAUN, "0.17.0", LibraryVersion::GroupNamed),
            (&GUNGRAUN, "0.19.0", LibraryVersion::GroupNumbered),
            (&GUNGRAUN, "0.20.0", LibraryVersion::WithMode),
            (&GUNGRAUN, "1.0.0-rc.1", LibraryVersion::WithMode),
        ] {
            assert_eq!(library.version(number), version, "{} {number}", library.name);
        }
    }
}

//! A profiler's name → its folders in the runner and in the attribution, its entry in the command line, and failing tests.
//!
//! Knows nothing of the profiler: running it and reading what it writes are filled in by hand.

use super::scaffold::{camel_case, create_file, insert_before, snake_case};

/// The profilers that somebody can ask for.
const CHOICES: &str = "engine/src/profiling.rs";

/// The same choices as arguments of the command line.
const ARGUMENTS: &str = "src/cli/mod.rs";

/// Writes the stubs of a profiler and registers it.
pub(super) fn create(name: &str) -> Result<(), String> {
    let module = snake_case(name);
    let filled = |text: &str| {
        text.replace("{name}", name)
            .replace("{module}", &module)
            .replace("{Type}", &camel_case(name))
    };
    let insert = |path: &str, marker: &str, text: &str| insert_before(path, marker, &filled(text));
    create_file(&format!("runner/src/profilers/{module}/mod.rs"), &filled(PROFILER))?;
    create_file(&format!("attribution/src/{module}/mod.rs"), &filled(ATTRIBUTION))?;
    create_file(&format!("attribution/src/{module}/trace.txt"), "")?;
    insert("runner/src/profilers/mod.rs", "mod error;", "pub mod {module};\n")?;
    insert("attribution/src/lib.rs", "pub mod probes;", "pub mod {module};\n")?;
    insert(
        CHOICES,
        "    /// Probes in the sources: operations.",
        "    /// {name}.\n    {Type},\n",
    )?;
    insert(CHOICES, "        Profiler::Probes => Ok(", CHOSEN)?;
    insert(
        ARGUMENTS,
        "    /// Probes in the sources: operations.",
        "    /// {name}.\n    {Type},\n",
    )?;
    insert(ARGUMENTS, "            ProfilerArgument::Probes =>", ARGUMENT)
}

const CHOSEN: &str = "        Profiler::{Type} => Ok(ProfilerChoice::new(profilers::{module}::{Type}Profiler)),\n";

const ARGUMENT: &str = "            ProfilerArgument::{Type} => Self::{Type},\n";

const PROFILER: &str = r#"//! {name} as a [`Profiler`]: runs a benchmark under it, and gives what it writes to the attribution.

use profile::CostUnit;

use super::{ProfiledCallTree, ProfiledRun, Profiler, ProfilerBuild, ProfilerCounter, ProfilerError, TimelineRecorder};
use crate::benchmark::BenchmarkDefinitions;
use crate::build::BuildContext;
use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;
use crate::suite::{self, SuiteError, SuitePrograms};

/// The profiler {name}.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct {Type}Profiler;

impl Profiler for {Type}Profiler {
    fn name(&self) -> &'static str {
        "{name}"
    }

    fn version(&self) -> &str {
        "{name}-1"
    }

    fn unit(&self) -> CostUnit {
        CostUnit::Instructions
    }

    fn counters(&self) -> &'static [ProfilerCounter] {
        &[]
    }

    fn changes_sources(&self) -> bool {
        false
    }

    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError> {
        Ok(ProfilerBuild {
            suite: suite::build_suite(definitions, context, SuitePrograms::Measured)?,
            tree: context.tree.to_owned(),
            ..ProfilerBuild::default()
        })
    }

    fn profile(
        &self,
        benchmark: &Benchmark,
        _build: &ProfilerBuild,
        _interruption: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError> {
        let trace = String::new();
        let profile = attribution::{module}::profile(&benchmark.name, &trace);
        profile.map(ProfiledRun::from).ok_or_else(|| not_executed(benchmark))
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        _build: &ProfilerBuild,
        _interruption: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        Err(not_executed(benchmark))
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        None
    }
}

fn not_executed(benchmark: &Benchmark) -> ProfilerError {
    ProfilerError::SubjectNotExecuted {
        program: benchmark.program.clone(),
        subject: benchmark.subject.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_something_for_the_gate() {
        let counters = {Type}Profiler.counters();
        assert!(!counters.is_empty(), "run a program with known counts under {name}, and compare its profile");
    }
}
"#;

const ATTRIBUTION: &str = r#"//! What {name} writes → profiles. Runs nothing.

use profile::Profile;

/// The profile of a benchmark from a trace; `None` if nothing was executed.
#[must_use]
pub fn profile(_benchmark: &str, _trace: &str) -> Option<Profile> {
    None
}

#[cfg(test)]
mod tests {
    use super::profile;

    #[test]
    fn a_trace_gives_the_profile_of_its_benchmark() {
        let found = profile("x", include_str!("trace.txt"));
        assert!(found.is_some(), "write what {name} leaves of a run into trace.txt, and compare the profile");
    }
}
"#;

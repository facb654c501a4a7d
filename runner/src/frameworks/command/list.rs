//! A definition with a command → its only benchmark.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CommandFramework;
use crate::benchmark::{BenchmarkDefinition, BenchmarkSubject};
use crate::build::{BuildContext, BuildOutput};
use crate::frameworks::{Benchmark, FrameworkHandle, variables};

/// The benchmark of a definition; none if it has no command.
pub(in crate::frameworks) fn benchmarks(
    definition: &BenchmarkDefinition,
    built: &BuildOutput,
    site: &BuildContext<'_>,
) -> Vec<Benchmark> {
    let Some((program, arguments)) = definition.run.as_deref().and_then(<[String]>::split_first) else {
        return Vec::new();
    };
    let name = definition.name.clone().unwrap_or_default();
    let subject = definition
        .subject
        .clone()
        .map_or(BenchmarkSubject::Process, BenchmarkSubject::Function);
    vec![Benchmark {
        name,
        framework: FrameworkHandle(&CommandFramework),
        program: locate(program, &built.directory, site),
        counting: None,
        arguments: arguments.iter().map(OsString::from).collect(),
        directory: built.directory.clone(),
        environment: variables(definition),
        subject,
        time_limit: definition.run_limit(),
    }]
}

/// `target/…` is in the shared build folder; other paths with a slash are relative to the folder; names are in `PATH`.
fn locate(program: &str, directory: &Path, site: &BuildContext<'_>) -> PathBuf {
    let path = Path::new(program);
    match path.strip_prefix("target") {
        Ok(rest) => site.target().join(rest),
        Err(_) if program.contains('/') => directory.join(path),
        Err(_) => std::env::var_os("PATH")
            .and_then(|places| {
                std::env::split_paths(&places)
                    .map(|place| place.join(path))
                    .find(|path| path.is_file())
            })
            .unwrap_or_else(|| path.to_owned()),
    }
}

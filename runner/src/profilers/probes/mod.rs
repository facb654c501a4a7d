//! A profiler that needs only a Rust toolchain: inserts probes into a version's sources, builds and runs them, and
//! turns the counts into a profile in operations.
//!
//! The caller decides where probes are inserted (a [`SourceInstrumenter`]). This module reads and writes sources,
//! repeats failing builds without the probes that break them, runs programs and reads their counts. Writes only into
//! lito's own checkout and cache, never into the user's files.

mod profiler;
mod run;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use profile::probes::{SourceInstrumenter, UnprobedLine};

pub use profiler::ProbesProfiler;
pub use run::total_operations;
use sources::{ProbedFolder, ProbedFolders};

use crate::benchmark::BenchmarkDefinitions;
use crate::build::diagnostics::PLACE;
use crate::build::{BuildContext, BuildError, ProbedRuns};
use crate::profilers::ProfilerBuild;
use crate::suite::{self, BenchmarkSuite, SuiteError, SuitePrograms};

/// Most attempts to build: each one leaves out the functions that did not compile with probes. The compiler stops at
/// the first crate, and in it at the first phase, that has errors; it has fewer phases than this.
const MOST_ATTEMPTS: usize = 8;

/// Lines of an error that are kept.
const REASON_LINES: usize = 6;

/// Inserts probes into the checkout and the harnesses, builds, and lists the benchmarks. The checkout is changed: it
/// must be lito's own, and switching to another version restores it.
///
/// # Errors
/// As [`suite::build_suite`]; a version that does not build with probes counts as one that does not build, with the
/// reason.
fn build_with_probes(
    definitions: &BenchmarkDefinitions,
    site: &BuildContext<'_>,
    instrument: SourceInstrumenter<'_>,
    runs: ProbedRuns,
) -> Result<ProfilerBuild, SuiteError> {
    let site = site.for_probes(runs);
    sources::write_runtime(&site.cache.probe_runtime())?;
    let folders = ProbedFolders::read(definitions, &site)?;
    let mut without: BTreeSet<UnprobedLine> = BTreeSet::new();
    let mut attempt = 1;
    loop {
        let probed = instrument(&folders.roots(), &without);
        folders.write(&probed.files, site.cache)?;
        let outcome = suite::build_suite(definitions, &site, SuitePrograms::Measured);
        let complaints: Vec<&str> = match &outcome {
            Ok(suite) => suite.failures.iter().map(|f| f.reason.as_str()).collect(),
            Err(SuiteError::Build(BuildError::DoesNotBuild { reason })) => vec![reason],
            Err(_) => Vec::new(),
        };
        let known = without.len();
        let named = complaints.iter().flat_map(|complaint| complaint.lines());
        without.extend(named.filter_map(|line| place(line, folders.all(), site.tree)));
        if without.len() == known || attempt == MOST_ATTEMPTS {
            return finished(outcome, probed, &site);
        }
        attempt += 1;
    }
}

fn finished(
    outcome: Result<BenchmarkSuite, SuiteError>,
    probed: profile::probes::ProbedSources,
    site: &BuildContext<'_>,
) -> Result<ProfilerBuild, SuiteError> {
    match outcome {
        Ok(mut suite) => {
            for failure in &mut suite.failures {
                failure.reason = shortened(&failure.reason);
            }
            Ok(ProfilerBuild {
                suite,
                tree: site.tree.to_owned(),
                table: probed.table,
                shared_start: None,
            })
        }
        Err(SuiteError::Build(BuildError::DoesNotBuild { reason })) => {
            let reason = format!("with probes in it: {}", shortened(&reason));
            Err(SuiteError::Build(BuildError::DoesNotBuild { reason }))
        }
        Err(other) => Err(other),
    }
}

fn shortened(reason: &str) -> String {
    let lines: Vec<&str> = reason.lines().take(REASON_LINES).collect();
    lines.join("\n")
}

/// `--> src/lib.rs:12:5`, absolute or relative to the root of some workspace → a line of the sources.
fn place(line: &str, folders: &[ProbedFolder], tree: &Path) -> Option<UnprobedLine> {
    let (path, position) = line.trim().strip_prefix(PLACE)?.split_once(".rs:")?;
    let path = format!("{path}.rs");
    let number = position.split(':').next()?.parse().ok()?;
    let absolute = Path::new(&path);
    for (root, folder) in folders.iter().enumerate() {
        let places = [Some(tree).filter(|_| root == 0), folder.copy.as_deref()];
        let below = places
            .into_iter()
            .flatten()
            .find_map(|place| absolute.strip_prefix(place).ok());
        let found = match below {
            Some(below) => Some(below.to_string_lossy().into_owned()),
            None if absolute.is_absolute() => None,
            None => folder.named(&path),
        };
        if let Some(found) = found.filter(|found| folder.sources.files.contains_key(found)) {
            return Some((root, found, number));
        }
    }
    None
}

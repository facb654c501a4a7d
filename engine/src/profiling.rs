//! A built benchmark into its encoded profile: what the adapters know of it, as the profiler wants it.

use std::collections::BTreeSet;

use analyzer::cost::PriceList;
use attribution::callgrind::PathRemapping;
use profile::Profile;
use profile::format::binary;
use profile::probes::{ProbeSourceRoot, ProbedSources, UnprobedLine};
use runner::environment;
use runner::frameworks::Benchmark;
use runner::process::InterruptionFlag;
use runner::profiler::{self, ProfilerError, ProfilerRequest, probes};
use runner::sample::{EncodedProfile, PreparedVersion, ProfilingFailure};

use crate::error::EngineError;

/// The profiler that somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profiler {
    /// Callgrind, or probes where valgrind is missing.
    Auto,
    /// Valgrind's callgrind: instructions.
    Callgrind,
    /// Probes in the sources: operations. Needs nothing but a Rust toolchain.
    Probes,
}

/// The profiler that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfilerChoice {
    /// Callgrind, with valgrind's version.
    Callgrind(String),
    /// Probes in the sources.
    Probes,
}

impl ProfilerChoice {
    /// What it counts.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Callgrind(_) => "instructions",
            Self::Probes => "operations",
        }
    }

    /// Its version, for the fingerprint: samples of different profilers never mix.
    pub fn version(&self) -> &str {
        match self {
            Self::Callgrind(version) => version,
            Self::Probes => attribution::probes::VERSION,
        }
    }
}

/// Settles which profiler is used: `auto` takes what this machine has, and says so where that is the second choice.
pub fn choose_profiler(
    wanted: Profiler,
    interruption: &InterruptionFlag,
    tell: impl FnOnce(&str),
) -> Result<ProfilerChoice, EngineError> {
    if wanted == Profiler::Probes {
        return Ok(ProfilerChoice::Probes);
    }
    match (environment::valgrind_version(interruption), wanted) {
        (Some(version), _) => Ok(ProfilerChoice::Callgrind(version)),
        (None, Profiler::Callgrind) => Err(EngineError::environment(
            "profiling with callgrind: on this machine: valgrind is missing; install it (`sudo apt-get install \
             valgrind`), or use `--profiler probes`, which counts operations in the source",
        )),
        (None, Profiler::Auto | Profiler::Probes) => {
            tell(
                "valgrind is missing, so probes in the source count: unit operations. Samples of the two are kept \
                 apart, and memory is not measured; `sudo apt-get install valgrind` gives instructions",
            );
            Ok(ProfilerChoice::Probes)
        }
    }
}

/// What puts probes into sources, with the prices that lito ships.
pub fn instrument(roots: &[ProbeSourceRoot], without: &BTreeSet<UnprobedLine>) -> ProbedSources {
    analyzer::instrument::probe::instrument(roots, without, &PriceList::shipped())
}

/// Profiles one benchmark of a version.
pub fn profile_benchmark(
    benchmark: &Benchmark,
    version: &PreparedVersion<'_>,
    interruption: &InterruptionFlag,
) -> Result<EncodedProfile, ProfilingFailure> {
    outcome(match version.probes {
        Some(table) => probes::profile(benchmark, table, interruption),
        None => under_callgrind(benchmark, version, interruption),
    })
}

fn under_callgrind(
    benchmark: &Benchmark,
    version: &PreparedVersion<'_>,
    interruption: &InterruptionFlag,
) -> Result<Profile, ProfilerError> {
    let request = ProfilerRequest {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: None,
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &PathRemapping::for_project(&version.tree.to_string_lossy()),
        time_limit: benchmark.time_limit,
        interruption,
    };
    profiler::profile(&request).and_then(|costs| match &benchmark.counting {
        None => Ok(costs),
        Some(counting) => match profiler::add_counts(&request, &costs, counting) {
            Err(interrupted @ ProfilerError::Interrupted { .. }) => Err(interrupted),
            // Where the counting run fails or takes too long, the estimates stay, and say that they are.
            counted => Ok(counted.unwrap_or(costs)),
        },
    })
}

fn outcome(profiled: Result<Profile, ProfilerError>) -> Result<EncodedProfile, ProfilingFailure> {
    match profiled {
        Ok(profile) => Ok(EncodedProfile {
            bytes: binary::encode(&profile),
            total: profile.total,
        }),
        Err(ProfilerError::Interrupted { .. }) => Err(ProfilingFailure::Interrupted),
        Err(ProfilerError::TimedOut { limit, .. }) => Err(ProfilingFailure::TimedOut { limit }),
        Err(
            error @ (ProfilerError::ValgrindMissing { .. }
            | ProfilerError::ValgrindFailed { .. }
            | ProfilerError::Io { .. }),
        ) => Err(ProfilingFailure::Machine {
            reason: error.to_string(),
        }),
        Err(error) => Err(ProfilingFailure::Failed {
            reason: error.to_string(),
        }),
    }
}

//! The profiler that somebody asks for, and what this machine has → the profiler that is used.
//!
//! Callgrind and probes themselves are the runner's; only the function that puts probes into sources comes from here, since
//! the runner does not know the analyzer.

use std::collections::BTreeSet;

use analyzer::cost::PriceList;
use profile::CostUnit;
use profile::probes::{ProbeSourceRoot, ProbedSources, UnprobedLine};
use runner::environment;
use runner::process::InterruptionFlag;
use runner::profilers;
use runner::profilers::callgrind::CallgrindProfiler;
use runner::profilers::probes::ProbesProfiler;

use crate::error::EngineError;

/// The version of what probes count, as samples record it.
pub use attribution::probes::VERSION as PROBES_VERSION;

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
pub struct ProfilerChoice(Box<dyn profilers::Profiler>);

impl ProfilerChoice {
    fn new(profiler: impl profilers::Profiler + 'static) -> Self {
        Self(Box::new(profiler))
    }

    /// Probes, with the prices that lito ships.
    pub fn probes() -> Self {
        Self::new(ProbesProfiler::new(&instrument))
    }

    /// Probes for time frames alone, beside the results of another profiler.
    pub fn time_frames() -> Self {
        Self::new(ProbesProfiler::new(&instrument).for_time_frames())
    }

    /// The profiler itself.
    pub fn profiler(&self) -> &dyn profilers::Profiler {
        self.0.as_ref()
    }

    /// The unit of its profiles.
    pub fn unit(&self) -> CostUnit {
        self.0.unit()
    }

    /// Its version, for the fingerprint: samples of different profilers are never mixed.
    pub fn version(&self) -> &str {
        self.0.version()
    }
}

/// Chooses the profiler: `auto` takes what this machine has, and says so where that is the second choice.
pub fn choose_profiler(
    wanted: Profiler,
    interruption: &InterruptionFlag,
    tell: impl FnOnce(&str),
) -> Result<ProfilerChoice, EngineError> {
    let callgrind = || match callgrind_of_this_machine(interruption) {
        // Nothing was asked, so nothing is missing.
        None if interruption.is_raised() => Err(EngineError::Interrupted),
        found => Ok(found),
    };
    match wanted {
        Profiler::Auto => Ok(callgrind()?.unwrap_or_else(|| {
            tell(
                "valgrind is missing, so probes in the source count: unit operations. Samples of the two are kept \
                 apart, and memory is not measured; `sudo apt-get install valgrind` gives instructions",
            );
            ProfilerChoice::probes()
        })),
        Profiler::Callgrind => callgrind()?.ok_or_else(|| {
            EngineError::environment(
                "profiling with callgrind: on this machine: valgrind is missing; install it (`sudo apt-get install \
                 valgrind`), or use `--profiler probes`, which counts operations in the source",
            )
        }),
        Profiler::Probes => Ok(ProfilerChoice::probes()),
    }
}

/// Callgrind, if valgrind is installed.
fn callgrind_of_this_machine(interruption: &InterruptionFlag) -> Option<ProfilerChoice> {
    let version = environment::valgrind_version(interruption)?;
    Some(ProfilerChoice::new(CallgrindProfiler::new(version)))
}

/// Puts probes into sources, with the prices that lito ships.
fn instrument(roots: &[ProbeSourceRoot], without: &BTreeSet<UnprobedLine>) -> ProbedSources {
    analyzer::instrument::probe::instrument(roots, without, &PriceList::shipped())
}

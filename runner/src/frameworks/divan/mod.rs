//! Divan: `cargo bench` programs that are linked with it, or with CodSpeed's copy of it.

mod list;
mod time;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

/// A library that runs benchmarks as divan does.
pub(super) struct DivanFramework {
    name: &'static str,
    /// Its crate, as symbols name it.
    library: &'static str,
    /// The task that records one sample, as a glob.
    task: &'static str,
    /// The clock readings on either side of the benched function.
    clock_depth: usize,
}

/// The original.
pub(super) static DIVAN: DivanFramework = DivanFramework {
    name: "divan",
    library: "divan",
    task: "<divan::thread_pool::TaskShared<*>>::new::call::<*",
    clock_depth: 1,
};

/// CodSpeed's copy.
pub(super) static CODSPEED: DivanFramework = DivanFramework {
    name: "codspeed-divan",
    library: "codspeed_divan_compat_walltime",
    task: "<codspeed_divan_compat_walltime::thread_pool::TaskShared<*>>::new::call::__codspeed_root_frame__*",
    clock_depth: 2,
};

impl BenchmarkFramework for DivanFramework {
    fn name(&self) -> &'static str {
        self.name
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.has_crate(self.library)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(self, program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}

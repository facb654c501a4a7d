//! Criterion: `cargo bench` programs that are linked with it, or with CodSpeed's copy of it.

mod list;
mod time;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

/// A library that runs benchmarks as criterion does.
pub(super) struct CriterionFramework {
    name: &'static str,
    /// Its crate, as symbols name it.
    library: &'static str,
    /// How the names of its benchers' methods start that read the clock.
    methods: &'static str,
    /// The methods' clock readings on either side of the routine.
    clock_depth: usize,
}

/// The original.
pub(super) static CRITERION: CriterionFramework = CriterionFramework {
    name: "criterion",
    library: "criterion",
    methods: "",
    clock_depth: 2,
};

/// CodSpeed's copy.
pub(super) static CODSPEED: CriterionFramework = CriterionFramework {
    name: "codspeed-criterion",
    library: "codspeed_criterion_compat_walltime",
    methods: "__codspeed_root_frame__",
    clock_depth: 3,
};

impl BenchmarkFramework for CriterionFramework {
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

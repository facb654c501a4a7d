//! airspeed velocity: the methods and functions `time_…` of a suite, with each combination of their parameters.
//!
//! Our program finds them by asv's own runner, in the interpreter of the command: asv would build environments of its own. The
//! benchmarks of a class share a start, and the functions of a module.

use super::python_suite::PythonSuite;

pub(super) const ASV: PythonSuite = PythonSuite {
    name: "asv",
    program: concat!(
        include_str!("../python_suite/calls.py"),
        include_str!("../python_suite/forks.py"),
        include_str!("program.py")
    ),
    is_started_by: |command, _| command.started.is_one_of(&["asv"]),
    group: |benchmark| {
        let (name, _) = benchmark.split_once('(').unwrap_or((benchmark, ""));
        name.rsplit_once('.').map(|(group, _)| group)
    },
};

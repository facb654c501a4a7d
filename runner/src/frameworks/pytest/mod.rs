//! pytest: what tests hand to the fixture `benchmark` of pytest-benchmark or another plugin; each test, where there are none.
//!
//! Our program starts pytest with a plugin that lists the tests or selects one. The tests of a file share a start.

mod sources;

use super::python_suite::PythonSuite;

pub(super) const PYTEST: PythonSuite = PythonSuite {
    name: "pytest",
    program: concat!(
        include_str!("../python_suite/calls.py"),
        include_str!("../python_suite/forks.py"),
        include_str!("program.py")
    ),
    is_started_by: |command, _| command.started.is_one_of(&["pytest", "py.test"]),
    suites_in: sources::suites_in,
    group: |test| test.split_once("::").map(|(file, _)| file),
};

//! airspeed velocity: the methods and functions `time_…` of a suite, with each combination of their parameters.
//!
//! Our program finds them by asv's own runner, in the interpreter of the command: asv would build environments of its own. The
//! benchmarks of a class share a start, and the functions of a module.

use super::found_suites::{FoundSuite, RepositorySources};
use super::python_suite::{PythonSuite, library_variables};

/// The file that describes a suite.
const DESCRIPTION: &str = "asv.conf.json";

pub(super) const ASV: PythonSuite = PythonSuite {
    name: "asv",
    program: concat!(
        include_str!("../python_suite/calls.py"),
        include_str!("../python_suite/forks.py"),
        include_str!("program.py")
    ),
    is_started_by: |command, _| command.started.is_one_of(&["asv"]),
    suites_in,
    group: |benchmark| {
        let (name, _) = benchmark.split_once('(').unwrap_or((benchmark, ""));
        name.rsplit_once('.').map(|(group, _)| group)
    },
};

fn suites_in(sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
    let descriptions = (sources.paths()).filter(|path| path.rsplit('/').next() == Some(DESCRIPTION));
    let suite = |description: &str| {
        let mut run = vec!["python3", "-m", "asv", "run"];
        if description != DESCRIPTION {
            run.extend(["--config", description]);
        }
        FoundSuite {
            framework: ASV.name,
            places: vec![description.to_owned()],
            build: Vec::new(),
            run: run.into_iter().map(str::to_owned).collect(),
            env: library_variables(sources),
            is_of_tests: false,
        }
    };
    descriptions.map(suite).collect()
}

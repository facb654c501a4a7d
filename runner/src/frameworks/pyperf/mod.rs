//! pyperf: the benchmarks that a script hands to a `Runner`.
//!
//! Our program runs the script with a runner that lists the benchmarks, or measures one in the same process.

use std::path::Path;

use super::found_suites::{FoundSuite, RepositorySources};
use super::python_suite::{PythonCommand, PythonSuite, StartedCode, library_variables};

pub(super) const PYPERF: PythonSuite = PythonSuite {
    name: "pyperf",
    program: concat!(include_str!("../python_suite/calls.py"), include_str!("program.py")),
    is_started_by: imports_pyperf,
    suites_in,
    // A script goes through its benchmarks in turn.
    group: |_| None,
};

/// True for a script that imports pyperf.
fn imports_pyperf(command: &PythonCommand<'_>, folder: &Path) -> bool {
    let StartedCode::Script(script) = command.started else {
        return false;
    };
    let source = std::fs::read_to_string(folder.join(script)).unwrap_or_default();
    source.lines().any(is_import)
}

/// The scripts that make a runner.
fn suites_in(sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
    let is_script = |path: &&str| {
        let has_runner = |text: String| text.contains("Runner(") && text.lines().any(is_import);
        path.ends_with(".py") && sources.text(path).is_some_and(has_runner)
    };
    let suite = |script: &str| FoundSuite {
        framework: PYPERF.name,
        places: vec![script.to_owned()],
        build: Vec::new(),
        run: ["python3", script].map(str::to_owned).into(),
        env: library_variables(sources),
        is_of_tests: false,
    };
    sources.paths().filter(is_script).map(suite).collect()
}

fn is_import(line: &str) -> bool {
    let mut words = line.split([' ', '\t', ',', '.', ';']).filter(|word| !word.is_empty());
    matches!(words.next(), Some("import" | "from")) && words.any(|word| word == "pyperf")
}

#[cfg(test)]
mod tests {
    use super::is_import;

    #[test]
    fn a_script_imports_pyperf_by_a_line_of_its_own() {
        for line in [
            "import pyperf",
            "    import os, pyperf",
            "from pyperf import Runner",
            "import pyperf._runner",
        ] {
            assert!(is_import(line), "{line}");
        }
        for line in ["import pyperformance", "# import pyperf", "runner = pyperf.Runner()"] {
            assert!(!is_import(line), "{line}");
        }
    }
}

//! Divan's programs: how they list benchmarks, run one once, and which part of the run is measured.
//!
//! With `--test`, divan runs each benchmark once in a task of its thread pool, a function that is called through a
//! pointer and therefore never inlined. It reads the clock around the benched function, after its inputs are made and
//! before its outputs are dropped. Calibration happens elsewhere.

use super::DivanFramework;
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun};

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(
    of: &DivanFramework,
    program: &FrameworkProgram<'_>,
) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    if !program
        .symbols
        .any(|name| crate::benchmark::glob_matches(of.task, name))
    {
        return Err(FrameworkError::Unreadable {
            program: program.path.to_owned(),
            reason: "this version of divan runs benchmarks in an unsupported way; use divan 0.1.21".to_owned(),
        });
    }
    // A list lacks the arguments of benchmarks, a test run has them; but one failing benchmark ends the test run.
    let text = match program.ask(&["--test"]) {
        Ok(finished) => finished.stdout.text(),
        Err(FrameworkError::Failed { .. }) => program.ask(&["--list"])?.stdout.text(),
        Err(other) => return Err(other),
    };
    let names = leaves(&text);
    if names.is_empty() && !text.trim().is_empty() {
        return Err(FrameworkError::Garbage {
            command: program.invocation(&["--test"]).to_string(),
            reason: text.lines().next().unwrap_or_default().to_owned(),
        });
    }
    let run = |name: &String| {
        SingleRun::of(
            ["--timer", "os", "--threads", "1", "--test", "--exact", name]
                .map(Into::into)
                .to_vec(),
            BenchmarkSubject::Clocked {
                within: vec![of.task.to_owned()],
                depth: of.clock_depth,
            },
        )
    };
    Ok(names.into_iter().map(|name| (name.clone(), run(&name))).collect())
}

/// The leaves of the tree that divan draws, as paths joined by `::`; each level takes three columns.
fn leaves(text: &str) -> Vec<String> {
    let mut path: Vec<&str> = Vec::new();
    let mut leaves: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((depth, name)) = branch(line) else {
            continue;
        };
        if depth > path.len() {
            continue;
        }
        if depth == path.len() && depth > 0 && leaves.last() == Some(&path.join("::")) {
            // The previous line is a group.
            leaves.pop();
        }
        path.truncate(depth);
        path.push(name);
        if !name.ends_with("(ignored)") && depth > 0 {
            leaves.push(path.join("::"));
        }
    }
    leaves
}

/// Depth and name of one line of the tree.
fn branch(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    if line.is_empty() {
        return None;
    }
    let mut rest = line;
    let mut depth = 0;
    loop {
        if let Some(name) = rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ ")) {
            return Some((depth + 1, name.trim()));
        }
        match rest.strip_prefix("│  ").or_else(|| rest.strip_prefix("   ")) {
            Some(deeper) => (rest, depth) = (deeper, depth + 1),
            None => return (depth == 0).then_some((0, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_of_the_tree_are_benchmarks() {
        let text = "div\n├─ arg\n│  ├─ 10\n│  ╰─ 1000\n├─ plain\n├─ strs\n│  ├─ a b\n│  ╰─ x/y\n├─ skipped (ignored)\n\
                    ├─ inner\n│  ├─ with_inputs\n│  ╰─ deep\n│     ╰─ er\n╰─ ty\n   ├─ String\n   ╰─ u8\n\n";
        assert_eq!(
            leaves(text),
            [
                "div::arg::10",
                "div::arg::1000",
                "div::plain",
                "div::strs::a b",
                "div::strs::x/y",
                "div::inner::with_inputs",
                "div::inner::deep::er",
                "div::ty::String",
                "div::ty::u8",
            ]
        );
    }

    #[test]
    fn what_is_no_tree_gives_no_benchmark() {
        assert_eq!(leaves(""), [""; 0]);
        assert_eq!(leaves("hello\nworld\n"), [""; 0]);
        assert_eq!(leaves("│  ├─ orphan\n"), [""; 0]);
    }
}

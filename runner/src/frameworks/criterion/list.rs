//! Criterion's programs: how they list benchmarks, run one once, and which part of the run is measured.
//!
//! With `--test`, criterion calls the routine of a benchmark once, inside `Bencher::iter` and its siblings, which are
//! never inlined. All of them read the clock four times: two outer readings around everything, and two inner ones
//! around the routine, set-up excluded. The subject is therefore the code between the second reading and the last but
//! one. This holds for `iter`, `iter_batched`, `iter_batched_ref`, `iter_with_setup` and `iter_with_large_drop`; in
//! `iter_custom` the inner two readings are the user's own. The asynchronous bencher works alike. CodSpeed's copy of criterion reads
//! the clock twice more, around all others.

use super::CriterionFramework;
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun, terse_names};

const BENCHERS: [&str; 2] = ["Bencher", "AsyncBencher"];

const METHODS: [&str; 4] = ["iter", "iter_batched", "iter_batched_ref", "iter_custom"];

/// The part of a run that is measured. The globs are anchored at the start, so that none matches a function that merely has a
/// bencher among its generic arguments; the first star matches the measurement and the executor.
fn subject(of: &CriterionFramework) -> BenchmarkSubject {
    let CriterionFramework { library, methods, .. } = of;
    let globs_of = |bencher| METHODS.map(|method| format!("<{library}::bencher::{bencher}*>::{methods}{method}::<*"));
    BenchmarkSubject::Clocked {
        within: BENCHERS.iter().flat_map(globs_of).collect(),
        depth: of.clock_depth,
    }
}

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(
    of: &CriterionFramework,
    program: &FrameworkProgram<'_>,
) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let help = program.ask(&["--help"])?.stdout.text();
    let list: &[&str] = if help.contains("--format") {
        &["--bench", "--list", "--format", "terse"]
    } else {
        &["--bench", "--list"]
    };
    let text = program.ask(list)?.stdout.text();
    let names = terse_names(&text, &[": benchmark", ": bench"]);
    if names.is_empty() && !text.trim().is_empty() {
        return Err(FrameworkError::Garbage {
            command: program.invocation(list).to_string(),
            reason: text.lines().next().unwrap_or_default().to_owned(),
        });
    }
    let exact = help.contains("--exact");
    let subject = subject(of);
    let run = |name: &str| SingleRun {
        arguments: arguments(name, exact).into_iter().map(Into::into).collect(),
        subject: subject.clone(),
    };
    Ok(names.into_iter().map(|name| (name.to_owned(), run(name))).collect())
}

/// Versions without `--exact` (criterion 0.3) treat filters as regular expressions.
fn arguments(name: &str, exact: bool) -> Vec<String> {
    let mut arguments = vec!["--bench".to_owned(), "--test".to_owned()];
    if exact {
        arguments.extend(["--exact".to_owned(), name.to_owned()]);
    } else {
        arguments.push(format!("^{}$", escape(name)));
    }
    arguments
}

fn escape(text: &str) -> String {
    text.chars()
        .flat_map(|c| [r"\.+*?()|[]{}^$#&-~".contains(c).then_some('\\'), Some(c)])
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_argument_whatever_is_in_it() {
        assert_eq!(
            arguments("a b/ü (x)", true),
            ["--bench", "--test", "--exact", "a b/ü (x)"]
        );
        assert_eq!(arguments("a b/ü (x)", false), ["--bench", "--test", r"^a b/ü \(x\)$"]);
    }
}

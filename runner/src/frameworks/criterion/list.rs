//! Criterion's programs: how they list benchmarks, run one once, and where the measured part is.
//!
//! With `--test`, criterion calls the routine of a benchmark once, inside `Bencher::iter` and its siblings, which are
//! never inlined. All of them read the clock four times: around everything they do, and inside that around the
//! routine, set-up excluded. So the subject is what runs between the second reading and the last but one: the same
//! for `iter`, `iter_batched`, `iter_batched_ref`, `iter_with_setup` and `iter_with_large_drop`; in `iter_custom` the
//! inner two readings are the user's own. The asynchronous bencher is made alike.

use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun, terse_names};

/// Anchored at the start, so that none matches a function that merely has a bencher among its generic arguments;
/// the first star stands for the measurement and the executor.
const BENCHER: [&str; 8] = [
    "<criterion::bencher::Bencher*>::iter::<*",
    "<criterion::bencher::Bencher*>::iter_batched::<*",
    "<criterion::bencher::Bencher*>::iter_batched_ref::<*",
    "<criterion::bencher::Bencher*>::iter_custom::<*",
    "<criterion::bencher::AsyncBencher*>::iter::<*",
    "<criterion::bencher::AsyncBencher*>::iter_batched::<*",
    "<criterion::bencher::AsyncBencher*>::iter_batched_ref::<*",
    "<criterion::bencher::AsyncBencher*>::iter_custom::<*",
];

/// Clock readings of the bencher's own on either side of the routine: the outer pair and the inner pair.
const CLOCK_DEPTH: usize = 2;

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
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
    let run = |name: &str| SingleRun {
        arguments: arguments(name, exact).into_iter().map(Into::into).collect(),
        subject: BenchmarkSubject::Clocked {
            within: BENCHER.map(str::to_owned).to_vec(),
            depth: CLOCK_DEPTH,
        },
    };
    Ok(names.into_iter().map(|name| (name.to_owned(), run(name))).collect())
}

/// Where `--exact` is missing (criterion 0.3), filters are regular expressions.
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

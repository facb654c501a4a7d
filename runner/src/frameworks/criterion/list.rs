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

/// Arguments that list benchmarks, those of the newest versions first. A version refuses arguments that it does not know; its
/// help does not tell, because version 0.5 may be built without any.
const LISTS: [&[&str]; 3] = [
    &["--bench", "--list", "--format", "terse", "--exact"],
    &["--bench", "--list", "--format", "terse"],
    &["--bench", "--list"],
];

/// The list of a program, with the arguments that gave it.
fn listed(program: &FrameworkProgram<'_>) -> Result<(&'static [&'static str], String), FrameworkError> {
    let mut refused = None;
    for list in LISTS {
        match program.ask(list) {
            Ok(listed) => return Ok((list, listed.stdout.text())),
            Err(error @ FrameworkError::Failed { .. }) => refused = Some(error),
            Err(other) => return Err(other),
        }
    }
    Err(refused.expect("each list that gave nothing was refused"))
}

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(
    of: &CriterionFramework,
    program: &FrameworkProgram<'_>,
) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let (list, text) = listed(program)?;
    let names = terse_names(&text, &[": benchmark", ": bench"]);
    if names.is_empty() && !text.trim().is_empty() {
        return Err(FrameworkError::Garbage {
            command: program.invocation(list).to_string(),
            reason: text.lines().next().unwrap_or_default().to_owned(),
        });
    }
    let exact = list.contains(&"--exact");
    let subject = subject(of);
    let run = |name: &str| {
        SingleRun::of(
            arguments(name, exact).into_iter().map(Into::into).collect(),
            subject.clone(),
        )
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
    #![allow(clippy::unwrap_used)]

    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::build::ExecutableKind;
    use crate::frameworks::symbols::ProgramSymbols;
    use crate::process::InterruptionFlag;

    /// The list of a program that refuses arguments of this form, by the arguments that gave it.
    fn list_of_version_without(unknown: &str) -> Result<&'static [&'static str], String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let script = format!(
            "#!/bin/sh\nfor argument; do case $argument in {unknown}) echo unexpected >&2; exit 2;; esac; done\necho 'one: benchmark'\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let program = FrameworkProgram {
            arguments: &[],
            iterations: 1,
            path: &path,
            directory: folder.path(),
            environment: &[],
            kind: ExecutableKind::Bench,
            target: "program",
            symbols: &ProgramSymbols::default(),
            is_interpreter: false,
            interruption: &InterruptionFlag::default(),
        };
        let (list, text) = listed(&program).map_err(|error| error.to_string())?;
        assert_eq!(terse_names(&text, &[": benchmark"]), ["one"]);
        Ok(list)
    }

    #[test]
    fn versions_that_know_fewer_arguments_or_have_no_help_are_listed() {
        assert_eq!(list_of_version_without("--help"), Ok(LISTS[0]));
        assert_eq!(list_of_version_without("--exact"), Ok(LISTS[1]));
        assert_eq!(list_of_version_without("--exact|--format"), Ok(LISTS[2]));
        let refused = list_of_version_without("--list").unwrap_err();
        assert!(refused.contains("unexpected"), "{refused}");
    }

    #[test]
    fn a_name_is_one_argument_whatever_is_in_it() {
        assert_eq!(
            arguments("a b/ü (x)", true),
            ["--bench", "--test", "--exact", "a b/ü (x)"]
        );
        assert_eq!(arguments("a b/ü (x)", false), ["--bench", "--test", r"^a b/ü \(x\)$"]);
    }
}

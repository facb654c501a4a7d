//! Bencher's programs: how they list benchmarks, run one, and which part of the run is measured.
//!
//! They take one argument, a text that the names of the benchmarks to run contain, and know no list. They print how many
//! benchmarks match before they run the first. A benchmark is named by the path of its function, which is among the
//! program's symbols. So each function of the program is asked for, and the program is ended once it has said how many
//! match: a function is a benchmark if more match than the longer names that contain its name explain.
//!
//! A benchmarked function is called again and again as time allows, at first for one iteration: that is the subject. It is
//! called through a pointer, so that it is never inlined, but it may be folded into another with the same code and have
//! no symbol of its own. Then the first two readings of the clock in the process are taken for the framework's, which is
//! right only if no other benchmark runs before and the set-up does not read the clock.

use std::collections::BTreeSet;

use crate::benchmark::{BenchmarkSubject, ClockedEnd, glob_matches};
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun};
use crate::process;

/// Functions that are asked for at most: a program with more is run to its end instead.
const MOST_ASKED: usize = 400;

/// The benchmarks of a program, each with its way to run.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let crate_name = program.crate_name();
    let names = match named_by_functions(program, &crate_name)? {
        Some(names) => names,
        None => names_of_whole_run(program)?,
    };
    let run = |name: &String| {
        // They run in the order of their names.
        let is_first = !names.iter().any(|other| other < name && other.contains(name.as_str()));
        let function = name.replace(' ', "");
        let own = vec![
            format!("{crate_name}::{function}"),
            format!("{crate_name}::*::{function}"),
        ];
        let has_symbol = (program.symbols).any(|symbol| own.iter().any(|pattern| glob_matches(pattern, symbol)));
        SingleRun::of(
            ["--bench", name].map(Into::into).to_vec(),
            if has_symbol || !is_first {
                BenchmarkSubject::FirstClocked {
                    within: own,
                    until: ClockedEnd::LastOfCall,
                }
            } else {
                BenchmarkSubject::FirstClocked {
                    within: Vec::new(),
                    until: ClockedEnd::Second,
                }
            },
        )
    };
    Ok(names.iter().map(|name| (name.clone(), run(name))).collect())
}

/// The benchmarks that are named by functions of the program; `None` if these are not all.
fn named_by_functions(program: &FrameworkProgram<'_>, crate_name: &str) -> Result<Option<Vec<String>>, FrameworkError> {
    let Some(all) = matching(program, "")? else {
        return Ok(None);
    };
    // Every end of a path is a name: `mod::function` is also imported as `function`.
    let prefix = format!("{crate_name}::");
    let functions = program.symbols.names().filter_map(|name| name.strip_prefix(&prefix));
    let mut candidates: BTreeSet<&str> = functions.filter(|path| !path.contains(['{', '<', ' '])).collect();
    let inner: Vec<&str> = (candidates.iter())
        .flat_map(|path| path.match_indices("::").map(|(at, _)| &path[at + 2..]))
        .collect();
    candidates.extend(inner);
    if candidates.len() > MOST_ASKED {
        return Ok(None);
    }
    let mut longest_first: Vec<&str> = candidates.into_iter().collect();
    longest_first.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    let mut found: Vec<String> = Vec::new();
    for candidate in longest_first {
        let explained = found.iter().filter(|name| name.contains(candidate)).count();
        if matching(program, candidate)?.is_some_and(|matches| matches > explained) {
            found.push(candidate.to_owned());
        }
    }
    found.sort();
    Ok((found.len() == all).then_some(found))
}

/// The number of benchmarks whose names contain a text, as the program prints it before it runs the first.
fn matching(program: &FrameworkProgram<'_>, text: &str) -> Result<Option<usize>, FrameworkError> {
    let invocation = program.invocation(&["--bench", text]);
    let finished = process::run_until(&invocation, program.interruption, &mut |running| {
        announced(&String::from_utf8_lossy(running.stdout)).is_some()
    })?;
    Ok(announced(&finished.stdout.text()))
}

/// The number in `running 3 tests`, once its line is complete.
fn announced(output: &str) -> Option<usize> {
    let (_, rest) = output.split_once("running ")?;
    let (number, _) = rest.split_once(" test")?;
    rest.contains('\n').then(|| number.parse().ok()).flatten()
}

/// The names that a run of all benchmarks prints, each before the benchmark runs.
fn names_of_whole_run(program: &FrameworkProgram<'_>) -> Result<Vec<String>, FrameworkError> {
    let invocation = program.invocation(&["--bench"]);
    let names = |output: &[u8]| -> (bool, Vec<String>) {
        let text = String::from_utf8_lossy(output);
        let names: Vec<String> = text.lines().filter_map(name_of).map(str::to_owned).collect();
        (announced(&text) == Some(names.len()), names)
    };
    let finished = process::run_until(&invocation, program.interruption, &mut |running| {
        names(running.stdout).0
    })?;
    match names(&finished.stdout.bytes) {
        (true, names) => Ok(names),
        (false, _) => Err(FrameworkError::Garbage {
            command: invocation.to_string(),
            reason: finished.stdout.text().lines().next().unwrap_or_default().to_owned(),
        }),
    }
}

/// The name in `test parse_long   ... bench:  1,234 ns/iter (+/- 5)`.
pub(super) fn name_of(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some(name.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_benchmarks_is_read_once_its_line_is_complete() {
        assert_eq!(announced("\nrunning 12 tests\ntest a ... "), Some(12));
        assert_eq!(announced("\nrunning 1 test\n"), Some(1));
        assert_eq!(announced("\nrunning 1 test"), None);
        assert_eq!(announced("set-up\nrunning x tests\n"), None);
    }

    #[test]
    fn names_stand_before_the_padding() {
        assert_eq!(name_of("test a::b   ... bench:   1 ns/iter (+/- 0)"), Some("a::b"));
        assert_eq!(name_of("test result: ok. 0 passed"), None);
    }
}

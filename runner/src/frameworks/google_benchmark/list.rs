//! The list that a program of Google Benchmark prints → its benchmarks.

use super::{ITERATIONS, REPETITIONS};
use crate::benchmark::{BenchmarkSubject, glob_matches};
use crate::frameworks::naming::escaped;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun};

/// The loop begins and ends with a reading of the wall clock and one of the processor's.
const CLOCK_DEPTH: usize = 2;

/// Part of the name of a benchmark whose source fixes the iterations.
const FIXED: &str = "/iterations:";

/// Signs that mean something in a pattern.
const SIGNS: &str = r"\.^$|()[]{}*+?";

/// The benchmarks of a program, each run once by itself.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let list = "--benchmark_list_tests=true";
    let counted = program.ask(&[list, &format!("{ITERATIONS}1x")]);
    let counts_iterations = counted.is_ok();
    let listed = counted.or_else(|_| program.ask(&[list]))?;
    let text = listed.stdout.text();
    let names = text.lines().filter(|line| !line.trim().is_empty());
    Ok(names
        .map(|name| (name.to_owned(), run_of(name, counts_iterations, program)))
        .collect())
}

fn run_of(name: &str, counts_iterations: bool, program: &FrameworkProgram<'_>) -> SingleRun {
    let filter = format!("--benchmark_filter=^{}$", escaped(name, SIGNS));
    let times = |times: u32| match counts_iterations && !name.contains(FIXED) {
        true => vec![filter.clone(), format!("{ITERATIONS}{times}x")],
        false => vec![
            filter.clone(),
            format!("{ITERATIONS}0"),
            format!("{REPETITIONS}{times}"),
        ],
    };
    let functions = functions_of(name);
    let is_function = |symbol: &str| functions.iter().any(|pattern| glob_matches(pattern, symbol));
    if !program.symbols.any_demangled(is_function) {
        return program.further_iterations(times);
    }
    SingleRun::of(
        program.with_arguments(times(program.iterations)),
        BenchmarkSubject::Clocked {
            within: functions,
            depth: CLOCK_DEPTH,
        },
    )
}

/// Patterns of the function that a benchmark is called by: one that the library calls by its address, which is never a part of
/// another. A function with further arguments may be one.
fn functions_of(name: &str) -> Vec<String> {
    let mut parts = name.split('/');
    let first = parts.next().unwrap_or_default();
    let function = first.split('<').next().unwrap_or_default();
    let of_fixture = parts
        .next()
        .map(|case| format!("*{first}_{case}_Benchmark::BenchmarkCase"));
    let names = ["", "*::"].map(|path| format!("{path}{function}"));
    let copies = ["", "* ", "*::"].map(|before| format!("{before}{function}<*>"));
    let functions = names.into_iter().chain(copies).chain(of_fixture);
    functions
        .map(|function| format!("{function}(benchmark::State&)"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{SIGNS, escaped, functions_of, glob_matches};

    #[test]
    fn a_benchmark_is_known_by_its_function() {
        let is_of = |name: &str, symbol: &str| functions_of(name).iter().any(|pattern| glob_matches(pattern, symbol));
        assert!(is_of("sums/8/real_time", "sums(benchmark::State&)"));
        assert!(is_of("sums", "(anonymous namespace)::sums(benchmark::State&)"));
        assert!(is_of("sums<int>/8", "void sums<int>(benchmark::State&)"));
        assert!(is_of(
            "Lists/Grow/8",
            "Lists_Grow_Benchmark::BenchmarkCase(benchmark::State&)"
        ));
        assert!(!is_of("sums", "more_sums(benchmark::State&)"));
        assert!(!is_of("sums/few", "sums(benchmark::State&, int)"));
        assert!(!is_of(
            "sums",
            "benchmark::internal::FunctionBenchmark::Run(benchmark::State&)"
        ));
    }

    #[test]
    fn a_pattern_matches_the_name_alone() {
        assert_eq!(
            escaped("BM_parse<int*>/8/real_time", SIGNS),
            r"BM_parse<int\*>/8/real_time"
        );
        assert_eq!(escaped("sum (a+b)", SIGNS), r"sum \(a\+b\)");
    }
}

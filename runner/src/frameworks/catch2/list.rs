//! The list that a program of Catch2 prints → its test cases.

use crate::benchmark::{BenchmarkSubject, glob_matches};
use crate::frameworks::naming::escaped;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun};
use crate::process;

/// Options that print the names alone: from release 3 on, and before.
const LISTINGS: [&[&str]; 2] = [&["--list-tests", "--verbosity", "quiet"], &["--list-test-names-only"]];

/// How the functions of test cases are named from release 3 on, and before: each with its number behind.
const FUNCTIONS: [&str; 2] = ["CATCH2_INTERNAL_TEST_", "C_A_T_C_H_T_E_S_T_"];

/// The same for templates.
const TEMPLATES: [&str; 2] = [
    "CATCH2_INTERNAL_TEMPLATE_TEST_",
    "C_A_T_C_H_T_E_M_P_L_A_T_E_T_E_S_T_F_U_N_C_",
];

/// Digits of the longest number: a file has fewer macros.
const LONGEST_NUMBER: usize = 5;

/// Letters that mean something in a name that is asked for.
const SIGNS: &str = r#"\,[]*"~"#;

/// The test cases that are run, each by itself.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let functions = functions();
    let is_function = |name: &str| functions.iter().any(|pattern| glob_matches(pattern, name));
    let is_old = program.symbols.any(|name| name.contains(FUNCTIONS[1]));
    // Before release 3, the status is the number of tests.
    let invocation = program.invocation(LISTINGS[usize::from(is_old)]);
    let printed = process::run(&invocation, program.interruption)?;
    let printed = if is_old {
        printed
    } else {
        program.succeeded(&invocation, printed)?
    };
    let text = printed.stdout.text();
    let subject = match program.symbols.any_demangled(is_function) {
        true => BenchmarkSubject::Clocked {
            within: functions,
            // All of them, and the clock tells nothing.
            depth: 0,
        },
        false => BenchmarkSubject::Process,
    };
    let run_of = |name: &str| SingleRun::of(program.with_arguments(vec![escaped(name, SIGNS)]), subject.clone());
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    Ok(names.map(|name| (name.to_owned(), run_of(name))).collect())
}

/// Patterns of the functions of test cases: of their own, of a fixture, and of a template. None is a part of another.
fn functions() -> Vec<String> {
    let numbers = (1..=LONGEST_NUMBER).map(|digits| "?".repeat(digits));
    let of_number = |number: String| {
        let own = FUNCTIONS.map(|function| {
            [
                format!("{function}{number}()"),
                format!("*::{function}{number}::test()"),
            ]
        });
        let templates = TEMPLATES.map(|function| {
            let path = format!("{function}{number}<*>");
            // A demangler may leave the type of the result out.
            [
                format!("{path}()"),
                format!("void {path}()"),
                format!("*::{path}::test()"),
            ]
        });
        own.into_iter()
            .flatten()
            .chain(templates.into_iter().flatten())
            .collect::<Vec<_>>()
    };
    numbers.flat_map(of_number).collect()
}

#[cfg(test)]
mod tests {
    use super::{SIGNS, escaped, functions, glob_matches};

    #[test]
    fn functions_of_test_cases_are_told_from_those_in_them() {
        let is_function = |name: &str| functions().iter().any(|pattern| glob_matches(pattern, name));
        for name in [
            "C_A_T_C_H_T_E_S_T_0()",
            "CATCH2_INTERNAL_TEST_128()",
            "(anonymous namespace)::C_A_T_C_H_T_E_S_T_14::test()",
            "void C_A_T_C_H_T_E_M_P_L_A_T_E_T_E_S_T_F_U_N_C_11<int>()",
            "CATCH2_INTERNAL_TEMPLATE_TEST_5<int>()",
        ] {
            assert!(is_function(name), "{name}");
        }
        for name in [
            "C_A_T_C_H_T_E_S_T_8()::{lambda()#1}::operator()()",
            "Catch::TestInvokerAsMethod<(anonymous namespace)::C_A_T_C_H_T_E_S_T_14>::~TestInvokerAsMethod()",
            "main()",
        ] {
            assert!(!is_function(name), "{name}");
        }
    }

    #[test]
    fn a_name_stands_for_itself() {
        assert_eq!(escaped(r#"a [b], "c" \ d*"#, SIGNS), r#"a \[b\]\, \"c\" \\ d\*"#);
    }
}

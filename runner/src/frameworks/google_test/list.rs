//! The list that a program of GoogleTest prints → its tests.

use crate::frameworks::{FrameworkProgram, SingleRun};

/// How the names of tests and suites begin that are not run.
const DISABLED: &str = "DISABLED_";

/// The tests that are run: `Suite.` on a line, and below it its tests, indented.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut suite = "";
    for line in text.lines() {
        // Behind it stands the value of a parameter.
        let name = line.split(" #").next().unwrap_or_default().trim_end();
        match name.strip_prefix("  ") {
            Some(test) if !suite.is_empty() && !is_disabled(suite) && !is_disabled(test) => {
                names.push(format!("{suite}{test}"));
            }
            Some(_) => {}
            // The program may print something before its list.
            None => suite = if name.ends_with('.') { name } else { "" },
        }
    }
    names
}

fn is_disabled(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with(DISABLED))
}

/// Without times, whose number of digits would count, and without a line for each test.
pub(super) fn run_of(name: &str, program: &FrameworkProgram<'_>) -> SingleRun {
    program.further_iterations(|times| {
        let filter = format!("--gtest_filter={name}");
        let quiet = ["--gtest_print_time=0", "--gtest_brief=1"].map(str::to_owned);
        quiet
            .into_iter()
            .chain([filter, format!("--gtest_repeat={times}")])
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn tests_are_named_with_their_suite_and_disabled_ones_left_out() {
        let text = "Running main() from gtest_main.cc\nSum.\n  Few\n  DISABLED_Many\nTyped/0.  # TypeParam = int\n  Add\n\
                    DISABLED_Old.\n  Few\nAll/Sizes.\n  Grow/0  # GetParam() = 8\n  Grow/1  # GetParam() = 9\n";
        assert_eq!(
            names(text),
            ["Sum.Few", "Typed/0.Add", "All/Sizes.Grow/0", "All/Sizes.Grow/1"]
        );
        assert!(names("  no suite\n").is_empty());
    }
}

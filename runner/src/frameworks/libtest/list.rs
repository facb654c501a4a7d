//! The standard test harness's programs: `#[bench]` functions of `cargo bench`, `#[test]` functions of `cargo test`.
//!
//! Both kinds run once inside `test::__rust_begin_short_backtrace`, which is never inlined. The subject of a bench
//! function is the code that `Bencher::iter` puts between its two readings of the clock; the subject of a test is the
//! whole function.

use std::collections::BTreeSet;

use crate::benchmark::BenchmarkSubject;
use crate::build::ExecutableKind;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun, terse_names};

/// The function around every test and bench function.
pub(super) const FRAME: &str = "test::__rust_begin_short_backtrace*";

/// Clock readings on either side of a bench function's routine.
const CLOCK_DEPTH: usize = 1;

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let (list, suffix, mode): (&[&str], _, _) = match program.kind {
        ExecutableKind::Test => (&["--list", "--format", "terse"], ": test", None),
        ExecutableKind::Bench | ExecutableKind::Binary | ExecutableKind::Suite => (
            &["--bench", "--list", "--format", "terse"],
            ": benchmark",
            Some("--test"),
        ),
    };
    let text = program.ask(list)?.stdout.text();
    let ignored: Vec<&str> = [list, &["--ignored"]].concat();
    let ignored = program.ask(&ignored)?.stdout.text();
    let ignored: BTreeSet<&str> = terse_names(&ignored, &[suffix]).into_iter().collect();
    let names = terse_names(&text, &[suffix])
        .into_iter()
        .filter(|name| !ignored.contains(name));
    let run = |name: &str| {
        SingleRun::of(
            mode.into_iter()
                .chain(["--test-threads=1", "--exact", name])
                .map(Into::into)
                .collect(),
            match program.kind {
                ExecutableKind::Test => BenchmarkSubject::Pattern(FRAME.to_owned()),
                ExecutableKind::Bench | ExecutableKind::Binary | ExecutableKind::Suite => BenchmarkSubject::Clocked {
                    within: vec![FRAME.to_owned()],
                    depth: CLOCK_DEPTH,
                },
            },
        )
    };
    Ok(names.map(|name| (name.to_owned(), run(name))).collect())
}

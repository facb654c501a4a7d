//! A harness's binary → its only benchmark.

use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{FrameworkProgram, SingleRun};

/// The benchmark, named like the binary. Its subject is the binary's function `subject`, if that exists and is not
/// inlined; else the whole process.
pub(super) fn only_benchmark(program: &FrameworkProgram<'_>) -> (String, SingleRun) {
    let function = format!("{}::subject", program.target.replace('-', "_"));
    let subject = if program.symbols.any(|name| name == function) {
        BenchmarkSubject::Function(function)
    } else {
        BenchmarkSubject::Process
    };
    let run = SingleRun::of(Vec::new(), subject);
    (program.target.to_owned(), run)
}

//! `cargo run --release -p lito-fuzz -- TARGET FIRST COUNT`: as many inputs as there is time for. The number of an input that
//! makes a reader panic is the last that is printed; run it alone with a count of 1.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use fuzz::TARGETS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: u64| match arguments.get(at) {
        Some(text) => text.parse().ok(),
        None => Some(otherwise),
    };
    let (Some(name), Some(first), Some(count)) = (arguments.first(), number(1, 0), number(2, 100_000)) else {
        eprintln!("usage: cargo run --release -p lito-fuzz -- TARGET [FIRST] [COUNT]");
        return ExitCode::FAILURE;
    };
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| name == "all" || target.name == name)
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!(
            "finding the target: {name}: there is none: name one of {}, or all",
            names.join(", ")
        );
        return ExitCode::FAILURE;
    }
    for target in chosen {
        for number in first..first.saturating_add(count) {
            let run = std::panic::catch_unwind(|| target.run(number));
            if run.is_err() {
                println!("{}: input {number} fails", target.name);
                return ExitCode::FAILURE;
            }
        }
        println!("{}: {count} inputs", target.name);
    }
    ExitCode::SUCCESS
}

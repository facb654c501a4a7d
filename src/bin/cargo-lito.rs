//! `cargo lito`: cargo calls this with `lito` as the first argument, which is left out here.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "lito") {
        arguments.remove(1);
    }
    lito::run(arguments)
}

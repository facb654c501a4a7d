//! `lito`: what the user typed, run; the exit code handed to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    lito::run(std::env::args_os())
}

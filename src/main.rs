//! `lito`: what the user typed, run; the exit code handed to the shell.

use std::process::ExitCode;

/// Syntax trees are many small allocations, made and dropped on all cores.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    lito::run(std::env::args_os())
}

//! `cargo xtask COMMAND`: the chores of a contributor, each in a file of its own.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod new;
mod payload;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  new KIND NAME    writes the stubs and failing tests of a language, framework, profiler, change-kind or view
  payload          generates report/views/src/payload.ts from the Rust types of the payload
  words [DIR]      counts what ARCHITECTURE.md says of names and comments; --check fails where a figure is missed";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", &[][..]),
    };
    let result = match command {
        "new" => new::run(rest),
        "payload" => payload::run(),
        "words" => words::run(rest),
        _ => Err(String::from(USAGE)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

//! The `lito` command: command line and settings → a request to the engine → text and exit code.
//!
//! Decides nothing about performance. It is the only package that prints.

mod cli;
mod command;
mod exit;
mod progress_lines;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::cli::CliArguments;
use crate::exit::CommandExit;

/// Runs a command line, whose first element is the program's name, and returns the exit code.
///
/// Every error is printed here, once.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = cli::command().try_get_matches_from(arguments);
    let arguments = match parsed.and_then(|matches| CliArguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(answer) => return exit::print_parser_message(&answer),
    };
    arguments.terminal.color.apply();
    match command::run(&arguments) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.print();
            CommandExit::from(&failure).into()
        }
    }
}

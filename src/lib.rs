//! The `lito` command: what the user typed → settings → pipeline → exit code.
//!
//! Decides nothing about performance: the analyzer predicts, the runner measures, the report renders; this
//! package reads the arguments and `lito.toml`, calls them in order, and is the only one that prints.

mod cli;
mod command;
mod exit;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::CliArguments;
use crate::exit::CommandExit;

/// Runs the command line, its first element being the program's name, and gives the code to exit with.
///
/// Everything that went wrong is printed here, once.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match CliArguments::try_parse_from(arguments) {
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

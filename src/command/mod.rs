//! The commands, one file each: arguments and settings in, a result on the standard output.

mod completions;
mod init;
mod man;
mod schema;

use crate::cli::{Arguments, Command};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// Runs what was typed.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let terminal = Terminal::new(arguments.terminal);
    match &arguments.command {
        Command::Init(init) => init::run(&arguments.repo, init, &terminal),
        Command::Completions { shell } => completions::run(*shell, &terminal),
        Command::Man { dir } => man::run(dir, &terminal),
        Command::Schema => schema::run(&terminal),
    }
}

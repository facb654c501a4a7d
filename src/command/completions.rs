//! `lito completions`: prints the completion script of a shell.

use crate::cli;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Prints the script.
pub(super) fn run(shell: clap_complete::Shell, terminal: &Terminal) -> Result<CommandExit, Failure> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "lito", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(CommandExit::Passed)
}

//! `lito man`: writes one manual page per command.

use std::path::Path;

use runner::whole_file;

use crate::cli;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Writes the pages to the folder, which is created if missing.
pub(super) fn run(folder: &Path, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let mut command = cli::command().disable_help_subcommand(true);
    command.build();
    write_pages(&command, folder)?;
    terminal.note(&format!("wrote the manual pages to {}", folder.display()));
    Ok(CommandExit::Passed)
}

/// The page of a command, and those of its subcommands, each named like the command line that it is about.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command.clone());
    page.render(&mut text).expect("memory takes every write");
    whole_file::write(&folder.join(page.get_filename()), text).map_err(|error| {
        Failure::environment(format_args!(
            "writing the manual pages: on {error}; choose a writable folder"
        ))
    })?;
    (command.get_subcommands().filter(|command| !command.is_hide_set()))
        .try_for_each(|command| write_pages(command, folder))
}

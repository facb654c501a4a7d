//! `lito man`: writes one manual page per command.

use std::fs;
use std::path::Path;

use crate::cli;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Writes the pages to the folder, which is created if missing.
pub(super) fn run(folder: &Path, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let refused = |error: std::io::Error| {
        Failure::environment(format_args!(
            "writing the manual pages: on {}: {error}; choose a writable folder",
            folder.display()
        ))
    };
    fs::create_dir_all(folder).map_err(refused)?;
    clap_mangen::generate_to(cli::command(), folder).map_err(refused)?;
    terminal.note(&format!("wrote the manual pages to {}", folder.display()));
    Ok(CommandExit::Passed)
}

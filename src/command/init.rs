//! `lito init`: the documented defaults into a lito.toml at the root of the repository. Asks nothing,
//! overwrites nothing unless told to.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::cli::InitArguments;
use crate::exit::{Exit, Failure};
use crate::settings::FILE;
use crate::terminal::Terminal;

/// The file as it is written.
const DOCUMENTED: &str = include_str!("../../config/lito.toml");

/// Writes the file.
pub(super) fn run(
    repository: &Path,
    arguments: &InitArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let path = repository.join(FILE);
    let written = if arguments.force {
        fs::write(&path, DOCUMENTED)
    } else {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(DOCUMENTED.as_bytes()))
    };
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::usage(format_args!(
                "writing the settings: on {}: it is there already; --force overwrites it",
                path.display()
            )));
        }
        Err(error) => {
            return Err(Failure::environment(format_args!(
                "writing the settings: on {}: {error}; make the folder writable",
                path.display()
            )));
        }
    }
    terminal.note(&format!("wrote {}", path.display()));
    Ok(Exit::Passed)
}

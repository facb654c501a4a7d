//! `lito init`: the documented defaults into a lito.toml at the root of the repository, and what lito will take
//! for its benchmarks. Asks nothing, builds nothing, overwrites nothing unless told to.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use runner::environment::{self, Severity};
use runner::git::Repository;

use super::{checkout, interruption};
use crate::cli::InitArguments;
use crate::exit::{Exit, Failure};
use crate::settings::FILE;
use crate::terminal::Terminal;

/// The file as it is written.
const DOCUMENTED: &str = include_str!("../../config/lito.toml");

/// Writes the file.
pub(super) fn run(
    directory: &Path,
    arguments: &InitArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let repository = Repository::open(directory)?;
    let root = checkout(&repository, "writing the settings")?;
    let path = root.join(FILE);
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
    let found = environment::benchmarks(root, &interruption()?);
    let after = match found.remedy {
        Some(remedy) => remedy,
        None => String::from("`lito bench list` builds them and lists their benchmarks"),
    };
    let said = format!("{}; {after}", found.message);
    let said = report::text::safe(&said);
    match found.severity {
        Severity::Good => terminal.note(&said),
        Severity::Warning | Severity::Error => terminal.warn(&said),
    }
    terminal.note("next: `lito sample --last 100`, then `lito score` on any version");
    Ok(Exit::Passed)
}

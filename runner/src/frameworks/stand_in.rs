//! A framework's program that hands its benchmarks to another program → what it hands over: a script stands in for that
//! other program, and keeps what it gets.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{FrameworkError, FrameworkProgram};
use crate::process::{self, FinishedProcess};

/// A folder with a script in it; removed when dropped.
pub(super) struct StandIn {
    folder: TempDir,
}

impl StandIn {
    /// A script of this name; it finds the folder that it may write to in `$LITO_FOLDER`.
    pub(super) fn new(name: &str, script: &str) -> Result<Self, FrameworkError> {
        let written = || -> io::Result<TempDir> {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join(name);
            fs::write(&path, script)?;
            fs::set_permissions(&path, Permissions::from_mode(0o755))?;
            Ok(folder)
        };
        let folder = written().map_err(|error| FrameworkError::Unreadable {
            program: PathBuf::from(name),
            reason: format!(
                "writing a script that stands in for it into {}: {error}",
                std::env::temp_dir().display()
            ),
        })?;
        Ok(Self { folder })
    }

    /// Runs a program that finds the script first; it works in the script's folder, so that nothing is left behind.
    pub(super) fn ask(
        &self,
        program: &FrameworkProgram<'_>,
        arguments: &[&str],
    ) -> Result<FinishedProcess, FrameworkError> {
        let mut search = self.folder.path().as_os_str().to_owned();
        if let Some(others) = std::env::var_os("PATH") {
            search.push(":");
            search.push(others);
        }
        let mut invocation = program.invocation(arguments);
        invocation.directory = self.folder.path().to_owned();
        let invocation = invocation
            .variable("PATH", search)
            .variable("LITO_FOLDER", self.folder.path());
        program.succeeded(&invocation, process::run(&invocation, program.interruption)?)
    }

    /// A file that the script wrote; nothing if it was not started.
    pub(super) fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap_or_default()
    }
}

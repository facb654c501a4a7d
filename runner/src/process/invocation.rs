//! A program with its arguments and limits → a command line to run, and its text as a user would type it. Starts
//! nothing.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::ProcessSurroundings;

/// A command line with its directory, environment and time limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program, looked up in `PATH` if it has no slash.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The working directory.
    pub directory: PathBuf,
    /// Variables added to those of the surroundings; `None` removes one.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Whether the variables are added to this process's own or to a fixed set.
    pub surroundings: ProcessSurroundings,
    /// Wall-time limit.
    pub time_limit: Duration,
}

impl Invocation {
    /// A command without arguments, in a directory.
    pub fn new(program: impl Into<OsString>, directory: impl Into<PathBuf>, time_limit: Duration) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: directory.into(),
            environment: Vec::new(),
            surroundings: ProcessSurroundings::Inherited,
            time_limit,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Chooses the variables that it starts from, and its address space.
    #[must_use]
    pub fn surrounded_by(mut self, surroundings: ProcessSurroundings) -> Self {
        self.surroundings = surroundings;
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without_variable(mut self, name: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), None));
        self
    }
}

/// Of a longer word of several lines, such as a whole program, the first line is shown.
const LONGEST_WORD: usize = 1000;

/// The command as a user would type it; words with spaces are quoted.
impl fmt::Display for Invocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in std::iter::once(&self.program).chain(&self.arguments).enumerate() {
            if index > 0 {
                formatter.write_str(" ")?;
            }
            let word = word.to_string_lossy();
            let word = match word.split_once('\n') {
                Some((first, _)) if word.len() > LONGEST_WORD => Cow::Owned(format!("{first} …")),
                _ => word,
            };
            if word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"\\$`&|;<>()*?#~".contains(c)) {
                write!(formatter, "'{}'", word.replace('\'', r"'\''"))?;
            } else {
                formatter.write_str(&word)?;
            }
        }
        Ok(())
    }
}

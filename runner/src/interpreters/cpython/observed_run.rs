//! A program → how often each line of its source runs, and the names that it asks for as texts, by a run of its own that the
//! interpreter tells of.
//!
//! CPython tells of lines from 3.12 on (`sys.monitoring`), at the cost of some calls for each.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::time::Duration;

use super::records::records;
use crate::interpreters::{CountedPart, FunctionNaming, LineCounts, ObservedRun, StartedProgram};
use crate::owned::OwnedFolder;
use crate::process::{self, InterruptionFlag, Invocation, ProcessSurroundings};

/// The module that observes.
const OBSERVING: &str = include_str!("observe.py");

/// Most names of a run that are kept: of more, nothing is known.
const MOST_NAMES: usize = 100_000;

/// The name by which the interpreter loads a module before the program.
const LOADED_FIRST: &str = "sitecustomize.py";

/// Its outputs.
const LINES: &str = "lines";
const NAMES: &str = "names";

/// Where the interpreter looks for modules.
const MODULES: &str = "PYTHONPATH";

/// A program that was run and observed.
pub(in crate::interpreters) struct Observation {
    folder: OwnedFolder,
}

impl Observation {
    /// Runs a program, the lines of libraries left out; `None` if it does not end well, or its interpreter does not tell.
    pub(in crate::interpreters) fn of(
        naming: &FunctionNaming,
        (of, part): (&StartedProgram<'_>, CountedPart),
        time_limit: Duration,
        interruption: &InterruptionFlag,
    ) -> Option<Self> {
        let folder = OwnedFolder::temporary("observed").ok()?;
        std::fs::write(folder.path().join(LOADED_FIRST), OBSERVING).ok()?;
        let own = of.environment.iter().rev().find(|(name, _)| name == MODULES);
        let path = own.map(|(_, path)| path.clone()).unwrap_or_default();
        let folders = naming.libraries.iter().map(|(folder, _)| folder.as_str());
        let left_out: Vec<&str> = folders.collect();
        let mut invocation = Invocation::new(of.program, of.directory, time_limit)
            .arguments(of.arguments)
            .surrounded_by(ProcessSurroundings::Fixed { words: 0 });
        for (name, value) in of.environment {
            invocation = invocation.variable(name, value);
        }
        let invocation = invocation
            .variable(MODULES, joined(folder.path().as_os_str().to_owned(), &path))
            .variable("LITO_OBSERVED_PATH", path)
            .variable("LITO_OBSERVED_LINES", folder.path().join(LINES))
            .variable("LITO_OBSERVED_NAMES", folder.path().join(NAMES))
            .variable("LITO_OBSERVED_LEFT_OUT", left_out.join(":"))
            .variable(
                "LITO_OBSERVED_MARKED",
                if part == CountedPart::Marked { "yes" } else { "no" },
            );
        let finished = process::run(&invocation, interruption).ok()?;
        finished.status.success().then_some(Self { folder })
    }

    /// Its run.
    pub(in crate::interpreters) fn run(&self) -> Option<ObservedRun> {
        self.read("")
    }

    /// The run of a fork that wrote what was observed of it.
    pub(in crate::interpreters) fn fork(&self, process: u32) -> Option<ObservedRun> {
        self.read(&format!("-{process}"))
    }

    fn read(&self, ending: &str) -> Option<ObservedRun> {
        let output = |name: &str| std::fs::read(self.folder.path().join(format!("{name}{ending}")));
        Some(ObservedRun {
            lines: counts(&output(LINES).ok()?),
            asked_names: output(NAMES).ok().and_then(|output| asked_names(&output)),
        })
    }
}

fn joined(folder: OsString, path: &OsString) -> OsString {
    let mut bytes = folder.into_vec();
    if !path.is_empty() {
        bytes.push(b':');
        bytes.extend_from_slice(path.as_encoded_bytes());
    }
    OsString::from_vec(bytes)
}

fn counts(output: &[u8]) -> LineCounts {
    let entries = records(output).into_iter();
    let entries =
        entries.filter_map(|[file, line, count]| Some(((file.to_owned(), line.parse().ok()?), count.parse().ok()?)));
    entries.collect::<BTreeMap<_, _>>()
}

/// The names of an output, the parts of a module's name each by itself; `None` if there are too many.
fn asked_names(output: &[u8]) -> Option<BTreeSet<String>> {
    let parts = records(output).into_iter().flat_map(|[name]| name.split('.'));
    let names: BTreeSet<String> = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
    (names.len() <= MOST_NAMES).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::{asked_names, counts};

    #[test]
    fn entries_are_whole_or_left_out() {
        let output =
            ["/a.py", "3", "120", "/a.py", "x", "1", "/b.py", "1", "2", "/b.py", "4"].map(|part| format!("{part}\0"));
        let found = counts(output.concat().as_bytes());
        let expected = [(("/a.py".to_owned(), 3), 120), (("/b.py".to_owned(), 1), 2)];
        assert_eq!(found, expected.into());
    }

    #[test]
    fn a_modules_name_asks_for_each_of_its_parts() {
        let found = asked_names(b"parse\0tool.plugins.table\0").unwrap_or_default();
        assert_eq!(Vec::from_iter(found), ["parse", "plugins", "table", "tool"]);
    }
}

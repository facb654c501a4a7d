//! A program → CPython, if that is what runs it, with its version and the folders of its libraries.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::perf_map_file;
use crate::interpreters::{FunctionNaming, InterpretedStart, Interpreter, StartedProgram};
use crate::process::{self, InterruptionFlag, Invocation, ProcessSurroundings};

/// The program that tells about its interpreter.
const FACTS: &str = include_str!("facts.py");

/// The time limit of that program: an interpreter starts in some ten milliseconds.
const FACTS_LIMIT: Duration = Duration::from_secs(30);

/// Bytes of a script's first line that are read, as the system does.
const FIRST_LINE: u64 = 256;

/// The first version that names its functions.
const FIRST_NAMING: (u32, u32) = (3, 12);

/// Versions that construct objects without entering `__init__` by its trampoline, once a call was made a few times.
const CONSTRUCTING_OTHERWISE: [(u32, u32); 1] = [(3, 13)];

/// The start of the names of its programs: `python3.12`.
const NAME: &[u8] = b"python";

/// Variables of every run: the order of a set's elements depends on the first, and the second keeps a first run from
/// writing what later runs read.
const ENVIRONMENT: [(&str, &str); 2] = [("PYTHONHASHSEED", "0"), ("PYTHONDONTWRITEBYTECODE", "1")];

/// The variable by which it enters each function through a trampoline, and names it.
const NAMING: (&str, &str) = ("PYTHONPERFSUPPORT", "1");

/// Finds it: the program itself, or the interpreter of a script.
pub(in crate::interpreters) fn find(
    of: &StartedProgram<'_>,
    interruption: &InterruptionFlag,
) -> Option<InterpretedStart> {
    let first = first_line(of.program);
    let mut program = of.program.to_owned();
    let mut arguments = of.arguments.to_vec();
    let mut is_script = first.is_some();
    if !is_named_python(of.program) {
        let (interpreter, own) = script_interpreter(first.as_deref()?, of)?;
        is_script = first_line(&interpreter).is_some();
        program = interpreter;
        arguments = own;
        arguments.push(of.program.into());
        arguments.extend_from_slice(of.arguments);
    }
    let facts = ask(&program, of, interruption)?;
    if is_script {
        // It only chooses among interpreters.
        program.clone_from(&facts.executable);
    }
    Some(InterpretedStart {
        interpreter: facts.interpreter(&program),
        program,
        arguments,
    })
}

fn is_named_python(program: &Path) -> bool {
    program
        .file_name()
        .is_some_and(|name| name.as_bytes().starts_with(NAME))
}

/// The first line of a script behind `#!`; `None` for any other file.
fn first_line(program: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(program)
        .ok()?
        .take(FIRST_LINE)
        .read_to_end(&mut start)
        .ok()?;
    let line = start.strip_prefix(b"#!")?;
    let end = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
    Some(line[..end].to_vec())
}

/// The interpreter of a script, with its own arguments; `None` unless its name is that of Python.
fn script_interpreter(line: &[u8], of: &StartedProgram<'_>) -> Option<(PathBuf, Vec<OsString>)> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let mut program = PathBuf::from(words.next()?);
    if program.file_name() == Some(OsStr::new("env")) {
        let name = words.by_ref().find(|word| !word.starts_with('-'))?;
        program = in_path(name, of)?;
    }
    is_named_python(&program).then(|| (program, words.map(OsString::from).collect()))
}

/// A program by its name, as the benchmark would find it.
fn in_path(name: &str, of: &StartedProgram<'_>) -> Option<PathBuf> {
    let own = of.environment.iter().rev().find(|(variable, _)| variable == "PATH");
    let places = own
        .map(|(_, value)| value.clone())
        .or_else(|| std::env::var_os("PATH"))?;
    std::env::split_paths(&places)
        .map(|place| place.join(name))
        .find(|path| path.is_file())
}

/// The answers of [`FACTS`].
#[derive(Debug, Clone, PartialEq, Eq)]
struct PythonFacts {
    implementation: String,
    version: String,
    executable: PathBuf,
    names_functions: bool,
    turns_counting_on: bool,
    /// The standard library, twice, then packages, twice.
    libraries: Vec<String>,
}

fn ask(program: &Path, of: &StartedProgram<'_>, interruption: &InterruptionFlag) -> Option<PythonFacts> {
    let mut invocation = Invocation::new(program, of.directory, FACTS_LIMIT)
        .arguments(["-I", "-c", FACTS])
        .surrounded_by(ProcessSurroundings::Fixed { words: 0 });
    for (name, value) in of.environment {
        invocation = invocation.variable(name, value);
    }
    let answer = process::run(&invocation, interruption).ok()?;
    perf_map_file::remove(answer.process);
    answer
        .status
        .success()
        .then(|| PythonFacts::read(&answer.stdout.text()))
        .flatten()
}

impl PythonFacts {
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        Some(Self {
            implementation: lines.next()?.to_owned(),
            version: lines.next()?.to_owned(),
            executable: PathBuf::from(lines.next().filter(|path| path.starts_with('/'))?),
            names_functions: lines.next()? == "named",
            turns_counting_on: lines.next()? == "turned",
            libraries: lines.map(str::to_owned).collect(),
        })
    }

    /// Major and minor version.
    fn series(&self) -> Option<(u32, u32)> {
        let mut numbers = self.version.split('.').map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
            _ => None,
        }
    }

    fn interpreter(&self, program: &Path) -> Interpreter {
        let version = match &*self.implementation {
            "cpython" => format!("Python {}", self.version),
            other => format!("Python {} ({other})", self.version),
        };
        let owned = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
        Interpreter {
            program: program.to_owned(),
            environment: ENVIRONMENT.map(owned).to_vec(),
            turns_counting_on: self.turns_counting_on,
            functions: match self.is_silent(&version) {
                Some(reason) => Err(reason),
                None => Ok(FunctionNaming {
                    environment: vec![owned(NAMING)],
                    libraries: self.named_libraries(),
                    enters_constructors_otherwise: self
                        .series()
                        .is_some_and(|series| CONSTRUCTING_OTHERWISE.contains(&series)),
                }),
            },
            version,
        }
    }

    /// The reason why it does not name its functions, if it does not.
    fn is_silent(&self, version: &str) -> Option<String> {
        if self.implementation == "cpython" && self.names_functions {
            return None;
        }
        let is_new_enough = self.series().is_some_and(|series| series >= FIRST_NAMING);
        Some(match self.implementation == "cpython" && is_new_enough {
            true => format!(
                "{version} was built without support for perf trampolines, so that no Python function is in the profile: \
                 use a build for Linux on x86-64 or AArch64 that has it"
            ),
            false => format!(
                "{version} does not name its functions for a profiler, so that no Python function is in the profile: \
                 use CPython 3.12 or newer"
            ),
        })
    }

    /// `python3.12/json/decoder.py`, `site-packages/attr/_make.py`.
    fn named_libraries(&self) -> Vec<(String, String)> {
        let series = self
            .version
            .rsplit_once('.')
            .map_or(&*self.version, |(series, _)| series);
        let names = [
            format!("python{series}"),
            format!("python{series}"),
            "site-packages".to_owned(),
            "site-packages".to_owned(),
        ];
        let mut named: Vec<(String, String)> = self
            .libraries
            .iter()
            .cloned()
            .zip(names)
            .filter(|(folder, _)| folder.starts_with('/'))
            .collect();
        named.dedup();
        named
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn facts(implementation: &str, version: &str, named: &str) -> PythonFacts {
        let text = format!(
            "{implementation}\n{version}\n/opt/bin/python3\n{named}\nturned\n/opt/lib/python\n/opt/lib/python\n/opt/site\n\n"
        );
        PythonFacts::read(&text).unwrap()
    }

    #[test]
    fn functions_are_named_from_3_12_on() {
        let naming = |facts: PythonFacts| facts.interpreter(Path::new("/opt/bin/python3")).functions;
        let named = naming(facts("cpython", "3.12.1", "named")).unwrap();
        assert_eq!(
            named.libraries,
            [
                ("/opt/lib/python".to_owned(), "python3.12".to_owned()),
                ("/opt/site".to_owned(), "site-packages".to_owned())
            ]
        );
        assert!(!named.enters_constructors_otherwise);
        assert!(
            naming(facts("cpython", "3.13.0", "named"))
                .unwrap()
                .enters_constructors_otherwise
        );
        let reason = naming(facts("cpython", "3.11.7", "unnamed")).unwrap_err();
        assert!(reason.starts_with("Python 3.11.7 does not name"), "{reason}");
        let reason = naming(facts("cpython", "3.12.1", "unnamed")).unwrap_err();
        assert!(reason.contains("built without support"), "{reason}");
        let reason = naming(facts("pypy", "3.11.13", "unnamed")).unwrap_err();
        assert!(reason.starts_with("Python 3.11.13 (pypy)"), "{reason}");
    }

    #[test]
    fn an_answer_of_another_kind_is_no_interpreter() {
        for text in ["", "cpython\n3.12.1\n", "cpython\n3.12.1\nrelative\nnamed\n"] {
            assert_eq!(PythonFacts::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_script_has_the_interpreter_of_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("python3"), "").unwrap();
        let environment = [("PATH".into(), folder.path().into())];
        let of = StartedProgram {
            program: Path::new("/x/pytest"),
            arguments: &[],
            directory: folder.path(),
            environment: &environment,
        };
        let found = |line: &str| script_interpreter(line.as_bytes(), &of);
        let python = folder.path().join("python3");
        assert_eq!(
            found("/venv/bin/python3.12 -E"),
            Some(("/venv/bin/python3.12".into(), vec!["-E".into()]))
        );
        assert_eq!(found("/usr/bin/env python3"), Some((python.clone(), vec![])));
        assert_eq!(found("/usr/bin/env -S python3 -u"), Some((python, vec!["-u".into()])));
        assert_eq!(found("/usr/bin/env bash"), None);
        assert_eq!(found("/bin/sh"), None);
        assert_eq!(found(""), None);
    }
}

//! The executions of compilers of C and C++ in a command → the runs of their preprocessors that show the macros of each source.
//!
//! Compilers that only preprocess, or that a build system tests, make no part of a program and are left out. Runs nothing.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::build::inputs::without_dots;

/// Names of compilers, which `x86_64-linux-gnu-` may precede and `-12` may follow.
const COMPILERS: [&str; 8] = ["cc", "c++", "gcc", "g++", "clang", "clang++", "c89", "c99"];

/// Endings of sources that a compiler preprocesses and compiles. Assembly is none.
const SOURCES: [&str; 9] = ["c", "cc", "cpp", "cxx", "c++", "C", "cp", "m", "mm"];

/// Folders and names of programs that build systems make to test the compiler with.
const COMPILER_TESTS: [&str; 4] = ["CMakeFiles", "meson-private", "conftest", "conftest.exe"];

/// Begins the name of a source that configure scripts make to test the compiler with.
const TESTED_SOURCE: &str = "conftest.";

/// Options after which the next word is not an input of its own. They are kept.
const WITH_VALUE: [&str; 37] = [
    "--param",
    "--sysroot",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-T",
    "-U",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-idirafter",
    "-iframework",
    "-imultiarch",
    "-imultilib",
    "-include",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-target",
    "-u",
    "-wrapper",
    "-z",
];

/// The option that says where the result goes.
const RESULT: &str = "-o";

/// Options with a value in the next word that say where results go.
const RESULTS: [&str; 5] = [RESULT, "-MF", "-MT", "-MQ", "-MJ"];

/// Options that decide what is made of the source, and how the output looks. None changes a macro.
const OUTCOMES: [&str; 6] = ["-c", "-S", "-E", "-P", "-C", "-CC"];

/// Beginnings of such options.
const OUTCOMES_BEGIN: [&str; 9] = [
    "-o",
    "-M",
    "-Wp,-M",
    "-dM",
    "-dD",
    "-save-temps",
    "-fdebug-prefix-map=",
    "-ffile-prefix-map=",
    "-fmacro-prefix-map=",
];

/// Options of a compiler that makes no part of a program.
const MAKE_NO_CODE: [&str; 5] = ["-E", "-M", "-MM", "-fsyntax-only", "-###"];

/// Beginnings of options after which the output of the preprocessor does not show every macro, or reads something else.
const UNCLEAR: [&str; 12] = [
    "-dI",
    "-dN",
    "-dU",
    "-fdirectives-only",
    "-fmodule",
    "-fpch-preprocess",
    "-fpreprocessed",
    "-imacros",
    "-include-pch",
    "-traditional",
    "-working-directory",
    "-Xpreprocessor",
];

/// Beginnings of the long options that are understood.
const LONG_OPTIONS: [&str; 7] = [
    "--param",
    "--specs=",
    "--sysroot",
    "--std=",
    "--coverage",
    "--target=",
    "--gcc-toolchain=",
];

/// Beginnings of the parts of `-Wp,` that the preprocessor needs.
const PREPROCESSOR_PARTS: [&str; 6] = ["-D", "-U", "-I", "-W", "-w", "-f"];

/// Inputs that hold no source.
const EMPTY_INPUTS: [&str; 2] = ["-", "/dev/null"];

/// One execution of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct ProgramRun {
    /// Its absolute path.
    pub(super) program: PathBuf,
    /// The folder that it started in; `None` if that is not known.
    pub(super) folder: Option<PathBuf>,
    /// Its command line with its name; `None` if not all of it is known.
    pub(super) words: Option<Vec<OsString>>,
}

/// A run of a preprocessor, which writes to its standard output.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PreprocessorRun {
    /// The compiler.
    pub(super) program: PathBuf,
    /// The folder to start it in.
    pub(super) folder: PathBuf,
    /// Its arguments.
    pub(super) arguments: Vec<OsString>,
    /// The absolute path of the source.
    pub(super) source: PathBuf,
}

/// The place of a compiler's result: its folder, the result's path where the command line says it, and the sources.
pub(super) type CompilerProduct = (Option<PathBuf>, Option<OsString>, Vec<OsString>);

impl ProgramRun {
    /// The place of its result. One that compiles the same again has the same place.
    pub(super) fn product(&self) -> CompilerProduct {
        let line = self.command_line();
        (self.folder.clone(), line.result, line.sources)
    }

    /// False if a source that it compiled is gone.
    pub(super) fn has_its_sources(&self) -> bool {
        let folder = self.folder.as_deref().unwrap_or(Path::new("/"));
        let line = self.command_line();
        line.sources.iter().all(|source| folder.join(source).exists())
    }

    /// True if it compiled one of these files, or may have.
    pub(super) fn compiles_one_of(&self, is_one: impl Fn(&Path) -> bool) -> bool {
        let Some(folder) = self.folder.as_deref() else {
            return true;
        };
        let line = self.command_line();
        line.hides_sources()
            || line
                .sources
                .iter()
                .any(|source| is_one(&without_dots(&folder.join(source))))
    }

    fn command_line(&self) -> CommandLine {
        let arguments = self.words.as_deref().and_then(|words| words.get(1..));
        CommandLine::read(arguments.unwrap_or_default())
    }
}

/// True for a program that compiles C or C++, by its name.
pub(super) fn is_compiler(program: &Path) -> bool {
    let Some(name) = program.file_name().and_then(OsStr::to_str) else {
        return false;
    };
    let is_version = |suffix: &str| suffix.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let name = match name.rsplit_once('-') {
        Some((name, suffix)) if is_version(suffix) => name,
        _ => name,
    };
    let name = name.rsplit_once('-').map_or(name, |(_, name)| name);
    COMPILERS.contains(&name)
}

/// True for a source of C, C++ or Objective-C, by its name.
pub(super) fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| SOURCES.iter().any(|known| ending == *known))
}

/// True for what a build system makes to test the compiler with, by a part of its path.
pub(super) fn is_compiler_test(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(part) => {
            COMPILER_TESTS.iter().any(|known| part == *known) || part.as_bytes().starts_with(TESTED_SOURCE.as_bytes())
        }
        _ => false,
    })
}

/// The runs that show the macros of each compiled source; `None` if one of the executions can't be repeated for that.
pub(super) fn preprocessor_runs<'r>(
    compilers: impl IntoIterator<Item = &'r ProgramRun>,
) -> Option<BTreeSet<PreprocessorRun>> {
    let mut runs = BTreeSet::new();
    for compiler in compilers {
        runs.extend(runs_of(compiler)?);
    }
    Some(runs)
}

fn runs_of(compiler: &ProgramRun) -> Option<Vec<PreprocessorRun>> {
    let line = CommandLine::read(compiler.words.as_deref()?.get(1..)?);
    let (tests, sources): (Vec<&OsString>, Vec<&OsString>) =
        (line.sources.iter()).partition(|source| is_compiler_test(Path::new(source)));
    let is_test = compiler.folder.as_deref().is_some_and(is_compiler_test) || sources.is_empty() && !tests.is_empty();
    if line.makes_no_code || is_test || sources.is_empty() && !line.hides_sources() {
        return Some(Vec::new());
    }
    let folder = compiler
        .folder
        .as_ref()
        .filter(|_| !line.is_unclear && !line.hides_sources())?;
    let run = |source: &OsString| PreprocessorRun {
        program: compiler.program.clone(),
        folder: folder.clone(),
        arguments: (line.kept.iter().cloned())
            .chain(["-E".into(), "-dD".into(), source.clone()])
            .collect(),
        source: without_dots(&folder.join(source)),
    };
    Some(sources.into_iter().map(run).collect())
}

/// The arguments of a compiler.
#[derive(Debug, Default)]
struct CommandLine {
    /// Options that the preprocessor needs.
    kept: Vec<OsString>,
    sources: Vec<OsString>,
    /// The word behind `-o`.
    result: Option<OsString>,
    /// True if it reads a file, which may be an object.
    has_inputs: bool,
    /// True if it says in which language inputs are written, whatever their names.
    names_language: bool,
    /// True if it names a file that holds more of it.
    goes_on: bool,
    makes_no_code: bool,
    is_unclear: bool,
}

impl CommandLine {
    fn read(arguments: &[OsString]) -> Self {
        let mut line = Self::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let begins = |known: &[&str]| known.iter().any(|known| text.starts_with(known));
            line.makes_no_code |= MAKE_NO_CODE.contains(&&*text);
            let is_outcome = OUTCOMES.contains(&&*text) || begins(&OUTCOMES_BEGIN) || EMPTY_INPUTS.contains(&&*text);
            if text.starts_with('@') {
                line.goes_on = true;
            } else if text.starts_with("-x") {
                line.names_language = true;
                // The language, which is no input.
                if text == "-x" {
                    words.next();
                }
            } else if begins(&UNCLEAR) || text.starts_with("--") && !begins(&LONG_OPTIONS) || has_unclear_parts(&text) {
                line.is_unclear = true;
            } else if RESULTS.contains(&&*text) {
                let value = words.next();
                if text == RESULT {
                    line.result = value.cloned();
                }
            } else if WITH_VALUE.contains(&&*text) {
                line.kept.push(word.clone());
                line.kept.extend(words.next().cloned());
            } else if text.starts_with('-') && !is_outcome {
                line.kept.push(word.clone());
            } else if !is_outcome {
                line.has_inputs = true;
                let source = Some(word).filter(|word| is_source(Path::new(word)));
                line.sources.extend(source.cloned());
            }
        }
        line
    }

    /// True if it may compile a source that its own words do not show.
    const fn hides_sources(&self) -> bool {
        self.goes_on || self.names_language && self.has_inputs
    }
}

/// True for `-Wp,` with parts that can't be kept and can't be dropped.
fn has_unclear_parts(word: &str) -> bool {
    let Some(parts) = word.strip_prefix("-Wp,") else {
        return false;
    };
    let is_plain = |part: &str| PREPROCESSOR_PARTS.iter().any(|known| part.starts_with(known));
    let is_kept = parts.split(',').all(is_plain);
    let is_dropped = parts.starts_with("-M") && !parts.split(',').any(is_plain);
    !is_kept && !is_dropped
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn runs(line: &str) -> Option<Vec<(PathBuf, String)>> {
        let compiler = ProgramRun {
            program: "/usr/bin/cc".into(),
            folder: Some("/work/sub".into()),
            words: Some(line.split(' ').map(OsString::from).collect()),
        };
        let text = |run: &PreprocessorRun| run.arguments.join(OsStr::new(" ")).into_string().unwrap();
        let runs = preprocessor_runs([&compiler])?;
        Some(runs.iter().map(|run| (run.source.clone(), text(run))).collect())
    }

    #[test]
    fn a_compiler_is_known_by_its_name() {
        for name in [
            "cc",
            "/usr/bin/g++",
            "clang-15",
            "x86_64-linux-gnu-gcc-12",
            "musl-gcc",
            "clang++-15.0.7",
        ] {
            assert!(is_compiler(Path::new(name)), "{name}");
        }
        for name in [
            "cc1",
            "gcc-ar",
            "clang-tidy",
            "c++filt",
            "x86_64-linux-gnu-ld",
            "ccache",
        ] {
            assert!(!is_compiler(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn each_source_is_preprocessed_with_the_options_of_its_compiler() {
        assert_eq!(
            runs("cc -DA -D B=x.c -include c.c -O2 ../a.c b.o -MMD -MF a.d -Wp,-MD,b.d libc.a -lm -c d.cpp -o a.o")
                .unwrap(),
            [
                (
                    "/work/a.c".into(),
                    "-DA -D B=x.c -include c.c -O2 -lm -E -dD ../a.c".to_owned()
                ),
                (
                    "/work/sub/d.cpp".into(),
                    "-DA -D B=x.c -include c.c -O2 -lm -E -dD d.cpp".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn what_makes_no_part_of_a_program_is_left_out() {
        for line in [
            "cc --version",
            "cc -E a.c",
            "cc -MM a.c",
            "cc -dM -E -x c /dev/null",
            "cc -x c - -o /dev/null",
            "cc a.o b.o -o program",
            "cc -c conftest.c",
            "cc -o out -c /work/build/CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c",
        ] {
            assert_eq!(runs(line), Some(Vec::new()), "{line}");
        }
    }

    #[test]
    fn a_compiler_that_cannot_be_repeated_leaves_the_macros_unknown() {
        for line in [
            "cc -c @rest",
            "cc -x c++ a.c",
            "cc -x c a.inc",
            "cc -xc a.c",
            "cc -c -fpreprocessed a.c",
            "cc -c -imacros b.h a.c",
            "cc -c -Wp,-P a.c",
            "cc --output a.o a.c",
        ] {
            assert_eq!(runs(line), None, "{line}");
        }
        let mut compiler = ProgramRun {
            program: "/usr/bin/cc".into(),
            folder: None,
            words: Some(vec!["cc".into(), "a.c".into()]),
        };
        assert_eq!(preprocessor_runs([&compiler]), None);
        compiler.folder = Some("/work".into());
        assert!(preprocessor_runs([&compiler]).is_some());
        compiler.words = None;
        assert_eq!(preprocessor_runs([&compiler]), None);
    }
}

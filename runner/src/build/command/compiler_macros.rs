//! The compilers that a command executed → the macros that its units begin with, and those that each of their files defines.
//!
//! Each source is preprocessed once more, by the same compiler with the same options. The macros are known only if that shows
//! every source of the checkout that the command opened or looked at, in this build or in an earlier one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use profile::inputs::OpenedFiles;
use serde::{Deserialize, Serialize};

use super::compiler_runs::{PreprocessorRun, ProgramRun, is_compiler_test, is_source, preprocessor_runs};
use super::preprocessed::{self, MacroDefinition, UnitMacros};
use super::{BuildContext, repository_path};
use crate::build::inputs::without_dots;
use crate::process::{self, InterruptionFlag, Invocation, ProcessError};

/// Most sources that are preprocessed again for one build: each takes up to a second.
const MOST_SOURCES: usize = 64;

/// Largest output of a preprocessor that is read, in bytes.
const LARGEST_OUTPUT: u64 = 256 << 20;

/// Names that compilers know without a definition, by the manuals of GCC and Clang. The text of many depends on where they stand.
const WITHOUT_DEFINITION: [&str; 28] = [
    "_Pragma",
    "__BASE_FILE__",
    "__COUNTER__",
    "__DATE__",
    "__FILE_NAME__",
    "__FILE__",
    "__FLT_EVAL_METHOD__",
    "__INCLUDE_LEVEL__",
    "__LINE__",
    "__TIMESTAMP__",
    "__TIME__",
    "__building_module",
    "__has_attribute",
    "__has_builtin",
    "__has_c_attribute",
    "__has_constexpr_builtin",
    "__has_cpp_attribute",
    "__has_declspec_attribute",
    "__has_embed",
    "__has_extension",
    "__has_feature",
    "__has_include",
    "__has_include_next",
    "__has_warning",
    "__is_identifier",
    "__is_target_arch",
    "__is_target_os",
    "defined",
];

/// The macros of all units that a command compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PreprocessedMacros {
    /// Those that every unit begins with, and that nothing outside the checkout changes, each with its text. One with parameters
    /// has them in its name, `A(x)`.
    pub predefined: BTreeMap<String, String>,
    /// The names of macros that a file outside the checkout defines or takes back, of those that units begin with differently or
    /// that hold a path of the machine, and of those that compilers know without a definition.
    pub unsettled: BTreeSet<String>,
    /// The files of the checkout that the units were made of, with the names that each defines or takes back.
    pub by_file: BTreeMap<String, BTreeSet<String>>,
}

impl PreprocessedMacros {
    /// Moves names to those that are not settled.
    pub(crate) fn unsettle(&mut self, names: impl IntoIterator<Item = String>) {
        self.unsettled.extend(names);
        let unsettled = &self.unsettled;
        self.predefined
            .retain(|name, _| !unsettled.contains(name.split('(').next().unwrap_or(name)));
    }
}

/// The macros of a command that ended; `None` if they are not all known. `opened` is what it opened or looked at, and `folder` is
/// for what the preprocessors write.
///
/// # Errors
/// The user asked to stop.
pub(super) fn of_command(
    compilers: &[&ProgramRun],
    opened: &OpenedFiles,
    command: &Invocation,
    folder: &Path,
    site: &BuildContext<'_>,
) -> Result<Option<PreprocessedMacros>, ProcessError> {
    let Some(runs) = preprocessor_runs(compilers.iter().copied()) else {
        return Ok(None);
    };
    if runs.is_empty() || runs.len() > MOST_SOURCES {
        return Ok(None);
    }
    let mut units = Vec::new();
    for run in &runs {
        match preprocessed(run, command, folder, site.interruption)? {
            Some(unit) => units.push(unit),
            None => return Ok(None),
        }
    }
    let macros = merged(units, site.tree);
    let is_known = |path: &String| {
        macros.by_file.contains_key(path)
            || is_compiler_test(Path::new(path))
            || checkout_path(&site.tree.join(path), site.tree).is_some_and(|path| macros.by_file.contains_key(&path))
    };
    let mut sources = opened.files.iter().filter(|path| is_source(Path::new(path)));
    let is_complete = sources.all(is_known);
    Ok(is_complete.then_some(macros))
}

/// Preprocesses a source once more; `None` if that fails, or does not show the source.
fn preprocessed(
    run: &PreprocessorRun,
    command: &Invocation,
    folder: &Path,
    interruption: &InterruptionFlag,
) -> Result<Option<UnitMacros>, ProcessError> {
    let Ok(output) = tempfile::NamedTempFile::new_in(folder) else {
        return Ok(None);
    };
    let invocation = Invocation {
        program: run.program.clone().into(),
        arguments: run.arguments.clone(),
        directory: run.folder.clone(),
        ..command.clone()
    }
    // Of the standard output only a part is kept.
    .arguments(["-o".as_ref(), output.path()]);
    match process::run(&invocation, interruption) {
        Ok(finished) if finished.status.success() => {}
        Err(error @ ProcessError::Interrupted { .. }) => return Err(error),
        Ok(_) | Err(_) => return Ok(None),
    }
    let read = || {
        let file = File::open(output.path()).ok()?;
        let is_small = file.metadata().ok()?.len() <= LARGEST_OUTPUT;
        let unit = is_small.then(|| preprocessed::read(BufReader::new(file), &run.folder))?;
        let by_file = unit.ok()??;
        let shows_source = by_file.by_file.keys().any(|path| without_dots(path) == run.source);
        shows_source.then_some(by_file)
    };
    Ok(read())
}

fn merged(units: Vec<UnitMacros>, tree: &Path) -> PreprocessedMacros {
    let mut macros = PreprocessedMacros::default();
    let mut settled: Option<BTreeMap<String, MacroDefinition>> = None;
    let mut unsettled: BTreeSet<String> = WITHOUT_DEFINITION.into_iter().map(str::to_owned).collect();
    let mut places: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
    for UnitMacros { predefined, by_file } in units {
        let before = settled.get_or_insert_with(|| predefined.clone());
        unsettled.extend(predefined.keys().filter(|name| !before.contains_key(*name)).cloned());
        before.retain(|name, definition| {
            let is_settled = predefined.get(name) == Some(definition) && may_be_kept(definition);
            if !is_settled {
                unsettled.insert(name.clone());
            }
            is_settled
        });
        for (file, names) in by_file {
            let place = places.entry(file).or_insert_with_key(|file| checkout_path(file, tree));
            match place {
                Some(path) => macros.by_file.entry(path.clone()).or_default().extend(names),
                None => unsettled.extend(names),
            }
        }
    }
    let definitions = settled.unwrap_or_default().into_values();
    macros.predefined = definitions
        .map(|definition| (definition.name, definition.text))
        .collect();
    macros.unsettle(unsettled);
    macros
}

/// A longer word on a command line may be more than a number.
const LONGEST_NUMBER: usize = 10;

/// False for a text with an absolute path, which is another one on another machine, and for one that a command line gives and
/// that is no number: it may be a secret.
fn may_be_kept(definition: &MacroDefinition) -> bool {
    let text = &definition.text;
    let is_number = text.len() <= LONGEST_NUMBER
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let has_path = text.starts_with('/') || text.contains("\"/");
    !has_path && (!definition.is_given || text.is_empty() || is_number)
}

/// The path in the checkout of a file with its symbolic links followed; `None` outside.
fn checkout_path(file: &Path, tree: &Path) -> Option<String> {
    let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let file = file.canonicalize().unwrap_or_else(|_| without_dots(file));
    Some(repository_path(file.strip_prefix(tree).ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
    use crate::build::{self, BuildOutput};
    use crate::fixture::CargoFixture;

    const MAIN: (&str, &str) = ("main.c", "#include \"own.h\"\nint main(void) { return OWN; }\n");
    const OWN: (&str, &str) = ("own.h", "#define OWN 0\n");

    /// The macros of a build by a script of the shell, in the folder of the checkout.
    fn macros(fixture: &CargoFixture, script: &str) -> Option<PreprocessedMacros> {
        let command = built(fixture, script, true).command.unwrap();
        assert!(command.opened.is_complete, "{command:?}");
        command.macros
    }

    fn built(fixture: &CargoFixture, script: &str, records_commands: bool) -> BuildOutput {
        let definition = BenchmarkDefinition {
            build: Some(["sh", "-e", "-c", script].map(str::to_owned).into()),
            ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
        };
        fixture.with_build_context(|site| {
            assert!(super::super::can_trace(site.interruption), "this test needs strace");
            let site = BuildContext {
                is_working_copy: false,
                records_commands,
                ..*site
            };
            build::build(&definition, &site).unwrap()
        })
    }

    fn settled<'m>(macros: &'m PreprocessedMacros, name: &str) -> Option<&'m str> {
        assert!(
            !(macros.predefined.contains_key(name) && macros.unsettled.contains(name)),
            "{name}"
        );
        macros.predefined.get(name).map(String::as_str)
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_unit_begins_with_what_its_compiler_and_its_command_line_define() {
        let fixture = CargoFixture::new(&[MAIN, OWN]);
        let found = macros(
            &fixture,
            "cc -DNUMBER=7 -D'TWICE(x)=2*x' -DKEY=x9f8e7 -DDATA='\"/data\"' -DGONE -UGONE -U__CHAR_BIT__ -MMD -MF deps.d -o program main.c",
        );
        let found = found.unwrap();
        assert_eq!(settled(&found, "NUMBER"), Some("7"));
        for secret in ["TWICE", "KEY"] {
            assert!(found.unsettled.contains(secret), "{secret}");
        }
        assert_eq!(settled(&found, "__STDC__"), Some("1"));
        for absent in ["GONE", "__CHAR_BIT__", "OWN"] {
            assert!(
                settled(&found, absent).is_none() && !found.unsettled.contains(absent),
                "{absent}"
            );
        }
        for other in ["__FILE__", "DATA"] {
            assert!(found.unsettled.contains(other), "{other}");
            assert_eq!(settled(&found, other), None);
        }
        assert_eq!(
            found.by_file,
            [("main.c".to_owned(), names(&[])), ("own.h".to_owned(), names(&["OWN"]))].into()
        );
    }

    #[test]
    fn units_that_begin_differently_leave_a_name_unsettled() {
        let fixture = CargoFixture::new(&[MAIN, OWN, ("sub/other.c", "int other(void) { return 1; }\n")]);
        let found = macros(
            &fixture,
            "cc -DSAME=1 -DTEXT=1 -DONE -D'KIND(x)=x' -c main.c\ncd sub\ncc -DSAME=1 -DTEXT=2 -DKIND=1 -c other.c",
        );
        let found = found.unwrap();
        assert_eq!(settled(&found, "SAME"), Some("1"));
        for name in ["TEXT", "ONE", "KIND"] {
            assert!(found.unsettled.contains(name), "{name}");
            assert_eq!(settled(&found, name), None);
        }
        assert!(settled(&found, "KIND(x)").is_none());
        assert!(found.by_file.contains_key("sub/other.c"));
    }

    #[test]
    fn a_header_outside_the_checkout_settles_nothing() {
        let fixture = CargoFixture::new(&[("main.c", "#include <out.h>\nint main(void) { return 0; }\n")]);
        fixture.write("outside/out.h", "#define OUT 1\n#undef NUMBER\n#define linux 3\n");
        let include = fixture.path("outside");
        let found = macros(&fixture, &format!("cc -w -DNUMBER=7 -I{} main.c", include.display())).unwrap();
        for name in ["OUT", "NUMBER", "linux"] {
            assert!(found.unsettled.contains(name), "{name}");
            assert_eq!(settled(&found, name), None);
        }
        assert_eq!(found.by_file, [("main.c".to_owned(), names(&[]))].into());
    }

    #[test]
    fn a_header_that_the_build_writes_is_a_file_of_the_checkout() {
        let fixture = CargoFixture::new(&[("main.c", "#include \"build/made.h\"\nint main(void) { return MADE; }\n")]);
        let found = macros(
            &fixture,
            "mkdir -p build\necho '#define MADE 0' > build/made.h\ncc -c main.c",
        );
        assert_eq!(found.unwrap().by_file["build/made.h"], names(&["MADE"]));
    }

    #[test]
    fn an_included_source_is_known_and_one_that_is_not_compiled_is_not() {
        let fixture = CargoFixture::new(&[
            ("main.c", "#include \"part.c\"\nint main(void) { return part; }\n"),
            ("part.c", "int part;\n"),
            ("unused.c", "int unused;\n"),
        ]);
        assert!(macros(&fixture, "cc -c main.c").is_some());
        assert_eq!(macros(&fixture, "cat unused.c\ncc -c main.c"), None);
        assert_eq!(macros(&fixture, "cc -E main.c"), None);
        assert_eq!(macros(&fixture, "true"), None);
    }

    /// A program of two objects; `FLAGS` of the environment are those of its compilers.
    const MAKEFILE: (&str, &str) = (
        "Makefile",
        "program: main.o other.o\n\tcc -o $@ main.o other.o\n%.o: %.c own.h\n\tcc $(FLAGS) -c -o $@ $<\n",
    );
    const OTHER: (&str, &str) = ("other.c", "#include \"own.h\"\nint other = OWN;\n");

    #[test]
    fn objects_of_earlier_builds_keep_their_macros() {
        let fixture = CargoFixture::new(&[MAIN, OTHER, OWN, MAKEFILE]);
        let first = macros(&fixture, "make FLAGS=-DSPEED=1").unwrap();
        assert_eq!(settled(&first, "SPEED"), Some("1"));
        assert_eq!(macros(&fixture, "make FLAGS=-DSPEED=1"), Some(first.clone()));
        // Only one of them is made with other options.
        let partly = macros(&fixture, "touch other.c; make FLAGS=-DSPEED=2").unwrap();
        assert!(partly.unsettled.contains("SPEED"));
        let again = macros(&fixture, "touch main.c other.c; make FLAGS=-DSPEED=1");
        assert_eq!(again, Some(first));
    }

    #[test]
    fn objects_that_nobody_saw_being_made_have_no_macros() {
        let fixture = CargoFixture::new(&[MAIN, OTHER, OWN, MAKEFILE]);
        assert!(macros(&fixture, "make").is_some());
        assert!(
            built(&fixture, "touch main.c; make FLAGS=-DUNSEEN", false)
                .command
                .is_none()
        );
        assert_eq!(macros(&fixture, "make"), None);
    }

    #[test]
    fn every_argument_of_a_compiler_is_seen() {
        let fixture = CargoFixture::new(&[MAIN, OWN]);
        let long = "x".repeat(5000);
        let found = macros(
            &fixture,
            &format!(
                "options=; for i in $(seq 300); do options=\"$options -DN$i=$i\"; done\ncc $options -DLONG={long} -c main.c"
            ),
        );
        let found = found.unwrap();
        assert_eq!(settled(&found, "N300"), Some("300"));
        assert!(found.unsettled.contains("LONG"), "no number");
    }

    #[test]
    fn the_record_is_stored_and_an_older_one_has_none() {
        let macros = PreprocessedMacros {
            predefined: [("A(x)".to_owned(), "x".to_owned())].into(),
            unsettled: names(&["B"]),
            by_file: [("a.c".to_owned(), names(&["C"]))].into(),
        };
        let inputs = super::super::CommandInputs {
            macros: Some(macros),
            ..super::super::CommandInputs::default()
        };
        let mut stored = serde_json::to_value(&inputs).unwrap();
        assert_eq!(
            serde_json::from_value::<super::super::CommandInputs>(stored.clone()).unwrap(),
            inputs
        );
        stored.as_object_mut().unwrap().remove("macros");
        let older: super::super::CommandInputs = serde_json::from_value(stored).unwrap();
        assert_eq!(older.macros, None);
    }
}

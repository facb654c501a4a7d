//! Cargo's messages about a build, and the files that it left → the inputs of each program that it built.
//!
//! Rustc lists the files and variables that it read beside its output (`deps/*.d`); a build script prints the paths and
//! variables that it depends on (`build/*/output`). Only packages from folders are read: others do not change with the
//! repository. Builds nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use profile::inputs::{CompilationUnit, CompiledInputs, UnitKind, VariableDigest};

use super::cargo::CargoMessage;
use super::{BuildContext, OutsideInputs};

/// Files of a folder that decide how cargo builds there.
const SETTINGS_OF_A_FOLDER: [&str; 4] = [
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain.toml",
    "rust-toolchain",
];

/// The inputs of the programs of one build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildInputs {
    /// True if the inputs of each unit were found.
    is_complete: bool,
    /// Units that any of the programs may contain.
    shared: BTreeSet<CompilationUnit>,
    /// The programs' own units, by the path of the program.
    programs: BTreeMap<PathBuf, CompilationUnit>,
    settings: BTreeSet<String>,
    /// Files and folders outside the checkout and lito's cache, for [`super::OutsideInputs`].
    outside: BTreeSet<PathBuf>,
}

impl BuildInputs {
    /// The inputs that a program of this build was compiled from; not complete if it is none.
    #[must_use]
    pub fn of(&self, program: &Path) -> CompiledInputs {
        let own = self.programs.get(program);
        let units: BTreeSet<&CompilationUnit> = self.shared.iter().chain(own).collect();
        CompiledInputs {
            is_complete: self.is_complete && own.is_some(),
            units: units.into_iter().cloned().collect(),
            settings: self.settings.clone(),
        }
    }

    /// The same as far as it is outside the version.
    pub(super) fn outside(&self) -> OutsideInputs {
        OutsideInputs {
            is_complete: self.is_complete,
            paths: self.outside.clone(),
            ..OutsideInputs::default()
        }
    }

    /// Takes in what another command of the same build found.
    pub(super) fn join(&mut self, other: Self) {
        let is_first = self.shared.is_empty() && self.programs.is_empty();
        self.is_complete = other.is_complete && (is_first || self.is_complete);
        self.shared.extend(other.shared);
        self.programs.extend(other.programs);
        self.settings.extend(other.settings);
        self.outside.extend(other.outside);
    }
}

/// The places that a build's paths are relative to.
pub(super) struct InputPlaces<'a> {
    /// The checkout.
    pub(super) tree: &'a Path,
    /// The folder of the checkout, the builds and the copies of harnesses.
    pub(super) cache: &'a Path,
    /// The folder that cargo is called in.
    pub(super) directory: &'a Path,
    /// The folder that rustc is called in.
    pub(super) workspace: &'a Path,
    /// Variables that the build gets besides the inherited ones.
    pub(super) environment: &'a BTreeMap<String, String>,
}

impl<'a> InputPlaces<'a> {
    pub(super) fn new(
        site: &BuildContext<'a>,
        directory: &'a Path,
        workspace: &'a Path,
        environment: &'a BTreeMap<String, String>,
    ) -> Self {
        Self {
            tree: site.tree,
            cache: site.cache.root(),
            directory,
            workspace,
            environment,
        }
    }

    /// The names of a path in the repository: as it is written, and with its symbolic links followed. None if it is
    /// outside.
    fn names(&self, path: &Path, base: &Path) -> BTreeSet<String> {
        let written = base.join(path);
        let followed = written.canonicalize().ok();
        [Some(without_dots(&written)), followed]
            .into_iter()
            .flatten()
            .filter_map(|path| Some(repository_path(path.strip_prefix(self.tree).ok()?)))
            .collect()
    }

    /// The path, with its symbolic links followed, if it is outside the checkout and lito's cache.
    fn outside(&self, path: &Path, base: &Path) -> Option<PathBuf> {
        let written = without_dots(&base.join(path));
        let followed = written.canonicalize().unwrap_or(written);
        let is_inside = [self.tree, self.cache]
            .iter()
            .any(|folder| followed.starts_with(folder));
        (!is_inside).then_some(followed)
    }

    /// The value of a variable outside cargo; `None` if it is not set.
    fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.environment.get(name).map(OsString::from);
        own.or_else(|| std::env::var_os(name))
    }

    /// Settings above a folder of the checkout, whether they exist or not.
    fn settings_above(&self, folder: &Path) -> Vec<String> {
        let inside = folder.strip_prefix(self.tree).into_iter();
        inside
            .flat_map(Path::ancestors)
            .flat_map(|folder| SETTINGS_OF_A_FOLDER.map(|name| repository_path(&folder.join(name))))
            .collect()
    }
}

/// Reads the inputs of everything that a command of cargo built or found built.
pub(super) fn read_inputs(
    messages: &[CargoMessage],
    programs: &BTreeSet<PathBuf>,
    places: &InputPlaces<'_>,
) -> BuildInputs {
    let mut inputs = BuildInputs {
        is_complete: messages.iter().all(|message| !message.reason.is_empty()),
        ..BuildInputs::default()
    };
    inputs.settings.extend(places.settings_above(places.directory));
    for name in ["Cargo.toml", "Cargo.lock"] {
        inputs.settings.extend(places.names(Path::new(name), places.workspace));
    }
    for message in messages.iter().filter(|message| message.is_of_a_folder()) {
        if let Some(manifest) = &message.manifest_path {
            inputs.settings.extend(places.names(manifest, places.workspace));
            inputs.outside.extend(places.outside(manifest, places.workspace));
        }
        let unit = match message.reason.as_str() {
            "compiler-artifact" => compiled_unit(message, programs, places, &mut inputs.outside),
            "build-script-executed" => executed_script(message, messages, places, &mut inputs.outside),
            _ => continue,
        };
        match (unit, &message.executable) {
            (None, _) => inputs.is_complete = false,
            (Some(unit), Some(program)) if unit.kind == UnitKind::Program => {
                inputs.programs.insert(program.clone(), unit);
            }
            (Some(unit), _) => {
                inputs.shared.insert(unit);
            }
        }
    }
    inputs
}

/// A unit that rustc compiled; `None` if its inputs can't be found.
fn compiled_unit(
    message: &CargoMessage,
    programs: &BTreeSet<PathBuf>,
    places: &InputPlaces<'_>,
    outside: &mut BTreeSet<PathBuf>,
) -> Option<CompilationUnit> {
    let target = message.target.as_ref()?;
    let is = |kind: &str| target.kind.iter().any(|known| known == kind);
    let kind = match &message.executable {
        _ if is("custom-build") => UnitKind::BuildScript,
        _ if is("proc-macro") && message.executable.is_none() => UnitKind::ProceduralMacro,
        Some(program) if programs.contains(program) => UnitKind::Program,
        Some(_) | None => UnitKind::Library,
    };
    let mut unit = CompilationUnit::new(&message.package(), &target.name, kind);
    let lists = dependency_lists(message, &target.name);
    if lists.is_empty() {
        return None;
    }
    for list in lists {
        let text = std::fs::read(list).ok()?;
        add_dependency_list(&mut unit, &String::from_utf8_lossy(&text), places, outside);
    }
    Some(unit)
}

/// The dep-info files of an artifact. Beside its output in cargo's folder; an output that was moved out of there has one
/// of all its targets' names.
fn dependency_lists(message: &CargoMessage, target: &str) -> Vec<PathBuf> {
    let outputs = message.filenames.iter().chain(&message.executable);
    let mut found = BTreeSet::new();
    for output in outputs {
        let (Some(folder), Some(name)) = (output.parent(), output.file_stem().and_then(|name| name.to_str())) else {
            continue;
        };
        // An executable's name has no end.
        let whole = output.file_name().and_then(|name| name.to_str()).unwrap_or(name);
        let names = [name, name.strip_prefix("lib").unwrap_or(name), whole];
        let beside = names.iter().map(|name| folder.join(format!("{name}.d")));
        found.extend(beside.filter(|list| is_in_cargos_folder(list) && list.is_file()));
    }
    if found.is_empty() {
        let start = format!("{}-", target.replace('-', "_"));
        let folders: BTreeSet<&Path> = message.filenames.iter().filter_map(|output| output.parent()).collect();
        for folder in folders {
            let places = [folder.to_owned(), folder.join("deps")];
            found.extend(places.iter().flat_map(|place| lists_starting(place, &start)));
        }
    }
    found.into_iter().collect()
}

/// Outside it are lists of whole packages, for other build tools.
fn is_in_cargos_folder(list: &Path) -> bool {
    list.parent()
        .and_then(Path::file_name)
        .is_some_and(|folder| folder == "deps" || folder == "examples")
}

fn lists_starting(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(".d")
    };
    entries.map(|entry| entry.path()).filter(is_wanted).collect()
}

/// Adds the files and variables of one dep-info file: a line `path:` for each file, and `# env-dep:NAME=value` comments.
fn add_dependency_list(
    unit: &mut CompilationUnit,
    text: &str,
    places: &InputPlaces<'_>,
    outside: &mut BTreeSet<PathBuf>,
) {
    for line in text.lines() {
        if let Some(variable) = line.strip_prefix("# env-dep:") {
            let (name, read) = match variable.split_once('=') {
                Some((name, value)) => (name, Some(unescaped(value))),
                None => (variable, None),
            };
            let here = places.variable(name);
            // Others are set by cargo, or by a build script.
            if here.as_deref().map(std::ffi::OsStr::as_encoded_bytes) == read.as_deref().map(str::as_bytes) {
                let digest = read.map(|value| VariableDigest::of(value.as_bytes()));
                unit.variables.insert(name.to_owned(), digest);
            }
        } else if let Some(path) = line.strip_suffix(':').filter(|_| !line.starts_with('#')) {
            let path = path.replace("\\ ", " ");
            unit.files.extend(places.names(Path::new(&path), places.workspace));
            outside.extend(places.outside(Path::new(&path), places.workspace));
        }
    }
}

/// Rustc writes control characters of values as escapes.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        text.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            (plain, false) => plain,
        });
    }
    text
}

/// The run of a build script: what it says that it depends on. `None` if its output can't be found.
fn executed_script(
    message: &CargoMessage,
    messages: &[CargoMessage],
    places: &InputPlaces<'_>,
    outside: &mut BTreeSet<PathBuf>,
) -> Option<CompilationUnit> {
    let output = message.out_dir.as_ref()?.parent()?.join("output");
    let text = String::from_utf8_lossy(&std::fs::read(output).ok()?).into_owned();
    let of_package = messages.iter().filter(|other| other.package_id == message.package_id);
    let package = of_package
        .filter_map(|other| other.manifest_path.as_deref()?.parent())
        .next()?;
    // A script may read all of its package.
    outside.extend(places.outside(package, package));
    let mut unit = CompilationUnit::new(&message.package(), "build-script-run", UnitKind::BuildScript);
    for line in text.lines() {
        let Some((name, value)) = line.trim().strip_prefix("cargo:").and_then(|line| line.split_once('=')) else {
            continue;
        };
        match name.trim_start_matches(':') {
            "rerun-if-changed" => {
                unit.watched.extend(places.names(Path::new(value), package));
                outside.extend(places.outside(Path::new(value), package));
            }
            "rerun-if-env-changed" => {
                let here = places.variable(value);
                let digest = here.map(|value| VariableDigest::of(value.as_encoded_bytes()));
                unit.variables.insert(value.to_owned(), digest);
            }
            _ => {}
        }
    }
    Some(unit)
}

/// A path below the root as the repository names it.
pub(crate) fn repository_path(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A path without `.` and `..`, by its text.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
    use crate::fixture::{CargoFixture, manifest};

    const BENCH: &str = "fn main() { println!(\"{}\", subject::answer()) }";
    const TARGETS: &str = "[[bench]]\nname = \"one\"\nharness = false\n[[bench]]\nname = \"two\"\nharness = false\n\
                           [features]\nextra = []\n[dependencies]\nmarker = { path = \"marker\" }\n";
    const LIBRARY: &str = "mod odd;\n#[cfg(feature = \"extra\")]\nmod extra;\ninclude!(\"part.rs.in\");\n\
                           pub fn answer() -> usize { include_str!(\"../data/a b.txt\").len() + part() + odd::odd() \
                           + option_env!(\"LITO_TEST_UNSET\").map_or(0, str::len) + env!(\"SET_BY_SCRIPT\").len() \
                           + marker::one!() }\n";
    const SCRIPT: &str = "mod lists;\nfn main() {\n    println!(\"cargo::rerun-if-changed=tables\");\n    \
                          println!(\"cargo:rerun-if-env-changed=LITO_TEST_OTHER\");\n    \
                          println!(\"cargo:rustc-env=SET_BY_SCRIPT={}\", lists::value());\n}\n";
    const MACRO: &str = "use proc_macro::TokenStream;\n#[proc_macro]\npub fn one(_: TokenStream) -> TokenStream { \
                         \"1usize\".parse().unwrap() }\n";

    fn fixture() -> CargoFixture {
        CargoFixture::new(&[
            ("Cargo.toml", &manifest(TARGETS)),
            ("build.rs", SCRIPT),
            ("lists.rs", "pub fn value() -> &'static str { \"x\" }"),
            ("tables/a.csv", "1"),
            ("src/lib.rs", LIBRARY),
            ("src/part.rs.in", "pub fn part() -> usize { 1 }"),
            (
                "src/odd.rs",
                "#[path = \"../strange/place.rs\"] mod place; pub fn odd() -> usize { place::place() }",
            ),
            ("strange/place.rs", "pub fn place() -> usize { 1 }"),
            ("src/extra.rs", "pub fn extra() {}"),
            ("src/unused.rs", "pub fn unused() {}"),
            ("data/a b.txt", "text"),
            ("data/unused.txt", "text"),
            ("examples/show.rs", "fn main() {}"),
            ("benches/one.rs", BENCH),
            ("benches/two.rs", BENCH),
            (
                "marker/Cargo.toml",
                "[package]\nname = \"marker\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\n\
                                   proc-macro = true\n",
            ),
            ("marker/src/lib.rs", MACRO),
        ])
    }

    fn files(inputs: &CompiledInputs, kind: UnitKind) -> Vec<&str> {
        let of_kind = inputs.units.iter().filter(|unit| unit.kind == kind);
        let files: BTreeSet<&str> = of_kind.flat_map(|unit| &unit.files).map(String::as_str).collect();
        files.into_iter().collect()
    }

    #[test]
    fn a_program_is_recorded_with_what_the_compiler_read_and_nothing_else() {
        let fixture = fixture();
        let definition = BenchmarkDefinition::new(BenchmarkAdapter::CargoBench);
        let built = fixture.build(&definition).unwrap();
        let one = built
            .executables
            .iter()
            .find(|program| program.target == "one")
            .unwrap();
        let inputs = built.inputs.of(&one.path);
        assert!(inputs.is_complete, "{inputs:?}");
        assert_eq!(
            files(&inputs, UnitKind::Library),
            [
                "data/a b.txt",
                "src/lib.rs",
                "src/odd.rs",
                "src/part.rs.in",
                "strange/place.rs"
            ]
        );
        assert_eq!(files(&inputs, UnitKind::Program), ["benches/one.rs"]);
        assert_eq!(files(&inputs, UnitKind::BuildScript), ["build.rs", "lists.rs"]);
        assert_eq!(files(&inputs, UnitKind::ProceduralMacro), ["marker/src/lib.rs"]);
        assert!(
            inputs
                .units_with("tables/a.csv")
                .all(|unit| unit.kind == UnitKind::BuildScript)
        );
        assert_eq!(inputs.units_with("tables/a.csv").count(), 1);
        let variables: BTreeMap<&str, _> = inputs.variables().collect();
        assert_eq!(
            variables.keys().copied().collect::<Vec<_>>(),
            ["LITO_TEST_OTHER", "LITO_TEST_UNSET"],
            "what cargo and the build script set is no input of the machine"
        );
        for setting in [
            "Cargo.toml",
            "Cargo.lock",
            ".cargo/config.toml",
            "rust-toolchain.toml",
            "marker/Cargo.toml",
        ] {
            assert!(inputs.settings.contains(setting), "{setting}: {:?}", inputs.settings);
        }
    }

    #[test]
    fn a_program_that_cargo_did_not_build_has_no_complete_inputs() {
        let definition = BenchmarkDefinition {
            build: Some(vec!["true".to_owned()]),
            run: Some(vec!["./x".to_owned()]),
            ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
        };
        let fixture = fixture();
        let built = fixture.build(&definition).unwrap();
        assert!(!built.inputs.of(Path::new("x")).is_complete);
    }

    #[test]
    fn a_value_with_line_breaks_is_read_as_it_was() {
        assert_eq!(unescaped("a\\nb\\\\c"), "a\nb\\c");
    }
}

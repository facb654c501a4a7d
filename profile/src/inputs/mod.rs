//! The inputs of a built benchmark: the files and environment variables that its compilation read, and the files that it
//! opened while it ran.
//!
//! All paths are relative to the repository's root, `/` between parts, without `.` and `..`. No path of the machine
//! stands here: that something outside the repository was opened is one flag, and a variable's value is a digest.

pub mod binary;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Everything that one benchmark of one version depends on, as far as it was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// Read by the build.
    pub compiled: CompiledInputs,
    /// Read by the run.
    pub opened: OpenedFiles,
    /// The names of attributes and modules that the program asked for as texts, as `getattr(a, name)` does in Python; `None`
    /// where they are not all known.
    pub asked_names: Option<BTreeSet<String>>,
    /// The macros of the compilers' preprocessor; `None` where they are not all known.
    pub macros: Option<CompilerMacros>,
}

/// The macros that the compilers of a build know without the files of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerMacros {
    /// Those that every unit begins with and that nothing outside the repository changes, each with the text that stands for
    /// it: what the compiler defines, and what its command line does as a number or as nothing. Any other text of a command line
    /// may be a secret. One with parameters has them in its name, `A(x)`.
    pub predefined: BTreeMap<String, String>,
    /// The names of macros that a file outside the repository defines or takes back, of those that units begin with
    /// differently, and of those with a text that is not kept.
    pub unsettled: BTreeSet<String>,
    /// The files of the repository that the units were made of. Macros that they define are not listed here.
    pub files: BTreeSet<String>,
}

/// The files and variables that the build of a program read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledInputs {
    /// True if the inputs of each unit are known. If not, absence from the record says nothing.
    pub is_complete: bool,
    /// The units from folders that may be part of the program, the program's own among them. Sorted.
    pub units: Vec<CompilationUnit>,
    /// Files that decide how everything is built, whether they exist or not: manifests, lock files, the configuration of
    /// the build tool, toolchain files.
    pub settings: BTreeSet<String>,
}

/// One run of the compiler, or of a build script.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CompilationUnit {
    /// Its package.
    pub package: String,
    /// Its target.
    pub target: String,
    /// Its kind.
    pub kind: UnitKind,
    /// Files that the compiler read: sources, and data that they include.
    pub files: BTreeSet<String>,
    /// Files and folders that a build script names as its inputs.
    pub watched: BTreeSet<String>,
    /// Environment variables that the compiler or the build script read, each with the digest of its value, `None` if it
    /// was not set. Variables that the build tool sets itself are left out.
    pub variables: BTreeMap<String, Option<VariableDigest>>,
}

/// The part that a unit plays in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnitKind {
    /// Code that is linked.
    Library,
    /// Code that the compiler runs.
    ProceduralMacro,
    /// Code that runs before the compiler.
    BuildScript,
    /// The benchmark's program itself.
    Program,
    /// Everything that a command of the user ran to build: its files are those that any process asked for, in any language,
    /// and it watches the places where one looked for a file in vain.
    Command,
    /// Files that such a command looked for and did not open: it may have read them in an earlier build of the same folder. It
    /// watches the places where it looked in vain.
    LookedAt,
    /// A program that such a command built and ran, such as a generator of code. Which of the sources are its own is not known.
    Tool,
}

impl UnitKind {
    /// True for what a command of the user read or looked at.
    #[must_use]
    pub const fn is_of_a_command(self) -> bool {
        matches!(self, Self::Command | Self::LookedAt)
    }
}

/// Digest of a variable's value: tells two values apart, and keeps neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VariableDigest(pub [u8; 8]);

/// The files that a benchmark asked the file system for while it ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFiles {
    /// True if every file is known. If not, absence from the record says nothing.
    pub is_complete: bool,
    /// Files of the version that it opened or looked at.
    pub files: BTreeSet<String>,
    /// Folders of the version that it listed.
    pub folders: BTreeSet<String>,
    /// Paths that it looked for and that the version does not have.
    pub missing: BTreeSet<String>,
    /// True if it opened something outside the version.
    pub outside: bool,
}

/// Separates digests of variables from other digests of the same text.
const VARIABLE_CONTEXT: &str = "lito 2026 environment variable of a build";

impl VariableDigest {
    /// The digest of a value.
    #[must_use]
    pub fn of(value: &[u8]) -> Self {
        let digest = blake3::derive_key(VARIABLE_CONTEXT, value);
        Self(*digest.first_chunk().expect("a digest is longer"))
    }
}

impl CompilationUnit {
    /// A unit without inputs.
    #[must_use]
    pub fn new(package: &str, target: &str, kind: UnitKind) -> Self {
        Self {
            package: package.to_owned(),
            target: target.to_owned(),
            kind,
            files: BTreeSet::new(),
            watched: BTreeSet::new(),
            variables: BTreeMap::new(),
        }
    }

    /// True if the unit read a file, or its build script names the file or a folder around it.
    #[must_use]
    pub fn depends_on(&self, path: &str) -> bool {
        self.files.contains(path) || is_at_or_below(path, &self.watched)
    }
}

impl CompiledInputs {
    /// The units that depend on a file.
    pub fn units_with<'r>(&'r self, path: &'r str) -> impl Iterator<Item = &'r CompilationUnit> {
        self.units.iter().filter(move |unit| unit.depends_on(path))
    }

    /// True if everything that a command of the user read is known.
    #[must_use]
    pub fn are_of_a_command(&self) -> bool {
        self.is_complete && self.units.iter().any(|unit| unit.kind == UnitKind::Command)
    }

    /// True if cargo is known to have compiled something.
    #[must_use]
    pub fn are_of_cargo(&self) -> bool {
        let is_of_cargo = |kind: UnitKind| !kind.is_of_a_command() && kind != UnitKind::Tool;
        self.units.iter().any(|unit| is_of_cargo(unit.kind))
    }

    /// The variables of all units.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Option<VariableDigest>)> {
        let all = self.units.iter().flat_map(|unit| &unit.variables);
        all.map(|(name, digest)| (name.as_str(), *digest))
    }
}

impl OpenedFiles {
    /// True if another content at a path may be noticed.
    #[must_use]
    pub fn reads(&self, path: &str) -> bool {
        self.files.contains(path) || is_at_or_below(path, &self.missing)
    }

    /// True if it may be noticed that a path comes or goes: it is read, or stands below a listed folder.
    #[must_use]
    pub fn notices_presence(&self, path: &str) -> bool {
        self.reads(path) || is_at_or_below(path, &self.folders)
    }

    /// True if it may be noticed that a path comes or goes, where it is known which folders stay: it is read, or a listed
    /// folder shows it.
    #[must_use]
    pub fn notices_entry(&self, path: &str, stays: impl Fn(&str) -> bool) -> bool {
        self.reads(path) || self.listed_entry(path, stays).is_some()
    }

    /// The entry by which a listed folder shows that a path comes or goes. The list of a folder shows what stands in it. Of what is
    /// deeper it shows only the folder that comes or goes with it; `stays` says of a folder that it does not.
    #[must_use]
    pub fn listed_entry<'p>(&self, path: &'p str, stays: impl Fn(&str) -> bool) -> Option<&'p str> {
        let mut at = path;
        let mut shown = None;
        while !at.is_empty() {
            let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
            if self.folders.contains(folder) {
                shown = Some(at);
            }
            if shown.is_some() || stays(folder) {
                break;
            }
            at = folder;
        }
        shown
    }
}

/// True if a path is one of these, or below one of them; the empty path is the root.
fn is_at_or_below(path: &str, places: &BTreeSet<String>) -> bool {
    let mut at = path;
    loop {
        if places.contains(at) {
            return true;
        }
        match at.rsplit_once('/') {
            Some((folder, _)) => at = folder,
            None => return !path.is_empty() && places.contains(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn a_listed_folder_notices_what_comes_and_goes_and_not_what_files_hold() {
        let opened = OpenedFiles {
            folders: paths(&["data"]),
            ..OpenedFiles::default()
        };
        assert!(opened.notices_presence("data/new.txt") && opened.notices_presence("data/deep/new.txt"));
        assert!(!opened.reads("data/new.txt") && !opened.notices_presence("database/new.txt"));
        let notices = |path: &str| opened.notices_entry(path, |folder| folder == "data/old");
        assert!(notices("data/new.txt") && notices("data/deep/new.txt") && notices("data/deep/deeper/new.txt"));
        assert!(!notices("data/old/new.txt") && !notices("data/old/deeper/new.txt") && !notices("other/new.txt"));
    }

    #[test]
    fn what_was_looked_for_in_vain_is_read_once_it_is_there() {
        let opened = OpenedFiles {
            missing: paths(&["config"]),
            ..OpenedFiles::default()
        };
        assert!(opened.reads("config") && opened.reads("config/a.toml") && !opened.reads("configs"));
    }

    #[test]
    fn a_build_script_that_names_the_root_depends_on_everything() {
        let mut unit = CompilationUnit::new("p", "build-script-build", UnitKind::BuildScript);
        assert!(!unit.depends_on("a/b"));
        unit.watched = paths(&[""]);
        assert!(unit.depends_on("a/b") && unit.depends_on("c"));
    }

    #[test]
    fn digests_tell_values_apart() {
        assert_eq!(VariableDigest::of(b"1"), VariableDigest::of(b"1"));
        assert_ne!(VariableDigest::of(b"1"), VariableDigest::of(b"2"));
    }
}

//! Changed build files → dependencies and settings that changed. Each language brings the readers of its formats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::VersionStep;
use super::file_roles::{self, BlobText};
use super::model::{ChangeKind, ChangeSet, ChangeSubject, ItemEffect, ItemPresence, SourceChange};
use crate::sources::{Blob, FileChange, FileSource};
use crate::syntax::{ItemKind, ParseCache};
use crate::text_search::line_in_context;

/// One build file at both versions: its text, where the file exists, and all files around it.
pub(crate) struct BuildFileVersions<'a> {
    pub(crate) path: &'a str,
    pub(crate) old: Option<&'a str>,
    pub(crate) new: Option<&'a str>,
    pub(crate) before: &'a dyn FileSource,
    pub(crate) after: &'a dyn FileSource,
}

/// Compares the two versions of a build file.
pub(crate) type BuildFileReader = fn(&BuildFileVersions<'_>) -> BuildChangesResult;

/// The changes of one build file, or why they are unknown.
pub(crate) type BuildChangesResult = Result<Vec<BuildChange>, String>;

/// One thing that changed in how the code is built.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BuildChange {
    /// A package, by its name, and how far it went.
    Package(String, VersionStep),
    /// A setting, as a dotted path.
    Setting(String),
}

/// Lists what changed in the build, each package and setting once.
pub(super) fn list_build_changes(
    builds: &[(BuildFileReader, &FileChange)],
    before: &dyn FileSource,
    after: &dyn FileSource,
    set: &mut ChangeSet,
) {
    let mut found: BTreeMap<BuildChange, (Arc<str>, u32)> = BTreeMap::new();
    for (reader, file) in builds {
        match read(*reader, file, before, after) {
            Ok(findings) => {
                for finding in findings {
                    let line = line_of(&finding, file);
                    // Where a manifest and a lock file say the same, the manifest comes first: `toml` follows
                    // `lock` in the alphabet, so a later manifest replaces the lock file.
                    let shown = found.entry(finding).or_insert_with(|| (Arc::clone(&file.path), line));
                    if shown.0.ends_with(".lock") {
                        *shown = (Arc::clone(&file.path), line);
                    }
                }
            }
            Err(why) => set.degrade(&file.path, why),
        }
    }
    let went_farther: Vec<BuildChange> = (found.keys())
        .filter_map(|finding| match finding {
            BuildChange::Package(name, VersionStep::Incompatible) => {
                Some(BuildChange::Package(name.clone(), VersionStep::Compatible))
            }
            _ => None,
        })
        .collect();
    went_farther.iter().for_each(|finding| {
        found.remove(finding);
    });
    for (finding, (file, line)) in found {
        let (kind, subject) = match finding {
            BuildChange::Package(package, step) => (
                ChangeKind::Dependency,
                ChangeSubject::Dependency {
                    package: package.into(),
                    step,
                },
            ),
            BuildChange::Setting(setting) => (
                ChangeKind::BuildSetting,
                ChangeSubject::Build {
                    setting: setting.into(),
                },
            ),
        };
        set.changes.push(SourceChange {
            kind,
            subject,
            file,
            line,
            callee: None,
            edits: Vec::new(),
        });
    }
}

fn read(
    reader: BuildFileReader,
    file: &FileChange,
    before: &dyn FileSource,
    after: &dyn FileSource,
) -> BuildChangesResult {
    let text = |blob| match file_roles::blob_text(blob)? {
        BlobText::Text(text) => Ok::<_, String>(Some(text)),
        BlobText::Absent => Ok(None),
    };
    let (old, new) = (text(file.before.as_ref())?, text(file.after.as_ref())?);
    if old.is_none() && new.is_none() {
        return Ok(Vec::new());
    }
    reader(&BuildFileVersions {
        path: &file.path,
        old,
        new,
        before,
        after,
    })
}

/// A TOML document, or one clause that says what is wrong with it.
pub(crate) fn parse_toml(text: &str) -> Result<toml::Table, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        match error.span() {
            Some(span) => {
                let before = text.get(..span.start).unwrap_or_default();
                format!("not valid TOML at line {}: {message}", before.matches('\n').count() + 1)
            }
            None => format!("not valid TOML: {message}"),
        }
    })
}

/// All values of a table by their dotted paths; arrays are values.
pub(crate) fn flatten_table(table: &toml::Table) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect("", table, &mut found);
    found
}

fn collect(path: &str, table: &toml::Table, found: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        match value {
            toml::Value::Table(inner) => collect(&path, inner, found),
            value => {
                found.insert(path, value.to_string());
            }
        }
    }
}

/// The settings that differ between two sets of values.
pub(crate) fn differing_settings(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<BuildChange> {
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    paths
        .into_iter()
        .filter(|path| old.get(*path) != new.get(*path))
        .map(|path| BuildChange::Setting(path.clone()))
        .collect()
}

/// The line where a finding stands in the file after, or before; 0 where it is not found.
fn line_of(finding: &BuildChange, file: &FileChange) -> u32 {
    let name = match finding {
        BuildChange::Package(package, _) => package.as_str(),
        BuildChange::Setting(setting) => setting.rsplit('.').next().unwrap_or(setting),
    };
    let blobs = [&file.after, &file.before];
    let sides = blobs.into_iter().flatten();
    let mut texts = sides.filter_map(|blob| std::str::from_utf8(blob.content.bytes()?).ok());
    let found = texts.find_map(|text| {
        let is_package =
            |line: &str| line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"')) == Some(name);
        if let Some(at) = text.lines().position(is_package) {
            return Some(at);
        }
        let is_named = |line: &str| {
            let line = line.trim_start().trim_start_matches(['[', '"']);
            let last = line.split([']', '=', '"', ' ']).next().unwrap_or(line);
            last == name || last.rsplit('.').next() == Some(name)
        };
        text.lines().position(is_named)
    });
    found.map_or(0, |at| u32::try_from(at + 1).unwrap_or(0))
}

/// Sources that run while the code is built, without being the build script or part of a package of macros.
#[derive(Debug, Default)]
pub(crate) struct BuildPrograms {
    /// The scripts that a source, or a package in a folder that ends in a slash, is part of.
    pub(crate) scripts: BTreeMap<String, BTreeSet<String>>,
    /// The macros that a package in a folder is part of.
    pub(crate) macros: BTreeMap<String, BTreeSet<String>>,
}

impl BuildPrograms {
    /// The changes by what scripts and macros write, of a source at a path in the package of a folder.
    pub(super) fn changes(
        &self,
        (file, folder): (&FileChange, Option<&str>),
        trees: [&dyn FileSource; 2],
        parser: &ParseCache,
    ) -> Vec<SourceChange> {
        let of_folder = |parts: &'_ BTreeMap<String, BTreeSet<String>>| {
            folder
                .and_then(|folder| parts.get(folder))
                .into_iter()
                .flatten()
                .cloned()
                .collect()
        };
        let macros: BTreeSet<String> = of_folder(&self.macros);
        let mut scripts: BTreeSet<String> = of_folder(&self.scripts);
        scripts.extend(self.scripts.get(&*file.path).into_iter().flatten().cloned());
        let mut changes = match macros.is_empty() {
            true => Vec::new(),
            false => macro_changes(file, &macros, parser),
        };
        if !scripts.is_empty() && is_other_code(file, parser) {
            changes.extend(changes_of_script(
                file,
                BUILD_SCRIPT,
                names_of_scripts(file, &scripts, trees),
            ));
        }
        changes
    }
}

/// The name under which the price list knows build scripts.
const BUILD_SCRIPT: &str = "build.rs";

/// The names that scripts set, themselves or in one of their parts.
fn names_of_scripts(part: &FileChange, scripts: &BTreeSet<String>, trees: [&dyn FileSource; 2]) -> BTreeSet<String> {
    let roots = trees
        .into_iter()
        .flat_map(|tree| scripts.iter().map(|script| tree.file(script)));
    let sides = [part.before.clone(), part.after.clone()];
    let sources = roots.chain(sides).flatten();
    sources
        .flat_map(|blob| names_set(&text(Some(&blob))).into_keys().collect::<Vec<_>>())
        .collect()
}

/// A build script runs before the build: what matters is that it is another one, and what it sets for the code.
pub(super) fn build_script_changes(file: &FileChange, all: &[&FileChange], parser: &ParseCache) -> Vec<SourceChange> {
    if !is_other_code(file, parser) {
        return Vec::new();
    }
    let script = file.path.rsplit('/').next().unwrap_or_default();
    changes_of_script(file, script, names_set_otherwise(file, all))
}

/// The changes of a script and of names that it sets.
fn changes_of_script(file: &FileChange, script: &str, names: BTreeSet<String>) -> Vec<SourceChange> {
    let script = ChangeSubject::Build { setting: script.into() };
    let set = names.into_iter().map(|name| ChangeSubject::Item {
        name: name.into(),
        test_only: false,
        presence: ItemPresence::Kept,
        effect: ItemEffect::Value,
    });
    std::iter::once(script)
        .chain(set)
        .map(|subject| SourceChange {
            kind: ChangeKind::BuildSetting,
            subject,
            file: Arc::clone(&file.path),
            line: 0,
            callee: None,
            edits: Vec::new(),
        })
        .collect()
}

/// A source of macros that run inside the compiler: each of them may write other code wherever it is named.
pub(super) fn macro_changes(file: &FileChange, macros: &BTreeSet<String>, parser: &ParseCache) -> Vec<SourceChange> {
    if !is_other_code(file, parser) {
        return Vec::new();
    }
    let change = |name: &String| SourceChange {
        kind: ChangeKind::Macro,
        subject: ChangeSubject::Item {
            name: name.as_str().into(),
            test_only: false,
            presence: ItemPresence::Kept,
            effect: ItemEffect::Redefinition,
        },
        file: Arc::clone(&file.path),
        line: 0,
        callee: None,
        edits: Vec::new(),
    };
    macros.iter().map(change).collect()
}

/// True unless both sides of a source define the same, in whatever order and with whatever comments. What cannot be read
/// differs from everything else.
fn is_other_code(file: &FileChange, parser: &ParseCache) -> bool {
    let meaning = |blob: &Option<Blob>| {
        let parsed = parser.get(&file.path, blob.as_ref()?);
        if !parsed.problems.is_empty() {
            return Some((blob.as_ref().map(|blob| blob.id), Vec::new()));
        }
        let functions = parsed.functions.iter().filter(|function| !function.test_only);
        let items =
            (parsed.items.iter()).filter(|item| !item.test_only && !matches!(item.kind, ItemKind::Import { .. }));
        let mut digests: Vec<_> = (functions.map(|function| function.digest))
            .chain(items.map(|item| item.digest))
            .collect();
        digests.sort_unstable();
        Some((None, digests))
    };
    meaning(&file.before) != meaning(&file.after)
}

/// The environment variables and conditions of compilation that a build script sets otherwise than before, and the folder
/// that it writes code to, as its code is another one. A name that went, together with all that a changed file says of it,
/// is settled by that file.
fn names_set_otherwise(script: &FileChange, all: &[&FileChange]) -> BTreeSet<String> {
    let (before, after) = (text(script.before.as_ref()), text(script.after.as_ref()));
    let (before, after) = (names_set(&before), names_set(&after));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let went_with_code = |name: &str| {
        let says = |blob: Option<&Blob>| text(blob).contains(name);
        let others = all.iter().filter(|file| file.path != script.path);
        !after.contains_key(name)
            && others
                .into_iter()
                .any(|file| says(file.before.as_ref()) && !says(file.after.as_ref()))
    };
    let is_set_otherwise = |name: &&String| match (before.get(*name), after.get(*name)) {
        (Some(Setting::Written(old)), Some(Setting::Written(new))) => old != new,
        _ => true,
    };
    names
        .into_iter()
        .filter(|name| is_set_otherwise(name) && !went_with_code(name))
        .cloned()
        .collect()
}

/// The variable that holds the folder for code that a build script writes.
const WRITTEN_CODE: &str = "OUT_DIR";

/// How a build script sets a name.
#[derive(Debug, PartialEq, Eq)]
enum Setting<'t> {
    /// By these lines, each with the conditions around it.
    Written(BTreeSet<Vec<&'t [u8]>>),
    /// By a name or a value that it computes.
    Computed,
}

/// The names that a build script sets for the compiler.
fn names_set(script: &str) -> BTreeMap<String, Setting<'_>> {
    let mut found: BTreeMap<String, Setting<'_>> = BTreeMap::new();
    let lines: Vec<&[u8]> = script.lines().map(str::as_bytes).collect();
    let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    for (at, line) in script.lines().enumerate() {
        for rest in ["rustc-env=", "rustc-cfg="]
            .iter()
            .flat_map(|directive| line.split(directive).skip(1))
        {
            let name: String = rest.chars().take_while(is_part).collect();
            if name.is_empty() {
                // It stands somewhere in the script.
                let quoted = script.split('"').skip(1).step_by(2);
                let is_name = |word: &&str| !word.is_empty() && word.chars().all(|letter| is_part(&letter));
                found.extend(quoted.filter(is_name).map(|name| (name.to_owned(), Setting::Computed)));
            } else if rest.contains('{') {
                found.insert(name, Setting::Computed);
            } else if let Setting::Written(lines_with_it) =
                found.entry(name).or_insert_with(|| Setting::Written(BTreeSet::new()))
            {
                lines_with_it.insert(line_in_context(&lines, at));
            }
        }
    }
    if script.contains(WRITTEN_CODE) {
        found.insert(WRITTEN_CODE.to_owned(), Setting::Computed);
    }
    found
}

fn text(blob: Option<&Blob>) -> std::borrow::Cow<'_, str> {
    let bytes = blob.and_then(|blob| blob.content.bytes());
    bytes.map_or("".into(), |bytes| String::from_utf8_lossy(bytes))
}

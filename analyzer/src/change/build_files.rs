//! Changed build files → dependencies and settings that changed. Formats that lito does not know are not here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file_roles::{self, BlobText, BuildFile, FILES};
use super::model::{ChangeKind, ChangeSet, ChangeSubject, DegradedFile, SourceChange};
use super::{VersionStep, cargo_lock, cargo_manifest, python_requirements};
use crate::sources::{FileChange, FileSource, SourceContent};
use crate::syntax::{ItemKind, ParseCache};

/// What changed in one build file, or why it cannot be said.
pub(super) type BuildChangesResult = Result<Vec<BuildChange>, String>;

/// One thing that changed in how the code is built.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BuildChange {
    /// A package, by its name, and how far it went.
    Package(String, VersionStep),
    /// A setting, as a dotted path.
    Setting(String),
}

/// Lists what changed in the build, each package and setting once.
pub(super) fn list_build_changes(
    builds: &[(BuildFile, &FileChange)],
    before: &dyn FileSource,
    after: &dyn FileSource,
    set: &mut ChangeSet,
) {
    let mut found: BTreeMap<BuildChange, (Arc<str>, u32)> = BTreeMap::new();
    for (kind, file) in builds {
        match read(*kind, file, before, after) {
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
            Err(why) => set.degraded.push(DegradedFile {
                file: file.path.to_string(),
                why,
            }),
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

fn read(kind: BuildFile, file: &FileChange, before: &dyn FileSource, after: &dyn FileSource) -> BuildChangesResult {
    let old = file_roles::blob_text(file.before.as_ref())?;
    let new = file_roles::blob_text(file.after.as_ref())?;
    let (old, new) = match (old, new) {
        (BlobText::Text(old), BlobText::Text(new)) => (Some(old), Some(new)),
        (BlobText::Text(old), BlobText::Absent) => (Some(old), None),
        (BlobText::Absent, BlobText::Text(new)) => (None, Some(new)),
        (BlobText::Absent, BlobText::Absent) => return Ok(Vec::new()),
    };
    match (kind, old, new) {
        (BuildFile::CargoManifest, Some(old), Some(new)) => {
            cargo_manifest::compare(&file.path, (old, before), (new, after))
        }
        (BuildFile::CargoLock, Some(old), Some(new)) => cargo_lock::compare(old, new),
        (BuildFile::Pyproject, Some(old), Some(new)) => python_requirements::pyproject(old, new),
        (BuildFile::Requirements, Some(old), Some(new)) => Ok(python_requirements::requirements(old, new)),
        // A package that came or went changes nothing until something uses it, and a lock file that came
        // or went says nothing of what was resolved without it.
        (BuildFile::CargoManifest | BuildFile::CargoLock | BuildFile::Pyproject | BuildFile::Requirements, ..) => {
            Ok(Vec::new())
        }
        (BuildFile::Toolchain, old, new) => toolchain(old, new),
        (BuildFile::CargoConfig, old, new) => cargo_config(old, new),
    }
}

fn toolchain(old: Option<&str>, new: Option<&str>) -> BuildChangesResult {
    let channel = |text: Option<&str>| -> Result<BTreeMap<String, String>, String> {
        let Some(text) = text else {
            return Ok(BTreeMap::new());
        };
        // The older format is the channel alone.
        if !text.contains('[') {
            return Ok(BTreeMap::from([(
                "toolchain.channel".to_owned(),
                format!("\"{}\"", text.trim()),
            )]));
        }
        let mut leaves = flatten_table(&parse_toml(text)?);
        leaves.retain(|path, _| !path.starts_with("toolchain.components") && path != "toolchain.profile");
        Ok(leaves)
    };
    Ok(differing_settings(&channel(old)?, &channel(new)?))
}

fn cargo_config(old: Option<&str>, new: Option<&str>) -> BuildChangesResult {
    let settings = |text: Option<&str>| -> Result<BTreeMap<String, String>, String> {
        let mut table = parse_toml(text.unwrap_or(""))?;
        table.retain(|key, _| !FILES.cargo_config.ignored.iter().any(|ignored| ignored == key));
        Ok(flatten_table(&table))
    };
    Ok(differing_settings(&settings(old)?, &settings(new)?))
}

/// A TOML document, or one clause that says what is wrong with it.
pub(super) fn parse_toml(text: &str) -> Result<toml::Table, String> {
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
pub(super) fn flatten_table(table: &toml::Table) -> BTreeMap<String, String> {
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
pub(super) fn differing_settings(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<BuildChange> {
    let paths: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
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
    let mut texts = blobs.into_iter().flatten().filter_map(|blob| match &blob.content {
        SourceContent::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    });
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

/// True for the `build.rs` of a package.
pub(super) fn is_build_script(file: &FileChange, before: &dyn FileSource, after: &dyn FileSource) -> bool {
    let Some(folder) = file.path.strip_suffix("build.rs") else {
        return false;
    };
    let manifest = format!("{folder}Cargo.toml");
    (folder.is_empty() || folder.ends_with('/'))
        && [after, before].into_iter().any(|tree| tree.file(&manifest).is_some())
}

/// A build script runs before the build: what matters is that it is another one.
pub(super) fn build_script_change(file: &FileChange, parser: &ParseCache) -> Option<SourceChange> {
    let meaning = |blob: &Option<crate::sources::Blob>| {
        let parsed = parser.get(&file.path, blob.as_ref()?);
        if !parsed.problems.is_empty() {
            // What cannot be read is another script than anything.
            return Some((blob.as_ref().map(|blob| blob.id), Vec::new()));
        }
        let functions = parsed.functions.iter().map(|function| function.digest);
        let items = parsed
            .items
            .iter()
            .filter(|item| !matches!(item.kind, ItemKind::Import { .. }));
        let mut digests: Vec<_> = functions.chain(items.map(|item| item.digest)).collect();
        digests.sort_unstable();
        Some((None, digests))
    };
    if meaning(&file.before) == meaning(&file.after) {
        return None;
    }
    Some(SourceChange {
        kind: ChangeKind::BuildSetting,
        subject: ChangeSubject::Build {
            setting: "build.rs".into(),
        },
        file: Arc::clone(&file.path),
        line: 0,
        callee: None,
        edits: Vec::new(),
    })
}

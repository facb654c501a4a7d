//! The list of the studied projects, a TOML file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::accuracy::StudyKind;
use serde::{Deserialize, Serialize};

use engine::EngineError;
use engine::settings;

/// The file's content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectListFile {
    #[serde(default)]
    project: Vec<ProjectListEntry>,
    #[serde(default)]
    case: Vec<ProjectListCase>,
}

/// A version that the tables list by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectListCase {
    /// The project.
    pub project: String,
    /// The display name of the version.
    pub version: String,
}

/// The projects and versions of the study.
pub struct ProjectList {
    /// The projects, in the order in which they are studied.
    pub projects: Vec<StudyProject>,
    /// Versions that are listed by name.
    pub cases: Vec<ProjectListCase>,
}

/// One project, as written in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectListEntry {
    name: String,
    study: StudyKind,
    #[serde(rename = "crate")]
    package: Option<String>,
    from: Option<String>,
    repository: Option<String>,
    through: Option<String>,
    last: Option<usize>,
    harness: Option<PathBuf>,
    dropped: Option<String>,
    #[serde(default)]
    held_out: bool,
}

/// One project of the study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyProject {
    /// Its name, unique within its study.
    pub name: String,
    /// The study.
    pub study: StudyKind,
    /// Its benchmarks: the folder of a package.
    pub harness: PathBuf,
    /// The source of its versions.
    pub source: StudyVersionSource,
    /// The reason why it is no longer measured.
    pub dropped: Option<String>,
    /// Whether it is measured and predicted, but never learned from.
    pub held_out: bool,
}

/// The source of a project's versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudyVersionSource {
    /// The releases of a package, starting with a given one.
    Releases {
        /// The package.
        package: String,
        /// The oldest release; `None` for the first.
        from: Option<String>,
    },
    /// The commits of a repository.
    Commits {
        /// Its address.
        repository: String,
        /// The newest commit.
        through: String,
        /// Number of commits that change compiled files.
        last: usize,
    },
}

impl StudyProject {
    /// `releases/semver`: its folder among the results.
    pub fn folder(&self) -> String {
        format!("{}/{}", study_name(self.study), self.name)
    }

    /// Fails if its benchmarks do not exist. `list` is the file that names them.
    pub fn check_harness(&self, list: &Path) -> Result<(), EngineError> {
        let manifest = self.harness.join("Cargo.toml");
        if self.harness.join(settings::FILE).is_file() {
            return Ok(());
        }
        let why = match fs::metadata(&manifest) {
            Ok(found) if found.is_file() => return Ok(()),
            Ok(_) => String::from("it is not a file"),
            Err(error) => error.to_string(),
        };
        Err(EngineError::request(format_args!(
            "studying {}: its harness: {}: {why}; mend `harness` in {}: it names the folder of a package with the benchmarks, or \
             one with a {} that describes them",
            self.folder(),
            manifest.display(),
            list.display(),
            settings::FILE
        )))
    }
}

/// An address; a relative path is resolved in the list's folder.
fn address_from(folder: &Path, address: String) -> String {
    match folder.join(&address).canonicalize() {
        Ok(local) if !address.contains("://") => local.to_string_lossy().into_owned(),
        _ => address,
    }
}

/// The name of a study in the list.
pub fn study_name(study: StudyKind) -> &'static str {
    match study {
        StudyKind::Commits => "commits",
        StudyKind::Releases => "releases",
    }
}

/// Reads a list. Paths of harnesses in it are relative to its folder.
pub fn read(path: &Path) -> Result<ProjectList, EngineError> {
    let failed = |why: String| {
        EngineError::request(format_args!(
            "reading the list of projects: {}: {}; mend it there: docs/src/how-to/evaluate.md tells what a list has",
            path.display(),
            why.trim_end()
        ))
    };
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let file: ProjectListFile = toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut projects: Vec<StudyProject> = Vec::new();
    for entry in file.project {
        let name = entry.name.clone();
        let project = project(entry, folder).map_err(|why| failed(format!("`{name}`: {why}")))?;
        if projects.iter().any(|other| other.folder() == project.folder()) {
            return Err(failed(format!("`{}` is there twice", project.folder())));
        }
        projects.push(project);
    }
    Ok(ProjectList {
        projects,
        cases: file.case,
    })
}

fn project(entry: ProjectListEntry, folder: &Path) -> Result<StudyProject, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if entry.name.is_empty() || !entry.name.chars().all(is_plain) {
        return Err(String::from("a name has letters, digits, `-` and `_` only"));
    }
    let source = match entry.study {
        StudyKind::Releases => StudyVersionSource::Releases {
            package: entry.package.unwrap_or_else(|| entry.name.clone()),
            from: entry.from,
        },
        StudyKind::Commits => StudyVersionSource::Commits {
            repository: entry
                .repository
                .map(|address| address_from(folder, address))
                .ok_or("it lacks `repository`, an address")?,
            through: entry.through.ok_or("it lacks `through`, the newest commit")?,
            last: entry.last.ok_or("it lacks `last`, how many commits")?,
        },
    };
    let harness = match (entry.harness, &entry.dropped) {
        (Some(harness), _) => folder.join(harness),
        (None, Some(_)) => PathBuf::new(),
        (None, None) => {
            return Err(String::from("it lacks `harness`, the folder of its benchmarks"));
        }
    };
    Ok(StudyProject {
        name: entry.name,
        study: entry.study,
        harness,
        source,
        dropped: entry.dropped,
        held_out: entry.held_out,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn listed(more: &str) -> Result<StudyProject, String> {
        let text = format!("name = \"a\"\nstudy = \"releases\"\nharness = \"h\"\n{more}");
        let entry = toml::from_str(&text).map_err(|error| error.to_string())?;
        project(entry, Path::new("/list"))
    }

    #[test]
    fn a_project_is_learned_from_unless_it_is_held_out() {
        assert!(!listed("").unwrap().held_out);
        assert!(listed("held_out = true").unwrap().held_out);
        assert!(listed("held_out = \"yes\"").is_err());
    }
}

//! The list of the projects that are studied, a TOML file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::accuracy::StudyKind;
use serde::{Deserialize, Serialize};

use engine::EngineError;

/// The list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectListFile {
    #[serde(default)]
    project: Vec<ProjectListEntry>,
    #[serde(default)]
    case: Vec<ProjectListCase>,
}

/// A version that the tables tell of by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectListCase {
    /// The project.
    pub project: String,
    /// What people call the version.
    pub version: String,
}

/// What is studied.
pub struct ProjectList {
    /// The projects, in the order in which they are studied.
    pub projects: Vec<StudyProject>,
    /// Versions that are told of by name.
    pub cases: Vec<ProjectListCase>,
}

/// One project, as it is written.
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
    /// Where its versions come from.
    pub source: StudyVersionSource,
    /// Why it is not measured any more.
    pub dropped: Option<String>,
}

/// Where versions come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudyVersionSource {
    /// The releases of a package, from one on.
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
        /// So many that touch what is compiled.
        last: usize,
    },
}

impl StudyProject {
    /// `releases/semver`: its folder among the results.
    pub fn folder(&self) -> String {
        format!("{}/{}", study_name(self.study), self.name)
    }

    /// Fails where its benchmarks are not there. `list` is where it is told of.
    pub fn check_harness(&self, list: &Path) -> Result<(), EngineError> {
        let manifest = self.harness.join("Cargo.toml");
        let why = match fs::metadata(&manifest) {
            Ok(found) if found.is_file() => return Ok(()),
            Ok(_) => String::from("it is not a file"),
            Err(error) => error.to_string(),
        };
        Err(EngineError::request(format_args!(
            "studying {}: its harness: {}: {why}; mend `harness` in {}: it names the folder of a package with the benchmarks",
            self.folder(),
            manifest.display(),
            list.display()
        )))
    }
}

/// An address; the name of a folder is taken from the list's.
fn address_from(folder: &Path, address: String) -> String {
    match folder.join(&address).canonicalize() {
        Ok(local) if !address.contains("://") => local.to_string_lossy().into_owned(),
        _ => address,
    }
}

/// The name of a study, as it is written.
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
    })
}

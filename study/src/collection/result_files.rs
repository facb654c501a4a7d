//! The files of the study: one folder for each project, one line for each version. A killed run loses at most one line,
//! and `diff` compares two runs.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::accuracy::{MeasuredVersion, PredictedVersion, ProjectResults, StudyKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::project_list::{self, ProjectListCase};
use engine::EngineError;
use runner::store::DEFAULT_URL;
use runner::whole_file;

/// The properties of a project as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProjectMetadata {
    /// Why it is not part of the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
    /// Whether it is only judged: nothing is learned from it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub held_out: bool,
    /// The environment that the counts depend on, besides the sources.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Seconds of sampling, by commit.
    #[serde(default)]
    pub sampling: BTreeMap<String, f64>,
    /// The digest of the harness that measured; `None` for results from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// The store of the samples that this harness took; `None` for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<String>,
}

impl ProjectMetadata {
    /// The URL of the store of the samples.
    pub fn store(&self) -> &str {
        self.samples.as_deref().unwrap_or(DEFAULT_URL)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The results of one project.
#[derive(Debug, Clone)]
pub struct ProjectResultsFolder(PathBuf);

impl ProjectResultsFolder {
    /// The folder of a project inside that of all results; created if missing.
    pub fn of(results: &Path, project: &project_list::StudyProject) -> Result<Self, EngineError> {
        let folder = results.join(project.folder());
        fs::create_dir_all(&folder).map_err(|error| failed("making", &folder, &error))?;
        Ok(Self(folder))
    }

    /// The versions measured so far, oldest first. A last line that a kill cut short is dropped, also from the file, so
    /// that the next line is not appended to it.
    pub fn measured(&self) -> Result<Vec<MeasuredVersion>, EngineError> {
        let path = self.measured_file();
        let lines = lines(&path)?;
        if lines.is_cut_short {
            let file = OpenOptions::new().write(true).open(&path);
            let cut = file.and_then(|file| file.set_len(lines.whole));
            cut.map_err(|error| failed("mending", &path, &error))?;
        }
        Ok(lines.read)
    }

    /// Replaces the measured versions.
    pub fn write_measured(&self, versions: &[MeasuredVersion]) -> Result<(), EngineError> {
        let text: String = versions.iter().map(line).collect();
        write(&self.measured_file(), &text)
    }

    /// Sets the measured versions aside, under a name that no table reads, and forgets the predictions. One older
    /// generation is kept.
    pub fn set_aside(&self) -> Result<(), EngineError> {
        let measured = self.measured_file();
        let rename = fs::rename(&measured, measured.with_extension("before.jsonl"));
        match rename {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("moving", &measured, &error)),
            Ok(()) | Err(_) => {}
        }
        let predicted = self.predicted_file();
        match fs::remove_file(&predicted) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("removing", &predicted, &error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The file of measured versions.
    pub fn measured_file(&self) -> PathBuf {
        self.0.join("measured.jsonl")
    }

    /// Replaces the predictions.
    pub fn write_predicted(&self, versions: &[PredictedVersion]) -> Result<(), EngineError> {
        let mut text = String::new();
        for version in versions {
            text.push_str(&line(version));
        }
        write(&self.predicted_file(), &text)
    }

    fn predicted_file(&self) -> PathBuf {
        self.0.join("predicted.jsonl")
    }

    /// The properties of the project as a whole.
    pub fn about(&self) -> Result<ProjectMetadata, EngineError> {
        Ok(json(&self.0.join("about.json"))?.unwrap_or_default())
    }

    /// Replaces the properties.
    pub fn write_metadata(&self, about: &ProjectMetadata) -> Result<(), EngineError> {
        let text = serde_json::to_string_pretty(about).expect("strings and numbers");
        write(&self.0.join("about.json"), &(text + "\n"))
    }
}

/// The file of the versions that are listed by name.
const CASES: &str = "cases.json";

/// Stores the versions that are listed by name with the results.
pub fn keep_cases(results: &Path, cases: &[ProjectListCase]) -> Result<(), EngineError> {
    let text = serde_json::to_string_pretty(cases).expect("names");
    write(&results.join(CASES), &(text + "\n"))
}

/// The versions that are listed by name.
pub fn cases(results: &Path) -> Result<Vec<ProjectListCase>, EngineError> {
    Ok(json(&results.join(CASES))?.unwrap_or_default())
}

/// All results in a folder.
pub struct StudyResults {
    /// The projects in the order of their names.
    pub projects: Vec<ProjectResults>,
    /// Messages about files whose last line was cut short.
    pub cut_short: Vec<String>,
}

/// Reads all results in a folder. Changes nothing, because a study may be writing to it.
pub fn read(results: &Path) -> Result<StudyResults, EngineError> {
    let (mut read, mut cut_short) = (Vec::new(), Vec::new());
    for study in [StudyKind::Commits, StudyKind::Releases] {
        let folder = results.join(project_list::study_name(study));
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("reading", &folder, &error)),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| failed("reading", &folder, &error))?;
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
        folders.sort();
        for path in folders {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.into_owned();
            let folder = ProjectResultsFolder(path);
            let about = folder.about()?;
            let measured: JsonLines<MeasuredVersion> = lines(&folder.measured_file())?;
            let predicted: JsonLines<PredictedVersion> = lines(&folder.predicted_file())?;
            cut_short.extend(measured.cut_short(&folder.measured_file()));
            cut_short.extend(predicted.cut_short(&folder.predicted_file()));
            read.push(ProjectResults {
                name,
                study,
                dropped: about.dropped,
                held_out: about.held_out,
                measured: measured.read,
                predicted: (predicted.read.into_iter())
                    .map(|version| (version.commit.clone(), version))
                    .collect(),
                sampling: about.sampling,
            });
        }
    }
    if read.is_empty() {
        return Err(EngineError::request(format_args!(
            "reading results: {}: there are none; `lito evaluate PROJECTS` leaves them there, in folders `commits` and \
             `releases`",
            results.display()
        )));
    }
    Ok(StudyResults {
        projects: read,
        cut_short,
    })
}

/// Appends a line to a file, and flushes it to disk.
pub fn append<T: Serialize>(path: &Path, value: &T) -> Result<(), EngineError> {
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| {
            file.write_all(line(value).as_bytes())?;
            file.sync_data()
        });
    written.map_err(|error| failed("writing", path, &error))
}

fn line<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("strings, numbers and maps with names");
    text + "\n"
}

/// The content of a JSON file; `None` if it does not exist.
fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, EngineError> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| failed("reading", path, &error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("reading", path, &error)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), EngineError> {
    whole_file::write(path, text)
        .map_err(|error| EngineError::environment(format_args!("writing the study's results: {error}")))
}

/// The lines of a file.
struct JsonLines<T> {
    read: Vec<T>,
    /// True if a kill cut the last line short.
    is_cut_short: bool,
    /// Bytes of the complete lines.
    whole: u64,
}

impl<T> JsonLines<T> {
    fn cut_short(&self, path: &Path) -> Option<String> {
        self.is_cut_short.then(|| {
            format!(
                "reading results: {}: its last line was cut short and is left out; go on with the study to have it",
                path.display()
            )
        })
    }
}

/// The lines of a file; empty if it does not exist.
fn lines<T: DeserializeOwned>(path: &Path) -> Result<JsonLines<T>, EngineError> {
    let mut lines = JsonLines {
        read: Vec::new(),
        is_cut_short: false,
        whole: 0,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(lines),
        Err(error) => return Err(failed("reading", path, &error)),
    };
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    loop {
        text.clear();
        let length = reader
            .read_until(b'\n', &mut text)
            .map_err(|error| failed("reading", path, &error))?;
        if length == 0 {
            return Ok(lines);
        }
        if !text.ends_with(b"\n") {
            lines.is_cut_short = true;
            return Ok(lines);
        }
        lines.whole += length as u64;
        let number = lines.read.len() + 1;
        let value = serde_json::from_slice(&text)
            .map_err(|error| failed("reading", path, &format!("line {number}: {error}")))?;
        lines.read.push(value);
    }
}

fn failed(attempt: &str, path: &Path, why: &impl std::fmt::Display) -> EngineError {
    EngineError::environment(format_args!(
        "{attempt} results: {}: {why}; mend it, or remove it to make it anew",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn properties_without_a_word_on_it_are_of_a_project_that_is_learned_from() {
        let about: ProjectMetadata = serde_json::from_str("{}").unwrap();
        assert_eq!(about, ProjectMetadata::default());
        let text = serde_json::to_string(&about).unwrap();
        assert!(!text.contains("held_out"), "{text}");
        let held_out = ProjectMetadata {
            held_out: true,
            ..about
        };
        let text = serde_json::to_string(&held_out).unwrap();
        assert_eq!(serde_json::from_str::<ProjectMetadata>(&text).unwrap(), held_out);
    }
}

//! Changes that a comparison of calls does not show, in each language, and changes that are none: `tests/blind`.
//!
//! Each folder there has a repository (`base/`), sampled once, and cases, each a commit on top of it. A case begins with what the
//! score must say, `flag BENCHMARK` or `skip`, and goes on with edits: `=== FILE write`, `append`, `repeat` or `replace`, each
//! followed by its text. A line `---` stands between what is replaced and what replaces it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::gate::report;
use super::interpreted::naming_interpreter;
use super::repository::TestRepository;

/// The placeholder in a base for the interpreter of this machine.
const INTERPRETER: &str = "PYTHON";

struct BlindCase {
    name: String,
    /// The benchmarks that the score must select; none for a change that must be skipped.
    flagged: Vec<String>,
    edits: Vec<FileEdit>,
}

struct FileEdit {
    file: String,
    how: String,
    texts: Vec<String>,
}

impl BlindCase {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut parts = text.split("=== ");
        let expected = parts.next().unwrap();
        let flagged = (expected.lines())
            .filter_map(|line| Some(line.strip_prefix("flag ")?.trim().to_owned()))
            .collect::<Vec<_>>();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            flagged.is_empty() == expected.contains("skip"),
            "{name} says what is expected"
        );
        let edits = parts.map(|part| {
            let (head, body) = part.split_once('\n').unwrap();
            let (file, how) = head.split_once(' ').unwrap();
            FileEdit {
                file: file.to_owned(),
                how: how.trim().to_owned(),
                texts: body.split("---\n").map(str::to_owned).collect(),
            }
        });
        Self {
            edits: edits.collect(),
            flagged,
            name,
        }
    }

    fn apply(&self, repository: &TestRepository) {
        for edit in &self.edits {
            let before = fs::read_to_string(repository.file(&edit.file)).unwrap_or_default();
            let text = &edit.texts[0];
            let after = match &*edit.how {
                "write" => text.clone(),
                "append" => before + text,
                "repeat" => before.repeat(text.trim().parse().unwrap()),
                "replace" => {
                    let old = text.trim_end_matches('\n');
                    assert_eq!(before.matches(old).count(), 1, "{}: {old}", self.name);
                    before.replace(old, edit.texts[1].trim_end_matches('\n'))
                }
                other => panic!("{}: no edit is called {other}", self.name),
            };
            repository.write(&edit.file, &after);
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// Scores every case of a language, and tells of those that come out wrong.
fn wrong_cases(language: &str, interpreter: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blind").join(language);
    let repository = TestRepository::unborn();
    let base = folder.join("base");
    for file in files_below(&base) {
        let text = fs::read_to_string(&file).unwrap().replace(INTERPRETER, interpreter);
        repository.write(&file.strip_prefix(&base).unwrap().to_string_lossy(), &text);
    }
    let base = repository.commit("base");
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let cases = files_below(&folder.join("cases"));
    assert!(cases.len() > 10, "{language} has cases");
    let mut wrong = Vec::new();
    for case in cases.iter().map(|path| BlindCase::read(path)) {
        repository.git(&["checkout", "--quiet", "-B", "case", &base]);
        case.apply(&repository);
        repository.commit(&case.name);
        let scored = report(&repository.lito(&["score", "HEAD", "--format", "json"]), 0)["versions"][0].clone();
        let selected: BTreeSet<&str> = (scored["benchmarks"].as_array().into_iter().flatten())
            .filter(|benchmark| benchmark["selected"] == true)
            .filter_map(|benchmark| benchmark["name"].as_str())
            .collect();
        let is_right = match &*case.flagged {
            [] => selected.is_empty(),
            flagged => flagged.iter().all(|name| selected.contains(&**name)),
        };
        if !is_right {
            wrong.push(format!("{}: selects {selected:?}: {}", case.name, reason(&scored)));
        }
    }
    wrong
}

fn reason(scored: &Value) -> String {
    scored["reason"].to_string()
}

#[test]
fn changes_of_rust_that_only_set_up_executes_are_selected_and_others_are_not() {
    assert_eq!(wrong_cases("rust", ""), [""; 0]);
}

#[test]
fn changes_of_c_that_calls_do_not_show_are_selected_and_others_are_not() {
    assert_eq!(wrong_cases("c", ""), [""; 0]);
}

#[test]
fn changes_of_cpp_that_calls_do_not_show_are_selected_and_others_are_not() {
    assert_eq!(wrong_cases("cpp", ""), [""; 0]);
}

#[test]
fn changes_of_python_that_calls_do_not_show_are_selected_and_others_are_not() {
    let Some(python) = naming_interpreter() else { return };
    assert_eq!(wrong_cases("python", &python.to_string_lossy()), [""; 0]);
}

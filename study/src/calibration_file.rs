//! The parameters learned from all projects → the file that lito ships, with its comments.

use std::fs;
use std::path::Path;

use crate::accuracy::{CrossValidationFold, Evaluation, StudyKind};
use toml_edit::{DocumentMut, value};

use engine::EngineError;
use runner::whole_file;

/// Significant digits in the file.
const DIGITS: i32 = 3;

/// Writes the calibration, and the probability from which commits are selected, into a file in the format of
/// `analyzer/config/risk.toml`.
pub fn write(evaluation: &Evaluation, path: &Path) -> Result<(), EngineError> {
    let failed = |why: String| {
        EngineError::request(format_args!(
            "writing what was learned: {}: {why}; name a file like analyzer/config/risk.toml",
            path.display()
        ))
    };
    let learned = |study: StudyKind| {
        let of_all = |fold: &&CrossValidationFold| fold.project.is_none() && fold.study == study;
        evaluation.folds.iter().find(of_all)
    };
    let fold = learned(StudyKind::Commits)
        .or_else(|| learned(StudyKind::Releases))
        .ok_or_else(|| failed(String::from("nothing was predicted that it could be learned from")))?;
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let mut document: DocumentMut = text.parse().map_err(|error| failed(format!("{error}")))?;
    document["select_at"] = value(rounded(fold.select_at));
    let calibration = &mut document["calibration"];
    calibration["shape"] = value(rounded(fold.calibration.shape));
    calibration["expected"] = value(rounded(fold.calibration.expected));
    calibration["priced_beyond"] = value(rounded(fold.calibration.priced_beyond));
    for (class, weight) in &fold.calibration.weights {
        let name = serde_json::to_value(class).expect("a name");
        calibration["weights"][name.as_str().unwrap_or_default()] = value(rounded(*weight));
    }
    whole_file::write(path, document.to_string())
        .map_err(|error| EngineError::environment(format_args!("writing what was learned: {error}")))
}

fn rounded(figure: f64) -> f64 {
    crate::rounded(figure, DIGITS)
}

//! Predictions → one `lito.score/1` document, written piece by piece as the versions are scored: the head, the versions
//! with separators between them, the tail. One version per line.

use analyzer::score::{CostModel, SCHEMA, VersionScore};

/// Everything before the first version.
#[must_use]
pub fn json_head(model: CostModel, threshold: f64) -> String {
    let model = serde_json::to_string(&model).expect("a unit variant is always encoded");
    format!("{{\"schema\":\"{SCHEMA}\",\"model\":{model},\"threshold\":{threshold},\"versions\":[\n")
}

/// One version.
#[must_use]
pub fn json_version(version: &VersionScore) -> String {
    serde_json::to_string(version).expect("strings and numbers are always encoded")
}

/// The separator between two versions.
#[must_use]
pub fn json_separator() -> &'static str {
    ",\n"
}

/// Everything after the last version.
#[must_use]
pub fn json_tail() -> &'static str {
    "\n]}\n"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use analyzer::score::ScoreReport;

    use super::super::human::tests::{skipped, slower};
    use super::*;

    #[test]
    fn the_pieces_are_the_document() {
        let versions = vec![slower(), skipped()];
        let document = format!(
            "{}{}{}{}{}",
            json_head(CostModel::Lito, 0.05),
            json_version(&versions[0]),
            json_separator(),
            json_version(&versions[1]),
            json_tail()
        );
        let read: ScoreReport = serde_json::from_str(&document).unwrap();
        let report = ScoreReport {
            schema: String::from("lito.score/1"),
            model: CostModel::Lito,
            threshold: 0.05,
            versions,
        };
        assert_eq!(read, report);
    }

    #[test]
    fn no_version_is_a_document_too() {
        let document = format!("{}{}", json_head(CostModel::Paper, 0.1), json_tail());
        let read: ScoreReport = serde_json::from_str(&document).unwrap();
        assert_eq!((read.model, read.versions.len()), (CostModel::Paper, 0));
    }
}

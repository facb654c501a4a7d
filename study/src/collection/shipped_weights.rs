//! The weights that lito ships, and the projects that they were fitted on.

use analyzer::cost::PriceList;

use crate::accuracy::{PretrainedCalibration, ProjectResults};

/// The projects of lito's own study whose versions the shipped weights were fitted on.
const FITTED_ON: [&str; 29] = [
    "aho-corasick",
    "base64",
    "bytes",
    "csv",
    "fixedbitset",
    "hashbrown",
    "http",
    "httparse",
    "indexmap",
    "itoa",
    "lz4_flex",
    "memchr",
    "miniz_oxide",
    "petgraph",
    "png",
    "pulldown-cmark",
    "regex",
    "regex-syntax",
    "roaring",
    "ryu",
    "semver",
    "serde_json",
    "smallvec",
    "textwrap",
    "tinyvec",
    "toml",
    "unicode-segmentation",
    "uuid",
    "winnow",
];

/// The shipped calibration, which scores every repository.
#[must_use]
pub fn shipped() -> PretrainedCalibration {
    let risk = PriceList::shipped().risk;
    PretrainedCalibration {
        calibration: risk.calibration,
        select_at: risk.select_at,
    }
}

/// The projects among some that the shipped weights were fitted on, by name: figures for them are too good.
#[must_use]
pub fn fitted_on(projects: &[ProjectResults]) -> Vec<String> {
    let mut names: Vec<String> = (projects.iter())
        .filter(|project| project.dropped.is_none() && FITTED_ON.contains(&project.name.as_str()))
        .map(|project| project.name.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The list of the study, as far as it says what the weights are fitted on.
    fn fitted() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let list = std::fs::read_to_string(folder.join("projects.toml")).unwrap();
        let list: toml::Table = list.parse().unwrap();
        let projects = list["project"].as_array().unwrap();
        let is_predicted = |project: &&toml::Value| {
            let of = |key: &str| project[key].as_str().unwrap();
            let results = folder.join("results").join(of("study")).join(of("name"));
            results.join("predicted.jsonl").is_file()
        };
        let is_set =
            |project: &toml::Value, key: &str| project.get(key).is_some_and(|value| value.as_bool() != Some(false));
        let names = projects
            .iter()
            .filter(is_predicted)
            .filter(|project| !is_set(project, "dropped") && !is_set(project, "held_out"));
        names
            .map(|project| project["name"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_names_are_those_of_the_study() {
        let named: BTreeSet<String> = FITTED_ON.into_iter().map(str::to_owned).collect();
        assert_eq!(named, fitted());
    }
}

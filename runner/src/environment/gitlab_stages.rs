//! The CI configuration of a GitLab project → the stages that its jobs can have. Included files are not read.

use std::fs;
use std::path::Path;

use saphyr::{LoadableYamlNode as _, Yaml};

/// Largest configuration that is read, in bytes; GitLab itself takes no more.
const FILE_LIMIT: u64 = 1 << 20;

/// The stages that a configuration lists, in their order; `None` if it lists none, or cannot be read: then GitLab's own
/// apply, or nobody knows.
#[must_use]
pub fn gitlab_stages(configuration: &Path) -> Option<Vec<String>> {
    let size = fs::metadata(configuration).ok()?.len();
    let text = (size <= FILE_LIMIT).then(|| fs::read_to_string(configuration).ok())??;
    of_text(&text)
}

fn of_text(text: &str) -> Option<Vec<String>> {
    let documents = Yaml::load_from_str(text).ok()?;
    // A first document may declare the inputs of a component.
    let stages = (documents.iter()).find_map(|document| document.as_mapping_get("stages")?.as_sequence())?;
    let names: Vec<String> = stages
        .iter()
        .filter_map(|stage| stage.as_str().map(str::to_owned))
        .collect();
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read_where_they_are_listed() {
        let listed = of_text("include: x.yml\nstages: [build, \"check it\"]\njob:\n  script: !reference [a, b]\n");
        assert_eq!(listed, Some(vec![String::from("build"), String::from("check it")]));
        let second = of_text("spec:\n  inputs: {}\n---\nstages:\n  - deploy\n");
        assert_eq!(second, Some(vec![String::from("deploy")]));
        for text in [
            "",
            "job:\n  script: make\n",
            "stages: []\n",
            "stages: [[\n",
            "- stages\n",
        ] {
            assert_eq!(of_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_configuration_that_is_not_there_lists_none() {
        assert_eq!(gitlab_stages(Path::new("/dev/null/.gitlab-ci.yml")), None);
    }
}

//! The suites of benchmarks in a repository → their tables in lito.toml.

use std::path::Path;

use runner::frameworks::{FoundSuite, RepositorySources, find_suites};
use runner::git::{GitError, Repository};

/// The first line behind the benchmarks in the documented settings.
const NEXT: &str = "\n[sampling]\n";

/// The suites in the committed files of a repository whose benchmarks lito does not find by itself, as it does with those of cargo.
pub(super) fn of_repository(repository: &Repository, root: &Path) -> Result<Vec<FoundSuite>, GitError> {
    if root.join("Cargo.toml").is_file() {
        return Ok(Vec::new());
    }
    let Ok(head) = repository.resolve("HEAD") else {
        return Ok(Vec::new());
    };
    let paths = repository.paths(head)?.into_iter();
    let paths = paths.map(|(path, _)| path.lossy().into_owned());
    Ok(find_suites(&RepositorySources::new(root, paths)))
}

/// The documented settings with the suites as benchmarks.
pub(super) fn settings(documented: &str, suites: &[FoundSuite]) -> String {
    if suites.is_empty() {
        return documented.to_owned();
    }
    let tables: String = suites.iter().map(table).collect();
    let found =
        format!("\n# Found in this repository. `lito bench list` shows what each of them measures.\n{tables}{NEXT}");
    documented.replacen(NEXT, &found, 1)
}

fn table(suite: &FoundSuite) -> String {
    let list = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
    let mut table = format!("\n[[benchmarks]]{:23}# {}\nadapter = \"command\"\n", "", name(suite));
    if !suite.build.is_empty() {
        table += &format!("build = [{}]\n", list(&suite.build));
    }
    table += &format!("run = [{}]\n", list(&suite.run));
    let variables = suite
        .env
        .iter()
        .map(|(name, value)| format!("{name} = {}", quoted(value)));
    let variables: Vec<String> = variables.collect();
    if !variables.is_empty() {
        table += &format!("env = {{ {} }}\n", variables.join(", "));
    }
    table
}

/// A text as TOML writes it. Of what JSON writes otherwise, no path of a suite has anything.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A suite as it is told: `benchmarks of pytest in bench`.
fn name(suite: &FoundSuite) -> String {
    let kind = if suite.is_of_tests { "tests" } else { "benchmarks" };
    format!("{kind} of {} in {}", suite.framework, suite.places.join(", "))
}

/// The suites and the next step, for the user.
pub(super) fn told(suites: &[FoundSuite]) -> String {
    let names: Vec<String> = suites.iter().map(name).collect();
    let stand_in = match suites.iter().all(|suite| suite.is_of_tests) {
        true => "; there are no benchmarks, so that tests stand in for them",
        false => "",
    };
    format!(
        "found {}{stand_in}; `lito bench list` shows what they measure",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use engine::settings::{FILE, Settings};

    use super::super::DOCUMENTED;
    use super::*;

    #[test]
    fn settings_with_suites_are_read_as_they_are_written() {
        let suite = FoundSuite {
            framework: "google-benchmark",
            places: vec!["target/cmake/bench \"marks\"".to_owned()],
            build: ["sh", "-c", "make \"$CARGO_TARGET_DIR\""].map(str::to_owned).into(),
            run: ["target/cmake/bench \"marks\"", "--quick"].map(str::to_owned).into(),
            env: vec![("PYTHONPATH", "src".to_owned())],
            is_of_tests: false,
        };
        let folder = tempfile::tempdir().unwrap();
        let text = settings(DOCUMENTED, &[suite.clone(), suite.clone()]);
        std::fs::write(folder.path().join(FILE), &text).unwrap();
        let read = Settings::read(folder.path()).unwrap();
        let [one, two] = &read.benchmarks[..] else {
            panic!("{text}");
        };
        assert_eq!(one, two);
        assert_eq!(one.build.as_ref(), Some(&suite.build));
        assert_eq!(one.run.as_ref(), Some(&suite.run));
        assert_eq!(one.env["PYTHONPATH"], "src");
        assert_eq!(settings(DOCUMENTED, &[]), DOCUMENTED);
    }
}

//! Sources of Python → the tests among them that pytest runs, and those that are benchmarks.

use std::collections::BTreeSet;

use super::super::found_suites::{FoundSuite, RepositorySources};
use super::super::python_suite::library_variables;

/// So many files are named one by one, at most; of more, their folders are.
const MOST_FILES: usize = 12;

/// The benchmarks of a repository; where there are none, its tests.
pub(super) fn suites_in(sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
    let files = sources.paths().filter(|path| path.ends_with(".py"));
    let has_benchmarks = |path: &&str| sources.text(path).is_some_and(|text| has_benchmarks(&text));
    let benchmarks: BTreeSet<&str> = files.clone().filter(has_benchmarks).collect();
    let tests: BTreeSet<&str> = files.filter(|path| is_found_by_name(path)).collect();
    let is_of_tests = benchmarks.is_empty();
    let places = match is_of_tests {
        true => places_of_tests(&tests),
        false => places_of(&benchmarks, &tests),
    };
    if places.is_empty() {
        return Vec::new();
    }
    let command = ["python3", "-m", "pytest"].map(str::to_owned);
    vec![FoundSuite {
        framework: "pytest",
        build: Vec::new(),
        run: command.into_iter().chain(places.clone()).collect(),
        places,
        env: library_variables(sources),
        is_of_tests,
    }]
}

/// The folders of tests: those that are called so, if any is.
fn places_of_tests(tests: &BTreeSet<&str>) -> Vec<String> {
    let is_called_so = |path: &&&str| path.split('/').any(|part| matches!(part, "test" | "tests"));
    let (called, others): (Vec<&str>, Vec<&str>) = tests.iter().partition(is_called_so);
    let places = if called.is_empty() { others } else { called };
    outermost(places.into_iter().map(folder_or_file))
}

/// True for a source with tests that are given the fixture `benchmark`, or are marked as benchmarks.
fn has_benchmarks(text: &str) -> bool {
    let mut tests = text.split("def test").skip(1);
    let is_given = |test: &str| {
        let head = test.split(')').next().unwrap_or_default();
        let mut words = head.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| word == "benchmark")
    };
    tests.any(is_given) || text.contains("def test") && text.contains("pytest.mark.benchmark")
}

/// True for a file that pytest finds in a folder.
fn is_found_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_") || name.ends_with("_test.py")
}

/// The folders of benchmarks that hold no other tests, and the files of the others.
fn places_of(benchmarks: &BTreeSet<&str>, tests: &BTreeSet<&str>) -> Vec<String> {
    let others: Vec<&str> = tests.difference(benchmarks).copied().collect();
    let is_whole = |folder: &str| {
        let is_in = |path: &&str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        !others.iter().any(is_in)
    };
    let in_folder = |path: &&str| is_found_by_name(path) && is_whole(folder_or_file(path));
    let (whole, single): (Vec<&str>, Vec<&str>) = benchmarks.iter().partition(|path| in_folder(path));
    let folders = whole.into_iter().map(folder_or_file);
    let places = outermost(folders.chain(single));
    match places.len() > MOST_FILES {
        true => outermost(benchmarks.iter().map(|path| folder_or_file(path))),
        false => places,
    }
}

/// The folder that a file is in; the file itself at the root.
fn folder_or_file(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}

/// Those that are in none of the others.
fn outermost<'p>(places: impl Iterator<Item = &'p str>) -> Vec<String> {
    let places: BTreeSet<&str> = places.collect();
    let is_inside = |place: &str| {
        let mut folders = place.match_indices('/').map(|(at, _)| &place[..at]);
        folders.any(|folder| places.contains(folder))
    };
    places
        .iter()
        .filter(|place| !is_inside(place))
        .map(|place| (*place).to_owned())
        .collect()
}

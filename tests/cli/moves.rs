//! A module and its type that move and get other names, as a reader of the history meets them: the same functions as before.

use serde_json::Value;

use super::repository::TestRepository;

const FIGURE: &str = "#[derive(Clone)]
pub struct Figure {
    pub width: u64,
    pub height: u64,
}

impl Figure {
    #[inline(never)]
    pub fn area(&self) -> u64 {
        let mut area = 0u64;
        for row in 0..self.height {
            area = area.wrapping_add(self.width ^ (row & 1));
        }
        area
    }
}
";

const CANVAS: &str = "use crate::figure::Figure;

#[inline(never)]
pub fn draw(figures: &[Figure]) -> u64 {
    figures.iter().map(|figure| figure.area()).sum()
}
";

const BENCHMARK: &str = "use shapes::canvas::draw;
use shapes::figure::Figure;

#[test]
fn draws_many() {
    let figures: Vec<Figure> = (0..200).map(|at| Figure { width: at, height: 100 + at }).collect();
    assert!(draw(&figures.clone()) > 0);
}
";

/// Three versions: the second moves and renames, the third makes the moved function slower.
fn history() -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write("src/lib.rs", "pub mod canvas;\npub mod figure;\n");
    repository.write("src/figure.rs", FIGURE);
    repository.write("src/canvas.rs", CANVAS);
    repository.write("tests/drawing.rs", BENCHMARK);
    repository.commit("shapes");
    let renamed = |source: &str| {
        let source = source.replace("Figure", "Shape");
        source.replace("figure::Shape", "model::shape::Shape")
    };
    std::fs::remove_file(repository.file("src/figure.rs")).unwrap();
    repository.write("src/lib.rs", "pub mod canvas;\npub mod model;\n");
    repository.write("src/model/mod.rs", "pub mod shape;\n");
    repository.write("src/model/shape.rs", &renamed(FIGURE));
    repository.write("src/canvas.rs", &renamed(CANVAS));
    repository.write("tests/drawing.rs", &renamed(BENCHMARK));
    repository.commit("move figure::Figure to model::shape::Shape");
    let slower = renamed(FIGURE).replace("(row & 1)", "(row / (area + 1))");
    repository.write("src/model/shape.rs", &slower);
    repository.commit("divide");
    repository
}

#[test]
fn a_function_that_moved_and_was_renamed_is_compared_with_itself() {
    let repository = history();
    let answer = repository.lito(&["compare", "HEAD~2", "HEAD~1", "--format", "json"]);
    let document: Value = serde_json::from_str(answer.output()).unwrap();
    let nodes = document["comparisons"][0]["nodes"].as_array().unwrap();
    let own = |node: &&Value| node["function"].as_str().unwrap().starts_with("shapes::");
    for node in nodes.iter().filter(own) {
        assert_eq!(
            (&node["kind"], &node["changed"]),
            (&"both".into(), &false.into()),
            "{node:#}"
        );
    }
    let area = nodes
        .iter()
        .find(|node| node["function"] == "shapes::model::shape::Shape::area");
    assert_eq!(area.unwrap()["moved_from"], "shapes::figure::Figure::area");
}

#[test]
fn a_cause_names_the_commit_that_changed_it_and_not_the_one_that_moved_it() {
    let repository = history();
    let answer = repository.lito(&["compare", "HEAD~2", "HEAD", "--format", "json"]);
    let document: Value = serde_json::from_str(answer.output()).unwrap();
    let cause = &document["comparisons"][0]["causes"][0];
    assert_eq!(
        (&cause["function"], &cause["commits"]),
        (
            &"shapes::model::shape::Shape::area".into(),
            &serde_json::json!([repository.git(&["rev-parse", "HEAD"])])
        ),
        "{cause:#}"
    );
}

#[test]
fn a_benchmark_in_which_only_names_changed_goes_on_in_a_track() {
    let repository = history();
    let page = repository.file("track.html");
    let page = page.to_str().unwrap();
    let answer = repository.lito(&["track", "--last", "3", "--output", page, "--format", "json"]);
    let track: Value = serde_json::from_str(answer.output()).unwrap();
    let benchmark = &track["benchmarks"][0];
    assert_eq!(
        benchmark["rewritten"].as_array().map(Vec::len),
        Some(0),
        "{benchmark:#}"
    );
    assert_eq!(benchmark["changes"][0]["index"], 2, "{benchmark:#}");
    // The tables for readers without scripts call the function by its newest name in all versions.
    let html = std::fs::read_to_string(repository.file("track.html")).unwrap();
    assert!(html.contains("shapes::model::shape::Shape::area"));
    assert!(!html.contains("shapes::figure::Figure::area"));
}

#[test]
fn the_functions_of_a_package_that_gets_another_name_are_compared_with_themselves() {
    let repository = TestRepository::unborn();
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    repository.write("Cargo.toml", &manifest("shapes"));
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write("src/lib.rs", "pub mod canvas;\npub mod figure;\n");
    repository.write("src/figure.rs", FIGURE);
    repository.write("src/canvas.rs", CANVAS);
    repository.write("tests/drawing.rs", BENCHMARK);
    repository.commit("shapes");
    repository.write("Cargo.toml", &manifest("forms"));
    repository.write("tests/drawing.rs", &BENCHMARK.replace("shapes", "forms"));
    repository.commit("name the package forms");
    let answer = repository.lito(&["compare", "HEAD~1", "HEAD", "--format", "json"]);
    let document: Value = serde_json::from_str(answer.output()).unwrap();
    let nodes = document["comparisons"][0]["nodes"].as_array().unwrap();
    let node = |name: &str| nodes.iter().find(|node| node["function"] == name);
    for (old, new) in [
        ("shapes::figure::Figure::area", "forms::figure::Figure::area"),
        ("shapes::canvas::draw", "forms::canvas::draw"),
    ] {
        assert!(node(old).is_none(), "{document:#}");
        let node = node(new).unwrap();
        assert_eq!(
            (&node["kind"], &node["changed"], &node["moved_from"]),
            (&"both".into(), &false.into(), &old.into()),
            "{node:#}"
        );
    }
}

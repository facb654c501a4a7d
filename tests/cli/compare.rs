//! Comparing as a performance engineer meets it: the papers' own stories, and stacks that other profilers wrote.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::repository::{LitoOutput, TestRepository, program};

/// A program that calls what the story is about, and says so.
const PROGRAM: &str = "fn main() {\n    std::process::exit(i32::from(story::run() == u64::MAX));\n}\n";

const SETTINGS: &str = "[[benchmarks]]\nadapter = \"command\"\nname = \"run\"\n\
    build = [\"cargo\", \"build\", \"--release\", \"--offline\"]\nrun = [\"target/release/story\"]\n\
    subject = \"story::run\"\n";

/// The versions of a story, oldest first.
fn story(name: &str) -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"story\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", SETTINGS);
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stories");
    let mut versions: Vec<_> = fs::read_dir(folder.join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    versions.sort();
    for version in versions {
        repository.write("src/lib.rs", &fs::read_to_string(&version).unwrap());
        repository.commit(version.file_stem().unwrap().to_str().unwrap());
    }
    repository
}

/// One comparison of a story's versions.
fn compared(repository: &TestRepository, before: &str, after: &str) -> Value {
    let answer = repository.lito(&["compare", before, after, "--format", "json"]);
    let document: Value = serde_json::from_str(answer.output()).unwrap();
    assert_eq!(document["schema"], "lito.comparison/1");
    let all = document["comparisons"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{document:#}");
    all[0].clone()
}

/// The names on the way from the root to a node, without the crate's.
fn path(comparison: &Value, node: usize) -> Vec<String> {
    let nodes = comparison["nodes"].as_array().unwrap();
    let mut path = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        let name = nodes[node]["function"].as_str().unwrap();
        path.push(name.trim_start_matches("story::").to_owned());
        at = nodes[node]["parent"].as_u64().map(|parent| parent as usize);
    }
    path.reverse();
    path
}

/// The node at the end of a path whose last names are these.
#[track_caller]
fn node<'c>(comparison: &'c Value, last: &[&str], kind: &str) -> &'c Value {
    let nodes = comparison["nodes"].as_array().unwrap();
    let mut found = (0..nodes.len()).filter(|at| {
        let path = path(comparison, *at);
        nodes[*at]["kind"] == kind && path.ends_with(&last.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    });
    match (found.next(), found.next()) {
        (Some(only), None) => &nodes[only],
        _ => {
            let all: Vec<String> = (0..nodes.len())
                .map(|at| format!("{} {}", nodes[at]["kind"], path(comparison, at).join(" > ")))
                .collect();
            panic!("not exactly one {kind} {last:?} in\n{}", all.join("\n"));
        }
    }
}

fn hot_path(comparison: &Value) -> Vec<String> {
    path(comparison, comparison["hot"].as_u64().unwrap() as usize)
}

#[test]
fn a_call_that_moved_into_two_contexts_is_found_in_both() {
    let repository = story("fixed_size");
    let comparison = compared(&repository, "HEAD~1", "HEAD");
    let on = node(&comparison, &["run", "AdjustSizeOfNesting::on"], "both");
    assert_eq!(on["changed"], true);
    let direct = node(
        &comparison,
        &["AdjustSizeOfNesting::on", "Element::elements_not_edge"],
        "new",
    );
    let within = node(
        &comparison,
        &["Element::encompassing_rectangle", "Element::elements_not_edge"],
        "new",
    );
    assert_eq!(direct["after"]["calls"], 50);
    assert_eq!(within["after"]["calls"], 50);
    assert_eq!(direct["before"], Value::Null);
    let rectangle = ["AdjustSizeOfNesting::on", "Element::encompassing_rectangle"];
    assert_eq!(node(&comparison, &rectangle, "both")["changed"], true);
    node(
        &comparison,
        &["AdjustSizeOfNesting::on", "Element::translate"],
        "removed",
    );
    node(&comparison, &["Element::resize", "Element::translate"], "new");
    let hot = hot_path(&comparison);
    assert_eq!(hot.last().unwrap(), "Element::elements_not_edge", "{hot:?}");
    assert!(hot.contains(&"AdjustSizeOfNesting::on".to_owned()), "{hot:?}");
}

#[test]
fn below_an_inserted_call_what_was_there_is_found_again() {
    let repository = story("inserted_node");
    let comparison = compared(&repository, "HEAD~1", "HEAD");
    let proxy = node(&comparison, &["Builder::build_source", "Builder::parse_proxy"], "new");
    assert_eq!(proxy["after"]["calls"], 20);
    let parse = node(&comparison, &["Builder::parse_proxy", "parse"], "both");
    assert_eq!(parse["changed"], false);
    assert_eq!(parse["before"]["calls"], parse["after"]["calls"]);
    node(&comparison, &["parse", "element"], "both");
    let slow = node(&comparison, &["Builder::parse_proxy", "new_method"], "new");
    assert!(slow["h"]["share_inclusive"].as_f64().unwrap() > 0.3, "{slow:#}");
    assert_eq!(
        hot_path(&comparison)[2..],
        [
            "Builder::build",
            "Builder::build_source",
            "Builder::parse_proxy",
            "new_method"
        ]
    );
}

#[test]
fn a_loop_that_calls_the_same_more_often_leads_to_the_function_that_got_it() {
    let repository = story("name_loop");
    let comparison = compared(&repository, "HEAD~2", "HEAD~1");
    let name = node(&comparison, &["Tokenizer::tokens", "Tokenizer::next_name"], "both");
    assert_eq!(name["changed"], true);
    assert!(name["h"]["share_inclusive"].as_f64().unwrap() > 0.0);
    let at_end = node(&comparison, &["Tokenizer::next_name", "Stream::at_end"], "both");
    assert_eq!(at_end["changed"], false);
    let calls = |side: &str| at_end[side]["calls"].as_u64().unwrap();
    assert!(calls("after") > 2 * calls("before"), "{at_end:#}");
    let more = (calls("after") - calls("before")) as f64;
    assert!((at_end["w"].as_f64().unwrap() - (more + 1.0).ln()).abs() < 1e-6);
    let hot = hot_path(&comparison);
    assert!(hot.contains(&"Tokenizer::next_name".to_owned()), "{hot:?}");
}

#[test]
fn versions_that_do_the_same_differ_in_nothing() {
    let repository = story("name_loop");
    let comparison = compared(&repository, "HEAD~1", "HEAD");
    for node in comparison["nodes"].as_array().unwrap() {
        assert_eq!((&node["kind"], &node["changed"]), (&"both".into(), &false.into()));
        assert_eq!(node["before"], node["after"]);
        assert_eq!(node["noise"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn a_second_comparison_builds_nothing_and_writes_one_page_that_loads_nothing() {
    let repository = story("inserted_node");
    compared(&repository, "HEAD~1", "HEAD");
    let before = fs::metadata(repository.cache()).unwrap().modified().unwrap();
    let page = repository.file("report.html");
    let answer = repository.lito(&["compare", "--output", page.to_str().unwrap(), "-v"]);
    answer.says(0, &["report.html"]);
    assert!(!answer.stderr.contains("building"), "{answer:#?}");
    assert_eq!(fs::metadata(repository.cache()).unwrap().modified().unwrap(), before);
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("default-src 'none'"));
    assert!(!html.contains("src=\"http") && !html.contains("url(http"));
    assert!(html.contains("story::Builder::parse_proxy"), "the tables name it");
    assert!(html.len() < 3_000_000, "{}", html.len());
}

#[test]
fn a_benchmark_that_there_is_not_is_a_usage_error_that_says_where_to_look() {
    let repository = story("inserted_node");
    let answer = repository.lito(&["compare", "--bench", "nothing"]);
    answer.fails(2, &["comparing", "lito bench list"]);
    let answer = repository.lito(&["compare", "--bench", "run", "--against", "nothing"]);
    answer.fails(2, &["comparing", "--bench nothing", "lito bench list"]);
}

fn folded(arguments: &[&str], before: &str, after: &str) -> LitoOutput {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.into_os_string()
    };
    let mut command = program("lito");
    command.current_dir(folder.path()).args(["compare", "--folded"]);
    command.args([file("before.folded", before), file("after.folded", after)]);
    super::repository::answer(&command.args(arguments).output().unwrap())
}

#[test]
fn stacks_of_any_profiler_are_compared_outside_of_a_repository() {
    let (before, after) = ("main;a;b 60\nmain;c 40\n", "main;a;b 60\nmain;c 90\nmain;d 10\n");
    let answer = folded(&["--format", "json"], before, after);
    let document: Value = serde_json::from_str(answer.output()).unwrap();
    assert_eq!(document["unit"], "samples");
    let comparison = &document["comparisons"][0];
    assert_eq!(
        (&comparison["before"]["total"], &comparison["after"]["total"]),
        (&100.into(), &160.into())
    );
    assert_eq!(
        path(comparison, comparison["hot"].as_u64().unwrap() as usize),
        ["main", "c"]
    );

    let lines = folded(&["--format", "folded"], before, after);
    assert_eq!(lines.output(), "main;a;b 60 60\nmain;c 40 90\nmain;d 0 10\n");
}

#[test]
fn stacks_that_are_none_are_refused_with_what_to_do() {
    let answer = folded(&[], "no stacks here\n", "main 1\n");
    answer.says(2, &["before.folded", "folded"]);
}

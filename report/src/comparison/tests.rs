#![allow(clippy::unwrap_used)]

use profile::call_tree::{CostNoise, EvolutionBlueprint, FunctionRenames, folded_stacks, hot_leaves};

use super::*;

/// A comparison of stacks, `next` changed.
fn comparison(before: &str, after: &str) -> ExecutionComparison {
    let [old, new] = [before, after].map(|stacks| folded_stacks::read(stacks.as_bytes()).unwrap().tree);
    let evolution = EvolutionBlueprint::of(&old, &new, &FunctionRenames::new(), CostNoise::Counted);
    let execution = |label: &str| ComparedExecution {
        benchmark: "parse|\x1b[1mlarge".to_owned(),
        label: label.to_owned(),
        commit: None,
    };
    ExecutionComparison {
        before: execution("v1"),
        after: execution("v2"),
        hot_leaves: hot_leaves(&evolution),
        flames: DifferentialFlameGraph::of(&old, &new, &evolution),
        evolution,
        changed: BTreeMap::from([("next".to_owned(), SourceDifference::Changed)]),
        moved: BTreeMap::from([("next".to_owned(), "old::next".to_owned())]),
        changing_commits: BTreeMap::new(),
        notes: vec!["calls are estimates".to_owned()],
    }
}

fn story() -> ExecutionComparison {
    comparison(
        "main;parse;next 100\nmain;parse 20\nmain;drop 5\n",
        "main;parse;next 100\nmain;parse;next;at_end 80\nmain;parse 21\n",
    )
}

#[test]
fn the_text_shows_the_path_to_what_changed_and_what_else_did() {
    let text = human(&[story()], "samples", None);
    let plain = anstyle_stripped(&text);
    assert!(
        plain.starts_with("parse|\\u{1b}[1mlarge, v1 → v2: 125 → 201 samples (+60.8%)\n"),
        "{plain}"
    );
    let lines: Vec<&str> = plain.lines().collect();
    let line = |start: &str| *lines.iter().find(|line| line.trim_start().starts_with(start)).unwrap();
    assert!(line("next").contains("▲ more, source changed"), "{plain}");
    assert!(line("at_end").contains("＋ new here"), "{plain}");
    assert!(line("drop ← main").contains("− removed here"), "{plain}");
    assert_eq!(lines.last(), Some(&"calls are estimates"));
}

#[test]
fn names_do_not_break_out_of_a_markdown_table() {
    let text = markdown(&[story()], "samples");
    let rows = text.lines().filter(|line| line.starts_with("| "));
    for row in rows {
        assert_eq!(row.matches(" | ").count(), 5, "{row}");
    }
    assert!(!text.contains('\x1b'));
}

#[test]
fn json_has_every_context_with_both_sides() {
    let document: serde_json::Value = serde_json::from_str(&json(&[story()], "samples")).unwrap();
    assert_eq!(document["schema"], SCHEMA);
    let comparison = &document["comparisons"][0];
    let nodes = comparison["nodes"].as_array().unwrap();
    let named = |name: &str| nodes.iter().find(|node| node["function"] == name).unwrap();
    let at_end = named("at_end");
    assert_eq!(at_end["kind"], "new");
    assert_eq!(at_end["before"], serde_json::Value::Null);
    assert_eq!(at_end["after"]["self"], 80);
    assert_eq!(at_end["w"], serde_json::Value::Null, "calls are not known");
    assert_eq!(
        nodes[comparison["hot"].as_u64().unwrap() as usize]["function"],
        "at_end"
    );
    let noise = named("next")["noise"].as_array().unwrap();
    // Its own cost is the same, so its share is no change either, though the total grew.
    assert!(
        noise.contains(&"cost_self".into()) && noise.contains(&"share_self".into()),
        "{noise:?}"
    );
    assert_eq!(named("next")["changed"], true);
}

#[test]
fn stacks_of_several_comparisons_stand_below_their_benchmarks() {
    let one = stacks(&[story()]);
    assert!(one.starts_with("main;drop 5 0\n"), "{one}");
    let two = stacks(&[story(), story()]);
    assert_eq!(two.lines().count(), 2 * one.lines().count());
    assert!(two.starts_with("parse|"), "{two}");
}

fn anstyle_stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\x1b') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    out + rest
}

#[test]
fn the_causes_come_first_and_add_up_to_the_difference() {
    let mut of_versions = story();
    of_versions.after.commit = Some("2".repeat(40));
    let rows = super::cause_rows(&of_versions);
    let sum: f64 = rows.iter().map(|row| row.difference).sum();
    assert!((sum - 76.0).abs() < 1e-9, "{rows:?}");
    assert_eq!(rows[0].function.as_deref(), Some("next"));
    let plain = anstyle_stripped(&human(&[of_versions.clone()], "samples", None));
    let second = plain.lines().nth(2).unwrap();
    assert!(
        second.starts_with("next ") && second.contains("source changed"),
        "{plain}"
    );
    assert!(markdown(&[of_versions.clone()], "samples").contains("| source changed | 1 | +80 | 105% |"));
    // Between two benchmarks no source is another one.
    let mut of_two = of_versions.clone();
    of_two.before.benchmark = "other".to_owned();
    assert_eq!(super::cause_rows(&of_two), []);
    // Nobody knows the sources of stacks that were read from a file.
    assert_eq!(super::cause_rows(&story()), []);
}

#[test]
fn a_function_that_is_compiled_into_its_caller_is_not_gone() {
    let mut comparison = comparison("main;parse 100\nmain;parse;next 100\n", "main;parse 120\n");
    comparison.after.commit = Some("1".repeat(40));
    let kind = |comparison: &ExecutionComparison| {
        let rows = cause_rows(comparison);
        rows.into_iter()
            .find(|row| row.function.as_deref() == Some("next"))
            .unwrap()
            .kind
    };
    assert_eq!(kind(&comparison), CauseKind::Changed);
    comparison.changed.insert("next".to_owned(), SourceDifference::Gone);
    assert_eq!(kind(&comparison), CauseKind::Gone);
}

#[test]
fn a_cause_names_the_commits_that_made_it_so() {
    let mut comparison = comparison("main;parse 100\n", "main;parse 120\n");
    comparison.after.commit = Some("9".repeat(40));
    let mut words = |difference, commits: &[&str]| {
        comparison.changed.insert("parse".to_owned(), difference);
        let commits = commits.iter().map(|commit| commit.repeat(40)).collect();
        comparison.changing_commits.insert("parse".to_owned(), commits);
        cause_rows(&comparison)[0].words()
    };
    assert_eq!(words(SourceDifference::Changed, &[]), "source changed");
    assert_eq!(words(SourceDifference::Changed, &["a"]), "source changed in aaaaaaaaaa");
    assert_eq!(
        words(SourceDifference::Changed, &["a", "b", "c"]),
        "source changed in cccccccccc, bbbbbbbbbb and 1 more"
    );
    assert_eq!(words(SourceDifference::New, &["a", "b"]), "new in aaaaaaaaaa");
}

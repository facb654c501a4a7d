//! How often a block runs: what the lines, calls and closures of a profile say of it, and which function of
//! the sampled version they are read from.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

/// The profile of `run` alone, called twice, and of what its calls cost.
fn entered(files: &ScoringTestFiles, name: &str) -> ScoringTestProfile {
    ScoringTestProfile::new("b", 1_000_000)
        .function("k::work", 900, 100, (1_000, 1_000))
        .function(name, files.line_of("fn run("), 2, (900_000, 1_000))
}

/// How often a call of `mark` runs that is put in the place of `/*mark*/`.
fn executions(sampled: &ScoringTestFiles, recorded: ScoringTestProfile, before: &ScoringTestFiles) -> u64 {
    let marked = before.replaced("/*mark*/", "mark();");
    let score = scored(CostModel::Lito, sampled, vec![recorded], (before, &marked));
    let call = score
        .changes
        .iter()
        .find(|change| change.callee.as_deref() == Some("mark"))
        .expect("the call is a change");
    call.effects.first().map_or(0, |effect| effect.executions)
}

fn of_run(source: &str, recorded: impl Fn(&ScoringTestFiles, ScoringTestProfile) -> ScoringTestProfile) -> u64 {
    let files = library(source);
    let profile = recorded(&files, entered(&files, "k::run"));
    executions(&files, profile, &files)
}

const CONDITIONAL: &str = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        if *x > 10 {
            step += 1;
            other += 2;
            /*mark*/
        }
        loop_line += 1;
        second_line += 1;
    }
}
";

#[test]
fn a_block_runs_as_often_as_its_most_executed_line() {
    let count = of_run(CONDITIONAL, |files, profile| {
        profile
            .line(files.line_of("loop_line"), 1000)
            .line(files.line_of("step"), 30)
            .line(files.line_of("other"), 40)
    });
    assert_eq!(count, 40);
}

#[test]
fn a_conditional_runs_at_most_as_often_as_what_is_around_it() {
    let merged = of_run(CONDITIONAL, |files, profile| {
        profile
            .line(files.line_of("loop_line"), 1000)
            .line(files.line_of("step"), 5000)
    });
    assert_eq!(merged, 1000);
    let looped = of_run(&CONDITIONAL.replace("if *x > 10", "while *x > 10"), |files, profile| {
        profile
            .line(files.line_of("loop_line"), 1000)
            .line(files.line_of("step"), 5000)
    });
    assert_eq!(looped, 5000);
}

#[test]
fn a_block_of_several_lines_none_of_which_ran_was_not_executed() {
    let count = of_run(CONDITIONAL, |files, profile| {
        profile.line(files.line_of("loop_line"), 1000)
    });
    assert_eq!(count, 0);
}

#[test]
fn a_block_on_the_line_of_another_is_taken_to_run_half_as_often() {
    for source in [
        "pub fn run(xs: &[u64]) {\n    for x in xs {\n        first += 1;\n        if *x > 10 { second += 1; /*mark*/ }\n    }\n}\n",
        "pub fn run(xs: &[u64]) {\n    for x in xs {\n        first += 1;\n        if *x > 10 { second += 1;\n            /*mark*/ }\n    }\n}\n",
    ] {
        let count = of_run(source, |files, profile| profile.line(files.line_of("first"), 1000));
        assert_eq!(count, 500, "{source}");
    }
}

#[test]
fn a_block_without_lines_of_its_own_runs_as_often_as_its_calls() {
    let source = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        first += 1;
        if *x > 10 { work(1); /*mark*/ }
        work(2);
        other(work(3));
    }
}
";
    let sites = |calls: u64| {
        move |files: &ScoringTestFiles, profile: ScoringTestProfile| {
            let line = files.line_of("work(1)");
            profile
                .function("k::other", 901, 2000, (2_000, 2_000))
                .line(files.line_of("first"), 1000)
                .site("k::run", line, "k::work", (calls, 700))
                // Neither another function on this line nor this one on another is the block's call.
                .site("k::run", line, "k::other", (800, 800))
                .site("k::run", line + 1, "k::work", (900, 900))
        }
    };
    assert_eq!(of_run(source, sites(70)), 70);
    assert_eq!(of_run(source, sites(0)), 0);
}

#[test]
fn a_closure_that_loops_runs_as_often_as_it_was_called() {
    let source = "\
pub fn run(xs: &[u64]) {
    xs.iter().for_each(|x| { total += x; /*mark*/ });
}
";
    let closure = |line: u32, calls: u64| {
        move |files: &ScoringTestFiles, profile: ScoringTestProfile| {
            let at = files.line_of("for_each") + line;
            profile.function("k::run::{closure}", at, calls, (1_000, 1_000))
        }
    };
    assert_eq!(of_run(source, closure(0, 400)), 400);
    // Declared outside of the function: another one's.
    assert_eq!(of_run(source, closure(5, 400)), 1);
}

#[test]
fn a_loop_does_not_run_as_often_as_the_closures_in_the_loops_inside_it() {
    let source = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        first += 1;
        /*mark*/
        for y in xs {
            total += deep(|z| z + 1);
            total += 1;
        }
    }
}
";
    let count = of_run(source, |files, profile| {
        profile
            .line(files.line_of("first"), 10)
            .line(files.line_of("total += 1"), 100)
            .function("k::run::{closure}", files.line_of("|z|"), 7000, (7_000, 7_000))
    });
    assert_eq!(count, 10);
}

#[test]
fn a_loop_of_nothing_but_a_conditional_runs_as_often_as_its_condition() {
    let source = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        if *x > 10 {
            step += 1;
            for y in xs {
                inner += 1;
            }
            /*mark*/
        }
    }
}
";
    let counted = |files: &ScoringTestFiles, profile: ScoringTestProfile| {
        profile
            .line(files.line_of("if *x"), 1000)
            .line(files.line_of("step"), 100)
            .line(files.line_of("inner"), 5000)
    };
    assert_eq!(of_run(source, counted), 100);
    let in_loop = source
        .replace("/*mark*/", "done += 1;")
        .replace("        if *x", "        /*mark*/\n        if *x");
    assert_eq!(of_run(&in_loop, counted), 1000);
}

#[test]
fn a_loop_of_nothing_but_a_loop_lies_between_it_and_what_is_around() {
    let source = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        for y in xs { /*inner*/
            inner += 1;
        }
    /*mark*/ }
}
";
    let count = of_run(source, |files, profile| profile.line(files.line_of("inner += 1"), 5000));
    // Twice outside, 5,000 times inside.
    assert_eq!(count, 100);
}

#[test]
fn the_lines_of_a_nested_function_are_not_of_the_block_around_it() {
    let source = "\
pub fn run(xs: &[u64]) {
    for x in xs {
        fn nested(y: u64) -> u64 {
            y + 1
        }
        first += nested(*x);
        second += 1;
        /*mark*/
    }
}
";
    let count = of_run(source, |files, profile| {
        profile
            .line(files.line_of("first"), 10)
            .line(files.line_of("y + 1"), 9000)
    });
    assert_eq!(count, 10);
}

#[test]
fn counts_follow_blocks_over_what_came_before_them_since_the_sample() {
    let sampled = library(
        "pub fn run(xs: &[u64]) {\n    if early(xs) {\n        gone += 1;\n        return;\n    }\n    for x in xs {\n        first += 1;\n        second += *x;\n    }\n}\n",
    );
    let before = library(
        "pub fn run(xs: &[u64]) {\n    for x in xs {\n        first += 1;\n        second += *x;\n        /*mark*/\n    }\n}\n",
    );
    let profile = entered(&sampled, "k::run")
        .line(sampled.line_of("gone"), 3)
        .line(sampled.line_of("first"), 1000);
    assert_eq!(executions(&sampled, profile, &before), 1000);
}

const WAYS_OUT: &str = "\
pub fn run(x: u64) -> bool {
    if x > 10 {
        /*mark*/
        return false;
    }
    if x > 5 {
        let wide = x * 7;
        return wide > 50;
    }
    x > 3
}
";

#[test]
fn a_way_out_runs_as_often_as_what_comes_after_it_is_not_reached() {
    let count = |passed: u64| {
        of_run(WAYS_OUT, |files, profile| {
            let line = files.line_of("fn run(");
            profile
                .function("k::run", line, 100, (1_000, 1_000))
                // The last line is every way's.
                .line(line + 10, 1_000_000)
                .line(files.line_of("if x > 5"), passed)
        })
    };
    // Of the calls of both copies of the function.
    let calls = count(0);
    assert!(calls >= 100);
    assert_eq!(count(30), calls - 30);
}

#[test]
fn what_comes_after_a_way_out_runs_as_often_as_that_is_not_taken() {
    let source = WAYS_OUT
        .replace("        /*mark*/\n", "")
        .replace("    x > 3\n", "    /*mark*/\n    x > 3\n");
    let count = of_run(&source, |files, profile| {
        let line = files.line_of("fn run(");
        profile
            .function("k::run", line, 100, (1_000, 1_000))
            .line(files.line_of("if x > 5"), 30)
            .line(files.line_of("let wide"), 10)
    });
    assert_eq!(count, 20);
}

const IN_MODULE: &str = "\
pub mod b {
    pub fn other() {
    }
}
pub mod a {
    pub fn outer(xs: &[u64]) {
        prepare(xs);
        prepare(xs);
        fn run(xs: &[u64]) {
            for x in xs {
                first += 1;
                second += 1;
                /*mark*/
            }
        }
    }
}
";

#[test]
fn a_function_of_a_moved_file_is_found_by_its_full_name() {
    let inline = format!("{}{IN_MODULE}", "\n".repeat(40));
    let sampled = library(&inline);
    let (_, module) = inline.split_once("pub mod a {\n").expect("the module is there");
    let module = module.strip_suffix("}\n").expect("the module ends the file");
    let before = library("pub mod a;\n").with("src/a.rs", module);
    let line = sampled.line_of("fn run(");
    let profile = ScoringTestProfile::new("b", 1_000_000)
        .function("k::work", 900, 100, (1_000, 1_000))
        .function("k::b::run", sampled.line_of("fn other("), 5, (500, 500))
        .function("k::a::outer::run", line, 2, (900_000, 1_000))
        .line(sampled.line_of("first"), 1000);
    assert_eq!(executions(&sampled, profile, &before), 1000);
    // Under another name it is found by what it does.
    let profile = ScoringTestProfile::new("b", 1_000_000)
        .function("k::work", 900, 100, (1_000, 1_000))
        .function("k::b::run", line, 2, (900_000, 1_000))
        .line(sampled.line_of("first"), 1000);
    assert_eq!(executions(&sampled, profile, &before), 1000);
}

const OVERLOADS: &str = "\
#[cfg(unix)]
pub fn run(xs: &[u64]) {
    for x in xs {
        on_unix += 1;
        again_on_unix += 1;
    }
}
#[cfg(windows)]
pub fn run(xs: &[u64], n: u64) {
    for x in xs {
        elsewhere += 1;
        again_elsewhere += 1;
        /*mark*/
    }
}
";

#[test]
fn of_functions_of_one_path_the_one_that_changed_is_read() {
    let counted = |sampled: &ScoringTestFiles| {
        ScoringTestProfile::new("b", 1_000_000)
            .function("k::work", 900, 100, (1_000, 1_000))
            .function("k::run", sampled.line_of("run(xs: &[u64])"), 2, (1, 1))
            .function("k::run", sampled.line_of("n: u64"), 2, (1, 1))
            .line(sampled.line_of(" on_unix"), 10)
            .line(sampled.line_of(" elsewhere"), 1000)
    };
    let before = library(OVERLOADS);
    assert_eq!(executions(&before, counted(&before), &before), 1000);
    // Its body has changed since the sample, and lines have moved: the signature tells.
    let earlier = library(&format!(
        "{}{}",
        "\n".repeat(30),
        OVERLOADS.replace("again_elsewhere += 1", "again_elsewhere += 2")
    ));
    assert_eq!(executions(&earlier, counted(&earlier), &before), 1000);
}

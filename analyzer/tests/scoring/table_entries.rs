//! Tables of Python of which some entries differ: a risk where a run may look one of them up.

use crate::loaded_code::{HARNESS, LIBRARY, is_run_beside, project};

/// A library with a table of `count` entries and more.
fn with_table(count: usize, more: &str) -> String {
    let entries: String = (0..count).map(|at| format!("    'word{at}': {},\n", at % 2)).collect();
    let table = format!("LIMIT = 3\nWORDS = {{\n{entries}{more}}}\n");
    LIBRARY
        .replace("LIMIT = 3\n", &table)
        .replace("return sum(values)", "return WORDS.get(values, 0)")
}

/// Whether a version that adds entries to a table of so many is run, and one that removes them.
fn is_run(count: usize, more: &str, harness: &str) -> [bool; 2] {
    let (before, after) = (project(&with_table(count, "")), project(&with_table(count, more)));
    [(&before, &after), (&after, &before)].map(|change| is_run_beside(Some(harness), change))
}

#[test]
fn an_entry_like_the_others_that_no_text_asks_for_is_no_risk() {
    assert_eq!(is_run(100, "    'other': 1,\n", HARNESS), [false; 2]);
    assert_eq!(
        is_run(100, "    'two words': 1,\n    'other': 0,\n", HARNESS),
        [false; 2]
    );
}

#[test]
fn an_entry_that_may_be_looked_up_or_is_of_another_kind_is_a_risk() {
    let asks = format!("{HARNESS}total('an Other one')\n");
    let says = format!("{HARNESS}total('two')\n");
    let holds = format!("{HARNESS}total('brotherhood')\n");
    for (count, more, harness) in [
        (100, "    'other': 1,\n", &*asks),
        (100, "    'other': 1,\n", &*holds),
        // In the library itself.
        (100, "    'values': 1,\n", HARNESS),
        // A number behind a word that stands there, and signs alone.
        (100, "    'range7': 1,\n", HARNESS),
        (100, "    '+': 1,\n", HARNESS),
        (100, "    'other': 2,\n", HARNESS),
        (100, "    'other': make(),\n", HARNESS),
        // A large part of the table.
        (
            20,
            "    'other': 1,\n    'another': 0,\n    'third': 1,\n    'fourth': 1,\n    'fifth': 1,\n    'sixth': 1,\n",
            HARNESS,
        ),
        (5, "    'other': 1,\n", HARNESS),
    ] {
        assert_eq!(is_run(count, more, harness), [true; 2], "{count} {more}");
    }
    assert_eq!(is_run(100, "    'two apples': 1,\n", &says), [false; 2]);
}

//! Names that code makes up when it runs: a new name is a risk where it may be one of them.

use crate::loaded_code::{HARNESS, LIBRARY, RunConditions, TOOLS, is_run_beside, is_run_where, project};

#[test]
fn where_a_run_recorded_the_names_that_code_makes_up_only_these_are_a_risk() {
    let (from, to) = ("def helper", "def median(values):\n    return 1\n\n\ndef helper");
    let asks = "def find(module, name):\n    return getattr(module, name)\n";
    let lists = "def find(module):\n    return dir(module)\n";
    for (tools, asked_names, is_expected) in [
        (asks, None, true),
        (asks, Some(&["mean", "mode"][..]), false),
        (asks, Some(&["median"][..]), true),
        // Of what is listed, nothing is recorded.
        (lists, Some(&["mean"][..]), true),
        (
            &format!("{asks}KINDS = 'mean median mode'.split()\n"),
            Some(&["mean"][..]),
            true,
        ),
        (
            &format!("{asks}KINDS = 'mean mode'.split()\n"),
            Some(&["mean"][..]),
            false,
        ),
    ] {
        let of = |library: &str| project(library).with("sums/tools.py", tools);
        let conditions = RunConditions {
            asked_names,
            ..RunConditions::default()
        };
        let change = (&of(LIBRARY), &of(&LIBRARY.replacen(from, to, 1)));
        let is_run = |conditions| is_run_where(conditions, Some(HARNESS), change);
        assert_eq!(is_run(conditions), is_expected, "{tools} {asked_names:?}");
        // The names may stand in it.
        let with_other_data = RunConditions {
            has_other_data: true,
            ..conditions
        };
        assert!(is_run(with_other_data), "{tools} {asked_names:?}");
        // Or be put together otherwise, by the code that asks for it and by code that hands it on.
        for statement in [
            "KINDS = ['med', 'ian']",
            "KIND = 'MEDIAN'.lower()",
            "KIND = getattr(tools, KIND)",
        ] {
            let with_other_source = RunConditions {
                later_statement: Some(statement),
                ..conditions
            };
            assert!(is_run(with_other_source), "{tools} {asked_names:?} {statement}");
        }
        let with_other_source = RunConditions {
            later_statement: Some("KIND = 'MEDIAN' + 'med'"),
            ..conditions
        };
        assert_eq!(is_run(with_other_source), is_expected, "{tools} {asked_names:?}");
    }
}

#[test]
fn code_that_reads_what_others_are_called_may_make_up_names_of_that() {
    let (from, to) = ("def helper", "def median(values):\n    return 1\n\n\ndef helper");
    let tools = "def find(module, kind):\n    return getattr(module, kind.__name__.lower())\n";
    let is_run = |later_statement| {
        let of = |library: &str| project(library).with("sums/tools.py", tools);
        let conditions = RunConditions {
            asked_names: Some(&["mean"]),
            later_statement,
            ..RunConditions::default()
        };
        is_run_where(
            conditions,
            Some(HARNESS),
            (&of(LIBRARY), &of(&LIBRARY.replacen(from, to, 1))),
        )
    };
    assert!(!is_run(None));
    assert!(is_run(Some("class Median:\n    pass")));
}

#[test]
fn code_that_may_ask_for_any_name_makes_every_name_a_risk() {
    let (from, to) = ("def helper", "def median(values):\n    return 1\n\n\ndef helper");
    let change = |tools: &str| {
        let of = |library: &str| project(library).with("sums/tools.py", tools);
        (of(LIBRARY), of(&LIBRARY.replacen(from, to, 1)))
    };
    for (tools, harness, is_expected) in [
        (TOOLS, Some(HARNESS), false),
        (
            "def find(module, name):\n    return getattr(module, name)\n",
            Some(HARNESS),
            true,
        ),
        (
            "def find(module, name):\n    return getattr(module, 'sum_' + name)\n",
            Some(HARNESS),
            false,
        ),
        (
            "def find(module, name):\n    return getattr(module, f'med{name}')\n",
            Some(HARNESS),
            true,
        ),
        ("def hear(module):\n    return dir(module)\n", Some(HARNESS), true),
        ("from .lib import *\nmedian = 3\n", Some(HARNESS), false),
        (
            "from .lib import *\nmedian = 3\nregister(median)\n",
            Some(HARNESS),
            true,
        ),
        ("from .lib import *\n", Some(HARNESS), false),
        (
            "from .others import *\nmedian = 3\nregister(median)\n",
            Some(HARNESS),
            false,
        ),
        (
            TOOLS,
            Some("import sums.lib\nfast = hasattr(sums.lib, 'median')\n"),
            true,
        ),
        (
            TOOLS,
            Some("try:\n    from sums.lib import median\nexcept ImportError:\n    median = None\n"),
            true,
        ),
        (TOOLS, None, true),
    ] {
        let (before, after) = change(tools);
        assert_eq!(
            is_run_beside(harness, (&before, &after)),
            is_expected,
            "{tools} {harness:?}"
        );
    }
}

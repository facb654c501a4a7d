//! Files that no run read when the sample was taken, and that one may have come to read since.

use crate::loaded_code::{LIBRARY, RunConditions, is_run_where, project};

const EXTRA: &str = "def extra(n):\n    return n\n";

/// Whether a version is run that changes the body of a function in `sums/extra.py`, which no run read.
fn is_run_after(later_statement: Option<&str>) -> bool {
    let [before, after] = [EXTRA, "def extra(n):\n    return sum(range(n * n))\n"]
        .map(|extra| project(LIBRARY).with("sums/extra.py", extra));
    let conditions = RunConditions {
        later_statement,
        ..RunConditions::default()
    };
    is_run_where(conditions, None, (&before, &after))
}

#[test]
fn a_module_that_a_read_source_imports_since_the_sample_is_read() {
    for import in [
        "from . import extra",
        "from .extra import extra as work",
        "import sums.extra",
        "work = __import__('sums.extra').extra",
    ] {
        assert!(is_run_after(Some(import)), "{import}");
    }
}

#[test]
fn a_module_that_nothing_leads_to_is_not() {
    assert!(!is_run_after(None));
    for statement in ["extra = 5", "LIMIT = 4  # see extra.py"] {
        assert!(!is_run_after(Some(statement)), "{statement}");
    }
}

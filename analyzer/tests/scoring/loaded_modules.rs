//! Python that imports the same in another order, or by another way to write it.

use crate::loaded_code::{HARNESS, LIBRARY, RunConditions, is_run_beside, is_run_where, project};

/// Whether the imports of two modules may trade places, of which one is `shapes` and the other loads `colours`.
fn is_run_in_another_order(imports: [&str; 2], (shapes, colours): (&str, &str)) -> bool {
    let version = |imports: &str| {
        project(&LIBRARY.replacen("from . import tools\n", &format!("{imports}from . import tools\n"), 1))
            .with("sums/shapes.py", shapes)
            .with(
                "sums/kinds.py",
                "from .colours import RED\nfrom typing import Any\n\nKIND = 1\n",
            )
            .with("sums/colours.py", colours)
    };
    let [one, other] = imports;
    let conditions = RunConditions {
        loads: &["sums/shapes.py", "sums/kinds.py", "sums/colours.py"],
        ..RunConditions::default()
    };
    let [before, after] = [[one, other], [other, one]].map(|imports| version(&imports.concat()));
    is_run_where(conditions, Some(HARNESS), (&before, &after))
}

#[test]
fn the_order_of_modules_is_a_risk_where_one_of_them_does_more_than_to_bind_names() {
    let (shapes, colours) = (
        "import re\n\nROUND = re.compile('o')\n\n\nclass Shape:\n    sides = 4\n",
        "RED = 'red'\n\n\ndef mix(a, b):\n    return a + b\n",
    );
    let by_name = ["from .shapes import Shape\n", "from .kinds import KIND\n"];
    let by_module = ["from . import shapes\n", "from . import kinds\n"];
    let registers = "import codecs\n\ncodecs.register(print)\nRED = 'red'\nROUND = Shape = 1\n";
    for imports in [by_name, by_module, [by_name[0], by_module[1]]] {
        assert!(!is_run_in_another_order(imports, (shapes, colours)), "{imports:?}");
        assert!(is_run_in_another_order(imports, (registers, colours)), "{imports:?}");
        assert!(is_run_in_another_order(imports, (shapes, registers)), "{imports:?}");
    }
    // Nobody knows what it does.
    let outside = "import numpy\n";
    assert!(is_run_in_another_order([by_name[0], outside], (shapes, colours)));
}

#[test]
fn a_module_that_is_written_otherwise_is_the_same_one() {
    let tools = "from . import tools\n";
    let version = |import: &str| project(&LIBRARY.replacen(tools, &format!("{tools}{import}"), 1));
    let is_run = |before: &str, after: &str| is_run_beside(Some(HARNESS), (&version(before), &version(after)));
    let (relative, absolute) = ("from .tools import Base\n", "from sums.tools import Base\n");
    assert!(!is_run(relative, absolute) && !is_run(absolute, relative));
    assert!(is_run(relative, "from .other import Base\n"));
    assert!(is_run(relative, "from tools import Base\n"));
    assert!(is_run("from re import sub\n", "from .re import sub\n"));
    assert!(is_run(relative, "from sums.tools import Base as Other\n"));
}

#[test]
fn a_module_at_the_end_of_the_path_of_another_one_is_another_one() {
    let tools = "from . import tools\n";
    let version = |import: &str| {
        let packages = ["sums/kept", "sums/kept/tiny", "tiny"];
        let files = project(&LIBRARY.replacen(tools, &format!("{tools}{import}"), 1));
        packages.iter().fold(files, |files, folder| {
            files
                .with(&format!("{folder}/__init__.py"), "")
                .with(&format!("{folder}/core.py"), "def squeeze(text):\n    return text\n")
        })
    };
    let is_run = |before: &str, after: &str| {
        let conditions = RunConditions {
            loads: &["sums/kept/tiny/core.py", "sums/kept/__init__.py", "tiny/core.py"],
            ..RunConditions::default()
        };
        is_run_where(conditions, Some(HARNESS), (&version(before), &version(after)))
    };
    let (kept, whole) = (
        "from .kept.tiny.core import squeeze\n",
        "from sums.kept.tiny.core import squeeze\n",
    );
    assert!(!is_run(kept, whole) && !is_run(whole, kept));
    let other = "from tiny.core import squeeze\n";
    assert!(is_run(kept, other) && is_run(other, kept) && is_run(whole, other));
}

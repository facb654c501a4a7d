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
fn a_name_that_another_module_of_the_language_has_is_a_risk_of_the_code_that_runs_with_it() {
    let [before, after] = ["from typing import Sized\n", "from collections.abc import Sized\n"];
    let is_run = |more: &str| {
        let version = |import: &str| project(&[import, LIBRARY, more].concat());
        is_run_beside(Some(HARNESS), (&version(before), &version(after)))
    };
    for more in [
        "",
        "def size(of: Sized) -> 'Sized | None':\n    given: list[Sized] = of\n    return given\n",
        "class Box:\n    @property\n    def size(self) -> list[Sized]:\n        return 1\n",
    ] {
        assert!(!is_run(more), "{more}");
    }
    for more in [
        "FOUND = hear(Sized)\n",
        "class Box(Sized):\n    pass\n",
        "@hear\ndef size(of: Sized):\n    return of\n",
        "def size(of: Sized):\n    return of\nFOUND = inspect.signature(size)\n",
        "class Box:\n    given: Sized\n",
    ] {
        assert!(is_run(more), "{more}");
    }
    let asks = LIBRARY.replace("def helper(n):", "def helper(n):\n    isinstance(n, Sized)");
    let version = |import: &str| project(&[import, &asks].concat());
    assert!(is_run_beside(Some(HARNESS), (&version(before), &version(after))));
    let other = project(&["from .tools import Sized\n", LIBRARY].concat());
    assert!(is_run_beside(
        Some(HARNESS),
        (&project(&[before, LIBRARY].concat()), &other)
    ));
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

#[test]
fn another_order_is_a_risk_where_a_module_lists_its_names_or_a_class_makes_classes() {
    let (total, helper) = (
        "def total(values):\n    return sum(values) + helper(len(values))\n\n\n",
        "def helper(n):\n    return n\n\n\n",
    );
    let code = "    def code(self):\n        return 2\n";
    let more = "\n    def decode(self):\n        return 3\n";
    let library = LIBRARY.replacen(code, &[code, more].concat(), 1);
    let later = library.replacen(&[total, helper].concat(), &[helper, total].concat(), 1);
    let turned = library.replacen(&[code, more].concat(), &[&more[1..], "\n", code].concat(), 1);
    let is_run = |after: &str, tools: &str, of_library: &str| {
        let version = |library: &str| project(&[of_library, library].concat()).with("sums/tools.py", tools);
        is_run_beside(Some(HARNESS), (&version(&library), &version(after)))
    };
    let plain = "class Base:\n    pass\n";
    let metaclass = "class Kind(type):\n    pass\n\n\nclass Base(metaclass=Kind):\n    pass\n";
    assert!(library != later && library != turned);
    for after in [&later, &turned] {
        assert!(!is_run(after, plain, ""), "{after}");
    }
    assert!(!is_run(&later, metaclass, ""));
    assert!(is_run(&turned, metaclass, ""));
    // In a function that is executed, in one that is not, and when it is loaded.
    let lists = "def words():\n    return list(globals())\n\n\n";
    let is_run_listing = |in_helper: &str, tools: &str| {
        let version = |library: &str| {
            let library = library.replacen("    return n\n", in_helper, 1);
            project(&[lists, &library].concat()).with("sums/tools.py", tools)
        };
        is_run_beside(Some(HARNESS), (&version(&library), &version(&later)))
    };
    assert!(!is_run_listing("    return n\n", plain));
    assert!(is_run_listing("    return globals() and n\n", plain));
    let taking = ["from .lib import *\nNAMES = list(globals())\n", plain].concat();
    assert!(is_run_listing("    return n\n", &taking));
}

#[test]
fn another_name_is_a_risk_where_executed_code_reads_the_names_of_others() {
    let is_run = |helper: &str, more: &str, (from, to): (&str, &str)| {
        let library = [&LIBRARY.replacen("    return n\n", helper, 1), more].concat();
        assert!(library.contains(from), "{from}");
        is_run_beside(
            Some(HARNESS),
            (&project(&library), &project(&library.replace(from, to))),
        )
    };
    let (plain, reads) = ("    return n\n", "    return Plain.__name__ and n\n");
    let unused = "\n\ndef idle(n):\n    return n\n";
    let renamed = ("idle", "lazy");
    assert!(!is_run(plain, unused, renamed));
    assert!(is_run(reads, unused, renamed));
    assert!(is_run(plain, &[unused, "\n\nNAME = idle.__name__\n"].concat(), renamed));
    let names_itself = "\n\nif __name__ == '__main__':\n    pass\n";
    assert!(!is_run(plain, &[unused, names_itself].concat(), renamed));
    // Another function comes, and none goes.
    let one_more = (
        unused,
        "\n\ndef idle(n):\n    return n\n\n\ndef lazy(n):\n    return n\n",
    );
    assert!(!is_run(reads, unused, one_more));
}

#[test]
fn another_documentation_is_a_risk_where_executed_code_of_its_source_reads_it() {
    let is_run = |helper: &str, more: &str| {
        let library = [&LIBRARY.replacen("    return n\n", helper, 1), more].concat();
        let documented = |text: &str| {
            let head = "def total(values):\n";
            project(&library.replacen(head, &format!("{head}    '{text}'\n"), 1))
        };
        is_run_beside(Some(HARNESS), (&documented("a+"), &documented("(a|b)+")))
    };
    assert!(!is_run("    return n\n", ""));
    assert!(is_run("    return total.__doc__ and n\n", ""));
    assert!(!is_run("    return n\n", "\n\ndef idle():\n    return total.__doc__\n"));
    assert!(is_run("    return n\n", "\n\nRULE = total.__doc__\n"));
}

//! Python that differs in what importing it executes: a risk of everything, unless it binds names alone. Then it is one of the code
//! that asks for them.

use std::sync::Arc;

use analyzer::sample::SampleInputs;
use analyzer::score::{CostModel, NearestSample, ScoreDecision, ScoreOptions, score};
use analyzer::sources::{OutsideSources, SourceContent};
use profile::inputs::{CompiledInputs, InputRecord, OpenedFiles};

use crate::support::{ScoringTestFiles, ScoringTestProfile, options, sample, with_version};

const TOTAL: u64 = 50_000_000;

pub(crate) const LIBRARY: &str = "import re
from . import tools

LIMIT = 3


def total(values):
    return sum(values) + helper(len(values))


def helper(n):
    return n


class Plain:
    def weigh(self, of=LIMIT):
        return 1


class Coder(tools.Base):
    def code(self):
        return 2
";

/// Read by the benchmark.
const DATA: &str = "kinds.txt";

pub(crate) const TOOLS: &str = "class Base:\n    pass\n";

/// A package of two modules, of which a benchmark outside it asks for `total`.
pub(crate) fn project(library: &str) -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with("sums/__init__.py", "from .lib import total\n")
        .with("sums/lib.py", library)
        .with("sums/tools.py", TOOLS)
}

/// Whether a version is run of which the start does not count; none of its functions has another body.
pub(crate) fn is_run_beside(outside: Option<&str>, change: (&ScoringTestFiles, &ScoringTestFiles)) -> bool {
    is_run_where(RunConditions::default(), outside, change)
}

/// The conditions of a test: the run of the benchmark, as the sample recorded it, and where its sources are by now.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunConditions<'n> {
    pub(crate) start_counts: bool,
    /// The names that it asked for as texts; `None` where they are not known.
    pub(crate) asked_names: Option<&'n [&'n str]>,
    /// The folder that the sources have moved into since.
    pub(crate) moved_into: Option<&'n str>,
    /// True if a data file that the run opened is another one since.
    pub(crate) has_other_data: bool,
    /// A statement that a source which the run loaded has since.
    pub(crate) later_statement: Option<&'n str>,
    /// Sources that it loads, beside those of every project.
    pub(crate) loads: &'n [&'n str],
    /// True if the functions of the tools do not run, not even when the benchmark starts.
    pub(crate) has_idle_tools: bool,
}

/// The same in other conditions.
pub(crate) fn is_run_where(
    conditions: RunConditions<'_>,
    outside: Option<&str>,
    (before, after): (&ScoringTestFiles, &ScoringTestFiles),
) -> bool {
    let library = before.content("sums/lib.py");
    let line_of = |text: &str| {
        (1..)
            .zip(library.lines())
            .find_map(|(at, line)| line.starts_with(text).then_some(at))
    };
    let line_of = |text: &str| line_of(text).expect("the library has it");
    let recorded = ScoringTestProfile::new("sum", TOTAL)
        .function("sums.lib.total", line_of("def total"), 10, (TOTAL, TOTAL / 2))
        .in_file("sums/lib.py")
        .function("sums.lib.helper", line_of("def helper"), 10, (TOTAL / 2, TOTAL / 2))
        .in_file("sums/lib.py");
    let loading = if conditions.start_counts { (TOTAL, 100) } else { (0, 0) };
    let recorded = recorded
        .function("sums.lib.<module>", 1, u64::from(conditions.start_counts), loading)
        .in_file("sums/lib.py");
    let tools = before.content("sums/tools.py");
    let tools = (1..).zip(tools.lines()).filter(|_| !conditions.has_idle_tools);
    let recorded = tools.fold(recorded, |recorded, (line, text)| match text.strip_prefix("def ") {
        Some(head) => {
            let name = head.split('(').next().unwrap_or(head);
            let name = format!("sums.tools.{name}");
            recorded.function(&name, line, 0, (0, 0)).in_file("sums/tools.py")
        }
        None => recorded,
    });
    let opened = ["sums/__init__.py", "sums/lib.py", "sums/tools.py", DATA];
    let opened = opened.iter().chain(conditions.loads);
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            ..CompiledInputs::default()
        },
        opened: OpenedFiles {
            is_complete: true,
            files: opened.map(|path| (*path).to_owned()).collect(),
            // Where modules are looked for.
            folders: ["", "sums"].into_iter().map(str::to_owned).collect(),
            ..OpenedFiles::default()
        },
        asked_names: conditions
            .asked_names
            .map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        macros: None,
    };
    let records = [("sum".to_owned(), Arc::new(record))].into();
    let sampled = before.clone().with(DATA, "mean");
    let sample = sample(&sampled, vec![recorded]).with_inputs(SampleInputs::new(records));
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let texts = outside.map(|text| vec![SourceContent::Bytes(text.as_bytes().into())]);
    let options = ScoreOptions {
        outside: OutsideSources::new(Box::new(|| texts)),
        ..options(CostModel::Lito)
    };
    let data = if conditions.has_other_data { "median" } else { "mean" };
    let by_now = |files: &ScoringTestFiles| {
        let sources = conditions
            .moved_into
            .map_or_else(|| files.clone(), |folder| files.below(folder));
        match conditions.later_statement {
            Some(statement) => sources.replaced(
                "from .lib import total",
                &format!("from .lib import total\n{statement}"),
            ),
            None => sources,
        }
        .with(DATA, data)
    };
    with_version((&by_now(before), &by_now(after)), |version| {
        score(version, Some(nearest), &options).decision == ScoreDecision::Benchmark
    })
}

pub(crate) const HARNESS: &str = "from sums import total\ntotal(range(9))\n";

fn is_run(from: &str, to: &str) -> bool {
    assert!(LIBRARY.contains(from), "{from}");
    let after = project(&LIBRARY.replacen(from, to, 1));
    is_run_beside(Some(HARNESS), (&project(LIBRARY), &after))
}

#[test]
fn names_that_nothing_asks_for_are_no_risk() {
    for (from, to) in [
        (
            "import re\n",
            "import re\nimport itertools\nfrom collections import deque\n",
        ),
        ("LIMIT = 3\n", "LIMIT = 3\nPairs = tuple[int, int]\n"),
        (
            "def helper",
            "def median(values):\n    return sorted(values)[0]\n\n\ndef helper",
        ),
        (
            "class Coder",
            "class Heavy(Plain):\n    def weigh(self):\n        return 9\n\n\nclass Coder",
        ),
        (
            "        return 1\n",
            "        return 1\n\n    def lift(self):\n        return 2\n",
        ),
        ("def weigh(self, of=LIMIT):", "def weigh(self, of: int = LIMIT) -> int:"),
    ] {
        assert!(!is_run(from, to), "{to}");
        let after = project(&LIBRARY.replacen(from, to, 1));
        assert!(
            !is_run_beside(Some(HARNESS), (&after, &project(LIBRARY))),
            "without {to}"
        );
    }
}

#[test]
fn a_name_that_code_asks_for_already_is_a_risk() {
    for (from, to) in [
        // Of the language.
        ("LIMIT = 3\n", "LIMIT = 3\nfrom math import fsum as sum\n"),
        ("def helper", "def len(values):\n    return 9\n\n\ndef helper"),
        // Of the module.
        ("LIMIT = 3\n", "LIMIT = 3\nfrom .tools import helper\n"),
    ] {
        assert!(is_run(from, to), "{to}");
    }
}

#[test]
fn a_method_is_a_risk_where_the_class_is_made_of_one_that_may_ask_for_any_name() {
    let (from, to) = (
        "        return 2\n",
        "        return 2\n\n    def default(self):\n        return 3\n",
    );
    for (base, is_expected) in [
        (TOOLS, false),
        ("class Root:\n    pass\n\n\nclass Base(Root):\n    pass\n", false),
        ("class Base(ValueError):\n    pass\n", false),
        ("import json\n\n\nclass Base(json.JSONEncoder):\n    pass\n", true),
        ("from other import Base\n", true),
        ("from .shapes import Base\n", true),
        ("from .lib import Plain as Base\n", true),
        ("from . import lib\n\n\nclass Base(lib.Plain):\n    pass\n", false),
        ("from other import Plain\n\n\nclass Base(Plain):\n    pass\n", true),
        ("from other import Other\n\n\nclass Base(Other):\n    pass\n", true),
        ("class Base(metaclass=Kind):\n    pass\n", true),
        ("@hear\nclass Base:\n    pass\n", true),
        (
            "class Base:\n    def __init_subclass__(cls):\n        hear(cls)\n",
            true,
        ),
        ("class Base:\n    pass\n\n\nclass Base(Other):\n    pass\n", true),
    ] {
        let of = |library: &str| project(library).with("sums/tools.py", base);
        let (before, after) = (of(LIBRARY), of(&LIBRARY.replacen(from, to, 1)));
        assert_eq!(is_run_beside(Some(HARNESS), (&before, &after)), is_expected, "{base}");
        assert_eq!(is_run_beside(Some(HARNESS), (&after, &before)), is_expected, "{base}");
    }
}

/// Whether a change of the library with more code at its end is run.
fn is_run_with(more: &str, harness: &str, (from, to): (&str, &str)) -> bool {
    let library = [LIBRARY, more].concat();
    assert!(library.contains(from), "{from}");
    let after = project(&library.replacen(from, to, 1));
    is_run_beside(Some(harness), (&project(&library), &after))
}

#[test]
fn another_default_or_value_is_a_risk_of_the_code_that_asks_for_it() {
    let idle = "\n\ndef idle(n=1):\n    return range(n)\n";
    let unused = "\n\ndef unused():\n    return idle()\n";
    let default = ("def idle(n=1)", "def idle(n=900)");
    let value = ("LIMIT = 3\n", "LIMIT = 900\n");
    let total = |of: &str| ("return sum(values)".to_owned(), format!("return sum(values) + {of}"));
    // Nothing that is executed asks for them.
    assert!(!is_run_with(&[idle, unused].concat(), HARNESS, default));
    assert!(!is_run_with("", HARNESS, value));
    assert!(!is_run_with("\n\nTWICE = (LIMIT, LIMIT)\n", HARNESS, value));
    // Executed code does.
    for (of, change) in [("len(idle())", default), ("LIMIT", value), ("TWICE[0]", value)] {
        let (from, to) = total(of);
        let library = [LIBRARY, idle, "\n\nTWICE = (LIMIT, LIMIT)\n"]
            .concat()
            .replacen(&from, &to, 1);
        let after = project(&library.replacen(change.0, change.1, 1));
        assert!(is_run_beside(Some(HARNESS), (&project(&library), &after)), "{of}");
    }
    // Statements and code outside the repository are not followed.
    for (more, harness) in [
        ("\n\ntools.Base.limit = LIMIT\n", HARNESS),
        ("\n\nclass Limited(LIMIT):\n    pass\n", HARNESS),
        ("\n\n@tools.limited(LIMIT)\ndef limited():\n    pass\n", HARNESS),
        ("\n\nif re:\n    TWICE = LIMIT\n", HARNESS),
        ("", "import sums.lib\nsums.lib.total(range(sums.lib.LIMIT))\n"),
    ] {
        assert!(is_run_with(more, harness, value), "{more} {harness}");
    }
}

#[test]
fn a_name_that_the_language_asks_for_is_a_risk_where_there_is_a_value_of_its_class() {
    let members = ["def __len__(self):\n        return 2\n", "__slots__ = ()\n"];
    for (line, harness, is_expected) in [
        ("    return n\n", HARNESS, false),
        ("    return Plain() and n\n", HARNESS, true),
        (
            "    return n\n",
            "from sums.lib import total, Plain\ntotal([Plain()])\n",
            true,
        ),
    ] {
        let library = LIBRARY.replacen("    return n\n", line, 1);
        for member in members {
            let to = format!("        return 1\n\n    {member}");
            let after = project(&library.replacen("        return 1\n", &to, 1));
            let is_run = is_run_beside(Some(harness), (&project(&library), &after));
            assert_eq!(is_run, is_expected, "{member} {line} {harness}");
        }
    }
}

#[test]
fn what_a_formatter_or_a_type_checker_decides_is_no_risk() {
    for (from, to) in [
        ("LIMIT = 3\n", "LIMIT = (3)\n"),
        (
            "def weigh(self, of=LIMIT):",
            "def weigh(\n        self,\n        of=LIMIT,\n    ):",
        ),
        ("class Plain:", "class Plain(object):"),
        ("import re\nfrom . import tools\n", "from . import tools\nimport re\n"),
        (
            "LIMIT = 3\n",
            "LIMIT = 3\nif TYPE_CHECKING:\n    from shapes import Shape\n",
        ),
        (
            "import re\nfrom . import tools\n",
            "from __future__ import annotations\nimport re\nfrom . import tools\n",
        ),
    ] {
        assert!(!is_run(from, to), "{to}");
        let after = project(&LIBRARY.replacen(from, to, 1));
        assert!(
            !is_run_beside(Some(HARNESS), (&after, &project(LIBRARY))),
            "back from {to}"
        );
    }
}

#[test]
fn a_text_with_an_escape_that_a_statement_is_given_is_a_risk_of_everything() {
    let call = |text: &str| format!("\n\ntools.register('{text}\\n')\n");
    let [before, after] = ["fast", "slow"].map(|text| project(&[LIBRARY, &call(text)].concat()));
    assert!(is_run_beside(Some(HARNESS), (&before, &after)));
}

#[test]
fn what_does_more_than_to_bind_names_is_a_risk() {
    for (from, to) in [
        ("LIMIT = 3\n", "LIMIT = 3\ntools.Base.limit = 4\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nTABLE = tools.made()\n"),
        ("import re\n", "import re\nimport shapes\n"),
        (
            "def helper",
            "@tools.registered\ndef median(values):\n    return 1\n\n\ndef helper",
        ),
        ("class Plain", "@tools.counted\nclass Plain"),
    ] {
        assert!(is_run(from, to), "{to}");
    }
}

#[test]
fn a_package_that_moved_since_the_sample_is_the_one_that_was_loaded() {
    for (from, to, is_expected) in [
        ("LIMIT = 3\n", "LIMIT = 3\nPairs = tuple[int, int]\n", false),
        ("import re\n", "import re\nimport itertools\n", false),
        ("LIMIT = 3\n", "LIMIT = 3\nlater = tools.made()\n", true),
        ("    return n\n", "    return sum(range(n))\n", true),
    ] {
        assert!(LIBRARY.contains(from), "{from}");
        let after = project(&LIBRARY.replacen(from, to, 1));
        for moved_into in [None, Some("src"), Some("python/source")] {
            let conditions = RunConditions {
                moved_into,
                ..RunConditions::default()
            };
            let is_run = is_run_where(conditions, Some(HARNESS), (&project(LIBRARY), &after));
            assert_eq!(is_run, is_expected, "{to} {moved_into:?}");
        }
    }
}

#[test]
fn functions_that_never_run_ask_for_no_name() {
    let (from, to) = ("def helper", "def median(values):\n    return 1\n\n\ndef helper");
    let is_run = |tools: &str, later_statement| {
        let of = |library: &str| {
            project(library).with("sums/tools.py", tools).with(
                "sums/more.py",
                "from .tools import find\n\n\ndef use(name):\n    find(name)\n",
            )
        };
        let conditions = RunConditions {
            later_statement,
            has_idle_tools: true,
            ..RunConditions::default()
        };
        is_run_where(
            conditions,
            Some(HARNESS),
            (&of(LIBRARY), &of(&LIBRARY.replacen(from, to, 1))),
        )
    };
    let lists = "def find(module):\n    return dir(module)\n";
    assert!(!is_run(lists, None));
    assert!(!is_run(lists, Some("KIND = 4")));
    // Code that runs since may call it, itself or through a source that nothing loaded before.
    assert!(is_run(lists, Some("KIND = find(4)")));
    assert!(is_run(lists, Some("from . import more")));
    // By a name that it makes up.
    let in_parts = lists.replace("find", "fi_nd");
    assert!(!is_run(&in_parts, Some("KIND = 4")));
    for made_up in [
        "KIND = getattr(tools, 'fi_' + KIND)(4)",
        "KIND = getattr(tools, f'fi_{KIND}')(4)",
    ] {
        assert!(is_run(&in_parts, Some(made_up)), "{made_up}");
    }
    // The language calls it, or loading does, or whoever it was handed to.
    assert!(is_run(&format!("@hear\n{lists}"), None));
    assert!(is_run("def __getattr__(name):\n    return dir(name)\n", None));
    assert!(is_run("NAMES = dir(module)\n", None));
    assert!(is_run("def find(module, names=dir(module)):\n    return names\n", None));
}

#[test]
fn a_value_goes_no_further_through_functions_that_never_run() {
    let library = LIBRARY
        .replace("LIMIT = 3", "LIMIT = 3\nDEPTH = 3")
        .replace("    return sum(", "    # To find all of them.\n    return sum(");
    let tools = "from . import lib\n\n\ndef find():\n    return lib.DEPTH\n";
    let is_run = |has_idle_tools| {
        let of = |library: &str| project(library).with("sums/tools.py", tools);
        let conditions = RunConditions {
            has_idle_tools,
            ..RunConditions::default()
        };
        let change = (&of(&library), &of(&library.replace("DEPTH = 3", "DEPTH = 4")));
        is_run_where(conditions, Some(HARNESS), change)
    };
    assert!(!is_run(true));
    assert!(is_run(false));
}

#[test]
fn stated_types_are_a_risk_where_code_looks_at_them() {
    let library = LIBRARY.replacen(
        "import re\n",
        "import re\nimport inspect\nSEEN = inspect.signature\n",
        1,
    );
    let after = library.replacen("def weigh(self, of=LIMIT):", "def weigh(self, of: int = LIMIT):", 1);
    assert!(is_run_beside(Some(HARNESS), (&project(&library), &project(&after))));
}

#[test]
fn what_no_import_can_find_comes_and_goes_unseen_by_who_looks_for_modules() {
    let with = |path: &str, tools: &str| project(LIBRARY).with("sums/tools.py", tools).with(path, "text = 1\n");
    for (path, tools, is_expected) in [
        (".readthedocs.yaml", TOOLS, false),
        ("sums/py.typed", TOOLS, false),
        ("LICENSE", TOOLS, false),
        ("news/next.md", TOOLS, false),
        ("news/make.py", TOOLS, false),
        ("setup.py", TOOLS, false),
        // A module, and packages.
        ("re.py", TOOLS, true),
        (
            "setup.py",
            "try:\n    import setup\nexcept ImportError:\n    setup = None\n",
            true,
        ),
        ("setup.py", "def find(name):\n    return __import__(name)\n", true),
        ("conftest.py", TOOLS, true),
        ("test_sums.py", TOOLS, true),
        ("sums/setup.py", TOOLS, true),
        ("re/__init__.py", TOOLS, true),
        (
            "news/make.py",
            "try:\n    import news\nexcept ImportError:\n    news = None\n",
            true,
        ),
        // Names that are made up may be those of modules.
        ("sums/py.typed", "def find(name):\n    return __import__(name)\n", false),
        ("news/next.md", "def find(name):\n    return __import__(name)\n", true),
        ("sums/py.typed", "def run(text):\n    return eval(text)\n", true),
        // The program lists folders itself.
        ("sums/words.dat", "import os\nFOUND = os.listdir('sums')\n", true),
    ] {
        let (before, after) = (project(LIBRARY).with("sums/tools.py", tools), with(path, tools));
        assert_eq!(
            is_run_beside(Some(HARNESS), (&before, &after)),
            is_expected,
            "{path} {tools}"
        );
        assert_eq!(
            is_run_beside(Some(HARNESS), (&after, &before)),
            is_expected,
            "without {path} {tools}"
        );
    }
}

#[test]
fn where_the_start_counts_everything_that_loading_executes_does() {
    let after = project(&LIBRARY.replacen("import re\n", "import re\nimport decimal\n", 1));
    for start_counts in [true, false] {
        let conditions = RunConditions {
            start_counts,
            ..RunConditions::default()
        };
        assert_eq!(
            is_run_where(conditions, Some(HARNESS), (&project(LIBRARY), &after)),
            start_counts
        );
    }
}

#[test]
fn settings_of_installers_and_checkers_are_nothing_to_a_run() {
    const SETTINGS: &str = "[project]\nversion = \"1.0\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    let is_run = |tools: &str, (from, to): (&str, &str)| {
        let project = project(LIBRARY).with("sums/tools.py", tools);
        let [before, after] =
            [SETTINGS, &SETTINGS.replace(from, to)].map(|settings| project.clone().with("pyproject.toml", settings));
        let conditions = RunConditions {
            loads: &["pyproject.toml"],
            ..RunConditions::default()
        };
        is_run_where(conditions, Some(HARNESS), (&before, &after))
    };
    let version = ("1.0", "1.1");
    assert!(!is_run(TOOLS, version));
    assert!(is_run(TOOLS, ("-q", "-q -p sums.tools")));
    let reading = format!("{TOOLS}SETTINGS = read('../pyproject.toml')\n");
    assert!(is_run(&reading, version), "code of the project reads it");
}

#[test]
fn a_source_that_is_loaded_since_the_sample_may_ask_for_a_name_too() {
    let (from, to) = ("def helper", "def median(values):\n    return 1\n\n\ndef helper");
    let is_run = |later_statement| {
        let of = |library: &str| {
            project(library).with("sums/more.py", "from . import lib\n\nFAST = hasattr(lib, 'median')\n")
        };
        let conditions = RunConditions {
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
    assert!(is_run(Some("from . import more")));
}

#[test]
fn a_module_that_is_taken_from_its_package_is_loaded() {
    let tools = "from . import tools\n";
    let of = |import: &str| {
        project(&LIBRARY.replacen(tools, &format!("{tools}{import}"), 1))
            .with("sums/more.py", "from . import lib\n\nlib.helper = sum\n")
    };
    let is_run = |import: &str| is_run_beside(Some(HARNESS), (&of(""), &of(import)));
    assert!(is_run("from .more import lib\n"));
    assert!(is_run("import sums.more\n"));
    assert!(is_run("from . import more\n"));
    assert!(is_run("from sums import more\n"));
}

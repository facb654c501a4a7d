//! Benchmarks of programs that an interpreter runs, with a real CPython.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::gate::{replace, report};
use super::repository::TestRepository;

const LIBRARY: &str = "import math

SCALE = 3


def times(count, step=1):
    def decorate(function):
        def repeated(*arguments):
            for _ in range(count):
                result = function(*arguments)
            return result

        return repeated

    return decorate


class Table:
    width = 4

    def __init__(self, size):
        self.cells = [0] * size

    @property
    def size(self):
        return len(self.cells)

    @size.setter
    def size(self, size):
        self.cells = [0] * size

    def fill(self, value=1):
        for place in range(self.size):
            self.cells[place] = value * SCALE
        return self


@times(2)
def total(table):
    return sum(cell for cell in table.cells)


def single(rounds):
    for _ in range(rounds):
        pass


def triple(rounds):
    for _ in range(3 * rounds):
        pass


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def unused(table):
    return math.sqrt(table.size)


if SCALE > 2:
    Table.width = 8
";

const BENCHMARK: &str = "from tables import library

table = library.Table(20000)
for _ in range(10):
    table.fill()
    library.total(table)
library.single(60000)
library.triple(60000)
library.fibonacci(10)
";

/// A sampled library of Python with a script that uses it; `None` if no interpreter is there that names its functions.
fn library(interpreter: &Path) -> TestRepository {
    let repository = TestRepository::unborn();
    let settings = format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"tables\"\nrun = [\"{}\", \"bench.py\"]\n",
        interpreter.display()
    );
    repository.write("lito.toml", &settings);
    repository.write("bench.py", BENCHMARK);
    repository.write("tables/__init__.py", "");
    repository.write("tables/library.py", LIBRARY);
    repository.write("README.md", "tables\n");
    repository.commit("the library");
    repository
}

/// The program of a CPython of at least a minor version, of those in `PATH` and of pyenv.
fn interpreter(is_wanted: impl Fn(u32) -> bool) -> Option<PathBuf> {
    let home = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pyenv")));
    let kept = home.and_then(|home| std::fs::read_dir(home.join("versions")).ok());
    let mut programs: Vec<PathBuf> = ["python3", "python3.12", "python3.13", "python3.14"]
        .map(PathBuf::from)
        .into();
    let mut of_pyenv: Vec<PathBuf> = (kept.into_iter().flatten().flatten())
        .map(|version| version.path().join("bin/python3"))
        .collect();
    of_pyenv.sort();
    programs.extend(of_pyenv);
    let question =
        "import sys; assert sys.implementation.name == 'cpython'; print(sys.version_info[1], sys.executable)";
    programs.iter().find_map(|program| {
        let answer = Command::new(program).args(["-I", "-c", question]).output().ok()?;
        let text = String::from_utf8(answer.stdout).ok()?;
        let (minor, path) = text.trim().split_once(' ')?;
        is_wanted(minor.parse().ok()?).then(|| PathBuf::from(path))
    })
}

/// An interpreter that names its functions, or nothing with a line that says so.
#[allow(clippy::print_stderr)]
pub(crate) fn naming_interpreter() -> Option<PathBuf> {
    let found = interpreter(|minor| minor >= 12);
    if found.is_none() {
        eprintln!("skipped: no CPython 3.12 or newer is installed, of which a profile shows the functions");
    }
    found
}

/// The score of HEAD.
fn score(repository: &TestRepository) -> Value {
    report(&repository.lito(&["score", "HEAD", "--format", "json"]), 0)["versions"][0].clone()
}

fn function<'p>(profile: &'p Value, name: &str) -> &'p Value {
    let functions = profile["functions"].as_array().unwrap();
    let found = functions.iter().find(|function| function["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not in the profile"))
}

#[test]
fn the_profile_of_a_python_program_holds_its_functions() {
    let Some(python) = naming_interpreter() else { return };
    let repository = library(&python);
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let profile = report(
        &repository.lito(&["store", "show", "--bench", "tables", "HEAD", "--format", "json"]),
        0,
    );
    let total = profile["total"].as_u64().unwrap();
    let own: u64 = (profile["functions"].as_array().unwrap().iter())
        .map(|function| function["self"].as_u64().unwrap())
        .sum();
    assert_eq!(own, total);
    for (name, calls) in [
        ("tables.library.Table.fill", 10),
        ("tables.library.single", 1),
        ("tables.library.triple", 1),
        ("tables.library.fibonacci", 177),
        ("tables.library.times", 1),
        ("tables.library.times.decorate.repeated", 10),
        ("tables.library.total", 20),
        ("tables.library.<module>", 1),
    ] {
        let found = function(&profile, name);
        assert_eq!(found["calls"], calls, "{name}");
        assert_eq!(found["file"], "tables/library.py", "{name}");
    }
    let cost = |name: &str| function(&profile, name)["self"].as_u64().unwrap() as f64;
    let ratio = cost("tables.library.triple") / cost("tables.library.single");
    assert!(
        (2.9..3.1).contains(&ratio),
        "three times the rounds cost {ratio} times as much"
    );
}

#[test]
fn changes_of_python_are_held_against_what_runs() {
    let Some(python) = naming_interpreter() else { return };
    let repository = library(&python);
    repository.lito(&["sample"]).output();

    let unexecuted = [
        ("README.md", "tables", "tables of numbers"),
        ("tables/library.py", "return math.sqrt(table.size)", "return table.size"),
        ("tables/library.py", "import math", "# mathematics\nimport math"),
    ];
    for (file, from, to) in unexecuted {
        replace(&repository, file, from, to);
        let scored = score(&repository);
        assert_eq!(scored["decision"], "skip", "{from} → {to}: {scored:#}");
    }

    // Code that runs when a module is loaded decides about the functions in it.
    let executed = [
        (
            "self.cells[place] = value * SCALE",
            "self.cells[place] = value * SCALE * SCALE + place",
        ),
        ("@times(2)", "@times(3)"),
        ("SCALE = 3", "SCALE = 4"),
        ("value=1", "value=2"),
        ("width = 4", "width = 5"),
        ("class Table:", "class Table(dict):"),
        ("import math", "import decimal, math"),
        ("if SCALE > 2:", "if SCALE > 1:"),
        ("Table.width = 8", "Table.width = sum(range(9))"),
    ];
    for (from, to) in executed {
        replace(&repository, "tables/library.py", from, to);
        let scored = score(&repository);
        assert_eq!(scored["decision"], "benchmark", "{from} → {to}: {scored:#}");
    }

    // A property that is asked ten times, and a loop in which a thirtieth of the cost is spent: a small risk.
    for (from, to) in [
        ("        return len(self.cells)", "        return len(list(self.cells))"),
        ("range(3 * rounds)", "range(4 * rounds)"),
    ] {
        replace(&repository, "tables/library.py", from, to);
        let scored = score(&repository);
        let risk = scored["probability"].as_f64();
        assert!(risk.is_some_and(|risk| risk > 0.0), "{from} → {to}: {scored:#}");
    }
}

/// A module whose table is made while it is imported, by a function.
const MADE_AT_IMPORT: &str = "import json

LIMIT = 200


def make(size):
    return list(range(size))


TABLE = make(LIMIT)


def work():
    return sum(entry for entry in TABLE)


def unused():
    return json.dumps(TABLE)
";

/// Describes the benchmark `work`, `bench.py` with a number of iterations.
fn describe_iterations(repository: &TestRepository, python: &Path) {
    let settings = format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"work\"\nrun = [\"{}\", \"bench.py\", \"{{iterations}}\"]\n\
         iterations = 2\n",
        python.display()
    );
    repository.write("lito.toml", &settings);
}

#[test]
fn iterations_leave_out_the_start_and_a_change_of_what_it_leaves_behind_is_a_risk() {
    let Some(python) = naming_interpreter() else { return };
    let repository = TestRepository::unborn();
    describe_iterations(&repository, &python);
    repository.write("lib.py", MADE_AT_IMPORT);
    repository.write(
        "bench.py",
        "import sys\n\nimport lib\n\nfor _ in range(50 * int(sys.argv[1])):\n    lib.work()\n",
    );
    repository.commit("the library");
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let profile = report(
        &repository.lito(&["store", "show", "--bench", "work", "HEAD", "--format", "json"]),
        0,
    );
    assert_eq!(function(&profile, "lib.work")["calls"], 100);
    let total = profile["total"].as_f64().unwrap();
    let of_work = function(&profile, "lib.work")["inclusive"].as_f64().unwrap();
    assert!(
        of_work / total > 0.95,
        "{of_work} of {total}: the start of the interpreter is left out"
    );
    let made = function(&profile, "lib.make");
    assert_eq!((&made["calls"], &made["self"]), (&Value::from(0), &Value::from(0)));

    for (from, to, decision) in [
        ("return list(range(size))", "return list(range(2 * size))", "benchmark"),
        ("LIMIT = 200", "LIMIT = 400", "benchmark"),
        ("return json.dumps(TABLE)", "return json.dumps(sorted(TABLE))", "skip"),
    ] {
        replace(&repository, "lib.py", from, to);
        let scored = score(&repository);
        assert_eq!(scored["decision"], decision, "{from} → {to}: {scored:#}");
    }
    // The iterations alone are measured: a module of twice the size is no change of them.
    let more = format!(
        "{MADE_AT_IMPORT}\n\n{}",
        MADE_AT_IMPORT.replace("def ", "def other_").replace("TABLE", "OTHER")
    );
    repository.write("lib.py", MADE_AT_IMPORT);
    repository.commit("as it was");
    repository.write("lib.py", &more);
    repository.commit("more to import");
    let judged = repository.lito(&["gate", "--bench", "work"]);
    assert!(judged.output().contains("nothing changed: 1 measured"), "{judged:?}");
}

/// A loop with a branch that is never taken.
const BRANCHING: &str = "def work(values):
    total = 0
    for value in values:
        if value < 0:
            total += sum(
                range(abs(value)),
            )
        total += weigh(
            value,
        )
    return total


def weigh(value):
    return value + 1
";

#[test]
fn lines_of_python_are_counted_and_a_branch_that_never_runs_is_no_risk() {
    let Some(python) = naming_interpreter() else { return };
    let repository = TestRepository::unborn();
    describe_iterations(&repository, &python);
    repository.write("lib.py", BRANCHING);
    // Its own module of the name by which lines are counted is loaded too.
    repository.write("modules/sitecustomize.py", "VALUES = range(300)\n");
    repository.write(
        "bench.py",
        "import sys\nsys.path.append('modules')\nsys.modules.pop('sitecustomize', None)\nimport lib, sitecustomize\n\n\
         for _ in range(20 * int(sys.argv[1])):\n    lib.work(sitecustomize.VALUES)\n",
    );
    repository.commit("the library");
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let profile = report(
        &repository.lito(&["store", "show", "--bench", "work", "HEAD", "--format", "json"]),
        0,
    );
    let lines = profile["lines"].as_array().unwrap().iter();
    let executed: Vec<_> = lines
        .filter(|line| line["file"] == "lib.py")
        .map(|line| (line["line"].as_u64().unwrap(), line["executions"].as_u64().unwrap()))
        .collect();
    // Twice twenty calls of 300 rounds; the head of the loop is reached once more. A statement over lines counts once.
    let calls = 40;
    let rounds = 300 * calls;
    let expected = [
        (2, calls),
        (3, rounds),
        (4, rounds),
        (8, rounds),
        (9, rounds),
        (11, calls),
        (15, rounds),
    ];
    assert_eq!(executed, expected);

    for (from, to, is_run) in [
        ("range(abs(value))", "range(9 * abs(value))", false),
        (
            "            total += sum(",
            "            value = list((value, total))\n            total += sum(",
            false,
        ),
        (
            "        total += weigh(\n",
            "        total += weigh(value) + weigh(\n",
            true,
        ),
    ] {
        replace(&repository, "lib.py", from, to);
        let scored = score(&repository);
        let decision = if is_run { "benchmark" } else { "skip" };
        assert_eq!(scored["decision"], decision, "{from} → {to}: {scored:#}");
        let predicted = scored["benchmarks"][0]["predicted"].as_f64().unwrap();
        assert_eq!(predicted > 0.2, is_run, "{from} → {to}: {scored:#}");
    }
}

/// Functions that are called by names which the program makes up. A builtin is no method, also where it is an attribute of a class. A
/// module of a library is asked for `step_5`.
const ASKING: &str = "import json


class Steps:
    find = getattr

    def step_3(self):
        return 1

    def run(self, number):
        step = '_'.join(['step', str(number)])
        getattr(json, '_'.join(['step', '5']), None)
        return self.find(self, step)() + hasattr(self, 'other') + len(self.find.__name__)


def work():
    return sum(Steps.run(Steps(), 3) for _ in range(50))
";

#[test]
fn names_that_a_python_program_makes_up_are_recorded_and_others_are_no_risk() {
    let Some(python) = naming_interpreter() else { return };
    let repository = TestRepository::unborn();
    describe_iterations(&repository, &python);
    repository.write("lib.py", ASKING);
    repository.write(
        "bench.py",
        "import sys\nimport lib\n\nfor _ in range(20 * int(sys.argv[1])):\n    lib.work()\n",
    );
    repository.commit("the library");
    repository.lito(&["sample"]).says(0, &["sampled"]);
    let of_class = "    def run(";
    for (came, decision) in [
        (
            "    def step_4(self):\n        return 2\n\n    def step_5(self):\n        return 2\n\n",
            "skip",
        ),
        ("    def step_3(self):\n        return 2\n\n", "benchmark"),
        ("    def other(self):\n        return 2\n\n", "benchmark"),
    ] {
        replace(&repository, "lib.py", of_class, &format!("{came}{of_class}"));
        let scored = score(&repository);
        assert_eq!(scored["decision"], decision, "{came}: {scored:#}");
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn an_older_python_says_why_its_functions_are_not_in_the_profile() {
    let Some(python) = interpreter(|minor| minor < 12) else {
        eprintln!("skipped: no CPython before 3.12 is installed");
        return;
    };
    let repository = library(&python);
    let sampled = repository.lito(&["sample"]);
    sampled.says(0, &["use CPython 3.12 or newer"]);
    replace(
        &repository,
        "tables/library.py",
        "range(3 * rounds)",
        "range(4 * rounds)",
    );
    let scored = score(&repository);
    assert_eq!(scored["decision"], "benchmark", "{scored:#}");
}

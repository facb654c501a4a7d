//! A value that a small function of an interpreter gives, or is given by name, and the code that works with it.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 10_000_000;
/// The cost of a small function, a thousandth of the program.
const SMALL: u64 = 2_000;

/// A program of which `search` does nearly everything. It asks `is_whole` itself; `Tool` asks `mode` and is made by `search`.
const LIBRARY: &str = "def is_whole():
    return False


def mode():
    return 'plain'


def note(text):
    LOG.debug('found %s', text)


def options():
    return make(deep=False, width=3)


def make(deep, width):
    return Settings(deep, width)


class Tool:
    def __init__(self):
        self.mode = mode()


def search(settings, words):
    tool = Tool()
    note('start')
    while is_whole() and settings.deep:
        words = words[1:]
    return [word for word in words if tool.mode]


def rest(settings):
    return settings.width
";

/// True if the benchmark is run after a change.
fn is_run((from, to): (&str, &str)) -> bool {
    assert_eq!(LIBRARY.matches(from).count(), 1, "{from}");
    let before = ScoringTestFiles::default().with("lib.py", LIBRARY);
    let after = before.replaced(from, to);
    let line = |text: &str| {
        let mut lines = LIBRARY.lines().zip(1..);
        lines.find(|(line, _)| line.contains(text)).expect("it is there").1
    };
    let mut recorded = ScoringTestProfile::new("bench", TOTAL)
        .function("bench.<module>", 1, 1, (TOTAL, 1))
        .in_file("bench.py")
        .function(
            "lib.search",
            line("def search"),
            1,
            (TOTAL - 10 * SMALL, TOTAL - 15 * SMALL),
        )
        .in_file("lib.py");
    let small = [
        ("lib.is_whole", "def is_whole"),
        ("lib.mode", "def mode"),
        ("lib.note", "def note"),
        ("lib.options", "def options"),
        ("lib.make", "def make"),
        ("lib.Tool.__init__", "def __init__"),
        ("lib.rest", "def rest"),
    ];
    for (name, text) in small {
        recorded = recorded.function(name, line(text), 1, (SMALL, SMALL)).in_file("lib.py");
    }
    for at in 1..=LIBRARY.lines().count() as u32 {
        recorded = recorded.line_beside(at, 1);
    }
    for (caller, callee) in [
        ("lib.search", "lib.is_whole"),
        ("lib.search", "lib.note"),
        ("lib.search", "lib.Tool.__init__"),
        ("lib.Tool.__init__", "lib.mode"),
        ("lib.options", "lib.make"),
        ("bench.<module>", "lib.search"),
    ] {
        recorded = recorded.site(caller, 1, callee, (1, SMALL));
    }
    scored(CostModel::Lito, &before, vec![recorded], (&before, &after)).benchmarks[0].selected
}

#[test]
fn what_a_function_without_a_stated_type_returns_is_followed_to_its_callers() {
    assert!(is_run(("return False", "return True")));
    assert!(is_run(("return False", "return WHOLE")));
}

#[test]
fn a_small_function_hands_a_value_on_though_an_interpreter_makes_it_dear() {
    assert!(is_run(("return 'plain'", "return 'careful'")));
}

#[test]
fn a_value_that_is_given_by_name_is_followed_to_the_code_that_asks_for_the_name() {
    assert!(is_run(("deep=False", "deep=True")));
    assert!(!is_run(("width=3", "width=4")), "little code asks for it");
}

#[test]
fn a_function_that_gives_nothing_back_hands_nothing_on() {
    assert!(!is_run(("'found %s'", "'seen %s'")));
}

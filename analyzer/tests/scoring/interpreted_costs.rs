//! The costs of code of an interpreter: a round of a loop is work by itself, and its libraries have prices of their own.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 50_000_000;
const CALLS: u64 = 1_000;

const LIBRARY: &str = "def parse(text, at):
    char = text[at]
    if char == '=':
        return at
    return at + 1
";

/// The predicted change of a module whose function is called a thousand times and spends so many instructions in a call.
fn predicted((before, after): (&str, &str), each: u64) -> f64 {
    let of = |library: &str| ScoringTestFiles::default().with("lib.py", library);
    let cost = CALLS * each;
    let others = TOTAL / 10;
    let mut recorded = ScoringTestProfile::new("bench", TOTAL)
        .function("bench.<module>", 1, 1, (TOTAL, TOTAL - cost - others))
        .in_file("bench.py")
        .function("bench.prepare", 9, 10, (others, others))
        .in_file("bench.py")
        .function("lib.parse", 1, CALLS, (cost, cost))
        .in_file("lib.py");
    for line in 2..=before.lines().count() as u32 {
        recorded = recorded.line(line, CALLS);
    }
    let (before, after) = (of(before), of(after));
    scored(CostModel::Lito, &before, vec![recorded], (&before, &after)).benchmarks[0].predicted
}

/// The predicted cost of statements that come to stand before `char` is asked for, in instructions for each time.
fn cost_of(statements: &str) -> f64 {
    let at = "    if char == '='";
    let after = LIBRARY.replace(at, &format!("    {statements}\n{at}"));
    predicted((LIBRARY, &after), 500) * TOTAL as f64 / CALLS as f64
}

/// CPython 3.12 needs about 90 instructions for a round, of which it takes the next number.
#[test]
fn a_round_of_a_loop_without_a_body_costs_an_operation() {
    for statements in ["for _ in range(100): pass", "spare = [at for _ in range(100)]"] {
        let cost = cost_of(statements);
        assert!((7_000.0..40_000.0).contains(&cost), "{statements}: {cost}");
    }
}

/// Measured: `split` of 1,000 letters in words costs 25,000 instructions, `len` 190.
#[test]
fn a_function_of_the_library_has_the_price_of_its_own_language() {
    let (split, len) = (cost_of("words = text.split()"), cost_of("size = len(text)"));
    assert!(split > 1_000.0, "{split}");
    assert!((100.0..1_000.0).contains(&len), "{len}");
}

/// A module's function is not the method of a list that has its name.
#[test]
fn a_function_of_an_unknown_module_does_not_have_a_methods_price() {
    let (of_module, of_list) = (cost_of("remote.append(at)"), cost_of("[].append(at)"));
    assert!(of_module > 3.0 * of_list, "{of_module}, {of_list}");
}

/// A constant's method is one of a value, a module's function is not.
#[test]
fn a_method_of_a_constant_has_a_methods_price() {
    let of_constant = cost_of("found = PATTERN.match(text)");
    let of_module = cost_of("found = pattern.match(text)");
    assert!((2_000.0..6_000.0).contains(&of_constant), "{of_constant}");
    assert!(of_module > 3.0 * of_constant, "{of_module}");
}

/// A name that is imported is the one of that module.
#[test]
fn an_imported_function_does_not_have_a_builtins_price() {
    let with = |import: &str| {
        let library = format!("{LIBRARY}\n{import}\n");
        let added = library.replace("    if char", "    size = len(text)\n    if char");
        predicted((&library, &added), 500) * TOTAL as f64 / CALLS as f64
    };
    let (builtin, imported) = (with("import arrays"), with("from arrays import len"));
    assert!(imported > 3.0 * builtin, "{imported}, {builtin}");
}

/// The library calls of a function do not make its operations dear.
#[test]
fn library_calls_are_not_taken_for_the_cost_of_operations() {
    let calling = LIBRARY.replace("text[at]", "text.split()[at]");
    let added = |library: &str| library.replace("    return at + 1", "    at = at + 1\n    return at + 1");
    let plain = predicted((LIBRARY, &added(LIBRARY)), 2_000);
    let beside_a_call = predicted((&calling, &added(&calling)), 2_000);
    assert!(beside_a_call < 0.7 * plain, "{beside_a_call}, {plain}");
}

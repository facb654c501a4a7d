//! A recorded run of a small Python program, cut down to its own functions: `recorded.callgrind` and `recorded.map`. It runs
//! loops of 100 and 300 rounds, a recursion, a generator, a sort that calls back, and a method with a closure.

#![allow(clippy::unwrap_used)]

use super::{CodePiece, InterpretedFunction, InterpretedInput, InterpretedProgram, attribute_interpreted};
use crate::callgrind::PathRemapping;
use crate::callgrind::trace::{self, CallgrindTrace};
use crate::perf_map;
use profile::{Profile, ProfileFunction};

fn recorded() -> CallgrindTrace {
    trace::read(&include_bytes!("recorded.callgrind")[..]).unwrap()
}

/// The functions of the recorded map; `lines` are the first lines of a function by its name.
fn program(lines: impl Fn(&str) -> Vec<u32>) -> InterpretedProgram {
    let map = perf_map::read(include_bytes!("recorded.map"));
    assert_eq!(map.left_out, 0);
    let mut program = InterpretedProgram::default();
    for piece in map.pieces {
        let (name, file) = piece.name.strip_prefix("py::").unwrap().split_once(':').unwrap();
        program.pieces.push(CodePiece {
            start: piece.start,
            size: piece.size,
            function: u32::try_from(program.functions.len()).unwrap(),
        });
        program.functions.push(InterpretedFunction {
            name: format!("small.{name}"),
            file: Some(file.to_owned()),
            lines: lines(name),
            is_entered_otherwise: false,
        });
    }
    program
}

fn profile(trace: &CallgrindTrace, program: &InterpretedProgram) -> Profile {
    let with = InterpretedInput {
        benchmark: "small",
        program,
        roots: &PathRemapping::for_project("/work"),
    };
    attribute_interpreted(trace, &with)
}

fn function<'p>(profile: &'p Profile, name: &str) -> &'p ProfileFunction {
    profile.functions.iter().find(|function| function.name == name).unwrap()
}

#[test]
fn self_costs_add_up_and_calls_are_exact() {
    let trace = recorded();
    let profile = profile(&trace, &program(|_| vec![7]));
    let own: u64 = profile.functions.iter().map(|function| function.self_cost).sum();
    assert_eq!(own, trace.total);
    assert_eq!(profile.total, trace.total);
    assert!(profile.exact_counts);
    for (name, calls) in [
        ("small.<module>", 1),
        ("small.one", 1),
        ("small.fib", 67),
        // Made, resumed twenty times, and found to be over.
        ("small.gen", 22),
        ("small.K.__lt__", 2),
        ("small.K.method", 1),
        ("small.K.method.<locals>.<lambda>", 5),
    ] {
        assert_eq!(function(&profile, name).calls, calls, "{name}");
    }
    assert_eq!(profile.files, ["small.py"]);
    assert!(!function(&profile, "small.one").external);
    assert!(function(&profile, "main").external);
}

#[test]
fn costs_are_those_of_the_work() {
    let profile = profile(&recorded(), &program(|_| vec![7]));
    let own = |name: &str| function(&profile, name).self_cost as f64;
    let ratio = own("small.three") / own("small.one");
    assert!((2.9..3.6).contains(&ratio), "300 rounds cost {ratio} times 100 rounds");
    // Of a recursion, each level counts once.
    let fib = function(&profile, "small.fib");
    assert_eq!(fib.inclusive, fib.self_cost);
    let module = function(&profile, "small.<module>");
    assert!(module.inclusive > module.self_cost);
}

#[test]
fn no_code_without_a_name_is_left() {
    let profile = profile(&recorded(), &program(|_| vec![7]));
    let unnamed = profile
        .functions
        .iter()
        .find(|function| function.name.starts_with("0x"));
    assert_eq!(unnamed, None);
}

#[test]
fn functions_of_one_name_share_what_was_counted_for_it() {
    let trace = recorded();
    let two = |name: &str| if name == "fib" { vec![3, 9] } else { vec![1] };
    let divided = profile(&trace, &program(two));
    let whole = profile(&trace, &program(|_| vec![1]));
    let halves: Vec<&ProfileFunction> = (divided.functions.iter())
        .filter(|function| function.name == "small.fib")
        .collect();
    assert_eq!(halves.iter().map(|half| half.line).collect::<Vec<_>>(), [3, 9]);
    assert!(halves.iter().all(|half| half.estimated && half.self_cost > 0));
    assert_eq!(halves.iter().map(|half| half.calls).sum::<u64>(), 67);
    let own = halves.iter().map(|half| half.self_cost).sum::<u64>();
    assert_eq!(own, function(&whole, "small.fib").self_cost);
    assert!(!divided.exact_counts);
}

#[test]
fn functions_that_are_entered_otherwise_are_estimates() {
    let mut program = program(|_| vec![1]);
    program.functions[4].is_entered_otherwise = true;
    let profile = profile(&recorded(), &program);
    assert!(!profile.exact_counts);
    assert_eq!(
        profile.functions.iter().filter(|function| function.estimated).count(),
        1
    );
}

#[test]
fn a_map_of_another_process_loses_no_cost() {
    let trace = recorded();
    let mut other = program(|_| Vec::new());
    for piece in &mut other.pieces {
        piece.function = u32::MAX;
    }
    let profile = profile(&trace, &other);
    let own: u64 = profile.functions.iter().map(|function| function.self_cost).sum();
    assert_eq!(own, trace.total);
    assert!(profile.functions.iter().all(|function| function.external));
}

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{CallgrindError, CallgrindTrace, TraceCall, TraceInstruction, TraceJump, read, read_contexts};

const HEADER: &str = "# callgrind format\nversion: 1\ncreator: test\ncmd: x y=1\npositions: instr line\nevents: Ir\n";

fn read_body(body: &str) -> Result<CallgrindTrace, CallgrindError> {
    read(format!("{HEADER}{body}").as_bytes())
}

#[test]
fn names_and_positions_are_decompressed() {
    let trace = read_body(
        "ob=(1) /bin/x\nfl=(1) a.rs\nfn=(1) main\n0x100 3 2\n+4 * 2\nfi=(2) b.rs\n+0x10 -1 5\n\
         cob=(2) /lib/c.so\ncfi=(3) c.c\ncfn=(2) work\ncalls=3 0x40 9\n* * 30\n\
         ob=(2)\nfl=(3)\nfn=(2)\n0x40 9 30\n-8 9 1\n\ntotals: 40\n",
    )
    .unwrap();
    assert_eq!(trace.objects, ["/bin/x", "/lib/c.so"]);
    assert_eq!(trace.symbols, ["main", "work"]);
    let counts: Vec<_> = (trace.instructions.iter())
        .map(|i| (i.object, i.address, i.symbol, i.executed))
        .collect();
    assert_eq!(
        counts,
        [
            (0, 0x100, 0, 2),
            (0, 0x104, 0, 2),
            (0, 0x114, 0, 5),
            (1, 0x38, 1, 1),
            (1, 0x40, 1, 30)
        ]
    );
    assert_eq!(
        trace.calls,
        [TraceCall {
            from_object: 0,
            from: 0x114,
            to_object: 1,
            to: 0x40,
            from_symbol: 0,
            to_symbol: 1,
            calls: 3,
            cost: 30
        }]
    );
}

#[test]
fn jumps_do_not_move_the_position_before_their_own_line() {
    let trace =
        read_body("ob=x\nfn=f\n0x10 1 7\njcnd=4/7 +8 0\n* *\n+2 0 3\njump=3 -2 0\n*\n+6 0 4\ntotals: 14\n").unwrap();
    let jump = |from, to, followed, conditional| TraceJump {
        object: 0,
        from,
        to,
        followed,
        conditional,
    };
    assert_eq!(trace.jumps, [jump(0x10, 0x18, 4, true), jump(0x12, 0x10, 3, false)]);
    assert_eq!(trace.instructions[2].address, 0x18);
}

#[test]
fn parts_and_recursion_levels_are_added_up() {
    let part = "ob=(1) x\nfn=(1) f\n16 1 2\ncfn=(2) f'2\ncalls=1 16 1\n16 1 9\nfn=(2)\n16 1 4\ntotals: 6\n";
    let trace = read_body(&format!("{part}part: 2\n{part}")).unwrap();
    assert_eq!(trace.total, 12);
    assert_eq!(trace.symbols, ["f"]);
    let all = TraceInstruction {
        object: 0,
        address: 16,
        symbol: 0,
        executed: 12,
    };
    assert_eq!(trace.instructions, [all]);
    assert_eq!((trace.calls[0].calls, trace.calls[0].cost), (2, 18));
}

/// Two paths to `leaf`, one of them with direct recursion on two levels, in two parts.
const CONTEXTS: &str = "ob=(1) x\nfn=(1) main\n16 1 2\ncfn=(2) leaf'main\ncalls=1 64 1\n16 1 9\n\
    fn=(2)\n64 1 4\ncfn=(2)\ncalls=1 64 1\n68 1 5\n68 1 5\n\
    fn=(3) leaf'f'main\n64 1 7\ntotals: 18\n";

#[test]
fn contexts_are_identified_by_their_whole_name_and_parts_are_added_up() {
    let file = format!("{HEADER}{CONTEXTS}part: 2\n{CONTEXTS}");
    let contexts = read_contexts(file.as_bytes(), 3).unwrap();
    assert_eq!(contexts.trace, read(file.as_bytes()).unwrap());
    assert_eq!(contexts.trace.symbols, ["main", "leaf"]);
    let names: Vec<_> = (contexts.contexts.iter())
        .map(|context| (context.symbol, context.callers))
        .collect();
    assert_eq!(names, [(0, 0), (1, 1), (1, 2)]);
    let steps: Vec<_> = (contexts.steps.iter())
        .map(|step| (step.context, step.address, step.executed))
        .collect();
    assert_eq!(steps, [(0, 16, 4), (1, 64, 8), (1, 68, 10), (2, 64, 14)]);
    let calls: Vec<_> = (contexts.calls.iter())
        .map(|call| (call.from, call.at, call.to, call.calls, call.cost))
        .collect();
    assert_eq!(calls, [(0, 16, 1, 2, 18), (1, 68, 1, 2, 10)]);
}

#[test]
fn more_contexts_than_wanted_are_an_error_of_their_own() {
    let error = read_contexts(format!("{HEADER}{CONTEXTS}").as_bytes(), 2).unwrap_err();
    let is_own = matches!(error, CallgrindError::TooManyContexts { limit: 2, .. });
    assert!(is_own, "{error}");
}

#[test]
fn a_level_of_recursion_is_not_a_caller() {
    let file = format!("{HEADER}ob=x\nfn=f'2\n16 1 4\nfn=f'0x1f'main\n16 1 4\ntotals: 8\n");
    let contexts = read_contexts(file.as_bytes(), 9).unwrap();
    let callers: Vec<u32> = contexts.contexts.iter().map(|c| c.callers).collect();
    assert_eq!(callers, [0, 2]);
}

#[test]
fn instructions_are_found_among_other_events() {
    let file = "positions: instr line\nevents: Dr Ir Dw\nob=x\nfn=f\n0x1 1 50 7 2\n0x2 1 9\ntotals: 59 7 2\n";
    let trace = read(file.as_bytes()).unwrap();
    assert_eq!(trace.total, 7);
    assert_eq!(trace.instructions[1].executed, 0);
}

#[test]
fn a_file_that_stops_early_is_truncated() {
    for body in ["", "ob=x\nfn=f\n", "ob=x\nfn=f\n0x1 1 5\n"] {
        let result = read_body(body);
        if body.is_empty() {
            // a program that executed nothing of the subject
            assert_eq!(result.unwrap().total, 0);
        } else {
            assert!(matches!(result, Err(CallgrindError::Truncated { .. })), "{body:?}");
        }
    }
    assert!(matches!(
        read(&b"# callgrind format\nversion: 1\n"[..]),
        Err(CallgrindError::Truncated { line: 2 })
    ));
}

#[test]
fn malformed_lines_are_named_by_number() {
    for body in [
        "what is this\n",
        "fn=(7)\n",
        "ob=x\nfn=f\n-1 1 5\n",
        "ob=x\nfn=f\n0x1 1 many\n",
        "ob=x\nfn=f\n0x1\n",
        "ob=x\nfn=f\n0xfffffffffffffffff 1 1\n",
        "calls=\n",
        "jump=x 1\n",
        "colour=red\n",
    ] {
        match read_body(body) {
            Err(CallgrindError::Malformed { line, .. }) => {
                assert_eq!(line, 6 + body.lines().count() as u64, "{body:?}");
            }
            other => panic!("{body:?}: {other:?}"),
        }
    }
}

#[test]
fn costs_that_do_not_add_up_are_refused() {
    let result = read_body("ob=x\nfn=f\n0x1 1 5\ntotals: 6\n");
    assert!(matches!(result, Err(CallgrindError::Malformed { .. })));
}

#[test]
fn a_file_without_addresses_or_instructions_says_which_option_is_missing() {
    for file in ["positions: line\n", "positions: instr\nevents: Cycles\n"] {
        let error = read(file.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("--dump-instr=yes"), "{error}");
    }
}

#[test]
fn an_endless_line_is_refused() {
    let mut file = HEADER.as_bytes().to_vec();
    file.extend(b"fn=");
    file.resize(file.len() + (2 << 20), b'a');
    assert!(matches!(read(&file[..]), Err(CallgrindError::TooLarge { .. })));
}

/// Lines that a callgrind file may have, valid and malformed.
fn lines() -> impl Strategy<Value = String> {
    prop_oneof![
        "(fn|cfn|ob|cob|fl|fi|fe|cfi)=(\\([0-9]{1,2}\\))?( [a-z']{0,5})?",
        "([0-9+*-]|0x)[0-9a-f]{0,3} [0-9+*-]{1,3} [0-9]{0,3}",
        "(calls|jump|jcnd)=[0-9/]{0,5} [0-9+*-]{0,4} ?[0-9]{0,2}",
        "(totals|summary|part|events|positions|desc): ?[a-zI0-9 r]{0,9}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn no_input_panics(lines in prop::collection::vec(lines(), 0..40)) {
        let body = lines.join("\n");
        let contexts = read_contexts(format!("{HEADER}{body}").as_bytes(), 1 << 10);
        if let Ok(trace) = read_body(&body) {
            let sum: u64 = trace.instructions.iter().map(|i| i.executed).sum();
            prop_assert_eq!(sum, trace.total);
            let contexts = contexts.unwrap();
            let sum: u64 = contexts.steps.iter().map(|step| step.executed).sum();
            prop_assert_eq!(sum, trace.total);
            let known = |context: u32| (context as usize) < contexts.contexts.len();
            prop_assert!(contexts.steps.iter().all(|step| known(step.context)));
            prop_assert!(contexts.calls.iter().all(|call| known(call.from) && known(call.to)));
            prop_assert_eq!(contexts.trace, trace);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut file = HEADER.as_bytes().to_vec();
        file.extend(&bytes);
        if let Ok(trace) = read(&file[..]) {
            prop_assert!(trace.instructions.len() <= bytes.len());
        }
    }

    #[test]
    fn what_is_written_is_read(counts in prop::collection::btree_map(0u64..1 << 40, 1u64..1 << 30, 1..50)) {
        let mut body = "ob=(1) x\nfn=(1) f\n".to_owned();
        let mut last = 0;
        for (address, executed) in &counts {
            body += &format!("+{} 1 {executed}\n", address - last);
            last = *address;
        }
        body += &format!("totals: {}\n", counts.values().sum::<u64>());
        let trace = read_body(&body).unwrap();
        let back = trace.instructions.iter().map(|i| (i.address, i.executed)).collect();
        prop_assert_eq!(counts, back);
    }
}

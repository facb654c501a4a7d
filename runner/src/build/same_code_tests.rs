//! Pairs of versions that differ in one place, built for real: the benchmarks whose machine code differs.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use machine_code::{
    self, CodeEquivalence, CodeReachability, CodeScope, MachineCode, MachineCodeError, ReachabilityQuery,
};

use super::tests::benches;
use super::*;
use crate::fixture::{CargoFixture, manifest};

const LIBRARY: &str = r#"
pub trait Shape { fn area(&self) -> u64; }
pub struct Square(pub u64);
pub struct Disc(pub u64);
impl Shape for Square { fn area(&self) -> u64 { self.0 * self.0 } }
impl Shape for Disc { fn area(&self) -> u64 { self.0 * self.0 * 3 } }

static TABLE: [u64; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

#[inline(never)]
pub fn lookup(at: usize) -> u64 {
    let rest = at % 8;
    TABLE[rest]
}

#[inline(never)]
pub fn name(kind: u8) -> &'static str {
    match kind { 0 => "nought", 1 => "one", 2 => "two", 3 => "three", 4 => "four", _ => "many" }
}

#[inline(never)]
pub fn dispatch(kind: u8, v: &mut Vec<u64>) {
    match kind {
        0 => v.push(7),
        1 => v.clear(),
        2 => v.reverse(),
        3 => v.sort(),
        4 => v.truncate(3),
        5 => v.dedup(),
        _ => v.extend([1, 2]),
    }
}

#[inline(never)]
pub fn total(shapes: &[Box<dyn Shape>]) -> u64 {
    shapes.iter().map(|shape| shape.area()).sum()
}

pub trait Weight { fn weight(&self) -> u64; }
impl Weight for u8 { #[inline(never)] fn weight(&self) -> u64 { u64::from(*self) + 1 } }
impl Weight for u16 { #[inline(never)] fn weight(&self) -> u64 { u64::from(*self) + 2 } }

#[inline(never)]
pub fn weigh<T: Weight>(values: &[T]) -> u64 { values.iter().map(Weight::weight).sum() }

#[inline(never)]
pub fn apply(values: &mut [u64], f: &dyn Fn(u64) -> u64) { for v in values { *v = f(*v); } }

#[inline]
pub fn inlined(x: u64) -> u64 { x.rotate_left(3) }

pub fn checked(values: &[u64]) -> u64 { values.first().copied().expect("a value") }
"#;

const NUMBERS: &str = r#"
use std::hint::black_box;
use subject::*;
#[inline(never)]
pub fn lookups() -> u64 { (0..black_box(9)).map(lookup).sum() }
#[inline(never)]
pub fn dispatches() -> usize {
    let mut v = vec![1, 2, 3];
    for kind in 0..black_box(7) { dispatch(kind, &mut v); }
    v.len()
}
fn main() {
    let mut values = vec![1, 2, 3];
    apply(&mut values, &|x| inlined(x) + 5);
    println!("{} {} {} {:?}", lookups(), dispatches(), weigh(&[1u8, 2]), values);
}
"#;

const SHAPES: &str = r#"
use std::hint::black_box;
use subject::*;
fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(black_box(2))), Box::new(Disc(1))];
    println!("{} {} {} {}", total(&shapes), name(black_box(3)), other::outside(1), weigh(&[1u16]));
    println!("{}", checked(black_box(&[1])));
}
"#;

const OTHER: &str = "#[inline(never)] pub fn outside(x: u64) -> u64 { x + 10 }";

fn project() -> CargoFixture {
    let manifest = manifest(
        "[[bench]]\nname = \"numbers\"\nharness = false\n[[bench]]\nname = \"shapes\"\nharness = false\n\
         [dependencies]\nother = { path = \"other\" }\n",
    );
    CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", LIBRARY),
        ("benches/numbers.rs", NUMBERS),
        ("benches/shapes.rs", SHAPES),
        ("other/Cargo.toml", "[package]\nname = \"other\"\nversion = \"1.0.0\"\n"),
        ("other/src/lib.rs", OTHER),
    ])
}

/// The two programs: the one over numbers and the one over shapes.
fn programs(fixture: &CargoFixture) -> Vec<Vec<u8>> {
    let built = fixture.build(&benches()).unwrap();
    assert_eq!(built.failures, []);
    let read = |executable: &BenchmarkExecutable| std::fs::read(&executable.path).unwrap();
    built.executables.iter().map(read).collect()
}

/// The answer of the comparison. Of whole programs, and of what some functions can reach, digests must give the same one.
fn compare(base: &[u8], head: &[u8], scope: CodeScope<'_>) -> CodeEquivalence {
    let [base, head] = [base, head].map(|program| machine_code::read_program(program).unwrap());
    let answer = machine_code::compare_programs(&base, &head, scope);
    let digest = |code: &MachineCode<'_>| match scope {
        CodeScope::Program => Some(machine_code::digest_program(code)),
        CodeScope::From(functions) => machine_code::digest_reachable(code, [functions])[0],
        CodeScope::Executed(_) | CodeScope::Sampled { .. } => None,
    };
    if let [Some(ours), Some(theirs)] = [&base, &head].map(digest) {
        let is_same = matches!(answer, CodeEquivalence::Same { .. });
        assert_eq!(ours == theirs, is_same, "{ours} and {theirs}: {answer:?}");
    }
    answer
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// An edit of the library: the replaced text and its replacement, the programs that differ then, and a function that
/// shows it.
struct LibraryEdit {
    what: &'static str,
    from: &'static str,
    to: &'static str,
    differ: &'static [&'static str],
    shown: &'static str,
}

const fn harmless(what: &'static str, from: &'static str, to: &'static str) -> LibraryEdit {
    LibraryEdit {
        what,
        from,
        to,
        differ: &[],
        shown: "",
    }
}

const fn harmful(
    what: &'static str,
    change: (&'static str, &'static str),
    differ: &'static [&'static str],
    shown: &'static str,
) -> LibraryEdit {
    LibraryEdit {
        what,
        from: change.0,
        to: change.1,
        differ,
        shown,
    }
}

const EDITS: &[LibraryEdit] = &[
    harmless(
        "a comment, lines above a panic",
        "pub trait Shape",
        "// one\n// two\n\npub trait Shape",
    ),
    harmless(
        "a renamed local",
        "let rest = at % 8;\n    TABLE[rest]",
        "let left = at % 8;\n    TABLE[left]",
    ),
    harmless(
        "an unused private function",
        "static TABLE",
        "#[allow(unused)]\nfn unused() -> u64 { 1 }\nstatic TABLE",
    ),
    harmless(
        "an unused public function in front",
        "static TABLE",
        "#[inline(never)] pub fn first(v: &mut Vec<u64>) { v.push(99); println!(\"{v:?}\") }\nstatic TABLE",
    ),
    harmless(
        "a function that moved",
        "pub struct Disc(pub u64);",
        "#[inline(never)]\npub fn weigh<T: Weight>(values: &[T]) -> u64 { values.iter().map(Weight::weight).sum() }\npub struct Disc(pub u64);",
    ),
    harmless(
        "another way to write the same",
        "self.0 * self.0 * 3",
        "{ let r = self.0; r * r * 3 }",
    ),
    harmful(
        "an element of a table",
        ("9, 2, 6]", "9, 2, 7]"),
        &["numbers"],
        "subject::lookup",
    ),
    harmful("a literal", ("\"three\"", "\"THREE\""), &["shapes"], "subject::name"),
    harmful(
        "the length of a literal",
        ("\"three\"", "\"drei\""),
        &["shapes"],
        "subject::name",
    ),
    harmful(
        "two arms that change places",
        (
            "2 => v.reverse(),\n        3 => v.sort(),",
            "3 => v.reverse(),\n        2 => v.sort(),",
        ),
        &["numbers"],
        "subject::dispatch",
    ),
    harmful(
        "a method called through a table",
        ("self.0 * self.0 * 3", "self.0 * self.0 * 4"),
        &["shapes"],
        "subject::Disc",
    ),
    harmful(
        "what one copy of a generic function calls",
        ("u64::from(*self) + 2", "u64::from(*self) + 3"),
        &["shapes"],
        "u16",
    ),
    harmful(
        "an inlined function",
        ("x.rotate_left(3)", "x.rotate_left(4)"),
        &["numbers"],
        "numbers::main",
    ),
    harmful(
        "the message of a panic",
        ("\"a value\"", "\"a Value\""),
        &["shapes"],
        "",
    ),
    harmful(
        "a function that runs before main",
        (
            "static TABLE",
            "#[used] #[link_section = \".init_array\"] static EARLY: extern \"C\" fn() = early;\nextern \"C\" fn early() {}\nstatic TABLE",
        ),
        &["numbers", "shapes"],
        "before and after main",
    ),
    harmful(
        "the behaviour of a shared function",
        (
            "for v in values { *v = f(*v); }",
            "for v in values.iter_mut().rev() { *v = f(*v); }",
        ),
        &["numbers"],
        "subject::apply",
    ),
];

#[test]
fn a_change_shows_in_the_programs_that_execute_it_and_in_no_other() {
    let fixture = project();
    let base = programs(&fixture);
    for edit in EDITS {
        assert!(LIBRARY.contains(edit.from), "{}", edit.what);
        let mut source = LIBRARY.to_owned();
        if edit.what == "a function that moved" {
            let moved = edit.to.strip_suffix(edit.from).unwrap().trim();
            source = source.replace(moved, "");
        }
        fixture.write("tree/src/lib.rs", &source.replace(edit.from, edit.to));
        let head = programs(&fixture);
        let names = ["numbers", "shapes"];
        for ((base, head), name) in base.iter().zip(&head).zip(names) {
            let answer = compare(base, head, CodeScope::Program);
            let differs = matches!(&answer, CodeEquivalence::Different { functions }
                if functions.iter().any(|f| f.function.contains(edit.shown)));
            let is_same = matches!(answer, CodeEquivalence::Same { functions } if functions > 50);
            let expected = edit.differ.contains(&name);
            assert!(
                if expected { differs } else { is_same },
                "{}: {name}: {answer:?}",
                edit.what
            );
        }
    }
}

#[test]
fn a_change_of_a_dependency_a_closure_or_the_benchmark_itself_shows() {
    let fixture = project();
    let base = programs(&fixture);
    for (file, from, to, differs) in [
        ("other/src/lib.rs", "x + 10", "x + 11", 1),
        ("benches/numbers.rs", "inlined(x) + 5", "inlined(x) + 6", 0),
        ("benches/shapes.rs", "Square(black_box(2))", "Square(black_box(3))", 1),
    ] {
        let path = fixture.path(&format!("tree/{file}"));
        let original = std::fs::read_to_string(&path).unwrap();
        fixture.write(&format!("tree/{file}"), &original.replace(from, to));
        let head = programs(&fixture);
        fixture.write(&format!("tree/{file}"), &original);
        let other = 1 - differs;
        assert!(
            matches!(
                compare(&base[differs], &head[differs], CodeScope::Program),
                CodeEquivalence::Different { .. }
            ),
            "{file}"
        );
        assert!(
            matches!(
                compare(&base[other], &head[other], CodeScope::Program),
                CodeEquivalence::Same { .. }
            ),
            "{file}"
        );
    }
}

#[test]
fn benchmarks_of_one_program_are_told_apart() {
    let fixture = project();
    let base = programs(&fixture);
    fixture.write("tree/src/lib.rs", &LIBRARY.replace("9, 2, 6]", "9, 2, 7]"));
    let head = programs(&fixture);
    let answer = |root: &str| compare(&base[0], &head[0], CodeScope::From(&set(&[root])));
    assert!(matches!(answer("numbers::lookups"), CodeEquivalence::Different { .. }));
    assert!(matches!(answer("numbers::dispatches"), CodeEquivalence::Same { .. }));
    assert!(matches!(answer("numbers::absent"), CodeEquivalence::Unknown { .. }));
    let sampled = |executed: &[&str], changed: &[&str]| {
        let (executed, changed) = (set(executed), set(changed));
        let roots = set(&["numbers::dispatches"]);
        let scope = CodeScope::Sampled {
            roots: &roots,
            executed: &executed,
            changed: &changed,
        };
        compare(&base[0], &head[0], scope)
    };
    assert!(matches!(
        sampled(&["subject::dispatch"], &[]),
        CodeEquivalence::Same { .. }
    ));
    assert!(matches!(
        sampled(&["subject::lookup"], &[]),
        CodeEquivalence::Different { .. }
    ));
    // Code that was inlined and has changed since the sample may call anything now.
    assert!(matches!(
        sampled(&["numbers::main", "subject::inlined"], &["subject::inlined"]),
        CodeEquivalence::Different { .. }
    ));
    let symbols = attribution::callgrind::function_symbols(&base[0]).unwrap();
    let executed = |names: &[&str]| {
        let (names, symbols) = (set(names), symbols.iter().map(|(_, symbol)| symbol));
        let chosen = symbols.filter(|symbol| names.contains(&profile::function_name::canonical(symbol)));
        compare(&base[0], &head[0], CodeScope::Executed(&chosen.cloned().collect()))
    };
    assert_eq!(executed(&["subject::dispatch"]), CodeEquivalence::Same { functions: 1 });
    assert!(matches!(
        executed(&["subject::dispatch", "subject::lookup"]),
        CodeEquivalence::Different { functions } if functions.len() == 1 && functions[0].function == "subject::lookup"
    ));
    let (one, other) = (
        machine_code::read_program(&base[0]).unwrap(),
        machine_code::read_program(&head[0]).unwrap(),
    );
    let changed = machine_code::changed_functions(&one, &other);
    assert_eq!(changed, set(&["subject::lookup"]));
    let (executed, root) = (BTreeSet::new(), set(&["numbers::lookups"]));
    let question = ReachabilityQuery {
        roots: &root,
        executed: &executed,
        changed: &changed,
    };
    let reached = machine_code::find_reachability(&other, question);
    let path = ["numbers::lookups", "subject::lookup"].map(str::to_owned).to_vec();
    assert_eq!(reached, CodeReachability::Reachable { path });
    let root = set(&["numbers::dispatches"]);
    let reached = machine_code::find_reachability(
        &other,
        ReachabilityQuery {
            roots: &root,
            ..question
        },
    );
    assert_eq!(reached.reachable(), Some(false), "{reached}");
    let executed = set(&["subject::lookup"]);
    let reached = machine_code::find_reachability(
        &other,
        ReachabilityQuery {
            executed: &executed,
            ..question
        },
    );
    assert_eq!(reached.reachable(), Some(true), "{reached}");
}

#[test]
fn what_can_t_be_compared_is_not_called_the_same() {
    // This test's own executable, which is linked without its relocations.
    let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert_eq!(
        machine_code::read_program(&bytes).err(),
        Some(MachineCodeError::NoRelocations)
    );
    assert!(matches!(
        machine_code::read_program(&bytes[..100]),
        Err(MachineCodeError::Unreadable(_))
    ));
    assert!(matches!(
        machine_code::read_program(b"#!/bin/sh\n"),
        Err(MachineCodeError::Unreadable(_))
    ));
}

#[test]
fn a_project_that_strips_is_compared_all_the_same() {
    let fixture = project();
    let definition = BenchmarkDefinition {
        env: [("RUSTFLAGS".to_owned(), "-C strip=symbols".to_owned())].into(),
        ..benches()
    };
    let built = fixture.build(&definition).unwrap();
    let bytes = std::fs::read(&built.executables[0].path).unwrap();
    assert!(matches!(
        compare(&bytes, &bytes, CodeScope::Program),
        CodeEquivalence::Same { .. }
    ));
}

#[test]
fn damaged_programs_are_refused_or_read_but_never_end_in_a_panic() {
    use object::{Object, ObjectSection};
    let fixture = project();
    let program = programs(&fixture).swap_remove(0);
    let file = object::File::parse(&*program).unwrap();
    let mut places: Vec<(usize, usize)> = (file.sections())
        .filter(|section| {
            let name = section.name().unwrap_or_default();
            [".symtab", ".rela.text", ".rela.rodata", ".rela.dyn", ".text"].contains(&name)
        })
        .filter_map(|section| section.file_range())
        .map(|(start, size)| (start as usize, size as usize))
        .collect();
    // The section headers are at the end, the file's own header at the start.
    places.extend([(program.len() - 3000, 3000), (0, 64)]);
    let whole = machine_code::read_program(&program).unwrap();
    let mut state = 1u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut refused = 0;
    for round in 0..DAMAGES {
        let mut damaged = program.clone();
        let (start, size) = places[round % places.len()];
        let at = start + below(size);
        for byte in damaged.iter_mut().skip(at).take(1 + below(8)) {
            *byte = [0, 1, 0x7f, 0x80, 0xff][below(5)];
        }
        match machine_code::read_program(&damaged) {
            Ok(code) => {
                drop(machine_code::compare_programs(&whole, &code, CodeScope::Program));
                drop(machine_code::digest_program(&code).to_string());
                drop(machine_code::changed_functions(&code, &whole));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0 && refused < DAMAGES, "{refused}");
}

/// Number of damaged copies that are read: some dozens for each kind of table.
const DAMAGES: usize = 210;

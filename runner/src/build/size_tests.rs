//! Sizes of programs that are built for real, held against what is known of their code and data by hand.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use machine_code::{functions_size, loaded_size};
use object::{Object, ObjectSymbol};

use super::tests::benches;
use crate::fixture::{CargoFixture, manifest};

/// Bytes of the constant that a version may have.
const TABLE: u64 = 40_960;

/// A program of two functions that are kept apart, with a table of a number of bytes.
fn program(bytes: u64) -> Vec<u8> {
    let manifest = manifest("[[bench]]\nname = \"numbers\"\nharness = false\n");
    let library = format!(
        "#[unsafe(no_mangle)] #[inline(never)] pub extern \"C\" fn first(x: u64) -> u64 {{ x.rotate_left(3) ^ 77 }}\n\
         #[unsafe(no_mangle)] #[inline(never)] pub extern \"C\" fn second(x: u64) -> u64 {{ (x / 7) % 1013 }}\n\
         const fn numbers() -> [u8; {bytes}] {{\n\
         let mut numbers = [0; {bytes}];\n\
         let mut at = 0;\n\
         while at < {bytes} {{ numbers[at] = (at % 251) as u8; at += 1; }}\n\
         numbers }}\n\
         #[unsafe(no_mangle)] pub static TABLE: [u8; {bytes}] = numbers();\n\
         #[unsafe(no_mangle)] pub static mut ZEROS: [u8; 1 << 20] = [0; 1 << 20];\n\
         #[inline(never)] pub fn look(at: usize) -> u8 {{\n\
         let zero = unsafe {{ (&raw const ZEROS).cast::<u8>().add(at % (1 << 20)).read_volatile() }};\n\
         TABLE[at % {bytes}] + zero }}\n"
    );
    let bench = "fn main() { let x = std::hint::black_box(5); \
         println!(\"{} {} {}\", subject::first(x), subject::second(x), subject::look(x as usize)); }";
    let fixture = CargoFixture::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", &library),
        ("benches/numbers.rs", bench),
    ]);
    let built = fixture.build(&benches()).unwrap();
    assert_eq!(built.failures, []);
    std::fs::read(&built.executables[0].path).unwrap()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_program_is_as_large_as_the_code_and_the_constants_that_it_loads() {
    let (small, large) = (program(4096), program(4096 + TABLE));
    let [of_small, of_large] = [&small, &large].map(|program| loaded_size(program).unwrap());
    // The code of `look` and the padding of sections may differ by some bytes.
    assert!((of_large - of_small).abs_diff(TABLE) < 256, "{of_small} {of_large}");
    // Neither the zeros, nor the debug information and the kept relocations.
    assert!(
        of_large < 1 << 20 && of_large < large.len() as u64 / 2,
        "{of_large} of {}",
        large.len()
    );
    assert_eq!(loaded_size(b"#!/bin/sh\n"), None);
    assert_eq!(loaded_size(b""), None);
}

#[test]
fn functions_are_as_large_as_the_symbol_table_says() {
    let program = program(4096);
    let file = object::File::parse(&*program).unwrap();
    let of_table = |wanted: &str| {
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok(wanted));
        symbol.unwrap().size()
    };
    let (first, second) = (of_table("first"), of_table("second"));
    assert!(
        first > 0 && second > first,
        "a division takes more than a rotation: {first} {second}"
    );
    assert_eq!(functions_size(&program, &set(&["first"])), Some(first));
    assert_eq!(
        functions_size(&program, &set(&["first", "second", "absent"])),
        Some(first + second)
    );
    assert_eq!(functions_size(&program, &set(&["absent"])), None);
    assert_eq!(functions_size(&program, &set(&["TABLE"])), None, "data is no code");
    assert_eq!(functions_size(b"#!/bin/sh\n", &set(&["first"])), None);
}

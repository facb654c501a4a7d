//! Two small programs whose debug information is damaged → what attributes counts to sources, with a trace in which each
//! address of their code was executed.
//!
//! The rest of the file stays as it is: damage to all of it would nearly always stop at the headers.

use std::fmt::Write as _;
use std::io::Write as _;

use attribution::callgrind::contexts::{OutermostFrame, call_tree};
use attribution::callgrind::{AttributionInput, DebugInfoError, PathRemapping, ProfiledBuild, attribute, trace};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use profile::Profile;

use super::mutation::mutate;
use super::random::Numbers;

/// The same program with debug information of both versions that compilers write; `data/inlined.rs` is its source.
const PROGRAMS: [&[u8]; 2] = [
    include_bytes!("../data/inlined-dwarf4.elf"),
    include_bytes!("../data/inlined-dwarf5.elf"),
];

/// The sections that are read.
const READ: [&str; 9] = [
    ".debug_info",
    ".debug_abbrev",
    ".debug_line",
    ".debug_str",
    ".debug_line_str",
    ".debug_ranges",
    ".debug_rnglists",
    ".debug_addr",
    ".debug_str_offsets",
];

/// Numbers that readers tend to stumble over, as they stand in debug information: the largest of each width, and the
/// largest of variable width.
const NUMBERS: [&[u8]; 8] = [
    b"\0",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
];

/// The flag of a compressed section.
const COMPRESSED: u64 = 0x800;

/// Gives the readers one program with damaged debug information.
pub(crate) fn read_damaged(numbers: &mut Numbers) {
    let program = PROGRAMS[numbers.below(PROGRAMS.len())];
    let damaged = damaged(program, numbers);
    let text = trace_of(program, numbers);
    if let Ok(profile) = profile_of(&damaged, &text) {
        let bytes = profile::format::binary::encode(&profile);
        assert_eq!(profile::format::binary::decode(&bytes).as_ref(), Ok(&profile));
    }
    let _ = attribution::callgrind::function_symbols(&damaged);
    let _ = machine_code::read_program(&damaged);
}

/// The profile of a trace; its call tree is made as well.
fn profile_of(program: &[u8], text: &str) -> Result<Profile, DebugInfoError> {
    let roots = PathRemapping::for_project("/project");
    let with = AttributionInput {
        benchmark: "work",
        program: "/project/inlined",
        binary: program,
        build: ProfiledBuild::Optimised,
        roots: &roots,
    };
    let counting = AttributionInput {
        build: ProfiledBuild::Counting,
        ..with
    };
    let contexts = trace::read_contexts(text.as_bytes(), 1000).expect("the trace is whole");
    let _ = call_tree(&contexts, &with, OutermostFrame::Shown);
    let _ = attribute(&contexts.trace, &counting);
    attribute(&contexts.trace, &with)
}

/// A trace in which each address of the code was executed, with some jumps and a call of the program by itself.
fn trace_of(program: &[u8], numbers: &mut Numbers) -> String {
    let code = Section::of(program, ".text").expect("the program has code");
    let (start, length) = (code.number(program, 16), code.number(program, 32));
    let mut text = String::from(
        "# callgrind format\nversion: 1\ncreator: test\ncmd: x\npositions: instr line\nevents: Ir\n\
         ob=(1) /project/inlined\nfl=(1) inlined.rs\nfn=(1) work\n",
    );
    let mut total = 0;
    let inside = |numbers: &mut Numbers| start + numbers.next_number() % length;
    for address in start..start + length {
        let count = 1 + numbers.next_number() % 9;
        let line = match numbers.below(16) {
            0 => writeln!(
                text,
                "jcnd={count}/{} {:#x} 1\n{address:#x} 1",
                count + 2,
                inside(numbers)
            ),
            1 => writeln!(
                text,
                "cfn=(1)\ncalls={count} {:#x} 1\n{address:#x} 1 7",
                inside(numbers)
            ),
            _ => Ok(()),
        };
        let cost = writeln!(text, "{address:#x} 1 {count}");
        assert_eq!((line, cost), (Ok(()), Ok(())), "a string takes any text");
        total += count;
    }
    text + &format!("\ntotals: {total}\n")
}

/// A program with one to three of its sections of debug information damaged.
fn damaged(program: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = program.to_vec();
    let present: Vec<Section> = READ.iter().filter_map(|name| Section::of(program, name)).collect();
    for _ in 0..=numbers.below(3) {
        let section = present[numbers.below(present.len())];
        let content = section.content(&bytes).to_vec();
        let other = present[numbers.below(present.len())].content(program);
        let changed = match numbers.below(4) {
            0 => mutate(&content, other, numbers),
            _ => overwritten(content, numbers),
        };
        match numbers.below(32) {
            0 => section.replace_compressed(&mut bytes, &changed, numbers),
            _ => section.replace(&mut bytes, &changed),
        }
    }
    bytes
}

/// The content with one to four numbers written over it: offsets into it stay right, so that the reader comes further.
fn overwritten(mut content: Vec<u8>, numbers: &mut Numbers) -> Vec<u8> {
    for _ in 0..=numbers.below(4) {
        if content.is_empty() {
            break;
        }
        let at = numbers.below(content.len());
        if numbers.below(2) == 0 {
            content[at] = numbers.next_number().to_le_bytes()[0];
            continue;
        }
        let number = NUMBERS[numbers.below(NUMBERS.len())];
        let end = (at + number.len()).min(content.len());
        content[at..end].copy_from_slice(&number[..end - at]);
    }
    content
}

/// Where the header of a section stands in a program for 64 bits, little-endian.
#[derive(Clone, Copy)]
struct Section(usize);

impl Section {
    /// The section of this name.
    fn of(program: &[u8], name: &str) -> Option<Self> {
        let table = number(program, 40, 8);
        let header = |index: usize| Self(table + 64 * index);
        let names = header(number(program, 62, 2)).content(program);
        (0..number(program, 60, 2)).map(header).find(|section| {
            let rest = &names[number(program, section.0, 4)..];
            rest.strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.starts_with(b"\0"))
        })
    }

    /// The eight bytes at this place of the header.
    fn number(self, program: &[u8], at: usize) -> u64 {
        number(program, self.0 + at, 8) as u64
    }

    fn content(self, program: &[u8]) -> &[u8] {
        let start = number(program, self.0 + 24, 8);
        &program[start..start + number(program, self.0 + 32, 8)]
    }

    /// Puts another content behind the end of the file.
    fn replace(self, program: &mut Vec<u8>, content: &[u8]) {
        let place = [program.len() as u64, content.len() as u64].map(u64::to_le_bytes);
        program.extend_from_slice(content);
        program[self.0 + 24..self.0 + 40].copy_from_slice(place.as_flattened());
    }

    /// Puts another content behind the end of the file, compressed. What its header says of it is not always true.
    fn replace_compressed(self, program: &mut Vec<u8>, content: &[u8], numbers: &mut Numbers) {
        let claimed = match numbers.below(4) {
            0 => numbers.next_number() >> numbers.below(64),
            _ => content.len() as u64,
        };
        let kind = 1 + u64::from(numbers.below(8) == 0);
        let header = [kind, claimed, 1].map(u64::to_le_bytes);
        let mut packed = ZlibEncoder::new(header.as_flattened().to_vec(), Compression::fast());
        let packed = packed.write_all(content).and_then(|()| packed.finish());
        let flags = self.number(program, 8) | COMPRESSED;
        program[self.0 + 8..self.0 + 16].copy_from_slice(&flags.to_le_bytes());
        self.replace(program, &packed.expect("memory takes any bytes"));
    }
}

/// A little-endian number of so many bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> usize {
    let digits = bytes[at..at + width].iter().rev();
    digits.fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_damaged_is_attributed_to_functions_and_their_inlined_copies() {
        for program in PROGRAMS {
            let text = trace_of(program, &mut Numbers::Seeded(1));
            let profile = profile_of(program, &text).expect("the debug information is whole");
            let names: Vec<&str> = profile.functions.iter().map(|one| one.name.as_str()).collect();
            for wanted in ["work", "{closure}", "Iterator::fold", "Range::next"] {
                assert!(names.iter().any(|name| name.contains(wanted)), "{wanted}: {names:?}");
            }
        }
    }

    #[test]
    fn damage_reaches_the_readers_of_each_section() {
        const TRIED: u64 = 200;
        let (mut others, mut refused) = (0, 0);
        for number in 0..TRIED {
            let mut numbers = Numbers::Seeded(number);
            let program = PROGRAMS[numbers.below(PROGRAMS.len())];
            let damaged = damaged(program, &mut numbers);
            let text = trace_of(program, &mut numbers);
            match profile_of(&damaged, &text) {
                Ok(profile) => others += u64::from(profile_of(program, &text).ok() != Some(profile)),
                Err(_) => refused += 1,
            }
        }
        assert!(others > TRIED / 4, "{others} of {TRIED} have another profile");
        assert!((1..TRIED / 2).contains(&refused), "{refused} of {TRIED} are refused");
    }
}

//! The readers under test, each with how its inputs are made.

use profile::call_tree::binary as call_tree;
use profile::call_tree::folded_stacks;

use super::mutation::mutate;
use super::random::Numbers;
use super::{codecs, comments, debug_info, meanings, programs, skips, sources, stored};

/// A reader of what others write.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    make: fn(&mut Numbers) -> Vec<u8>,
    read: fn(&[u8]),
}

impl Target {
    /// The input that follows from a number.
    #[must_use]
    pub fn input(&self, number: u64) -> Vec<u8> {
        (self.make)(&mut Numbers::Seeded(number))
    }

    /// Gives the reader an input.
    ///
    /// # Panics
    /// If the reader does, or if its answer breaks a property.
    pub fn read(&self, input: &[u8]) {
        (self.read)(input);
    }
}

/// The target of this name.
///
/// # Errors
/// If there is none.
pub fn target(name: &str) -> Result<&'static Target, String> {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.ok_or_else(|| format!("finding the fuzz target: {name}: there is none"))
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "rust",
        make: |numbers| sources::mutated(sources::RUST, numbers),
        read: |input| sources::read("src/lib.rs", input),
    },
    Target {
        name: "rust-edits",
        make: |numbers| sources::edited(sources::RUST, numbers),
        read: |input| sources::read("src/lib.rs", input),
    },
    Target {
        name: "python",
        make: |numbers| sources::mutated(sources::PYTHON, numbers),
        read: |input| sources::read("pkg/module.py", input),
    },
    Target {
        name: "python-edits",
        make: |numbers| sources::edited(sources::PYTHON, numbers),
        read: |input| sources::read("pkg/module.py", input),
    },
    Target {
        name: "cpp",
        make: |numbers| sources::mutated(sources::CPP, numbers),
        read: |input| sources::read("src/parser.cpp", input),
    },
    Target {
        name: "cpp-edits",
        make: |numbers| sources::edited(sources::CPP, numbers),
        read: |input| sources::read("src/parser.h", input),
    },
    Target {
        name: "rust-skips",
        make: |numbers| skips::edited(&skips::RUST, numbers),
        read: |input| skips::read(&skips::RUST, input),
    },
    Target {
        name: "python-skips",
        make: |numbers| skips::edited(&skips::PYTHON, numbers),
        read: |input| skips::read(&skips::PYTHON, input),
    },
    Target {
        name: "cpp-skips",
        make: |numbers| skips::edited(&skips::CPP, numbers),
        read: |input| skips::read(&skips::CPP, input),
    },
    Target {
        name: "rust-meanings",
        make: |numbers| numbers.bytes(DECISIONS_OF_PROGRAMS),
        read: |input| meanings::read(&programs::RUST, &mut Numbers::given(input)),
    },
    Target {
        name: "python-meanings",
        make: |numbers| numbers.bytes(DECISIONS_OF_PROGRAMS),
        read: |input| meanings::read(&programs::PYTHON, &mut Numbers::given(input)),
    },
    Target {
        name: "cpp-meanings",
        make: |numbers| numbers.bytes(DECISIONS_OF_PROGRAMS),
        read: |input| meanings::read(&programs::CPP, &mut Numbers::given(input)),
    },
    Target {
        name: "manifest",
        make: |numbers| sources::mutated(sources::MANIFESTS, numbers),
        read: |input| sources::read("Cargo.toml", input),
    },
    Target {
        name: "lock-file",
        make: |numbers| sources::mutated(sources::MANIFESTS, numbers),
        read: |input| sources::read("Cargo.lock", input),
    },
    Target {
        name: "callgrind",
        make: |numbers| mutate(TRACE, TRACE, numbers),
        read: |input| {
            let _ = attribution::callgrind::trace::read(input);
            let _ = attribution::callgrind::trace::read_contexts(input, 1000);
        },
    },
    Target {
        name: "probes",
        make: |numbers| mutate(b"lito probes 1\nr 0 5\nf 1 2 3\ne 1 2 3\n", TRACE, numbers),
        read: |input| {
            let _ = attribution::probes::ProbeCounts::read(&String::from_utf8_lossy(input));
        },
    },
    Target {
        name: "folded-stacks",
        make: |numbers| mutate(b"main;work;inner 12\nmain;other 3\n", TRACE, numbers),
        read: read_stacks,
    },
    Target {
        name: "codecs",
        make: codecs::stored,
        read: codecs::read,
    },
    Target {
        name: "program",
        make: program,
        read: |input| {
            let _ = machine_code::read_program(input);
        },
    },
    Target {
        name: "debug-info",
        make: |numbers| numbers.bytes(DECISIONS),
        read: |input| debug_info::read_damaged(&mut Numbers::given(input)),
    },
    Target {
        name: "comment",
        make: comments::comment,
        read: comments::read_comment,
    },
    Target {
        name: "event",
        make: comments::event,
        read: comments::read_event,
    },
    Target {
        name: "store",
        make: |numbers| numbers.bytes(DECISIONS),
        read: |input| stored::read_store(&mut Numbers::given(input)),
    },
    Target {
        name: "store-file",
        make: |numbers| numbers.bytes(DECISIONS),
        read: |input| stored::read_bundle(&mut Numbers::given(input)),
    },
];

/// Bytes of an input that only decides where a store or a program is damaged.
const DECISIONS: usize = 4096;

/// The same of one that decides what stands in a program, and how it is edited.
const DECISIONS_OF_PROGRAMS: usize = 1024;

const TRACE: &[u8] = b"# callgrind format\nversion: 1\ncreator: test\ncmd: x\npositions: instr line\nevents: Ir\n\
    ob=(1) /bin/x\nfl=(1) a.rs\nfn=(1) main\n0x100 3 2\n+4 * 2\nfi=(2) b.rs\n+0x10 -1 5\ncob=(2) /lib/c.so\n\
    cfi=(3) c.c\ncfn=(2) work\ncalls=3 0x40 9\n* * 30\nob=(2)\nfl=(3)\nfn=(2)\n0x40 9 30\njcnd=4/7 +8 0\n* *\n-8 9 1\n\
    \ntotals: 40\n";

/// A tree that can be read is written so that it is read again.
fn read_stacks(input: &[u8]) {
    if let Ok(read) = folded_stacks::read(input) {
        let bytes = call_tree::encode(&read.tree);
        assert_eq!(
            call_tree::decode(&bytes).as_ref().map(call_tree::encode),
            Ok(bytes.clone())
        );
    }
}

/// The smallest header that is one of a program for this processor, with whatever follows.
fn program(numbers: &mut Numbers) -> Vec<u8> {
    let mut header = vec![0_u8; 64];
    header[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    (header[16], header[18], header[20], header[52], header[58]) = (2, 62, 1, 64, 64);
    (header[40], header[60], header[62]) = (64, 3, 0);
    header.extend_from_slice(&[0; 192]);
    mutate(&header, &header, numbers)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::path::Path;

    use flate2::read::GzDecoder;

    use super::*;

    /// Inputs of each target in one run of the tests.
    const INPUTS: usize = 60;

    #[test]
    fn no_reader_panics_or_breaks_a_property() {
        for target in TARGETS {
            (0..INPUTS as u64).for_each(|number| target.read(&target.input(number)));
        }
    }

    #[test]
    fn no_reader_panics_on_inputs_that_reach_most_of_its_code() {
        for target in TARGETS {
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("corpus")
                .join(target.name)
                .with_extension("tar.gz");
            let packed = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let mut archive = tar::Archive::new(GzDecoder::new(&packed[..]));
            let mut inputs = Vec::new();
            for entry in archive.entries().expect("the archive is whole") {
                let mut entry = entry.expect("the archive is whole");
                if entry.header().entry_type().is_file() {
                    let mut input = Vec::new();
                    entry.read_to_end(&mut input).expect("the archive is whole");
                    inputs.push(input);
                }
            }
            assert!(!inputs.is_empty(), "{} has no corpus", target.name);
            let every = inputs.len().div_ceil(INPUTS);
            inputs.iter().step_by(every).for_each(|input| target.read(input));
        }
    }
}

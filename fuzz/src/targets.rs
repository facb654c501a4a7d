//! The readers under test, each with its seeds and what must hold for any input.

use std::collections::HashMap;
use std::sync::Arc;

use analyzer::change::{InliningMode, find_changes};
use analyzer::sources::{Blob, ContentId, FileChange, FileSource, SourceContent};
use analyzer::syntax::ParseCache;
use profile::call_tree::binary as call_tree;
use profile::call_tree::folded_stacks;
use profile::format::binary as format;
use profile::inputs::InputRecord;
use profile::inputs::binary as inputs;
use profile::{CostUnit, Profile, timeline};

use super::mutation::mutate;
use super::random::SeededNumbers;
use super::source_edits::edit;
use super::{comments, debug_info, stored};

/// A reader of what others write.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    run: fn(&mut SeededNumbers),
}

impl Target {
    /// Gives the reader the one input that follows from a number.
    ///
    /// # Panics
    /// If the reader does, or if its answer breaks a property.
    pub fn run(&self, number: u64) {
        (self.run)(&mut SeededNumbers::new(number));
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "rust",
        run: |numbers| sources("src/lib.rs", RUST, numbers),
    },
    Target {
        name: "rust-edits",
        run: |numbers| edits("src/lib.rs", RUST, numbers),
    },
    Target {
        name: "python",
        run: |numbers| sources("pkg/module.py", PYTHON, numbers),
    },
    Target {
        name: "python-edits",
        run: |numbers| edits("pkg/module.py", PYTHON, numbers),
    },
    Target {
        name: "cpp",
        run: |numbers| sources("src/parser.cpp", CPP, numbers),
    },
    Target {
        name: "cpp-edits",
        run: |numbers| edits("src/parser.h", CPP, numbers),
    },
    Target {
        name: "manifest",
        run: |numbers| sources("Cargo.toml", MANIFESTS, numbers),
    },
    Target {
        name: "lock-file",
        run: |numbers| sources("Cargo.lock", MANIFESTS, numbers),
    },
    Target {
        name: "callgrind",
        run: callgrind,
    },
    Target {
        name: "probes",
        run: probes,
    },
    Target {
        name: "folded-stacks",
        run: folded,
    },
    Target {
        name: "codecs",
        run: codecs,
    },
    Target {
        name: "program",
        run: program,
    },
    Target {
        name: "debug-info",
        run: debug_info::read_damaged,
    },
    Target {
        name: "comment",
        run: comments::read_comment,
    },
    Target {
        name: "event",
        run: comments::read_event,
    },
    Target {
        name: "store",
        run: stored::read_store,
    },
    Target {
        name: "store-file",
        run: stored::read_bundle,
    },
];

const RUST: &[&str] = &[
    include_str!("../../tests/data/syntax/rust/calls_in_evaluation_order.rs"),
    include_str!("../../tests/data/syntax/rust/closures.rs"),
    include_str!("../../tests/data/syntax/rust/items.rs"),
    include_str!("../../tests/data/syntax/rust/macros.rs"),
    include_str!("../../tests/data/syntax/rust/match_arms.rs"),
    include_str!("../../tests/data/syntax/rust/newer_syntax.rs"),
    include_str!("../../tests/data/syntax/rust/where_functions_stand.rs"),
];

const PYTHON: &[&str] = &[
    include_str!("../../tests/data/syntax/python/arms_and_jumps.py"),
    include_str!("../../tests/data/syntax/python/calls_and_receivers.py"),
    include_str!("../../tests/data/syntax/python/functions_and_classes.py"),
    include_str!("../../tests/data/syntax/python/loops_and_comprehensions.py"),
];

const CPP: &[&str] = &[
    include_str!("../../tests/data/syntax/cpp/classes.cpp"),
    include_str!("../../tests/data/syntax/cpp/conditions.c"),
    include_str!("../../tests/data/syntax/cpp/functions.c"),
    include_str!("../../tests/data/syntax/cpp/syntax_error.c"),
    include_str!("../../tests/data/syntax/cpp/words_of_cpp.h"),
    include_str!("../../tests/data/cpp/macro-in-a-header/before.h"),
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\nclass API Parser : public Base {\n    int next() { return 1; }\n};\n\
     static void CDECL release(void *at) { at = 0; }\n#ifdef __cplusplus\n}\n#endif\n",
];

const MANIFESTS: &[&str] = &[
    include_str!("../../Cargo.toml"),
    include_str!("../Cargo.toml"),
    "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\ndependencies = [\n \"b 1.2.3\",\n]\n",
];

const TRACE: &str = "# callgrind format\nversion: 1\ncreator: test\ncmd: x\npositions: instr line\nevents: Ir\n\
    ob=(1) /bin/x\nfl=(1) a.rs\nfn=(1) main\n0x100 3 2\n+4 * 2\nfi=(2) b.rs\n+0x10 -1 5\ncob=(2) /lib/c.so\n\
    cfi=(3) c.c\ncfn=(2) work\ncalls=3 0x40 9\n* * 30\nob=(2)\nfl=(3)\nfn=(2)\n0x40 9 30\njcnd=4/7 +8 0\n* *\n-8 9 1\n\
    \ntotals: 40\n";

/// Any bytes against a valid source: as they are, and the other way round.
fn sources(path: &str, seeds: &[&str], numbers: &mut SeededNumbers) {
    let seed = pick(seeds, numbers).as_bytes();
    let other = pick(seeds, numbers).as_bytes();
    let mutated = mutate(seed, other, numbers);
    compare(path, seed, &mutated);
    compare(path, &mutated, seed);
}

/// A source against one that is nearly always valid, and the other way round.
fn edits(path: &str, seeds: &[&str], numbers: &mut SeededNumbers) {
    let seed = pick(seeds, numbers);
    let edited = edit(seed, numbers);
    compare(path, seed.as_bytes(), edited.as_bytes());
    compare(path, edited.as_bytes(), seed.as_bytes());
}

/// Finds the changes between two versions. A version against itself has none.
fn compare(path: &str, before: &[u8], after: &[u8]) {
    let version = |bytes: &[u8]| OneFile(HashMap::from([(path.to_owned(), blob(bytes))]));
    let (old, new) = (version(before), version(after));
    let file = FileChange {
        path: Arc::from(path),
        before: old.file(path),
        after: new.file(path),
    };
    let changes = |file: FileChange, old: &OneFile, new: &OneFile| {
        let set = find_changes(&[file], old, new, &ParseCache::default(), InliningMode::WrittenOut);
        set.changes.len()
    };
    let same = FileChange {
        after: file.before.clone(),
        ..file.clone()
    };
    assert_eq!(changes(same, &old, &old), 0);
    changes(file, &old, &new);
}

struct OneFile(HashMap<String, Blob>);

impl FileSource for OneFile {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.get(path).cloned()
    }
}

fn blob(bytes: &[u8]) -> Blob {
    let mut id = [0_u8; 20];
    for (at, byte) in bytes.iter().enumerate() {
        id[at % 20] = id[at % 20].wrapping_mul(31) ^ byte;
    }
    id[..4].copy_from_slice(&u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
    Blob {
        id: ContentId(id),
        content: SourceContent::Bytes(bytes.into()),
    }
}

fn callgrind(numbers: &mut SeededNumbers) {
    let text = mutate(TRACE.as_bytes(), TRACE.as_bytes(), numbers);
    let _ = attribution::callgrind::trace::read(&text[..]);
    let _ = attribution::callgrind::trace::read_contexts(&text[..], 1000);
}

fn probes(numbers: &mut SeededNumbers) {
    let text = mutate(b"lito probes 1\nr 0 5\nf 1 2 3\ne 1 2 3\n", TRACE.as_bytes(), numbers);
    let _ = attribution::probes::ProbeCounts::read(&String::from_utf8_lossy(&text));
}

fn folded(numbers: &mut SeededNumbers) {
    let text = mutate(b"main;work;inner 12\nmain;other 3\n", TRACE.as_bytes(), numbers);
    if let Ok(read) = folded_stacks::read(&text) {
        let bytes = call_tree::encode(&read.tree);
        assert_eq!(
            call_tree::decode(&bytes).as_ref().map(call_tree::encode),
            Ok(bytes.clone())
        );
    }
}

/// Decoding gives what was encoded, and anything else is an error.
fn codecs(numbers: &mut SeededNumbers) {
    let profile = Profile {
        benchmark: numbers.next_number().to_string(),
        unit: CostUnit::Instructions,
        profiler: "callgrind".to_owned(),
        exact_counts: true,
        total: numbers.next_number(),
        files: Vec::new(),
        functions: Vec::new(),
        sites: Vec::new(),
        lines: Vec::new(),
    };
    let bytes = format::encode(&profile);
    assert_eq!(format::decode(&bytes).ok().as_ref(), Some(&profile));
    let mutated = mutate(&bytes, &bytes, numbers);
    if let Ok(read) = format::decode(&mutated) {
        assert_eq!(read, profile);
    }
    let record = inputs::encode(&InputRecord::default());
    assert_eq!(inputs::decode(&record).ok(), Some(InputRecord::default()));
    let _ = inputs::decode(&mutate(&record, &bytes, numbers));
    let _ = timeline::decode(&mutated);
    let _ = call_tree::decode(&mutated);
}

/// The smallest header that is one of a program for this processor, with whatever follows.
fn program(numbers: &mut SeededNumbers) {
    let mut header = vec![0_u8; 64];
    header[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    (header[16], header[18], header[20], header[52], header[58]) = (2, 62, 1, 64, 64);
    (header[40], header[60], header[62]) = (64, 3, 0);
    header.extend_from_slice(&[0; 192]);
    let _ = machine_code::read_program(&mutate(&header, &header, numbers));
}

fn pick<'s>(seeds: &[&'s str], numbers: &mut SeededNumbers) -> &'s str {
    seeds[numbers.below(seeds.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs of each target in one run of the tests.
    const INPUTS: u64 = 60;

    #[test]
    fn no_reader_panics_or_breaks_a_property() {
        for target in TARGETS {
            (0..INPUTS).for_each(|number| target.run(number));
        }
    }
}

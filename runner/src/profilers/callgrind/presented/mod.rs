//! The valgrind and the libraries of this machine → what they present to a program that is counted: the processor that
//! valgrind plays, and the files that run beside the program.
//!
//! A small program is compiled and asked under callgrind, so that the answer is right for whatever valgrind is installed.
//! The real processor counts only where that fails.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shared_start;
use super::valgrind::VALGRIND;
use crate::environment::{MachineFacts, processor};
use crate::owned::OwnedFolder;
use crate::process::{self, InterruptionFlag, Invocation, ProcessSurroundings};
use crate::toolchain::compiler_program;

/// The source of the program.
const PROBE: &str = include_str!("probe.rs");

/// Limit of compiling it, in which a toolchain may have to be installed, and of running it.
const LIMIT: Duration = Duration::from_secs(300);

/// Largest mapped file that is read, in bytes: a C library has two megabytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Hexadecimal digits of a digest that tell one release of a file from another.
const DIGITS: usize = 12;

/// Features that people know, in the answers to CPUID: their leaf, register (`ebx`, `ecx`: 1, 2) and bit. They are only
/// words; the digest beside them is of all answers.
const NAMED_FEATURES: [(&str, &str, usize, u32); 9] = [
    ("SSSE3", "00000001", 2, 9),
    ("SSE4.2", "00000001", 2, 20),
    ("AVX", "00000001", 2, 28),
    ("F16C", "00000001", 2, 29),
    ("RDRAND", "00000001", 2, 30),
    ("AVX2", "00000007", 1, 5),
    ("BMI2", "00000007", 1, 8),
    ("AVX512F", "00000007", 1, 16),
    ("RDSEED", "00000007", 1, 18),
];

/// The facts of this machine for programs under callgrind. `directory` is one whose toolchain compiles the program that
/// asks.
pub(super) fn presented(directory: &Path, interruption: &InterruptionFlag) -> MachineFacts {
    let answer = answers(directory, interruption).and_then(|(text, probe)| facts(&text, &probe));
    let Some(mut facts) = answer else {
        // Less is known, so more must be the same.
        return [
            ("processor".to_owned(), processor()),
            ("presented processor".to_owned(), "not known".to_owned()),
        ]
        .into();
    };
    facts.insert("preloaded library".to_owned(), preloaded(interruption));
    // Only for x86-64 the questions are known to cover all that a program can learn.
    if !cfg!(target_arch = "x86_64") {
        facts.insert("processor".to_owned(), processor());
    }
    facts
}

/// The library that counted programs are run with.
fn preloaded(interruption: &InterruptionFlag) -> String {
    let digest = OwnedFolder::temporary("presented").ok().and_then(|folder| {
        let library = folder.path().join("library.so");
        shared_start::build_library(folder.path(), &library, interruption)?;
        Some(blake3::hash(shared_start::LIBRARY_SOURCE.as_bytes()).to_hex()[..DIGITS].to_owned())
    });
    digest.unwrap_or_else(|| "none".to_owned())
}

/// The answers of the program under callgrind, and its path; `None` if it can't be compiled or run.
fn answers(directory: &Path, interruption: &InterruptionFlag) -> Option<(String, PathBuf)> {
    let folder = OwnedFolder::temporary("presented").ok()?;
    let [source, probe] = ["probe.rs", "probe"].map(|name| folder.path().join(name));
    std::fs::write(&source, PROBE).ok()?;
    let compile = Invocation::new(compiler_program(), directory, LIMIT)
        .arguments(["--edition=2018", "--crate-name=probe", "--cap-lints=allow", "-o"])
        .arguments([&probe, &source]);
    // Not `/dev/null`: callgrind replaces its output.
    let output = joined("--callgrind-out-file=", &folder.path().join("out"));
    let run = Invocation::new(VALGRIND, folder.path(), LIMIT)
        .arguments(["-q", "--tool=callgrind", "--vgdb=no"])
        .arguments([output, "--".into(), probe.clone().into_os_string()])
        .surrounded_by(ProcessSurroundings::Fixed { words: 0 });
    for invocation in [&compile, &run] {
        let finished = process::run(invocation, interruption).ok()?;
        if !finished.status.success() {
            return None;
        }
        if invocation.program == VALGRIND {
            return Some((finished.stdout.text(), probe));
        }
    }
    None
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut text = OsString::from(option);
    text.push(path);
    text
}

/// The facts that the answers of the program `probe` hold; `None` if they are not complete.
fn facts(text: &str, probe: &Path) -> Option<MachineFacts> {
    let of_kind = |kind: &'static str| text.lines().filter_map(move |line| line.strip_prefix(kind));
    let answers: String = (text.lines())
        .filter(|line| !line.starts_with("file "))
        .flat_map(|line| [line, "\n"])
        .collect();
    let files: BTreeSet<&Path> = of_kind("file ").map(Path::new).filter(|path| *path != probe).collect();
    if answers.is_empty() || files.is_empty() {
        return None;
    }
    let named = files.iter().map(|path| {
        let name = path.file_name()?.to_str()?;
        Some(format!("{name} {}", digest_of_file(path)?))
    });
    let named: BTreeSet<String> = named.collect::<Option<_>>()?;
    let features = named_features(&of_kind("cpuid ").collect::<Vec<_>>());
    let digest = &blake3::hash(answers.as_bytes()).to_hex()[..DIGITS];
    Some(BTreeMap::from([
        ("presented processor".to_owned(), [features, digest.to_owned()].concat()),
        (
            "loaded files".to_owned(),
            named.into_iter().collect::<Vec<_>>().join(", "),
        ),
    ]))
}

/// `SSSE3 AVX `: the features that these answers to CPUID report.
fn named_features(answers: &[&str]) -> String {
    let has = |leaf: &str, register: usize, bit: u32| {
        let first = answers
            .iter()
            .find_map(|line| line.strip_prefix(leaf)?.strip_prefix(" 0 "));
        let value = first.and_then(|registers| registers.split(' ').nth(register));
        value
            .and_then(|value| u32::from_str_radix(value, 16).ok())
            .is_some_and(|value| value & (1 << bit) != 0)
    };
    (NAMED_FEATURES.iter())
        .filter(|(_, leaf, register, bit)| has(leaf, *register, *bit))
        .flat_map(|(name, ..)| [*name, " "])
        .collect()
}

fn digest_of_file(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_FILE);
    let content = is_small.then(|| std::fs::read(path).ok()).flatten()?;
    Some(blake3::hash(&content).to_hex()[..DIGITS].to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    /// Answers of an AVX2 machine, with these files mapped.
    fn answers_with(leaf_7: &str, files: &[&Path]) -> String {
        let mut text = format!(
            "cpuid 00000001 0 000306c3 00100800 7ffafbff bfebfbff\ncpuid 00000007 0 00000000 {leaf_7} 00000000 00000000\nauxv 16 2\n"
        );
        for file in files {
            text.push_str(&format!("file {}\n", file.display()));
        }
        text
    }

    #[test]
    fn the_facts_are_those_presented_and_change_with_features_libraries_and_tool() {
        let folder = tempfile::tempdir().unwrap();
        let [probe, library, tool] =
            ["probe", "libc.so.6", "callgrind-amd64-linux"].map(|name| folder.path().join(name));
        for file in [&probe, &library, &tool] {
            fs::write(file, "1").unwrap();
        }
        let of = |leaf_7: &str| facts(&answers_with(leaf_7, &[&probe, &library, &tool]), &probe).unwrap();
        let first = of("000427aa");
        let processor = &first["presented processor"];
        assert!(
            processor.starts_with("SSSE3 SSE4.2 AVX F16C RDRAND AVX2 BMI2 RDSEED "),
            "{processor}"
        );
        assert!(!first["loaded files"].contains("probe"), "{first:?}");
        assert_eq!(first, of("000427aa"));
        assert_ne!(first, of("000027aa"), "without RDSEED");
        fs::write(&probe, "2").unwrap();
        assert_eq!(first, of("000427aa"), "whatever compiled the probe");
        for file in [&library, &tool] {
            let before = of("000427aa");
            fs::write(file, "2").unwrap();
            assert_ne!(before, of("000427aa"), "{}", file.display());
        }
    }

    #[test]
    fn answers_that_are_not_complete_are_no_facts() {
        let folder = tempfile::tempdir().unwrap();
        let probe = folder.path().join("probe");
        assert_eq!(facts("", &probe), None);
        assert_eq!(
            facts(&answers_with("0", &[&probe]), &probe),
            None,
            "no file beside the program"
        );
        let missing = folder.path().join("libc.so.6");
        assert_eq!(
            facts(&answers_with("0", &[&missing]), &probe),
            None,
            "a file that can't be read"
        );
    }

    #[test]
    fn a_probe_that_can_not_be_compiled_leaves_the_processor_in_the_key() {
        let nowhere = Path::new("/there/is/no/such/folder");
        let facts = presented(nowhere, &InterruptionFlag::default());
        assert_eq!(facts["processor"], processor());
        assert_eq!(facts["presented processor"], "not known");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_machine_presents_the_same_twice_and_names_no_processor() {
        let here = || presented(Path::new("/"), &InterruptionFlag::default());
        let first = here();
        assert_eq!(first, here());
        assert!(!first.contains_key("processor"), "{first:?}");
        let files = &first["loaded files"];
        assert!(files.contains("callgrind-"), "{files}");
        assert_ne!(first["preloaded library"], "none");
    }
}

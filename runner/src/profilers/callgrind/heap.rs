//! A built benchmark → its subject's requests to the allocator: runs the program once under Valgrind's dhat.
//!
//! Dhat keeps one record for each place of allocation, with the functions that were active. A record belongs to the
//! subject if one of the subject's machine-level functions is among them. Dhat reads no clock: for a framework's
//! subject ([`BenchmarkSubject::Clocked`]), the whole enclosing function counts. The framework's own allocations in it,
//! and inputs made there, are the same on both sides of a comparison unless the change is in them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::super::HeapUsage;
use super::valgrind::{self, ValgrindTool};
use super::{
    BenchmarkSubject, ProfilerError, ProfilerRequest, SymbolsByAddress, io_error, read_program, subject_symbols,
    two_runs,
};

/// Active functions that dhat records, its maximum: allocations deeper than this below the subject are not attributed
/// to it.
const MOST_CALLERS: usize = 500;

/// Largest file accepted: a record takes some hundred bytes, a large program has ten thousand.
const LARGEST_FILE: u64 = 1 << 30;

/// Runs the optimised program once and returns its subject's requests to the allocator.
///
/// Sees only requests through `malloc` and its siblings, not a program's own allocator on top of `mmap`.
///
/// # Errors
/// [`ProfilerError`]. No process is left running and no file is left behind.
pub fn heap(request: &ProfilerRequest<'_>) -> Result<HeapUsage, ProfilerError> {
    let Some([once, twice]) = two_runs::runs(request) else {
        return heap_of_run(request);
    };
    // Iterations may allocate nothing.
    let (short, long) = (heap_of_run(&once)?, heap_of_run(&twice)?);
    Ok(HeapUsage {
        bytes: long.bytes.saturating_sub(short.bytes),
        blocks: long.blocks.saturating_sub(short.blocks),
        // It is no sum.
        peak: short.peak,
    })
}

fn heap_of_run(request: &ProfilerRequest<'_>) -> Result<HeapUsage, ProfilerError> {
    let program = request.program;
    let selected = match request.subject {
        BenchmarkSubject::Process | BenchmarkSubject::FurtherIterations { .. } | BenchmarkSubject::Marked => None,
        subject => subject_symbols(subject, program, &read_program(program)?)?,
    };
    let written = valgrind::run(request, program, ValgrindTool::Dhat, options())?;
    read(&written.path, program, selected.as_ref())
}

/// Dhat's options.
pub(super) fn options() -> Vec<OsString> {
    vec![
        "--mode=heap".into(),
        format!("--num-callers={MOST_CALLERS}").into(),
        // Whole machine-level functions are searched for, so that functions inlined into them do not matter.
        "--read-inline-info=no".into(),
    ]
}

/// The requests of a subject from dhat's output of a run; those of the whole process, without symbols.
pub(super) fn read(
    output: &Path,
    program: &Path,
    selected: Option<&SymbolsByAddress>,
) -> Result<HeapUsage, ProfilerError> {
    let mut text = Vec::new();
    std::fs::File::open(output)
        .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut text))
        .map_err(io_error("reading", output))?;
    let symbols: Option<HashSet<&str>> =
        selected.map(|selected| selected.values().flatten().map(String::as_str).collect());
    add_up(&text, symbols.as_ref()).map_err(|reason| ProfilerError::HeapOutput {
        program: program.to_owned(),
        reason,
    })
}

/// The fields of dhat's file that are used.
#[derive(Deserialize)]
struct DhatFile {
    #[serde(rename = "pps")]
    points: Vec<DhatProgramPoint>,
    #[serde(rename = "ftbl")]
    frames: Vec<String>,
}

/// One place of allocation.
#[derive(Deserialize)]
struct DhatProgramPoint {
    #[serde(rename = "tb")]
    bytes: u64,
    #[serde(rename = "tbk")]
    blocks: u64,
    /// Bytes held at the process's peak.
    #[serde(rename = "gb", default)]
    at_peak: u64,
    /// Innermost first.
    #[serde(rename = "fs")]
    frames: Vec<usize>,
}

/// Sums the records that have one of the symbols among their frames; all records, without symbols.
fn add_up(text: &[u8], symbols: Option<&HashSet<&str>>) -> Result<HeapUsage, String> {
    let file: DhatFile = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let is_subject: Option<Vec<bool>> = symbols.map(|symbols| {
        let frames = file.frames.iter();
        frames.map(|frame| symbols.contains(symbol(frame))).collect()
    });
    let counts = |point: &&DhatProgramPoint| match &is_subject {
        None => true,
        Some(is_subject) => point.frames.iter().any(|frame| is_subject.get(*frame) == Some(&true)),
    };
    let mut heap = HeapUsage::default();
    let mut peak: u64 = 0;
    for point in file.points.iter().filter(counts) {
        heap.bytes = heap.bytes.saturating_add(point.bytes);
        heap.blocks = heap.blocks.saturating_add(point.blocks);
        peak = peak.saturating_add(point.at_peak);
    }
    heap.peak = (peak > 0 || heap.bytes == 0).then_some(peak);
    Ok(heap)
}

/// The name in `0x10A2F0: name (file.rs:12)`.
fn symbol(frame: &str) -> &str {
    let (_, rest) = frame.split_once(": ").unwrap_or(("", frame));
    rest.split_once(" (").map_or(rest, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FILE: &str = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","pps":[
        {"tb":100,"tbk":2,"tl":9,"mb":50,"mbk":1,"gb":50,"gbk":1,"eb":0,"ebk":0,"rb":1,"wb":1,"acc":[-3,1],"fs":[1,2,3]},
        {"tb":7,"tbk":1,"tl":9,"gb":0,"fs":[1,3]}],
        "ftbl":["[root]","0x1: malloc (vg_replace_malloc.c:381)","0x2: _RNv5count7subject (main.rs:1)","0x3: main (in /x (y))"]}"#;

    #[test]
    fn what_is_allocated_below_the_subject_counts() {
        let symbols = HashSet::from(["_RNv5count7subject"]);
        let heap = add_up(FILE.as_bytes(), Some(&symbols)).unwrap();
        assert_eq!((heap.bytes, heap.blocks, heap.peak), (100, 2, Some(50)));
        let whole = add_up(FILE.as_bytes(), None).unwrap();
        assert_eq!((whole.bytes, whole.blocks, whole.peak), (107, 3, Some(50)));
    }

    #[test]
    fn a_peak_that_was_elsewhere_is_unknown_and_one_without_allocations_is_nothing() {
        let elsewhere = FILE.replace("\"gb\":50", "\"gb\":0");
        let symbols = HashSet::from(["_RNv5count7subject"]);
        assert_eq!(add_up(elsewhere.as_bytes(), Some(&symbols)).unwrap().peak, None);
        let none = add_up(FILE.as_bytes(), Some(&HashSet::from(["other"]))).unwrap();
        assert_eq!(
            none,
            HeapUsage {
                peak: Some(0),
                ..HeapUsage::default()
            }
        );
    }

    #[test]
    fn garbage_is_an_error() {
        for text in ["", "[]", "{\"pps\":3,\"ftbl\":[]}", "{\"pps\":[{}],\"ftbl\":[]}"] {
            assert!(add_up(text.as_bytes(), None).is_err(), "{text}");
        }
    }
}

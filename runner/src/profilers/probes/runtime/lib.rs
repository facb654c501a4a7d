//! What probes call while an instrumented program runs: counts of code regions, a shadow stack for calls and their
//! inclusive costs, and at the end of the process one text file with all of it.
//!
//! Counts nothing unless `LITO_PROBE_OUTPUT` names a file; `LITO_PROBE_SUBJECT` limits counting to the run of some
//! functions. Where `LITO_PROBE_TIMELINE` names a file that says of which row each function is a part, time frames are
//! recorded besides, and where `LITO_PROBE_CONTEXTS` names one, calling contexts; the counts are the same. Knows
//! numbers only: what a function or a region is stands in the table that the probes were made with.
//! Depends on nothing but the standard library, and is built with the program's own toolchain.
#![allow(clippy::all)]

mod contexts;
mod timeline;

use std::cell::Cell;
use std::fmt::Write;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use std::sync::{Mutex, Once};

use contexts::ContextRecorder;
use timeline::TimelineRecorder;

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const WHOLE_PROCESS: u8 = 2;
const SUBJECT_ONLY: u8 = 3;

static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
static SUBJECTS: AtomicPtr<Vec<u32>> = AtomicPtr::new(ptr::null_mut());
// Rows of functions, where a timeline is wanted.
static ROWS: AtomicPtr<Vec<u32>> = AtomicPtr::new(ptr::null_mut());
static WITH_CONTEXTS: AtomicBool = AtomicBool::new(false);
static START: Once = Once::new();
// Addresses of leaked recorders: those of ended threads are still read at the end.
static RECORDERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

thread_local! {
    static HERE: Cell<*mut ThreadRecorder> = const { Cell::new(ptr::null_mut()) };
}

extern "C" {
    fn atexit(callback: extern "C" fn()) -> i32;
}

#[derive(Clone, Copy, Default)]
struct RecordedFunction {
    calls: u64,
    inclusive: u64,
    depth: u32,
}

#[derive(Clone, Copy)]
struct RecordedEdge {
    callee: u32,
    calls: u64,
    inclusive: u64,
    depth: u32,
}

struct RecordedFrame {
    function: u32,
    region: u32,
    edge: usize,
    start: u64,
}

#[derive(Default)]
struct ThreadRecorder {
    active: bool,
    region: u32,
    operations: u64,
    regions: Vec<u64>,
    functions: Vec<RecordedFunction>,
    edges: Vec<Vec<RecordedEdge>>,
    stack: Vec<RecordedFrame>,
    details: Option<Box<DetailRecorders>>,
}

/// What is recorded besides the counts. In one place, so that those pay for one look at most.
struct DetailRecorders {
    timeline: Option<TimelineRecorder>,
    contexts: Option<ContextRecorder>,
}

/// Stands for the run of a function; its end is the function's.
pub struct FunctionGuard(bool);

impl Drop for FunctionGuard {
    #[inline]
    fn drop(&mut self) {
        if self.0 {
            with(false, ThreadRecorder::leave);
        }
    }
}

/// A function is entered.
#[inline]
#[must_use]
pub fn f(function: u32) -> FunctionGuard {
    if MODE.load(Ordering::Relaxed) == OFF {
        return FunctionGuard(false);
    }
    FunctionGuard(enter(function))
}

/// A function is entered that has no end of its own: its frame is not kept.
#[inline]
pub fn e(function: u32) {
    if MODE.load(Ordering::Relaxed) != OFF {
        let subject = is_subject(function);
        with(subject, |recorder| {
            recorder.active |= subject;
            if recorder.active {
                recorder.call(function);
                if let Some(contexts) = recorder.details.as_mut().and_then(|d| d.contexts.as_mut())
                {
                    contexts.call(function);
                }
            }
        });
    }
}

/// A region runs once, at the cost of so many operations.
#[inline]
pub fn p(region: u32, operations: u32) {
    if MODE.load(Ordering::Relaxed) != OFF {
        let whole = mode() == WHOLE_PROCESS;
        with(whole, |recorder| recorder.step(region, operations));
    }
}

fn enter(function: u32) -> bool {
    let subject = is_subject(function);
    let mut entered = false;
    with(subject, |recorder| {
        recorder.active |= subject;
        if recorder.active {
            recorder.enter(function);
            entered = true;
        }
    });
    entered
}

impl ThreadRecorder {
    fn step(&mut self, region: u32, operations: u32) {
        if self.active {
            let at = region as usize;
            if at >= self.regions.len() {
                self.regions.resize(at + 1, 0);
            }
            self.regions[at] += 1;
            self.operations += u64::from(operations);
            self.region = region;
        }
    }

    fn call(&mut self, function: u32) -> usize {
        let at = function as usize;
        if at >= self.functions.len() {
            self.functions.resize(at + 1, RecordedFunction::default());
        }
        self.functions[at].calls += 1;
        let from = self.region as usize;
        if from >= self.edges.len() {
            self.edges.resize_with(from + 1, Vec::new);
        }
        let edges = &mut self.edges[from];
        let edge = match edges.iter().position(|edge| edge.callee == function) {
            Some(edge) => edge,
            None => {
                edges.push(RecordedEdge {
                    callee: function,
                    calls: 0,
                    inclusive: 0,
                    depth: 0,
                });
                edges.len() - 1
            }
        };
        edges[edge].calls += 1;
        edge
    }

    fn enter(&mut self, function: u32) {
        let edge = self.call(function);
        self.functions[function as usize].depth += 1;
        self.edges[self.region as usize][edge].depth += 1;
        self.stack.push(RecordedFrame {
            function,
            region: self.region,
            edge,
            start: self.operations,
        });
        if let Some(details) = &mut self.details {
            details.enter(function, self.operations);
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let cost = self.operations - frame.start;
        // Recursion: only the outermost of several frames counts, so that no cost is counted twice.
        let function = &mut self.functions[frame.function as usize];
        function.depth -= 1;
        if function.depth == 0 {
            function.inclusive += cost;
        }
        let edge = &mut self.edges[frame.region as usize][frame.edge];
        edge.depth -= 1;
        if edge.depth == 0 {
            edge.inclusive += cost;
        }
        if let Some(details) = &mut self.details {
            details.leave(frame.function, self.operations);
        }
        self.region = frame.region;
        if self.stack.is_empty() && mode() == SUBJECT_ONLY {
            self.active = false;
        }
    }
}

impl DetailRecorders {
    /// `None` if nothing is asked for.
    fn new() -> Option<Box<Self>> {
        // SAFETY: set before the mode is, and never changed or freed.
        let rows = unsafe { ROWS.load(Ordering::Acquire).as_ref() };
        let contexts = WITH_CONTEXTS.load(Ordering::Acquire);
        (rows.is_some() || contexts).then(|| {
            Box::new(DetailRecorders {
                timeline: rows.map(|rows| TimelineRecorder::new(rows)),
                contexts: contexts.then(ContextRecorder::new),
            })
        })
    }

    #[inline(never)]
    fn enter(&mut self, function: u32, now: u64) {
        if let Some(timeline) = &mut self.timeline {
            timeline.enter(function, now);
        }
        if let Some(contexts) = &mut self.contexts {
            contexts.enter(function, now);
        }
    }

    #[inline(never)]
    fn leave(&mut self, function: u32, now: u64) {
        if let Some(timeline) = &mut self.timeline {
            timeline.leave(function, now);
        }
        if let Some(contexts) = &mut self.contexts {
            contexts.leave(now);
        }
    }
}

/// Runs something on this thread's recorder, made first if it may be. Probes that the recorder's own memory
/// allocation runs into count nothing.
#[inline]
fn with(make: bool, action: impl FnOnce(&mut ThreadRecorder)) {
    let busy = ptr::NonNull::<ThreadRecorder>::dangling().as_ptr();
    HERE.with(|here| {
        let mut recorder = here.get();
        if recorder == busy || (recorder.is_null() && !make) {
            return;
        }
        here.set(busy);
        if recorder.is_null() {
            recorder = new_recorder();
        }
        // SAFETY: recorders are leaked, belong to one thread, and `busy` keeps a second reference from being made.
        action(unsafe { &mut *recorder });
        here.set(recorder);
    });
}

#[cold]
fn new_recorder() -> *mut ThreadRecorder {
    let active = mode() == WHOLE_PROCESS;
    let recorder = Box::into_raw(Box::new(ThreadRecorder {
        active,
        details: DetailRecorders::new(),
        ..ThreadRecorder::default()
    }));
    if let Ok(mut all) = RECORDERS.lock() {
        all.push(recorder as usize);
    }
    recorder
}

#[inline]
fn mode() -> u8 {
    match MODE.load(Ordering::Relaxed) {
        UNKNOWN => start(),
        known => known,
    }
}

/// Reads the environment, once.
#[cold]
fn start() -> u8 {
    let busy = ptr::NonNull::<ThreadRecorder>::dangling().as_ptr();
    let before = HERE.with(|here| here.replace(busy));
    if before == busy {
        // The program's own allocator, called from below: nothing is known yet.
        return OFF;
    }
    START.call_once(|| {
        let mode = if std::env::var_os("LITO_PROBE_OUTPUT").is_none() {
            OFF
        } else if let Ok(subjects) = std::env::var("LITO_PROBE_SUBJECT") {
            let mut subjects: Vec<u32> = subjects
                .split(',')
                .filter_map(|id| id.parse().ok())
                .collect();
            subjects.sort_unstable();
            SUBJECTS.store(Box::into_raw(Box::new(subjects)), Ordering::Release);
            SUBJECT_ONLY
        } else {
            WHOLE_PROCESS
        };
        if mode != OFF {
            if let Some(rows) = std::env::var_os("LITO_PROBE_TIMELINE") {
                let rows = std::fs::read_to_string(rows).unwrap_or_default();
                let rows: Vec<u32> = rows.lines().map_while(|row| row.parse().ok()).collect();
                ROWS.store(Box::into_raw(Box::new(rows)), Ordering::Release);
            }
            let contexts = std::env::var_os("LITO_PROBE_CONTEXTS").is_some();
            WITH_CONTEXTS.store(contexts, Ordering::Release);
            // SAFETY: the callback lives as long as the program.
            unsafe { atexit(write) };
        }
        MODE.store(mode, Ordering::Release);
    });
    HERE.with(|here| here.set(before));
    MODE.load(Ordering::Acquire)
}

/// True if entering this function switches counting on.
#[inline]
fn is_subject(function: u32) -> bool {
    match mode() {
        WHOLE_PROCESS => true,
        SUBJECT_ONLY => {
            let subjects = SUBJECTS.load(Ordering::Acquire);
            // SAFETY: set before the mode is, and never changed or freed.
            unsafe { subjects.as_ref() }.map_or(false, |all| all.binary_search(&function).is_ok())
        }
        _ => false,
    }
}

/// The process ends.
extern "C" fn write() {
    let busy = ptr::NonNull::<ThreadRecorder>::dangling().as_ptr();
    HERE.with(|here| here.set(busy));
    let Ok(recorders) = RECORDERS.lock() else {
        return;
    };
    // SAFETY: recorders are never freed. A thread that still runs may go on counting meanwhile; its last counts are not
    // part of any benchmark.
    let all: Vec<&ThreadRecorder> = recorders
        .iter()
        .map(|recorder| unsafe { &*(*recorder as *const ThreadRecorder) })
        .collect();
    leave_text("LITO_PROBE_OUTPUT", "lito-probe 1\n", |text| {
        all.iter().for_each(|recorder| recorder.write_counts(text));
    });
    let with_details = all
        .iter()
        .filter_map(|all| Some((all, all.details.as_ref()?)));
    leave_text("LITO_PROBE_TIMELINE", "lito-timeline 1\n", |text| {
        for (recorder, details) in with_details.clone() {
            if let Some(timeline) = &details.timeline {
                timeline.write(recorder.operations, text);
            }
        }
    });
    leave_text("LITO_PROBE_CONTEXTS", "lito-contexts 1\n", |text| {
        for (recorder, details) in with_details.clone() {
            if let Some(contexts) = &details.contexts {
                contexts.write(recorder.operations, text);
            }
        }
    });
}

/// Writes a text from its first line to its last into the file that a variable names, with the process's id behind it.
fn leave_text(variable: &str, header: &str, write: impl FnOnce(&mut String)) {
    let Some(mut path) = std::env::var_os(variable) else {
        return;
    };
    let mut text = String::from(header);
    write(&mut text);
    text.push_str("end\n");
    path.push(format!(".{}", std::process::id()));
    let _ = std::fs::write(path, text);
}

impl ThreadRecorder {
    /// `p REGION COUNT`, `f FUNCTION CALLS INCLUSIVE`, `c REGION FUNCTION CALLS INCLUSIVE`, one a line.
    fn write_counts(&self, text: &mut String) {
        for (region, count) in self.regions.iter().enumerate() {
            if *count > 0 {
                let _ = writeln!(text, "p {region} {count}");
            }
        }
        for (function, counts) in self.functions.iter().enumerate() {
            if counts.calls > 0 {
                let (calls, mut inclusive) = (counts.calls, counts.inclusive);
                // The process ended inside of it.
                if let Some(frame) = self.stack.iter().find(|f| f.function as usize == function) {
                    inclusive += self.operations - frame.start;
                }
                let _ = writeln!(text, "f {function} {calls} {inclusive}");
            }
        }
        for (region, edges) in self.edges.iter().enumerate() {
            for (index, edge) in edges.iter().enumerate() {
                let (callee, calls, mut inclusive) = (edge.callee, edge.calls, edge.inclusive);
                let is = |f: &&RecordedFrame| f.region as usize == region && f.edge == index;
                if let Some(frame) = self.stack.iter().find(is) {
                    inclusive += self.operations - frame.start;
                }
                let _ = writeln!(text, "c {region} {callee} {calls} {inclusive}");
            }
        }
    }
}

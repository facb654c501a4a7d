//! The meaning of each probe of an instrumented program: its function, region and calls.

/// Index into [`ProbeTable::functions`].
pub type ProbeFunctionIndex = u32;

/// Index into [`ProbeTable::regions`].
pub type ProbeRegionIndex = u32;

/// The probes of all instrumented sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeTable {
    /// Every function of the sources, closures included, with or without probes.
    pub functions: Vec<ProbeFunction>,
    /// Regions of straight-line code. The first one stands for everything outside of them, and is empty.
    pub regions: Vec<ProbeRegion>,
    /// Names of functions that were passed to a benchmark framework as routines.
    pub routines: Vec<String>,
}

impl Default for ProbeTable {
    fn default() -> Self {
        Self {
            functions: Vec::new(),
            regions: vec![ProbeRegion::default()],
            routines: Vec::new(),
        }
    }
}

/// A function of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeFunction {
    /// Its canonical name, see [`crate::function_name`].
    pub name: String,
    /// Its file.
    pub file: String,
    /// Line of its first token, 1-based.
    pub line: u32,
    /// True outside the versioned source tree, as for a harness.
    pub external: bool,
    /// How it is probed.
    pub how: ProbeMode,
    /// True if a benchmark framework measures it as a routine.
    pub routine: bool,
}

/// How a function is probed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeMode {
    /// Calls, regions and inclusive cost.
    Whole,
    /// Calls and regions only: an `async` function has no frame of its own, so its inclusive cost is summed up from its
    /// parts.
    Frameless,
    /// No probes, for this reason: its calls are counted at their call sites.
    Not(&'static str),
}

/// A piece of code that runs either completely or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeRegion {
    /// The function that contains it.
    pub function: ProbeFunctionIndex,
    /// The region of the same function that it is nested in or follows.
    pub parent: Option<ProbeRegionIndex>,
    /// Its lines with the operations that begin there; sorted, each line once.
    pub lines: Vec<(u32, u32)>,
    /// For one iteration of a `for` loop, the line of the loop's head if the body begins further down: the head runs
    /// once per iteration, and once more at the end.
    pub head: Option<u32>,
    /// Its calls, in order of evaluation.
    pub sites: Vec<ProbeCallSite>,
}

impl ProbeRegion {
    /// Operations of one execution, calls included, callees excluded.
    #[must_use]
    pub fn operations(&self) -> u32 {
        self.lines
            .iter()
            .fold(0, |sum, (_, operations)| sum.saturating_add(*operations))
    }
}

/// A call in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeCallSite {
    /// Last segment of the callee's name, imports resolved.
    pub name: String,
    /// The callee's name as far as the source shows it; used if no probed function is entered.
    pub full_name: String,
    /// Line number, 1-based.
    pub line: u32,
    /// Number of operations of the call itself; part of its line's.
    pub operations: u32,
    /// Kind of call.
    pub kind: ProbeCallKind,
}

/// Kind of call at a call site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeCallKind {
    /// Call of a named function: if no probed function is entered, an unprobed one was called.
    Named,
    /// Call of a value, or one that the language inserts (`next` of a `for` loop): unknown unless a probed function is
    /// entered.
    Implied,
}

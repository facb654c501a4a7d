//! What each probe of an instrumented program stands for.

/// Index into [`ProbeTable::functions`].
pub type ProbeFunctionIndex = u32;

/// Index into [`ProbeTable::regions`].
pub type ProbeRegionIndex = u32;

/// The probes of all instrumented sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeTable {
    /// Every function of the sources, closures included, probed or not.
    pub functions: Vec<ProbeFunction>,
    /// Straight-line pieces of code. The first stands for what runs outside all of them, and is empty.
    pub regions: Vec<ProbeRegion>,
    /// Names of functions that a benchmark framework was given as routines.
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
    /// Its canonical name, see [`crate::name`].
    pub name: String,
    /// Its file.
    pub file: String,
    /// Line of its first token, 1-based.
    pub line: u32,
    /// True outside the versioned tree: a harness.
    pub external: bool,
    /// How it is probed.
    pub how: ProbeMode,
    /// True if a benchmark framework runs it as the routine to be measured.
    pub routine: bool,
}

/// How a function is probed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeMode {
    /// Calls, regions and inclusive cost.
    Whole,
    /// Calls and regions only: an `async` function has no frame of its own, so its inclusive cost is summed up.
    Frameless,
    /// Not at all, with the reason: its calls are counted where they are written.
    Not(&'static str),
}

/// A piece of code that runs from its beginning to its end or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeRegion {
    /// The function that it is a part of.
    pub function: ProbeFunctionIndex,
    /// The region that it is nested in or follows, of the same function.
    pub parent: Option<ProbeRegionIndex>,
    /// Its lines with the operations that begin there; sorted, each line once.
    pub lines: Vec<(u32, u32)>,
    /// For a round of a `for` loop, the line of the loop's head if the body begins further down: the head runs once
    /// for each round, and once more to find that there is none.
    pub head: Option<u32>,
    /// The calls written in it, in the order of their evaluation.
    pub sites: Vec<ProbeCallSite>,
}

impl ProbeRegion {
    /// Operations of one execution, calls included, callees not.
    #[must_use]
    pub fn operations(&self) -> u32 {
        self.lines
            .iter()
            .fold(0, |sum, (_, operations)| sum.saturating_add(*operations))
    }
}

/// A written call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeCallSite {
    /// Last segment of the callee's name, imports followed.
    pub name: String,
    /// The callee's name as far as the source shows it: what it is called if no probed function answers.
    pub full_name: String,
    /// 1-based.
    pub line: u32,
    /// Operations that the call itself is taken for; part of its line's.
    pub operations: u32,
    /// What sort of call.
    pub kind: ProbeCallKind,
}

/// What sort of call a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeCallKind {
    /// Of a named function: if nothing that is probed was entered, something that is not was called.
    Named,
    /// Of a value, or one that the language makes (`next` of a `for` loop): nothing can be said of it unless
    /// something probed was entered.
    Implied,
}

//! The model of a profile: functions, call sites and lines that one benchmark executed at one version, in one
//! deterministic unit.
//!
//! Says nothing of the measurement except the profiler's name, and holds no path of the machine: project files are
//! relative to the repository's root, external ones start with the package (`memchr-2.7.4/src/lib.rs`) or the standard
//! library's crate (`core/src/slice/mod.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unit of costs. It repeats exactly from run to run, which is why it is never time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostUnit {
    /// Machine instructions executed (`Ir`).
    Instructions,
    /// Operations counted by probes in the source.
    Operations,
}

/// Relative difference up to which two counts are considered equal that come from a single run each.
///
/// Counts of the same code repeat almost exactly: hashing with random keys and similar effects move them by less. Whether
/// a count repeats is not known from one run; where runs are repeated, a verdict goes by a smaller floor.
pub const COUNT_NOISE_FLOOR: f64 = 0.005;

/// Index into [`Profile::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProfileFileId(pub u32);

/// Index into [`Profile::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProfileFunctionId(pub u32);

/// The execution of one benchmark at one version.
///
/// Functions are sorted by name, file and line; sites by caller, file, line and callee; lines by file and
/// line. Monomorphic copies and inlined instances of a function are one [`ProfileFunction`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Name of the benchmark.
    pub benchmark: String,
    /// The unit of every cost in this profile.
    pub unit: CostUnit,
    /// Name of the profiler, e.g. `callgrind`.
    pub profiler: String,
    /// True if no count in this profile is an estimate.
    pub exact_counts: bool,
    /// Cost of the benchmark's subject: μ[v, b] of the published model (Sandoval et al., section 4.2).
    pub total: u64,
    /// Source files, named as the module's documentation describes.
    pub files: Vec<String>,
    /// Every function that was executed.
    pub functions: Vec<ProfileFunction>,
    /// Every call site that was executed.
    pub sites: Vec<ProfileCallSite>,
    /// Every source line that was executed.
    pub lines: Vec<ProfileLine>,
}

/// One executed function, inlined or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileFunction {
    /// `crate::module::Type::method`, see [`crate`] for the rules.
    pub name: String,
    /// File of its declaration, if the debug information says.
    pub file: Option<ProfileFileId>,
    /// First line of its declaration, 1-based; 0 where unknown.
    pub line: u32,
    /// True for everything outside the versioned source tree: dependencies, the standard library and the harness.
    pub external: bool,
    /// Times called, inlined calls included.
    pub calls: u64,
    /// How many of these calls ran as a copy inlined into a caller.
    pub inlined_calls: u64,
    /// Inclusive cost; never above the total, even in recursion.
    pub inclusive: u64,
    /// Self cost.
    pub self_cost: u64,
    /// True if `calls` is an estimate, because the optimiser merged or unrolled inlined copies.
    pub estimated: bool,
}

impl ProfileFunction {
    /// True for a function that the run executed only outside the benchmark's subject: what it did may be what the subject
    /// works with.
    #[must_use]
    pub fn is_of_set_up(&self) -> bool {
        self.calls == 0 && self.inclusive == 0 && self.self_cost == 0
    }
}

/// One executed call site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileCallSite {
    /// The function that holds the call.
    pub caller: ProfileFunctionId,
    /// The function that is called.
    pub callee: ProfileFunctionId,
    /// The file of the call, if known.
    pub file: Option<ProfileFileId>,
    /// The line of the call, 1-based; 0 where unknown.
    pub line: u32,
    /// Times the call was made.
    pub calls: u64,
    /// Cost of all these calls, callee included.
    pub inclusive: u64,
    /// True if the callee is inlined here.
    pub inlined: bool,
    /// True if `calls` is an estimate.
    pub estimated: bool,
}

/// One executed source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileLine {
    /// The file.
    pub file: ProfileFileId,
    /// Line number, 1-based.
    pub line: u32,
    /// Executions of the block that holds the line; not the sum over the line's instructions.
    pub executions: u64,
    /// Cost of the line's own instructions.
    pub self_cost: u64,
    /// True if `executions` is an estimate.
    pub estimated: bool,
}

impl Profile {
    /// Returns the function with this id.
    ///
    /// # Panics
    /// If the id comes from another profile.
    #[must_use]
    pub fn function(&self, id: ProfileFunctionId) -> &ProfileFunction {
        &self.functions[id.0 as usize]
    }

    /// Returns the file name with this id.
    ///
    /// # Panics
    /// If the id comes from another profile.
    #[must_use]
    pub fn file(&self, id: ProfileFileId) -> &str {
        &self.files[id.0 as usize]
    }

    /// Gives functions other names; those that get one name stay apart.
    pub fn rename_functions(&mut self, name: impl Fn(&ProfileFunction) -> String) {
        for function in &mut self.functions {
            function.name = name(function);
        }
        self.sort_functions();
    }

    /// Puts functions and sites in their order; those with one name stay as they are to each other.
    pub(crate) fn sort_functions(&mut self) {
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        let key = |at: &usize| {
            let function = &self.functions[*at];
            (&function.name, function.file, function.line)
        };
        order.sort_by(|one, other| key(one).cmp(&key(other)));
        let mut places = vec![ProfileFunctionId(0); order.len()];
        for (&old, new) in order.iter().zip(0..) {
            places[old] = ProfileFunctionId(new);
        }
        self.functions = order.iter().map(|&old| self.functions[old].clone()).collect();
        for site in &mut self.sites {
            site.caller = places[site.caller.0 as usize];
            site.callee = places[site.callee.0 as usize];
        }
        (self.sites).sort_by_key(|site| (site.caller, site.file, site.line, site.callee));
    }
}

//! The answer of a comparison: the same code, different functions, or unknown with the reason.

use std::fmt;

/// Crates that come with the compiler: their differences are listed last.
const TOOLCHAIN_CRATES: [&str; 12] = [
    "core",
    "alloc",
    "std",
    "compiler_builtins",
    "panic_unwind",
    "rustc_demangle",
    "std_detect",
    "addr2line",
    "gimli",
    "object",
    "miniz_oxide",
    "__rustc",
];

/// Whether the compared functions are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeEquivalence {
    /// The same, with everything that they refer to.
    Same {
        /// Number of compared functions of the base.
        functions: usize,
    },
    /// Different.
    Different {
        /// Functions of the base that differ: first those of the project and its dependencies, then the toolchain's; by
        /// name.
        functions: Vec<CodeDifference>,
    },
    /// Unknown.
    Unknown {
        /// The reason, worded to follow "not known: ".
        why: String,
    },
}

/// A function that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeDifference {
    /// Readable name with generic arguments.
    pub function: String,
    /// Kind of the difference.
    pub why: CodeDifferenceKind,
}

/// Kind of a difference between two functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeDifferenceKind {
    /// The instructions.
    Code,
    /// A reference's target.
    Target,
    /// A constant or the first value of a variable that it uses.
    Constant,
    /// The head has no corresponding function.
    Missing,
}

impl fmt::Display for CodeDifferenceKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Code => "other instructions",
            Self::Target => "refers to something else",
            Self::Constant => "uses another constant",
            Self::Missing => "gone",
        })
    }
}

impl fmt::Display for CodeDifference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.function, self.why)
    }
}

impl CodeEquivalence {
    /// Builds the answer for functions that differ, sorted.
    pub(super) fn different(mut functions: Vec<CodeDifference>) -> Self {
        functions.sort_by(|a, b| {
            let rank = |difference: &CodeDifference| (is_toolchain(&difference.function), difference.why);
            rank(a).cmp(&rank(b)).then_with(|| a.function.cmp(&b.function))
        });
        functions.dedup();
        Self::Different { functions }
    }
}

fn is_toolchain(function: &str) -> bool {
    let path = function.trim_start_matches(['<', '&', '*', '[', '(']);
    let path = path.strip_prefix("dyn ").unwrap_or(path);
    let first = path.split("::").next().unwrap_or_default();
    !path.contains("::") || TOOLCHAIN_CRATES.contains(&first)
}

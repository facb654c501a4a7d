//! The answer to whether two programs' code is the same, and what it rests on.

use std::fmt;

/// Crates that come with the compiler: what differs in them is shown last.
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
    /// They are, with everything that they refer to.
    Same {
        /// How many functions of the base were compared.
        functions: usize,
    },
    /// They are not.
    Different {
        /// Functions of the base that differ: the project's and its dependencies' first, then the toolchain's;
        /// by name.
        functions: Vec<CodeDifference>,
    },
    /// It can't be said.
    Unknown {
        /// Why, to follow "not known: ".
        why: String,
    },
}

/// A function that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeDifference {
    /// Readable, with generic arguments.
    pub function: String,
    /// In what.
    pub why: CodeDifferenceKind,
}

/// In what a function differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeDifferenceKind {
    /// Its instructions.
    Code,
    /// What it refers to.
    Target,
    /// A constant or the first value of a variable that it uses.
    Constant,
    /// The head has no function that it can be compared with.
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
    /// The answer for functions that differ, sorted.
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

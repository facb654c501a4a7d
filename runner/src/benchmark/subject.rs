//! The part of a benchmark's run that counts, as the frameworks state it and the profilers select it. Selects nothing.

use std::ffi::OsString;

/// A function of the C library that adapters call to mark a subject. It copies a constant, and programs do not call it.
pub const MARK: &str = "ctermid";

/// The variable of a run in which the program itself turns counting on at its first mark, and off at its last.
pub const TURN_COUNTING_ON: &str = "LITO_TURN_COUNTING_ON";

/// The part of a run that is measured.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum BenchmarkSubject {
    /// The whole process, set-up included.
    Process,
    /// A function by its canonical name (`krate::module::Type::method`), or by the end of one if no
    /// function has this whole name. All copies of a generic function count.
    Function(String),
    /// Functions whose demangled name, generic arguments included, matches a pattern: `*` stands for any
    /// text, `?` for one character. They must not call each other.
    Pattern(String),
    /// In functions that match one of these patterns, and of their run the part from the `depth`-th reading
    /// of the clock to the `depth`-th last: what a benchmark framework itself measures. The functions must
    /// not call each other.
    Clocked {
        /// As in [`BenchmarkSubject::Pattern`].
        within: Vec<String>,
        /// Readings before and after the subject.
        depth: usize,
    },
    /// In functions that match one of these patterns, the part from the first reading of the clock to a later one: one run
    /// of the routine, where a benchmark framework repeats it as often as time allows. The run may be ended once it is
    /// there.
    FirstClocked {
        /// As in [`BenchmarkSubject::Pattern`]; the whole process, if there is none.
        within: Vec<String>,
        /// The reading that ends it.
        until: ClockedEnd,
    },
    /// The part between two calls of [`MARK`].
    Marked,
    /// The further execution of a run with these arguments, beyond one with the benchmark's own: they ask for twice as many
    /// iterations. Whatever both do once is not part of it.
    FurtherIterations {
        /// The arguments of the longer run.
        twice: Vec<OsString>,
    },
}

/// The reading of the clock that ends the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ClockedEnd {
    /// The second one.
    Second,
    /// The last one before the function returns for the first time: whatever reads the clock besides the framework is
    /// part of the subject.
    LastOfCall,
}

impl BenchmarkSubject {
    /// True if its requests to the allocator can be told from those of the rest of the run. A framework may repeat a subject as
    /// often as time allows, and what happens between two moments is no function's.
    #[must_use]
    pub fn has_own_allocations(&self) -> bool {
        !matches!(self, Self::FirstClocked { .. } | Self::Marked)
    }

    /// The subject as it is called in a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Process => String::from("the process"),
            Self::Function(_) | Self::Pattern(_) => format!("the subject `{self}`"),
            Self::Clocked { .. } | Self::FirstClocked { .. } | Self::Marked => {
                String::from("the part that the framework measures")
            }
            Self::FurtherIterations { .. } => String::from("the iterations"),
        }
    }
}

impl std::fmt::Display for BenchmarkSubject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Process => "the whole process",
            Self::FurtherIterations { .. } => "further iterations",
            Self::Marked => "the part between two marks",
            Self::Function(name) => name,
            Self::Pattern(pattern) => pattern,
            Self::FirstClocked { within, .. } if within.is_empty() => "the first part that the framework measures",
            Self::Clocked { within, .. } | Self::FirstClocked { within, .. } => {
                return formatter.write_str(&within.join("`, `"));
            }
        })
    }
}

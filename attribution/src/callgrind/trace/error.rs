//! Reasons why callgrind's output can't be read, each with its remedy.

/// Reason why a callgrind file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum CallgrindError {
    /// Reading failed.
    #[error("reading callgrind's output: {0}")]
    Read(#[from] std::io::Error),
    /// A line violates the format.
    #[error("reading callgrind's output: line {line}: {why}; the file is damaged or not from callgrind")]
    Malformed {
        /// Line number, 1-based.
        line: u64,
        /// The violation.
        why: &'static str,
    },
    /// The file stops before its end.
    #[error(
        "reading callgrind's output: it ends after line {line} without its totals; \
         the profiled program or callgrind was stopped while writing, or the disk is full"
    )]
    Truncated {
        /// The last line.
        line: u64,
    },
    /// The file has no instruction addresses or no instruction counts.
    #[error("reading callgrind's output: line {line}: no {what}; run callgrind with {option}")]
    Unsuitable {
        /// Line number, 1-based.
        line: u64,
        /// The missing data.
        what: &'static str,
        /// The option that adds it.
        option: &'static str,
    },
    /// More calling contexts than the caller accepts.
    #[error("reading callgrind's output: line {line}: more than {limit} calling contexts")]
    TooManyContexts {
        /// Line number, 1-based.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// More entries than this reader accepts.
    #[error("reading callgrind's output: line {line}: more than {limit} {what}")]
    TooLarge {
        /// Line number, 1-based.
        line: u64,
        /// Kind of the entries.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

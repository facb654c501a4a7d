//! What can be wrong with callgrind's output, and what to do.

/// Why a callgrind file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum CallgrindError {
    /// Reading failed.
    #[error("reading callgrind's output: {0}")]
    Read(#[from] std::io::Error),
    /// A line that the format does not allow.
    #[error("reading callgrind's output: line {line}: {why}; the file is damaged or not from callgrind")]
    Malformed {
        /// 1-based.
        line: u64,
        /// What is wrong with it.
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
        /// 1-based.
        line: u64,
        /// What is missing.
        what: &'static str,
        /// The option that adds it.
        option: &'static str,
    },
    /// More calling contexts than the caller accepts.
    #[error("reading callgrind's output: line {line}: more than {limit} calling contexts")]
    TooManyContexts {
        /// 1-based.
        line: u64,
        /// How many are accepted.
        limit: usize,
    },
    /// More than this reader accepts.
    #[error("reading callgrind's output: line {line}: more than {limit} {what}")]
    TooLarge {
        /// 1-based.
        line: u64,
        /// What there is too much of.
        what: &'static str,
        /// How many are accepted.
        limit: usize,
    },
}

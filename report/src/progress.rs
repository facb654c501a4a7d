//! Activities of an operation → the lines that show how far it is.
//!
//! Knows neither who watches nor how a line is drawn: the kind of a line says who is meant to see it.

use std::time::Duration;

use verdict::ComparedVersion;

use crate::number_format::{counted_noun, duration};
use crate::text;

/// Seconds from which every user is told what an operation will take.
const TOLD_FORECAST: f64 = 20.0;

/// One thing that an operation does or finds out while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum Activity<'a> {
    /// Another process uses the repository's checkout and builds; it is waited for.
    Waiting {
        /// The id of that process.
        process: u32,
    },
    /// A side of the comparison is being built.
    BuildingSide(ComparedVersion),
    /// A side of the comparison is built.
    SideBuilt {
        /// The side.
        version: ComparedVersion,
        /// Benchmarks in it.
        benchmarks: usize,
    },
    /// A side of the comparison was built by an earlier run, and is not built again.
    SideReused {
        /// The side.
        version: ComparedVersion,
        /// Benchmarks in it.
        benchmarks: usize,
    },
    /// The machine code of a program was compared between the sides.
    ProgramsCompared {
        /// File name of the program.
        program: &'a str,
        /// The difference.
        difference: CodeDifference<'a>,
    },
    /// A file changed that programs may read.
    DataChanged {
        /// Path of the file.
        path: &'a str,
    },
    /// A benchmark is being counted.
    Counting {
        /// The benchmark.
        benchmark: &'a str,
        /// The side.
        version: ComparedVersion,
    },
    /// The first benchmarks are done; the line estimates from them what the rest will take.
    Forecast {
        /// Benchmarks that are done; at least one.
        done: usize,
        /// Benchmarks that are left.
        left: usize,
        /// The time that those that are done took.
        elapsed: Duration,
    },
    /// Counts of an earlier run are used.
    KeptCounts {
        /// The benchmark.
        benchmark: &'a str,
        /// The tool that counted.
        tool: &'a str,
    },
    /// A benchmark is being timed.
    Timing {
        /// The benchmark.
        benchmark: &'a str,
        /// The round that begins, counted from 1.
        round: usize,
        /// Rounds before the next benchmark's turn, if none of them decides.
        target: usize,
    },
    /// Rounds of an earlier run are used.
    KeptRounds {
        /// The benchmark.
        benchmark: &'a str,
        /// Their number.
        rounds: usize,
    },
    /// A stored verdict can't be read and is ignored.
    VerdictIgnored {
        /// Path in the store.
        path: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A comment does not address lito.
    CommentNotForLito,
    /// Nothing is posted: a run was for a merge group that no longer exists.
    MergeGroupGone,
    /// A comment asks for something that its author may not ask for.
    CommentNotAllowed {
        /// The author's login.
        author: &'a str,
    },
    /// The check of a version that could not be judged could not be posted.
    CheckNotPosted {
        /// The error.
        error: &'a str,
    },
}

/// The difference between the machine code of two programs.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeDifference<'a> {
    /// None.
    None,
    /// Functions differ.
    Functions {
        /// Their number.
        count: usize,
        /// The first of them.
        named: Vec<String>,
    },
    /// The code can't be compared.
    Unknown {
        /// Why.
        why: &'a str,
    },
}

/// A line, by who is meant to see it. Control characters in it are made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressLine {
    /// The item that is worked on now: replaced by the next one.
    Current(String),
    /// For every user.
    Note(String),
    /// For users who ask for details.
    Detail(String),
    /// For every user: something is wrong, though the operation goes on.
    Warning(String),
}

impl Activity<'_> {
    /// The line of this activity.
    #[must_use]
    pub fn line(&self) -> ProgressLine {
        match self {
            Self::Waiting { process } => note(&format!(
                "another lito (pid {process}) is using this repository; waiting"
            )),
            Self::BuildingSide(version) => current(&format!("building the {}", name(*version))),
            Self::SideBuilt { version, benchmarks } => {
                let benchmarks = counted_noun(*benchmarks, "benchmark");
                detail(&format!("the {} has {benchmarks}", name(*version)))
            }
            Self::SideReused { version, benchmarks } => detail(&format!(
                "the {} is not built again: {} kept from an earlier run",
                name(*version),
                counted_noun(*benchmarks, "benchmark")
            )),
            Self::ProgramsCompared { program, difference } => detail(&format!("{program}: {}", difference.words())),
            Self::DataChanged { path } => detail(&format!(
                "{path} changed, which programs may read: the same machine code may behave differently"
            )),
            Self::Counting { benchmark, version } => current(&format!("{benchmark} at the {}", name(*version))),
            Self::Forecast { done, left, elapsed } => {
                let seconds = elapsed.as_secs_f64() / *done as f64 * *left as f64;
                let forecast = format!(
                    "{} left: about {}; --budget TIME or --bench NAME takes fewer",
                    counted_noun(*left, "benchmark"),
                    duration(seconds)
                );
                // Less is over before it is read.
                if seconds < TOLD_FORECAST {
                    detail(&forecast)
                } else {
                    note(&forecast)
                }
            }
            Self::KeptCounts { benchmark, tool } => {
                detail(&format!("{benchmark}: {tool} counts kept from an earlier run"))
            }
            Self::Timing {
                benchmark,
                round,
                target,
            } => current(&format!("{benchmark}: round {round} of {target}")),
            Self::KeptRounds { benchmark, rounds } => detail(&format!(
                "{benchmark}: {} kept from an earlier run",
                counted_noun(*rounds, "round")
            )),
            Self::VerdictIgnored { path, why } => warning(&format!("{path}: {why}; this verdict is ignored")),
            Self::CommentNotForLito => note("the comment is not for lito"),
            Self::MergeGroupGone => note("the merge group is gone, so that nothing is posted"),
            Self::CommentNotAllowed { author } => note(&format!(
                "{author} may not write to the repository, so nothing is accepted"
            )),
            Self::CheckNotPosted { error } => warning(error),
        }
    }
}

impl CodeDifference<'_> {
    fn words(&self) -> String {
        match self {
            Self::None => String::from("the same machine code"),
            Self::Functions { count, named } => {
                format!("{} differ: {}", counted_noun(*count, "function"), named.join(", "))
            }
            Self::Unknown { why } => format!("its machine code can't be compared: {why}"),
        }
    }
}

fn name(version: ComparedVersion) -> &'static str {
    match version {
        ComparedVersion::Base => "base",
        ComparedVersion::Head => "head",
    }
}

fn current(line: &str) -> ProgressLine {
    ProgressLine::Current(text::safe(line).into_owned())
}

fn note(line: &str) -> ProgressLine {
    ProgressLine::Note(text::safe(line).into_owned())
}

fn detail(line: &str) -> ProgressLine {
    ProgressLine::Detail(text::safe(line).into_owned())
}

fn warning(lines: &str) -> ProgressLine {
    ProgressLine::Warning(text::safe_lines(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_the_benchmark_and_the_side() {
        let counting = Activity::Counting {
            benchmark: "parse",
            version: ComparedVersion::Head,
        };
        assert_eq!(
            counting.line(),
            ProgressLine::Current(String::from("parse at the head"))
        );
        let built = Activity::SideBuilt {
            version: ComparedVersion::Base,
            benchmarks: 1,
        };
        assert_eq!(
            built.line(),
            ProgressLine::Detail(String::from("the base has 1 benchmark"))
        );
        let timing = Activity::Timing {
            benchmark: "parse",
            round: 11,
            target: 20,
        };
        assert_eq!(
            timing.line(),
            ProgressLine::Current(String::from("parse: round 11 of 20"))
        );
    }

    #[test]
    fn a_wait_is_told_to_everybody_with_the_process_that_is_waited_for() {
        assert_eq!(
            Activity::Waiting { process: 32_298 }.line(),
            ProgressLine::Note(String::from(
                "another lito (pid 32298) is using this repository; waiting"
            ))
        );
    }

    #[test]
    fn a_forecast_is_told_to_everybody_only_where_it_is_worth_reading() {
        let forecast = |seconds| {
            Activity::Forecast {
                done: 4,
                left: 52,
                elapsed: Duration::from_secs_f64(seconds / 13.0),
            }
            .line()
        };
        let long = "52 benchmarks left: about 4 min 10 s; --budget TIME or --bench NAME takes fewer";
        assert_eq!(forecast(250.0), ProgressLine::Note(String::from(long)));
        assert!(matches!(forecast(19.0), ProgressLine::Detail(_)));
    }

    #[test]
    fn names_reach_no_line_with_control_characters() {
        let ignored = Activity::VerdictIgnored {
            path: "a\x1b[2J",
            why: "first\nsecond\u{202e}",
        };
        let ProgressLine::Warning(lines) = ignored.line() else {
            panic!("an ignored verdict is a warning");
        };
        assert_eq!(lines.lines().count(), 2);
        assert!(!lines.contains(['\x1b', '\u{202e}']), "{lines:?}");
    }
}

//! Output of a failed build → whether the version or the machine is at fault, and the lines that explain why.

use super::{BuildError, BuildPurpose};
use crate::process::ProcessError;
use crate::toolchain::ToolchainError;

/// Lines of a compiler's error that are kept as the reason.
const REASON_LINES: usize = 6;

/// Messages of cargo that mean that the machine is at fault and not the version.
const MACHINE_FAULTS: [&str; 10] = [
    "No space left on device",
    "Could not resolve host",
    "Couldn't resolve host",
    "failed to download from",
    "failed to query replaced source",
    "network failure seems to have happened",
    "spurious network error",
    "Timeout was reached",
    "Cannot allocate memory",
    "you're using offline mode",
];

/// Classifies a failed build by its output: the machine's fault or the version's, with the first lines of the error.
pub(super) fn classify_build_failure(stderr: &str, ending: &str, purpose: BuildPurpose) -> BuildError {
    if let Some(line) = stderr
        .lines()
        .find(|line| MACHINE_FAULTS.iter().any(|fault| line.contains(fault)))
    {
        return BuildError::Machine {
            reason: line.trim().to_owned(),
        };
    }
    let complaint = first_complaint(stderr).or_else(|| last_lines(stderr));
    let mut reason = complaint.unwrap_or_else(|| format!("the build {ending}"));
    if matches!(purpose, BuildPurpose::Probes(_)) {
        // Every location counts there: probes are removed from it before the next attempt.
        for place in places(stderr) {
            reason.push('\n');
            reason.push_str(place);
        }
    }
    BuildError::DoesNotBuild { reason }
}

/// The `--> file:line:column` of each error.
fn places(stderr: &str) -> impl Iterator<Item = &str> {
    let paragraphs = stderr.split("\n\n");
    paragraphs.filter_map(|paragraph| {
        let error = &paragraph[line_start(paragraph, "error")?..];
        error.lines().map(str::trim).find(|line| line.starts_with(PLACE))
    })
}

fn line_start(text: &str, word: &str) -> Option<usize> {
    if text.starts_with(word) {
        return Some(0);
    }
    text.find(&format!("\n{word}"))
}

/// The text before the location of a compiler's error.
pub(crate) const PLACE: &str = "--> ";

/// How lines of a compiler, a linker or a build system say what is wrong; cargo's begin with `error`.
const COMPLAINTS: [&str; 6] = [
    "panicked at",
    ": error:",
    ": fatal error:",
    "CMake Error",
    "ERROR:",
    ": undefined reference to ",
];

/// The last lines of an output in which nothing looks like an error.
fn last_lines(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = (stderr.lines().map(str::trim_end))
        .filter(|line| !line.is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(REASON_LINES)..];
    (!last.is_empty()).then(|| last.join("\n"))
}

fn first_complaint(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
    let is_complaint =
        |line: &&str| line.starts_with("error") || COMPLAINTS.iter().any(|complaint| line.contains(complaint));
    let start = lines.iter().position(is_complaint)?;
    let complaint = lines[start..]
        .iter()
        .take_while(|line| !line.is_empty())
        .take(REASON_LINES);
    let mut kept: Vec<&str> = complaint.copied().collect();
    // Cargo gives the cause in a paragraph of its own.
    let cause = lines[start..].iter().position(|line| *line == "Caused by:");
    if let Some(cause) = cause.filter(|_| !kept.contains(&"Caused by:")) {
        let room = REASON_LINES.saturating_sub(kept.len());
        kept.extend(lines[start + cause + 1..].iter().take(room).map(|line| line.trim()));
    }
    Some(kept.join("\n"))
}

/// The error of a process that builds: an exceeded limit is the version's fault.
pub(super) fn process_error(error: ProcessError) -> BuildError {
    match error {
        ProcessError::TimedOut { .. } => BuildError::DoesNotBuild {
            reason: error.to_string(),
        },
        other => BuildError::Process(other),
    }
}

/// The outcome for a version whose manifest cargo can't read or whose dependencies it can't resolve.
pub(super) fn classify_toolchain_error(error: ToolchainError) -> BuildError {
    match error {
        ToolchainError::Process(error) => process_error(error),
        ToolchainError::Failed {
            ref reason, ref ending, ..
        } => classify_build_failure(reason, ending, BuildPurpose::Costs),
        ToolchainError::Answer { .. } => BuildError::Toolchain(error),
    }
}

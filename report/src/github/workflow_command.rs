//! Annotations into workflow commands, which the runner reads off a step's output, line by line.
//!
//! The grammar is the runner's: `::name key=value,key=value::data`. In data `%` and line ends are escaped, in values `:`
//! and `,` too (`ActionCommand.cs` of actions/runner).

use super::{CheckReportAnnotation, CheckReportLevel};

/// A command a line.
#[must_use]
pub fn workflow_commands(annotations: &[CheckReportAnnotation]) -> String {
    annotations.iter().map(command).collect()
}

fn command(annotation: &CheckReportAnnotation) -> String {
    let level = match annotation.level {
        CheckReportLevel::Notice => "notice",
        CheckReportLevel::Warning => "warning",
        CheckReportLevel::Failure => "error",
    };
    format!(
        "::{level} file={},line={},title={}::{}\n",
        value(&annotation.file),
        annotation.line,
        value(&annotation.title),
        data(&annotation.message)
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn value(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

//! The list that CTest prints → its tests, each with its command.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::benchmark::BenchmarkSubject;
use crate::frameworks::timing::shown;
use crate::frameworks::{FrameworkError, FrameworkProgram, OtherProgram, SingleRun};

/// The part of the list that is read.
#[derive(Deserialize)]
struct TestList {
    tests: Vec<ListedTest>,
}

#[derive(Deserialize)]
struct ListedTest {
    name: String,
    /// None if its program was not built.
    command: Option<Vec<String>>,
    #[serde(default)]
    properties: Vec<TestProperty>,
}

#[derive(Deserialize)]
struct TestProperty {
    name: String,
    value: Value,
}

/// The tests that the options of the command choose, and that are built, enabled and expected to succeed.
pub(super) fn tests(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let asked = ["--show-only=json-v1"];
    let text = program.ask(&asked)?.stdout.text();
    read(&text).ok_or_else(|| FrameworkError::Garbage {
        command: program.invocation(&asked).to_string(),
        reason: format!("it ends with `{}`", shown(&text)),
    })
}

fn read(text: &str) -> Option<Vec<(String, SingleRun)>> {
    let list: TestList = serde_json::from_str(text.get(text.find('{')?..)?).ok()?;
    Some(list.tests.into_iter().filter_map(run_of).collect())
}

fn run_of(test: ListedTest) -> Option<(String, SingleRun)> {
    let property = |name: &str| {
        let mut properties = test.properties.iter();
        properties
            .find(|property| property.name == name)
            .map(|property| &property.value)
    };
    let is_set = |name: &str| property(name).and_then(Value::as_bool) == Some(true);
    if is_set("DISABLED") || is_set("WILL_FAIL") {
        return None;
    }
    let variables = property("ENVIRONMENT").and_then(Value::as_array).into_iter().flatten();
    let variables = variables.filter_map(|variable| variable.as_str()?.split_once('='));
    let environment = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let program = OtherProgram {
        directory: property("WORKING_DIRECTORY").and_then(Value::as_str).map(PathBuf::from),
        environment: environment.collect(),
        path: PathBuf::from(test.command.as_ref()?.first()?),
    };
    let arguments = test.command?.into_iter().skip(1).map(OsString::from).collect();
    let run = SingleRun {
        program: Some(program),
        ..SingleRun::of(arguments, BenchmarkSubject::Process)
    };
    Some((test.name, run))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn tests_have_their_own_commands_folders_and_variables() {
        let test = |name: &str, command: &str, properties: &str| {
            format!("{{\"name\": \"{name}\", {command} \"properties\": [{properties}]}}")
        };
        let property = |name: &str, value: &str| format!("{{\"name\": \"{name}\", \"value\": {value}}}");
        let command = "\"command\": [\"/b/sums\", \"10\"],";
        let all = [
            test("few", command, &property("WORKING_DIRECTORY", "\"/b/data\"")),
            test("many", command, &property("ENVIRONMENT", "[\"SCALE=3\", \"B=a=b\"]")),
            test("off", command, &property("DISABLED", "true")),
            test("fails", command, &property("WILL_FAIL", "true")),
            test("not built", "", ""),
        ];
        let found = read(&format!(
            "note\n{{\"kind\": \"ctestInfo\", \"tests\": [{}]}}",
            all.join(",")
        ))
        .unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["few", "many"]);
        let [few, many] = [0, 1].map(|at| found[at].1.program.as_ref().unwrap());
        assert_eq!(
            (&*few.path, few.directory.as_deref()),
            ("/b/sums".as_ref(), Some("/b/data".as_ref()))
        );
        assert_eq!(found[0].1.arguments, ["10"]);
        assert_eq!(many.directory, None);
        let variables = [("SCALE", "3"), ("B", "a=b")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(many.environment, variables);
        for garbage in ["", "no list", "{}", "{\"tests\": 3}"] {
            assert!(read(garbage).is_none(), "{garbage}");
        }
    }
}

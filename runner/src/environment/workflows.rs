//! Workflows of GitHub Actions in a repository → whether the jobs that use lito have exactly the permissions that they
//! need.

use std::fs;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode as _, Yaml};

use super::{EnvironmentFinding, FindingSeverity};

/// Folder in which GitHub searches for workflows.
const FOLDER: &str = ".github/workflows";

/// Largest workflow file that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;

const TOPIC: &str = "workflows";

/// Permissions of a job that each use of the action needs.
const NEEDED: [(&str, &[(&str, WorkflowAccess)]); 4] = [
    ("gate", &[("contents", WorkflowAccess::Read)]),
    ("sample", &[("contents", WorkflowAccess::Read)]),
    ("store", &[("contents", WorkflowAccess::Write)]),
    (
        "post",
        &[
            ("actions", WorkflowAccess::Read),
            ("checks", WorkflowAccess::Write),
            ("contents", WorkflowAccess::Read),
            ("pull-requests", WorkflowAccess::Write),
        ],
    ),
];

/// Uses that run code of a pull request, or of the repository.
const RUN_CODE: [&str; 2] = ["gate", "sample"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WorkflowAccess {
    None,
    Read,
    Write,
}

/// Checks the workflows; returns nothing if there are none.
#[must_use]
pub fn check_workflows(repository: &Path) -> Vec<EnvironmentFinding> {
    let Ok(entries) = fs::read_dir(repository.join(FOLDER)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = (entries.filter_map(Result::ok))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "yml" || end == "yaml"))
        .collect();
    files.sort();
    let mut uses = 0;
    let mut findings = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match of_file(&file, &name) {
            Ok((found, wrong)) => {
                uses += found;
                findings.extend(wrong);
            }
            Err(why) => findings.push(EnvironmentFinding::bad(
                TOPIC,
                FindingSeverity::Warning,
                format!("{name} can't be read: {why}"),
                "correct it; GitHub does not run it either",
            )),
        }
    }
    match (uses, findings.is_empty()) {
        (0, true) => findings.push(EnvironmentFinding::bad(
            TOPIC,
            FindingSeverity::Warning,
            "no workflow uses lito",
            "lito init",
        )),
        (_, true) => findings.push(EnvironmentFinding::good(
            TOPIC,
            "the jobs that use lito have exactly the permissions that they need",
        )),
        (_, false) => {}
    }
    findings
}

/// Number of jobs in a workflow that use lito, and the findings on them.
fn of_file(file: &Path, name: &str) -> Result<(usize, Vec<EnvironmentFinding>), String> {
    let size = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > FILE_LIMIT {
        return Err(format!("it is larger than {FILE_LIMIT} bytes"));
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    of_text(&text, name)
}

fn of_text(text: &str, name: &str) -> Result<(usize, Vec<EnvironmentFinding>), String> {
    let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
    let Some(workflow) = documents.first() else {
        return Ok((0, Vec::new()));
    };
    let jobs = workflow.as_mapping_get("jobs").and_then(Yaml::as_mapping);
    let (mut uses, mut findings) = (0, Vec::new());
    for (job, content) in jobs.into_iter().flatten() {
        let job = job.as_str().unwrap_or_default();
        let place = format!("{name}, job {job}");
        let permissions = content
            .as_mapping_get("permissions")
            .or_else(|| workflow.as_mapping_get("permissions"));
        let steps = content.as_mapping_get("steps").and_then(Yaml::as_sequence);
        for step in steps.into_iter().flatten() {
            let Some((action, run)) = use_of_lito(step) else {
                continue;
            };
            uses += 1;
            findings.extend(judged(&place, action, run, permissions));
        }
    }
    Ok((uses, findings))
}

/// The action and its `run` argument, if a step uses lito's action.
fn use_of_lito<'a>(step: &'a Yaml<'_>) -> Option<(&'a str, &'a str)> {
    let action = step.as_mapping_get("uses")?.as_str()?;
    let name = action.split('@').next()?;
    (name.rsplit('/').next() == Some("lito")).then_some(())?;
    let run = (step.as_mapping_get("with"))
        .and_then(|with| with.as_mapping_get("run")?.as_str())
        .unwrap_or("gate");
    Some((action, run))
}

fn judged(place: &str, action: &str, run: &str, permissions: Option<&Yaml<'_>>) -> Vec<EnvironmentFinding> {
    let mut findings = Vec::new();
    let mut warn = |message: String, remedy: String| {
        findings.push(EnvironmentFinding::bad(
            TOPIC,
            FindingSeverity::Warning,
            message,
            remedy,
        ));
    };
    if !is_pinned(action) {
        warn(
            format!("{place}: `{action}` is not pinned to a commit"),
            String::from("refer to the action by the 40 digits of a commit"),
        );
    }
    let Some((_, needed)) = NEEDED.iter().find(|(name, _)| *name == run) else {
        warn(
            format!("{place}: `run: {run}` is not a command of the action"),
            String::from("use gate, sample, store or post"),
        );
        return findings;
    };
    let Some(permissions) = permissions else {
        warn(
            format!("{place} has no permissions of its own, so the repository's default applies"),
            format!("give it `permissions:` with {}", listed(needed)),
        );
        return findings;
    };
    let missing: Vec<(&str, WorkflowAccess)> = (needed.iter().copied())
        .filter(|(scope, access)| given(permissions, scope) < *access)
        .collect();
    if !missing.is_empty() {
        warn(
            format!("{place} lacks permissions that `{run}` needs"),
            format!("add {} to its permissions", listed(&missing)),
        );
    }
    if RUN_CODE.contains(&run) && may_write(permissions) {
        warn(
            format!("{place} runs the code that it measures, and has write permissions"),
            String::from("give it `contents: read` only; other jobs post and store its results"),
        );
    }
    findings
}

fn is_pinned(action: &str) -> bool {
    // An action in the repository itself changes together with it.
    let commit = action.split_once('@').map(|(_, commit)| commit);
    action.starts_with("./")
        || commit.is_some_and(|commit| commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn given(permissions: &Yaml<'_>, scope: &str) -> WorkflowAccess {
    if let Some(all) = permissions.as_str() {
        return access(all.strip_suffix("-all").unwrap_or_default());
    }
    permissions
        .as_mapping_get(scope)
        .and_then(Yaml::as_str)
        .map_or(WorkflowAccess::None, access)
}

fn may_write(permissions: &Yaml<'_>) -> bool {
    permissions.as_str() == Some("write-all")
        || (permissions.as_mapping().into_iter().flatten()).any(|(_, level)| level.as_str() == Some("write"))
}

fn access(text: &str) -> WorkflowAccess {
    match text {
        "write" => WorkflowAccess::Write,
        "read" => WorkflowAccess::Read,
        _ => WorkflowAccess::None,
    }
}

fn listed(permissions: &[(&str, WorkflowAccess)]) -> String {
    let each = permissions.iter().map(|(scope, access)| {
        let access = if *access == WorkflowAccess::Write {
            "write"
        } else {
            "read"
        };
        format!("`{scope}: {access}`")
    });
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PINNED: &str = "example/lito@0123456789012345678901234567890123456789";

    /// Messages of the findings on a workflow with one job.
    fn said(permissions: &str, action: &str, run: &str) -> Vec<String> {
        let text = format!(
            "on: pull_request\njobs:\n  it:\n    {permissions}\n    steps:\n      - uses: actions/checkout@v7\n      \
             - uses: {action}\n        with:\n          run: {run}\n"
        );
        let (uses, findings) = of_text(&text, "w.yml").unwrap();
        assert_eq!(uses, 1);
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn what_lito_writes_is_as_it_should_be() {
        let templates = [
            (include_str!("../../../config/workflows/lito.yml"), 1),
            (include_str!("../../../config/workflows/lito-report.yml"), 2),
            (include_str!("../../../config/workflows/lito-sample.yml"), 2),
        ];
        for (template, jobs) in templates {
            let text = template.replace("uses: ACTION", &format!("uses: {PINNED}"));
            assert_eq!(of_text(&text, "w.yml").unwrap(), (jobs, Vec::new()));
        }
    }

    #[test]
    fn a_missing_permission_is_reported() {
        let said = said("permissions: {contents: read, checks: write}", PINNED, "post");
        assert_eq!(said, ["w.yml, job it lacks permissions that `post` needs"]);
        let none = "permissions: {}";
        let text = format!("{none}\njobs:\n  it:\n    steps:\n      - uses: {PINNED}\n");
        let (_, findings) = of_text(&text, "w.yml").unwrap();
        assert_eq!(
            findings[0].remedy.as_deref(),
            Some("add `contents: read` to its permissions")
        );
    }

    #[test]
    fn code_that_is_measured_must_not_write() {
        for permissions in ["permissions: write-all", "permissions: {contents: read, checks: write}"] {
            let said = said(permissions, PINNED, "gate");
            assert_eq!(
                said,
                ["w.yml, job it runs the code that it measures, and has write permissions"]
            );
        }
    }

    #[test]
    fn a_tag_does_not_pin_an_action() {
        let said = said("permissions: {contents: read}", "example/lito@v1", "gate");
        assert_eq!(said, ["w.yml, job it: `example/lito@v1` is not pinned to a commit"]);
    }

    #[test]
    fn a_job_without_permissions_is_reported() {
        let said = said("runs-on: x", PINNED, "gate");
        assert!(said[0].contains("no permissions of its own"), "{said:?}");
    }

    #[test]
    fn workflows_without_lito_are_ignored_and_broken_ones_are_errors() {
        assert_eq!(of_text("on: push\njobs: {}\n", "w.yml").unwrap(), (0, Vec::new()));
        assert_eq!(of_text("", "w.yml").unwrap(), (0, Vec::new()));
        assert!(of_text("a: [", "w.yml").is_err());
    }
}

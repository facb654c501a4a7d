//! `lito doctor`: the repository, the settings, the tools and the benchmarks into findings, each with its
//! remedy. Builds nothing and changes nothing.

use std::path::Path;

use report::findings::{self, Finding, State};
use runner::build::Cache;
use runner::environment::{self, Severity};
use runner::git::Repository;
use runner::store::Store;

use super::interruption;
use crate::cli::Format;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use engine::EngineError;
use engine::settings::{FILE, Settings};

/// Looks at everything; the exit code says whether anything that lito needs is missing.
pub(super) fn run(directory: &Path, format: Format, terminal: &Terminal) -> Result<Exit, Failure> {
    let repository = Repository::open(directory)?;
    let mut findings = vec![of_repository(&repository)];
    if let Some(root) = repository.workdir() {
        let settings = match Settings::read(root) {
            Ok(settings) => {
                findings.push(of_settings(root));
                settings
            }
            Err(EngineError::Request(message) | EngineError::Environment(message)) => {
                findings.push(Finding {
                    subject: String::from("settings"),
                    state: State::Bad,
                    seen: message.lines().next().unwrap_or_default().to_owned(),
                    remedy: Some(format!("mend {FILE}; `lito schema` says what may stand there")),
                });
                Settings::default()
            }
            Err(EngineError::Interrupted) => return Err(Failure::Interrupted),
        };
        findings.push(of_store(&repository, &settings));
        let cache = Cache::of_repository(root).map_err(Failure::environment)?;
        let seen = environment::findings(root, cache.root(), &interruption()?);
        let workflows = environment::workflows(root);
        findings.extend(seen.into_iter().chain(workflows).map(of_environment));
    }
    terminal.print(&match format {
        Format::Human => findings::human(&findings),
        Format::Json => findings::json(&findings),
        Format::Markdown => findings::markdown(&findings),
    })?;
    let missing = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if missing { Exit::Environment } else { Exit::Passed })
}

fn of_repository(repository: &Repository) -> Finding {
    let place = repository.workdir().unwrap_or(repository.common_dir()).display();
    let finding = |state, seen, remedy: Option<&str>| Finding {
        subject: String::from("repository"),
        state,
        seen,
        remedy: remedy.map(str::to_owned),
    };
    if repository.is_shallow() {
        let seen = format!("{place}, a shallow clone: what lies before its end is out of sight");
        return finding(
            State::Warning,
            seen,
            Some("git fetch --unshallow (for actions/checkout: fetch-depth: 0)"),
        );
    }
    if repository.is_bare() {
        let seen = format!("{place}, bare: versions can be scored, but not sampled");
        return finding(State::Warning, seen, Some("sample in a clone"));
    }
    finding(State::Good, place.to_string(), None)
}

fn of_settings(root: &Path) -> Finding {
    let seen = if root.join(FILE).exists() {
        String::from(FILE)
    } else {
        format!("no {FILE}, so the defaults; `lito init` writes one")
    };
    Finding {
        subject: String::from("settings"),
        state: State::Good,
        seen,
        remedy: None,
    }
}

fn of_store(repository: &Repository, settings: &Settings) -> Finding {
    let finding = |state, seen, remedy: Option<&str>| Finding {
        subject: String::from("store"),
        state,
        seen,
        remedy: remedy.map(str::to_owned),
    };
    let found = Store::open(repository, &settings.store.url).and_then(|store| store.samples());
    match found {
        Err(error) => finding(State::Bad, error.to_string(), None),
        Ok(found) if !found.set_aside.is_empty() => {
            let seen = format!("{} of its records cannot be read", found.set_aside.len());
            finding(State::Warning, seen, Some("lito store verify"))
        }
        Ok(found) if found.samples.is_empty() => finding(
            State::Warning,
            String::from("no sample yet"),
            Some("lito sample --last 100"),
        ),
        Ok(found) => finding(State::Good, report::number::of(found.samples.len(), "sample"), None),
    }
}

fn of_environment(found: environment::Finding) -> Finding {
    Finding {
        subject: found.topic.to_owned(),
        state: match found.severity {
            Severity::Good => State::Good,
            Severity::Warning => State::Warning,
            Severity::Error => State::Bad,
        },
        seen: found.message,
        remedy: found.remedy,
    }
}

//! `lito doctor`: the repository, the tools, the settings and the benchmarks into findings, each with its
//! remedy. Builds nothing and changes nothing.

use std::path::Path;
use std::time::Duration;

use report::findings::{self, Finding, State};
use runner::benchmark::{Adapter, Definition};
use runner::git::Repository;
use runner::process::{self, Interruption, Invocation};
use runner::toolchain;

use super::interruption;
use crate::cli::Format;
use crate::exit::{Exit, Failure};
use crate::settings::{FILE, Settings};
use crate::terminal::Terminal;

/// How long a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// Looks at everything, and fails where something is missing.
pub(super) fn run(directory: &Path, format: Format, terminal: &Terminal) -> Result<Exit, Failure> {
    let interruption = interruption()?;
    let mut findings = Vec::new();
    let repository = match Repository::open(directory) {
        Ok(repository) => {
            findings.push(of_repository(&repository));
            Some(repository)
        }
        Err(error) => {
            findings.push(bad("repository", error.to_string(), None));
            None
        }
    };
    findings.push(of_compiler(directory, &interruption));
    findings.push(of_valgrind(directory, &interruption));
    if let Some(root) = repository.as_ref().and_then(Repository::workdir) {
        match Settings::read(root) {
            Ok(settings) => {
                findings.push(of_settings(root));
                findings.extend(of_benchmarks(root, &settings, &interruption));
            }
            Err(Failure::Usage(message) | Failure::Environment(message)) => {
                let first = message.lines().next().unwrap_or_default().to_owned();
                findings.push(bad(
                    "settings",
                    first,
                    Some("lito schema has what may stand there"),
                ));
            }
            Err(other) => return Err(other),
        }
    }
    let text = match format {
        Format::Human => findings::human(&findings),
        Format::Json => findings::json(&findings),
        Format::Markdown => findings::markdown(&findings),
    };
    terminal.print(&text)?;
    let missing = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if missing {
        Exit::Environment
    } else {
        Exit::Passed
    })
}

fn of_repository(repository: &Repository) -> Finding {
    let place = repository
        .workdir()
        .unwrap_or(repository.common_dir())
        .display();
    if repository.is_shallow() {
        return Finding {
            subject: String::from("repository"),
            state: State::Warning,
            seen: format!("{place}, a shallow clone: versions beyond its end cannot be scored"),
            remedy: Some(String::from(
                "git fetch --unshallow (for actions/checkout: fetch-depth: 0)",
            )),
        };
    }
    if repository.is_bare() {
        return good(
            "repository",
            format!("{place}, bare: versions can be scored, not sampled"),
        );
    }
    good("repository", place.to_string())
}

fn of_compiler(directory: &Path, interruption: &Interruption) -> Finding {
    match toolchain::compiler(directory, interruption) {
        Ok(compiler) => good("compiler", compiler.version),
        Err(error) => bad(
            "compiler",
            error.to_string(),
            Some("install a Rust toolchain with rustup"),
        ),
    }
}

fn of_valgrind(directory: &Path, interruption: &Interruption) -> Finding {
    let invocation = Invocation::new("valgrind", directory, VERSION_LIMIT).arguments(["--version"]);
    match process::run(&invocation, interruption) {
        Ok(finished) if finished.status.success() => {
            good("valgrind", finished.stdout.text().trim().to_owned())
        }
        Ok(finished) => bad(
            "valgrind",
            format!("`valgrind --version` {}", finished.ending()),
            Some(INSTALL_VALGRIND),
        ),
        Err(_) => bad(
            "valgrind",
            String::from("not found: samples cannot be taken"),
            Some(INSTALL_VALGRIND),
        ),
    }
}

const INSTALL_VALGRIND: &str = "sudo apt-get install valgrind";

fn of_settings(root: &Path) -> Finding {
    if root.join(FILE).exists() {
        good("settings", String::from(FILE))
    } else {
        good(
            "settings",
            format!("the defaults; `lito init` writes a {FILE} to change them"),
        )
    }
}

fn of_benchmarks(root: &Path, settings: &Settings, interruption: &Interruption) -> Vec<Finding> {
    if settings.benchmarks.is_empty() {
        return vec![of_targets(root, interruption)];
    }
    settings
        .benchmarks
        .iter()
        .map(|definition| of_definition(root, definition))
        .collect()
}

/// What is there without lito.toml: bench targets, or unit tests.
fn of_targets(root: &Path, interruption: &Interruption) -> Finding {
    let workspace =
        match toolchain::workspace(root, &std::collections::BTreeMap::new(), interruption) {
            Ok(workspace) => workspace,
            Err(error) => {
                return bad(
                    "benchmarks",
                    error.to_string(),
                    Some("name a command in lito.toml: `lito init` has an example"),
                );
            }
        };
    let mut targets: Vec<&str> = workspace
        .packages
        .iter()
        .flat_map(|package| package.targets_of("bench"))
        .map(|target| target.name.as_str())
        .collect();
    targets.sort_unstable();
    if targets.is_empty() {
        return Finding {
            subject: String::from("benchmarks"),
            state: State::Warning,
            seen: String::from("no bench target: the unit tests serve as benchmarks"),
            remedy: Some(String::from(
                "lito bench list shows them; write benchmarks for what must stay fast",
            )),
        };
    }
    good(
        "benchmarks",
        format!("bench targets: {}", targets.join(", ")),
    )
}

fn of_definition(root: &Path, definition: &Definition) -> Finding {
    let what = match (&definition.harness, definition.adapter) {
        (Some(harness), _) if !root.join(harness).join("Cargo.toml").exists() => {
            let seen = format!(
                "harness {}: it has no Cargo.toml",
                root.join(harness).display()
            );
            return bad(
                "benchmarks",
                seen,
                Some("`harness` in lito.toml is relative to the repository's root"),
            );
        }
        (Some(harness), adapter) => {
            format!("{} in the harness {}", adapter.name(), harness.display())
        }
        (None, Adapter::Command) => {
            format!("command {}", definition.name.as_deref().unwrap_or_default())
        }
        (None, adapter) => adapter.name().to_owned(),
    };
    good("benchmarks", what)
}

fn good(subject: &str, seen: String) -> Finding {
    Finding {
        subject: subject.to_owned(),
        state: State::Good,
        seen,
        remedy: None,
    }
}

fn bad(subject: &str, seen: String, remedy: Option<&str>) -> Finding {
    Finding {
        subject: subject.to_owned(),
        state: State::Bad,
        seen,
        remedy: remedy.map(str::to_owned),
    }
}

//! `lito doctor`: the repository, the settings, the tools and the benchmarks into findings, each with its
//! remedy. Builds nothing and changes nothing.

use std::path::Path;

use report::doctor::{self, DoctorFinding, DoctorFindingState};
use runner::build::RepositoryCache;
use runner::environment::{self, EnvironmentFinding, FindingSeverity};
use runner::git::{GitEntry, GitEntryKind, Repository};
use runner::store::Store;

use super::interruption;
use crate::cli::OutputFormat;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::EngineError;
use engine::coverage::coverage_at;
use engine::settings::{FILE, Settings};

/// The subject of the finding about lito.toml.
const SETTINGS: &str = "settings";

/// Looks at everything; the exit code says whether anything that lito needs is missing.
pub(super) fn run(directory: &Path, format: OutputFormat, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let repository = Repository::open(directory)?;
    let mut findings = vec![of_repository(&repository)];
    if let Some(root) = repository.workdir() {
        let settings = match Settings::read(root) {
            Ok(settings) => {
                findings.push(of_settings(root));
                settings
            }
            Err(EngineError::Request(message) | EngineError::Environment(message)) => {
                findings.push(DoctorFinding {
                    subject: String::from(SETTINGS),
                    state: DoctorFindingState::Bad,
                    seen: message,
                    remedy: Some(format!("mend {FILE}; `lito schema` says what may stand there")),
                });
                Settings::default()
            }
            Err(EngineError::Interrupted) => return Err(Failure::Interrupted),
        };
        findings.extend(of_submodules(&repository));
        findings.push(of_store(&repository, &settings));
        findings.extend(of_coverage(&repository, &settings));
        let cache = RepositoryCache::of_repository(root).map_err(Failure::environment)?;
        let commands = of_commands(&settings);
        let mut seen = environment::check_environment(root, cache.root(), &interruption()?);
        // Cargo has nothing to say of them, and they may do without it.
        let is_of_cargo = |finding: &EnvironmentFinding| {
            finding.topic == environment::BENCHMARKS
                || environment::OF_RUST.contains(&finding.topic) && finding.severity == FindingSeverity::Error
        };
        seen.retain(|finding| commands.is_none() || !is_of_cargo(finding));
        let workflows = environment::check_workflows(root);
        let of_machine = seen.into_iter().chain(workflows).map(of_environment);
        findings.extend(of_machine.chain(commands));
    }
    terminal.print(&match format {
        OutputFormat::Human => doctor::human(&findings),
        OutputFormat::Json => doctor::json(&findings),
        OutputFormat::Markdown => doctor::markdown(&findings),
    })?;
    Ok(exit_of_findings(&findings))
}

/// Whether something that lito needs is missing on the machine, or only files of the repository are at fault.
fn exit_of_findings(findings: &[DoctorFinding]) -> CommandExit {
    let broken: Vec<&str> = (findings.iter())
        .filter(|finding| finding.state == DoctorFindingState::Bad)
        .map(|finding| finding.subject.as_str())
        .collect();
    let is_in_the_repository = |subject: &&str| [SETTINGS, environment::BENCHMARKS].contains(subject);
    match broken.as_slice() {
        [] => CommandExit::Passed,
        broken if broken.iter().all(is_in_the_repository) => CommandExit::Usage,
        _ => CommandExit::Environment,
    }
}

fn of_repository(repository: &Repository) -> DoctorFinding {
    let place = repository.workdir().unwrap_or(repository.common_dir()).display();
    let finding = |state, seen, remedy: Option<&str>| DoctorFinding {
        subject: String::from("repository"),
        state,
        seen,
        remedy: remedy.map(str::to_owned),
    };
    if repository.is_shallow() {
        let seen = format!("{place}, a shallow clone: older history is not available");
        return finding(
            DoctorFindingState::Warning,
            seen,
            Some("git fetch --unshallow (for actions/checkout: fetch-depth: 0)"),
        );
    }
    if let Some(remote) = repository.promisor() {
        let seen = format!("{place}, a partial clone: files of other versions may be missing");
        let remedy = format!("git fetch --refetch --no-filter {remote} (for actions/checkout: no filter)");
        return finding(DoctorFindingState::Warning, seen, Some(&remedy));
    }
    if repository.is_bare() {
        let seen = format!("{place}, bare: versions can be scored, but not sampled");
        return finding(DoctorFindingState::Warning, seen, Some("sample in a clone"));
    }
    finding(DoctorFindingState::Good, place.to_string(), None)
}

/// The submodules of HEAD that are not here; `None` if all are.
fn of_submodules(repository: &Repository) -> Option<DoctorFinding> {
    let files = repository.paths(repository.resolve("HEAD").ok()?).ok()?;
    let is_missing = |entry: &GitEntry| entry.kind == GitEntryKind::Submodule;
    let missing = files.iter().filter(|(_, entry)| is_missing(entry));
    let missing: Vec<_> = missing.map(|(path, _)| path.lossy()).collect();
    (!missing.is_empty()).then(|| DoctorFinding {
        subject: String::from("submodules"),
        state: DoctorFindingState::Warning,
        seen: format!("not here, and empty in builds: {}", missing.join(", ")),
        remedy: Some(String::from("git submodule update --init --recursive")),
    })
}

fn of_settings(root: &Path) -> DoctorFinding {
    let seen = if root.join(FILE).exists() {
        String::from(FILE)
    } else {
        format!("no {FILE}, so the defaults; `lito init` writes one")
    };
    DoctorFinding {
        subject: String::from(SETTINGS),
        state: DoctorFindingState::Good,
        seen,
        remedy: None,
    }
}

/// The benchmarks of a repository that names commands alone; `None` for any other.
fn of_commands(settings: &Settings) -> Option<DoctorFinding> {
    let tables = &settings.benchmarks;
    tables.are_commands().then(|| DoctorFinding {
        subject: String::from(environment::BENCHMARKS),
        state: DoctorFindingState::Good,
        seen: format!(
            "{} in {FILE}",
            report::number_format::counted_noun(tables.len(), "command")
        ),
        remedy: None,
    })
}

fn of_store(repository: &Repository, settings: &Settings) -> DoctorFinding {
    let finding = |state, seen, remedy: Option<&str>| DoctorFinding {
        subject: String::from("store"),
        state,
        seen,
        remedy: remedy.map(str::to_owned),
    };
    let found = Store::open(repository, &settings.store.url).and_then(|store| store.samples());
    match found {
        Err(error) => finding(DoctorFindingState::Bad, error.to_string(), None),
        Ok(found) if !found.set_aside.is_empty() => {
            let seen = format!("{} of its records cannot be read", found.set_aside.len());
            finding(DoctorFindingState::Warning, seen, Some("lito store verify"))
        }
        Ok(found) if found.samples.is_empty() => finding(
            DoctorFindingState::Warning,
            String::from("no sample yet"),
            Some("lito sample --last 100"),
        ),
        Ok(found) => finding(
            DoctorFindingState::Good,
            report::number_format::counted_noun(found.samples.len(), "sample"),
            None,
        ),
    }
}

/// How much of the code the benchmarks of the newest sample execute; `None` where there is no sample.
fn of_coverage(repository: &Repository, settings: &Settings) -> Option<DoctorFinding> {
    let found = || {
        let store = Store::open(repository, &settings.store.url)?;
        coverage_at(repository, &store, repository.resolve("HEAD")?)
    };
    // A store that cannot be read is a finding of its own.
    let (sample, coverage) = found().ok().flatten()?;
    let packages = coverage.packages();
    let unreached = packages.iter().any(|package| package.executed == 0);
    Some(DoctorFinding {
        subject: String::from("coverage"),
        state: if unreached {
            DoctorFindingState::Warning
        } else {
            DoctorFindingState::Good
        },
        seen: report::coverage::finding(&coverage, sample.benchmarks.len()),
        remedy: unreached.then(|| String::from("lito bench coverage")),
    })
}

fn of_environment(found: environment::EnvironmentFinding) -> DoctorFinding {
    DoctorFinding {
        subject: found.topic.to_owned(),
        state: match found.severity {
            FindingSeverity::Good => DoctorFindingState::Good,
            FindingSeverity::Warning => DoctorFindingState::Warning,
            FindingSeverity::Error => DoctorFindingState::Bad,
        },
        seen: found.message,
        remedy: found.remedy,
    }
}

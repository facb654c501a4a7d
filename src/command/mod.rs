//! The commands, one file each: arguments and settings → a result on the standard output.

mod bench;
mod bisect;
mod cache;
mod compare;
mod completions;
mod demo;
mod doctor;
mod draft;
mod evaluate;
mod executor;
mod gate;
mod import;
mod init;
mod man;
mod measure;
mod post;
mod sample;
mod sampling_job;
mod schema;
mod score;
mod selftest;
mod store;
mod study_tasks;
mod track;
mod verdict_answer;

use std::path::Path;

use analyzer::change::is_build_input;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;

use crate::cli::{BenchCommand, CliArguments, CliCommand};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::settings::Settings;

/// Runs the command.
pub(crate) fn run(arguments: &CliArguments) -> Result<CommandExit, Failure> {
    let terminal = Terminal::new(arguments.terminal);
    match &arguments.command {
        CliCommand::Init(init) => init::run(&arguments.repo, init, &terminal),
        CliCommand::Doctor(output) => doctor::run(&arguments.repo, output.format, &terminal),
        CliCommand::Bench(BenchCommand::List(list)) => {
            let (repository, settings) = opened(&arguments.repo)?;
            bench::list(&repository, &settings, list, &terminal)
        }
        CliCommand::Bench(BenchCommand::Coverage(coverage)) => {
            let (repository, settings) = opened(&arguments.repo)?;
            bench::coverage(&repository, &settings, coverage, &terminal)
        }
        CliCommand::Sample(sample) => {
            let (repository, settings) = opened(&arguments.repo)?;
            sample::run(&repository, &settings, sample, &terminal)
        }
        CliCommand::Score(score) => {
            let (repository, settings) = opened(&arguments.repo)?;
            score::run(&repository, &settings, score, &terminal)
        }
        CliCommand::Measure(measure) => {
            let (repository, settings) = opened(&arguments.repo)?;
            measure::run(&repository, &settings, measure, &terminal)
        }
        CliCommand::Gate(gate) => {
            let (repository, settings) = opened(&arguments.repo)?;
            gate::run(&repository, &settings, gate, &terminal)
        }
        CliCommand::Post(post) => post::run(&arguments.repo, post, &terminal),
        CliCommand::Track(track) => {
            let (repository, settings) = opened(&arguments.repo)?;
            track::run(&repository, &settings, track, &terminal)
        }
        CliCommand::Bisect(bisect) => {
            let (repository, settings) = opened(&arguments.repo)?;
            bisect::run(&repository, &settings, bisect, &terminal)
        }
        CliCommand::Compare(compare) if compare.folded => compare::run_folded(compare, &terminal),
        CliCommand::Compare(compare) => {
            let (repository, settings) = opened(&arguments.repo)?;
            compare::run(&repository, &settings, compare, &terminal)
        }
        CliCommand::Selftest(selftest) => {
            let (repository, settings) = opened(&arguments.repo)?;
            selftest::run(&repository, &settings, selftest, &terminal)
        }
        CliCommand::Evaluate(evaluate) => evaluate::run(&arguments.repo, evaluate, &terminal),
        CliCommand::Store(store) => {
            let (repository, settings) = opened(&arguments.repo)?;
            store::run(&repository, &settings, store, &terminal)
        }
        CliCommand::Cache(cache) => cache::run(&Repository::open(&arguments.repo)?, cache, &terminal),
        CliCommand::Import(import) => import::run(import, &terminal),
        CliCommand::Demo(demo) => demo::run(demo, &terminal),
        CliCommand::Completions { shell } => completions::run(*shell, &terminal),
        CliCommand::Man { dir } => man::run(dir, &terminal),
        CliCommand::Schema { name } => schema::run(*name, &terminal),
    }
}

/// Opens the repository and reads its settings. A bare repository has the defaults.
fn opened(directory: &Path) -> Result<(Repository, Settings), Failure> {
    let repository = Repository::open(directory)?;
    let settings = match repository.workdir() {
        Some(root) => Settings::read(root)?,
        None => Settings::default(),
    };
    Ok((repository, settings))
}

/// The working copy of the repository.
fn checkout<'a>(repository: &'a Repository, attempt: &str) -> Result<&'a Path, Failure> {
    repository.workdir().ok_or_else(|| {
        Failure::usage(format_args!(
            "{attempt}: {}: it is a bare repository and cannot be built; run this in a clone",
            repository.common_dir().display()
        ))
    })
}

/// Notes which changes of the checkout are not judged, where HEAD is.
fn note_uncommitted(repository: &Repository, head: CommitId, terminal: &Terminal) {
    if repository.resolve("HEAD").ok() != Some(head) {
        return;
    }
    // A checkout that cannot be read does not keep anybody from judging commits.
    let changed = repository.uncommitted_changes().unwrap_or_default();
    let paths = changed.iter().map(|path| path.lossy().into_owned());
    let sources: Vec<String> = paths.filter(|path| is_build_input(path)).collect();
    if let Some(note) = report::score::uncommitted_note(&sources) {
        terminal.note(&note);
    }
}

/// The flag that Ctrl-C raises, for commands that start processes.
fn interruption() -> Result<InterruptionFlag, Failure> {
    InterruptionFlag::on_signals()
        .map_err(|error| Failure::environment(format_args!("watching for Ctrl-C: {error}; try again")))
}

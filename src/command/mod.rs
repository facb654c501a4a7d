//! The commands, one file each: arguments and settings in, a result on the standard output.

mod bench;
mod compare;
mod completions;
mod demo;
mod doctor;
mod evaluate;
mod gate;
mod import;
mod init;
mod man;
mod measure;
mod post;
mod sample;
mod schema;
mod score;
mod selftest;
mod store;
mod track;
mod verdict;

use std::path::Path;

use runner::git::Repository;
use runner::process::Interruption;

use crate::cli::{Arguments, BenchCommand, Command, ImportCommand};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use engine::settings::Settings;

/// Runs what was typed.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let terminal = Terminal::new(arguments.terminal);
    match &arguments.command {
        Command::Init(init) => init::run(&arguments.repo, init, &terminal),
        Command::Doctor(output) => doctor::run(&arguments.repo, output.format, &terminal),
        Command::Bench(BenchCommand::List(output)) => {
            let (repository, settings) = opened(&arguments.repo)?;
            bench::list(&repository, &settings, output.format, &terminal)
        }
        Command::Sample(sample) => {
            let (repository, settings) = opened(&arguments.repo)?;
            sample::run(&repository, &settings, sample, &terminal)
        }
        Command::Score(score) => {
            let (repository, settings) = opened(&arguments.repo)?;
            score::run(&repository, &settings, score, &terminal)
        }
        Command::Measure(measure) => {
            let (repository, settings) = opened(&arguments.repo)?;
            measure::run(&repository, &settings, measure, &terminal)
        }
        Command::Gate(gate) => {
            let (repository, settings) = opened(&arguments.repo)?;
            gate::run(&repository, &settings, gate, &terminal)
        }
        Command::Post(post) => post::run(&arguments.repo, post, &terminal),
        Command::Track(track) => {
            let (repository, settings) = opened(&arguments.repo)?;
            track::run(&repository, &settings, track, &terminal)
        }
        Command::Compare(compare) if compare.folded => compare::run_folded(compare, &terminal),
        Command::Compare(compare) => {
            let (repository, settings) = opened(&arguments.repo)?;
            compare::run(&repository, &settings, compare, &terminal)
        }
        Command::Selftest(selftest) => {
            let (repository, settings) = opened(&arguments.repo)?;
            selftest::run(&repository, &settings, selftest, &terminal)
        }
        Command::Evaluate(evaluate) => evaluate::run(&arguments.repo, evaluate, &terminal),
        Command::Store(store) => {
            let (repository, settings) = opened(&arguments.repo)?;
            store::run(&repository, &settings, store, &terminal)
        }
        Command::Import(ImportCommand::Crate(import)) => import::run(import, &terminal),
        Command::Demo(demo) => demo::run(demo, &terminal),
        Command::Completions { shell } => completions::run(*shell, &terminal),
        Command::Man { dir } => man::run(dir, &terminal),
        Command::Schema => schema::run(&terminal),
    }
}

/// The repository with its settings; a bare one has the defaults.
fn opened(directory: &Path) -> Result<(Repository, Settings), Failure> {
    let repository = Repository::open(directory)?;
    let settings = match repository.workdir() {
        Some(root) => Settings::read(root)?,
        None => Settings::default(),
    };
    Ok((repository, settings))
}

/// The folder that the repository is checked out in.
fn checkout<'a>(repository: &'a Repository, attempt: &str) -> Result<&'a Path, Failure> {
    repository.workdir().ok_or_else(|| {
        Failure::usage(format_args!(
            "{attempt}: {}: it is a bare repository, so nothing can be built; run this in a clone",
            repository.common_dir().display()
        ))
    })
}

/// The flag that Ctrl-C raises, for commands that start processes.
fn interruption() -> Result<Interruption, Failure> {
    Interruption::on_signals()
        .map_err(|error| Failure::environment(format_args!("watching for Ctrl-C: {error}; try again")))
}

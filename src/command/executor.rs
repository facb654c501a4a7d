//! The executor that `--executor` names, and the program that its tasks run.

use std::path::PathBuf;

use runner::executors::Executor;
use runner::executors::local::LocalExecutor;
use runner::executors::slurm::SlurmExecutor;

use crate::cli::ExecutorArgument;
use crate::exit::Failure;

/// The executor of this name.
pub(super) fn of(name: ExecutorArgument, options: &[String]) -> Box<dyn Executor> {
    match name {
        ExecutorArgument::Local => Box::new(LocalExecutor::default()),
        ExecutorArgument::Slurm => Box::new(slurm(options)),
    }
}

/// A Slurm cluster with these options of `sbatch`.
pub(super) fn slurm(options: &[String]) -> SlurmExecutor {
    SlurmExecutor {
        options: options.to_vec(),
    }
}

/// Refuses options that an executor does not have.
pub(super) fn check(name: ExecutorArgument, options: &[String]) -> Result<(), Failure> {
    if name == ExecutorArgument::Local && !options.is_empty() {
        return Err(Failure::usage(
            "starting tasks: --executor local: it has no options; leave out --executor-option, or use --executor slurm",
        ));
    }
    Ok(())
}

/// The program of this process, for tasks.
pub(super) fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::environment(format_args!("starting tasks: looking for lito's own program: {error}")))
}

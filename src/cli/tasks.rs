//! Arguments of commands that sample many versions at once.

use clap::{Args, ValueEnum};
use engine::sampling_job::MOST_TASKS;

/// The tasks of a job, and where they run.
#[derive(Debug, Args)]
pub(crate) struct TaskArguments {
    /// With --last, sample many versions at once, by tasks that run here or on a cluster. The same command goes on with a
    /// job that was stopped, also from another machine.
    #[arg(long, value_name = "NAME", requires = "last")]
    pub(crate) executor: Option<ExecutorArgument>,
    /// With --executor, the number of tasks [default: what this machine can run at once; 16 on a cluster].
    #[arg(long, value_name = "N", requires = "executor", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TASKS)))]
    pub(crate) tasks: Option<u32>,
    /// With --executor slurm, an option of `sbatch`, such as --partition=long. Repeatable.
    #[arg(long, value_name = "OPTION", requires = "executor", allow_hyphen_values = true)]
    pub(crate) executor_option: Vec<String>,
}

/// Executors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExecutorArgument {
    /// Processes of this machine.
    Local,
    /// A Slurm cluster, whose machines see this repository at the same path.
    Slurm,
}

//! Arguments of `lito evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use engine::settings::Percent;

use super::{ExecutorArgument, FormatArguments};

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    /// The list of projects to study. Existing measurements are reused [default: evaluate this repository on its own
    /// store].
    #[arg(value_name = "PROJECTS")]
    pub(crate) projects: Option<PathBuf>,
    /// Folder of the results [default: `results` beside PROJECTS].
    #[arg(long, value_name = "DIR", requires = "projects")]
    pub(crate) results: Option<PathBuf>,
    /// Folder of local clones, one per project and named after it, used instead of the addresses in PROJECTS.
    #[arg(long, value_name = "DIR", requires = "projects")]
    pub(crate) histories: Option<PathBuf>,
    /// Only this project: `releases/semver`, `commits/semver`, or all of one study: `commits`.
    #[arg(long, value_name = "PROJECT", requires = "projects")]
    pub(crate) only: Vec<String>,
    /// Distances between samples.
    #[arg(long, value_name = "K", value_delimiter = ',', requires = "projects", default_value = "5,10,20,50",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: Vec<u32>,
    /// Sample when this share of a benchmark's cost lies in functions changed since the last sample, instead of at distances.
    #[arg(long, value_name = "PERCENT", requires = "projects", conflicts_with = "every")]
    pub(crate) drift: Option<Percent>,
    /// Number of projects studied at the same time.
    #[arg(long, value_name = "N", requires = "projects", default_value_t = 2)]
    pub(crate) jobs: usize,
    /// Study each project by a task of its own, here or on a cluster. The same command goes on with what was stopped.
    #[arg(long, value_name = "NAME", requires = "projects", conflicts_with = "jobs")]
    pub(crate) executor: Option<ExecutorArgument>,
    /// With --executor slurm, an option of `sbatch`, such as --partition=long. Repeatable.
    #[arg(long, value_name = "OPTION", requires = "executor", allow_hyphen_values = true)]
    pub(crate) executor_option: Vec<String>,
    /// The folder of the tasks that this process is one of.
    #[arg(
        long,
        value_name = "FOLDER",
        hide = true,
        requires = "task",
        conflicts_with = "executor"
    )]
    pub(crate) task_folder: Option<PathBuf>,
    /// The number of the task.
    #[arg(long, value_name = "N", hide = true, requires = "task_folder")]
    pub(crate) task: Option<u32>,
    /// Measure and sample again what failed before.
    #[arg(long, requires = "projects")]
    pub(crate) retry: bool,
    /// The weights that judge the projects [default: shipped; with --fit left-out].
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<WeightsArgument>,
    /// The last step to run.
    #[arg(long, value_name = "STEP", requires = "projects", default_value = "tables")]
    pub(crate) until: StudyStepArgument,
    /// Make the tables from the stored results in this folder. Measures nothing.
    #[arg(long, value_name = "DIR", conflicts_with = "projects")]
    pub(crate) stored: Option<PathBuf>,
    /// Write the calibration learned from all projects to this file, in the form of analyzer/config/risk.toml.
    #[arg(long, value_name = "FILE")]
    pub(crate) fit: Option<PathBuf>,
    /// Also write the tables as markdown, JSON and an HTML page with figures to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

/// The weights that a prediction is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightsArgument {
    /// Those that lito ships.
    Shipped,
    /// For each project, those learned from all other projects of the list.
    LeftOut,
}

/// Steps of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StudyStepArgument {
    /// Measure every version.
    Measured,
    /// Sample every k-th version.
    Sampled,
    /// Predict every version.
    Predicted,
    /// Compare predictions with measurements.
    Tables,
}

//! `lito selftest`: is lito right about this repository? Takes a sample of HEAD if there is none, plants changes, and
//! prints how many of them were found.

use std::sync::Arc;
use std::time::Instant;

use analyzer::instrument::seed::SeedHotness;
use analyzer::sample::Sample;
use report::number_format;
use report::selftest as shown_as;
use runner::git::Repository;
use runner::sample::FailureRetryPolicy;
use runner::store::Store;

use super::sample::SampleCommandContext;
use super::{checkout, interruption};
use crate::cli::{MeasuredArgument, OutputFormat, SelftestArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::profiling::Profiler;
use engine::progress::{Progress, ProgressEvent};
use engine::selftest::{self, SelftestRequest, SelftestStep};
use engine::settings::Settings;

/// Tests what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &SelftestArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let started = Instant::now();
    let interruption = interruption()?;
    let store = Store::open(repository, &settings.store.url)?;
    let places: Vec<SeedHotness> = arguments.places.iter().copied().map(SeedHotness::from).collect();
    let metrics = MeasuredArgument::gate_metrics(&arguments.metrics)?;
    let request = SelftestRequest {
        repository,
        settings,
        store: &store,
        interruption: &interruption,
        head: repository.resolve("HEAD")?,
        identical: arguments.aa,
        each: arguments.seeds,
        kinds: &arguments.kinds,
        places: &places,
        sized: arguments.sized,
        seed: arguments.seed,
        metrics: &metrics,
        budget: arguments.budget.unwrap_or(settings.gate.budget).0,
        profiler: arguments.profiler.into(),
        started,
    };
    let sample = sample_of_head(&request, terminal)?;
    if request.each + request.sized > 0 && !selftest::names_functions(&sample) {
        return Err(Failure::usage(format_args!(
            "planting changes in {}: no profile of its benchmarks names a function of the sources, so nothing is known to be hot; \
             `lito doctor` says why, and `lito selftest --seeds 0 --sized 0` compares the version with itself",
            request.head.short()
        )));
    }
    let plan = selftest::plan_selftest(&request, &sample)?;
    terminal.note(&format!(
        "{} of HEAD with itself, {} planted",
        number_format::counted_noun(plan.identical, "comparison"),
        number_format::counted_noun(plan.changes(), "change")
    ));
    let progress = terminal.progress(plan.comparisons(), "testing");
    let show = |event: ProgressEvent<'_>| progress.show(event);
    let mut show_step = |step: &SelftestStep<'_>| {
        progress.note(&line(step));
    };
    let tested = selftest::run_selftest(&request, &plan, Progress::new(&show), &mut show_step)?;
    drop(progress);
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => shown_as::human(&tested, terminal.page()),
        OutputFormat::Json => shown_as::json(&tested),
        OutputFormat::Markdown => shown_as::markdown(&tested),
    })?;
    Ok(CommandExit::Passed)
}

/// The sample of HEAD, taken now where there is none: only a sample says which lines are hot.
fn sample_of_head(request: &SelftestRequest<'_>, terminal: &Terminal) -> Result<Arc<Sample>, Failure> {
    let root = checkout(request.repository, "testing")?;
    if let Some(sample) = selftest::known_sample(request)? {
        return Ok(sample);
    }
    let sampling = SampleCommandContext {
        repository: request.repository,
        settings: request.settings,
        definitions: &request.settings.benchmarks,
        budget: None,
        root,
        interruption: request.interruption,
        terminal,
        profiler: Profiler::Auto,
        workers: None,
    };
    sampling.take(&[request.head], FailureRetryPolicy::Skip)?;
    selftest::known_sample(request)?.ok_or_else(|| {
        Failure::usage(format_args!(
            "testing {}: none of its benchmarks could be profiled, so nothing is known to be hot; `lito doctor` says why",
            request.head.short()
        ))
    })
}

/// One finished comparison on one line, with the time left.
fn line(step: &SelftestStep<'_>) -> String {
    let result = match &step.result {
        selftest::SelftestStepResult::Identical { false_alarms } => format!(
            "identical versions: {}",
            number_format::counted_noun(*false_alarms, "false alarm")
        ),
        selftest::SelftestStepResult::Planted(trial) => shown_as::trial_line(trial),
    };
    format!(
        "{}/{}  {result} ({} left)",
        step.done,
        step.total,
        number_format::duration(step.seconds_left)
    )
}

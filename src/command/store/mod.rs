//! `lito store`: lists, shows, verifies and cleans up the profile store, and transfers it.

mod cleanup;
mod transfer;

use profile::format::{binary, json};
use report::number_format;
use report::store::{self, SampleListEntry, SampleListState};
use runner::git::Repository;
use runner::store::{SampleOutcome, SampleRecord, SampleState, Store, StoreFinding, StoreProblem, StoredSamples};
use runner::suggestions::did_you_mean;
use verdict::SpentTotal;

use crate::cli::{OutputFormat, StoreCommand, StoreShowArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::profiling;
use engine::sample_loader::decodes;
use engine::settings::Settings;

/// Runs the subcommand.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    command: &StoreCommand,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let store = Store::open(repository, &settings.store.url)?;
    match command {
        StoreCommand::List(output) => list(&store, output.format, terminal),
        StoreCommand::Show(show_arguments) => show(repository, &store, show_arguments, terminal),
        StoreCommand::Verify => verify(&store, terminal),
        StoreCommand::Gc(asked) => cleanup::collect(repository, &store, asked, terminal),
        StoreCommand::Fetch(asked) => transfer::fetch(repository, &store, asked, terminal),
        StoreCommand::Push(asked) => transfer::push(repository, &store, asked, terminal),
        StoreCommand::Export(asked) => transfer::export(&store, asked, terminal),
        StoreCommand::Merge(asked) => transfer::merge(&store, asked, terminal),
    }
}

fn list(store: &Store, format: OutputFormat, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let found = store.samples()?;
    warn_of_set_aside(&found, terminal);
    let samples: Vec<SampleListEntry> = found.samples.iter().rev().map(listed).collect();
    if samples.is_empty() && format == OutputFormat::Human {
        terminal.note(&format!(
            "the store {} is empty; `lito sample` fills it",
            store.reference()
        ));
        return Ok(CommandExit::Passed);
    }
    terminal.print(&match format {
        OutputFormat::Human => store::human(&samples, terminal.page().width),
        OutputFormat::Json => store::json(&samples),
        OutputFormat::Markdown => store::markdown(&samples),
    })?;
    let total = SpentTotal::of(&store.verdicts()?.verdicts);
    if let Some(costs) = store::verdict_costs(total, terminal.page().width).filter(|_| format != OutputFormat::Json) {
        terminal.print(&format!("\n{costs}\n"))?;
    }
    Ok(CommandExit::Passed)
}

fn listed(record: &SampleRecord) -> SampleListEntry {
    let reason = |(name, outcome): (&String, &SampleOutcome)| match outcome {
        SampleOutcome::Profiled { .. } => None,
        SampleOutcome::Failed { reason } => Some(format!("{name}: {reason}")),
        SampleOutcome::TimedOut { seconds } => Some(format!("{name}: stopped after {seconds} s")),
        SampleOutcome::LeftOut => Some(format!("{name}: left out")),
    };
    let mut problems: Vec<String> = record.benchmarks.iter().filter_map(reason).collect();
    let state = match &record.state {
        SampleState::InProgress => SampleListState::Incomplete,
        SampleState::Complete => SampleListState::Complete,
        SampleState::BuildFailed { reason } => {
            problems.insert(0, reason.clone());
            SampleListState::Unbuildable
        }
    };
    SampleListEntry {
        commit: record.commit.to_string(),
        environment: record.environment.id().to_string(),
        profiler: record.environment.0.get("profiler").cloned().unwrap_or_default(),
        state,
        benchmarks: record.profiles().count(),
        problems,
    }
}

fn show(
    repository: &Repository,
    store: &Store,
    arguments: &StoreShowArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let commit = repository.resolve(&arguments.revision)?;
    let found = store.sample(commit)?;
    warn_of_set_aside(&found, terminal);
    let wanted = &arguments.benchmark;
    // Of several samples, the one that predictions use: instructions say more than operations.
    let (by_probes, others): (Vec<_>, Vec<_>) = found.samples.iter().partition(|sample| is_by_probes(sample));
    let profile = others
        .into_iter()
        .chain(by_probes)
        .flat_map(SampleRecord::profiles)
        .find(|(name, _)| name == wanted);
    let Some((_, key)) = profile else {
        return Err(Failure::usage(missing(&commit.short(), wanted, &found)));
    };
    let profile = binary::decode(&store.object(key)?).map_err(|error| {
        Failure::environment(format_args!(
            "reading a profile: {wanted} at {}: {error}; `lito store verify` checks the others",
            commit.short()
        ))
    })?;
    let commit = commit.to_string();
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => report::profile::human(&profile, &commit, terminal.page().width),
        OutputFormat::Json => {
            let text = serde_json::to_string(&json::ProfileView::new(&profile, &commit));
            format!("{}\n", text.expect("strings and numbers are always encoded"))
        }
        OutputFormat::Markdown => report::profile::markdown(&profile, &commit),
    })?;
    Ok(CommandExit::Passed)
}

fn is_by_probes(sample: &SampleRecord) -> bool {
    let profiler = sample.environment.0.get("profiler");
    profiler.map(String::as_str) == Some(profiling::PROBES_VERSION)
}

/// The error for a missing profile: why it is missing, and which exist.
fn missing(commit: &str, wanted: &str, found: &StoredSamples) -> String {
    let attempt = format!("showing a profile: `{wanted}` at {commit}");
    let mut names: Vec<&str> = found
        .samples
        .iter()
        .flat_map(SampleRecord::profiles)
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return format!(
            "{attempt}: this version has no profile; `lito sample {commit}` takes one, `lito store list` shows which \
             versions have some"
        );
    }
    let all = names.join(", ");
    match did_you_mean(wanted, names.iter().copied()) {
        Some(question) => format!("{attempt}: it was not profiled: {question} The sample has {all}"),
        None => format!("{attempt}: it was not profiled; the sample has {all}"),
    }
}

/// A finding on one line.
fn described(finding: &StoreFinding) -> String {
    let what = match finding.problem {
        StoreProblem::Record => "record",
        StoreProblem::Profile => "profile",
        StoreProblem::Verdict => "verdict",
        StoreProblem::Acknowledgement => "acknowledgement",
        StoreProblem::Unused => "unused profile",
        StoreProblem::Stray => "stray file",
    };
    format!(
        "{what} {}: {}",
        report::text::safe(&finding.path),
        report::text::safe(&finding.why)
    )
}

fn verify(store: &Store, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let findings = store.verify(&decodes)?;
    let mut text = String::new();
    for finding in &findings {
        text.push_str(&described(finding));
        text.push('\n');
    }
    let damaged = findings
        .iter()
        .filter(|f| {
            matches!(
                f.problem,
                StoreProblem::Record | StoreProblem::Profile | StoreProblem::Verdict | StoreProblem::Acknowledgement
            )
        })
        .count();
    terminal.print(&text)?;
    if damaged > 0 {
        return Err(Failure::environment(format_args!(
            "verifying the store: {}: {} damaged; sample or measure these versions again",
            store.reference(),
            number_format::counted_noun(damaged, "entry")
        )));
    }
    terminal.note(&format!("{}: every sample and verdict can be read", store.reference()));
    Ok(CommandExit::Passed)
}

fn warn_of_set_aside(found: &StoredSamples, terminal: &Terminal) {
    for finding in &found.set_aside {
        terminal.warn(&format!(
            "{}: {}; `lito store verify` has more",
            report::text::safe(&finding.path),
            report::text::safe(&finding.why)
        ));
    }
}

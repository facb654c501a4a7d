//! `lito compare`: two executions → where they differ, as text, data or a report.

use std::fs;
use std::path::Path;

use profile::call_tree::{CallTree, folded_stacks};
use report::comparison::{self as shown_as, ExecutionComparison};
use report::view::{BetterDirection, HtmlReport};
use runner::call_trees::CallTreesEvent;
use runner::git::{CommitId, Repository};
use runner::store::Store;
use runner::whole_file;

use super::{checkout, interruption};
use crate::cli::{CompareArguments, CompareFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use engine::call_trees;
use engine::compare::{self, BenchmarkPairing, VersionComparison};
use engine::github::first_version;
use engine::profiling;
use engine::settings::Settings;
use engine::views::{self, VersionLabels};

/// Largest file of stacks that is read, in bytes.
const LARGEST_STACKS: u64 = 1 << 30;

/// Malformed lines of a file of stacks that are named; the others are counted.
const LINES_SHOWN: usize = 3;

/// Compares versions of a repository.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &CompareArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let commits = versions(repository, arguments)?;
    let root = checkout(repository, compare::COMPARING)?;
    let pairing = match (&arguments.against, arguments.benchmarks.as_slice()) {
        (Some(other), [one]) => BenchmarkPairing::Two(one, other),
        (Some(_), _) => {
            return Err(Failure::usage(
                "comparing two benchmarks: --against names one, so name the other with one --bench",
            ));
        }
        (None, globs) => BenchmarkPairing::WithItself(globs),
    };
    BenchmarkNames {
        repository,
        store: &Store::open(repository, &settings.store.url)?,
        definitions: &settings.benchmarks,
    }
    .check(
        NamedBenchmarks::by_option(compare::COMPARING, &pairing.globs()),
        &[commits.0, commits.1],
    )?;
    let interruption = interruption()?;
    let profiler = profiling::choose_profiler(arguments.profiler.into(), &interruption, |note| {
        terminal.note(note);
    })?;
    let request = call_trees::CallTreeRequest {
        repository,
        definitions: &settings.benchmarks,
        root,
        profiler: &profiler,
        interruption: &interruption,
    };
    let labels = VersionLabels::of(repository)?;
    let names = [commits.0, commits.1].map(|commit| labels.label(commit));
    let progress = terminal.progress(if commits.0 == commits.1 { 1 } else { 2 }, "comparing");
    let compared = compare::compare_versions(&request, commits, [&names[0], &names[1]], pairing, &mut |event| {
        show_call_tree_progress(event, &progress);
    })?;
    drop(progress);
    for missing in &compared.missing {
        terminal.warn(missing);
    }
    if compared.comparisons.is_empty() {
        return Err(nothing(&compared, &names));
    }
    if let Some(file) = &arguments.output {
        let view = views::html_report_of_versions(repository, root, &labels, &compared)?;
        draw(&view, file, terminal)?;
    }
    if let Some(folder) = &arguments.stacks {
        write_stacks(folder, &stacks(&compared, &names))?;
    }
    tell_result(&compared.comparisons, compared.unit, arguments, terminal)
}

/// The error for two versions without a benchmark in common.
fn nothing(compared: &VersionComparison, [before, after]: &[String; 2]) -> Failure {
    match compared.missing.as_slice() {
        [why] => Failure::environment(format_args!("comparing {before} with {after}: {why}")),
        [_, ..] => Failure::environment(format_args!(
            "comparing {before} with {after}: no benchmark is on both sides, for the reasons above"
        )),
        [] => Failure::usage(format_args!(
            "comparing {before} with {after}: neither has a benchmark of that name; `lito bench list` shows them"
        )),
    }
}

/// Compares folded stacks of other profilers.
pub(super) fn run_folded(arguments: &CompareArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let files = [&arguments.before, &arguments.after].map(|file| {
        let file = file.as_deref().unwrap_or_default();
        (file, Path::new(file))
    });
    let mut read = Vec::new();
    for (name, file) in files {
        read.push((name, read_stacks(file, terminal)?));
    }
    let [(old, before), (new, after)] = [&read[0], &read[1]];
    let comparisons = [compare::compare_stacks((old, before), (new, after))];
    if let Some(file) = &arguments.output {
        let better = match arguments.more_is_better {
            true => BetterDirection::More,
            false => BetterDirection::Less,
        };
        let root = Path::new("stacks");
        let view = views::html_report_of_comparisons(&comparisons, root, &arguments.unit, better);
        draw(&view, file, terminal)?;
    }
    if let Some(folder) = &arguments.stacks {
        let stacks = [("before", before), ("after", after)];
        write_stacks(folder, &stacks.map(|(name, tree)| (name.to_owned(), tree)))?;
    }
    tell_result(&comparisons, &arguments.unit, arguments, terminal)
}

/// The versions to compare.
fn versions(repository: &Repository, arguments: &CompareArguments) -> Result<(CommitId, CommitId), Failure> {
    let resolve = |name: &str| repository.resolve(if name.is_empty() { "HEAD" } else { name });
    let (before, after) = match (arguments.before.as_deref(), arguments.after.as_deref()) {
        (Some(range), None) if range.contains("..") => {
            let (before, after) = range.split_once("..").unwrap_or((range, "HEAD"));
            return Ok((resolve(before)?, resolve(after)?));
        }
        (before, _) if arguments.against.is_some() => {
            let one = resolve(before.unwrap_or("HEAD"))?;
            return Ok((one, one));
        }
        (before, after) => (before, resolve(after.unwrap_or("HEAD"))?),
    };
    let before = match before {
        Some(before) => resolve(before)?,
        None => (repository.default_base(after)?).ok_or_else(|| first_version(after))?,
    };
    Ok((before, after))
}

fn draw(view: &HtmlReport<'_>, file: &Path, terminal: &Terminal) -> Result<(), Failure> {
    views::write(view, file)?;
    terminal.note(&format!("the report is {}", file.display()));
    Ok(())
}

fn tell_result(
    comparisons: &[ExecutionComparison],
    unit: &str,
    arguments: &CompareArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    terminal.print(&match arguments.format {
        CompareFormat::Human => shown_as::human(comparisons, unit, terminal.page().width),
        CompareFormat::Json => shown_as::json(comparisons, unit),
        CompareFormat::Markdown => shown_as::markdown(comparisons, unit),
        CompareFormat::Folded => shown_as::stacks(comparisons),
    })?;
    Ok(CommandExit::Passed)
}

fn read_stacks(file: &Path, terminal: &Terminal) -> Result<CallTree, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::usage(format_args!(
            "comparing stacks: {}: {why}; give a file with lines like `main;parse;next 42`, as stackcollapse scripts \
             and `perf script | inferno-collapse-perf` write them",
            file.display()
        ))
    };
    let size = fs::metadata(file).map_err(|error| failed(&error))?.len();
    if size > LARGEST_STACKS {
        return Err(failed(&"it is larger than 1 GiB"));
    }
    let text = fs::read(file).map_err(|error| failed(&error))?;
    let read = folded_stacks::read(&text).map_err(|error| failed(&error))?;
    for warning in read.warnings.iter().take(LINES_SHOWN) {
        terminal.warn(&format!("{}: {warning}", file.display()));
    }
    Ok(read.tree)
}

/// The call trees of a comparison, each with the name of its file.
fn stacks<'c>(compared: &'c VersionComparison, names: &[String; 2]) -> Vec<(String, &'c CallTree)> {
    let versions = compared.trees.iter().zip(names);
    versions
        .flat_map(|(version, name)| {
            let trees = version.trees.iter();
            trees.filter_map(move |(benchmark, taken)| {
                let contexts = taken.as_ref().ok()?;
                Some((format!("{benchmark}-{name}"), &contexts.tree))
            })
        })
        .collect()
}

fn write_stacks(folder: &Path, stacks: &[(String, &CallTree)]) -> Result<(), Failure> {
    for (name, tree) in stacks {
        // A benchmark's name may hold any character, a file's may not.
        let name: String = (name.chars())
            .map(|c| {
                if c.is_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        let mut text = Vec::new();
        folded_stacks::write(tree, &mut text).expect("memory takes every write");
        whole_file::write(&folder.join(format!("{name}.folded")), text).map_err(|error| {
            Failure::environment(format_args!(
                "writing stacks: on {error}; name another folder with --stacks"
            ))
        })?;
    }
    Ok(())
}

/// Shows the progress of taking call trees.
pub(super) fn show_call_tree_progress(event: &CallTreesEvent<'_>, progress: &TerminalProgress) {
    match event {
        CallTreesEvent::Version { commit, .. } => {
            progress.working_on(&format!("{}: checking out", commit.short()));
        }
        CallTreesEvent::Waiting { holder } => progress.waiting_for(*holder),
        CallTreesEvent::Building { commit } => {
            progress.working_on(&format!("{}: building", commit.short()));
        }
        CallTreesEvent::Listed { commit, wanted, .. } => progress.working_on(&format!(
            "{}: call trees of {}",
            commit.short(),
            report::number_format::counted_noun(*wanted, "benchmark")
        )),
        CallTreesEvent::Taken {
            commit,
            benchmark,
            failure,
            done,
            total,
        } => {
            if let Some(failure) = failure {
                progress.warn(&format!("{}: {benchmark} has no call tree: {failure}", commit.short()));
            }
            progress.working_on(&format!(
                "{}: {done} of {total} call trees, {benchmark}",
                commit.short()
            ));
        }
        CallTreesEvent::VersionDone { .. } => progress.step(),
    }
}

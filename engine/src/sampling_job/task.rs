//! One task of a job: takes one version after the other, samples it into a part of the store that is its own, and says
//! what came of it.

use std::collections::BTreeMap;

use runner::build::RepositoryCache;
use runner::git::CommitId;
use runner::sample::{self, SampleEvent};
use runner::store::Environment;
use runner::visit::VersionVisitor;

use super::folder::{JobFolder, VersionOutcome};
use super::{merging, turns};
use crate::error::EngineError;
use crate::sampling::SamplingRequest;

/// Facts that differ between versions on one machine: a version names its toolchain itself.
const OF_A_VERSION: [&str; 2] = ["compiler", "host"];

/// Runs a task of a job until no version is left for it. Its folder of builds goes then; if the task ends before, it stays
/// for the next time.
pub fn run(
    request: &SamplingRequest<'_>,
    job: &JobFolder,
    task: u32,
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<(), EngineError> {
    job.set_problem(task, None)?;
    let outcome = take_versions(request, job, task, tell);
    match &outcome {
        // Who asked it to stop knows why.
        Ok(()) | Err(EngineError::Interrupted) => {}
        Err(error) => job.set_problem(task, Some(&error.to_string()))?,
    }
    outcome
}

fn take_versions(
    request: &SamplingRequest<'_>,
    job: &JobFolder,
    task: u32,
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<(), EngineError> {
    let cache = RepositoryCache::of_task(request.root, task).map_err(EngineError::environment)?;
    let mut part = None;
    let mut visitor = VersionVisitor::new(request.plan(&cache, request.store, &[]).visit_context());
    while let Some(commit) = turns::next_version(job, task)? {
        let mut sample = || {
            let store = match &part {
                Some(store) => store,
                None => {
                    check_machine(request, job, (commit, &mut visitor))?;
                    part.insert(request.store.begin_part(job.name(), task, merging())?)
                }
            };
            let plan = request.plan(&cache, store, &[]);
            Ok(sample::sample_version(&plan, &mut visitor, commit, tell)?)
        };
        match sample() {
            Ok(sampled) => job.finish(commit, &VersionOutcome::Taken { task, sampled })?,
            Err(error) => {
                job.release(commit)?;
                return Err(error);
            }
        }
    }
    drop(visitor);
    // A folder that stays only takes space.
    let _ = std::fs::remove_dir_all(cache.root());
    Ok(())
}

/// Refuses a machine whose counts do not stand beside those of the machine that began first.
fn check_machine(
    request: &SamplingRequest<'_>,
    job: &JobFolder,
    (commit, visitor): (CommitId, &mut VersionVisitor<'_>),
) -> Result<(), EngineError> {
    let here = visitor.environment(commit, request.profiler.profiler(), &mut |_| {})?;
    // Who is asked to stop does not wait for what valgrind says of this machine.
    if request.interruption.is_raised() {
        return Err(EngineError::Interrupted);
    }
    let here = facts_of_machine(here);
    let first = job.first_machine(&here)?;
    let names = here.keys().chain(first.keys());
    let Some(other) = names.into_iter().find(|name| here.get(*name) != first.get(*name)) else {
        return Ok(());
    };
    let value = |facts: &BTreeMap<String, String>| facts.get(other).map_or("nothing", |value| value).to_owned();
    Err(EngineError::environment(format_args!(
        "sampling: this machine counts otherwise than the job's first one: {other}: {} here, {} there; its counts would \
         not stand beside the others: run the job on machines of one kind, or remove {} to begin it anew",
        value(&here),
        value(&first),
        job.path().display()
    )))
}

fn facts_of_machine(environment: Environment) -> BTreeMap<String, String> {
    let mut facts = environment.0;
    facts.retain(|name, _| !OF_A_VERSION.contains(&name.as_str()));
    facts
}

//! `lito store gc`: removes samples, or lists what it would remove, and says why.

use std::time::{SystemTime, UNIX_EPOCH};

use report::number_format::{bytes, counted_noun};
use report::store::{SampleRemoval, removals};
use runner::git::Repository;
use runner::store::{
    ExpiredSample, ExpiryReason, GoneCommitPolicy, RetentionPolicy, Store, StoreGcSummary, StoredProfiles,
};

use crate::cli::StoreGcArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

pub(super) fn collect(
    repository: &Repository,
    store: &Store,
    asked: &StoreGcArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let policy = RetentionPolicy {
        newest: asked.keep.map(|keep| keep as usize),
        since: asked.older_than.map(|age| seconds_before_now(age.0.as_secs())),
        // A shallow clone lacks most commits, though they still exist.
        gone_commits: match repository.is_shallow() {
            true => GoneCommitPolicy::Keep,
            false => GoneCommitPolicy::Drop,
        },
    };
    let summary = match asked.dry_run {
        true => store.garbage(repository, policy)?,
        false => store.gc(repository, policy)?,
    };
    if !summary.samples.is_empty() {
        let rows: Vec<SampleRemoval> = (summary.samples.iter()).map(|sample| removal(sample, asked)).collect();
        terminal.print(&removals(&rows, terminal.page().width))?;
    }
    terminal.note(&totals(&summary, asked.dry_run));
    if summary.kept_samples > 0 {
        terminal.note(&format!(
            "a sample stays {}",
            reason_to_stay(asked, policy.gone_commits)
        ));
    } else if !summary.samples.is_empty() {
        terminal.warn("no sample stays: `lito sample` takes one; `--keep 1` keeps the newest at any age");
    }
    if summary.unreadable > 0 {
        terminal.warn(&format!(
            "no profile goes, because {} may refer to any: `lito store verify` names what can't be read",
            counted_noun(summary.unreadable, "unreadable entry")
        ));
    }
    Ok(CommandExit::Passed)
}

/// In seconds since 1970.
fn seconds_before_now(seconds: u64) -> i64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let [now, seconds] = [now, seconds].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    now.saturating_sub(seconds)
}

fn removal(sample: &ExpiredSample, asked: &StoreGcArguments) -> SampleRemoval {
    SampleRemoval {
        commit: sample.commit.to_string(),
        environment: sample.environment.to_string(),
        benchmarks: sample.benchmarks,
        why: match (sample.reason, asked.keep, asked.older_than) {
            (ExpiryReason::BeyondLimits, Some(keep), None) => format!("older than the newest {keep}"),
            (ExpiryReason::BeyondLimits, None, Some(age)) => format!("older than {age}"),
            (ExpiryReason::BeyondLimits, Some(keep), Some(age)) => {
                format!("older than {age} and than the newest {keep}")
            }
            (ExpiryReason::GoneCommit, ..) | (ExpiryReason::BeyondLimits, None, None) => {
                String::from("not in the repository any more")
            }
        },
    }
}

fn totals(summary: &StoreGcSummary, is_dry_run: bool) -> String {
    let amount = |samples: usize, profiles: StoredProfiles| {
        format!(
            "{} and {} ({})",
            counted_noun(samples, "sample"),
            counted_noun(profiles.count, "profile"),
            bytes(profiles.bytes)
        )
    };
    let goes = amount(summary.samples.len(), summary.profiles);
    let stays = amount(summary.kept_samples, summary.kept_profiles);
    match is_dry_run {
        true => format!("would remove {goes} and keep {stays}; nothing is removed"),
        false => format!("removed {goes}; kept {stays}"),
    }
}

/// Why a sample stays, after *a sample stays*.
fn reason_to_stay(asked: &StoreGcArguments, gone_commits: GoneCommitPolicy) -> String {
    let within = match (asked.keep, asked.older_than) {
        (None, None) => None,
        (Some(keep), None) => Some(format!("among the newest {keep} of its environment")),
        (None, Some(age)) => Some(format!("no older than {age}")),
        (Some(keep), Some(age)) => Some(format!(
            "among the newest {keep} of its environment, or no older than {age}"
        )),
    };
    match (within, gone_commits) {
        (None, GoneCommitPolicy::Drop) => String::from("while the repository has its version"),
        (None, GoneCommitPolicy::Keep) => {
            String::from("in a shallow clone, which can't tell whether its version is gone")
        }
        (Some(within), GoneCommitPolicy::Drop) => format!("if the repository has its version and it is {within}"),
        (Some(within), GoneCommitPolicy::Keep) => {
            format!("if it is {within}; a shallow clone can't tell whether its version is gone")
        }
    }
}

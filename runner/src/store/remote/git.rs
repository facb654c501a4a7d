//! One exchange with the other side → its answer, or the failure. Runs git, bounded in time and output, without hooks,
//! prompts, submodules and tags.

use std::time::Duration;

use super::address::{TOKEN_VARIABLE, settings_in_environment};
use super::git_failures::{GitFailureKind, is_ref_conflict, last_words, meaning};
use super::{FIRST_PAUSE, LONGEST_PAUSE, Remote, RemoteError};
use crate::backoff::backoff_pause;
use crate::git::Repository;
use crate::process::{FinishedProcess, InterruptionFlag, Invocation, ProcessError, run};

/// Attempts after network failures; pauses between them get longer.
pub(super) const NETWORK_ATTEMPTS: u32 = 4;

/// Rounds by which network pauses are longer than those after a lost race.
const NETWORK_ROUNDS: u32 = 2;

/// Settings of every git process that reads data of others: their data starts no program, objects are checked, and are
/// on disk before a ref refers to them.
pub(super) const SETTINGS: [&str; 13] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fsync=all",
    // Larger objects are checked without loading them into memory.
    "core.bigFileThreshold=32m",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    // A connection slower than this for a minute counts as lost.
    "http.lowSpeedLimit=10",
    "http.lowSpeedTime=60",
];

/// Variables that would redirect git, make it reveal secrets, or that it does not need.
const REMOVED: [&str; 18] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_REDACT",
    "GIT_CURL_VERBOSE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    TOKEN_VARIABLE,
];

/// Parameters of exchanges.
pub(super) struct GitTransport<'a> {
    pub(super) attempt: &'static str,
    pub(super) repository: &'a Repository,
    pub(super) remote: &'a Remote,
    pub(super) objects: ObjectStrictness,
    pub(super) time_limit: Duration,
    pub(super) interruption: &'a InterruptionFlag,
}

/// Strictness of checks on received objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectStrictness {
    /// Objects of a store, written by lito: no flaws.
    Flawless,
    /// Objects of a history: old ones may have flaws that today's git would not write.
    AsTheyAre,
}

/// Result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RefPushOutcome {
    /// The other side's ref was moved.
    Done,
    /// The ref had been moved by others.
    Lost,
    /// The network failed before the other side answered: the push may have succeeded. Git's message.
    Unknown(String),
}

impl GitTransport<'_> {
    /// The target of a ref of the other side; `None` if there is no such ref.
    pub(super) fn look_up(&self, reference: &str) -> Result<Option<git2::Oid>, RemoteError> {
        let finished =
            self.patiently(&|| self.run(&["ls-remote", "--refs", "--", self.remote.argument(), reference]))?;
        let text = finished.stdout.text();
        // Git matches the ends of ref names.
        Ok(text.lines().find_map(|line| {
            let (id, name) = line.split_once('\t')?;
            let id = (id.len() == 40).then(|| git2::Oid::from_str(id).ok())??;
            (name == reference).then_some(id)
        }))
    }

    /// Fetches a ref or commit of the other side, with everything that it leads to, into a ref of ours.
    pub(super) fn fetch(&self, source: &str, into: &str) -> Result<(), RemoteError> {
        let refspec = format!("+{source}:{into}");
        self.patiently(&|| {
            self.run(&[
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-prune",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--refmap=",
                "--",
                self.remote.argument(),
                &refspec,
            ])
        })
        .map(drop)
    }

    /// Moves a ref of the other side from `old` (`None` if it does not exist) to `new`.
    pub(super) fn push(
        &self,
        reference: &str,
        old: Option<git2::Oid>,
        new: git2::Oid,
    ) -> Result<RefPushOutcome, RemoteError> {
        let old = old.map(|old| old.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease={reference}:{old}");
        let refspec = format!("{new}:{reference}");
        let finished = self.run(&[
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--recurse-submodules=no",
            &lease,
            "--",
            self.remote.argument(),
            &refspec,
        ])?;
        if finished.status.success() {
            return Ok(RefPushOutcome::Done);
        }
        let answer = finished.stdout.text();
        let rejection = answer.lines().find(|line| line.starts_with('!'));
        match rejection.and_then(|line| line.split('\t').nth(2)) {
            Some(why) if is_ref_conflict(why) => Ok(RefPushOutcome::Lost),
            Some(why) => {
                let said = self.remote.redacted(&format!(
                    "{} {}",
                    last_words(&finished),
                    why.trim_start_matches("[remote rejected] ")
                ));
                let said = said.trim().to_owned();
                let lower = said.to_lowercase();
                Err(match () {
                    () if lower.contains("permission") || lower.contains("not allowed") => self.denied(said),
                    () => RemoteError::Refused {
                        attempt: self.attempt,
                        remote: self.remote.shown().to_owned(),
                        said,
                    },
                })
            }
            None if meaning(&last_words(&finished)) == GitFailureKind::Network => {
                Ok(RefPushOutcome::Unknown(self.remote.redacted(&last_words(&finished))))
            }
            None => Err(self.why(&last_words(&finished))),
        }
    }

    /// Converts git's message to an error.
    pub(super) fn failed(&self, said: &str) -> RemoteError {
        RemoteError::Git {
            attempt: self.attempt,
            remote: self.remote.shown().to_owned(),
            said: self.remote.redacted(said),
            remedy: "check with `git ls-remote` whether it can be reached",
        }
    }

    fn denied(&self, said: String) -> RemoteError {
        RemoteError::Denied {
            attempt: self.attempt,
            remote: self.remote.shown().to_owned(),
            said,
        }
    }

    /// Repeats an exchange after a pause if the network fails.
    fn patiently(
        &self,
        exchange: &dyn Fn() -> Result<FinishedProcess, RemoteError>,
    ) -> Result<FinishedProcess, RemoteError> {
        let mut round = 0;
        loop {
            let finished = exchange()?;
            if finished.status.success() {
                return Ok(finished);
            }
            let said = last_words(&finished);
            if meaning(&said) != GitFailureKind::Network {
                return Err(self.why(&said));
            }
            round += 1;
            if round == NETWORK_ATTEMPTS {
                return Err(RemoteError::Unreachable {
                    attempt: self.attempt,
                    remote: self.remote.shown().to_owned(),
                    attempts: NETWORK_ATTEMPTS,
                    said: self.remote.redacted(&said),
                });
            }
            std::thread::sleep(backoff_pause(FIRST_PAUSE, LONGEST_PAUSE, round + NETWORK_ROUNDS));
        }
    }

    fn why(&self, said: &str) -> RemoteError {
        let meaning = meaning(said);
        let said = self.remote.redacted(said);
        let remote = self.remote.shown().to_owned();
        let attempt = self.attempt;
        match meaning {
            GitFailureKind::Denied => self.denied(said),
            GitFailureKind::NotThere => RemoteError::NotThere { attempt, remote, said },
            GitFailureKind::NoRoom => RemoteError::Git {
                attempt,
                remote,
                said,
                remedy: "check that neither this disk nor the other one is full; stored data is not affected",
            },
            GitFailureKind::Network => RemoteError::Unreachable {
                attempt,
                remote,
                attempts: 1,
                said,
            },
            GitFailureKind::Damaged => RemoteError::Theirs {
                attempt,
                remote,
                why: format!("objects are damaged: {said}"),
                remedy: String::from("run `git fsck` there and here"),
            },
            GitFailureKind::Other => self.failed(&said),
        }
    }

    fn run(&self, arguments: &[&str]) -> Result<FinishedProcess, RemoteError> {
        let git = self.repository.raw();
        let mut invocation = isolated_git(git.path(), self.time_limit);
        if self.objects == ObjectStrictness::AsTheyAre {
            invocation = invocation.arguments(["-c", "fetch.fsckObjects=false"]);
        }
        invocation = invocation.arguments(arguments);
        if let Some(directory) = self.repository.workdir() {
            invocation.directory = directory.to_path_buf();
        }
        for (name, value) in settings_in_environment(self.remote.settings()) {
            invocation = invocation.variable(name, value);
        }
        let asks_by_itself = ["GIT_SSH_COMMAND", "GIT_SSH"]
            .iter()
            .all(|name| std::env::var_os(name).is_none())
            && git
                .config()
                .and_then(|config| config.get_string("core.sshCommand"))
                .is_err();
        if self.remote.is_ssh() && asks_by_itself {
            invocation = invocation.variable("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
        }
        run(&invocation, self.interruption).map_err(|error| match error {
            ProcessError::TimedOut { limit, .. } => RemoteError::TimedOut {
                attempt: self.attempt,
                remote: self.remote.shown().to_owned(),
                limit,
            },
            ProcessError::Interrupted { .. } => RemoteError::Interrupted,
            ProcessError::Start { ref source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                RemoteError::NoGit {
                    attempt: self.attempt,
                    why: String::from("the git program is missing"),
                }
            }
            other => self.failed(&other.to_string()),
        })
    }
}

/// Prepares git on a repository, without any setting of the user or the repository that starts programs.
pub(super) fn isolated_git(folder: &std::path::Path, time_limit: Duration) -> Invocation {
    let mut invocation = Invocation::new("git", folder, time_limit)
        .arguments(["--git-dir".into(), folder.as_os_str().to_owned()])
        .arguments(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .variable("GIT_TERMINAL_PROMPT", "0")
        .variable("LC_ALL", "C");
    for name in REMOVED {
        invocation = invocation.without_variable(name);
    }
    invocation
}

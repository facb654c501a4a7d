//! Git's error output → the kind of failure. Git has no other way of reporting it; unknown messages are shown
//! unchanged.

use crate::process::FinishedProcess;

/// Most lines of git's output that are kept.
const KEPT: usize = 4;

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitFailureKind {
    /// The other side does not accept the credentials, or lacks the permission.
    Denied,
    /// There is no repository, or it is not visible.
    NotThere,
    /// The local or the remote disk is full.
    NoRoom,
    /// A retry may succeed.
    Network,
    /// Objects are damaged or not allowed.
    Damaged,
    /// Any other failure.
    Other,
}

/// Lower-case texts and the kinds that they indicate; the first one found counts.
const MEANINGS: [(GitFailureKind, &[&str]); 5] = [
    (
        GitFailureKind::Denied,
        &[
            "authentication failed",
            "could not read username",
            "could not read password",
            "terminal prompts disabled",
            "the server answered 401",
            "the server answered 403",
            "permission denied",
            "permission to",
            "denied to",
            "access denied",
            "host key verification failed",
            "write access to repository not granted",
        ],
    ),
    (
        GitFailureKind::NotThere,
        &[
            "not found",
            "does not appear to be a git repository",
            "does not exist",
            "the server answered 404",
            // Redirected; with a token, git does not follow.
            "the server answered 30",
        ],
    ),
    (
        GitFailureKind::NoRoom,
        &[
            "no space left",
            "disk quota exceeded",
            "read-only file system",
            "file too large",
        ],
    ),
    (
        GitFailureKind::Network,
        &[
            "could not resolve host",
            "could not resolve proxy",
            "failed to connect",
            "could not connect",
            "couldn't connect",
            "connection refused",
            "connection reset",
            "connection closed",
            "connection timed out",
            "operation timed out",
            "network is unreachable",
            "temporary failure in name resolution",
            "operation too slow",
            "early eof",
            "empty reply",
            "unexpected disconnect",
            "the remote end hung up",
            "rpc failed",
            "transfer closed",
            "the server answered 429",
            "the server answered 5",
            "ssl_error_syscall",
            "recv failure",
            "send failure",
        ],
    ),
    (
        GitFailureKind::Damaged,
        &[
            "fsck error",
            "index-pack",
            "bad object",
            "unpack-objects",
            "is corrupt",
            "unable to read",
        ],
    ),
];

/// The kind of a failure, from the text of [`last_words`].
pub(super) fn meaning(said: &str) -> GitFailureKind {
    let lower = said.to_lowercase();
    let found = MEANINGS
        .iter()
        .find(|(_, texts)| texts.iter().any(|text| lower.contains(text)));
    found.map_or(GitFailureKind::Other, |(meaning, _)| *meaning)
}

/// Lines with the reason of git's failure, without its advice.
pub(super) fn last_words(finished: &FinishedProcess) -> String {
    let said = shortened(&finished.stderr.text());
    if said.is_empty() { finished.ending() } else { said }
}

fn shortened(text: &str) -> String {
    let advice = [
        "hint:",
        "error: failed to push some refs",
        "To ",
        "Please make sure you have the correct access rights",
        "and the repository exists.",
        "fatal: Could not read from remote repository",
    ];
    // Our own message already says that it is an error.
    let heads = ["fatal: ", "error: ", "remote: ", "warning: "];
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != "remote:")
        .filter(|line| !advice.iter().any(|advice| line.starts_with(advice)))
        .map(|line| {
            let head = heads.iter().find_map(|head| line.strip_prefix(head));
            head.unwrap_or(line).trim()
        })
        .collect();
    lines[lines.len().saturating_sub(KEPT)..]
        .join("; ")
        .replace("The requested URL returned error: ", "the server answered ")
}

/// True if a push was rejected because others moved the ref, or hold its lock.
pub(super) fn is_ref_conflict(why: &str) -> bool {
    [
        "stale info",
        "fetch first",
        "non-fast-forward",
        "cannot lock ref",
        "failed to lock",
        "failed to update ref",
        "incorrect old value",
        "reference already exists",
        "remote ref updated since checkout",
    ]
    .iter()
    .any(|part| why.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_git_and_its_servers_are_classified() {
        for (text, expected) in [
            (
                "remote: Permission to o/r.git denied to github-actions[bot].\n\
                 fatal: unable to access 'https://h.test/o/r/': The requested URL returned error: 403\n",
                GitFailureKind::Denied,
            ),
            (
                "remote: Write access to repository not granted.\n\
                 fatal: unable to access 'https://h.test/o/r/': The requested URL returned error: 403\n",
                GitFailureKind::Denied,
            ),
            (
                "fatal: could not read Username for 'https://h.test': terminal prompts disabled\n",
                GitFailureKind::Denied,
            ),
            (
                "git@h.test: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\n\
                 Please make sure you have the correct access rights\nand the repository exists.\n",
                GitFailureKind::Denied,
            ),
            (
                "ERROR: Repository not found.\nfatal: Could not read from remote repository.\n",
                GitFailureKind::NotThere,
            ),
            (
                "remote: Repository not found.\nfatal: repository 'https://h.test/o/r/' not found\n",
                GitFailureKind::NotThere,
            ),
            (
                "fatal: unable to access 'https://h.test/': Could not resolve host: h.test\n",
                GitFailureKind::Network,
            ),
            (
                "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\n\
                 fatal: the remote end hung up unexpectedly\n",
                GitFailureKind::Network,
            ),
            ("fatal: early EOF\nfatal: index-pack failed\n", GitFailureKind::Network),
            (
                "ssh: Could not resolve hostname h.test: Temporary failure in name resolution\n\
                 fatal: Could not read from remote repository.\n",
                GitFailureKind::Network,
            ),
            (
                "error: unable to write file: No space left on device\nfatal: unpack-objects failed\n",
                GitFailureKind::NoRoom,
            ),
            (
                "error: object 1234: hasDotdot: contains '..'\nfatal: fsck error in packed object\n",
                GitFailureKind::Damaged,
            ),
            ("fatal: protocol error: bad line length\n", GitFailureKind::Other),
            ("", GitFailureKind::Other),
        ] {
            assert_eq!(meaning(&shortened(text)), expected, "{text}");
        }
    }

    #[test]
    fn advice_and_heads_of_lines_are_left_out() {
        let text = "remote: \nremote: no.\nTo file:///a\nerror: failed to push some refs to 'file:///a'\n\
                    hint: pull\nfatal: unable to access 'x': The requested URL returned error: 403\n";
        assert_eq!(shortened(text), "no.; unable to access 'x': the server answered 403");
    }

    #[test]
    fn a_lost_race_is_told_from_a_refusal() {
        for lost in [
            "[rejected] (stale info)",
            "[remote rejected] (cannot lock ref 'refs/lito/store': is at 1 but expected 2)",
            "[remote rejected] (incorrect old value provided)",
            "[remote rejected] (failed to update ref)",
        ] {
            assert!(is_ref_conflict(lost), "{lost}");
        }
        for refused in [
            "[remote rejected] (pre-receive hook declined)",
            "[remote rejected] (push declined due to repository rule violations)",
            "[remote rejected] (deny updating a hidden ref)",
            "[remote rejected] (unpacker error)",
        ] {
            assert!(!is_ref_conflict(refused), "{refused}");
        }
    }
}

#![allow(clippy::unwrap_used)]

use super::*;
use crate::waiting::{LONGEST_WAIT, comes_true, ends};

fn shell(script: &str, limit: Duration) -> Invocation {
    Invocation::new("sh", "/", limit).arguments(["-c", script])
}

const LONG: Duration = Duration::from_secs(600);

/// Time limits for a command that never ends, tried in order until the command gets as far as its test requires: a busy
/// machine needs the longer ones.
const LIMITS: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_secs(2),
    Duration::from_secs(10),
    LONGEST_WAIT,
];

#[test]
fn status_output_and_cost_are_captured() {
    let finished = run(
        &shell("echo out; echo err >&2; exit 3", LONG),
        &InterruptionFlag::default(),
    )
    .unwrap();
    assert_eq!(finished.status.code(), Some(3));
    assert_eq!(finished.ending(), "exited with code 3");
    assert_eq!(finished.stdout.text(), "out\n");
    assert_eq!(finished.stderr.text(), "err\n");
    assert!(
        finished.peak_memory > 100_000,
        "a shell needs more than {} bytes",
        finished.peak_memory
    );
}

#[test]
fn a_command_whose_output_is_enough_is_ended() {
    let script = "echo one; echo two; sleep 1000 & wait";
    let mut process = 0;
    let finished = run_until(&shell(script, LONG), &InterruptionFlag::default(), &mut |running| {
        process = running.process;
        running.stdout.ends_with(b"two\n")
    })
    .unwrap();
    assert_eq!(
        (finished.stdout.text().as_str(), finished.process),
        ("one\ntwo\n", process)
    );
    assert!(!finished.status.success(), "it would have gone on");
    let by_itself = run_until(&shell("echo one", LONG), &InterruptionFlag::default(), &mut |_| false).unwrap();
    assert!(by_itself.status.success());
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let error = run(
        &Invocation::new("no-such-program", "/", LONG),
        &InterruptionFlag::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("`no-such-program`"), "{error}");
}

#[test]
fn a_hanging_command_and_its_children_are_killed_at_the_limit() {
    let script = "sleep 1000 & echo $! >&2; wait";
    let child = LIMITS.iter().find_map(|limit| {
        let error = run(&shell(script, *limit), &InterruptionFlag::default()).unwrap_err();
        let ProcessError::TimedOut { last_words, .. } = error else {
            panic!("{error}");
        };
        Some(last_words).filter(|words| !words.is_empty())
    });
    let child = child.expect("no limit was long enough for the shell to start a child");
    assert!(ends(&child), "{child} lives");
}

#[test]
fn a_command_that_ignores_the_polite_signal_is_killed_after_the_grace() {
    let script = "trap '' TERM; echo deaf >&2; while :; do sleep 1; done";
    let was_deaf = LIMITS.iter().any(|limit| {
        let started = Instant::now();
        let error = run(&shell(script, *limit), &InterruptionFlag::default()).unwrap_err();
        let ProcessError::TimedOut { last_words, .. } = error else {
            panic!("{error}");
        };
        // The limit may pass before the shell ignores the signal.
        last_words == "deaf" && started.elapsed() >= *limit + GRACE
    });
    assert!(was_deaf, "the shell was not given its grace");
}

#[test]
fn children_left_behind_are_killed_when_the_command_ends() {
    let finished = run(
        &shell("sleep 1000 >/dev/null 2>&1 & echo $!", LONG),
        &InterruptionFlag::default(),
    )
    .unwrap();
    assert!(finished.status.success());
    assert!(ends(&finished.stdout.text()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_is_killed_and_named_when_the_command_ends() {
    // It is in a session of its own, its parent is gone, and it holds the output.
    let script = "setsid sh -c 'sleep 1000 & echo $!; exit 0' & wait; setsid sleep 1000 & exit 0";
    let finished = run(&shell(script, LONG), &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success());
    assert!(ends(&finished.stdout.text()));
    let left = finished.left_running.unwrap();
    assert_eq!((left.count, left.name.as_str()), (2, "sleep"));
    assert_eq!(left.to_string(), "`sleep` and 1 more processes running");
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_is_killed_at_the_limit() {
    let script = "setsid sh -c 'echo $$ >&2; trap \"\" TERM; while :; do sleep 1; done' & wait";
    let daemon = LIMITS.iter().find_map(|limit| {
        let error = run(&shell(script, *limit), &InterruptionFlag::default()).unwrap_err();
        let ProcessError::TimedOut { last_words, .. } = error else {
            panic!("{error}");
        };
        Some(last_words).filter(|words| !words.is_empty())
    });
    let daemon = daemon.expect("no limit was long enough for the shell to start the daemon");
    assert!(ends(&daemon), "{daemon} lives");
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_ends_a_little_later_is_waited_for_and_not_told() {
    let finished = run(
        &shell("setsid sh -c 'sleep 0.1; echo late' & echo early", LONG),
        &InterruptionFlag::default(),
    )
    .unwrap();
    assert_eq!(finished.stdout.text(), "early\nlate\n");
    assert_eq!(finished.left_running, None);
}

#[test]
fn a_command_that_kills_its_supervisor_has_no_result() {
    let error = run(&shell("kill -9 $PPID; sleep 1000", LONG), &InterruptionFlag::default()).unwrap_err();
    assert!(matches!(error, ProcessError::Wait { .. }), "{error}");
}

#[test]
fn an_interruption_stops_a_running_command() {
    let interruption = InterruptionFlag::default();
    let directory = tempfile::tempdir().unwrap();
    let note = directory.path().join("process");
    let script = format!("echo $$ > {}; exec sleep 1000", note.display());
    let process = || std::fs::read_to_string(&note).unwrap_or_default();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            // A line that is ended is whole.
            comes_true(|| process().ends_with('\n'));
            interruption.raise();
        });
        run(&shell(&script, LONG), &interruption).unwrap_err()
    });
    assert!(matches!(error, ProcessError::Interrupted { .. }), "{error}");
    assert!(!process().is_empty(), "the command was started");
    assert!(ends(&process()), "{} lives", process());
    assert!(matches!(
        run(&shell("true", LONG), &interruption),
        Err(ProcessError::Interrupted { .. })
    ));
}

#[test]
fn endless_output_is_cut_in_the_middle() {
    let size = 3 * KEPT_OUTPUT;
    let finished = run(
        &shell(&format!("printf begin; head -c {size} /dev/zero; printf end"), LONG),
        &InterruptionFlag::default(),
    )
    .unwrap();
    assert_eq!(finished.stdout.bytes.len(), 2 * KEPT_OUTPUT);
    assert_eq!(
        finished.stdout.dropped as usize,
        size + "beginend".len() - 2 * KEPT_OUTPUT
    );
    assert!(finished.stdout.bytes.starts_with(b"begin\0") && finished.stdout.bytes.ends_with(b"\0end"));
}

#[test]
fn bytes_that_are_not_text_are_kept() {
    let finished = run(&shell(r"printf '\377\376'", LONG), &InterruptionFlag::default()).unwrap();
    assert_eq!(finished.stdout.bytes, [0xff, 0xfe]);
}

#[test]
fn a_command_is_shown_as_it_would_be_typed() {
    let shown = Invocation::new("bench", "/", LONG)
        .arguments(["--exact", "a b/c", "it's"])
        .to_string();
    assert_eq!(shown, r"bench --exact 'a b/c' 'it'\''s'");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_in_fixed_surroundings_lies_at_fixed_addresses_where_the_system_allows_it() {
    let run_with = |invocation: &Invocation| run(invocation, &InterruptionFlag::default()).unwrap();
    let is_allowed = run_with(&shell("setarch -R true", LONG)).status.success();
    let addresses = shell("grep stack /proc/self/maps", LONG).surrounded_by(ProcessSurroundings::Fixed { words: 0 });
    let [first, second] = [(), ()].map(|()| run_with(&addresses));
    assert!(first.status.success(), "it runs where the system refuses, too");
    if is_allowed {
        assert_eq!(first.stdout.text(), second.stdout.text());
    }
}

#[test]
fn a_program_in_fixed_surroundings_gets_its_own_variables_and_few_others() {
    let invocation = shell("env", LONG)
        .variable("OWN", "1")
        .surrounded_by(ProcessSurroundings::Fixed { words: 0 });
    let text = run(&invocation, &InterruptionFlag::default()).unwrap().stdout.text();
    let has = |start: &str| text.lines().any(|line| line.starts_with(start));
    assert!(has("OWN=1") && has("PATH="), "{text}");
    // Set for every test by cargo and by nextest.
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !has("CARGO_MANIFEST_DIR="),
        "{text}"
    );
}

#[test]
fn a_program_that_is_ended_together_with_lito_was_interrupted_and_one_that_ends_itself_was_not() {
    let ends_itself = || Invocation::new("sh", "/", Duration::from_secs(60)).arguments(["-c", "kill -TERM $$"]);
    let interruption = InterruptionFlag::default();
    let alone = run(&ends_itself(), &interruption).unwrap();
    assert_eq!(alone.ending(), "was killed by signal 15");
    let together = interruption.clone();
    let ended = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            together.raise();
        });
        run(&ends_itself(), &interruption)
    });
    assert!(matches!(ended, Err(ProcessError::Interrupted { .. })), "{ended:?}");
}

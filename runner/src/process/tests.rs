#![allow(clippy::unwrap_used)]

use super::*;

fn shell(script: &str, limit: Duration) -> Invocation {
    Invocation::new("sh", "/", limit).arguments(["-c", script])
}

const LONG: Duration = Duration::from_secs(60);

fn is_running(process: &str) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())) else {
        return false;
    };
    // A killed process whose parent is gone may stay a zombie for a moment.
    !status.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z')
}

fn ends_soon(process: &str) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_running(process)
    })
}

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
    let directory = tempfile::tempdir().unwrap();
    let script = format!(
        "sleep 1000 & echo $! > {0}/child; echo stuck >&2; wait",
        directory.path().display()
    );
    let error = run(
        &shell(&script, Duration::from_millis(300)),
        &InterruptionFlag::default(),
    )
    .unwrap_err();
    assert!(
        matches!(&error, ProcessError::TimedOut { last_words, .. } if last_words == "stuck"),
        "{error}"
    );
    assert!(ends_soon(
        &std::fs::read_to_string(directory.path().join("child")).unwrap()
    ));
}

#[test]
fn a_command_that_ignores_the_polite_signal_is_killed_after_the_grace() {
    let error = run(
        &shell("trap '' TERM; while :; do sleep 1; done", Duration::from_millis(200)),
        &InterruptionFlag::default(),
    );
    assert!(matches!(error, Err(ProcessError::TimedOut { .. })));
}

#[test]
fn children_left_behind_are_killed_when_the_command_ends() {
    let finished = run(
        &shell("sleep 1000 >/dev/null 2>&1 & echo $!", LONG),
        &InterruptionFlag::default(),
    )
    .unwrap();
    assert!(finished.status.success());
    assert!(ends_soon(&finished.stdout.text()));
}

#[test]
fn a_child_that_left_the_group_and_holds_the_output_does_not_block() {
    let script = "echo early; setsid sh -c 'sleep 10; echo late' & exit 0";
    let finished = run(&shell(script, LONG), &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success());
    assert_eq!(finished.stdout.text(), "early\n");
}

#[test]
fn an_interruption_stops_a_running_command() {
    let interruption = InterruptionFlag::default();
    let raiser = interruption.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        raiser.raise();
    });
    let error = run(&shell("sleep 1000", LONG), &interruption).unwrap_err();
    assert!(matches!(error, ProcessError::Interrupted { .. }));
    thread.join().unwrap();
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

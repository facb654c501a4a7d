//! A requirement of a test → the test goes on, or fails with one sentence that says how to install it.

/// Fails the test unless a program is in `PATH`.
pub(crate) fn program(name: &str) {
    let is_there = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()));
    if !is_there {
        missing(name);
    }
}

/// Fails the test unless a file is there, such as the header of a library.
#[allow(dead_code, reason = "of the tests that share this file, some need programs alone")]
pub(crate) fn file(path: &str) {
    if !std::path::Path::new(path).is_file() {
        missing(path);
    }
}

/// Fails the test because a requirement is missing. A panic would bury the sentence under a backtrace.
#[allow(clippy::print_stderr)]
pub(crate) fn missing(what: &str) -> ! {
    eprintln!("{what} is missing: run ./test.sh, which installs it");
    std::panic::resume_unwind(Box::new("something is missing"))
}

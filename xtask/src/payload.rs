//! `cargo xtask payload`: the types of the HTML report's payload → `report/views/src/payload.ts`.
//!
//! Runs the test of `lito-report` that compares the two, and lets it write the file.

use std::process::Command;

use crate::root;

/// Rewrites the file.
pub(crate) fn run() -> Result<(), String> {
    let status = Command::new("cargo")
        .args([
            "test",
            "--quiet",
            "--package",
            "lito-report",
            "--lib",
            "view::typescript",
        ])
        .env("LITO_BLESS", "1")
        .current_dir(root())
        .status()
        .map_err(|error| format!("payload: starting cargo: {error}"))?;
    if !status.success() {
        return Err(String::from(
            "payload: generating report/views/src/payload.ts: the test failed; mend what it reports above",
        ));
    }
    println!("wrote    report/views/src/payload.ts");
    Ok(())
}

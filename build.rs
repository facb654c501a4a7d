//! Which commit of which repository on GitHub this is, for the workflows that `lito init` writes: they pin the very lito
//! that wrote them. Built from something else than a clone from GitHub, there is nothing to pin, and lito asks.

// A build script is no part of the program.
#![allow(clippy::disallowed_types)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for file in ["HEAD", "logs/HEAD", "config"] {
        // A worktree has them elsewhere. Of one that does not exist, cargo would say each time that it has changed.
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    if let Some(action) = action() {
        println!("cargo:rustc-env=LITO_ACTION={action}");
    }
}

/// `owner/name@commit`.
fn action() -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A copy inside of another repository is not that repository.
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&root).canonicalize().ok()? != here.canonicalize().ok()? {
        return None;
    }
    let url = git(&["remote", "get-url", "origin"])?;
    let (_, place) = url.split_once("github.com")?;
    let name = place.trim_start_matches([':', '/']).trim_end_matches('/');
    let name = name.strip_suffix(".git").unwrap_or(name);
    Some(format!("{name}@{}", git(&["rev-parse", "HEAD"])?))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

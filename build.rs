//! Which commit of which repository this is, for the workflows that `lito init` writes: they install the very lito that
//! wrote them. Built from something that has no address or no commit, there is nothing to name, and lito asks.

// A build script is no part of the program.
#![allow(clippy::disallowed_types)]

use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LITO_SOURCE");
    for file in ["HEAD", "logs/HEAD", "config"] {
        // A worktree has them elsewhere. Of one that does not exist, cargo would say each time that it has changed.
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    if std::env::var_os("LITO_SOURCE").is_some() {
        return;
    }
    if let Some((address, commit)) = clone().or_else(package) {
        println!("cargo:rustc-env=LITO_SOURCE={address}@{commit}");
    }
}

/// The address and the commit of a clone.
fn clone() -> Option<(String, String)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A copy inside of another repository is not that repository.
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&root).canonicalize().ok()? != here.canonicalize().ok()? {
        return None;
    }
    let address = git(&["remote", "get-url", "origin"]).and_then(|origin| match origin.strip_prefix("file://") {
        Some(folder) => https(&fetched_from(Path::new(folder))?),
        None => https(&origin),
    });
    Some((address.or_else(published_address)?, git(&["rev-parse", "HEAD"])?))
}

/// The address and the commit of a package from a registry: cargo notes the commit when it packs one.
fn package() -> Option<(String, String)> {
    let noted = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".cargo_vcs_info.json")).ok()?;
    if noted.contains("\"dirty\": true") {
        return None;
    }
    let (_, after) = noted.split_once("\"sha1\": \"")?;
    Some((published_address()?, after.split('"').next()?.to_owned()))
}

/// The address that the package's description names.
fn published_address() -> Option<String> {
    https(&std::env::var("CARGO_PKG_REPOSITORY").ok()?)
}

/// Where cargo, building from a git repository, fetched the copy in this folder from: the clone's origin is that copy.
fn fetched_from(folder: &Path) -> Option<String> {
    let fetched = fs::read_to_string(folder.join("FETCH_HEAD")).ok()?;
    Some(fetched.lines().next()?.split_whitespace().last()?.to_owned())
}

/// The address by https of a repository that has one, without user and password.
fn https(address: &str) -> Option<String> {
    let place = match address.split_once("://") {
        Some(("https" | "ssh", place)) => place.to_owned(),
        Some(_) => return None,
        // `git@host:path`
        None => address
            .split_once(':')
            .filter(|(host, _)| host.contains('@'))
            .map(|(host, path)| format!("{host}/{path}"))?,
    };
    let (host, path) = place.split_once('/')?;
    let host = host.rsplit('@').next()?;
    // The port of ssh is not that of https.
    let host = if address.starts_with("https") {
        host
    } else {
        host.split(':').next()?
    };
    Some(format!(
        "https://{host}/{}",
        path.trim_end_matches('/').trim_end_matches(".git")
    ))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

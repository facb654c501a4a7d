//! A C compiler of this machine → the library that lets several runs of a program share one start of valgrind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::RepositoryCache;
use crate::process::{self, InterruptionFlag, Invocation};

/// Its source; it uses nothing but the C library.
pub(in crate::profilers::callgrind) const SOURCE: &str = include_str!("runtime.c");

/// The start of its file name, by which it finds itself.
pub(super) const NAME: &str = "lito-shared-start";

/// Compilers that are tried, in this order: whoever builds a program for Linux has one of them.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// The time limit of its build, which takes a tenth of a second.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The library, built if the cache does not hold it yet; `None` where it can't be built.
#[must_use]
pub fn shared_start_library(cache: &RepositoryCache, interruption: &InterruptionFlag) -> Option<PathBuf> {
    let library = cache.library(NAME, &format!("{}\0{SOURCE}", std::env::consts::ARCH));
    if !library.is_file() {
        build(cache.root(), &library, interruption)?;
    }
    Some(library)
}

/// Builds the library; `None` if no compiler does.
pub(in crate::profilers::callgrind) fn build(
    scratch: &Path,
    library: &Path,
    interruption: &InterruptionFlag,
) -> Option<()> {
    let scratch = tempfile::tempdir_in(scratch).ok()?;
    let source = scratch.path().join("shared_start.c");
    let built = scratch.path().join("library.so");
    std::fs::write(&source, SOURCE).ok()?;
    COMPILERS.into_iter().find_map(|compiler| {
        let invocation = Invocation::new(compiler, scratch.path(), TIME_LIMIT)
            .arguments(["-O2", "-s", "-shared", "-fPIC", "-o"])
            .arguments([&built, &source]);
        let finished = process::run(&invocation, interruption).ok()?;
        // Another process may build it at the same time.
        let is_there = finished.status.success() && std::fs::rename(&built, library).is_ok();
        is_there.then_some(())
    })
}

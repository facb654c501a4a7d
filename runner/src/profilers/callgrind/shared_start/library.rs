//! The compiler of a version → the library that lets several runs of a program share one start of valgrind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::BuildContext;
use crate::process::{self, InterruptionFlag, Invocation};
use crate::toolchain;

/// Its source; it uses nothing but the C library.
const SOURCE: &str = include_str!("runtime.rs");

/// The start of its file name, by which it finds itself.
pub(super) const NAME: &str = "lito-shared-start";

/// The time limit of its build, which takes a third of a second.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The library, built if the cache does not hold it yet; `None` where it can't be built or would not be called: only
/// glibc hands the program's arguments to a library.
pub(in crate::profilers::callgrind) fn shared_start_library(context: &BuildContext<'_>) -> Option<PathBuf> {
    let compiler = context.compiler;
    if !compiler.host.ends_with("-linux-gnu") {
        return None;
    }
    let made_of = format!("{}\0{}\0{SOURCE}", compiler.version, compiler.host);
    let library = context.cache.library(NAME, &made_of);
    if !library.is_file() {
        build(context.cache.root(), context.tree, &library, context.interruption)?;
    }
    Some(library)
}

/// Builds the library with the compiler that a folder uses; `None` if that fails.
pub(in crate::profilers::callgrind) fn build(
    scratch: &Path,
    tree: &Path,
    library: &Path,
    interruption: &InterruptionFlag,
) -> Option<()> {
    let scratch = tempfile::tempdir_in(scratch).ok()?;
    let source = scratch.path().join("shared_start.rs");
    let built = scratch.path().join("library.so");
    std::fs::write(&source, SOURCE).ok()?;
    let invocation = Invocation::new(toolchain::compiler_program(), tree, TIME_LIMIT)
        .arguments(["--edition=2021", "--crate-type=cdylib", "--crate-name=shared_start"])
        .arguments(["-Copt-level=2", "-Cpanic=abort", "-Cstrip=symbols", "-o"])
        .arguments([&built, &source]);
    let finished = process::run(&invocation, interruption).ok()?;
    // Another process may build it at the same time.
    let is_there = finished.status.success() && std::fs::rename(&built, library).is_ok();
    is_there.then_some(())
}

//! A changed source that only tests see, and a benchmark that is one of these tests → whether it executes what changed.
//!
//! Such sources are not compared, as no measured program runs them. Where a suite of tests is measured, it does.

use crate::languages::language_of;
use crate::sample::Sample;
use crate::sources::{Blob, FileChange};
use crate::syntax::{ParseLimits, SyntaxFunction};

/// True if a benchmark executes a function of a source that only tests see, and the function is another one after the change.
pub(super) fn executes_changed_test(file: &FileChange, sample: &Sample, benchmark: &str) -> bool {
    let path = &*file.path;
    let Some(language) = language_of(path).filter(|language| language.support().is_for_tests(path)) else {
        return false;
    };
    let functions = |bytes: &[u8]| {
        let source = std::str::from_utf8(bytes).ok()?;
        Some(
            language
                .support()
                .parse(source, false, &ParseLimits::default())
                .functions,
        )
    };
    let of_side = |side: &Option<Blob>| functions(side.as_ref()?.content.bytes()?);
    let sampled = sample.tree.bytes(path).and_then(|bytes| functions(&bytes));
    let (Some(before), Some(after), Some(sampled)) = (of_side(&file.before), of_side(&file.after), sampled) else {
        return true;
    };
    let is_kept = |function: &SyntaxFunction| {
        let mut others = after.iter();
        others.any(|other| other.path == function.path && other.digest == function.digest)
    };
    let executes = |function: &SyntaxFunction| {
        let known = sampled.iter().find(|known| known.path == function.path);
        let mut profiles = (sample.benchmarks.iter()).filter(|profile| profile.profile().benchmark == benchmark);
        known.is_none_or(|known| {
            let lines = known.lines;
            profiles.any(|profile| profile.declared(path, lines.first, lines.last).next().is_some())
        })
    };
    (before.iter()).any(|function| !is_kept(function) && executes(function))
}

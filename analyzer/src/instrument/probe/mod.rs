//! Rust sources → the same sources with probes, and the table of these probes.
//!
//! Probes are calls of the runtime crate `lito_probe`, inserted between the bytes of the original text: no line moves,
//! and no original text changes. They count
//! - each entry of a function or closure, with a guard that ends at its end,
//! - each piece of straight-line code (a *region*): statements up to and including the next one that calls, branches
//!   or leaves; the code after a `?`; conditions, lazy operands, arms and guards.
//!
//! One operation is an operator, a field access, an index, a cast, a construction of a value, a branch, a jump, an
//! entry of a function, a round of a loop, a call; a statement is at least one. The call of a library function counts
//! as its prior in `config/languages/rust/prices.toml`, because its body has no probes.
//!
//! Not probed: `const` functions and constants, macro expansions, build scripts and procedural macros, an
//! implementation of the global allocator, and the places that the caller excludes. Reads no file and runs nothing.

mod body;
mod calls;
mod expression;
mod file;
mod insertions;
mod packages;
mod placement;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use profile::probes::{ProbeSourceRoot, ProbeTable, ProbedSources, UnprobedLine};

use crate::cost::PriceList;
use crate::languages::language_of;
use crate::layout::SourceLayout;
use crate::syntax::ParseLimits;
pub(crate) use file::{InstrumentationContext, instrument as probe_source};
use packages::{ProbePackageIndex, SourceRootFiles};

/// Inserts probes into one source of a language: the new text, `None` if there is nothing to probe, or why it failed.
pub(crate) type Prober = fn(&str, &InstrumentationContext<'_>, &mut ProbeTable) -> Result<Option<String>, String>;

/// Inserts probes into every Rust file of the roots that belongs to a package, except into functions that contain one
/// of the places in `without`.
///
/// A file that cannot be parsed is unchanged and listed in [`ProbedSources::unread`]. The same input gives the same
/// output.
#[must_use]
pub fn instrument(roots: &[ProbeSourceRoot], without: &BTreeSet<UnprobedLine>, costs: &PriceList) -> ProbedSources {
    let mut probed = ProbedSources {
        files: vec![BTreeMap::new(); roots.len()],
        table: ProbeTable::default(),
        unread: Vec::new(),
    };
    let limits = ParseLimits::default();
    for (number, root) in roots.iter().enumerate() {
        let tree = SourceRootFiles(root);
        let layout = SourceLayout::new(&tree);
        let packages = ProbePackageIndex::of(root);
        for (path, text) in &root.files {
            let Some(package) = packages.of_file(path).filter(|package| package.is_probed(path)) else {
                continue;
            };
            let Some(language) = language_of(path).filter(|_| text.len() <= limits.bytes) else {
                continue;
            };
            let Some(probe) = language.support().prober() else {
                continue;
            };
            let first = without.range((number, path.clone(), 0)..);
            let avoided: Vec<u32> = first
                .take_while(|(root, of, _)| *root == number && of == path)
                .map(|(.., line)| *line)
                .collect();
            let module = layout.module(path, language);
            let shown = if root.label.is_empty() {
                path.clone()
            } else {
                format!("{}/{path}", root.label)
            };
            let context = InstrumentationContext {
                path: &shown,
                external: !root.label.is_empty(),
                module: &module.segments,
                names_crate: package.needs_extern_crate() && module.segments.len() == 1,
                avoided: &avoided,
                costs,
                depth: limits.depth,
            };
            match probe(text, &context, &mut probed.table) {
                Ok(Some(changed)) => {
                    probed.files[number].insert(path.clone(), changed);
                }
                Ok(None) => {}
                Err(why) => probed.unread.push((shown, why)),
            }
        }
    }
    probed
}

//! A built program → whether it names a folder in the parts of it that are loaded, so that it may read files there.
//!
//! The path of a build folder gets into a program with `env!("OUT_DIR")`, `env!("CARGO_BIN_EXE_…")`, a library's search
//! path, or the place of a panic in generated code. Debug information names it as well, but is not loaded. A program that
//! puts the path together while it runs is not noticed: no variable and no argument of its run names the folder.

use std::path::Path;

use memchr::memmem;
use object::{Object, ObjectSection, SectionFlags};

use crate::frameworks::Benchmark;

/// True if a program names the folder, or can't be read.
pub(super) fn program_names(program: &Path, folder: &Path) -> bool {
    let name = folder.as_os_str().as_encoded_bytes();
    let Ok(bytes) = std::fs::read(program) else {
        return true;
    };
    let Ok(file) = object::File::parse(bytes.as_slice()) else {
        return memmem::find(&bytes, name).is_some();
    };
    file.sections()
        .filter(|section| is_loaded(section.flags()))
        .any(|section| {
            // A section that can't be read may hold anything.
            section
                .data()
                .map_or(true, |content| memmem::find(content, name).is_some())
        })
}

/// True if the command line or the variables of a run name the folder.
pub(super) fn run_names(benchmark: &Benchmark, folder: &Path) -> bool {
    let name = folder.as_os_str().as_encoded_bytes();
    let values = benchmark.environment.iter().map(|(_, value)| value);
    let mut parts = benchmark.arguments.iter().chain(values);
    parts.any(|part| memmem::find(part.as_encoded_bytes(), name).is_some())
}

fn is_loaded(flags: SectionFlags) -> bool {
    match flags {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(object::elf::SHF_ALLOC),
        // Of other formats, all of the file counts.
        _ => true,
    }
}

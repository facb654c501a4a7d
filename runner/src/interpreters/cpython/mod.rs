//! CPython: from 3.12 on, it enters each Python function by a trampoline of its own and names it in a perf map, if it was
//! built for that. It tells of each line that it executes, and of names.

mod declarations;
mod detection;
mod names;
mod observed_run;
pub(super) mod perf_map_file;
mod records;

use std::collections::BTreeMap;
use std::path::Path;

use attribution::callgrind::interpreted::{CodePiece, InterpretedFunction, InterpretedProgram};
use attribution::perf_map;

use super::{Interpreter, ProcessFunctions, StartedProgram};
use crate::process::InterruptionFlag;
use declarations::{DeclaredCode, declared_code};
pub(super) use detection::find;
use names::{PythonCode, canonical_name};
pub(super) use observed_run::Observation;

/// The code of a process by the names that the interpreter gave it.
pub(super) fn functions_of_process(
    interpreter: &Interpreter,
    process: u32,
    of: &StartedProgram<'_>,
    interruption: &InterruptionFlag,
) -> ProcessFunctions {
    let naming = match &interpreter.functions {
        Ok(naming) => naming,
        Err(reason) => return ProcessFunctions::Unnamed(reason.clone()),
    };
    let bytes = match perf_map_file::read(process) {
        Ok(bytes) => bytes,
        Err(reason) => {
            return ProcessFunctions::Unnamed(format!(
                "{} wrote no list of its functions, so that they are not in the profile: {reason}",
                interpreter.version
            ));
        }
    };
    let map = perf_map::read(&bytes);
    let mut ids: BTreeMap<PythonCode, u32> = BTreeMap::new();
    let mut pieces = Vec::new();
    for piece in map.pieces {
        let Some(code) = PythonCode::of_piece(&piece.name, of.directory) else {
            continue;
        };
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        pieces.push(CodePiece {
            start: piece.start,
            size: piece.size,
            function: *ids.entry(code).or_insert(next),
        });
    }
    let is_own = |path: &Path| !naming.libraries.iter().any(|(folder, _)| path.starts_with(folder));
    let files = ids.keys().filter_map(|code| code.file.as_deref());
    let files = files.filter(|file| is_own(Path::new(file)));
    let declared = declared_code(interpreter, files, of, interruption);
    let mut functions = vec![InterpretedFunction::default(); ids.len()];
    for (code, id) in ids {
        let declarations = declared.get(&code).map_or(&[][..], Vec::as_slice);
        functions[id as usize] = function(&code, declarations, naming.enters_constructors_otherwise);
    }
    ProcessFunctions::Named(InterpretedProgram { pieces, functions })
}

fn function(
    code: &PythonCode,
    declarations: &[DeclaredCode],
    enters_constructors_otherwise: bool,
) -> InterpretedFunction {
    let is_class_body = declarations.iter().any(|declared| declared.is_class_body);
    // A module begins on the line of its first function, perhaps, but not with that function.
    let declared = declarations.iter().filter(|_| !code.is_module());
    let mut lines: Vec<u32> = declared.map(|declared| declared.line).collect();
    lines.sort_unstable();
    lines.dedup();
    InterpretedFunction {
        name: canonical_name(code, is_class_body),
        file: code.file.clone(),
        lines,
        is_entered_otherwise: enters_constructors_otherwise && code.is_constructor(),
    }
}

//! A program file → the names of its functions, demangled into the form that globs of subjects match.

use std::path::Path;

use object::{Object, ObjectSymbol};

use super::FrameworkError;

/// The functions of a program, sorted.
#[derive(Default)]
pub(crate) struct ProgramSymbols(Vec<String>);

impl ProgramSymbols {
    pub(super) fn read(program: &Path) -> Result<Self, FrameworkError> {
        let error = |reason: String| FrameworkError::Unreadable {
            program: program.to_owned(),
            reason,
        };
        let bytes = std::fs::read(program).map_err(|source| error(source.to_string()))?;
        let file = object::File::parse(bytes.as_slice()).map_err(|source| error(source.to_string()))?;
        let names = file
            .symbols()
            .filter(|symbol| symbol.is_definition())
            .filter_map(|symbol| symbol.name().ok());
        let mut names: Vec<String> = names
            .map(|name| format!("{:#}", rustc_demangle::demangle(name)))
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(Self(names))
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn any(&self, is: impl Fn(&str) -> bool) -> bool {
        self.0.iter().any(|name| is(name))
    }

    /// True if a function of this crate is in the program, including generic ones instantiated elsewhere.
    pub(super) fn has_crate(&self, name: &str) -> bool {
        let (path, implementation) = (format!("{name}::"), format!("<{name}::"));
        self.any(|symbol| symbol.starts_with(&path) || symbol.starts_with(&implementation))
    }
}

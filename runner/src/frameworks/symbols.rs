//! A program file → the names of its functions, demangled into the form that globs of subjects match.

use std::path::Path;

use object::{Object, ObjectSymbol};

use super::FrameworkError;

/// The functions of a program.
#[derive(Default)]
pub(crate) struct ProgramSymbols {
    /// Its own, sorted.
    own: Vec<String>,
    /// Those of shared libraries that it calls, as compilers write them.
    called: Vec<String>,
}

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
        let called = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
        Ok(Self {
            own: names,
            called: called
                .filter_map(|symbol| Some(symbol.name().ok()?.to_owned()))
                .collect(),
        })
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(String::as_str)
    }

    pub(super) fn any(&self, is: impl Fn(&str) -> bool) -> bool {
        self.own.iter().any(|name| is(name))
    }

    /// The same for functions of shared libraries too.
    pub(super) fn any_linked(&self, is: impl Fn(&str) -> bool) -> bool {
        self.own.iter().chain(&self.called).any(|name| is(name))
    }

    /// The same for its own functions as people read them, whatever language they are written in.
    pub(super) fn any_demangled(&self, is: impl Fn(&str) -> bool) -> bool {
        self.any(|name| is(&profile::function_name::demangled(name)))
    }

    /// True if a function of this crate is in the program, including generic ones instantiated elsewhere.
    pub(super) fn has_crate(&self, name: &str) -> bool {
        let (path, implementation) = (format!("{name}::"), format!("<{name}::"));
        self.any(|symbol| symbol.starts_with(&path) || symbol.starts_with(&implementation))
    }
}

//! All functions of a report → a table, each once, with a number.

use std::collections::BTreeMap;

use serde::Serialize;

use super::EarlierNames;
use super::function_names::parts;
use super::number_codes::Flag;
use super::string_table::ViewStringTable;

/// Source location of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ViewFunction<'n> {
    pub(super) file: Option<&'n str>,
    pub(super) line: u32,
    pub(super) external: bool,
}

/// The functions by name, and the number of each.
#[derive(Debug, Default)]
pub(super) struct ViewFunctionTable<'n> {
    known: BTreeMap<&'n str, ViewFunction<'n>>,
    numbers: BTreeMap<&'n str, u32>,
}

/// Columns of the functions, sorted by name. `name` = package + module + type + label.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Functions"))]
pub(super) struct FunctionsPayload {
    name: Vec<u32>,
    package: Vec<u32>,
    /// -1 if the function is in no module.
    module: Vec<i64>,
    /// The type (or class) that defines the function; -1 if none does.
    #[serde(rename = "type")]
    of_type: Vec<i64>,
    /// The function's own name, closures included: "parse::{closure}".
    label: Vec<u32>,
    /// -1 if the file is not known.
    file: Vec<i64>,
    line: Vec<u32>,
    external: Vec<Flag>,
    /// The names that older versions have for it, separated by commas; -1 if there is none.
    earlier: Vec<i64>,
}

impl<'n> ViewFunctionTable<'n> {
    /// Collects functions; the last location of a name counts.
    pub(super) fn of(all: impl IntoIterator<Item = (&'n str, ViewFunction<'n>)>) -> Self {
        let known: BTreeMap<&str, ViewFunction<'n>> = all.into_iter().collect();
        let numbers = (known.keys().zip(0u32..)).map(|(name, at)| (*name, at));
        Self {
            numbers: numbers.collect(),
            known,
        }
    }

    /// The number of a function.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'n str, &ViewFunction<'n>)> {
        self.known.iter().map(|(name, known)| (*name, known))
    }

    pub(super) fn known(&self, name: &str) -> Option<&ViewFunction<'n>> {
        self.known.get(name)
    }

    pub(super) fn columns(&self, earlier: &EarlierNames, strings: &mut ViewStringTable) -> FunctionsPayload {
        let mut columns = FunctionsPayload::default();
        for (name, known) in self.iter() {
            let parts = parts(name, known.file.filter(|_| known.external));
            columns.name.push(strings.number(name));
            columns.package.push(strings.number(parts.package));
            columns.module.push(strings.number_or_none(parts.module));
            columns.of_type.push(strings.number_or_none(parts.of_type));
            columns.label.push(strings.number(parts.label));
            columns.file.push(strings.number_or_none(known.file));
            columns.line.push(known.line);
            columns.external.push(Flag(known.external));
            let names = earlier
                .get(name)
                .map(|names| names.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
            columns.earlier.push(strings.number_or_none(names.as_deref()));
        }
        columns
    }
}

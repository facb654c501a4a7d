//! Texts of a payload → a table, each once, with a number.

use std::collections::HashMap;

/// The column `strings` of a payload.
#[derive(Debug, Default)]
pub(super) struct ViewStringTable {
    all: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// Stands for a missing number.
pub(super) const NONE: i64 = -1;

impl ViewStringTable {
    /// The number of a text.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The number of an optional text.
    pub(super) fn number_or_none(&mut self, text: Option<&str>) -> i64 {
        text.map_or(NONE, |text| i64::from(self.number(text)))
    }

    /// The texts by number.
    pub(super) fn into_all(self) -> Vec<String> {
        self.all
    }
}

//! The benchmark definitions that a command works with: the tables of `lito.toml`, and the choice among them that was made
//! on the command line.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::{BenchmarkAdapter, BenchmarkDefinition, any_matches};

/// The program that lists the tests of a build of CMake.
pub(crate) const CTEST: &str = "ctest";

/// The definitions, and a choice among their benchmarks.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct BenchmarkDefinitions {
    tables: Vec<BenchmarkDefinition>,
    #[serde(skip)]
    choice: BenchmarkChoice,
}

/// Benchmarks that were chosen on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct BenchmarkChoice {
    /// Globs of their names; all if there is none.
    pub names: Vec<String>,
    /// The packages that hold them; all if there is none.
    pub packages: Vec<String>,
}

/// How the one name begins that stands for the benchmarks of all packages that were not chosen.
const OTHER_PACKAGES: &str = "benchmarks of packages other than";

impl BenchmarkChoice {
    /// True if nothing is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.names.is_empty() && self.packages.is_empty()
    }

    /// True if the names leave a benchmark in. Nothing is known of its package.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        self.names.is_empty() || any_matches(&self.names, name)
    }

    /// The benchmarks of packages that were not chosen, as one name: they are not built, so that their own are not known.
    #[must_use]
    pub fn other_packages(&self) -> Option<String> {
        let packages = &self.packages;
        (!packages.is_empty()).then(|| format!("{OTHER_PACKAGES} {}", packages.join(", ")))
    }

    /// True if what a sample left out under this name may be one of the chosen benchmarks.
    #[must_use]
    pub fn may_include(&self, left_out: &str) -> bool {
        self.includes(left_out) || left_out.starts_with(OTHER_PACKAGES)
    }
}

impl BenchmarkDefinitions {
    /// The same tables with this choice.
    #[must_use]
    pub fn choosing(&self, choice: BenchmarkChoice) -> Self {
        Self {
            tables: self.tables.clone(),
            choice,
        }
    }

    /// True if there are definitions, and each is a command of the user: nothing asks for cargo.
    #[must_use]
    pub fn are_commands(&self) -> bool {
        let is_command = |table: &BenchmarkDefinition| table.adapter == BenchmarkAdapter::Command;
        !self.tables.is_empty() && self.tables.iter().all(is_command)
    }

    /// The choice.
    #[must_use]
    pub fn choice(&self) -> &BenchmarkChoice {
        &self.choice
    }

    /// The chosen part of each definition, which need not be one of the tables; without those that have none.
    #[must_use]
    pub fn chosen_of(&self, definitions: &[BenchmarkDefinition]) -> Vec<BenchmarkDefinition> {
        definitions
            .iter()
            .filter_map(|definition| self.chosen(definition))
            .collect()
    }

    fn chosen(&self, definition: &BenchmarkDefinition) -> Option<BenchmarkDefinition> {
        let mut chosen = definition.clone();
        chosen.chosen.clone_from(&self.choice.names);
        if self.choice.packages.is_empty() {
            return Some(chosen);
        }
        // A command belongs to no package.
        if definition.adapter == BenchmarkAdapter::Command {
            return None;
        }
        chosen.packages.clone_from(&self.choice.packages);
        chosen
            .packages
            .retain(|package| definition.packages.is_empty() || definition.packages.contains(package));
        (!chosen.packages.is_empty()).then_some(chosen)
    }
}

impl Deref for BenchmarkDefinitions {
    type Target = [BenchmarkDefinition];

    fn deref(&self) -> &Self::Target {
        &self.tables
    }
}

impl<T: Into<Vec<BenchmarkDefinition>>> From<T> for BenchmarkDefinitions {
    fn from(tables: T) -> Self {
        Self {
            tables: tables.into(),
            choice: BenchmarkChoice::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(names: &[&str], packages: &[&str]) -> BenchmarkDefinitions {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        BenchmarkDefinitions::default().choosing(BenchmarkChoice {
            names: owned(names),
            packages: owned(packages),
        })
    }

    #[test]
    fn packages_are_chosen_among_those_of_a_definition() {
        let all = BenchmarkDefinition::new(BenchmarkAdapter::CargoBench);
        let two = BenchmarkDefinition {
            packages: vec!["a".to_owned(), "b".to_owned()],
            ..all.clone()
        };
        let command = BenchmarkDefinition::new(BenchmarkAdapter::Command);
        let packages = |chosen: &BenchmarkDefinitions, of: &BenchmarkDefinition| {
            chosen.chosen_of(std::slice::from_ref(of)).pop().map(|of| of.packages)
        };
        let chosen = choice(&[], &["b", "c"]);
        assert_eq!(packages(&chosen, &all), Some(vec!["b".to_owned(), "c".to_owned()]));
        assert_eq!(packages(&chosen, &two), Some(vec!["b".to_owned()]));
        assert_eq!(packages(&choice(&[], &["c"]), &two), None);
        assert_eq!(packages(&chosen, &command), None);
        assert_eq!(packages(&choice(&[], &[]), &command), Some(Vec::new()));
    }

    #[test]
    fn names_are_chosen_by_globs() {
        let chosen = choice(&["parse/*"], &[]);
        let of = chosen.chosen_of(&[BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)]);
        assert!(of[0].is_chosen("parse/long") && !of[0].is_chosen("print"));
        assert!(of[0].includes("print"), "the settings do not exclude it");
        assert!(!chosen.choice().includes("print") && choice(&[], &["a"]).choice().includes("print"));
    }

    #[test]
    fn benchmarks_of_other_packages_may_have_any_name() {
        let others = choice(&[], &["a", "b"]).choice().other_packages().unwrap_or_default();
        assert_eq!(others, "benchmarks of packages other than a, b");
        let chosen = choice(&["parse/*"], &[]);
        assert!(chosen.choice().may_include(&others) && chosen.choice().may_include("parse/long"));
        assert!(!chosen.choice().may_include("print"));
    }
}

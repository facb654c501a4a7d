//! The costs of the functions of a language's libraries: `config/languages/*/prices.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::cost::Estimate;
use crate::cost::price_list::{EstimateBounds, parsed};
use crate::languages::Language;
use crate::resolve::imported;
use crate::syntax::{ItemKind, SourceFile, SyntaxCallForm, SyntaxCallee};

/// The prices of one language, as written in its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PricesFile {
    #[serde(default)]
    pub(super) diverging: BTreeSet<String>,
    #[serde(default)]
    pub(super) sizing: BTreeSet<String>,
    #[serde(default)]
    pub(super) hints: BTreeSet<String>,
    /// None in a language of which nothing is known about this.
    #[serde(default)]
    pub(super) told: BTreeSet<String>,
    #[serde(default)]
    passing: Vec<PassingClass>,
    pub(super) class: Vec<PriorClass>,
}

/// Library functions that pass over all that they are given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PassingClass {
    /// The most that an element costs.
    each: f64,
    functions: Vec<String>,
}

/// Library functions of about the same cost.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriorClass {
    /// The reason, for the reader of the file.
    #[serde(rename = "why")]
    _why: String,
    cost: EstimateBounds,
    pub(super) functions: Vec<String>,
}

/// The callee of a call that no source of the project defines.
#[derive(Debug, Clone, Copy)]
pub struct LibraryCallee<'a> {
    /// As it is written.
    pub callee: &'a SyntaxCallee,
    /// The type whose function it is, where that is known.
    pub of_type: Option<&'a str>,
    /// The file of the call.
    pub source: Option<&'a SourceFile>,
}

/// The cost of one call of each library function, in instructions.
#[derive(Debug, Clone, Default)]
pub struct LibraryPrices {
    /// By `Type::name`, or else by `name`.
    priors: BTreeMap<String, EstimateBounds>,
    /// The most that an element costs in functions that pass over all of them, by the same names.
    passing: BTreeMap<String, f64>,
    /// True where methods are listed as `.name`, and other functions by their whole path: the source of such a language
    /// shows few types, and a bare name says too little.
    by_form: bool,
}

impl LibraryPrices {
    pub(super) fn of<'f>(files: impl Iterator<Item = &'f PricesFile>, by_form: bool) -> Self {
        let mut prices = Self {
            by_form,
            ..Self::default()
        };
        for file in files {
            for class in &file.class {
                let costs = class.functions.iter().map(|name| (name.clone(), class.cost));
                prices.priors.extend(costs);
            }
            for class in &file.passing {
                let costs = class.functions.iter().map(|name| (name.clone(), class.each));
                prices.passing.extend(costs);
            }
        }
        prices
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled
            .priors
            .values_mut()
            .for_each(|bounds| *bounds = bounds.times(factor));
        scaled.passing.values_mut().for_each(|each| *each *= factor);
        scaled
    }

    /// The prior of the callee of a call, per call: that of `of_type::name` where the type is known and listed, else
    /// that of `name` on any type.
    #[must_use]
    pub fn prior(&self, of: LibraryCallee<'_>) -> Option<Estimate> {
        self.listed(&self.priors, of).map(|bounds| bounds.estimate())
    }

    /// The most that a call costs whose callee passes over so many elements; 0 for one that passes over none.
    #[must_use]
    pub fn cost_of_passing(&self, of: LibraryCallee<'_>, elements: f64) -> f64 {
        self.listed(&self.passing, of).map_or(0.0, |each| each * elements)
    }

    /// The most that a call of a function of this name costs; 0 for one that is not listed.
    pub(super) fn most(&self, name: &str) -> f64 {
        self.priors.get(name).map_or(0.0, |bounds| bounds.estimate().high)
    }

    /// The prior of a function by its names alone.
    #[must_use]
    pub fn prior_by_name(&self, of_type: Option<&str>, name: &str) -> Option<Estimate> {
        by_name(&self.priors, of_type, name).map(|bounds| bounds.estimate())
    }

    fn listed<'l, T>(&self, list: &'l BTreeMap<String, T>, of: LibraryCallee<'_>) -> Option<&'l T> {
        match self.by_form {
            true => list.get(&of.name_by_form()?),
            false => by_name(list, of.of_type_or_path(), &of.callee.name),
        }
    }

    #[cfg(test)]
    pub(super) fn priors(&self) -> impl Iterator<Item = Estimate> {
        self.priors.values().map(|bounds| bounds.estimate())
    }
}

impl<'a> LibraryCallee<'a> {
    fn of_type_or_path(&self) -> Option<&'a str> {
        self.of_type.or_else(|| self.callee.path.last().map(String::as_str))
    }

    /// `.name` for a method of any value, `of::name` for a function of a type or module, the bare name for one of the
    /// language.
    fn name_by_form(&self) -> Option<String> {
        let name = &self.callee.name;
        match (self.callee.form, self.of_type_or_path()) {
            (SyntaxCallForm::Method, None) => Some(format!(".{name}")),
            (SyntaxCallForm::Path, Some(_)) if self.is_on_value() => Some(format!(".{name}")),
            (SyntaxCallForm::Method | SyntaxCallForm::Path, Some(of)) => Some(format!("{of}::{name}")),
            (SyntaxCallForm::Path, None) => match self.source.and_then(|source| imported(source, name)) {
                Some([.., module, imported]) => Some(format!("{module}::{imported}")),
                Some(_) => None,
                None => Some(name.clone()),
            },
            (SyntaxCallForm::Macro | SyntaxCallForm::Value, _) => None,
        }
    }

    /// True for a method of a value of the file, where a path could be of a module as well: `PATTERN.match(text)`.
    fn is_on_value(&self) -> bool {
        let [value] = &self.callee.path[..] else {
            return false;
        };
        let is_of_file = |source: &SourceFile| {
            let mut items = source.items.iter();
            items.any(|item| item.kind == ItemKind::Constant && item.name == *value)
        };
        // By convention; a class of one word may be written so, too, but is seldom of one letter.
        let is_written_as_constant =
            value.len() > 1 && value.contains(char::is_uppercase) && !value.contains(char::is_lowercase);
        is_written_as_constant || self.source.is_some_and(is_of_file)
    }
}

/// The entry of a function of a type if there is one, else that of its name on any type.
fn by_name<'l, T>(list: &'l BTreeMap<String, T>, of_type: Option<&str>, name: &str) -> Option<&'l T> {
    of_type
        .and_then(|of_type| list.get(&format!("{of_type}::{name}")))
        .or_else(|| list.get(name))
}

/// The prices of the library functions of each language that has any.
pub(super) fn price_files() -> impl Iterator<Item = (Language, PricesFile)> {
    crate::languages::languages().filter_map(|language| {
        let support = language.support();
        let name = format!("prices.toml of {}", support.name());
        Some((language, parsed(&name, support.library_prices()?)))
    })
}

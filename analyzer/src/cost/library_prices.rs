//! What the functions of a language's libraries cost, and are known for: `config/languages/*/prices.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::cost::Estimate;
use crate::cost::price_list::{EstimateBounds, parsed};
use crate::languages::Language;
use crate::syntax::{SyntaxCallForm, SyntaxCallee};

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

/// The cost of one call of each library function, in instructions.
#[derive(Debug, Clone, Default)]
pub struct LibraryPrices {
    /// By `Type::name`, or else by `name`.
    priors: BTreeMap<String, EstimateBounds>,
    /// The most that an element costs in functions that pass over all of them, by the same names.
    passing: BTreeMap<String, f64>,
    /// True where a name says too little: a method is listed as `.name`, and what has a path only with it. The source
    /// of such a language shows few types.
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
        scaled.priors.values_mut().for_each(|bounds| *bounds = bounds.times(factor));
        scaled.passing.values_mut().for_each(|each| *each *= factor);
        scaled
    }

    /// The prior of the callee of a call, per call: that of `of_type::name` where the type is known and listed, else
    /// that of `name` on any type.
    #[must_use]
    pub fn prior(&self, callee: &SyntaxCallee, of_type: Option<&str>) -> Option<Estimate> {
        self.listed(&self.priors, callee, of_type).map(|bounds| bounds.estimate())
    }

    /// The most that a call costs whose callee passes over so many elements; 0 for one that passes over none.
    #[must_use]
    pub fn cost_of_passing(&self, callee: &SyntaxCallee, of_type: Option<&str>, elements: f64) -> f64 {
        self.listed(&self.passing, callee, of_type)
            .map_or(0.0, |each| each * elements)
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

    fn listed<'l, T>(&self, list: &'l BTreeMap<String, T>, callee: &SyntaxCallee, of_type: Option<&str>) -> Option<&'l T> {
        let name = &callee.name;
        let of_type = of_type.or_else(|| callee.path.last().map(String::as_str));
        match (of_type, callee.form) {
            _ if !self.by_form => by_name(list, of_type, name),
            (Some(of_type), _) => list.get(&format!("{of_type}::{name}")),
            (None, SyntaxCallForm::Method) => list.get(&format!(".{name}")),
            (None, SyntaxCallForm::Path | SyntaxCallForm::Macro | SyntaxCallForm::Value) => list.get(name),
        }
    }

    #[cfg(test)]
    pub(super) fn priors(&self) -> impl Iterator<Item = Estimate> {
        self.priors.values().map(|bounds| bounds.estimate())
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

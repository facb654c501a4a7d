//! The functions that the sources define → which calls can be repeated, or given to a slower copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::edit_sites::{CallForm, SeedableCall, SeedableFunction, SeedableItems};

/// A function as its signature shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeedableDefinition {
    pub(super) name: String,
    /// Inline modules around it.
    pub(super) module: Vec<String>,
    /// The type whose inherent method it is.
    pub(super) owner: Option<String>,
    /// How each parameter is passed; `None` if calling it twice may not be possible, or may not do the same.
    pub(super) passing: Option<Vec<ParameterPassing>>,
    /// What a copy of it is made of; `None` where it cannot be copied under another name.
    pub(super) copy: Option<FunctionPartSpans>,
}

/// How a parameter is passed, among those that leave the argument usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParameterPassing {
    /// `&T`
    Shared,
    /// A number, `bool` or `char`.
    Value,
}

/// Where the parts of a function stand in its source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FunctionPartSpans {
    /// All of it, attributes included.
    pub(super) whole: Range<usize>,
    /// `pub` and its like; empty if there is none.
    pub(super) visibility: Range<usize>,
    /// Its name.
    pub(super) name: Range<usize>,
    /// Where the first statement of its body stands, or would.
    pub(super) body: usize,
    /// Behind the item of the module that it is in.
    pub(super) beside: usize,
}

/// What all sources define.
pub(super) struct SeedableDefinitionIndex {
    /// By name: (file, index) of each function.
    by_name: BTreeMap<String, Vec<(usize, usize)>>,
    /// Numbers, `bool`s and `char`s among the fields of structs: type → fields. Types of one name are left out.
    fields: BTreeMap<String, Vec<String>>,
}

impl SeedableDefinitionIndex {
    /// Of all surveyed files, in their order.
    pub(super) fn new<'s>(surveys: impl Iterator<Item = &'s SeedableItems>) -> Self {
        let mut by_name: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for (file, survey) in surveys.enumerate() {
            for (index, definition) in survey.definitions.iter().enumerate() {
                by_name.entry(definition.name.clone()).or_default().push((file, index));
            }
            for (name, plain) in &survey.types {
                if fields.insert(name.clone(), plain.clone()).is_some() {
                    twice.insert(name.clone());
                }
            }
        }
        fields.retain(|name, _| !twice.contains(name));
        Self { by_name, fields }
    }

    /// The one function of the caller's own file that a call can only mean.
    pub(super) fn resolve_call<'s>(
        &self,
        survey: &'s SeedableItems,
        file: usize,
        caller: &SeedableFunction,
        call: &SeedableCall,
    ) -> Option<&'s SeedableDefinition> {
        let [(in_file, index)] = self.by_name.get(&call.name)?.as_slice() else {
            return None;
        };
        let definition = survey.definitions.get(*index).filter(|_| *in_file == file)?;
        let same_owner = definition.owner.is_some() && definition.owner == caller.owner;
        let fits = match &call.form {
            CallForm::Free => definition.owner.is_none(),
            CallForm::OnSelf => same_owner,
            CallForm::OfType(name) => same_owner && (name == "Self" || Some(name) == caller.owner.as_ref()),
        };
        let is_itself = caller.path.last() == Some(&definition.name);
        (fits && !is_itself && definition.module == caller.module).then_some(definition)
    }

    /// Fields of a type that hold a number, `bool` or `char`.
    pub(super) fn plain_fields(&self, owner: &str) -> &[String] {
        self.fields.get(owner).map_or(&[], Vec::as_slice)
    }
}

//! The functions that the sources define → the calls that can be repeated, or redirected to a slower copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::edit_sites::{CallForm, SeedableCall, SeedableFunction, SeedableItems};

/// A function, described by its signature.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeedableDefinition {
    pub(super) name: String,
    /// Inline modules around it.
    pub(super) module: Vec<String>,
    /// The type whose inherent method it is.
    pub(super) owner: Option<String>,
    /// How each parameter is passed; `None` if a second call may not be possible, or may have another result.
    pub(super) passing: Option<Vec<ParameterPassing>>,
    /// The parts that a copy is made of; `None` if it cannot be copied under another name.
    pub(super) copy: Option<FunctionPartSpans>,
}

/// How a parameter is passed, limited to the ways that leave the argument usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParameterPassing {
    /// `&T`
    Shared,
    /// A number, `bool` or `char`.
    Value,
}

/// The positions of a function's parts in its source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FunctionPartSpans {
    /// The whole function, including attributes.
    pub(super) whole: Range<usize>,
    /// `pub`, `pub(crate)` and so on; empty without a visibility.
    pub(super) visibility: Range<usize>,
    /// Its name.
    pub(super) name: Range<usize>,
    /// The position of the first statement of its body, or the one it would have.
    pub(super) body: usize,
    /// The position before the enclosing item of its module.
    pub(super) ahead: usize,
    /// The position behind that item.
    pub(super) beside: usize,
}

/// The definitions of all sources.
pub(super) struct SeedableDefinitionIndex {
    /// By name: (file, index) of each function.
    by_name: BTreeMap<String, Vec<(usize, usize)>>,
    /// Numbers, `bool`s and `char`s among the fields of structs: type → fields. Types that share a name are left out.
    fields: BTreeMap<String, Vec<String>>,
}

impl SeedableDefinitionIndex {
    /// The index of all surveyed files, in their order.
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

    /// The only function in the caller's own file that a call can refer to.
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

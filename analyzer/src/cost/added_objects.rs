//! A value that code makes besides, of a type whose methods are called without its name → the cost of the methods that other types
//! have in their place: one more stage of a pipeline is one more `Box::new(Sort)`.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::change::{ExecutionEdit, SourceChange};
use crate::cost::lito::BenchmarkPricer;
use crate::languages::FOR_PEOPLE;
use crate::syntax::{ItemKind, SyntaxCall, SyntaxFunction};

impl BenchmarkPricer<'_> {
    /// The largest cost of a method that another type has for a trait of the types that added calls name.
    pub(super) fn cost_of_added_object(&self, change: &SourceChange, pair: usize) -> f64 {
        let Some(runs) = &self.executions[pair] else {
            return 0.0;
        };
        let added = change.edits.iter().filter_map(ExecutionEdit::added_call);
        let added = added.filter_map(|(call, block)| {
            let runs = runs.after.get(block.0 as usize)?;
            (runs.expected > 0.0).then_some(call)
        });
        let types: BTreeSet<&str> = added.flat_map(types_named_by).collect();
        if types.is_empty() {
            return 0.0;
        }
        let traits = self.dispatched_traits_of(&types);
        let is_like_them = |function: &SyntaxFunction| {
            function
                .of_trait
                .as_ref()
                .is_some_and(|of_trait| traits.contains(of_trait))
        };
        let parser = self.scene.before.parser;
        let files = self.scene.scanned_files().files.iter();
        let costs = files.flat_map(|file| {
            let source = file.source(parser);
            let functions: Vec<_> = source
                .functions
                .iter()
                .filter(|function| is_like_them(function))
                .cloned()
                .collect();
            functions.into_iter().filter_map(move |function| {
                let sampled = self.scene.sampled_function(file, &function)?;
                let ids = sampled.ids(self.profile);
                let of = |id| self.profile.profile().function(id).inclusive as f64;
                Some(ids.into_iter().map(of).sum::<f64>())
            })
        });
        match traits.is_empty() {
            true => 0.0,
            false => costs.fold(0.0, f64::max).min(self.profile.total()),
        }
    }

    /// The traits of the project that types implement, and whose methods are called on values of any type (`dyn Stage`).
    fn dispatched_traits_of(&self, types: &BTreeSet<&str>) -> BTreeSet<String> {
        let parser = self.scene.before.parser;
        let scanned = &self.scene.scanned_files().files;
        let mut traits = BTreeSet::new();
        let mut add = |function: &SyntaxFunction| {
            let is_of_type = (function.owner.as_deref()).is_some_and(|owner| types.contains(owner));
            if let Some(of_trait) = function.of_trait.as_ref().filter(|_| is_of_type) {
                traits.insert(of_trait.clone());
            }
        };
        for file in scanned
            .iter()
            .filter(|file| types.iter().any(|name| file.may_hold(name)))
        {
            file.source(parser).functions.iter().for_each(|function| add(function));
        }
        let new = self.scene.changes.pairs.iter().filter(|pair| pair.before.is_none());
        new.filter_map(|pair| pair.after.as_ref())
            .for_each(|after| add(&after.function));
        traits.retain(|of_trait| {
            let object = format!("dyn {of_trait}");
            !FOR_PEOPLE.contains(&of_trait.as_str())
                && scanned
                    .iter()
                    .any(|file| memmem::find(&file.bytes, object.as_bytes()).is_some())
                && (scanned.iter().filter(|file| file.may_hold(of_trait))).any(|file| {
                    file.source(parser)
                        .items
                        .iter()
                        .any(|item| item.kind == ItemKind::Trait && item.name == *of_trait)
                })
        });
        traits
    }
}

/// The words of a call that may be types.
fn types_named_by(call: &SyntaxCall) -> impl Iterator<Item = &str> {
    let arguments = call.arguments.text.0.split(' ');
    let words = call.callee.path.iter().map(String::as_str).chain(arguments);
    words.filter(|word| word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase))
}

//! A call in the source → its callee, as far as imports, `Self` and visible types show, and its assumed cost.

use profile::probes::{ProbeCallKind, ProbeCallSite};
use syn::{Expr, ExprPath};

use super::body::FunctionInstrumenter;
use super::file::path_with;
use crate::languages::rust::method_chain;
use crate::languages::rust::syn_names::{is_capitalised, type_name};
use crate::syntax::CallReceiver;

/// The paths of types that need no import, as in debug information.
const PRELUDE: [(&str, &str); 6] = [
    ("Box", "alloc::boxed::Box"),
    ("Option", "core::option::Option"),
    ("Rc", "alloc::rc::Rc"),
    ("Result", "core::result::Result"),
    ("String", "alloc::string::String"),
    ("Vec", "alloc::vec::Vec"),
];

/// The most operations that one library call counts as, whatever its prior: a call with a wrong prior must not outweigh
/// everything else.
const DEAREST_CALL: f64 = 1000.0;

impl FunctionInstrumenter<'_, '_> {
    /// `a::b(…)`.
    pub(super) fn path_site(&self, path: &ExprPath, line: u32) -> ProbeCallSite {
        let mut written: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if let Some(qself) = &path.qself {
            let name = written.pop().unwrap_or_default();
            written = vec![type_name(&qself.ty), name];
        }
        if let [only] = written.as_slice()
            && self.locals.contains(only)
        {
            return self.implied(only, line);
        }
        let own = written
            .first()
            .is_some_and(|first| matches!(first.as_str(), "Self" | "self" | "super" | "crate"));
        let full = self.followed(written);
        let (name, before) = match full.split_last() {
            Some((name, before)) => (name.clone(), before),
            None => (String::new(), &[][..]),
        };
        let of_type = before.last().filter(|segment| is_capitalised(segment));
        let operations = if own {
            1
        } else {
            self.worth(of_type.map(String::as_str), &name)
        };
        ProbeCallSite {
            full_name: full.join("::"),
            name,
            line,
            operations,
            kind: ProbeCallKind::Named,
        }
    }

    /// `x.b(…)`.
    pub(super) fn method_site(&self, receiver: &Expr, name: &str, line: u32) -> ProbeCallSite {
        let shown = method_chain::receiver(receiver, |name| self.locals.contains(name));
        let of_type = match &shown {
            CallReceiver::SelfValue => self.owner.clone(),
            CallReceiver::SelfField(field) => self
                .owner
                .as_ref()
                .and_then(|owner| self.file.fields.get(owner)?.get(field).cloned()),
            CallReceiver::Local(local) => self.hints.get(local).cloned(),
            CallReceiver::Result { .. } => None,
            CallReceiver::Other(of_type) => of_type.clone(),
        };
        let of_type = of_type.filter(|of_type| !of_type.is_empty());
        let operations = match shown {
            CallReceiver::SelfValue => 1,
            _ => self.worth(of_type.as_deref(), name),
        };
        let full_name = match of_type {
            Some(of_type) => format!("{}::{name}", self.of_type(&of_type)),
            None => name.to_owned(),
        };
        ProbeCallSite {
            name: name.to_owned(),
            full_name,
            line,
            operations,
            kind: ProbeCallKind::Named,
        }
    }

    /// `b!(…)`.
    pub(super) fn macro_site(&self, name: &str, line: u32) -> ProbeCallSite {
        ProbeCallSite {
            name: format!("{name}!"),
            full_name: format!("{name}!"),
            line,
            operations: self.worth(None, name),
            kind: ProbeCallKind::Named,
        }
    }

    /// A call of a callee without a name.
    pub(super) fn implied(&self, name: &str, line: u32) -> ProbeCallSite {
        ProbeCallSite {
            name: name.to_owned(),
            full_name: name.to_owned(),
            line,
            operations: 1,
            kind: ProbeCallKind::Implied,
        }
    }

    /// A written path with its first segment resolved.
    fn followed(&self, written: Vec<String>) -> Vec<String> {
        let module = self.file.context.module;
        let Some((first, rest)) = written.split_first() else {
            return written;
        };
        let start: Vec<String> = match first.as_str() {
            "Self" => match &self.owner {
                Some(owner) => path_with(module, owner.clone()),
                None => return written,
            },
            "crate" => module.first().cloned().into_iter().collect(),
            "self" => module.to_vec(),
            "super" => module[..module.len().saturating_sub(1)].to_vec(),
            _ => match self.file.imports.get(first) {
                Some(target) if target.first().is_some_and(|root| root != first) => {
                    return self.followed(target.iter().chain(rest).cloned().collect());
                }
                Some(target) => target.clone(),
                None if !rest.is_empty() => vec![self.of_type(first)],
                None => return written,
            },
        };
        start.iter().chain(rest).cloned().collect()
    }

    /// The full name of a type as far as imports say.
    fn of_type(&self, name: &str) -> String {
        if name.starts_with('[') {
            return "slice".to_owned();
        }
        if let Some(target) = self.file.imports.get(name) {
            return target.join("::");
        }
        PRELUDE
            .iter()
            .find(|(short, _)| *short == name)
            .map_or_else(|| name.to_owned(), |(_, full)| (*full).to_owned())
    }

    /// Number of operations that a library call counts as: its prior in instructions, divided by the assumed cost of an
    /// operation.
    fn worth(&self, of_type: Option<&str>, name: &str) -> u32 {
        let costs = self.file.context.costs;
        let prior = costs.compiled_library().prior_by_name(of_type, name);
        let operations = prior.map_or(1.0, |prior| prior.expected / costs.operation.expected);
        operations.round().clamp(1.0, DEAREST_CALL) as u32
    }
}

//! A call → the full name of its callee, as far as the source says: its path through imports, `Self`, `self`, `super`
//! and `crate`, or the type of its receiver.

use super::{CallerContext, receiver_type};
use crate::syntax::{ItemKind, SourceFile, SyntaxCall, SyntaxCallForm};

/// The segments before the callee's own name in its full name, innermost last. Empty: the source does
/// not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalleeQualifier {
    before: Vec<String>,
    /// True if the path was written out from a crate's root.
    absolute: bool,
}

impl CalleeQualifier {
    /// Reads them from a call and its surroundings.
    #[must_use]
    pub fn of(call: &SyntaxCall, caller: &CallerContext<'_>) -> Self {
        match call.callee.form {
            SyntaxCallForm::Method => Self {
                before: call
                    .callee
                    .receiver
                    .as_ref()
                    .and_then(|receiver| receiver_type(receiver, caller))
                    .filter(|of_type| !is_type_parameter(of_type))
                    .into_iter()
                    .collect(),
                absolute: false,
            },
            SyntaxCallForm::Path => Self::of_path(&call.callee.path, &call.callee.name, caller),
            SyntaxCallForm::Macro | SyntaxCallForm::Value => Self {
                before: Vec::new(),
                absolute: false,
            },
        }
    }

    fn of_path(path: &[String], name: &str, caller: &CallerContext<'_>) -> Self {
        let Some((first, rest)) = path.split_first() else {
            // A bare name: an import of it, else a function of the same module.
            return imported(caller.source, name).map_or_else(
                || Self {
                    before: Vec::new(),
                    absolute: false,
                },
                |target| Self {
                    before: target[..target.len().saturating_sub(1)].to_vec(),
                    absolute: true,
                },
            );
        };
        let mut before = match first.as_str() {
            "Self" => caller.located.function.owner.clone().into_iter().collect(),
            "crate" | "self" | "super" => Vec::new(),
            parameter if is_type_parameter(parameter) => Vec::new(),
            other => imported(caller.source, other).map_or_else(|| vec![other.to_owned()], <[String]>::to_vec),
        };
        before.extend(rest.iter().filter(|segment| *segment != "super").cloned());
        before.retain(|segment| !matches!(segment.as_str(), "crate" | "self" | "super"));
        Self {
            before,
            absolute: false,
        }
    }

    /// True if the source says anything.
    #[must_use]
    pub fn are_known(&self) -> bool {
        !self.before.is_empty()
    }

    /// The innermost segment before the name, if it is a type.
    #[must_use]
    pub fn of_type(&self) -> Option<&str> {
        self.before.last().map(String::as_str).filter(|segment| {
            segment.starts_with(|first: char| first.is_uppercase()) || profile::function_name::is_primitive(segment)
        })
    }

    /// True if a function of this full name can be meant. Only the innermost segment is compared: a path
    /// may go through a re-export, and a library's function is known by the path of its definition.
    #[must_use]
    pub fn allow(&self, full_name: &str) -> bool {
        let Some(wanted) = self.before.last() else {
            return true;
        };
        let mut segments = full_name.rsplit(['.', ':']).filter(|segment| !segment.is_empty());
        let _own_name = segments.next();
        if self.absolute {
            // A module on the way may be private, its functions re-exported one level up.
            return segments.any(|segment| segment == wanted);
        }
        segments.next().is_some_and(|segment| segment == wanted)
    }
}

/// The full path of an imported name.
pub(crate) fn imported<'s>(source: &'s SourceFile, name: &str) -> Option<&'s [String]> {
    source.items.iter().find_map(|item| match &item.kind {
        ItemKind::Import { target } if item.name == name => Some(target.as_slice()),
        _ => None,
    })
}

/// The type of a field, where the type is defined in the same file.
pub(super) fn field_type(source: &SourceFile, owner: &str, field: &str) -> Option<String> {
    source.items.iter().find_map(|item| match &item.kind {
        ItemKind::Type { fields } if item.name == owner => fields
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, of_type)| of_type.clone())
            .filter(|of_type| !of_type.is_empty()),
        _ => None,
    })
}

/// `T`, `K`, `F`: by convention a type parameter, whose functions may be anybody's.
fn is_type_parameter(segment: &str) -> bool {
    segment.len() == 1 && segment.starts_with(|first: char| first.is_ascii_uppercase())
}

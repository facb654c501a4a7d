//! A value → the text of a JSON document for programs that people may look into as well.

use serde::Serialize;

/// The document, indented, a newline at its end.
///
/// # Panics
/// A map of the value has keys that are no strings.
pub(crate) fn json_document(value: &(impl Serialize + ?Sized)) -> String {
    let mut out = serde_json::to_string_pretty(value).expect("strings and numbers are always encoded");
    out.push('\n');
    out
}

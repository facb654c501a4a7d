//! A JSON document → one that is nearly the same: a value, a name or a list in it changes.

use serde_json::{Map, Value, json};

use super::random::Numbers;

/// Longest text that is put in.
const LONG: usize = 5000;

/// Edits one place of a document.
pub(crate) fn edit(document: &mut Value, numbers: &mut Numbers) {
    let whole = document.clone();
    let mut place = document;
    // One way down, which ends at any depth.
    while numbers.below(5) > 0 {
        let children = match place {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        };
        if children == 0 {
            break;
        }
        let child = numbers.below(children);
        let next = match place {
            Value::Array(items) => items.get_mut(child),
            Value::Object(fields) => fields.values_mut().nth(child),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        match next {
            Some(next) => place = next,
            None => return,
        }
    }
    match place {
        Value::Array(items) if numbers.below(2) == 0 => edit_list(items, numbers),
        Value::Object(fields) if numbers.below(2) == 0 => edit_fields(fields, numbers),
        place => *place = other_value(&whole, numbers),
    }
}

fn edit_list(items: &mut Vec<Value>, numbers: &mut Numbers) {
    if items.is_empty() {
        return;
    }
    let at = numbers.below(items.len());
    match numbers.below(3) {
        0 => drop(items.remove(at)),
        1 => items.reverse(),
        _ => {
            let item = items[at].clone();
            items.extend(vec![item; 1 + numbers.below(100)]);
        }
    }
}

fn edit_fields(fields: &mut Map<String, Value>, numbers: &mut Numbers) {
    let Some(name) = fields.keys().nth(numbers.below(fields.len())).cloned() else {
        return;
    };
    let value = fields.remove(&name);
    let value = value.unwrap_or(Value::Null);
    match numbers.below(4) {
        0 => {}
        1 => drop(fields.insert(text(numbers), value)),
        2 => {
            fields.insert(format!("{name}2"), value.clone());
            fields.insert(name, value);
        }
        _ => drop(fields.insert(name, Value::Array(vec![value]))),
    }
}

/// A value that a reader tends to stumble over, or one from elsewhere in the document.
fn other_value(whole: &Value, numbers: &mut Numbers) -> Value {
    match numbers.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(f64::MAX),
        7 => json!(f64::MIN),
        8 => json!(5e-324),
        9 => json!(-0.0),
        10 => json!([]),
        11 => json!({}),
        12 => (0..numbers.below(200)).fold(json!(1), |inner, _| json!([inner])),
        13 => json!(numbers.next_number() >> numbers.below(64)),
        14 => {
            let mut found = whole;
            while let Value::Object(fields) = found
                && let Some(next) = fields.values().nth(numbers.below(fields.len()))
            {
                found = next;
            }
            found.clone()
        }
        _ => Value::String(text(numbers)),
    }
}

fn text(numbers: &mut Numbers) -> String {
    let texts = ["", "a", "\u{202e}\0../../x\u{1b}[31m", "NaN", "-1", "\u{1f600}", "*"];
    match numbers.below(8) {
        7 => "long ".repeat(1 + numbers.below(LONG / 5)),
        at => texts[at].to_owned(),
    }
}

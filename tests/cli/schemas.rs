//! The JSON schemas of the contracts, and that everything that the tests see lito write as JSON follows them.

use serde_json::{Value, json};

use super::repository::{lito_in, program};

/// The names that `lito schema` takes, besides `settings`.
const CONTRACTS: [&str; 10] = [
    "score",
    "verdict",
    "track",
    "bisection",
    "comparison",
    "profile",
    "plan",
    "coverage",
    "selftest",
    "evaluation",
];

/// Asserts that an output follows its contract, if it is a document of one. Stricter than the schema is for readers: a
/// field that the schema does not describe is not allowed.
#[track_caller]
pub(super) fn check_output(output: &str) {
    let Some(document) = contract_document(output) else {
        return;
    };
    let contract = document["schema"].as_str().unwrap_or_default().to_owned();
    let defects = defects(&document, &contract);
    assert!(defects.is_empty(), "{contract}: {defects:#?} in {document:#}");
}

/// The document, if the text is one that names a contract of `lito schema`.
fn contract_document(output: &str) -> Option<Value> {
    let document: Value = serde_json::from_str(output.strip_prefix('{').map(|_| output)?).ok()?;
    let (name, _) = document["schema"].as_str()?.strip_prefix("lito.")?.split_once('/')?;
    CONTRACTS.contains(&name).then_some(document)
}

/// How a document fails the schema that lito prints for its contract.
fn defects(document: &Value, contract: &str) -> Vec<String> {
    let printed = program("lito").args(["schema", contract]).output().unwrap();
    assert!(printed.status.success(), "lito schema {contract}: {printed:?}");
    let mut schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Allows no other fields than those that are described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            // A field can have the name `properties`; what a schema describes is an object of objects.
            if object.get("properties").is_some_and(Value::is_object) && object.get("type") == Some(&json!("object")) {
                object.insert(String::from("additionalProperties"), json!(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn each_contract_has_a_schema_by_both_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in CONTRACTS {
        let short = lito_in(folder.path(), &["schema", name]);
        let schema: Value = serde_json::from_str(short.output()).unwrap();
        let contract = format!("lito.{name}/1");
        assert_eq!(schema["title"], contract);
        assert_eq!(schema["properties"]["schema"]["const"], contract);
        assert_eq!(short.stdout, lito_in(folder.path(), &["schema", &contract]).stdout);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
    }
    let settings = lito_in(folder.path(), &["schema"]);
    assert!(settings.output().contains("\"gate\""));
    assert_eq!(settings.stdout, lito_in(folder.path(), &["schema", "settings"]).stdout);
    lito_in(folder.path(), &["schema", "verdit"]).fails(2, &["'verdict'"]);
}

#[test]
fn a_document_that_breaks_its_contract_is_noticed() {
    let plan = json!({
        "schema": "lito.plan/1", "every": 20, "versions": [{ "commit": "a", "state": "due" }], "shards": [],
        "matrix": { "shard": [] },
    });
    let defects = |plan: &Value| defects(plan, "lito.plan/1");
    assert_eq!(defects(&plan), [""; 0]);
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut broken = plan.clone();
        change(&mut broken);
        assert_ne!(defects(&broken), [""; 0], "{broken:#}");
    };
    broken(&|plan| plan["schema"] = json!("lito.plan/2"));
    broken(&|plan| plan["every"] = json!("20"));
    broken(&|plan| plan["versions"][0]["state"] = json!("soon"));
    broken(&|plan| plan["versions"][0]["undescribed"] = json!(1));
    broken(&|plan| drop(plan.as_object_mut().unwrap().remove("matrix")));
}

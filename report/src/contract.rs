//! The JSON contracts that this package writes → their JSON schemas, derived from the types that are written.
//!
//! Schemas describe what is written: a field that is left out at times is not required, and fields may be added.

use profile::format::json::ProfileView;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::bisection::BisectionDocument;
use crate::comparison::ComparisonDocument;
use crate::coverage::CoverageDocument;
use crate::job_progress::JobProgress;
use crate::sampling_plan::SamplingPlan;
use crate::score::ScoreReport;
use crate::selftest::SelftestReport;
use crate::track::TrackDocument;
use crate::verdict::VerdictDocument;

/// A contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonContract {
    /// Predictions.
    Score,
    /// A verdict.
    Verdict,
    /// Costs over versions.
    Track,
    /// The version that moved a benchmark.
    Bisection,
    /// Two executions, compared.
    Comparison,
    /// A profile.
    Profile,
    /// The versions to sample.
    Plan,
    /// How far a sampling job is.
    JobProgress,
    /// The functions that benchmarks execute.
    Coverage,
    /// A self-test.
    Selftest,
}

impl JsonContract {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Score,
        Self::Verdict,
        Self::Track,
        Self::Bisection,
        Self::Comparison,
        Self::Profile,
        Self::Plan,
        Self::JobProgress,
        Self::Coverage,
        Self::Selftest,
    ];

    /// The name and version, as documents have it in their field `schema`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Score => "lito.score/1",
            Self::Verdict => verdict::SCHEMA,
            Self::Track => crate::track::SCHEMA,
            Self::Bisection => crate::bisection::SCHEMA,
            Self::Comparison => crate::comparison::SCHEMA,
            Self::Profile => profile::format::json::SCHEMA,
            Self::Plan => crate::sampling_plan::SCHEMA,
            Self::JobProgress => crate::job_progress::SCHEMA,
            Self::Coverage => crate::coverage::SCHEMA,
            Self::Selftest => crate::selftest::SCHEMA,
        }
    }

    /// The JSON schema of its documents.
    #[must_use]
    pub fn schema(self) -> Schema {
        let name = self.name();
        match self {
            Self::Score => schema_of::<ScoreReport>(name),
            Self::Verdict => schema_of::<VerdictDocument<'_>>(name),
            Self::Track => schema_of::<TrackDocument<'_>>(name),
            Self::Bisection => schema_of::<BisectionDocument<'_>>(name),
            Self::Comparison => schema_of::<ComparisonDocument<'_>>(name),
            Self::Profile => schema_of::<ProfileView<'_>>(name),
            Self::Plan => schema_of::<SamplingPlan>(name),
            Self::JobProgress => schema_of::<JobProgress>(name),
            Self::Coverage => schema_of::<CoverageDocument<'_>>(name),
            Self::Selftest => schema_of::<SelftestReport>(name),
        }
    }
}

/// The JSON schema of the documents of a type, whose field `schema` names the contract.
#[must_use]
pub fn schema_of<T: JsonSchema>(contract: &'static str) -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    ForReaders.transform(&mut schema);
    schema.insert(String::from("title"), json!(contract));
    if let Some(field) = schema.pointer_mut("/properties/schema") {
        *field = json!({ "description": "The name and version of the contract.", "const": contract });
    }
    schema
}

/// Takes the brackets of links in Rust's documentation out of descriptions, and allows further fields everywhere.
struct ForReaders;

impl Transform for ForReaders {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace("[`", "`").replace("`]", "`").replace('\n', " ");
        }
        // Of the variants of an enum, each an object with one field.
        if schema.get("additionalProperties") == Some(&json!(false)) {
            schema.remove("additionalProperties");
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects of a schema, with their places in it.
    fn objects<'s>(schema: &'s Value, place: &str, found: &mut Vec<(String, &'s Value)>) {
        match schema {
            Value::Object(map) => {
                if map.contains_key("properties") {
                    found.push((place.to_owned(), schema));
                }
                for (key, value) in map {
                    objects(value, &format!("{place}/{key}"), found);
                }
            }
            Value::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    objects(value, &format!("{place}/{at}"), found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_field_of_every_contract_says_what_it_means() {
        for contract in JsonContract::ALL {
            let schema = contract.schema().to_value();
            let mut found = Vec::new();
            objects(&schema, contract.name(), &mut found);
            assert!(!found.is_empty());
            for (place, object) in found {
                let fields = object["properties"].as_object().into_iter().flatten();
                for (field, described) in fields {
                    // The only field of an enum's variant is described with the variant.
                    let is_variant = place.contains("/oneOf/") && object["description"].is_string();
                    let says = described["description"].is_string() || is_variant;
                    assert!(says, "{place}: {field} says nothing");
                }
            }
        }
    }

    #[test]
    fn a_schema_names_its_contract_and_allows_further_fields() {
        for contract in JsonContract::ALL {
            let schema = contract.schema().to_value();
            assert_eq!(schema["title"], contract.name());
            assert_eq!(schema["properties"]["schema"]["const"], contract.name());
            assert!(
                schema["required"]
                    .as_array()
                    .is_some_and(|fields| fields.contains(&json!("schema")))
            );
            let text = schema.to_string();
            assert!(!text.contains("additionalProperties\":false"), "{}", contract.name());
            assert!(!text.contains("[`"), "{}", contract.name());
        }
    }
}

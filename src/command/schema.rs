//! `lito schema`: prints the JSON schema of lito.toml, or of a contract.

use engine::settings::Settings;
use report::contract::JsonContract;

use crate::cli::SchemaArgument;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Prints the schema.
pub(super) fn run(name: SchemaArgument, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let schema = match name {
        SchemaArgument::Settings => schemars::schema_for!(Settings),
        SchemaArgument::Score => JsonContract::Score.schema(),
        SchemaArgument::Verdict => JsonContract::Verdict.schema(),
        SchemaArgument::Track => JsonContract::Track.schema(),
        SchemaArgument::Bisection => JsonContract::Bisection.schema(),
        SchemaArgument::Comparison => JsonContract::Comparison.schema(),
        SchemaArgument::Profile => JsonContract::Profile.schema(),
        SchemaArgument::Plan => JsonContract::Plan.schema(),
        SchemaArgument::JobProgress => JsonContract::JobProgress.schema(),
        SchemaArgument::Coverage => JsonContract::Coverage.schema(),
        SchemaArgument::Selftest => JsonContract::Selftest.schema(),
        SchemaArgument::Evaluation => study::report::json_schema(),
    };
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    terminal.print(&format!("{text}\n"))?;
    Ok(CommandExit::Passed)
}

//! `lito schema`: prints the JSON schema of lito.toml.

use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::settings::Settings;

/// Prints the schema.
pub(super) fn run(terminal: &Terminal) -> Result<CommandExit, Failure> {
    let schema = schemars::schema_for!(Settings);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    terminal.print(&format!("{text}\n"))?;
    Ok(CommandExit::Passed)
}

//! `cargo xtask new change-kind NAME` → a kind of change with its labels and its price class, and a fixture that fails
//! because nothing finds such a change yet.
//!
//! The kind is priced like a change of a type until it is given a price of its own.

use super::scaffold::{camel_case, create_file, insert_before, snake_case};

const MODEL: &str = "analyzer/src/change/model.rs";
const EXPOSURE: &str = "analyzer/src/cost/exposure.rs";
const LABELS: &str = "report/src/score/labels.rs";
const SARIF: &str = "report/src/verdict/sarif.rs";

const NEXT: &str = "
next, for the kind to be found, priced and shown:
  1. Document the variant of `ChangeKind` in analyzer/src/change/model.rs.
  2. Find the change: in a body in analyzer/src/change/body_changes/, of an item in analyzer/src/change/items.rs.
  3. Price it: edits of a body in analyzer/src/cost/, an item in analyzer/src/cost/exposure.rs (now like a type).
  4. Word it in report/src/score/labels.rs.
  5. Fill in tests/data/rust/CASE: before.rs, after.rs, and in `expect` the function in place of `f`. `LITO_BLESS=1`
     writes `edits`; read it line by line.
  6. Run `cargo test -p lito-analyzer --lib change`: the fixture fails until the change is found.";

/// Adds a variant with its labels, and a fixture that fails.
pub(super) fn create(name: &str) -> Result<(), String> {
    let (identifier, variant) = (snake_case(name), camel_case(name));
    let words = name.replace('-', " ");
    let case = format!("tests/data/rust/{name}");
    create_file(&format!("{case}/before.rs"), "pub fn f() {}\n")?;
    create_file(&format!("{case}/after.rs"), "pub fn f() {}\n")?;
    create_file(&format!("{case}/expect"), &format!("{identifier} f\nonly\n"))?;
    create_file(&format!("{case}/edits"), "")?;
    let declared = format!("    /// A change of the kind \"{words}\".\n    {variant},\n");
    insert_before(MODEL, "    /// A macro's definition", &declared)?;
    let priced = format!("                ChangeKind::{variant} => (ChangeClass::Type, CalleeInclusion::Libraries),\n");
    insert_before(EXPOSURE, "                ChangeKind::Macro => ", &priced)?;
    let labelled = |text: &str| format!("        ChangeKind::{variant} => \"{text}\",\n");
    insert_before(LABELS, "        ChangeKind::Macro => ", &labelled(&words))?;
    insert_before(SARIF, "        ChangeKind::Macro => ", &labelled(&identifier))?;
    let checked = format!("            ChangeKind::{variant},\n");
    insert_before(SARIF, "            ChangeKind::Macro,\n", &checked)?;
    println!("{}", NEXT.replace("CASE", name));
    Ok(())
}

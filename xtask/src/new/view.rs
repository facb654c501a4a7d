//! `cargo xtask new view NAME`: a tab of the HTML report: its script, its payload struct, its entry in the page, and a
//! test in the browser that fails until the view draws its values.

use super::scaffold::{camel_case, create_file, insert_before, snake_case};

const FIXTURES: &str = "tests/views/fixtures/table.mjs";

/// Writes the stubs of a view.
pub(super) fn create(name: &str) -> Result<(), String> {
    let folder = snake_case(name);
    let component = camel_case(name);
    let words = name.replace('-', " ");
    let title = words[..1].to_uppercase() + &words[1..];
    // The folder comes first: if there is such a view already, nothing else is changed.
    create_file(
        &format!("report/views/src/{folder}/index.tsx"),
        &script(&folder, &component, &title),
    )?;
    create_file(
        &format!("report/src/view/{folder}.rs"),
        &payload(&folder, &component, &title),
    )?;
    create_file(&format!("tests/views/{folder}.test.mjs"), &test(&folder, &title))?;
    add_to_page(&folder, &component, &title)?;
    add_to_payload(&folder, &component)?;
    insert_before(FIXTURES, "    ...extra,", &format!("    {folder}: {{ values: [] }},\n"))?;
    println!(
        "next: fill in report/src/view/{folder}.rs; run `cargo fmt` and `cargo xtask payload`; draw in report/views/src/{folder}/; run \
         `npm run build` in report/views; then tests/views/run.sh {folder}.test.mjs"
    );
    Ok(())
}

fn add_to_page(folder: &str, component: &str, title: &str) -> Result<(), String> {
    let shell = "report/views/src/shell.tsx";
    let state = "report/views/src/state.ts";
    insert_before(
        shell,
        "import { decodeComparison,",
        &format!("import {{ {component} }} from \"./{folder}\";\n"),
    )?;
    let tab = format!(
        "                {{ id: \"{folder}\", title: \"{title}\", content: () => (comparison ? <{component} \
         payload={{payload}} comparison={{comparison}} state={{store}} /> : reading) }},\n"
    );
    insert_before(shell, "              ]}\n            />\n            <Diff", &tab)?;
    insert_before(state, "\"blueprint\" | \"flames\";", &format!("\"{folder}\" | "))?;
    insert_before(state, "\"flames\"], \"blueprint\")", &format!("\"{folder}\", "))
}

fn add_to_payload(folder: &str, component: &str) -> Result<(), String> {
    let file = "report/src/view/payload.rs";
    insert_before(
        "report/src/view/mod.rs",
        "mod comparison_trees;\n",
        &format!("mod {folder};\n"),
    )?;
    let field = format!("    {folder}: {folder}::{component}Payload,\n");
    insert_before(file, "    sources: sources::SourcesPayload,\n", &field)?;
    insert_before(
        file,
        "        sources: sources::sources_payload(",
        &format!("        {folder}: {folder}::{folder}_payload(view),\n"),
    )?;
    insert_before(
        file,
        "use super::comparison_trees;\n",
        &format!("use super::{folder};\n"),
    )
}

fn script(folder: &str, component: &str, title: &str) -> String {
    format!(
        r#"// The view "{title}" of the selected pair.

import type {{ ViewProps }} from "../view";

export function {component}({{ payload }}: ViewProps) {{
  return (
    <section class="{folder}" aria-label="{title}">
      <p class="empty">{{payload.{folder}.values.length}} values</p>
    </section>
  );
}}
"#
    )
}

fn payload(folder: &str, component: &str, title: &str) -> String {
    format!(
        r#"//! A report → the data of its view "{title}".

use serde::Serialize;

use super::HtmlReport;

/// The data of the view "{title}".
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct {component}Payload {{
    values: Vec<u64>,
}}

/// Collects the values.
pub(super) fn {folder}_payload(_view: &HtmlReport<'_>) -> {component}Payload {{
    {component}Payload {{ values: Vec::new() }}
}}

#[cfg(test)]
mod tests {{
    #[test]
    fn the_payload_has_the_values_of_the_report() {{
        panic!("build a report with known values, and compare {folder}_payload with them");
    }}
}}
"#
    )
}

fn test(folder: &str, title: &str) -> String {
    format!(
        r#"// The view "{title}": every value of the payload is drawn.

import assert from "node:assert/strict";
import {{ after, before, test }} from "node:test";
import {{ violations }} from "./accessibility.mjs";
import {{ story }} from "./fixtures/story.mjs";
import {{ launch }} from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("it draws every value", async () => {{
  await browser.visit(story({{ {folder}: {{ values: [3, 1, 2] }} }}), {{ fragment: "view={folder}" }}, async (page) => {{
    assert.deepEqual(await page.locator(".{folder} [data-value]").evaluateAll((all) => all.map((each) => each.dataset.value)), ["3", "1", "2"]);
    assert.deepEqual(await violations(page), []);
  }});
}});
"#
    )
}

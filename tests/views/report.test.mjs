// What lito itself writes, from real versions of the papers' stories under valgrind: every encoding of the page against
// the model that `--format json` prints, and each culprit found where a reader looks first.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { STORY, story } from "./stories.mjs";

const STILL = { reducedMotion: "reduce" };

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "lito-stories-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The model and the page of two versions. */
function compared(name, first, second) {
  const { repository, lito } = story(folder, name);
  const file = join(repository, "report.html");
  const model = JSON.parse(lito("compare", first, second, "--format", "json", "--output", file));
  assert.equal(model.schema, "lito.comparison/1");
  return { model: model.comparisons[0], html: readFileSync(file, "utf8") };
}

const boxes = (page) => page.locator(".box").evaluateAll((all) => all.map((each) => ({ ...each.dataset })));
const near = (value, expected) => assert.ok(Math.abs(Number(value) - expected) < 2e-6, `${value} is not ${expected}`);

/** The names from the root to a node of the model. */
function path(model, node) {
  const names = [];
  for (let at = node; at !== null; at = model.nodes[at].parent) names.unshift(model.nodes[at].function);
  return names;
}

/** Each context has a box of its own from then on. */
async function unfold(page) {
  const folded = page.locator(".box[data-fold]");
  while ((await folded.count()) > 0) await folded.first().press("Enter");
}

/** Opens everything below the root, and holds each box against the model. */
async function holdAgainst(page, model) {
  await page.locator(".box").first().locator(".fill").click({ button: "right" });
  await page.locator('[role=menu] [data-action="all"]').click();
  // Only what is in sight is drawn.
  await page.getByRole("button", { name: "Fit" }).click();
  await unfold(page);
  await page.getByRole("button", { name: "Fit" }).click();
  const shown = await boxes(page);
  assert.equal(shown.length, model.nodes.length);
  const kinds = { new: "added", removed: "removed" };
  for (const box of shown) {
    const node = model.nodes[Number(box.node)];
    assert.equal(box.name, node.function);
    near(box.h, node.h.cost_inclusive);
    near(box.w, node.w ?? -1);
    assert.equal(box.changed, node.changed ? "1" : "0", node.function);
    assert.equal(box.noise, node.noise.includes("cost_inclusive") ? "1" : "0", node.function);
    if (kinds[node.kind]) assert.equal(box.kind, kinds[node.kind], node.function);
  }
}


for (const { name, versions, cause } of STORY) {
  test(`${name}: the first screen says which function it comes from`, async () => {
    const { html } = compared(name, ...versions);
    await browser.visit(null, { ...STILL, html }, async (page) => {
      const named = page.locator(".strip code", { hasText: cause }).first();
      assert.match(await page.locator(".strip").innerText(), /source changed|new|gone/);
      const { y, height } = await named.boundingBox();
      assert.ok(y >= 0 && y + height <= 200, "in its upper quarter");
    });
  });
}

for (const { name, versions, path: expected, source } of STORY) {
  test(`${name}: the culprit is in the default view, and every box is what Rust computed`, async () => {
    const { model, html } = compared(name, ...versions);
    await browser.visit(null, { ...STILL, html, fragment: "libraries=shown" }, async (page) => {
      await page.locator(".box").first().waitFor();
      await unfold(page);
      const shown = (await boxes(page)).map((box) => box.name);
      assert.deepEqual(shown, path(model, model.hot), "it opens with the delta hot path alone");
      for (const each of expected) assert.ok(shown.includes(each), `${each} in ${shown}`);
      assert.match(await page.locator(".diff").first().innerText(), new RegExp(source), "the source below is the culprit's");
      await holdAgainst(page, model);
    });
  });
}

test("name_loop: the matrix shows the version and the function that changed, and leads to its blueprint with one click", async () => {
  const { repository, versions, lito } = story(folder, "name_loop");
  const file = join(repository, "track.html");
  const track = JSON.parse(lito("track", "--last", "5", "--format", "json", "--output", file));
  const html = readFileSync(file, "utf8");
  assert.ok(html.length < 3_000_000);
  assert.deepEqual(track.benchmarks[0].states, ["measured", "carried", "measured", "measured", "carried"]);
  await browser.visit(null, { ...STILL, html }, async (page) => {
    const row = page.locator("[role=row]", { hasText: "next_name" }).first();
    const cells = await row.locator("[data-row][data-column]").evaluateAll((all) => all.map((each) => ({ ...each.dataset })));
    const culprit = cells.find((cell) => cell.modified === "1");
    assert.equal(Number(culprit.column), 3, JSON.stringify(cells));
    assert.ok(Number(culprit.change) > 0.1);
    await row.locator('[data-row][data-column="3"]').first().click();
    // The trees of a pair are unpacked when it is first looked at.
    await page.locator('.box[data-name="story::Tokenizer::next_name"]').waitFor();
    const label = page.locator("[role=columnheader]", { hasText: versions[3] });
    await label.click();
    assert.equal(await label.getAttribute("aria-expanded"), "true");
    assert.match(await label.innerText(), /operations/, "the time frames of the version are open");
  });
});

test("a page without scripts is tables with the same figures", async () => {
  const { model, html } = compared("inserted_node", "1-before", "2-after");
  await browser.visit(null, { html, javaScriptEnabled: false }, async (page) => {
    const target = await page.locator("#plain nav a", { hasText: "the path to what changed most" }).getAttribute("href");
    const table = page.locator(`${target} table`);
    assert.ok(await table.locator('[data-tone="worse"]').first().isVisible());
    const rows = await table.locator("tbody th").allInnerTexts();
    assert.deepEqual(rows, path(model, model.hot));
  });
});

// The source diff (B12): both forms, numbers, signs, highlighting, and what is said where there is no source.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import * as catalog from "./fixtures/catalog.mjs";
import * as next from "./fixtures/next_name.mjs";
import { launch } from "./harness.mjs";

const STILL = { reducedMotion: "reduce" };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const selecting = (name) => ({ ...STILL, fragment: `function=${encodeURIComponent(name)}` });
const lines = (page, kind) => page.locator(`.diff .code[data-line=${kind}]`).allTextContents();

test("before anything is selected it shows the changed function nearest to the end of the hot path", async () => {
  await browser.visit(next.nextName(), STILL, async (page) => {
    assert.equal(await page.locator(".diff").getAttribute("data-function"), next.NEXT_NAME);
    assert.match(await page.textContent(".diff header"), /changed function nearest to the end of the hot path/);
  });
});

test("removed and added lines have signs, and numbers of either file", async () => {
  await browser.visit(next.nextName(), { ...selecting(next.NEXT_NAME), viewport: { width: 1000, height: 800 } }, async (page) => {
    assert.deepEqual(await lines(page, "removed"), ["    self.at += self.rest().find(|c: char| !is_name(c)).unwrap_or(0);"]);
    assert.equal((await lines(page, "added")).length, 4);
    assert.match(await page.textContent(".diff-note"), /0\.3\.1 → 0\.4\.0: −1 \+4 lines/);
    const rows = await page.locator(".diff tbody tr").evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].slice(0, 3).map((cell) => cell.textContent.trim())));
    assert.deepEqual(rows.slice(1, 5), [["45", "47", ""], ["46", "", "−"], ["", "48", "+"], ["", "49", "+"]]);
  });
});

test("wide windows show both sides, and either form can be asked for", async () => {
  await browser.visit(next.nextName(), { ...selecting(next.NEXT_NAME), viewport: { width: 1600, height: 800 } }, async (page) => {
    assert.equal(await page.locator('.diff [data-form="split"]').count(), 1);
    assert.deepEqual(await page.locator(".diff thead th").allTextContents(), ["0.3.1", "0.4.0"]);
    const row = await page.locator(".diff tbody tr").nth(2).locator("td").allTextContents();
    assert.deepEqual(row.map((cell) => cell.trim().slice(0, 12)), ["46", "−", "self.at += s", "48", "+", "// One chara"]);
    await page.getByRole("button", { name: "Unified" }).click();
    assert.equal(await page.locator('.diff [data-form="split"]').count(), 0);
  });
});

test("source is highlighted in its language", async () => {
  await browser.visit(next.nextName(), selecting(next.NEXT_NAME), async (page) => {
    assert.ok((await page.locator(".diff .token.keyword").count()) >= 3);
    assert.equal(await page.locator(".diff .token.comment").textContent(), "// One character after the other.");
  });
});

test("unchanged, new, and missing sources are said to be so", async () => {
  const state = (page) => page.locator(".diff [data-state]").first().getAttribute("data-state");
  await browser.visit(catalog.catalog(), selecting(catalog.CREATE_PARSER), async (page) => {
    assert.equal(await state(page), "unchanged");
    assert.match(await page.textContent(".diff-note"), /Source unchanged from first to second/);
  });
  await browser.visit(catalog.catalog(), selecting(catalog.NEW_METHOD), async (page) => {
    assert.equal(await state(page), "added");
    assert.equal((await lines(page, "added")).length, 5);
  });
  await browser.visit(catalog.catalog(), selecting(catalog.PARSE), async (page) => {
    assert.equal(await state(page), "missing");
    assert.equal((await page.textContent(".diff-note")).trim(), "No source: outside the repository.");
  });
});

test("texts without a line diff are shown whole", async () => {
  const payload = next.nextName();
  payload.sources.diffs = { before: [], after: [], runs: [] };
  await browser.visit(payload, selecting(next.NEXT_NAME), async (page) => {
    assert.equal((await lines(page, "removed")).length, 5);
    assert.equal((await lines(page, "added")).length, 8);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible in ${colorScheme}, whatever the palette`, async () => {
    await browser.visit(next.nextName(), { ...selecting(next.NEXT_NAME), colorScheme, viewport: { width: 1600, height: 900 } }, async (page) => {
      for (const palette of ["paper", "blind"]) {
        assert.deepEqual(await violations(page), [], palette);
        await page.keyboard.press("c");
      }
    });
  });
}

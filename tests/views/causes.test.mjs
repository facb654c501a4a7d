// Where the difference of a pair comes from, above the views: the functions and their parts, and where a function was before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import * as roassal from "./fixtures/roassal.mjs";
import { launch } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** The story, with causes that add up to its difference of 200 ms, and a function that moved. */
function withCauses() {
  const payload = roassal.roassal();
  const numberOf = (name) => payload.functions.name.findIndex((each) => payload.strings[each] === name);
  const on = numberOf(roassal.ON);
  payload.functions.earlier[on] = payload.strings.push("Roassal::Old::on:") - 1;
  payload.comparisons[0].causes = [
    { function: on, origin: "source changed", contexts: 1, difference: 230, share: 1.15 },
    { function: -1, origin: "source unchanged: compiled, called or fed otherwise", contexts: 4, difference: -30, share: -0.15 },
  ];
  return { payload, on };
}

test("the parts of a difference stand above the views, largest first, and their signs are in words and glyphs", async () => {
  const { payload } = withCauses();
  await browser.visit(payload, {}, async (page) => {
    const rows = page.locator(".causes tbody tr");
    const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));
    assert.deepEqual(cells, [
      [roassal.ON, "source changed", "1", "▲ +230 ms", "115%"],
      ["–", "source unchanged: compiled, called or fed otherwise", "4", "▼ −30 ms", "−15.0%"],
    ]);
    const [table, tabs] = await Promise.all([".causes", "[role=tablist]"].map((part) => page.locator(part).boundingBox()));
    assert.ok(table.y + table.height <= tabs.y, "above the views");
    assert.deepEqual(await violations(page), []);
  });
});

test("a cause selects its function, and its tooltip says where the function was", async () => {
  const { payload, on } = withCauses();
  await browser.visit(payload, { reducedMotion: "reduce" }, async (page) => {
    const cause = page.locator(`.causes [data-function="${on}"] button`);
    await cause.click();
    assert.equal(await cause.getAttribute("aria-pressed"), "true");
    await page.locator(`.box[data-name="${roassal.ON}"] .fill`).first().hover();
    assert.equal(await page.locator(".tooltip [data-field=origin]").textContent(), "moved from Roassal::Old::on:");
  });
});

test("without causes there is no table", async () => {
  await browser.visit(roassal.roassal(), {}, async (page) => {
    assert.equal(await page.locator(".causes").count(), 0);
  });
});

test("at 390 pixels the table scrolls in itself, and the page does not", async () => {
  const { payload } = withCauses();
  await browser.visit(payload, { viewport: { width: 390, height: 800 } }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  });
});

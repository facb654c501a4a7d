// The shell: parts, modes, keys, address fragment, policy, and what is left without scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { pair } from "./fixtures/pair.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("a comparison has a strip, tabs and a legend, and neither chart nor matrix", async () => {
  await browser.visit(pair(), {}, async (page) => {
    assert.match(await page.textContent(".strip .verdict"), /load is slower: \+20%/);
    assert.deepEqual(await page.locator("[role=tab]").allTextContents(), ["Blueprint", "Flame graphs"]);
    assert.match(await page.textContent(".legend .mode"), /inclusive cost .* as a share/);
    assert.equal(await page.locator(".chart, .matrix").count(), 0);
    assert.equal(await page.locator("#plain").count(), 0);
  });
});

// The ranking of stacks: which are in it, in which order, and that it shares the page's selection.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { pair } from "./fixtures/pair.mjs";
import * as roassal from "./fixtures/roassal.mjs";
import { launch } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const OPEN = { reducedMotion: "reduce", fragment: "view=ranking" };
const rows = (page) => page.locator(".ranking tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));

test("every stack that changed is a row, the worst first, with its share of the whole difference", async () => {
  await browser.visit(pair(), OPEN, async (page) => {
    assert.equal(await page.getAttribute("#tab-ranking", "aria-selected"), "true");
    assert.deepEqual(await rows(page), [
      ["1", "▲+300 instructions", "150%", "500", "800", "parse (source changed) ← main"],
      ["2", "▲+200 instructions", "100%", "new", "200", "flush ← main"],
      ["3", "▼−300 instructions", "−150%", "300", "removed", "emit ← main"],
    ]);
    await page.getByRole("button", { name: "Worst first" }).click();
    assert.deepEqual((await rows(page)).map((row) => row[5].split(" ")[0]), ["emit", "flush", "parse"]);
    assert.deepEqual(await violations(page), []);
  });
});

test("where more is better, what grew is the best", async () => {
  await browser.visit({ ...pair(), better: "more" }, OPEN, async (page) => {
    assert.deepEqual((await rows(page)).map((row) => row[5].split(" ")[0]), ["emit", "flush", "parse"]);
    assert.match(await page.textContent('.legend [data-meaning="grew"]'), /better/);
  });
});

test("what is noise has no row, and a stack without any difference neither", async () => {
  await browser.visit(roassal.roassal(), OPEN, async (page) => {
    const all = await rows(page);
    assert.ok(all.length > 3);
    const differences = await page.locator(".ranking [data-difference]").evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.difference)));
    assert.deepEqual(differences, [...differences].sort((a, b) => b - a));
    assert.ok(differences.every((each) => each !== 0));
  });
});

test("a search keeps the stacks that pass through a function, and a row selects its context in the other views", async () => {
  await browser.visit(roassal.roassal(), OPEN, async (page) => {
    const before = (await rows(page)).length;
    await page.getByRole("searchbox").fill("elementsNotEdge");
    const found = await rows(page);
    assert.ok(found.length > 0 && found.length < before);
    await page.locator(".ranking tbody .link").first().click();
    const name = await page.locator(".ranking tbody tr.selected .link").getAttribute("title");
    await page.getByRole("tab", { name: "Blueprint" }).click();
    const last = name.split(" › ").at(-1);
    await page.locator(`.box[data-name="${last}"][aria-selected="true"]`).waitFor();
  });
});

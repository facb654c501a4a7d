// Where the difference of a pair comes from, above the views: the functions and their parts, and where a function was before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import * as roassal from "./fixtures/roassal.mjs";
import { story } from "./fixtures/story.mjs";
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
    { function: on, origin: "source changed", contexts: 1, difference: 230, share: 1.15, versions: [] },
    { function: -1, origin: "source unchanged: compiled, called or fed otherwise", contexts: 4, difference: -30, share: -0.15, versions: [] },
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

test("shares beyond the whole difference are explained, and only those", async () => {
  const { payload } = withCauses();
  const note = (page) => page.locator(".causes").getByText("The shares add up to 100%.");
  await browser.visit(payload, {}, async (page) => assert.equal(await note(page).count(), 1));
  payload.comparisons[0].causes.forEach((cause) => (cause.share = 0.5));
  await browser.visit(payload, {}, async (page) => assert.equal(await note(page).count(), 0));
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

test("a cause names the versions that changed its source, the last of many", async () => {
  const payload = story();
  const cause = { function: 0, origin: "source changed", contexts: 1, difference: 1000, share: 1, versions: [2] };
  payload.comparisons[0].causes = [cause, { ...cause, function: 1, versions: [0, 1, 2, 3] }, { ...cause, function: -1, versions: [] }];
  await browser.visit(payload, {}, async (page) => {
    const cells = await page.locator(".causes tbody tr td:nth-of-type(2)").allTextContents();
    assert.deepEqual(cells, ["v2", "1 more, v1 v2 v3", ""]);
    assert.equal(await page.locator(".causes tbody .code").first().getAttribute("title"), "release v2");
  });
});

test("the strip says where a change comes from, with names as code, and what the version is about", async () => {
  const payload = story();
  Object.assign(payload.headline.lines[0], { text: "load +100% at v2", cause: "from `app::parse` (source changed, 97%)", summary: "Check names" });
  await browser.visit(payload, {}, async (page) => {
    const line = page.locator(".strip li").first();
    assert.equal((await line.textContent()).replace(/\s+/g, " "), "▲load +100% at v2 from app::parse (source changed, 97%) Check names");
    assert.equal(await line.locator("code").textContent(), "app::parse");
    assert.equal(await page.locator(".strip li").nth(1).locator(".cause, .summary").count(), 0);
  });
});

test("the total of a pair is what the chart has, and contexts that were counted apart are said to be", async () => {
  const payload = story();
  payload.comparisons[0].before = { ...payload.comparisons[0].before, total: 1022, measured: 1000 };
  payload.comparisons[0].after = { ...payload.comparisons[0].after, total: 2022, measured: 2000 };
  await browser.visit(payload, {}, async (page) => {
    assert.match(await page.locator(".pair .numbers").textContent(), /1,000 instructions → 2,000 instructions \+1,000 instructions \(\+100%\)/);
    assert.match(await page.locator(".pair .bar").textContent(), /contexts: 1,022 → 2,022, from runs of their own/);
  });
  await browser.visit(story(), {}, async (page) => assert.doesNotMatch(await page.locator(".pair .bar").textContent(), /contexts:/));
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

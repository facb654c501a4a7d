// Ways back and ways to others: steps in the browser's history, pasted fragments, and the button that copies the link.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { launch } from "./harness.mjs";
import { CHECK, PARSE, ROWS, story } from "./fixtures/story.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const heading = (page) => page.textContent(".pair h2");
const entries = (page) => page.evaluate(() => history.length);
const selectedView = (page) => page.locator("[role=tab][aria-selected=true]").textContent();
/** Addresses rest between two changes; a reader's steps are further apart than that. */
const aStepLater = (page) => page.waitForTimeout(250);

async function step(page, act) {
  await act();
  await aStepLater(page);
}

/** The next state of the page is waited for, since going through the history is no navigation. */
async function go(page, way, expected) {
  await page.evaluate((to) => history.go(to), way);
  await page.waitForFunction(({ selector, text }) => document.querySelector(selector)?.textContent === text, expected, { timeout: 5_000 });
}
const pairIs = (text) => ({ selector: ".pair h2", text });
const viewIs = (text) => ({ selector: "[role=tab][aria-selected=true]", text });
const sourceIs = (text) => ({ selector: ".diff header strong", text });

test("Back and Forward walk through pair, view and function as the reader chose them", async () => {
  await browser.visit(story(), {}, async (page) => {
    const opened = await heading(page);
    assert.equal(opened, "load: v0 → v2");
    await step(page, () => page.locator(".pair select").selectOption({ label: "load v2 → save v2" }));
    await step(page, () => page.getByRole("tab", { name: "Flame graphs" }).click());
    await step(page, () => page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).click());
    assert.equal(await heading(page), "load: v1 → v2");
    await go(page, -1, pairIs("load v2 → save v2"));
    assert.equal(await selectedView(page), "Flame graphs");
    await go(page, -1, viewIs("Blueprint"));
    assert.equal(await heading(page), "load v2 → save v2");
    await go(page, -1, pairIs(opened));
    await go(page, 3, pairIs("load: v1 → v2"));
    assert.equal(await selectedView(page), "Flame graphs");
    await page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"][aria-selected=true]`).waitFor();
  });
});

test("a benchmark, a version and a function are steps each", async () => {
  await browser.visit(story(), {}, async (page) => {
    const opened = await entries(page);
    await step(page, () => page.locator(`.cell[data-row="${ROWS.check}"][data-column="2"]`).click());
    await step(page, () => page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).click());
    await step(page, () => page.locator(`.cell[data-row="${ROWS.parse}"][data-column="3"]`).click());
    await step(page, () => page.locator(".pair select").selectOption({ label: "load v2 → save v2" }));
    assert.equal((await entries(page)) - opened, 4);
    await go(page, -1, pairIs("load: v2 → v3"));
    await go(page, -1, sourceIs("parse"));
    await go(page, -1, sourceIs("check"));
    assert.equal(await heading(page), "load: v1 → v2");
  });
});

test("modes, hovering and the keyboard's walk make no step, and going back leaves the modes alone", async () => {
  await browser.visit(story(), {}, async (page) => {
    await step(page, () => page.locator(".pair select").selectOption({ label: "load v2 → save v2" }));
    const before = await entries(page);
    await step(page, () => page.keyboard.press("c"));
    await step(page, () => page.keyboard.press("t"));
    await step(page, () => page.locator(`.cell[data-row="${ROWS.parse}"][data-column="1"]`).hover());
    await page.locator(".treegrid").focus();
    await step(page, () => page.keyboard.press("ArrowDown"));
    assert.equal(await entries(page), before);
    await go(page, -1, pairIs("load: v0 → v2"));
    assert.equal(await page.getAttribute("html", "data-palette"), "blind");
    await aStepLater(page);
    assert.match(page.url(), /before=v0&after=v2&view=blueprint&measure=self&palette=blind$/, "the address says what the page shows");
    await go(page, 1, pairIs("load v2 → save v2"));
    assert.equal(await page.getAttribute("html", "data-palette"), "blind");
  });
});

test("steps made faster than an address may change are one step, and what was before them is one Back away", async () => {
  await browser.visit(story(), { fragment: "bench=save" }, async (page) => {
    const before = await entries(page);
    await page.evaluate(() => {
      const tab = (id) => document.getElementById(`tab-${id}`);
      document.querySelector(".strip li button").click();
      for (let press = 0; press < 101; press++) tab(press % 2 === 0 ? "flames" : "blueprint")?.click();
    });
    await aStepLater(page);
    assert.ok((await entries(page)) - before <= 2, `${await entries(page)} entries`);
    await page.evaluate((count) => history.go(-count), (await entries(page)) - before);
    await page.waitForFunction(() => document.querySelector(".pair")?.dataset.comparison === "-1", null, { timeout: 5_000 });
  });
});

test("a link opens what it names, in a page that is open already too, and Back leads to what was there", async () => {
  await browser.visit(story(), {}, async (page) => {
    const address = page.url().split("#")[0];
    await page.goto(`${address}#bench=load&before=v1&after=v2&function=${encodeURIComponent(CHECK)}&view=flames&theme=dark`);
    await page.locator('html[data-theme="dark"]').waitFor();
    assert.equal(await heading(page), "load: v1 → v2");
    assert.equal(await selectedView(page), "Flame graphs");
    assert.equal(await page.locator(".diff").getAttribute("data-function"), CHECK);
    await go(page, -1, pairIs("load: v0 → v2"));
  });
});

test("the link that is copied opens the same selection in another window", async () => {
  let link;
  await browser.visit(story(), { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).click();
    await page.getByRole("tab", { name: "Flame graphs" }).click();
    await page.keyboard.press("c");
    const button = page.getByRole("button", { name: "Copy link" });
    await button.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith("file:///"), link);
    assert.equal(new URLSearchParams(new URL(link).hash.slice(1)).get("function"), PARSE);
  });
  await browser.visit(story(), { fragment: link.split("#")[1] }, async (page) => {
    assert.equal(await heading(page), "load: v1 → v2");
    assert.equal(await selectedView(page), "Flame graphs");
    assert.equal(await page.getAttribute("html", "data-palette"), "blind");
  });
});

for (const [what, refuse] of [
  ["has no clipboard", () => Object.defineProperty(navigator, "clipboard", { value: undefined })],
  ["is refused the clipboard", () => Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("refused")) } })],
]) {
  test(`a page that ${what} copies what it selects in a field`, async () => {
    await browser.visit(story(), {}, async (page) => {
      await page.evaluate(refuse);
      await page.evaluate(() => document.addEventListener("copy", () => (window.copied = document.activeElement.value)));
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      assert.match(await page.evaluate(() => window.copied), /#bench=load&before=v0&after=v2&view=blueprint$/);
      assert.equal(await page.locator("textarea").count(), 0);
      assert.deepEqual(await violations(page), []);
    });
  });
}

test("where nothing can be copied, the button says so", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByRole("button", { name: "Copying failed" }).waitFor();
  });
});

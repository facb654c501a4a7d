// Paper: whole pictures, in the colours of a light page, without what can only be pressed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longNames, NAMES } from "./fixtures/long_names.mjs";
import { story } from "./fixtures/story.mjs";
import { track } from "./fixtures/track.mjs";
import { launch } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** As a browser does before it prints. */
async function onPaper(page) {
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
}
const isSeen = (page, selector) => page.locator(selector).evaluateAll((all) => all.some((each) => each.checkVisibility()));

test("printing fires what draws the pictures, and leaves the page as it was", async () => {
  await browser.visit(longNames(), { colorScheme: "dark" }, async (page) => {
    await page.evaluate(() => {
      window.printed = [];
      window.addEventListener("afterprint", () => window.printed.push(document.querySelectorAll(".printed svg").length));
      window.addEventListener("beforeprint", () => window.printed.push(document.querySelectorAll(".printed svg").length));
    });
    const paper = (await page.pdf({ format: "A4" })).toString("latin1");
    assert.match(paper, /^%PDF/);
    assert.deepEqual(await page.evaluate(() => window.printed), [3, 0], "chart, matrix and blueprint; none afterwards");
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 22, 26)");
  });
});

for (const view of ["blueprint", "flames", "ranking"]) {
  test(`on paper nothing can be pressed, scrolls or is fixed, and nothing leaves the sheet: ${view}`, async () => {
    await browser.visit(longNames(), { fragment: `view=${view}`, viewport: { width: 700, height: 1000 } }, async (page) => {
      await page.locator(`.${view}`).waitFor();
      await onPaper(page);
      for (const gone of [".toolbar", ".contexts-bar", ".save", "[role=tablist]", ".picking", ".minimap", ".bar select", ".bar input"]) {
        assert.equal(await isSeen(page, gone), false, gone);
      }
      const placed = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && ["fixed", "sticky"].includes(getComputedStyle(each).position)).map((each) => each.className));
      assert.deepEqual(placed, []);
      const scrolling = await page.evaluate(() =>
        [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && !(each instanceof SVGElement) && ["auto", "scroll"].includes(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight + 1).map((each) => each.className),
      );
      assert.deepEqual(scrolling, []);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(wide[0] <= wide[1], `${wide}`);
      const sizes = await page.locator(".printed svg").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
      assert.equal(sizes.length, view === "ranking" ? 2 : 3);
      assert.ok(sizes.every((width) => width > 100 && width <= 700), `${sizes}`);
    });
  });
}

test("what scrolls on a screen is whole on paper", async () => {
  await browser.visit(longNames(), { viewport: { width: 700, height: 300 } }, async (page) => {
    await onPaper(page);
    const words = await page.locator(".matrix .printed text").allTextContents();
    for (const name of NAMES) assert.ok(words.includes(name.replace(/^.*scheduling::/, "")), name);
    assert.equal(await isSeen(page, ".treegrid"), false);
    assert.equal(await isSeen(page, ".viewport"), false);
  });
});

test("a dark page prints on white, with colours that stay", async () => {
  await browser.visit(story(), { fragment: "theme=dark", colorScheme: "dark" }, async (page) => {
    await onPaper(page);
    const [ground, ink, adjust] = await page.evaluate(() => {
      const { backgroundColor, color, printColorAdjust } = getComputedStyle(document.body);
      return [backgroundColor, color, printColorAdjust];
    });
    assert.deepEqual([ground, ink, adjust], ["rgb(255, 255, 255)", "rgb(22, 24, 29)", "exact"]);
    const fills = await page.locator(".printed [fill]").evaluateAll((all) => [...new Set(all.map((each) => each.getAttribute("fill")))]);
    assert.ok(fills.includes("#b3261e") && !fills.includes("#e0483e"), `the light red: ${fills}`);
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert.equal(await page.locator(".printed > *").count(), 0);
  });
});

test("a section that fits a page is not cut, and no heading stands alone at a foot", async () => {
  await browser.visit(story(), {}, async (page) => {
    await onPaper(page);
    const breaks = (selector, property) => page.locator(selector).first().evaluate((each, name) => getComputedStyle(each)[name], property);
    assert.equal(await breaks(".strip", "breakInside"), "avoid");
    assert.equal(await breaks(".matrix", "breakInside"), "avoid");
    assert.equal(await breaks(".printed > figure", "breakInside"), "avoid");
    assert.equal(await breaks("h2", "breakAfter"), "avoid");
  });
});

test("a matrix that is too large to be read on one sheet is printed in parts, which together have all of it", async () => {
  const payload = track({ versions: 40, functions: 120 });
  await browser.visit(payload, {}, async (page) => {
    const rows = await page.locator(".treegrid [role=row][aria-rowindex]").first().evaluate((row) => Number(row.closest("[role=treegrid]").getAttribute("aria-rowcount")) - 1);
    await onPaper(page);
    const sheets = await page.locator(".matrix .printed > figure").evaluateAll((all) =>
      all.map((sheet) => ({
        title: sheet.querySelector("figcaption").textContent,
        texts: [...sheet.querySelectorAll("text")].map(({ textContent }) => textContent),
        width: Number(sheet.querySelector("svg").getAttribute("width")),
      })),
    );
    assert.ok(sheets.length > 2, `${sheets.length}`);
    assert.ok(sheets.every(({ width }) => width <= 1000), `${sheets.map(({ width }) => width)}`);
    const labels = payload.matrices[0].columns.map((at) => payload.versions[at].label);
    for (const label of labels) assert.ok(sheets.some(({ texts }) => texts.includes(label)), label);
    const ranges = sheets.map(({ title }) => title.match(/sheet (\d+) of (\d+): (\S+) to (\S+), rows (\d+) to (\d+)$/).slice(1));
    assert.deepEqual([...new Set(ranges.map(([, of]) => Number(of)))], [sheets.length]);
    assert.equal(Math.max(...ranges.map((range) => Number(range[5]))), rows);
    // The first sheet goes down to its last row over all versions before rows below them follow.
    const [first, second] = ranges;
    assert.deepEqual(first.slice(4), second.slice(4));
    assert.equal(labels.indexOf(second[2]), labels.indexOf(first[3]) + 1);
    // Rows in the middle of a container stand below its name.
    assert.ok(sheets.every(({ texts }) => texts.includes(payload.project)), "each sheet begins with what holds its rows");
  });
});

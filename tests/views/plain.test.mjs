// The page without scripts: a document of tables with contents, that reads and prints well.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { story } from "./fixtures/story.mjs";
import { launch } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const PLAIN = { javaScriptEnabled: false };
const style = (locator, property) => locator.evaluate((element, name) => getComputedStyle(element)[name], property);

/** Relative luminance of "rgb(…)", as WCAG counts it. */
function luminance(color) {
  const [red, green, blue] = color.match(/[\d.]+/g).map((channel) => Number(channel) / (color.startsWith("color") ? 1 : 255));
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

test("without scripts the page has contents that lead to its tables", async () => {
  await browser.visit(story(), PLAIN, async (page) => {
    const links = page.locator("#plain nav a");
    assert.deepEqual(await links.allTextContents(), ["Where costs change", "Cost of each benchmark, in instructions"]);
    for (const target of await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))) {
      assert.equal(await page.locator(`${target} table`).count(), 1, target);
    }
  });
});

test("without scripts figures stand at the right, rows can be told apart, and good and bad have colours and signs", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await browser.visit(story(), { ...PLAIN, colorScheme }, async (page) => {
      const rows = page.locator("#table-2 tbody tr");
      assert.equal(await style(rows.first().locator("td").first(), "textAlign"), "right");
      assert.equal(await style(rows.first().locator("th"), "textAlign"), "left");
      assert.notEqual(await style(rows.nth(0), "backgroundColor"), await style(rows.nth(1), "backgroundColor"));
      const ground = await style(page.locator("#plain"), "backgroundColor");
      for (const tone of ["worse", "better"]) {
        const cell = page.locator(`#plain td[data-tone="${tone}"]`).first();
        assert.match(await cell.textContent(), tone === "worse" ? /^\+/ : /^−/);
        const color = await style(cell, "color");
        assert.ok(contrast(color, ground) >= 4.5, `${tone} on a ${colorScheme} page: ${color} on ${ground}`);
      }
      assert.ok(contrast(await style(page.locator("#plain thead th").first(), "color"), ground) >= 4.5);
    });
  }
});

test("without scripts a narrow page scrolls its tables, not itself, and paper holds them whole", async () => {
  const payload = story();
  payload.benchmarks = ["a::benchmark::with_a_very_long_name_that_no_phone_has_room_for", "another::benchmark::with_a_very_long_name_that_no_phone_has_room_for"];
  await browser.visit(payload, { ...PLAIN, viewport: { width: 390, height: 844 } }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.ok(await page.locator("#table-2 .scroller").evaluate((each) => each.scrollWidth > each.clientWidth));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 700, height: 1000 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 700);
    assert.equal(await style(page.locator("#plain tr").first(), "breakInside"), "avoid");
  });
});

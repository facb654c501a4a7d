// A window of 390 pixels, as of a phone: nothing leaves the page sideways, what is wide scrolls in itself, fingers reach.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { foldable } from "./fixtures/foldable.mjs";
import { longNames } from "./fixtures/long_names.mjs";
import { ROWS, story } from "./fixtures/story.mjs";
import { launch } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** Elements that reach beyond the window and are in nothing that scrolls. */
const overflowing = (page) =>
  page.evaluate(() => {
    const clips = (element) => getComputedStyle(element).overflowX !== "visible";
    const isInside = (element) => {
      for (let above = element.parentElement; above; above = above.parentElement) if (clips(above)) return true;
      return false;
    };
    const out = [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > window.innerWidth + 1 && !isInside(each));
    return { page: document.documentElement.scrollWidth, out: out.map((each) => each.outerHTML.slice(0, 80)) };
  });

for (const [what, payload] of [["a story", story], ["long names", longNames], ["a large tree", foldable]]) {
  test(`nothing leaves a narrow page sideways: ${what}`, async () => {
    await browser.visit(payload(), PHONE, async (page) => {
      for (const tab of ["blueprint", "flames", "ranking"]) {
        await page.locator(`#tab-${tab}`).click();
        await page.locator(`#panel-${tab} > *`).first().waitFor();
        assert.deepEqual(await overflowing(page), { page: 390, out: [] }, tab);
        assert.deepEqual(await violations(page), [], tab);
      }
    });
  });
}

test("the legend is one line that scrolls, and the head does not stand over what is read", async () => {
  await browser.visit(longNames(), PHONE, async (page) => {
    const legend = await page.locator(".legend").evaluate((each) => ({ height: each.offsetHeight, scrolls: each.scrollWidth > each.clientWidth, stop: each.tabIndex }));
    assert.ok(legend.height <= 48, `${legend.height}`);
    assert.deepEqual([legend.scrolls, legend.stop], [true, 0]);
    assert.equal(await page.locator(".head").evaluate((each) => getComputedStyle(each).position), "static");
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const [bottom, top] = await page.evaluate(() => [document.querySelector("main").getBoundingClientRect().bottom, document.querySelector(".legend").getBoundingClientRect().top]);
    assert.ok(bottom <= top + 1, `${bottom} ${top}`);
  });
});

test("a function's calls stand below each other, under headings", async () => {
  await browser.visit(story(), PHONE, async (page) => {
    await page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).evaluate((cell) => cell.click());
    const parts = await page.locator(".callgraph :is(.side, .centre)").evaluateAll((all) => all.map((each) => ({ top: each.getBoundingClientRect().top, width: each.offsetWidth, heading: getComputedStyle(each, "::before").content })));
    assert.deepEqual(parts.map(({ heading }) => heading), ['"Callers"', "none", '"Callees"']);
    assert.ok(parts[0].top < parts[1].top && parts[1].top < parts[2].top);
    assert.ok(parts.every(({ width }) => width > 250), JSON.stringify(parts));
    assert.deepEqual(await overflowing(page), { page: 390, out: [] });
  });
});

test("the causes are in the window, and wider tables scroll in themselves", async () => {
  await browser.visit(longNames(), PHONE, async (page) => {
    const scrolls = (selector) => page.locator(selector).evaluate((each) => [each.scrollWidth > each.clientWidth, each.tabIndex]);
    assert.deepEqual(await scrolls(".causes"), [false, 0]);
    assert.equal(await page.locator(".causes tr").first().evaluate((row) => row.lastElementChild.getBoundingClientRect().right <= 390), true);
    await page.locator("#tab-ranking").click();
    assert.deepEqual(await scrolls(".ranking .scroller"), [true, 0]);
  });
});

test("what is pressed with a finger is large enough", async () => {
  await browser.visit(longNames(), PHONE, async (page) => {
    for (const tab of ["blueprint", "flames"]) {
      await page.locator(`#tab-${tab}`).click();
      const small = await page.locator("button:not(.link), select, [role=tab]").evaluateAll((all) => all.filter((each) => each.checkVisibility() && each.offsetHeight < 32).map((each) => `${each.offsetHeight} ${each.outerHTML.slice(0, 80)}`));
      assert.deepEqual(small, [], tab);
    }
    await page.locator(".chart .save > button").tap();
    const menu = await page.locator(".menu").boundingBox();
    assert.ok(menu.x >= 0 && menu.x + menu.width <= 390, `${menu.x} ${menu.width}`);
    assert.ok((await page.locator(".menu button").first().boundingBox()).height >= 40);
  });
});

test("names of benchmarks are there in full, and in a wider window no part of them is cut to a letter", async () => {
  const cut = (page) => page.locator(".benchmarks .path-name > span").evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map(({ textContent }) => textContent));
  await browser.visit(longNames(), PHONE, async (page) => assert.deepEqual(await cut(page), []));
  await browser.visit(longNames(), { viewport: { width: 900, height: 800 } }, async (page) => {
    const widths = await page.locator(".benchmarks .path-name").evaluateAll((all) =>
      all.flatMap((name) => {
        const frame = name.getBoundingClientRect();
        const before = name.querySelector(".before")?.getBoundingClientRect();
        return before && before.top < frame.bottom - 1 ? [before.width] : [];
      }),
    );
    assert.ok(widths.every((width) => width >= 30), `${widths}`);
  });
});

test("a narrow headline breaks a path after a segment, not within one", async () => {
  const payload = longNames();
  payload.headline.text = "deep::module::of::words::that::no::line::has::room::for is slower";
  payload.headline.lines[0].cause = "from `framework::registry::parallel::scheduling::spec_from_iter_nested`";
  await browser.visit(payload, PHONE, async (page) => {
    const broken = await page.locator(".strip").evaluate((strip) => {
      const texts = document.createTreeWalker(strip, NodeFilter.SHOW_TEXT);
      const parts = [];
      while (texts.nextNode()) {
        const text = texts.currentNode;
        for (const { 0: word, index } of text.data.matchAll(/[\w:]+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          parts.push([word, new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size]);
        }
      }
      return parts;
    });
    assert.ok(broken.some(([word]) => word === "spec_from_iter_nested"), JSON.stringify(broken));
    assert.deepEqual(broken.filter(([, lines]) => lines > 1), []);
  });
});

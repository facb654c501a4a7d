// The performance evolution blueprint, one test an item of its checklist (B1 to B12), and what every view owes its
// readers: keyboard, accessible tree, linked selection, both themes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { act, box, boxes, data, everything, label, near, shownNames } from "./blueprint_page.mjs";
import * as catalog from "./fixtures/catalog.mjs";
import { large } from "./fixtures/large.mjs";
import * as next from "./fixtures/next_name.mjs";
import * as roassal from "./fixtures/roassal.mjs";
import { launch } from "./harness.mjs";

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
/** Positions are those at rest: motion has a test of its own. */
/** In shares, as the papers have them. */
const STILL = { reducedMotion: "reduce", fragment: "scale=share" };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("B1: a caller stands above what it calls, the root on top, an edge between them", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await everything(page, roassal.RUN);
    const { parent } = roassal.roassal().comparisons[0].trees.blueprint;
    const at = await page.locator(".box").evaluateAll((all) =>
      Object.fromEntries(all.map((each) => {
        const { top, bottom } = each.querySelector(".fill").getBoundingClientRect();
        return [each.dataset.node, { top, bottom }];
      })),
    );
    assert.equal(Object.keys(at).length, parent.length);
    for (const [node, above] of parent.entries()) if (above >= 0) assert.ok(at[above].bottom < at[node].top, `${above} above ${node}`);
    assert.equal(await page.locator(".edges path").count(), parent.length - 1);
  });
});

test("B2: below an inserted inner node its callee still matches", async () => {
  await browser.visit(catalog.catalog(), STILL, async (page) => {
    await everything(page, catalog.MAIN);
    assert.equal((await data(box(page, catalog.PROXY))).kind, "added");
    assert.equal(await boxes(page, catalog.PARSE).count(), 1);
    assert.notEqual((await data(box(page, catalog.PARSE))).kind, "added");
  });
});

test("B3: heights are |H| in one scale, as shares or as costs, inclusive or self", async () => {
  await browser.visit(next.nextName(), STILL, async (page) => {
    await everything(page, next.MAIN);
    const check = async (expected, unit) => {
      const shown = await data(box(page, next.NEXT_NAME));
      near(shown.h, expected, 1e-9);
      const scale = Number(shown.height) / Math.abs(expected);
      const other = await data(box(page, next.AT_END));
      near(Number(other.height), Math.abs(Number(other.h)) * scale, 1e-3);
      assert.match(await label(page, next.AT_END).textContent(), unit);
    };
    await check(960_000 / 2_620_000 - 300_000 / 2_000_000, /\+21\.9 points/);
    await page.keyboard.press("a");
    await check(660_000, /\+574\s?k instructions/);
    await page.keyboard.press("t");
    near((await data(box(page, next.NEXT_NAME))).h, 960_000 - 576_000 - 91_000 - (300_000 - 2_400 - 90_000), 1e-9);
    await page.keyboard.press("a");
    await page.keyboard.press("t");
    assert.ok(Number((await data(box(page, next.MAIN))).height) >= 5, "no difference is drawn, too");
  });
});

test("B4: widths are logarithmic in the difference of calls, zero is 5 px, and the tooltip has the sign", async () => {
  await browser.visit(next.nextName(), STILL, async (page) => {
    await everything(page, next.MAIN);
    const width = async (name) => Number((await data(box(page, name))).width);
    near(await width(next.NEXT_NAME), 5);
    near((await data(box(page, next.AT_END))).w, Math.log(24_000 + 1));
    const perLog = ((await width(next.AT_END)) - 5) / Math.log(24_001);
    near(await width(next.TEXT), 5 + Math.log(201) * perLog, 1e-3);
    await box(page, next.TEXT).locator(".fill").hover();
    assert.match(await page.textContent('[role=tooltip] [data-row="calls"]'), /3,600.*3,400.*−200 \(−5\.6%\)/);
  });
});

test("B4: unknown calls are drawn like equal ones, and said to be unknown", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await act(page, box(page, roassal.NODES), "children");
    near((await data(box(page, roassal.COLLECTION))).width, 5);
    await box(page, roassal.COLLECTION).locator(".reach").hover({ position: { x: 60, y: 15 } });
    assert.match(await page.textContent('[role=tooltip] [data-row="calls"]'), /unknown/);
    assert.match(await page.textContent("[role=tooltip]"), /drawn as zero/);
  });
});

test("B5: a new node has its cost less that of its matched callees, a new leaf all of it", async () => {
  await browser.visit(catalog.catalog(), STILL, async (page) => {
    await everything(page, catalog.MAIN);
    near((await data(box(page, catalog.PROXY))).h, 1085 / 1905 - 495 / 942, 1e-9);
    near((await data(box(page, catalog.NEW_METHOD))).h, 699 / 1905, 1e-9);
    near((await data(box(page, catalog.PARSE))).h, 385 / 1905 - 495 / 942, 1e-9);
  });
});

test("B6: a removed node is the mirror image", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await everything(page, roassal.RUN);
    const [removed, added] = await Promise.all([0, 1].map((at) => boxes(page, roassal.TRANSLATE).nth(at)).map(data));
    near(removed.h, -50 / 800, 1e-9);
    near(added.h, 38 / 1000, 1e-9);
    assert.match(await label(page, roassal.TRANSLATE).textContent(), /−6\.3 points/);
  });
});

test("B7: the kind of a box says direction, change of source, new, removed or none, and so does its colour", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await everything(page, roassal.RUN);
    const kinds = {
      [roassal.ON]: "slower-changed",
      [roassal.NODES]: "slower",
      [roassal.SET_UP]: "faster",
      [roassal.ADD]: "faster",
      [roassal.NOT_EDGE]: "added",
      [roassal.RUN]: "neutral",
    };
    for (const [name, kind] of Object.entries(kinds)) assert.equal((await data(box(page, name))).kind, kind, name);
    assert.deepEqual(await boxes(page, roassal.TRANSLATE).evaluateAll((all) => all.map((each) => each.dataset.kind)), ["removed", "added"]);
    const fill = (name) => box(page, name).locator(".fill").evaluate((element) => getComputedStyle(element).fill);
    assert.deepEqual(
      [await fill(roassal.ON), await fill(roassal.NODES), await fill(roassal.NOT_EDGE), await fill(roassal.TRANSLATE)],
      ["rgb(179, 38, 30)", "rgb(242, 162, 155)", "rgb(245, 197, 24)", "rgb(138, 143, 152)"],
    );
    await page.keyboard.press("c");
    assert.equal(await fill(roassal.ON), "rgb(178, 24, 43)");
    // Never colour alone.
    assert.match(await label(page, roassal.ON).textContent(), /▲/);
    assert.match(await label(page, roassal.SET_UP).textContent(), /▼/);
    assert.equal(await box(page, roassal.ON).locator(".notch").count(), 1);
    assert.equal(await box(page, roassal.NODES).locator(".notch").count(), 0);
    assert.notEqual(await box(page, roassal.TRANSLATE).locator(".border").getAttribute("stroke-dasharray"), null);
  });
});

test("B7: what differs by noise only is neutral, and said to be so", async () => {
  const payload = roassal.roassal();
  const { noise } = payload.comparisons[0].trees.blueprint;
  noise[1] = 15;
  await browser.visit(payload, STILL, async (page) => {
    assert.equal((await data(box(page, roassal.NODES))).kind, "neutral");
    await box(page, roassal.NODES).locator(".fill").hover();
    assert.match(await page.textContent("[role=tooltip]"), /within noise/);
  });
});

test("B7: where more is better, growing is good", async () => {
  await browser.visit({ ...next.nextName(), better: "more" }, STILL, async (page) => {
    assert.equal((await data(box(page, next.NEXT_NAME))).kind, "faster-changed");
    assert.match(await box(page, next.NEXT_NAME).getAttribute("aria-label"), /better, source changed/);
  });
});

test("B8: a border is thick where children are not shown, thin where all are", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    assert.equal((await data(box(page, roassal.ON))).border, "3");
    assert.equal(await box(page, roassal.ON).locator(".border").getAttribute("stroke-width"), "3");
    assert.equal((await data(box(page, roassal.NOT_EDGE))).border, "1");
    await act(page, box(page, roassal.ON), "children");
    assert.equal((await data(box(page, roassal.ON))).border, "1");
    assert.equal((await data(box(page, roassal.RECTANGLE))).border, "3");
  });
});

test("B9: it opens with the delta hot path only, labelled and in sight, and a sentence says what it comes to", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    assert.deepEqual(await shownNames(page), [roassal.RUN, roassal.NODES, roassal.ON, roassal.NOT_EDGE]);
    assert.match(await page.textContent(".hot-path"), /elementsNotEdge is new here: \+12\.4 points of the total, 50 calls, below on:, whose source changed\./);
    const { top, bottom, left, right } = await box(page, roassal.NOT_EDGE).evaluate((element) => element.getBoundingClientRect().toJSON());
    const legend = await page.locator(".legend").evaluate((element) => element.getBoundingClientRect().top);
    assert.ok(top >= 0 && bottom <= legend && left >= 0 && right <= 1280, "the culprit is in the window");
    assert.match(await label(page, roassal.NOT_EDGE).textContent(), /ROElement::elementsNotEdge\+12\.4 points/);
  });
});

test("B9: the loop's callee is at the end of the path, and the changed caller is named", async () => {
  await browser.visit(next.nextName(), STILL, async (page) => {
    assert.match(await page.textContent(".hot-path"), /at_end is slower here: 0\.12 → 22\.0% of total \(\+21\.9 points\), 201× as many calls, below next_name, whose source changed\./);
  });
});

test("B10: the context menu shows children, all below, hides all below and shows the delta hot path", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await act(page, box(page, roassal.ON), "children");
    assert.equal((await shownNames(page)).length, 7);
    await act(page, box(page, roassal.ON), "all");
    assert.equal((await shownNames(page)).length, 10);
    await act(page, box(page, roassal.ON), "hide");
    assert.deepEqual(await shownNames(page), [roassal.RUN, roassal.NODES, roassal.ON]);
    assert.equal((await data(box(page, roassal.ON))).border, "3");
    await act(page, box(page, roassal.ON), "hot-path");
    assert.deepEqual(await shownNames(page), [roassal.RUN, roassal.NODES, roassal.ON, roassal.NOT_EDGE]);
  });
});

test("B10: the same by keyboard, with the menu key, Shift+F10 and a visible key", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await box(page, roassal.ON).focus();
    for (const key of ["ContextMenu", "Shift+F10", "m"]) {
      await page.keyboard.press(key);
      assert.equal(await page.locator("[role=menu]").count(), 1, key);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("[role=menu]").count(), 0);
      assert.equal(await page.evaluate(() => document.activeElement.dataset.name), roassal.ON, "the focus is back");
    }
    await page.keyboard.press("m");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal((await shownNames(page)).length, 7);
  });
});

test("B10: showing all of 50,000 contexts is capped, says so, and offers ways on", async (t) => {
  const payload = large(50_000);
  await browser.visit(payload, STILL, async (page) => {
    await page.waitForSelector(".box");
    await page.locator('.box[data-node="0"] .fill').click({ button: "right" });
    const took = await page.evaluate(async () => {
      const begun = performance.now();
      document.querySelector('[data-action="all"]').click();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - begun;
    });
    t.diagnostic(`show all below of 50,000: ${took.toFixed(0)} ms`);
    assert.ok(took < 3000);
    assert.match(await page.textContent(".capped"), /1,500 contexts with the largest differences/);
    assert.ok((await page.locator(".box").count()) < 1500, "only what is in sight is in the document");
    await page.keyboard.press("h");
    assert.equal(await page.locator(".capped").count(), 0);
  });
});

test("B11: hover and focus show name, type, both sides with signed differences, calls and estimates", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await box(page, roassal.ON).locator(".fill").hover();
    const tip = page.locator("[role=tooltip]");
    assert.match(await tip.textContent(), /ROAdjustSizeOfNesting class::on:/);
    assert.equal(await tip.locator("[data-field=type]").textContent(), "ROAdjustSizeOfNesting class");
    assert.match(await tip.locator('[data-row="inclusive"]').textContent(), /180 ms380 ms\+200 ms \(\+111%\)/);
    assert.match(await tip.locator('[data-row="inclusive-share"]').textContent(), /22\.5%38\.0%\+15\.5 points/);
    assert.match(await tip.locator('[data-row="self"]').textContent(), /28 ms19 ms−9 ms \(−32\.1%\)/);
    assert.match(await tip.locator('[data-row="calls"]').textContent(), /5050±0/);
    await page.mouse.move(5, 5);
    assert.equal(await tip.count(), 0);
    await page.locator(".contexts-bar button").first().focus();
    await page.keyboard.press("h");
    assert.match(await tip.textContent(), /elementsNotEdge/);
    assert.match(await tip.textContent(), /One of the call counts is an estimate/);
    assert.match(await tip.locator('[data-row="calls"]').textContent(), /–50\+50/);
  });
});

test("B12: below is the source before and after of the selected function, as a diff", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await box(page, roassal.ON).locator(".fill").click();
    assert.equal(await page.locator(".diff").getAttribute("data-function"), roassal.ON);
    assert.equal(await page.locator('.diff .code[data-line="added"]').count(), 3);
    await box(page, roassal.NOT_EDGE).locator(".fill").click();
    assert.equal(await page.locator('.diff [data-state="unchanged"]').count(), 1);
  });
});

test("arrows walk the tree, Home and End go to its ends, Enter selects", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.dataset.name);
    await box(page, roassal.NOT_EDGE).focus();
    const walk = [
      ["Home", roassal.RUN],
      ["ArrowDown", roassal.NODES],
      ["ArrowDown", roassal.ON],
      ["ArrowUp", roassal.NODES],
      ["ArrowRight", roassal.ON],
      ["ArrowLeft", roassal.NODES],
      ["End", roassal.NOT_EDGE],
      ["ArrowLeft", roassal.ON],
    ];
    for (const [key, name] of walk) {
      await page.keyboard.press(key);
      assert.equal(await focused(), name, key);
    }
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".diff").getAttribute("data-function"), roassal.ON);
    assert.equal(await box(page, roassal.ON).getAttribute("aria-selected"), "true");
    assert.match(decodeURIComponent(new URL(page.url()).hash), /on:/);
    await box(page, roassal.NOT_EDGE).focus();
    await page.keyboard.press("ArrowRight");
    await box(page, roassal.NODES).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), roassal.RUN);
  });
});

test("search shows contexts that were hidden, n and N go on and back", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("translateWith");
    assert.match(await page.textContent(".blueprint .count"), /2 matches/);
    await page.keyboard.press("Enter");
    const kind = () => page.evaluate(() => document.activeElement.dataset.kind);
    assert.equal(await kind(), "added", "the next one after the focused box");
    await page.keyboard.press("n");
    assert.equal(await kind(), "removed");
    await page.keyboard.press("N");
    assert.equal(await kind(), "added");
    assert.equal(await page.locator('.box[data-hit="1"]').count(), 2);
  });
});

test("zoom by buttons and wheel, drag to pan", async () => {
  await browser.visit(large(2_000), STILL, async (page) => {
    await page.waitForSelector(".box");
    await everything(page, await page.locator('.box[data-node="0"]').getAttribute("data-name"));
    const scroll = () => page.locator(".viewport").evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
    await page.locator(".viewport").evaluate((element) => (element.scrollLeft = 500));
    const before = await scroll();
    const ground = await page.evaluate(() => {
      const { left, top, width, height } = document.querySelector(".viewport").getBoundingClientRect();
      for (let y = top + height - 30; y > top; y -= 20) {
        for (let x = left + 200; x < left + width; x += 20) if (document.elementFromPoint(x, y)?.tagName === "svg") return { x, y };
      }
    });
    await page.mouse.move(ground.x, ground.y);
    await page.mouse.down();
    await page.mouse.move(ground.x - 100, ground.y);
    await page.mouse.up();
    assert.equal((await scroll())[0], before[0] + 100);
    await page.getByLabel("Smaller").click();
    assert.match(await page.textContent(".zoom"), /85%/);
    await page.locator(".viewport").hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await page.waitForFunction(() => /100%/.test(document.querySelector(".zoom").textContent));
    await page.getByText("Fit", { exact: true }).click();
    assert.ok(await page.locator(".viewport").evaluate((element) => element.scrollWidth <= element.clientWidth));
  });
});

test("what comes in sight by zooming out is drawn in the same frame", async () => {
  await browser.visit(large(2_000), STILL, async (page) => {
    await page.waitForSelector(".box");
    await everything(page, await page.locator('.box[data-node="0"]').getAttribute("data-name"));
    const [atOnce, later] = await page.evaluate(async () => {
      const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const boxes = () => document.querySelectorAll(".box").length;
      await frames();
      [...document.querySelectorAll(".zoom button")].at(-1).click();
      // Microtasks run before the next frame.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      const atOnce = boxes();
      await frames();
      return [atOnce, boxes()];
    });
    assert.equal(atOnce, later);
    assert.ok(later > 1000, `${later} boxes`);
  });
});

test("the tree says levels, positions, what is expanded and what each box means", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    const on = box(page, roassal.ON);
    assert.equal(await on.getAttribute("role"), "treeitem");
    assert.equal(await on.getAttribute("aria-level"), "3");
    assert.equal(await on.getAttribute("aria-expanded"), "true");
    assert.equal(await on.getAttribute("aria-setsize"), "3");
    assert.equal(await box(page, roassal.NOT_EDGE).getAttribute("aria-expanded"), null);
    assert.equal(
      await on.getAttribute("aria-label"),
      "on: of ROAdjustSizeOfNesting class, slower, source changed, +15.5 points of the total, as many calls, 3 callees not shown",
    );
    assert.match(await box(page, roassal.NOT_EDGE).getAttribute("aria-label"), /new in this context, \+12\.4 points of the total, 50 calls, calls estimated/);
  });
});

test("the legend says what sizes, borders and marks mean, and follows the modes", async () => {
  await browser.visit(roassal.roassal(), STILL, async (page) => {
    const words = () => page.textContent(".legend");
    assert.match(await words(), /Height: difference of the inclusive share of the total.*difference of calls, logarithmic.*callees not shown/);
    await page.keyboard.press("a");
    await page.keyboard.press("t");
    assert.match(await words(), /Height: difference of the self cost in ms/);
  });
});

test("motion takes 150 ms of positions, and none where the reader wants none", async () => {
  const duration = (page) => page.locator(".box").first().evaluate((element) => [getComputedStyle(element).transitionProperty, getComputedStyle(element).transitionDuration]);
  await browser.visit(roassal.roassal(), { reducedMotion: "no-preference" }, async (page) => assert.deepEqual(await duration(page), ["transform", "0.15s"]));
  await browser.visit(roassal.roassal(), STILL, async (page) => assert.deepEqual((await duration(page))[1], "0s"));
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible in ${colorScheme}`, async () => {
    await browser.visit(roassal.roassal(), { ...STILL, colorScheme }, async (page) => {
      await everything(page, roassal.RUN);
      await box(page, roassal.ON).locator(".fill").click();
      await page.evaluate(AXE);
      for (const open of [false, true]) {
        if (open) await page.keyboard.press("m");
        const { violations } = await page.evaluate(() => window.axe.run(document.querySelector("main")));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)]), []);
      }
    });
  });
}

test("forced colours leave the boxes their colours", async () => {
  await browser.visit(roassal.roassal(), { ...STILL, forcedColors: "active" }, async (page) => {
    const fill = await box(page, roassal.ON).locator(".fill").evaluate((element) => getComputedStyle(element).fill);
    assert.equal(fill, "rgb(179, 38, 30)");
  });
});

test("where more is better, growth has the sign of growth and the colour of what is good", async () => {
  await browser.visit({ ...roassal.roassal(), better: "more" }, STILL, async (page) => {
    await everything(page, roassal.RUN);
    assert.equal((await data(box(page, roassal.ON))).kind, "faster-changed");
    assert.match(await label(page, roassal.ON).textContent(), /▲/);
    assert.match(await page.textContent('.legend [data-meaning="faster-changed"]'), /▲better, source changed/);
    assert.equal(await page.locator(".strip .glyph").first().textContent(), "▼", "the strip's verdict is “slower”, which is less here");
  });
});

// The differential flame graph set, one test an item of its checklist (D1 to D8), what today's tools lack (removed
// frames, live switches, noise, changed sources, keyboard), and the budget of 200,000 frames.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import * as catalog from "./fixtures/catalog.mjs";
import { large } from "./fixtures/large.mjs";
import * as next from "./fixtures/next_name.mjs";
import * as roassal from "./fixtures/roassal.mjs";
import { launch } from "./harness.mjs";

const STILL = { reducedMotion: "reduce", fragment: "view=flames&scale=share" };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const ROOT = [roassal.RUN];
const NODES = [...ROOT, roassal.NODES];
const ON = [...NODES, roassal.ON];
const NOT_EDGE = [...ON, roassal.NOT_EDGE];
const REMOVED = [...ON, roassal.TRANSLATE];
const SET_UP = [...ROOT, roassal.SET_UP];

async function visit(payload, options, check) {
  await browser.visit(payload, { ...STILL, ...options }, async (page) => {
    await page.waitForFunction(() => window.lito?.flames?.drawnAfter > 0);
    await check(page);
  });
}

const frame = (page, graph, path) => page.evaluate(([graph, path]) => window.lito.flames.frame(graph, path), [graph, path]);
const query = (page, name) => page.evaluate((name) => window.lito.flames[name], name);
const size = (page, graph) => page.locator(`[data-graph=${graph}] .scroller`).evaluate((element) => ({ width: element.clientWidth, height: element.clientHeight }));
const near = (value, expected, least = 1.01) => assert.ok(Math.abs(value - expected) <= least, `${value} is not ${expected}`);

/** The middle of a frame, in the window's pixels. */
async function point(page, graph, path) {
  const { x, y, width, height } = await frame(page, graph, path);
  await page.locator(`[data-graph=${graph}] .scroller`).scrollIntoViewIfNeeded();
  const canvas = await page.locator(`[data-graph=${graph}] canvas`).first().boundingBox();
  return [canvas.x + x + Math.min(width / 2, canvas.width / 2), canvas.y + y + height / 2];
}

/** What the canvas itself shows, so that the query object cannot flatter it: the first pixel inside of a frame. */
async function pixel(page, graph, path) {
  const { x, y, height } = await frame(page, graph, path);
  return page.locator(`[data-graph=${graph}] canvas`).first().evaluate(
    (canvas, [x, y]) => `#${[...canvas.getContext("2d").getImageData(x, y, 1, 1).data.slice(0, 3)].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`,
    [x + 1, y + height - 2],
  );
}

test("D1: flames grow upward, widths are values, siblings stand in alphabetical order", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    const { width, height } = await size(page, "after");
    const [root, nodes, on, setUp] = await Promise.all([ROOT, NODES, ON, SET_UP].map((path) => frame(page, "after", path)));
    near(root.y + root.height, height);
    assert.ok(on.y < nodes.y && nodes.y < root.y);
    near(root.width, width);
    near(nodes.width, 0.92 * width, 2);
    near(on.width, 0.38 * width, 2);
    const add = await frame(page, "after", [...NODES, roassal.ADD]);
    assert.ok(on.x + on.width <= add.x, "ROAdjust… before ROContainer");
    assert.ok(nodes.x + nodes.width <= setUp.x, "ROMondrianViewBuilder before …Test");
  });
});

test("D2: before and after stand side by side, the difference below has the full width", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    const [one, other, diff] = await Promise.all(["before", "after", "diff"].map((graph) => page.locator(`[data-graph=${graph}] .scroller`).boundingBox()));
    assert.equal(one.y, other.y);
    assert.ok(one.x + one.width < other.x && one.y + one.height < diff.y);
    near(diff.width, other.x + other.width - one.x);
    near((await frame(page, "before", ON)).width / (await frame(page, "after", ON)).width, 180 / 380, 0.02);
  });
});

test("D3: white is unchanged, the rest has the colours of worse and better, the darker the more, on the canvas itself", async () => {
  // Chromium's advice on reading pixels back, which only this test does.
  await visit(roassal.roassal(), { allowed: /willReadFrequently/ }, async (page) => {
    const steps = Object.fromEntries(await Promise.all(Object.entries({ ROOT, ON, NOT_EDGE, SET_UP }).map(async ([name, path]) => [name, (await frame(page, "after", path)).step])));
    assert.equal(steps.ON, 8);
    assert.ok(steps.NOT_EDGE > 0 && steps.NOT_EDGE < steps.ON);
    assert.ok(steps.SET_UP < 0);
    const add = await frame(page, "after", [...NODES, roassal.ADD]);
    assert.equal(add.step, 0, "one millisecond is noise");
    assert.equal(add.color, "#ffffff");
    for (const [graph, path] of [["after", ON], ["after", NOT_EDGE], ["before", ON], ["diff", SET_UP]]) {
      assert.equal(await pixel(page, graph, path), (await frame(page, graph, path)).color.toLowerCase(), `${graph} ${path.at(-1)}`);
    }
    assert.equal((await frame(page, "after", ON)).color.toLowerCase(), "#b3261e");
    await page.keyboard.press("c");
    assert.equal((await frame(page, "after", ON)).color.toLowerCase(), "#b2182b");
  });
});

test("D3: where more is better, growth has the colour of what is good, as in the other views", async () => {
  await visit(roassal.roassal(), {}, async (page) => assert.match(await page.textContent(".legend"), /from shrank \(better\) to grew \(worse\)/));
  await visit({ ...roassal.roassal(), better: "more" }, {}, async (page) => {
    assert.match(await page.textContent(".legend"), /from shrank \(worse\) to grew \(better\)/);
    assert.equal((await frame(page, "after", ON)).color.toLowerCase(), "#0b7a5b");
  });
});

test("D4: colours of before say what a revert would do, and the legend says that they do", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    assert.equal((await frame(page, "before", ON)).step, -8);
    assert.ok((await frame(page, "before", REMOVED)).step > 0, "reverting brings it back");
    assert.match(await page.textContent(".legend .mode"), /“Before”: what a revert would do/);
    assert.match(await page.textContent("[data-graph=before] header"), /coloured by what a revert would do/);
  });
});

test("D5: the difference is as wide as what differs, removed frames included", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    const { width } = await size(page, "diff");
    const { flames } = roassal.roassal().comparisons[0].trees;
    const differs = flames.selfBefore.map((value, at) => (flames.noise[at] & 8 ? 0 : Math.abs(flames.selfAfter[at] - value)));
    const total = differs.reduce((sum, value) => sum + value);
    const removed = await frame(page, "diff", REMOVED);
    assert.equal(removed.kind, "removed");
    near(removed.width, (50 / total) * width, 2);
    near((await frame(page, "diff", NOT_EDGE)).width, (124 / total) * width, 2);
    assert.equal(await frame(page, "diff", [...NODES, roassal.COLLECTION]), null, "noise is no difference");
    assert.equal((await frame(page, "before", REMOVED)).kind, "removed");
    assert.equal(await frame(page, "after", REMOVED), null);
  });
});

test("D5: a switch draws the difference like the original tool", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    await page.selectOption("[data-form]", "original");
    assert.equal(await frame(page, "diff", REMOVED), null);
    assert.equal(await frame(page, "diff", [...NODES, roassal.COLLECTION]), null, "an unchanged leaf is dropped");
    const [one, other] = await Promise.all([NOT_EDGE, SET_UP].map((path) => frame(page, "diff", path)));
    near(one.width / other.width, 124 / 52, 0.05);
    assert.match(await page.textContent(".widths"), /widths of “after”, without stacks whose last function is unchanged/);
  });
});

test("D6: totals can be normalised", async () => {
  await visit(catalog.catalog(), {}, async (page) => {
    const root = [catalog.MAIN];
    const { width } = await size(page, "before");
    near((await frame(page, "before", root)).width, (942 / 1905) * width, 2);
    assert.equal((await frame(page, "after", root)).step, 8);
    await page.getByLabel("Normalise totals").check();
    near((await frame(page, "before", root)).width, width);
    assert.equal((await frame(page, "after", root)).step, 0);
    const parser = await frame(page, "after", [catalog.MAIN, catalog.BUILD_FILE, catalog.BUILD_URL, catalog.BUILD, catalog.CREATE_PARSER]);
    assert.ok(parser.step < 0, "404 of 942 are more than 784 of 1905");
    await page.getByLabel("Normalise totals").uncheck();
    assert.equal((await frame(page, "after", root)).step, 8);
  });
});

test("D7: hovering outlines the same frame in all three, each with its own value", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    await page.keyboard.press("a");
    await page.mouse.move(...(await point(page, "after", ON)));
    assert.deepEqual(await query(page, "hovered"), ON);
    const values = await page.locator(".graph .value").allTextContents();
    assert.match(values[0], /on: 180 ms \(22\.5%\)/);
    assert.match(values[1], /on: 380 ms \(38\.0%\)/);
    assert.match(values[2], /on: \+200 ms \(\+111%\)/);
    for (const graph of ["before", "after", "diff"]) {
      const { x, y, width } = await frame(page, graph, ON);
      const inked = await page.locator(`[data-graph=${graph}] .overlay`).evaluate((canvas, at) => canvas.getContext("2d").getImageData(...at, 1, 3).data.some(Boolean), [Math.round(x + width / 2), Math.max(0, Math.round(y) - 2)]);
      assert.ok(inked, graph);
    }
    assert.match(await page.textContent(".tooltip"), /grew, source changed/);
    await page.mouse.move(5, 5);
    assert.equal(await query(page, "hovered"), null);
  });
});

test("D8: a keyword search counts its matches, says their share, and n and N walk them", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("elementsnotedge");
    assert.equal(await query(page, "matches"), 2);
    assert.match(await page.textContent(".flames .count"), /2 frames match: 0% of before, 23\.6% of after/);
    await page.keyboard.press("Enter");
    assert.deepEqual(await query(page, "focused"), NOT_EDGE);
    await page.keyboard.press("n");
    assert.deepEqual(await query(page, "focused"), [...ON, roassal.RECTANGLE, roassal.NOT_EDGE]);
    await page.keyboard.press("N");
    assert.deepEqual(await query(page, "focused"), NOT_EDGE);
    assert.notEqual(await pixel(page, "after", ON), (await frame(page, "after", ON)).color.toLowerCase(), "others are sunk");
  });
});

test("a click zooms all three and selects, crumbs lead back, Escape resets", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    await page.mouse.click(...(await point(page, "after", ON)));
    assert.deepEqual(await query(page, "zoom"), ON);
    for (const graph of ["before", "after", "diff"]) near((await frame(page, graph, ON)).width, (await size(page, graph)).width, 2);
    assert.equal(await page.locator(".diff").getAttribute("data-function"), roassal.ON);
    assert.deepEqual(await page.locator(".crumbs .link").allTextContents(), ["All", "nodes:using:", "on:"]);
    await page.locator(".crumbs .link").nth(1).click();
    assert.deepEqual(await query(page, "zoom"), NODES);
    await page.keyboard.press("Escape");
    assert.deepEqual(await query(page, "zoom"), ROOT);
  });
});

test("a zoom moves for 150 ms where motion is wanted", async () => {
  await visit(roassal.roassal(), { reducedMotion: "no-preference" }, async (page) => {
    const [x, y] = await point(page, "after", ON);
    const widths = await page.evaluate(async ([path, clientX, clientY]) => {
      const seen = [];
      document.querySelector("[data-graph=after] .scroller").dispatchEvent(new MouseEvent("click", { bubbles: true, clientX, clientY }));
      const begun = performance.now();
      while (performance.now() - begun < 400) {
        await new Promise(requestAnimationFrame);
        seen.push(window.lito.flames.frame("after", path).width);
      }
      return seen;
    }, [ON, x, y]);
    assert.ok(new Set(widths).size > 2, "several widths on the way");
  });
});

test("self and inclusive, share and absolute switch live", async () => {
  await visit(next.nextName(), {}, async (page) => {
    const path = [next.MAIN, next.PARSE, next.ELEMENT, next.NEXT_NAME];
    near((await frame(page, "after", path)).value, 0.48, 1e-9);
    assert.match(await page.textContent(".widths"), /inclusive costs, values are in % of the total of 0\.3\.1/);
    await page.keyboard.press("a");
    assert.equal((await frame(page, "after", path)).value, 960_000);
    await page.keyboard.press("t");
    assert.equal((await frame(page, "after", path)).value, 960_000 - 576_000 - 91_000);
    assert.equal((await frame(page, "after", path.slice(0, 2))).step, 0, "its own cost did not change");
    assert.match(await page.textContent(".widths"), /self costs, values are in instructions/);
  });
});

test("changed sources and noise are marked frame by frame", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    const on = await frame(page, "after", ON);
    assert.equal(on.changed, true);
    const corner = await page.locator("[data-graph=after] canvas").first().evaluate((canvas, at) => [...canvas.getContext("2d").getImageData(...at, 1, 1).data.slice(0, 3)], [on.x + on.width - 1, on.y + 1]);
    assert.deepEqual(corner, [255, 255, 255], "a notch in the text's colour");
    await page.mouse.move(...(await point(page, "after", [...NODES, roassal.ADD])));
    assert.match(await page.textContent(".tooltip"), /within noise/);
  });
});

test("arrows walk frames, and a tree says what a canvas cannot", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    const focused = () => query(page, "focused");
    await page.locator("[data-graph=after] .scroller").focus();
    for (const [key, path] of [
      ["Home", ROOT],
      ["ArrowUp", NODES],
      ["ArrowUp", ON],
      ["ArrowRight", [...NODES, roassal.ADD]],
      ["ArrowLeft", ON],
      ["ArrowDown", NODES],
      ["ArrowRight", SET_UP],
    ]) {
      await page.keyboard.press(key);
      assert.deepEqual(await focused(), path, key);
    }
    await page.keyboard.press("h");
    assert.deepEqual(await focused(), NOT_EDGE);
    const item = page.locator(':focus[role="treeitem"]');
    assert.match(await item.textContent(), /elementsNotEdge: 0% before, 15\.5% after, 0 → 15\.5% of total \(\+15\.5 points\), new/);
    assert.equal(await item.getAttribute("aria-level"), "4");
    assert.equal(await page.locator(".mirror [role=treeitem]").count(), 4);
    await page.keyboard.press("Enter");
    assert.deepEqual(await query(page, "zoom"), NOT_EDGE);
    await page.keyboard.press("Backspace");
    assert.deepEqual(await query(page, "zoom"), ROOT);
  });
});

test("one selection: a box is a frame is a function, both ways", async () => {
  await visit(roassal.roassal(), {}, async (page) => {
    await page.mouse.click(...(await point(page, "diff", REMOVED)));
    await page.getByRole("tab", { name: "Blueprint" }).click();
    assert.equal(await page.locator('.box[aria-selected="true"]').getAttribute("data-name"), roassal.TRANSLATE);
    assert.equal(await page.locator('.box[aria-selected="true"]').getAttribute("data-kind"), "removed");
    await page.locator(`.box[data-name="${roassal.ON}"] .fill`).click();
    await page.getByRole("tab", { name: "Flame graphs" }).click();
    await page.waitForFunction(() => window.lito.flames.selected.length > 0);
    assert.deepEqual(await query(page, "selected"), [ON]);
    assert.equal(await page.locator(".diff").getAttribute("data-function"), roassal.ON);
  });
});

test("below an inserted inner node, both paths of the same context are selected", async () => {
  await visit(catalog.catalog(), {}, async (page) => {
    const build = [catalog.MAIN, catalog.BUILD_FILE, catalog.BUILD_URL, catalog.BUILD];
    await page.mouse.click(...(await point(page, "after", [...build, catalog.PROXY, catalog.PARSE])));
    assert.deepEqual(await query(page, "selected"), [
      [...build, catalog.PARSE],
      [...build, catalog.PROXY, catalog.PARSE],
    ]);
    await page.keyboard.press("Escape");
    assert.equal((await frame(page, "before", [...build, catalog.PARSE])).kind, "removed");
  });
});

test("where nothing differs, the difference says so", async () => {
  const payload = roassal.roassal();
  const { flames } = payload.comparisons[0].trees;
  flames.selfAfter = flames.selfBefore;
  await visit(payload, {}, async (page) => {
    assert.equal(await page.textContent("[data-graph=diff] .empty"), "No stack differs by more than noise.");
    assert.equal((await frame(page, "after", ROOT)).step, 0);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible in ${colorScheme}`, async () => {
    await visit(roassal.roassal(), { colorScheme }, async (page) => {
      await page.mouse.click(...(await point(page, "after", ON)));
      assert.deepEqual(await violations(page), []);
    });
  });

  test(`labels are readable on every colour in ${colorScheme}`, async () => {
    await visit(large(3_000), { colorScheme }, async (page) => {
      const ramp = await page.locator('.legend [data-meaning="ramp"] rect').evaluateAll((all) => all.map((each) => getComputedStyle(each).fill.match(/\d+/g).map(Number)));
      assert.equal(ramp.length, 17);
      const luminance = (color) => color.map((channel) => channel / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
      for (const color of ramp) assert.ok(Math.max(1.05 / (luminance(color) + 0.05), (luminance(color) + 0.05) / 0.05) >= 4.5, color.join());
    });
  });
}

test("200,000 frames open at once and zoom at the screen's pace", async (t) => {
  await visit(large(200_000), { reducedMotion: "no-preference" }, async (page) => {
    assert.equal(await query(page, "frames"), 200_000);
    const opened = await query(page, "drawnAfter");
    const gaps = await page.evaluate(async () => {
      const seen = [];
      let last = 0;
      let running = false;
      const tick = (now) => {
        if (running && last > 0) seen.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      const wait = (time) => new Promise((done) => setTimeout(done, time));
      const scroller = document.querySelector("[data-graph=after] .scroller");
      for (let at = 0; at < 8; at++) {
        const { left, width, bottom } = scroller.getBoundingClientRect();
        last = 0;
        running = true;
        if (at % 2 === 0) scroller.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: left + width * (0.1 + 0.1 * at), clientY: bottom - 30 - 18 * (at % 4) }));
        else document.querySelector(".crumbs .link").click();
        await wait(170);
        running = false;
        await wait(30);
      }
      return seen.sort((one, other) => one - other);
    });
    const part = (share) => gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))];
    t.diagnostic(`opened and drawn after ${opened.toFixed(0)} ms; ${gaps.length} frames of zooms: median ${part(0.5).toFixed(1)} ms, 95th percentile ${part(0.95).toFixed(1)} ms`);
    assert.ok(opened < 10_000 && part(0.5) < 100, "far beyond the budget");
  });
});

// The evolution chart, R1 to R4, by value.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { story } from "./fixtures/story.mjs";
import { track } from "./fixtures/track.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const point = (page, benchmark, version) => page.locator(`.points[data-benchmark="${benchmark}"] circle[data-version="${version}"]`);

async function clickPoint(page, benchmark, version) {
  const { x, y, width, height } = await point(page, benchmark, version).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}

const attributes = (locator, ...names) => locator.evaluateAll((all, wanted) => all.map((each) => wanted.map((name) => each.getAttribute(name))), names);

test("R1 every benchmark has one line over all versions, gaps left out", async () => {
  await browser.visit(story(), {}, async (page) => {
    assert.deepEqual(await attributes(page.locator(".points"), "data-benchmark"), [["0"], ["1"]]);
    assert.deepEqual(await attributes(page.locator('.points[data-benchmark="0"] circle'), "data-version", "data-value"), [["0", "1000"], ["1", "1000"], ["2", "2000"], ["3", "1500"]]);
    assert.deepEqual(await attributes(page.locator('.points[data-benchmark="1"] circle'), "data-version", "data-value"), [["0", "500"], ["2", "520"], ["3", "400"]]);
  });
});

test("R1 a hundred versions of a dozen benchmarks are all there", async () => {
  const benchmarks = Array.from({ length: 12 }, (_, at) => `bench_${at}`);
  await browser.visit(track({ versions: 100, benchmarks }), {}, async (page) => {
    const gaps = await page.locator(".gap[data-gap]").count();
    assert.equal(await page.locator(".points circle").count(), 1200 - 12);
    assert.equal(gaps, 12);
  });
});

test("R2 the whole chart is copied as CSV, gaps with their reason", async () => {
  await browser.visit(story(), { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await page.getByText("Copied").waitFor();
    const csv = (await page.evaluate(() => navigator.clipboard.readText())).trim().split("\n");
    assert.equal(csv[0], "version,commit,benchmark,cost,unit,state,reason");
    assert.equal(csv.length, 1 + 8);
    assert.equal(csv[2], `v1,${"2".repeat(40)},load,1000,instructions,carried over,`);
    assert.equal(csv[6], `v1,${"2".repeat(40)},save,,instructions,gap,did not build: error[E0433]`);
  });
});

test("R3 y is the cost: equal steps of cost are equal steps of height", async () => {
  await browser.visit(story(), {}, async (page) => {
    const y = async (benchmark, version) => Number(await point(page, benchmark, version).getAttribute("cy"));
    const perThousand = (await y(0, 0)) - (await y(0, 2));
    assert.ok(perThousand > 50, `${perThousand}`);
    assert.ok(Math.abs((await y(0, 3)) - (await y(0, 2)) - perThousand / 2) < 0.5);
    assert.ok(Math.abs((await y(1, 0)) - (await y(0, 0)) - perThousand / 2) < 0.5);
    const x = async (version) => Number(await point(page, 0, version).getAttribute("cx"));
    assert.ok(Math.abs((await x(1)) - (await x(0)) - ((await x(3)) - (await x(2)))) < 0.5);
  });
});

test("R3 `r` shows the change since the first version, and back", async () => {
  await browser.visit(story(), {}, async (page) => {
    const height = async (benchmark, version) => Number(await point(page, benchmark, version).getAttribute("cy"));
    assert.notEqual(await height(0, 0), await height(1, 0));
    await page.keyboard.press("r");
    assert.equal(await page.locator("[data-scale]").getAttribute("data-scale"), "relative");
    assert.equal(await height(0, 0), await height(1, 0));
    // +100% of one against -20% of the other.
    const zero = await height(0, 0);
    assert.ok(Math.abs((zero - (await height(0, 2))) / (zero - (await height(1, 3))) + 5) < 0.01);
    await page.keyboard.press("r");
    assert.notEqual(await height(0, 0), await height(1, 0));
  });
});

test("R3 benchmarks of very different size open as changes", async () => {
  const payload = story();
  payload.chart[1].values = payload.chart[1].values.map((value) => value && value / 100);
  await browser.visit(payload, {}, async (page) => {
    assert.equal(await page.locator("[data-scale]").getAttribute("data-scale"), "relative");
  });
});

test("R3 measured points are filled, carried-over ones hollow, a gap is a cross that says why", async () => {
  await browser.visit(story(), {}, async (page) => {
    const fill = (version) => point(page, 0, version).evaluate((circle) => [getComputedStyle(circle).fill, getComputedStyle(circle).stroke]);
    const [measured, line] = await fill(0);
    assert.equal(measured, line);
    const [carried, sameLine] = await fill(1);
    assert.equal(carried, "rgb(255, 255, 255)");
    assert.equal(sameLine, line);
    assert.deepEqual(await attributes(page.locator('.points[data-benchmark="0"] circle'), "data-state"), [["measured"], ["carried"], ["measured"], ["measured"]]);
    const gap = page.locator('.gap[data-gap="1"]');
    assert.equal(await gap.getAttribute("data-benchmarks"), "1");
    const { x, y } = await gap.boundingBox();
    await page.mouse.move(x + 3, y + 3);
    assert.match(await page.locator(".chart .tip").textContent(), /save.*not measured: did not build: error\[E0433\]/);
  });
});

test("R3 a step and a change that stays are marked differently, each with one number", async () => {
  await browser.visit(story(), {}, async (page) => {
    assert.deepEqual(await attributes(page.locator(".change[data-method]"), "data-method", "data-benchmark", "data-version", "data-worse"), [
      ["jump", "0", "2", "true"],
      ["e_divisive", "1", "3", "false"],
    ]);
    assert.deepEqual(await page.locator(".change text").allTextContents(), ["+100%", "−23.1%"]);
    const shapes = await attributes(page.locator(".change path"), "d");
    assert.notEqual(shapes[0][0].replace(/[\d.]+/g, ""), shapes[1][0].replace(/[\d.]+/g, ""));
    assert.equal(await page.locator(".change .rule").count(), 1);
  });
});

test("R3 two points picked with the mouse open the comparison the report holds", async () => {
  await browser.visit(story(), { fragment: "bench=save" }, async (page) => {
    assert.equal(await page.locator("[role=tab]").count(), 0);
    await clickPoint(page, 0, 2);
    assert.match(await page.locator(".picking").textContent(), /First point: load at v2\. Pick a second one/);
    assert.equal(await page.locator(".ring.anchor").getAttribute("data-version"), "2");
    // In whichever order they are picked, the older is before.
    await clickPoint(page, 0, 1);
    assert.match(await page.locator(".pair h2").textContent(), /^load: v1 → v2$/);
    assert.match(await page.locator(".pair .numbers").textContent(), /\+1,000 instructions \(\+100%\)/);
    assert.equal(await page.locator("[role=tab]").count(), 2);
    assert.equal(await page.locator(".ring.before").getAttribute("data-version"), "1");
    assert.equal(await page.locator(".ring.after").getAttribute("data-version"), "2");
  });
});

test("R3 two points picked with the keyboard open their comparison", async () => {
  await browser.visit(story(), { fragment: "bench=save" }, async (page) => {
    await page.locator(".plot-area").focus();
    await page.keyboard.press("Home");
    assert.match(await page.locator(".chart .spoken").textContent(), /^load at v0: 1,000 instructions, measured$/);
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator(".chart .spoken").textContent(), /^load at v1: .*carried over/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator(".chart .spoken").textContent(), /\+1,000 instructions \(\+100%\) since v1$/);
    await page.keyboard.press("Enter");
    assert.match(await page.locator(".pair h2").textContent(), /^load: v1 → v2$/);
    // Up and down change the line, over gaps the same line goes on.
    await page.keyboard.press("ArrowDown");
    assert.match(await page.locator(".chart .spoken").textContent(), /^save at v2/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator(".chart .spoken").textContent(), /^save at v0/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".ring.anchor").count(), 0);
  });
});

test("R3 a pair that the report does not contain shows the versions between and the command that compares it", async () => {
  const payload = story();
  payload.benchmarks[0] = "load it's";
  await browser.visit(payload, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await clickPoint(page, 0, 0);
    await clickPoint(page, 0, 3);
    const text = await page.locator(".between").textContent();
    assert.match(text, /does not contain the calling contexts/);
    assert.match(text, /1,000 instructions → 1,500 instructions/);
    assert.match(text, /Changes between: \+100% at v2/);
    assert.match(text, /3 versions lie between:v1 release v1v2 release v2v3 release v3/);
    const command = "lito compare v0 v3 --bench 'load it'\\''s'";
    assert.equal(await page.locator(".between code").textContent(), command);
    await page.locator(".between").getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    assert.equal(await page.locator("[role=tab]").count(), 0);
  });
});

test("R4 two benchmarks on one version are compared; two that share neither are refused in words", async () => {
  await browser.visit(story(), {}, async (page) => {
    await clickPoint(page, 0, 2);
    await clickPoint(page, 1, 2);
    assert.match(await page.locator(".pair h2").textContent(), /^load v2 → save v2$/);
    assert.equal(await page.locator("[role=tab]").count(), 2);
    await clickPoint(page, 0, 2);
    await clickPoint(page, 1, 3);
    assert.match(await page.locator(".picking").textContent(), /must share their benchmark or their version/);
    assert.match(await page.locator(".pair h2").textContent(), /^load v2 → save v2$/);
  });
});

test("the chart's legend hides and shows a benchmark and lets one stand out", async () => {
  await browser.visit(story(), {}, async (page) => {
    const save = page.locator('.benchmarks button[data-benchmark="1"]');
    await save.focus();
    assert.match(await page.locator('.points[data-benchmark="0"]').getAttribute("class"), /dimmed/);
    assert.doesNotMatch(await page.locator('.points[data-benchmark="1"]').getAttribute("class"), /dimmed/);
    await page.keyboard.press("Enter");
    assert.equal(await save.getAttribute("aria-pressed"), "false");
    assert.deepEqual(await attributes(page.locator(".points"), "data-benchmark"), [["0"]]);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".points").count(), 2);
  });
});

test("of more than eight benchmarks the selected one stands out by itself", async () => {
  const benchmarks = Array.from({ length: 9 }, (_, at) => `bench_${at}`);
  await browser.visit(track({ versions: 8, benchmarks }), { fragment: "bench=bench_4" }, async (page) => {
    assert.deepEqual(await attributes(page.locator(".points:not(.dimmed)"), "data-benchmark"), [["4"]]);
    const [first, ninth] = await Promise.all([0, 8].map((at) => page.locator(`.benchmarks button[data-benchmark="${at}"] line`).getAttribute("stroke-dasharray")));
    assert.notEqual(first, ninth);
  });
});

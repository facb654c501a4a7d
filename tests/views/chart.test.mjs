// The evolution chart, R1 to R4, by value.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
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
    assert.equal(await page.locator("[role=tab]").count(), 3);
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
    assert.match(text, /3 versions came since:v1 release v1v2 release v2v3 release v3/);
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
    assert.equal(await page.locator("[role=tab]").count(), 3);
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

test("R1 across versions without a cost, a change is said to be between two", async () => {
  const payload = story();
  payload.chart[1].changes = [{ since: 0, version: 2, before: 500, after: 520, change: 0.04, method: "jump" }];
  await browser.visit(payload, {}, async (page) => {
    await page.locator(".plot-area").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator(".chart .spoken").textContent(), /^save at v2: .*any of the 2 versions since v0 may have changed it/);
    await clickPoint(page, 1, 0);
    await clickPoint(page, 1, 3);
    assert.match(await page.locator(".between").textContent(), /Changes between: \+4\.0% between v0 and v2/);
  });
});

test("R1 nothing is compared across a rewritten benchmark: line, list, relative axis and words begin anew", async () => {
  const payload = story();
  // 1000, 1000 | 2000, 1500
  Object.assign(payload.chart[0], { rewritten: [2], changes: [{ since: 2, version: 3, before: 2000, after: 1500, change: -0.25, method: "jump" }] });
  await browser.visit(payload, {}, async (page) => {
    assert.equal(await page.locator('.benchmarks button[data-benchmark="0"] .change').textContent(), "−25.0%");
    await page.keyboard.press("r");
    const height = async (version) => Number(await point(page, 0, version).getAttribute("cy"));
    assert.equal(await height(0), await height(2));
    assert.ok((await height(3)) > (await height(2)));
    assert.equal(await page.locator(".rewritten[data-rewritten]").count(), 1);
    await page.locator(".plot-area").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const words = await page.locator(".chart .spoken").textContent();
    assert.match(words, /own source changed here/);
    assert.doesNotMatch(words, /since v1/);
    // Between both points of the line nothing is drawn: looked at on the canvas, halfway.
    const ink = await page.evaluate(() => {
      const canvas = document.querySelector(".plot canvas");
      const [one, two] = [1, 2].map((at) => document.querySelector(`.points[data-benchmark="0"] circle[data-version="${at}"]`).getBoundingClientRect());
      const area = canvas.getBoundingClientRect();
      const ratio = canvas.width / area.width;
      const x = ((one.x + one.width / 2 + two.x + two.width / 2) / 2 - area.x) * ratio;
      const column = canvas.getContext("2d").getImageData(Math.round(x) - 1, 0, 3, canvas.height).data;
      let blue = 0;
      for (let at = 0; at < column.length; at += 4) if (column[at + 2] - column[at] > 60) blue++;
      return blue;
    });
    assert.equal(ink, 0);
  });
});

test("R4 two benchmarks that the report does not compare have the command that does", async () => {
  await browser.visit(story(), {}, async (page) => {
    await clickPoint(page, 0, 3);
    await clickPoint(page, 1, 3);
    assert.equal(await page.locator(".between code").textContent(), "lito compare v3 --bench load --against save");
  });
});

const many = (count) => Array.from({ length: count }, (_, at) => `group_${at % 7}/bench_${at}`);
const listed = (page) => page.locator(".benchmark-table tbody tr").evaluateAll((all) => all.map((each) => Number(each.dataset.benchmark)));

test("more than a dozen benchmarks are a table, the worst first, and eight of them are drawn", async () => {
  await browser.visit(track({ versions: 24, benchmarks: many(40) }), {}, async (page) => {
    const names = await page.locator(".benchmark-table thead th").allTextContents();
    assert.deepEqual(names, ["", "benchmark", "newest cost", "change", "worst step ↓", "oldest → newest"]);
    assert.equal((await listed(page)).length, 40);
    const steps = await page.locator(".benchmark-table tbody tr td:nth-of-type(4)").evaluateAll((all) => all.map((each) => parseFloat(each.textContent.replace("−", "-"))));
    assert.deepEqual(steps, [...steps].sort((a, b) => b - a));
    const drawn = await page.locator(".benchmark-table tbody input:checked").count();
    assert.ok(drawn === 8 || drawn === 9, "those, and the selected one");
    assert.equal(await page.locator(".benchmark-table .sparkline").count(), 40);
    assert.deepEqual(await violations(page), []);
  });
});

test("the table of benchmarks is sorted by each column, searched and filtered", async () => {
  const payload = track({ versions: 24, benchmarks: many(20) });
  for (const each of payload.chart) each.changes = each.changes.filter(({ change }) => change < 0);
  payload.chart[3].changes = [{ since: 4, version: 5, before: 100, after: 150, change: 0.5, method: "jump" }];
  await browser.visit(payload, {}, async (page) => {
    const sort = (column) => page.locator(`[data-sort="${column}"]`).click();
    assert.equal((await listed(page))[0], 3);
    await sort("cost");
    const costs = payload.chart.map(({ values }) => values.findLast((value) => value !== null));
    assert.deepEqual(await listed(page), costs.map((_, at) => at).sort((a, b) => costs[b] - costs[a]));
    assert.equal(await page.locator("[aria-sort]").getAttribute("aria-sort"), "descending");
    await sort("cost");
    assert.deepEqual(await listed(page), costs.map((_, at) => at).sort((a, b) => costs[a] - costs[b]));
    await page.locator('[data-filter="regressed"]').click();
    assert.deepEqual(await listed(page), [3]);
    await page.locator('[data-filter="all"]').click();
    await page.getByRole("searchbox", { name: "Search for a benchmark" }).fill("GROUP_3/");
    assert.deepEqual((await listed(page)).sort((a, b) => a - b), [3, 10, 17]);
    await page.getByRole("searchbox", { name: "Search for a benchmark" }).fill("nothing");
    assert.match(await page.locator(".benchmark-table .empty").textContent(), /No benchmark is like that/);
  });
});

test("what is ticked in the table is drawn, a name selects its benchmark, a step its pair", async () => {
  await browser.visit(track({ versions: 24, benchmarks: many(20) }), {}, async (page) => {
    const drawn = () => page.locator(".points").evaluateAll((all) => all.map((each) => Number(each.dataset.benchmark)).sort((a, b) => a - b));
    const box = (benchmark) => page.locator(`tr[data-benchmark="${benchmark}"] input`);
    const before = await drawn();
    const other = (await listed(page)).find((each) => !before.includes(each));
    await box(other).check();
    assert.deepEqual(await drawn(), [...before, other].sort((a, b) => a - b));
    await box(other).uncheck();
    assert.deepEqual(await drawn(), before);
    await page.locator(`tr[data-benchmark="${other}"] .name`).click();
    assert.match(await page.locator(".pair h2").textContent(), new RegExp(`bench_${other}:`));
    assert.ok((await drawn()).includes(other), "what is selected is drawn");
    const step = page.locator(`tr[data-benchmark="${other}"] td:nth-of-type(4) button`);
    const version = (await step.textContent()).split(" ").at(-1);
    await step.click();
    assert.match(await page.locator(".pair h2").textContent(), new RegExp(`→ ${version}$`));
  });
});

test("of more lines than a dozen, the one that stands out alone has points", async () => {
  await browser.visit(track({ versions: 24, benchmarks: many(20) }), {}, async (page) => {
    await page.getByRole("checkbox", { name: "Draw all that are listed" }).check();
    assert.deepEqual(await attributes(page.locator(".points"), "data-benchmark"), [["0"]]);
    await page.locator('tr[data-benchmark="7"]').hover();
    assert.deepEqual(await attributes(page.locator(".points"), "data-benchmark"), [["7"]]);
  });
});

test("200 benchmarks over 100 versions open and follow the pointer", async (t) => {
  await browser.visit(track({ versions: 100, benchmarks: many(200) }), { timed: true }, async (page, threadTime) => {
    await page.locator(".benchmark-table tbody tr").first().waitFor();
    const opened = await page.evaluate(() => performance.now());
    const used = await threadTime();
    const frames = await page.evaluate(async () => {
      const over = document.querySelector(".chart .over");
      const area = over.getBoundingClientRect();
      const taken = [];
      for (let at = 0; at < 60; at++) {
        const begun = performance.now();
        over.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: area.x + (area.width * at) / 60, clientY: area.y + area.height * (0.3 + 0.005 * at) }));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        taken.push(performance.now() - begun);
      }
      return taken.sort((a, b) => a - b);
    });
    t.diagnostic(`opened after ${Math.round(opened)} ms and ${Math.round(used)} ms of the page's thread, a frame while pointing: median ${frames[30].toFixed(1)} ms, 95% ${frames[57].toFixed(1)} ms`);
    assert.equal(await page.locator(".benchmark-table tbody tr").count(), 200);
  });
});

test("what the score said stands below each version, with what it missed", async () => {
  const payload = story();
  const record = "the score flagged 1 of 3 versions; of 2 steps of 5% or more 1 missed: save -23.1% at v3";
  payload.predictions = { flagged: [null, false, true, false], risk: [null, 0.001, 0.4, 0.02], missed: [[1, 3]], record };
  await browser.visit(payload, {}, async (page) => {
    assert.deepEqual(await attributes(page.locator(".scores [data-score]"), "data-version", "data-score"), [["1", "skipped"], ["2", "flagged"], ["3", "missed"]]);
    assert.deepEqual(await page.locator(".scores title").allTextContents(), ["v1: skipped, risk 0.10%", "v2: flagged, risk 40.0%", "v3: skipped, risk 2.0%, and missed save"]);
    assert.match(await page.locator(".picking").textContent(), /The score flagged 1 of 3 versions; of 2 steps of 5% or more 1 missed/);
    const [mark, circle] = await Promise.all([page.locator('.scores [data-version="2"]').boundingBox(), point(page, 0, 2).boundingBox()]);
    assert.ok(Math.abs(mark.x + mark.width / 2 - circle.x - circle.width / 2) < 1, "below its version");
    await page.locator(".plot-area").focus();
    await page.keyboard.press("End");
    assert.match(await page.locator(".chart .spoken").textContent(), /score: skipped, risk 2\.0%, and missed save/);
    assert.equal(await page.locator('.legend [data-meaning="missed"]').count(), 1);
    assert.deepEqual(await violations(page), []);
  });
  await browser.visit(story(), {}, async (page) => assert.equal(await page.locator(".scores").count(), 0));
});

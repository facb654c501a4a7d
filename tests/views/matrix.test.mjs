// The performance evolution matrix, M1 to M10, by value.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { launch } from "./harness.mjs";
import { CHECK, GET, MAIN, PARSE, ROWS, story } from "./fixtures/story.mjs";
import { track } from "./fixtures/track.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const cell = (page, row, column) => page.locator(`.cell[data-row="${row}"][data-column="${column}"]`);
const version = (page, column) => page.locator(`[role=columnheader][data-column="${column}"]`);
const name = (page, row) => page.locator(`[data-component="${row}"] .name`);
const components = async (page) => (await page.locator("[data-component]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.component)))).sort((a, b) => a - b);
const box = async (locator) => {
  const { width, height } = await locator.boundingBox();
  return { width, height };
};

test("M1 rows are an indented tree of components, columns are versions, siblings as Rust sorted them", async () => {
  await browser.visit(story(), {}, async (page) => {
    const rows = await page.locator("[data-component]").evaluateAll((all) =>
      all.map((row) => [row.querySelector(".text").textContent, Number(row.getAttribute("aria-level")), row.dataset.kind, parseFloat(getComputedStyle(row.querySelector(".name")).paddingLeft)]),
    );
    assert.deepEqual(
      rows.map(([text, level, kind]) => [text, level, kind]),
      [
        ["story", 1, "project"],
        ["app", 2, "package"],
        ["main", 3, "function"],
        ["reader", 3, "module"],
        ["Reader", 4, "type"],
        ["parse", 5, "function"],
        ["check", 5, "function"],
        ["writer", 3, "module"],
        ["emit", 4, "function"],
        ["util", 2, "package"],
        ["Pool", 3, "type"],
        ["get", 4, "function"],
      ],
    );
    for (const [, level, , indent] of rows) assert.equal(indent, 8 + (level - 1) * 14);
    assert.deepEqual(await page.locator("[role=columnheader] .label").allTextContents(), ["v0", "v1", "v2", "v3"]);
  });
});

test("M2 packages outside the project are folded at first, unless there are no others", async () => {
  const payload = story();
  const names = (page) => page.locator(".name .text").allTextContents();
  payload.functions.external[payload.functions.name.findIndex((each) => payload.strings[each] === GET)] = 1;
  await browser.visit(payload, {}, async (page) => {
    const folded = await names(page);
    assert.ok(folded.includes("util") && !folded.includes("get"), folded.join());
    await page.getByRole("button", { name: "Expand all" }).click();
    assert.ok((await names(page)).includes("get"));
  });
  payload.functions.external.fill(1);
  await browser.visit(payload, {}, async (page) => assert.ok((await names(page)).includes("get")));
});

test("M2 a click on a name collapses and expands it, and so do the arrow keys", async () => {
  await browser.visit(story(), {}, async (page) => {
    const whole = await components(page);
    await name(page, ROWS.app).click();
    assert.deepEqual(await components(page), [ROWS.project, ROWS.app, ROWS.util, ROWS.Pool, ROWS.get]);
    assert.equal(await page.locator(`[data-component="${ROWS.app}"]`).getAttribute("aria-expanded"), "false");
    await name(page, ROWS.app).click();
    assert.deepEqual(await components(page), whole);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.locator(`[data-component="${ROWS.app}"]`).getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await components(page), whole);
    await page.keyboard.press("Enter");
    assert.ok(!(await components(page)).includes(ROWS.reader));
  });
});

test("M3 what is not executed or below 2% is hidden, and the threshold moves", async () => {
  await browser.visit(story(), {}, async (page) => {
    const slider = page.locator("input[name=threshold]");
    assert.equal(await slider.inputValue(), "0.02");
    assert.ok(!(await components(page)).includes(ROWS.tiny));
    assert.equal(await page.locator(".hidden-count").textContent(), "2 of 14 hidden");
    await slider.fill("0.01");
    assert.ok((await components(page)).includes(ROWS.tiny), "at the threshold is not below it");
    await slider.fill("0");
    assert.ok(!(await components(page)).includes(ROWS.dead), "never executed stays hidden");
    await slider.fill("0.2");
    assert.deepEqual(await components(page), [ROWS.project, ROWS.app, ROWS.main, ROWS.reader, ROWS.Reader, ROWS.parse, ROWS.check, ROWS.writer, ROWS.emit]);
  });
});

test("M4 the top box has four widths, and their thresholds are configurable", async () => {
  await browser.visit(story(), {}, async (page) => {
    const full = (await box(cell(page, ROWS.app, 0))).width - 4;
    const top = async (row, column) => ((await cell(page, row, column).locator(".top").count()) === 0 ? 0 : (await box(cell(page, row, column).locator(".top"))).width / full);
    const near = async (row, column, share, step) => {
      assert.ok(Math.abs((await top(row, column)) - share) < 0.02, `${row} ${column}: ${await top(row, column)}`);
      assert.equal(await cell(page, row, column).getAttribute("data-step"), step);
    };
    await near(ROWS.app, 0, 0, "none");
    await near(ROWS.app, 1, 1 / 3, "small"); // 4
    await near(ROWS.app, 2, 2 / 3, "medium"); // 5
    await near(ROWS.reader, 3, 2 / 3, "medium"); // 9
    await near(ROWS.app, 3, 1, "large"); // 10
    await near(ROWS.parse, 2, 1 / 3, "small"); // a modified function
    await near(ROWS.parse, 3, 0, "none");
    await page.locator("input[name=large]").fill("6");
    await page.locator("input[name=large]").blur();
    await page.locator("input[name=medium]").fill("2");
    await page.locator("input[name=medium]").blur();
    await near(ROWS.app, 1, 2 / 3, "medium");
    await near(ROWS.project, 2, 1, "large"); // 6
    await near(ROWS.project, 1, 1 / 3, "small"); // 1
  });
});

test("M5 the bottom box's height is linear in cost over the matrix's maximum, its width constant", async () => {
  await browser.visit(story(), {}, async (page) => {
    for (const tall of [false, true]) {
      if (tall) await page.getByRole("button", { name: "Tall rows" }).click();
      const bottom = (row, column) => box(cell(page, row, column).locator(".bottom"));
      const full = await bottom(ROWS.main, 2);
      assert.ok(full.height > (tall ? 30 : 12), `${full.height}`);
      for (const [row, column, costs] of [[ROWS.main, 0, 1000], [ROWS.main, 3, 1500], [ROWS.parse, 2, 1600], [ROWS.emit, 1, 300], [ROWS.Reader, 3, 1100]]) {
        const { width, height } = await bottom(row, column);
        assert.equal(Number(await cell(page, row, column).getAttribute("data-cost")), costs);
        assert.ok(Math.abs(height / full.height - costs / 2000) < 0.01, `${row} ${column}: ${height} of ${full.height}`);
        assert.equal(width, full.width);
      }
    }
  });
});

const background = (page, row, column) => cell(page, row, column).locator(".bottom").evaluate((element) => getComputedStyle(element).backgroundColor);

test("M6 colour goes from gray to full red at +100% and to green, with an arrow", async () => {
  await browser.visit(story(), {}, async (page) => {
    assert.equal(await background(page, ROWS.main, 1), "rgb(213, 216, 221)"); // ±0%: #D5D8DD
    assert.equal(await background(page, ROWS.main, 2), "rgb(179, 38, 30)"); // +100%: #B3261E
    assert.equal(await background(page, ROWS.parse, 2), "rgb(179, 38, 30)"); // +167%: no more than full
    assert.equal(await background(page, ROWS.get, 1), "rgb(70, 150, 129)"); // -50%: 71% of the way to #0B7A5B
    assert.equal(await background(page, ROWS.main, 3), "rgb(112, 169, 156)"); // -25%: halfway
    assert.equal(await background(page, ROWS.main, 0), "rgb(213, 216, 221)"); // nothing before
    const arrows = async (row, column) => (await cell(page, row, column).locator(".arrow").allTextContents()).join("");
    assert.equal(await arrows(ROWS.main, 2), "▲");
    assert.equal(await arrows(ROWS.main, 3), "▼");
    assert.equal(await arrows(ROWS.main, 1), "");
  });
});

test("M6 where more is better, more is green", async () => {
  const payload = story();
  payload.better = "more";
  await browser.visit(payload, {}, async (page) => {
    assert.equal(await background(page, ROWS.main, 2), "rgb(11, 122, 91)");
  });
});

test("M7 a component absent in a version has no glyph", async () => {
  await browser.visit(story(), {}, async (page) => {
    for (const column of [0, 1, 3]) {
      assert.equal(await cell(page, ROWS.check, column).locator("*").count(), 0);
      assert.match(await cell(page, ROWS.check, column).getAttribute("aria-label"), /absent/);
    }
    assert.equal(await cell(page, ROWS.check, 2).locator(".bottom").count(), 1);
  });
});

test("M8 a version's label opens its timelines, blue over gray, of containers the maximum a frame", async () => {
  await browser.visit(story(), {}, async (page) => {
    const timeline = (row, column) => page.locator(`.timeline[data-timeline-row="${row}"][data-timeline-column="${column}"]`);
    assert.equal(await page.locator(".timeline").count(), 0);
    const before = await box(version(page, 2));
    await version(page, 2).click();
    assert.ok((await box(version(page, 2))).width > before.width + 100);
    assert.equal(await version(page, 2).getAttribute("aria-expanded"), "true");
    const shares = async (row) => [await timeline(row, 2).getAttribute("data-blue"), await timeline(row, 2).getAttribute("data-gray")];
    assert.deepEqual(await shares(ROWS.parse), ["50 100 100 0 0 20", "50 0 100 0"]);
    assert.deepEqual(await shares(ROWS.check), ["0 80 0 100 0 0", ""]);
    assert.deepEqual(await shares(ROWS.Reader), ["50 100 100 100 0 20", "50 0 100 0"]);
    assert.deepEqual(await shares(ROWS.reader), ["50 100 100 100 0 20", "50 0 100 0"]);
    assert.equal(await timeline(ROWS.emit, 2).count(), 0, "nothing recorded of it");
    // Frames are as wide in both versions, and as tall as their share.
    const bars = await timeline(ROWS.parse, 2).evaluate((svg) => {
      const width = svg.width.baseVal.value;
      const height = svg.height.baseVal.value;
      return ["gray", "blue"].map((kind) => {
        const path = svg.querySelector(`.${kind}`);
        const { x, width: wide } = path.getBBox();
        const tall = [...path.getAttribute("d").matchAll(/v-([\d.]+)h([\d.]+)/g)].map(([, up, along]) => [Math.round((100 * up) / height), Math.round((100 * along) / width)]);
        return { from: Math.round((100 * x) / width), to: Math.round((100 * (x + wide)) / width), tall };
      });
    });
    assert.deepEqual(bars, [
      { from: 0, to: 50, tall: [[50, 17], [100, 17]] },
      { from: 0, to: 100, tall: [[50, 17], [100, 17], [100, 17], [20, 17]] },
    ]);
    const order = await timeline(ROWS.parse, 2).evaluate((svg) => [...svg.children].map((path) => [path.getAttribute("class"), getComputedStyle(path).fill]));
    assert.deepEqual(order, [["gray", "rgb(138, 143, 152)"], ["blue", "rgb(31, 95, 191)"]]);
    // A second one stays open beside it; a version without timelines does not open.
    await version(page, 1).click();
    await version(page, 3).click();
    assert.equal(await timeline(ROWS.parse, 1).count(), 1);
    assert.equal(await page.locator('[data-timeline-column="3"]').count(), 0);
    await version(page, 2).click();
    assert.equal(await timeline(ROWS.parse, 2).count(), 0);
  });
});

async function callGraph(page) {
  const side = (which) =>
    page.locator(`.callgraph .${which} [data-edge]`).evaluateAll((all) => all.map(({ dataset }) => [dataset.neighbour, dataset.edge, Number(dataset.before), Number(dataset.after)]));
  return { callers: await side("caller"), callees: await side("callee"), centre: await page.locator(".callgraph .centre").textContent() };
}

test("M8 the legend explains timelines where there are any", async () => {
  for (const has of [true, false]) {
    const payload = story();
    if (!has) payload.matrices.forEach((matrix) => (matrix.timelines = []));
    await browser.visit(payload, { viewport: { width: 1280, height: 400 } }, async (page) => {
      await page.locator(".matrix").evaluate((section) => section.scrollIntoView());
      const legend = page.locator('.legend[data-of="matrix"]');
      await legend.waitFor();
      assert.equal(await legend.getByText("cost by time, before it in gray").count(), has ? 1 : 0);
    });
  }
});

test("M9 a click on a glyph shows callers left and callees right, added blue, deleted gray, kept black", async () => {
  await browser.visit(story(), {}, async (page) => {
    await cell(page, ROWS.parse, 2).click();
    assert.deepEqual(await callGraph(page), {
      callers: [["main", "kept", 5, 5]],
      callees: [
        ["Reader::check", "added", 0, 40],
        ["Pool::get", "deleted", 7, 0],
      ],
      centre: "Reader::parse",
    });
    const left = async (selector) => (await page.locator(selector).boundingBox()).x;
    assert.ok((await left(".callgraph .caller")) < (await left(".callgraph .centre")));
    assert.ok((await left(".callgraph .centre")) < (await left(".callgraph .callee")));
    const stroke = (edge) => page.locator(`.callgraph [data-edge="${edge}"] > .arc`).first().evaluate((path) => getComputedStyle(path).stroke);
    assert.deepEqual(await Promise.all(["added", "deleted", "kept"].map(stroke)), ["rgb(31, 95, 191)", "rgb(138, 143, 152)", "rgb(22, 24, 29)"]);
    assert.match(await page.locator('.callgraph [data-neighbour="Pool::get"]').textContent(), /no longer: 7 calls/);
    // Drawn into the matrix too, from and to the rows themselves.
    const arcs = await page.locator("[data-arc]").evaluateAll((all) => all.map(({ dataset }) => [dataset.arc, Number(dataset.arcRow), dataset.edge]));
    assert.deepEqual(arcs, [
      ["caller", ROWS.main, "kept"],
      ["callee", ROWS.check, "added"],
      ["callee", ROWS.get, "deleted"],
    ]);
  });
});

test("M9 calls of a container are those of its functions, taken together at its own level", async () => {
  await browser.visit(story(), {}, async (page) => {
    await cell(page, ROWS.Reader, 2).click();
    assert.deepEqual(await callGraph(page), { callers: [["main", "kept", 5, 5]], callees: [["Pool", "deleted", 7, 0]], centre: "Readerwithin: new: 40 calls" });
    await cell(page, ROWS.app, 2).click();
    assert.deepEqual(await callGraph(page), { callers: [], callees: [["util", "kept", 7, 9]], centre: "appwithin: 8 → 48 calls" });
    await cell(page, ROWS.Pool, 2).click();
    const { callers } = await callGraph(page);
    assert.deepEqual(callers, [
      ["emit", "added", 0, 9],
      ["Reader", "deleted", 7, 0],
    ]);
    // A collapsed container stands for its rows.
    await name(page, ROWS.reader).click();
    const arcs = await page.locator('[data-arc="caller"]').evaluateAll((all) => all.map(({ dataset }) => Number(dataset.arcRow)));
    assert.deepEqual(arcs, [ROWS.emit, ROWS.reader]);
  });
});

test("M9 in the first version no call is new", async () => {
  await browser.visit(story(), {}, async (page) => {
    await cell(page, ROWS.parse, 0).click();
    assert.deepEqual((await callGraph(page)).callees, [["Pool::get", "kept", 0, 7]]);
  });
});

const taken = (page) => page.locator('.cell[aria-selected="true"]').evaluateAll((all) => all.map(({ dataset }) => [Number(dataset.row), Number(dataset.column)]));
const panel = (page) => page.locator(".callgraph");

test("several versions are taken together: calls, cost and pair are those from the first to the last", async () => {
  await browser.visit(story(), { fragment: "bench=load" }, async (page) => {
    await cell(page, ROWS.parse, 1).click();
    await cell(page, ROWS.parse, 3).click({ modifiers: ["Shift"] });
    assert.deepEqual(await taken(page), [1, 2, 3].map((column) => [ROWS.parse, column]));
    assert.equal(await panel(page).getAttribute("aria-label"), "Calls of Reader::parse in v3 against v0");
    // The check that v2 added was gone in v3: over all three versions it is no change.
    assert.deepEqual((await callGraph(page)).callees, [["Pool::get", "deleted", 7, 0]]);
    assert.equal(await panel(page).locator("[data-field=together]").textContent(), "+500 instructions (+83.3%), source changed in 1 of 3 versions");
    assert.match(await page.locator(".between code").textContent(), /lito compare v0 v3 --bench load/);
    assert.equal(await version(page, 0).getAttribute("data-side"), "before");
    // Arrows of callers lead to the first of the cells, those of callees begin at the last.
    const [from, to] = [await cell(page, ROWS.parse, 1).boundingBox(), await cell(page, ROWS.parse, 3).boundingBox()];
    const ends = async (which) => (await page.locator(`[data-arc=${which}] .arc`).first().getAttribute("d")).match(/[\d.]+ /g).map(Number);
    assert.equal((await ends("callee"))[0] - (await ends("caller")).at(-1), to.x + to.width - from.x);

    await cell(page, ROWS.parse, 2).click({ modifiers: ["Shift"] });
    assert.deepEqual(await taken(page), [1, 2].map((column) => [ROWS.parse, column]), "fewer again");
    assert.equal(await page.locator("[role=tab]").count(), 3, "the report has this pair");
    await cell(page, ROWS.parse, 2).click();
    assert.deepEqual(await taken(page), [[ROWS.parse, 2]], "a click takes one alone");
    await cell(page, ROWS.main, 0).click({ modifiers: ["Shift"] });
    assert.deepEqual(await taken(page), [1, 2].map((column) => [ROWS.main, column]), "the first version is no step");
  });
});

test("the version that calls are held against can be chosen, and follows a pair that is picked elsewhere", async () => {
  await browser.visit(story(), { fragment: `bench=load&before=v0&after=v2&function=${encodeURIComponent(PARSE)}` }, async (page) => {
    const against = panel(page).getByLabel("against");
    assert.equal(await against.inputValue(), "0");
    assert.deepEqual(await taken(page), [1, 2].map((column) => [ROWS.parse, column]));
    assert.deepEqual(await against.locator("option").allTextContents(), ["v0", "v1"]);
    await against.selectOption("v1");
    assert.deepEqual(await taken(page), [[ROWS.parse, 2]]);
    assert.equal(await panel(page).locator("[data-field=together]").textContent(), "+1,000 instructions (+167%)");
    assert.match(await page.locator(".pair h2").textContent(), /^load: v1 → v2$/);
    assert.deepEqual(await violations(page), []);
    // A neighbour is looked at over the same versions.
    await against.selectOption("v0");
    await panel(page).getByRole("button", { name: "Reader::check" }).click();
    assert.deepEqual(await taken(page), [1, 2].map((column) => [ROWS.check, column]));
    assert.equal(await panel(page).locator("[data-field=together]").textContent(), "new, source unchanged");
    // Two benchmarks of one version are no steps.
    await page.evaluate((fragment) => (location.hash = fragment), `bench=load&against=save&before=v0&after=v2&function=${encodeURIComponent(PARSE)}`);
    await page.locator(`.cell[data-row="${ROWS.parse}"][aria-selected="true"]`).waitFor();
    assert.deepEqual(await taken(page), [[ROWS.parse, 2]]);
  });
});

test("the keyboard takes several versions together", async () => {
  await browser.visit(story(), { fragment: "bench=load" }, async (page) => {
    await page.locator("[role=treegrid]").focus();
    for (const key of ["Control+Home", "End", "Enter", "ArrowLeft", "ArrowLeft", "Shift+Enter"]) await page.keyboard.press(key);
    assert.deepEqual(await taken(page), [1, 2, 3].map((column) => [ROWS.project, column]));
  });
});

test("M10 hovering a function's glyph shows its source diff, and so does the keyboard", async () => {
  await browser.visit(story(), {}, async (page) => {
    await cell(page, ROWS.parse, 2).hover();
    const popup = page.locator(".popup");
    await popup.waitFor();
    assert.match(await popup.textContent(), /Reader::parse.*1,600 instructions, 80\.0% of the total.*\+1,000 instructions \(\+167%\) against v1/s);
    assert.match(await popup.textContent(), /self\.check\(\)/);
    // The pointer may go to the popup, and the popup goes when the pointer does.
    await popup.hover();
    await page.waitForTimeout(300);
    assert.equal(await popup.count(), 1);
    await page.mouse.move(5, 5);
    await popup.waitFor({ state: "detached" });
    await cell(page, ROWS.emit, 2).hover();
    await popup.waitFor();
    assert.match(await popup.textContent(), /source unchanged/);
    await page.keyboard.press("Escape");
    assert.equal(await popup.count(), 0, "wherever the focus is");
    await page.mouse.move(5, 5);

    await page.locator("[role=treegrid]").focus();
    for (const key of ["Control+Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "End", "ArrowLeft"]) await page.keyboard.press(key);
    await popup.waitFor();
    assert.match(await popup.textContent(), /self\.check\(\)/);
    await page.keyboard.press("Escape");
    await popup.waitFor({ state: "detached" });
  });
});

test("a cell opens its pair and function below; chart, strip and matrix follow", async () => {
  await browser.visit(story(), { fragment: "bench=load" }, async (page) => {
    assert.equal(await page.locator("[role=tab]").count(), 0);
    await cell(page, ROWS.parse, 2).click();
    assert.equal(await page.locator("[role=tab]").count(), 3);
    assert.match(await page.locator(".pair h2").textContent(), /^load: v1 → v2$/);
    const fragment = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.deepEqual([fragment.get("before"), fragment.get("after"), fragment.get("function")], ["v1", "v2", PARSE]);
    assert.equal(await version(page, 2).getAttribute("data-side"), "after");
    assert.equal(await version(page, 1).getAttribute("data-side"), "before");
    assert.equal(await page.locator(".ring.after").getAttribute("data-version"), "2");
    await cell(page, ROWS.main, 3).click();
    assert.match(await page.locator(".between code").textContent(), /lito compare v2 v3 --bench load/);
  });
});

test("a function selected elsewhere brings its cell in sight", async () => {
  await browser.visit(story(), {}, async (page) => {
    await name(page, ROWS.app).click();
    await page.evaluate((fragment) => (location.hash = fragment), `bench=load&before=v1&after=v2&function=${encodeURIComponent(CHECK)}`);
    await page.locator(`.cell[data-row="${ROWS.check}"][data-column="2"][aria-selected="true"]`).waitFor();
    await page.evaluate((fragment) => (location.hash = fragment), `bench=load&before=v1&after=v2&function=${encodeURIComponent(MAIN)}`);
    await page.locator(`.cell[data-row="${ROWS.main}"][data-column="2"][aria-selected="true"]`).waitFor();
    assert.equal(await page.locator('.cell[aria-selected="true"]').count(), 1);
  });
});

test("the keyboard reaches every cell, opens timelines and calls", async () => {
  await browser.visit(story(), {}, async (page) => {
    const grid = page.locator("[role=treegrid]");
    const active = () => grid.getAttribute("aria-activedescendant");
    await grid.focus();
    assert.equal(await active(), `matrix-${ROWS.project}--1`);
    for (const key of ["ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    assert.equal(await active(), "matrix--1-2");
    await page.keyboard.press("Enter");
    assert.equal(await version(page, 2).getAttribute("aria-expanded"), "true");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await active(), `matrix-${ROWS.main}-2`);
    assert.equal(await page.locator(`#matrix-${ROWS.main}-2`).getAttribute("data-cost"), "2000");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".callgraph").getAttribute("data-row"), String(ROWS.main));
    await page.keyboard.press("Home");
    assert.equal(await active(), `matrix-${ROWS.main}--1`);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await active(), `matrix-${ROWS.app}--1`);
    await page.keyboard.press("Control+End");
    assert.equal(await active(), `matrix-${ROWS.get}--1`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".callgraph").count(), 0);
  });
});

test("of 40 versions and 300 components only what is in the window exists, and scrolling stays fluid", async () => {
  await browser.visit(track({ functions: 330, versions: 40, pairs: 1 }), {}, async (page) => {
    const [after, window] = [await page.locator('[data-side="after"]').boundingBox(), await page.locator("[role=treegrid]").boundingBox()];
    assert.ok(after.x > window.x + 200 && after.x + after.width < window.x + window.width, "it opens on the selected pair");
    await page.locator("input[name=threshold]").fill("0");
    const all = Number(await page.locator("[role=treegrid]").getAttribute("aria-rowcount"));
    assert.ok(all > 300, `${all}`);
    assert.ok((await page.locator("[data-component]").count()) < 60);
    // Not by the clock, which measures the machine: a step may only add the rows that came into the window, and change
    // none of those that were there.
    const { most, touched, last } = await page.locator("[role=treegrid]").evaluate(async (grid) => {
      const counted = { most: 0, touched: 0 };
      let added = 0;
      const observer = new MutationObserver((records) => {
        for (const { type, target, addedNodes } of records) {
          if (type === "childList") added += [...addedNodes].filter((node) => node.matches?.("[data-component]")).length;
          else if ((target.closest ? target : target.parentElement)?.closest("[data-component]")?.dataset.seen) counted.touched++;
        }
      });
      observer.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true, attributeFilter: ["class", "style", "data-cost", "aria-label", "id"] });
      const rendered = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      for (let step = 1; step <= 60; step++) {
        for (const row of grid.querySelectorAll("[data-component]")) row.dataset.seen = "yes";
        added = 0;
        grid.scrollTop = (step / 60) * (grid.scrollHeight - grid.clientHeight);
        await rendered();
        await rendered();
        counted.most = Math.max(counted.most, added);
      }
      const last = Math.max(...[...grid.querySelectorAll("[data-component]")].map((row) => Number(row.getAttribute("aria-rowindex"))));
      return { ...counted, last };
    });
    assert.ok(most > 0 && most <= Math.ceil(all / 60) + 2, `${most} rows were added in a step`);
    assert.equal(touched, 0, "rows that stayed in the window were drawn again");
    assert.equal(last, all);
    // The head and the names stay where they are.
    const corner = await page.locator(".corner").boundingBox();
    const grid = await page.locator("[role=treegrid]").boundingBox();
    assert.ok(Math.abs(corner.y - grid.y) < 2);
    await page.locator("[role=treegrid]").evaluate((element) => (element.scrollLeft = 10_000));
    assert.ok(Math.abs((await page.locator("[role=rowheader]").first().boundingBox()).x - grid.x) < 2);
    assert.equal(await page.locator(".cell[data-column='39']").first().isVisible(), true);
  });
});

test("T1 only functions that changed in several versions and moved each time are left, with what holds them", async () => {
  const payload = story();
  const [matrix] = payload.matrices;
  matrix.modified[ROWS.parse] = [0, 0, 1, 1];
  // Changed twice, but moved once alone; and changed once.
  matrix.modified[ROWS.get] = [0, 1, 0, 1];
  matrix.modified[ROWS.emit] = [0, 0, 1, 0];
  await browser.visit(payload, {}, async (page) => {
    const button = page.getByRole("button", { name: "Moved each time" });
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    const shown = await page.locator(".rows [role=row]").evaluateAll((all) => all.map((row) => row.querySelector(".name .text").textContent));
    assert.deepEqual(shown, ["story", "app", "reader", "Reader", "parse"]);
    await button.click();
    assert.ok((await page.locator(".rows [role=row]").count()) > 5);
  });
});

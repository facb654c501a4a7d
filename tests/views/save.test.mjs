// Saving: every view as a picture and as numbers, under a name that says what it is. A saved picture stands alone, and is whole.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { box, everything } from "./blueprint_page.mjs";
import { foldable } from "./fixtures/foldable.mjs";
import { longNames, NAMES } from "./fixtures/long_names.mjs";
import { MAIN, story } from "./fixtures/story.mjs";
import { launch } from "./harness.mjs";
import { source } from "./source.mjs";

const { csv } = await source("save/csv.ts");
const { fileName } = await source("save/file.ts");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const PLACES = { evolution: ".chart > .bar", matrix: ".matrix > .bar", causes: ".pair > .bar", blueprint: ".blueprint", "flame-graphs": ".flames", ranking: ".ranking" };
const TABS = { "flame-graphs": "flames", ranking: "ranking", blueprint: "blueprint" };
const menuButton = (page, view) => page.locator(`${PLACES[view]} .save > button`);

async function save(page, view, kind) {
  if (TABS[view]) await page.locator(`#tab-${TABS[view]}`).click();
  await menuButton(page, view).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`.menu [data-action="${kind}"]`).click()]);
  const said = page.locator(`${PLACES[view]} .save [role=status]`);
  await said.filter({ hasText: "Saved" }).waitFor();
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()), said: await said.textContent() };
}
const saveSvg = async (page, view) => (await save(page, view, "svg")).bytes.toString();

/** Texts and shapes of a document, as a browser that has never seen the page reads it. */
async function read(svg) {
  const { page, done } = await browser.open({}, { html: `<!doctype html><meta charset="utf-8"><div id="views"><main>${svg}</main></div>` });
  const found = await page.evaluate(() => {
    const root = document.querySelector("svg");
    const { width, height } = root.viewBox.baseVal;
    const area = root.getBoundingClientRect();
    const texts = [...root.querySelectorAll("text")].map((each) => ({ words: each.textContent, box: each.getBoundingClientRect() }));
    const outside = texts.filter(({ box }) => box.left < area.left - 1 || box.right > area.right + 1 || box.top < area.top - 1 || box.bottom > area.bottom + 1);
    return { width, height, title: root.querySelector("title").textContent, texts: texts.map(({ words }) => words), outside: outside.map(({ words }) => words), rects: root.querySelectorAll("rect").length };
  });
  await done();
  return found;
}

test("every view is saved as SVG, PNG and CSV, under a name of project, view, benchmark and pair", async () => {
  await browser.visit(longNames(), {}, async (page) => {
    const pair = "release-2026-01-a-branch-with-a-long-name-to-v2";
    for (const view of Object.keys(PLACES)) {
      for (const kind of ["svg", "png", "csv"]) {
        const { name, bytes, said } = await save(page, view, kind);
        const benchmark = view === "evolution" ? "all-benchmarks" : "benches-strings-bench-normalized-damerau-levenshtein";
        assert.equal(name.replaceAll("_", "-"), `demo-${view}-${benchmark}-${pair}.${kind}`);
        assert.equal(said, `Saved ${name}`);
        if (kind === "png") assert.equal(bytes.subarray(1, 4).toString(), "PNG");
        if (kind === "svg") assert.match(bytes.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
        if (kind === "csv") assert.ok(bytes.toString().split("\n").length > 2, bytes.toString());
      }
    }
  });
});

test("a saved SVG needs nothing but itself: colours and fonts are in it, on a ground, below a title", async () => {
  await browser.visit(longNames(), { colorScheme: "dark" }, async (page) => {
    for (const view of Object.keys(PLACES)) {
      const svg = await saveSvg(page, view);
      assert.doesNotMatch(svg, /var\(|class=|style=|href|url\(|<script|<image/, view);
      assert.match(svg, /<rect x="0" y="0" [^>]*fill="#14161a"\/>/, `${view}: the ground of a dark page`);
      assert.ok([...svg.matchAll(/<text [^>]*font-family="([^"]*)"/g)].every(([, family]) => /(sans-serif|monospace)$/.test(family)), view);
      const { title, texts, outside } = await read(svg);
      assert.ok(title.startsWith("demo, ") && texts.includes(title), `${view}: ${title}`);
      assert.deepEqual(outside, [], view);
    }
  });
});

test("a saved picture has the colours of its meaning, and says what they mean", async () => {
  await browser.visit(story(), {}, async (page) => {
    const svg = await saveSvg(page, "blueprint");
    assert.match(svg, /fill="#b3261e"/);
    const { texts } = await read(svg);
    for (const words of ["main", "slower, source changed", "callees not shown"]) assert.ok(texts.includes(words), `${words} of ${texts}`);
    assert.match(texts.join("\n"), /\+1,000 instructions/);
  });
});

test("a saved matrix has every row and version, whatever is in sight", async () => {
  await browser.visit(longNames(), { viewport: { width: 700, height: 300 } }, async (page) => {
    const inSight = await page.locator(".treegrid .name").count();
    assert.ok(inSight < NAMES.length);
    const { texts } = await read(await saveSvg(page, "matrix"));
    for (const name of NAMES) assert.ok(texts.includes(name.replace(/^.*scheduling::/, "")), `${name} of ${texts}`);
    assert.equal(await page.locator(".treegrid .name").count(), inSight, "the page is as it was");
    assert.equal(await page.locator(".staged").count(), 0);
  });
});

test("a saved blueprint has every box that is shown, at a zoom of one, whatever is in sight", async () => {
  await browser.visit(foldable(), { viewport: { width: 500, height: 400 } }, async (page) => {
    await everything(page, await page.locator(".box").first().getAttribute("data-name"));
    await page.getByRole("button", { name: "Larger" }).click();
    const shown = Number((await page.textContent(".blueprint .count")).match(/(\d+) of \d+ contexts shown/)[1]);
    const numbers = (await save(page, "blueprint", "csv")).bytes.toString().trim().split("\n").slice(1);
    assert.equal(numbers.filter((line) => line.endsWith(",1")).length, shown);
    const { width, texts } = await read(await saveSvg(page, "blueprint"));
    assert.ok(width > 500, `${width}`);
    assert.ok((await page.locator(".box").count()) <= texts.length);
    assert.ok(texts.some((words) => words.includes("part_09")), texts.join("\n"));
  });
});

test("saved flame graphs hold the stacks that are scrolled out of sight", async () => {
  await browser.visit(story(), { viewport: { width: 1280, height: 300 } }, async (page) => {
    const { texts } = await read(await saveSvg(page, "flame-graphs"));
    for (const words of ["main", "check", "Difference", "source changed"]) assert.ok(texts.some((each) => each.includes(words)), `${words} of ${texts}`);
    assert.ok(texts.some((each) => each.startsWith("Before: v0")) && texts.some((each) => each.startsWith("After: v2")));
  });
});

test("a picture with too many cells or pixels says what it leaves out, or how small it is", async () => {
  const payload = longNames();
  const [matrix] = payload.matrices;
  const count = 400;
  payload.versions = Array.from({ length: count }, (_, at) => ({ commit: String(at).padStart(40, "0"), label: `v${at}`, summary: "", time: at }));
  for (const series of payload.chart) Object.assign(series, { values: Array(count).fill(1000), states: Array(count).fill(0), reasons: Array(count).fill(-1), changes: [] });
  const rows = 70;
  Object.assign(matrix, {
    columns: Array.from({ length: count }, (_, at) => at),
    totals: Array(count).fill(1000),
    cost: Array.from({ length: rows }, () => Array(count).fill(500)),
    change: Array.from({ length: rows }, () => [null, ...Array(count - 1).fill(0)]),
    modified: Array.from({ length: rows }, () => Array(count).fill(0)),
    rows: {
      parent: Array.from({ length: rows }, (_, at) => (at === 0 ? -1 : 0)),
      name: Array(rows).fill(0),
      kind: Array.from({ length: rows }, (_, at) => (at === 0 ? "project" : "function")),
      function: Array(rows).fill(-1),
      share: Array(rows).fill(1),
    },
  });
  await browser.visit(payload, { fragment: "bench=short" }, async (page) => {
    await page.getByRole("button", { name: "Tall rows" }).click();
    const { bytes, said } = await save(page, "matrix", "png");
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    assert.ok(width * height <= 16_000_000 && width <= 16_000 && width * height > 15_000_000, `${width} × ${height}`);
    assert.match(said, /at \d+(\.\d)?% of its size: a PNG has 16,000,000 pixels at most, an SVG has all/);
    assert.match((await read(await saveSvg(page, "matrix"))).title, /The first 50 of 70 rows$/);
  });
});

test("numbers are those of the view: the matrix with all its rows, gaps as empty cells", async () => {
  await browser.visit(story(), {}, async (page) => {
    const lines = (await save(page, "matrix", "csv")).bytes.toString().trim().split("\n");
    assert.equal(lines[0], "component,kind,version,commit,cost,unit,change,modified_functions");
    assert.equal(lines.length, 1 + 14 * 4);
    assert.ok(lines.includes(`app::reader::Reader::check,function,v0,${"1".repeat(40)},,instructions,,0`), lines.join("\n"));
    const contexts = (await save(page, "blueprint", "csv")).bytes.toString().split("\n");
    assert.ok(contexts[1].startsWith(`0,,0,${MAIN},both,0,1000,2000,`), contexts[1]);
  });
});

test("no cell of a CSV file runs as a formula, and every text survives", () => {
  const risky = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"];
  const lines = csv(["name", "value"], risky.map((text) => [text, -5])).trim().split("\n");
  for (const line of lines.slice(1)) assert.match(line, /^"?'/, line);
  assert.ok(lines.slice(1).every((line) => line.endsWith(",-5")), "numbers stay numbers");
  assert.equal(csv(["a"], [['say "hi", twice\nat least'], [null], [Infinity]]), 'a\n"say ""hi"", twice\nat least"\n\n\n');
});

test("names of benchmarks and versions cannot run as formulas in what a page saves or copies", async () => {
  const payload = story();
  payload.benchmarks[0] = '=HYPERLINK("http://example.invalid","x")';
  payload.versions[1].label = "@v1";
  await browser.visit(payload, {}, async (page) => {
    const text = (await save(page, "evolution", "csv")).bytes.toString();
    assert.doesNotMatch(text, /(^|,)"?[=@+]/m);
    assert.equal(await page.getByRole("button", { name: "Copy as CSV" }).getAttribute("data-copies"), text);
  });
});

test("a saved SVG is well-formed XML, whatever names have in them", async () => {
  const payload = story();
  payload.benchmarks[0] = 'a<b> & "c" \u0001 \uffff';
  await browser.visit(payload, {}, async (page) => {
    for (const view of ["evolution", "blueprint"]) {
      const svg = await saveSvg(page, view);
      const fault = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent ?? null, svg);
      assert.equal(fault, null);
      assert.ok(svg.includes("a&#60;b&#62; &#38; &#34;c&#34; \ufffd \ufffd"), svg.slice(0, 400));
    }
  });
});

test("a file's name has nothing that a file system may not have", () => {
  assert.equal(fileName(["semver", "matrix", "a/b::c<d>", "v1 \u202e..2-to-v2"], "svg"), "semver_matrix_a-b-c-d_v1-..2-to-v2.svg");
  assert.equal(fileName(["../../etc", "", "…"], "csv"), "etc.csv");
  assert.ok(fileName(["x".repeat(500)], "png").length < 80);
});

test("the menu opens by key, axe finds nothing in it, and Escape gives the focus back", async () => {
  await browser.visit(longNames(), {}, async (page) => {
    const button = menuButton(page, "evolution");
    await button.focus();
    await page.keyboard.press("Enter");
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    assert.deepEqual(await page.locator(".menu [role=menuitem]").allTextContents(), ["Picture, SVG", "Picture, PNG", "Numbers, CSV"]);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".menu").count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Save…");
  });
});

test("a reader's own colours, and the other palette, are those of the picture", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.keyboard.press("c");
    assert.match(await saveSvg(page, "matrix"), /fill="#b2182b"/);
    assert.equal(await box(page, MAIN).count(), 1);
  });
});

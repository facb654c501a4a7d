// The page around the views: its parts, verdict strip, legend, help, modes, address fragment, policy, accessibility, and
// what is left without scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { launch } from "./harness.mjs";
import { page as assemble } from "./page.mjs";
import { pair } from "./fixtures/pair.mjs";
import { CHECK, PARSE, ROWS, story } from "./fixtures/story.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const color = (page, name) => page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property), name);
const fields = (page) => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));
/** The address rests between changes, so it is waited for. */
async function addressIs(page, expected) {
  const same = (wanted) => JSON.stringify([...new URLSearchParams(location.hash.slice(1))].sort()) === wanted;
  await page.waitForFunction(same, JSON.stringify(Object.entries(expected).sort()), { timeout: 10_000 }).catch(() => {});
  assert.deepEqual(fields(page), expected);
}
const selectParse = (page) => page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).click();

test("a comparison has a strip, tabs and a legend, and neither chart nor matrix", async () => {
  await browser.visit(pair(), {}, async (page) => {
    assert.match(await page.textContent(".strip .verdict"), /load is slower: \+20%/);
    assert.deepEqual(await page.locator("[role=tab]").allTextContents(), ["Blueprint", "Flame graphs", "Ranking"]);
    assert.equal(await page.locator(".chart, .matrix").count(), 0);
    assert.equal(await page.locator("#plain").count(), 0);
  });
});

test("stacks read from files have neither version nor benchmark, and are compared all the same", async () => {
  const payload = pair();
  const [comparison] = payload.comparisons;
  Object.assign(comparison.before, { version: -1, benchmark: -1, label: "old.folded" });
  Object.assign(comparison.after, { version: -1, benchmark: -1, label: "new.folded" });
  await browser.visit({ ...payload, versions: [], benchmarks: [] }, {}, async (page) => {
    assert.equal(await page.textContent(".pair h2"), "old.folded → new.folded");
    await page.locator("#panel-blueprint [role=treeitem]").first().waitFor();
    await page.keyboard.press("c");
    await addressIs(page, { before: "old.folded", after: "new.folded", view: "blueprint", palette: "blind" });
  });
});

test("a tracked project flows from strip to chart, matrix, pair and tabs", async () => {
  await browser.visit(story(), {}, async (page) => {
    const tops = await Promise.all([".strip", ".chart", ".matrix", ".pair", ".tabs"].map(async (part) => (await page.locator(part).boundingBox()).y));
    assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
  });
});

test("the strip says each verdict with a glyph and a colour, and opens its comparison", async () => {
  await browser.visit(story(), { fragment: "bench=save" }, async (page) => {
    assert.equal(await page.getAttribute(".strip", "data-tone"), "slower");
    const lines = page.locator(".strip li");
    assert.deepEqual(await lines.evaluateAll((all) => all.map((line) => [line.dataset.tone, line.querySelector(".glyph").textContent])), [["slower", "▲"], ["faster", "▼"]]);
    const ink = (at) => lines.nth(at).locator(".glyph").evaluate((glyph) => getComputedStyle(glyph).color);
    assert.deepEqual([await ink(0), await ink(1)], ["rgb(179, 38, 30)", "rgb(11, 122, 91)"]);
    assert.equal(await lines.nth(1).getByRole("button").count(), 0, "nothing to open");
    await lines.nth(0).getByRole("button").click();
    assert.equal(await page.textContent(".pair h2"), "load: v0 → v2");
  });
});

test("of many verdicts the first are shown, the rest on demand", async () => {
  const payload = story();
  payload.headline.lines = Array.from({ length: 20 }, (_, at) => ({ tone: "slower", text: `bench ${at}`, cause: "", summary: "", benchmark: -1, comparison: -1 }));
  await browser.visit(payload, {}, async (page) => {
    assert.equal(await page.locator(".strip li[data-tone]").count(), 6);
    await page.getByRole("button", { name: "14 more" }).click();
    assert.equal(await page.locator(".strip li[data-tone]").count(), 20);
  });
});

test("the legend is that of the drawing in the middle of the window, and of no other", async () => {
  await browser.visit(story(), { viewport: { width: 1280, height: 800 } }, async (page) => {
    const shown = () => page.getAttribute(".legend", "data-of");
    const scrollTo = async (part) => {
      await page.evaluate((selector) => document.querySelector(selector).scrollIntoView({ block: "start" }), part);
      await page.waitForTimeout(100);
    };
    assert.equal(await shown(), "chart");
    await scrollTo(".matrix");
    assert.equal(await shown(), "matrix");
    await scrollTo(".tabs");
    assert.equal(await shown(), "blueprint");
    await page.getByRole("tab", { name: "Flame graphs" }).click();
    assert.equal(await shown(), "flames");
    await scrollTo(".strip");
    assert.equal(await shown(), "chart");
    assert.equal(await page.locator(".legend").count(), 1);
    assert.equal(await page.locator(".key, .encoding, .marks-legend").count(), 0, "no drawing has another one");
  });
});

test("the legend of the chart names the marks that it has", async () => {
  const meanings = (page) => page.locator(".legend [data-meaning]").evaluateAll((all) => all.map((each) => each.dataset.meaning));
  await browser.visit(story(), { fragment: "bench=save" }, async (page) => {
    assert.equal(await page.textContent(".legend .mode"), "Cost in instructions, less is better");
    assert.deepEqual(await meanings(page), ["measured", "carried", "gap", "rise", "fall", "stays"]);
    assert.match(await page.textContent('.legend [data-meaning="rise"]'), /slower/);
  });
  const payload = story();
  payload.chart[0].rewritten = [3];
  payload.chart[0].states = [0, 0, 0, 0];
  await browser.visit({ ...payload, better: "more" }, {}, async (page) => {
    assert.deepEqual(await meanings(page), ["measured", "gap", "rise", "fall", "stays", "rewritten"]);
    assert.match(await page.textContent('.legend [data-meaning="rise"]'), /better/);
  });
});

test("the legend is always in sight and says the mode in words", async () => {
  await browser.visit(story(), { viewport: { width: 1280, height: 500 } }, async (page) => {
    const legend = page.locator(".legend");
    const inSight = () => legend.evaluate((element) => element.getBoundingClientRect().bottom <= window.innerHeight + 1);
    assert.ok(await inSight());
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.locator('.legend[data-of="blueprint"]').waitFor();
    assert.ok(await inSight());
    assert.equal(await page.textContent(".legend .mode"), "Height: difference of the inclusive cost in instructions, less is better");
    assert.deepEqual(await page.locator(".legend [data-meaning]").evaluateAll((all) => all.map((each) => each.dataset.meaning)), ["slower-changed", "slower", "faster-changed", "faster", "added", "removed", "neutral", "width", "border"]);
    await page.keyboard.press("t");
    assert.match(await page.textContent(".legend .mode"), /self cost in instructions/);
    await page.keyboard.press("a");
    assert.match(await page.textContent(".legend .mode"), /self share of the total/);
    await page.getByRole("tab", { name: "Flame graphs" }).click();
    assert.match(await page.textContent(".legend .mode"), /^Self cost as share of the total, less is better; “Before”: what a revert would do$/);
  });
});

test("nothing fixed hides the last line of the page, or the part a jump leads to", async () => {
  await browser.visit(story(), { viewport: { width: 1000, height: 500 } }, async (page) => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const [bottom, legend] = await page.evaluate(() => [document.querySelector("main").getBoundingClientRect().bottom, document.querySelector(".legend").getBoundingClientRect().top]);
    assert.ok(bottom <= legend + 1, `${bottom} ${legend}`);
    await page.evaluate(() => document.querySelector(".matrix").scrollIntoView());
    const [top, head] = await page.evaluate(() => [document.querySelector(".matrix").getBoundingClientRect().top, document.querySelector(".head").getBoundingClientRect().bottom]);
    assert.ok(top >= head, `${top} ${head}`);
  });
});

test("? says how to read each view and lists the keys of every part in a dialog, Escape closes it and gives the focus back", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.getByRole("button", { name: "Help" }).focus();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.evaluate((element) => element.open));
    const places = await dialog.locator("h3").allTextContents();
    for (const place of ["Everywhere", "Chart", "Matrix"]) assert.ok(places.includes(place), `${place} of ${places}`);
    for (const view of ["Evolution", "Matrix", "Blueprint", "Flame graphs"]) assert.ok(await dialog.getByRole("term").filter({ hasText: view }).isVisible(), view);
    const keys = await dialog.locator("kbd").allTextContents();
    for (const key of ["c", "t", "a", "?", "r"]) assert.ok(keys.includes(key), `${key} of ${keys}`);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Help?");
  });
});

test("letters typed into a field are not keys", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.locator("input[name=medium]").focus();
    await page.keyboard.press("c");
    assert.equal(await page.getAttribute("html", "data-palette"), "paper");
    await page.locator("input[name=threshold]").focus();
    await page.keyboard.press("c");
    assert.equal(await page.getAttribute("html", "data-palette"), "blind");
    await page.keyboard.press("Control+c");
    assert.equal(await page.getAttribute("html", "data-palette"), "blind");
  });
});

test("both palettes have the colours that were chosen, key c switches", async () => {
  const names = ["--slower-changed", "--slower", "--faster-changed", "--faster", "--added", "--removed"];
  await browser.visit(story(), {}, async (page) => {
    const palette = () => Promise.all(names.map((name) => color(page, name)));
    assert.deepEqual(await palette(), ["#B3261E", "#F2A29B", "#0B7A5B", "#A5DCCB", "#F5C518", "#8A8F98"]);
    await page.keyboard.press("c");
    assert.deepEqual(await palette(), ["#B2182B", "#F4A582", "#2166AC", "#92C5DE", "#F0E442", "#8A8F98"]);
    const cell = page.locator(`.cell[data-row="${ROWS.main}"][data-column="2"] .bottom`);
    assert.equal(await cell.evaluate((box) => getComputedStyle(box).backgroundColor), "rgb(178, 24, 43)");
    const better = page.locator(`.cell[data-row="${ROWS.get}"][data-column="1"] .bottom`);
    assert.equal(await better.evaluate((box) => getComputedStyle(box).backgroundColor), "rgb(86, 135, 186)");
    const pair = { bench: "load", before: "v0", after: "v2", view: "blueprint" };
    await addressIs(page, { ...pair, palette: "blind" });
    await page.keyboard.press("c");
    assert.equal((await palette())[2], "#0B7A5B");
    await addressIs(page, pair);
  });
});

test("the theme follows the system until the switch says otherwise", async () => {
  await browser.visit(story(), { colorScheme: "dark" }, async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(20, 22, 26)");
    await page.emulateMedia({ colorScheme: "light" });
    await page.locator('html[data-theme="light"]').waitFor();
    assert.equal(await ground(), "rgb(255, 255, 255)");
    const theme = page.locator('[data-mode="theme"]');
    await theme.click();
    await theme.click();
    assert.equal(await theme.getAttribute("data-value"), "dark");
    assert.equal(await ground(), "rgb(20, 22, 26)");
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
  });
});

test("the fragment holds selection, view and modes, and opens them again", async () => {
  let url;
  await browser.visit(story(), {}, async (page) => {
    await selectParse(page);
    await page.getByRole("tab", { name: "Flame graphs" }).click();
    await page.keyboard.press("t");
    await addressIs(page, { bench: "load", before: "v1", after: "v2", function: PARSE, view: "flames", measure: "self" });
    url = page.url();
  });
  await browser.visit(story(), { fragment: url.split("#")[1] }, async (page) => {
    assert.equal(await page.textContent(".pair h2"), "load: v1 → v2");
    assert.equal(await page.getAttribute("#tab-flames", "aria-selected"), "true");
    assert.equal(await page.locator(`.cell[data-row="${ROWS.parse}"][data-column="2"]`).getAttribute("aria-selected"), "true");
    assert.equal(await page.getAttribute('[data-mode="measure"]', "data-value"), "self");
    // The other way: a new fragment is taken over while the page is open.
    await page.evaluate((fragment) => (location.hash = fragment), `bench=load&before=v1&after=v2&function=${encodeURIComponent(CHECK)}&view=blueprint&theme=dark`);
    await page.locator('html[data-theme="dark"]').waitFor();
    assert.equal(await page.getAttribute("#tab-blueprint", "aria-selected"), "true");
    assert.equal(await page.getAttribute('[data-mode="measure"]', "data-value"), "inclusive");
  });
});

test("a held key does not overrun the address, which ends up right", async () => {
  await browser.visit(story(), {}, async (page) => {
    // More than a browser lets pass, and complains about on the console.
    await page.evaluate(() => {
      for (let press = 0; press < 301; press++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true }));
    });
    await addressIs(page, { bench: "load", before: "v0", after: "v2", view: "blueprint", palette: "blind" });
  });
});

test("two benchmarks on one version have a fragment too", async () => {
  await browser.visit(story(), { fragment: "bench=save&against=load&before=v2&after=v2" }, async (page) => {
    assert.equal(await page.textContent(".pair h2"), "load v2 → save v2");
    await page.keyboard.press("c");
    await addressIs(page, { bench: "save", against: "load", before: "v2", after: "v2", view: "blueprint", palette: "blind" });
  });
});

test("a fragment that names what is not there leaves the page as it opens", async () => {
  await browser.visit(story(), { fragment: "bench=nothing&before=v9&function=%E0%A4&view=cake&theme=blue&path=a;b" }, async (page) => {
    assert.equal(await page.textContent(".pair h2"), "load: v0 → v2");
    assert.equal(await page.getAttribute("#tab-blueprint", "aria-selected"), "true");
  });
});

test("the tabs are one tab stop, arrows move", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.locator("#tab-blueprint").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-flames");
    assert.ok(await page.locator("#panel-flames").isVisible());
    assert.ok(!(await page.locator("#panel-blueprint").isVisible()));
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-ranking");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-blueprint");
    assert.equal(await page.getAttribute("#tab-flames", "tabindex"), "-1");
  });
});

test("a pair is chosen from the list of those in the report", async () => {
  await browser.visit(story(), {}, async (page) => {
    await page.locator(".pair select").selectOption({ label: "load v2 → save v2" });
    assert.equal(await page.textContent(".pair h2"), "load v2 → save v2");
    assert.equal(await page.getAttribute(".pair .numbers", "data-after"), "520");
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}: opened, with a call graph, timelines and a popup, without tabs`, async () => {
    await browser.visit(story(), { colorScheme }, async (page) => {
      assert.deepEqual(await violations(page), []);
      await page.locator('[role=columnheader][data-column="2"]').click();
      await selectParse(page);
      await page.locator(".popup").waitFor();
      assert.deepEqual(await violations(page), []);
      await page.locator(`.cell[data-row="${ROWS.main}"][data-column="3"]`).click();
      assert.deepEqual(await violations(page), []);
      await page.locator(".plot-area").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      assert.deepEqual(await violations(page), []);
    });
  });
}

test("every control can be reached with the Tab key and shows where it is", async () => {
  await browser.visit(story(), {}, async (page) => {
    const reached = new Set();
    await page.locator("body").focus();
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press("Tab");
      const found = await page.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        return { what: element.dataset.mode || element.name || element.getAttribute("role") || element.className, ring: style.outlineStyle !== "none" || element === document.body || element instanceof SVGElement };
      });
      assert.ok(found.ring, `no ring around ${found.what}`);
      reached.add(found.what);
    }
    for (const what of ["measure", "palette", "theme", "application", "threshold", "medium", "large", "treegrid", "tab"]) assert.ok(reached.has(what), `${what} of ${[...reached]}`);
  });
});

test("reduced motion: nothing moves by itself", async () => {
  await browser.visit(story(), { reducedMotion: "reduce" }, async (page) => {
    await selectParse(page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll("*")].filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(",").some((duration) => parseFloat(duration) > 0.001);
      }).map((element) => element.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(moving, []);
  });
});

test("without that wish, motion takes 150 ms at most", async () => {
  await browser.visit(story(), { reducedMotion: "no-preference" }, async (page) => {
    const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll("*")].map((element) => Math.max(...getComputedStyle(element).transitionDuration.split(",").map(parseFloat)))));
    assert.ok(longest <= 0.15, `${longest} s`);
  });
});

test("forced colours: text and lines are the reader's, what carries a meaning keeps its colour", async () => {
  await browser.visit(story(), { forcedColors: "active" }, async (page) => {
    assert.equal(await page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
    assert.equal(await color(page, "--text"), "CanvasText");
    assert.equal(await color(page, "--ground"), "Canvas");
    const box = page.locator(`.cell[data-row="${ROWS.main}"][data-column="2"] .bottom`);
    assert.equal(await box.evaluate((element) => getComputedStyle(element).backgroundColor), "rgb(179, 38, 30)");
    await page.evaluate(() => document.querySelector(".tabs").scrollIntoView());
    const swatch = page.locator('.swatch[data-swatch="slower"]');
    assert.equal(await swatch.evaluate((element) => getComputedStyle(element).backgroundColor), "rgb(242, 162, 155)");
    const stroke = await page.locator('.points[data-benchmark="0"] circle').first().evaluate((circle) => getComputedStyle(circle).stroke);
    assert.equal(stroke, "rgb(31, 95, 191)");
  });
});

test("without scripts the tables are there", async () => {
  await browser.visit(story(), { javaScriptEnabled: false }, async (page) => {
    assert.ok(await page.locator("#plain table").first().isVisible());
    assert.match(await page.locator("#plain").textContent(), /load is slower than it was.*v3/s);
    assert.equal(await page.locator("#views").count(), 0);
  });
});

test("data that cannot be read leaves the tables, and says why above them", async () => {
  const html = assemble(story()).replace(/(id="payload">)[^<]{40}/, "$1AAAA");
  await browser.visit(story(), { html }, async (page) => {
    assert.match(await page.textContent("#failure"), /^The interactive views could not be shown: .+\. The tables below contain the main figures\.$/);
    assert.ok(await page.locator("#plain table").first().isVisible());
  });
  await browser.visit({ ...story(), schema: "lito.view/2" }, {}, async (page) => {
    assert.match(await page.textContent("#failure"), /reads "lito\.view\/1", its data is "lito\.view\/2"/);
  });
});

test("the policy forbids requests, foreign scripts and inline styles, and the page needs none", async () => {
  await browser.visit(story(), { allowed: /Content Security Policy|Refused|ERR_BLOCKED_BY_CSP|Fetch API cannot load/ }, async (page) => {
    assert.equal(await page.evaluate(() => fetch("data:text/plain,hello").then(() => "loaded", () => "refused")), "refused");
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.foreign = true";
      document.body.append(script);
      return window.foreign === true;
    });
    assert.equal(ran, false);
  });
});

test("a page that asks for anything, or complains, fails its test", async () => {
  const html = assemble(story()).replace(/<meta http-equiv[^>]*>/, "").replace("</style>", "</style><img src='https://example.invalid/pixel.png' alt=''>");
  const { faults, done } = await browser.open(story(), { html });
  await assert.rejects(done());
  assert.ok(faults.some((fault) => fault.startsWith("request: https://example.invalid")));
});

test("long names of benchmarks do not make the page wider than the window", async () => {
  const payload = story();
  payload.benchmarks = payload.benchmarks.map((name) => `${name}::${"a_rather_long_name_".repeat(6)}`);
  for (const width of [1280, 390]) {
    await browser.visit(payload, { viewport: { width, height: 800 } }, async (page) => {
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width}`);
    });
  }
});

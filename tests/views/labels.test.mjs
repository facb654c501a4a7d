// Labels where there is little room: paths give way before the function's own name, and no label is a stump.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { everything } from "./blueprint_page.mjs";
import { BENCHMARKS, longNames, NAMES, ROOT } from "./fixtures/long_names.mjs";
import { launch } from "./harness.mjs";
import { source } from "./source.mjs";

const { labelWithin, prefixWithin } = await source("format.ts");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const OWN = [...NAMES, ROOT].map((name) => name.replace(/^framework::registry::parallel::(scheduling::)?/, ""));
/** A name in full, or at least four characters of one. */
const isSense = (label) => OWN.includes(label) || (label.includes("…") && label.replace("…", "").length >= 4 && OWN.some((name) => name.startsWith(label.split("…")[0]) && name.endsWith(label.split("…")[1])));

test("a path before a name loses whole segments, those next to the name last", () => {
  const prefix = "regex::automata::nfa::determinize::";
  assert.deepEqual([40, 34, 31, 26, 21, 16, 15, 5].map((length) => prefixWithin(prefix, length)), [
    prefix,
    "…::automata::nfa::determinize::",
    "…::automata::nfa::determinize::",
    "…::nfa::determinize::",
    "…::nfa::determinize::",
    "…::determinize::",
    "",
    "",
  ]);
  assert.equal(prefixWithin("alloc::vec::Vec<T, A>::", 16), "…::Vec<T, A>::");
  assert.equal(prefixWithin("", 3), "");
});

test("a path with room for all of its end but not its beginning keeps the beginning, too", () => {
  assert.equal(prefixWithin("regex::a_very_long_module_name::nfa::", 16), "regex::…::nfa::");
});

test("a label of fewer than five characters is a whole name, or none", () => {
  assert.deepEqual(["get", "deallocate"].map((name) => labelWithin(name, 4)), ["get", ""]);
  assert.equal(labelWithin("deallocate", 5), "de…te");
});

test("every frame of the flame graphs has a name that makes sense, or none", async () => {
  await browser.visit(longNames(), { fragment: "view=flames" }, async (page) => {
    await page.locator(".flames .save > button").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator('.menu [data-action="svg"]').click()]);
    const svg = readFileSync(await download.path(), "utf8");
    const bold = [...svg.matchAll(/<text [^>]*font-size="12" font-weight="600"[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words).filter((words) => !/^(Before|After|Difference)|better$|would do$/.test(words));
    assert.ok(bold.length > 20, `${bold}`);
    assert.deepEqual(bold.filter((words) => !isSense(words)), []);
    assert.ok(bold.some((words) => words.includes("…")), "some are cut");
  });
});

test("boxes of the blueprint have names that make sense, or only their sign", async () => {
  await browser.visit(longNames(), {}, async (page) => {
    await everything(page, ROOT);
    const beside = await page.locator(".blueprint .label .own").allTextContents();
    assert.ok(beside.length > 3);
    assert.deepEqual(beside.filter((words) => !isSense(words) && !/ → |^and \d+ more/.test(words)), []);
  });
});

test("rows of the matrix are cut to what makes sense, and their tooltips are whole", async () => {
  await browser.visit(longNames(), { viewport: { width: 390, height: 844 } }, async (page) => {
    const names = await page.locator('.treegrid .name[data-kind="function"]').evaluateAll((all) => all.map((each) => ({ words: each.querySelector(".text").textContent, title: each.title, isCut: each.querySelector(".text").scrollWidth > each.querySelector(".text").clientWidth })));
    assert.ok(names.length > 3);
    for (const { words, title, isCut } of names) {
      assert.ok(isSense(words), words);
      assert.ok(OWN.includes(title.replace("function ", "")), title);
      assert.equal(isCut, false, `${words} has room`);
    }
    assert.ok(names.some(({ words }) => words.includes("…")));
  });
});

test("of a long benchmark's name the last part is whole while it can be, and the tooltip has all", async () => {
  await browser.visit(longNames(), {}, async (page) => {
    const parts = await page.locator(".benchmarks .path-name").evaluateAll((all) =>
      all.map((each) => {
        const isWhole = (part) => part === null || part.scrollWidth <= part.clientWidth;
        const before = each.querySelector(".before");
        // Where there is no room for it, it stands in a line out of sight.
        const isInSight = before === null || before.getBoundingClientRect().top < each.getBoundingClientRect().bottom - 1;
        return { title: each.title, own: each.querySelector(".own").textContent, ownIsWhole: isWhole(each.querySelector(".own")), beforeIsWhole: isInSight && isWhole(before) };
      }),
    );
    assert.deepEqual(parts.map(({ title }) => title), BENCHMARKS);
    assert.deepEqual(parts.map(({ own }) => own), ["bench_normalized_damerau_levenshtein", "bench_of_a_very_long_name_indeed", "short"]);
    for (const { ownIsWhole, beforeIsWhole, title } of parts) assert.ok(ownIsWhole || !beforeIsWhole, title);
  });
});

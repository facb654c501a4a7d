// The folds of the blueprint, without a browser: from a tree, the contexts that are shown, and what must not be folded to
// the boxes that are drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contexts } from "./fixtures/contexts.mjs";
import * as folds from "./fixtures/foldable.mjs";
import { large } from "./fixtures/large.mjs";
import { names } from "./fixtures/table.mjs";
import { source } from "./source.mjs";

const { fold, foreign, hotEnd, unfoldedAround, MOST_SIBLINGS } = await source("blueprint/fold.ts");
const { tree } = await source("blueprint/tree.ts");
const [SHARE, SHARE_SELF, COST, COST_SELF] = [0, 1, 2, 3];

/** `rows` as in `contexts`; a function whose name begins with "lib_" is outside of the project. All contexts are shown. */
function drawn(rows, { kept = [], measure = COST, libraries = false, shown, noise = 0 } = {}) {
  const all = new Set();
  const collect = ([name, , ...below]) => (all.add(name), below.forEach(collect));
  collect(rows);
  const { payload, fn } = names([...all].map((label) => ({ label, external: label.startsWith("lib_") ? 1 : 0 })), ["b"], {});
  return draw(payload, contexts(rows, fn, { noise }).blueprint, { kept, measure, libraries, shown });
}

function draw(payload, blueprint, { kept = [], measure = COST, libraries = false, shown }) {
  const whole = tree(blueprint);
  const nameOf = (node) => payload.strings[payload.functions.name[blueprint.function[node]]];
  const nodes = (wanted) => [...blueprint.parent.keys()].filter((node) => wanted.includes(nameOf(node)));
  const drawing = fold(whole, new Set(shown ? nodes(shown) : blueprint.parent.keys()), {
    measure,
    foreign: libraries ? foreign(whole, payload.functions.external) : null,
    nameOf,
    kept: nodes(kept),
  });
  const words = ({ fold, members }) => (fold === null ? nameOf(members[0]) : `${fold}: ${members.map(nameOf).join(" ")}`);
  return { drawing, whole, nameOf, nodes, words: drawing.boxes.map(words) };
}

/** A caller with callees that cost so much more, or less. */
const caller = (changes, more = {}) => [
  "caller",
  { before: 1_000_000, after: 1_000_000 + Object.values(changes).reduce((sum, change) => sum + change, 0) },
  ...Object.entries(changes).map(([name, change]) => [name, { before: 1000, after: 1000 + change, ...more[name] }]),
];
const numbered = (count, change) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${String(at).padStart(2, "0")}`, change(at)]));

test("siblings stand by their absolute difference in the measure that shows, ties by name", () => {
  const rows = ["caller", { before: 100, after: 139 }, ["b", { before: 10, after: 15 }], ["a", { before: 10, after: 5 }], ["d", { before: 10, after: 10 }], ["c", { before: 10, after: 50 }, ["deep", { before: 5, after: 45 }]]];
  assert.deepEqual(drawn(rows).words, ["caller", "c", "deep", "a", "b", "d"]);
  assert.deepEqual(drawn(rows, { measure: COST_SELF }).words, ["caller", "a", "b", "c", "deep", "d"], "c itself costs as much as before");
  const { boxes } = drawn(rows).drawing;
  assert.deepEqual(boxes.map(({ position, level }) => [level, position]), [[0, 0], [1, 0], [2, 0], [1, 1], [1, 2], [1, 3]]);
});

test("beyond the first twelve, siblings are one box with the sum of their differences", () => {
  const { drawing, words } = drawn(caller(numbered(20, (at) => 100 + at)));
  assert.equal(words.length, 1 + MOST_SIBLINGS + 1);
  assert.equal(words.at(-1), "rest: f07 f06 f05 f04 f03 f02 f01 f00");
  const rest = drawing.boxes.at(-1);
  assert.equal(rest.h, 8 * 100 + 28);
  assert.equal(rest.contexts, 8);
  assert.equal(drawing.folded, 8);
  assert.equal(rest.parent, 0);
  assert.ok(rest.id >= 21, "its number is no context's");
});

test("siblings that change less than 1% of the largest, within noise, are one box, and others are not", () => {
  const changes = { big: 10_000, small0: 50, small1: 50, small2: -50, above: 150 };
  assert.deepEqual(drawn(caller(changes), { noise: 1e-4 }).words, ["caller", "big", "above", "rest: small0 small1 small2"]);
  assert.deepEqual(drawn(caller(changes), { noise: 1e-5 }).words, ["caller", "big", "above", "small0", "small1", "small2"], "they are not noise");
  assert.deepEqual(drawn(caller({ ...changes, big: 1_000 }), { noise: 1e-4 }).words.length, 6, "they are 5% of the largest");
  const changed = drawn(caller(changes, { small1: { changed: 1 } }), { noise: 1e-4 }).words;
  assert.deepEqual(changed.length, 6, "one has another source, and two are too few for a box");
});

test("a sibling is not folded for what it costs itself where something below it differs", () => {
  const quiet = (name) => [name, { before: 100, after: 100 }];
  const rows = ["caller", { before: 100_000, after: 109_000 }, quiet("a"), quiet("b"), quiet("c"), ["inner", { before: 1_000, after: 10_000 }, ["hot", { before: 1_000, after: 10_000 }]]];
  assert.deepEqual(drawn(rows, { measure: COST_SELF, noise: 1e-4 }).words, ["caller", "inner", "hot", "rest: a b c"]);
});

test("what is kept is in no tail, and neither is what leads to it", () => {
  const rows = caller(numbered(20, (at) => 100 + at));
  rows[2].push(["below", { before: 1, after: 1 }]);
  assert.ok(drawn(rows, { kept: ["f03"] }).words.includes("f03"));
  assert.deepEqual(drawn(rows, { kept: ["below"] }).words.slice(-3), ["f00", "below", "rest: f07 f06 f05 f04 f03 f02 f01"]);
  assert.deepEqual(drawn(rows, { kept: Object.keys(numbered(20, () => 0)) }).words.length, 22, "unfolded as a whole");
});

const call = (name, more, ...below) => [name, { before: 500, after: 900, calls: [1, 1], ...more }, ...below];
const ends = [["x", { before: 200, after: 600 }], ["y", { before: 300, after: 300 }]];

test("a run of contexts with one callee and no difference of their own is one box", () => {
  const { drawing, words } = drawn(call("main", {}, call("run", {}, call("dispatch", {}, call("work", {}, ...ends)))));
  assert.deepEqual(words, ["chain: main run dispatch", "work", "x", "y"]);
  const [chain, work] = drawing.boxes;
  assert.deepEqual([chain.id, chain.h, chain.contexts, work.parent, work.level], [0, 400, 3, 0, 1]);
});

test("a chain is broken by a changed source, an own difference, a new or removed context, a second callee, and what is kept", () => {
  const rest = (more = {}) => call("a", more, call("b", more, call("c", more, call("d", more, ...ends))));
  const run = (...below) => call("main", {}, call("run", {}, call("dispatch", {}, ...below)));
  const chains = (...args) => drawn(...args).words.filter((each) => each.startsWith("chain"));
  assert.deepEqual(chains(run(call("middle", {}, rest()))), ["chain: main run dispatch middle a b c"]);
  const halves = ["chain: main run dispatch", "chain: a b c"];
  assert.deepEqual(chains(run(call("middle", { changed: 1 }, rest()))), halves);
  assert.deepEqual(chains(run(call("middle", {}, rest())), { kept: ["middle"] }), halves);
  assert.deepEqual(chains(run(call("middle", {}, rest(), ["beside", { before: 0, after: 0 }]))), halves, "a second callee");
  assert.deepEqual(chains(run(call("middle", {}, rest({ before: 500, after: 800 })))), halves, "a difference of its own");
  assert.deepEqual(chains(run(["new", { after: 900 }, rest()])), halves);
  assert.deepEqual(chains(run(["old", { before: 500 }, rest()])), halves);
  assert.deepEqual(drawn(call("main", {}, call("run", {}, ...ends))).words.length, 4, "two are no chain");
});

test("an own difference within noise does not break a chain", () => {
  const rows = call("main", {}, call("run", { before: 499 }, call("dispatch", { before: 499 }, call("work", { before: 499 }, ["x", { before: 199, after: 600 }], ["y", { before: 300, after: 300 }]))));
  assert.equal(drawn(rows, { noise: 0.01 }).words[0], "chain: main run dispatch");
  assert.equal(drawn(rows, { noise: 0.0001 }).words[0], "main");
});

test("a chain ends where the next callee is not shown", () => {
  const { drawing, words } = drawn(call("main", {}, call("run", {}, call("dispatch", {}, call("work", {}, ...ends)))), { shown: ["main", "run", "dispatch"] });
  assert.deepEqual(words, ["chain: main run dispatch"]);
  assert.equal(drawing.boxes[0].hidden, 1);
});

const libraries = [
  "root",
  { before: 1000, after: 1500 },
  ["own", { before: 600, after: 1000 }, ["lib_grow", { before: 300, after: 600 }, ["lib_copy", { before: 200, after: 450 }]], ["lib_free", { before: 100, after: 150 }]],
  ["lib_each", { before: 400, after: 500 }, ["closure", { before: 300, after: 380 }], ["lib_next", { before: 50, after: 60 }]],
];

test("what libraries do is one box below the project's function; a library that calls the project back is not folded", () => {
  const { drawing, words } = drawn(libraries, { libraries: true });
  assert.deepEqual(words, ["root", "own", "libraries: lib_grow lib_free", "lib_each", "closure", "lib_next"]);
  const box = drawing.boxes[2];
  assert.deepEqual([box.h, box.contexts], [350, 3]);
  assert.deepEqual(drawn(libraries).words, ["root", "own", "lib_grow", "lib_copy", "lib_free", "lib_each", "closure", "lib_next"]);
});

test("in self measures, a box of libraries has the own differences of all that is in it", () => {
  const box = drawn(libraries, { libraries: true, measure: COST_SELF }).drawing.boxes.find(({ fold }) => fold === "libraries");
  assert.equal(box.h, 350);
});

test("a box of libraries stands for all of them as soon as one is shown, and none of them counts as hidden", () => {
  const { drawing, words } = drawn(libraries, { libraries: true, shown: ["root", "own", "lib_free"] });
  assert.deepEqual(words, ["root", "own", "libraries: lib_grow lib_free"]);
  assert.equal(drawing.boxes[1].hidden, 0);
  const closed = drawn(libraries, { libraries: true, shown: ["root", "own"] });
  assert.deepEqual([closed.words, closed.drawing.boxes[1].hidden], [["root", "own"], 2]);
});

test("a library that is kept is drawn with its callers, the others stay in the box", () => {
  const rows = structuredClone(libraries);
  rows[2].push(["lib_drop", { before: 1, after: 1 }, ["lib_unmap", { before: 1, after: 1 }]]);
  assert.deepEqual(drawn(rows, { libraries: true, kept: ["lib_copy"] }).words.slice(1, 5), ["own", "lib_grow", "lib_copy", "libraries: lib_free lib_drop"]);
});

test("a single context of a library keeps its name, and a tree without the project its boxes", () => {
  const single = ["root", { before: 10, after: 20 }, ["lib_copy", { before: 5, after: 15 }]];
  assert.deepEqual(drawn(single, { libraries: true }).words, ["root", "lib_copy"]);
  const outside = ["lib_root", { before: 10, after: 20 }, ["lib_a", { before: 5, after: 15 }], ["lib_b", { before: 1, after: 1 }]];
  assert.deepEqual(drawn(outside, { libraries: true }).words, ["lib_root", "lib_a", "lib_b"]);
});

test("with libraries folded, a hot path ends at the last function of the project", () => {
  const { whole, nodes, nameOf } = drawn(libraries);
  const external = [...whole.blueprint.function].reduce((flags, of, node) => ((flags[of] = nameOf(node).startsWith("lib_") ? 1 : 0), flags), []);
  const [copy] = nodes(["lib_copy"]);
  assert.equal(nameOf(hotEnd(whole, external, copy)), "own");
  assert.equal(nameOf(hotEnd(whole, external, copy, nodes(["own"])[0])), "lib_copy", "nothing of the project is below");
  assert.equal(nameOf(hotEnd(whole, external, nodes(["closure"])[0])), "closure");
});

test("contexts that were unfolded are found again from any of them", () => {
  const { whole, nodes } = drawn(call("main", {}, call("run", {}, call("dispatch", {}, call("work", {}, ...ends)))));
  const unfolded = new Set(nodes(["main", "run", "dispatch", "x"]));
  for (const name of ["main", "run", "dispatch"]) assert.deepEqual(unfoldedAround(whole, unfolded, nodes([name])[0]).sort(), nodes(["main", "run", "dispatch"]));
  assert.ok(unfoldedAround(whole, unfolded, nodes(["work"])[0]).includes(nodes(["x"])[0]));
});

test("nothing is lost: each shown context is in one box, each box once in the order of the keyboard, and differences add up", () => {
  for (const [payload, libraries] of [[large(3_000), false], [folds.foldable(), true], [folds.foldable(), false]]) {
    const { blueprint } = payload.comparisons[0].trees;
    for (const measure of [SHARE, SHARE_SELF, COST, COST_SELF]) {
      const { drawing, whole } = draw(payload, blueprint, { libraries, measure });
      assert.equal(drawing.boxes.reduce((sum, { contexts }) => sum + contexts, 0), blueprint.parent.length);
      const ids = drawing.boxes.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      const walked = [];
      const walk = (box) => (walked.push(box.id), box.children.forEach(walk));
      walk(drawing.boxes[0]);
      assert.deepEqual(walked, ids);
      for (const node of blueprint.parent.keys()) {
        const box = drawing.boxOf(node);
        assert.ok(box.members.some((member) => node >= member && node < whole.end[member]));
      }
      if (measure === COST_SELF) {
        const sum = (all) => all.reduce((total, each) => total + each, 0);
        const own = drawing.boxes.map((box) => (box.fold === "chain" ? sum(box.members.map((node) => blueprint.h[measure][node])) : box.h));
        assert.equal(sum(own), sum(blueprint.h[measure]));
      }
    }
  }
});

test("of 50,000 contexts, each that is shown is in the box that stands for it, and none in two", (t) => {
  const payload = large(50_000);
  const { blueprint } = payload.comparisons[0].trees;
  const whole = tree(blueprint);
  const shown = new Set(blueprint.parent.keys());
  const options = { measure: COST, foreign: null, nameOf: (node) => payload.strings[payload.functions.name[blueprint.function[node]]], kept: [] };
  for (const of of [new Set([...shown].slice(0, 1_500)), shown]) {
    const begun = performance.now();
    const drawing = fold(whole, of, options);
    t.diagnostic(`${of.size} of 50,000: ${(performance.now() - begun).toFixed(1)} ms`);
    const stoodFor = [...of].map((node) => drawing.boxOf(node));
    assert.ok(stoodFor.every((box) => box !== undefined));
    assert.equal(drawing.boxes.reduce((sum, box) => sum + box.contexts, 0), of.size);
  }
});

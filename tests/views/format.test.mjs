// Numbers and long names as readers see them, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./source.mjs";

const { compact, delta, middle, points, share, shares, shortenPath, signedShare, splitPath } = await source("format.ts");
const { diverging, inkOn, colorsOf } = await source("colors.ts");

test("numbers are written out below ten thousand, then with three figures and a unit", () => {
  const shown = [0, 7, 0.512, 999, 1000, 9999, 10_000, 12_345, 999_000, 1_234_567, 45_600_000_000, -2_500_000].map(compact);
  assert.deepEqual(shown, ["0", "7", "0.512", "999", "1,000", "9,999", "10.0\u202fk", "12.3\u202fk", "999\u202fk", "1.23\u202fM", "45.6\u202fG", "−2.50\u202fM"]);
});

test("every difference has its sign, unit and percentage", () => {
  assert.equal(delta(1000, 1200, "ms"), "+200 ms (+20.0%)");
  assert.equal(delta(1200, 1000, "ms"), "−200 ms (−16.7%)");
  assert.equal(delta(1000, 1000, "ms"), "±0 ms (±0%)");
  assert.equal(delta(0, 5, "ms"), "+5 ms");
  assert.deepEqual([0.5, 1.5, 0.004, -0.00001, 0].map(signedShare), ["+50.0%", "+150%", "+0.40%", "±0%", "±0%"]);
  assert.deepEqual([0.02, 1, 0.0004, 0].map(share), ["2.0%", "100%", "0.04%", "0%"]);
});

test("a difference of shares is points, beside both shares, and never a zero that is none", () => {
  assert.equal(shares(0.708, 0.776), "70.8 → 77.6% of total (+6.8 points)");
  assert.deepEqual([0.068, -0.0004, 0.000_001, 0].map(points), ["+6.8 points", "−0.04 points", "+<0.01 points", "±0 points"]);
});

test("a path is split at its own separators, not at those of its generics", () => {
  assert.deepEqual(splitPath("a::B<c::D>::e"), ["a", "B<c::D>", "e"]);
  assert.deepEqual(splitPath("<a::B as c::D>::e::{closure#0}"), ["<a::B as c::D>", "e", "{closure#0}"]);
  assert.deepEqual(splitPath("f::<fn(a) -> b::C>::g"), ["f", "<fn(a) -> b::C>", "g"]);
});

test("a long path loses its middle, never what it ends with", () => {
  const path = "regex_automata::util::determinize::state::State::next";
  assert.equal(shortenPath(path, 100), path);
  assert.equal(shortenPath(path, 40), "regex_automata::…::state::State::next");
  assert.equal(shortenPath(path, 30), "regex_automata::…::State::next");
  assert.equal(shortenPath(path, 10), "…::next");
  for (let length = 5; length < 60; length++) assert.ok(shortenPath(path, length).length <= length, `${length}`);
  assert.equal(middle("abcdefghij", 5), "ab…ij");
});

test("the diverging scale is full at 100%, shows a change of 10%, and turns with what is better", () => {
  const colors = colorsOf("paper", false);
  assert.equal(diverging(0, colors), "#d5d8dd");
  assert.equal(diverging(1, colors), "#b3261e");
  assert.equal(diverging(9, colors), "#b3261e");
  assert.equal(diverging(-1, colors), "#0b7a5b");
  assert.equal(diverging(0.25, colors), "#c47f7e");
  assert.equal(diverging(0.1, colors), "#caa0a1");
  assert.equal(diverging(1, colors, "more"), "#0b7a5b");
});

test("ink on any colour of either palette has a contrast of 4.5 or more", () => {
  const luminance = (color) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const palette of ["paper", "blind"]) {
    for (const dark of [false, true]) {
      for (const [name, color] of Object.entries(colorsOf(palette, dark))) {
        const [one, other] = [luminance(color), luminance(inkOn(color))].sort((a, b) => b - a);
        assert.ok((one + 0.05) / (other + 0.05) >= 4.5, `${palette} ${dark} ${name}`);
      }
    }
  }
});

// A large tree in the blueprint: what is folded and unfolds, the map of what is out of sight, and how long it takes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./accessibility.mjs";
import { act, box, data, everything, near, shownNames } from "./blueprint_page.mjs";
import * as folding from "./fixtures/foldable.mjs";
import { large } from "./fixtures/large.mjs";
import { nextName } from "./fixtures/next_name.mjs";
import { launch } from "./harness.mjs";

/** Positions are those at rest. */
const STILL = { reducedMotion: "reduce" };
/** All of the drawing is in sight, so all of its boxes are in the document. */
const WIDE = { ...STILL, viewport: { width: 12_000, height: 800 } };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const folded = (page, fold) => page.locator(`.box[data-fold="${fold}"]`);
const focused = (page) => page.evaluate(() => document.activeElement.dataset.name);
const parts = (names) => names.filter((name) => name?.startsWith("app::parts::"));

async function showParts(page) {
  await act(page, box(page, folding.HANDLE), "children");
}

test("callees stand from left to right by what they changed, then by name, and the keyboard meets them so", async () => {
  await browser.visit(folding.foldable(), WIDE, async (page) => {
    await showParts(page);
    const expected = [...Array(10).keys(), 10].map(folding.part);
    assert.deepEqual(parts(await shownNames(page)), expected);
    const lefts = await page.locator('.box[data-name^="app::parts"]').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
    assert.deepEqual(lefts, [...lefts].sort((one, other) => one - other));
    await box(page, folding.part(0)).focus();
    for (const name of expected.slice(1)) {
      await page.keyboard.press("ArrowDown");
      assert.equal(await focused(page), name);
    }
    assert.deepEqual(
      await page.locator('.box[data-name^="app::parts"]').evaluateAll((all) => all.map((each) => each.ariaPosInSet)),
      expected.map((_, at) => String(at + 2)),
      "behind the callee that changed most",
    );
  });
});

test("callees that explain little are one box, which a click, Enter and the menu unfold, and the menu folds again", async () => {
  await browser.visit(folding.foldable(), WIDE, async (page) => {
    await showParts(page);
    const rest = folded(page, "rest");
    assert.equal(await rest.getAttribute("data-members"), "30");
    assert.match(await page.locator('.label[data-fold="rest"]').textContent(), /and 30 more\+7,678 instructions together/);
    assert.match(await rest.getAttribute("aria-label"), /^and 30 more, slower, \+7,678 instructions together, folded$/);
    assert.equal(await rest.getAttribute("aria-expanded"), "false");
    assert.match(await page.textContent(".blueprint .count"), /33 folded/);
    await rest.locator(".fill").hover();
    assert.match(await page.textContent("[role=tooltip]"), /and 30 more.*part_11.*\+2,500 instructions.*and 22 more.*Click or Enter unfolds/);
    const ways = [() => rest.locator(".fill").click(), () => rest.press("Enter"), () => rest.press("ArrowRight"), () => act(page, rest, "unfold"), () => act(page, box(page, folding.HANDLE), "unfold")];
    for (const way of ways) {
      await way();
      assert.equal(await rest.count(), 0);
      assert.equal(parts(await shownNames(page)).length, 40);
      assert.equal(await focused(page), folding.part(11), "the first of them has the focus");
      await act(page, box(page, folding.HANDLE), "fold");
      assert.equal(await rest.count(), 1);
      assert.equal(parts(await shownNames(page)).length, 11);
    }
  });
});

test("a match and a selection in a folded box stand for themselves", async () => {
  await browser.visit(folding.foldable(), WIDE, async (page) => {
    await showParts(page);
    await page.keyboard.press("m");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("part_33", { delay: 20 });
    assert.equal(await page.locator(".contexts-bar input").inputValue(), "part_33", "the picture changes, the focus stays in the field");
    assert.equal(await box(page, folding.part(33)).getAttribute("data-hit"), "1");
    await page.keyboard.press("Enter");
    assert.equal(await focused(page), folding.part(33));
    assert.equal(await folded(page, "rest").getAttribute("data-members"), "29");
    await page.keyboard.press("Enter");
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    assert.equal(await box(page, folding.part(33)).count(), 1, "it is selected");
  });
});

test("calls that only lead to the next are one box with their names, which opens and folds again", async () => {
  await browser.visit(folding.foldable(), WIDE, async (page) => {
    const chain = folded(page, "chain");
    assert.match(await page.locator('.label[data-fold="chain"]').textContent(), /main → run → dispatch \(3 calls deep\)/);
    assert.deepEqual(await shownNames(page), [folding.MAIN, folding.HANDLE, folding.STORE]);
    const all = [folding.MAIN, folding.RUN, folding.DISPATCH, folding.HANDLE, folding.STORE];
    for (const way of [() => chain.locator(".fill").dblclick(), () => chain.press("Enter")]) {
      await way();
      assert.deepEqual(await shownNames(page), all);
      assert.equal(await focused(page), folding.MAIN);
      await act(page, box(page, folding.DISPATCH), "fold");
      assert.equal(await chain.count(), 1);
    }
    await box(page, folding.STORE).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(page), folding.MAIN);
  });
  await browser.visit(folding.foldable(), { ...STILL, fragment: `scale=absolute&function=${folding.RUN}` }, async (page) => {
    assert.equal(await box(page, folding.RUN).getAttribute("aria-selected"), "true");
    assert.equal(await folded(page, "chain").count(), 0, "a selected function is in none");
  });
});

test("libraries are one box below the project's function, and the hot path ends above it, until the switch shows all", async () => {
  await browser.visit(folding.foldable(), WIDE, async (page) => {
    assert.match(await page.textContent(".hot-path"), /store is slower here: \+40\.0.k instructions, as many calls, most in copy of a library, below handle, whose source changed\./);
    assert.equal((await shownNames(page)).at(-1), folding.STORE);
    await page.keyboard.press("l");
    assert.deepEqual((await shownNames(page)).slice(-2), [folding.GROW, folding.COPY]);
    assert.match(await page.textContent(".hot-path"), /copy is slower here/);
    assert.match(new URL(page.url()).hash, /libraries=shown/);
    await page.locator('[data-action="libraries"]').click();
    assert.equal((await shownNames(page)).at(-1), folding.STORE);

    await act(page, box(page, folding.STORE), "all");
    const libraries = folded(page, "libraries");
    assert.match(await page.locator('.label[data-fold="libraries"]').textContent(), /in libraries\+40\.0.k instructions/);
    assert.equal((await data(libraries)).h, "40000");
    assert.equal((await data(box(page, folding.STORE))).border, "1", "nothing is hidden");
    await page.keyboard.press("l");
    assert.equal(await libraries.count(), 0);
    await page.keyboard.press("l");
    await libraries.press("Enter");
    assert.deepEqual((await shownNames(page)).slice(-2), [folding.GROW, folding.DROP]);
    await page.keyboard.press("/");
    await page.keyboard.type("copy");
    await page.keyboard.press("Enter");
    assert.equal(await focused(page), folding.COPY);
    await page.getByRole("searchbox").press("Escape");
    assert.equal(await box(page, folding.COPY).count(), 1, "it was gone to");
    await box(page, folding.STORE).press("l");
    await box(page, folding.STORE).press("l");
    assert.equal(await libraries.count(), 1, "the switch folds all again");
  });
  await browser.visit(nextName(), STILL, async (page) => assert.equal(await page.locator('[data-action="libraries"]').count(), 0, "there are none"));
});

test("a map shows the part in sight of a drawing that does not fit, moves it, and can be closed", async () => {
  await browser.visit(folding.foldable(), STILL, async (page) => {
    const map = page.locator(".minimap");
    assert.equal(await map.count(), 0, "the hot path fits");
    await showParts(page);
    assert.equal(await map.getAttribute("aria-hidden"), "true");
    const scrolled = () => page.locator(".viewport").evaluate(({ scrollLeft, scrollWidth, clientWidth }) => scrollLeft / (scrollWidth - clientWidth));
    const { x, y, width, height } = await map.boundingBox();
    await page.mouse.click(x + width - 2, y + height / 2);
    assert.equal(await scrolled(), 1);
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    near(await scrolled(), 0.5, 0.01);
    await page.mouse.move(x - 50, y + height / 2);
    assert.equal(await scrolled(), 0, "the pointer may leave it");
    await page.mouse.up();
    const seen = await page.locator(".minimap .seen").boundingBox();
    near(seen.x, x, 2);
    near(seen.width / width, await page.locator(".viewport").evaluate(({ clientWidth, scrollWidth }) => clientWidth / scrollWidth), 0.02);

    // No box stays under it: the last one is scrolled out from there, also for those who go there by key.
    await box(page, folding.HANDLE).focus();
    await page.keyboard.press("End");
    const last = await folded(page, "rest").locator(".fill").boundingBox();
    const over = await map.boundingBox();
    assert.ok(last.x + last.width < over.x || last.y + last.height < over.y, "the focused box is beside or above");
    await page.locator('[data-action="map"]').click();
    assert.equal(await map.count(), 0);
    await page.getByText("Fit", { exact: true }).click();
    assert.equal(await page.locator('[data-action="map"]').count(), 0, "all of it is in sight");
  });
});

test("50,000 contexts open in about a second, and hovering over the picture of all that is shown takes no frame's time", async (t) => {
  await browser.visit(large(50_000), STILL, async (page) => {
    const opened = await page.evaluate(async () => {
      while (!document.querySelector(".box")) await new Promise(requestAnimationFrame);
      return performance.now();
    });
    await page.locator('.box[data-node="0"] .fill').click({ button: "right" });
    await page.locator('[data-action="all"]').click();
    const took = await page.evaluate(async () => {
      const reaches = [...document.querySelectorAll(".box .reach")].slice(0, 100);
      const times = [];
      for (const reach of reaches) {
        const { x, y } = reach.getBoundingClientRect();
        const begun = performance.now();
        reach.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: x, clientY: y }));
        // A tooltip is drawn before the next frame.
        while (document.querySelector("[role=tooltip]")?.dataset.node !== reach.parentElement.dataset.node) await Promise.resolve();
        document.querySelector("[role=tooltip]").getBoundingClientRect();
        times.push(performance.now() - begun);
        await new Promise(requestAnimationFrame);
      }
      times.sort((one, other) => one - other);
      return { median: times[50], most: times[95] };
    });
    t.diagnostic(`50,000 contexts opened: ${opened.toFixed(0)} ms; a tooltip: ${took.median.toFixed(1)} ms, 95th percentile ${took.most.toFixed(1)} ms`);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`what is folded, and the map, are accessible in ${colorScheme}`, async () => {
    await browser.visit(folding.foldable(), { ...STILL, colorScheme }, async (page) => {
      await everything(page, folding.MAIN);
      await box(page, folding.HANDLE).locator(".fill").hover();
      assert.deepEqual(await violations(page), []);
    });
  });
}

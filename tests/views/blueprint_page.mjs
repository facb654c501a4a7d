// The blueprint on a page, for tests: its boxes by the names of their functions, and its menu.

import assert from "node:assert/strict";

export const boxes = (page, name) => page.locator(`.box[data-name="${name}"]`);
export const box = (page, name) => boxes(page, name).first();
export const label = (page, name) => page.locator(`.label[data-of="${name}"]`).first();
export const data = (locator) => locator.evaluate((element) => ({ ...element.dataset }));
export const near = (value, expected, least = 1e-6) => assert.ok(Math.abs(Number(value) - expected) < least, `${value} is not ${expected}`);
export const shownNames = (page) => page.locator(".box").evaluateAll((all) => all.map((each) => each.dataset.name));

/** Opens the context menu of a node and picks an entry. */
export async function act(page, target, action) {
  await target.locator(".fill").click({ button: "right" });
  await page.locator(`[role=menu] [data-action="${action}"]`).click();
}

export async function everything(page, name) {
  await act(page, box(page, name), "all");
}

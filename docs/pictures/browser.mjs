// Chromium, and pictures made small: what pages.mjs and report.mjs share. Needs the packages of tests/views, chromium and
// pngquant.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(new URL("../../tests/views/", import.meta.url))("playwright-core");

export const SCHEMES = ["light", "dark"];

/** Starts the browser, which loads nothing from a network. */
export function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** Writes a picture of the page into docs/src/images. */
export async function picture(page, name, options = {}) {
  const file = fileURLToPath(new URL(`../src/images/${name}.png`, import.meta.url));
  await page.screenshot({ path: file, ...options });
  execFileSync("pngquant", ["--force", "--strip", "--output", file, file]);
  console.log(`wrote docs/src/images/${name}.png`);
}

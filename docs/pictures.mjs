// Pictures of what a report shows first, for the documentation.
//
//   node docs/pictures.mjs [NAME=REPORT.html ...]
//
// Writes docs/src/images/first-NAME.png: the window of 1280 × 800 pixels that the report opens with. Without arguments of the papers'
// stories, which it compares with target/debug/lito, or what LITO_PROGRAM names. Needs Chromium and valgrind, and the packages that
// tests/views/run.sh installs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "../tests/views/node_modules/playwright-core/index.mjs";
import { STORY, story } from "../tests/views/stories.mjs";

const IMAGES = fileURLToPath(new URL("src/images", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "lito-pictures-"));
const named = process.argv.slice(2).map((argument) => argument.split("="));
const reports = named.length > 0 ? named : STORY.map(({ name, versions }) => [name, compared(name, versions)]);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [name, report] of reports) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(pathToFileURL(report).href);
  await page.waitForSelector("#views main");
  // Trees are unpacked after the page is there.
  await page.waitForTimeout(500);
  const file = join(IMAGES, `first-${name}.png`);
  await page.screenshot({ path: file });
  console.log(file);
}
await browser.close();
rmSync(folder, { recursive: true, force: true });

function compared(name, versions) {
  const file = join(folder, `${name}.html`);
  story(folder, name).lito("compare", ...versions, "--output", file);
  return file;
}

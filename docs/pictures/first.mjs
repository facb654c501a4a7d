// The first window of a report, at 1280 × 800 pixels: `node docs/pictures/first.mjs [NAME=REPORT.html ...]`, as first-NAME.png. Without
// arguments of the papers' stories, which it compares with LITO_PROGRAM. Needs what browser.mjs needs, and valgrind.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { STORY, story } from "../../tests/views/stories.mjs";
import { launch, picture } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "lito-pictures-"));
const named = process.argv.slice(2).map((argument) => argument.split("="));
const reports = named.length > 0 ? named : STORY.map(({ name, versions }) => [name, compared(name, versions)]);
const browser = await launch();
for (const [name, report] of reports) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", offline: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.waitForSelector("#views main");
  // Trees are unpacked after the page is there.
  await page.waitForTimeout(500);
  await picture(page, `first-${name}`);
  await context.close();
}
await browser.close();
rmSync(folder, { recursive: true, force: true });

function compared(name, versions) {
  const file = join(folder, `${name}.html`);
  story(folder, name).lito("compare", ...versions, "--output", file);
  return file;
}

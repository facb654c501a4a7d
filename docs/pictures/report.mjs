// The pictures of docs/report.md, off a report: `node docs/images/report.mjs report.html`. Needs the packages of tests/views
// (`npm ci --prefix tests/views`), chromium and pngquant.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { chromium } = createRequire(new URL("../../tests/views/", import.meta.url))("playwright-core");
const report = pathToFileURL(resolve(process.argv[2])).href;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** Each picture: what is opened, the element that it begins with, and what is clicked. */
const PICTURES = [
  { name: "report", fragment: "", from: null, height: 1000 },
  { name: "matrix", fragment: "", from: ".matrix", height: 640, click: "[role=columnheader][data-side=after]" },
  { name: "blueprint", fragment: "", from: ".pair", height: 1000 },
  { name: "flames", fragment: "view=flames", from: ".pair", height: 900 },
];

for (const scheme of ["light", "dark"]) {
  for (const { name, fragment, from, height, click } of PICTURES) {
    const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme: scheme, reducedMotion: "reduce", deviceScaleFactor: 1.5, offline: true });
    const page = await context.newPage();
    await page.goto(`${report}#${fragment}`);
    await page.waitForSelector("#views main");
    if (click) await page.locator(click).click();
    if (from) await page.locator(from).first().evaluate((element) => element.scrollIntoView());
    // The strip that stays on top covers what is scrolled to.
    if (from) await page.evaluate(() => scrollBy(0, -40));
    await page.waitForTimeout(500);
    const file = fileURLToPath(new URL(`${name}-${scheme}.png`, import.meta.url));
    await page.screenshot({ path: file });
    execFileSync("pngquant", ["--force", "--strip", "--output", file, file]);
    await context.close();
  }
}
await browser.close();
